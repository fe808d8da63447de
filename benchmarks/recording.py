"""What it costs a program to be recorded in the sandbox, beside the same program on the bare engine.

All of it is CPU time: of the process that runs the program and sends its log, and of the page's process that takes the log and
looks at every reference in it. A machine that is busy with other things changes the ratios little.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.sizes import smallest
from engine import limits
from engine.program import Program
from engine.sandbox import Limits
from engine.sandbox.processes import child
from engine.sandbox.runner import job_for
from engine.sandbox.transport.receiver import CollectedRun

CHAIN = """import torch
x = torch.ones((), requires_grad=True)
w, b = torch.ones(()) * 0.5, torch.ones(()) * 0.1
y = x
for k in range({n}):
    y = y * w
    y = y + b
    y = torch.tanh(y)
    y = y * 0.9
y.sum().backward()
"""
MLP = """import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.randn(16, 4)
t = x.sum(1, keepdim=True)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range({n}):
    opt.zero_grad()
    loss = ((model(x) - t) ** 2).mean()
    loss.backward()
    opt.step()
"""
RNN = """import torch
torch.manual_seed(0)
W = (torch.randn(4, 4) * 0.3).requires_grad_()
U = (torch.randn(3, 4) * 0.3).requires_grad_()
b = torch.zeros(4, requires_grad=True)
xs = torch.randn(20, 2, 3)
def cell(x, h):
    a = x @ U + h @ W + b
    return torch.tanh(a)
for epoch in range({n}):
    h = torch.zeros(2, 4)
    for t in range(20):
        h = cell(xs[t], h)
    loss = (h ** 2).sum()
    loss.backward()
    with torch.no_grad():
        for p in (W, U, b):
            p -= 0.1 * p.grad
            p.grad = None
"""
PROGRAMS = {"chain of small operations": (CHAIN, 3_000), "MLP": (MLP, 300), "RNN": (RNN, 60)}
LENGTHS = (83, 833, 8_333, 83_333)
"""Iterations of the chain, of which each makes twelve events: from a thousand events to a million."""
ALL = Limits(seconds=3_600, events=limits.MOST_EVENTS, facts=2**30, parts=10**9, memory_mb=16_384)
"""So much that nothing grows thinner."""
ROUNDS = 5


def apart(work: Callable[[], object]) -> float:
    """The CPU seconds of some work in a process of its own."""
    inward, outward = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            gc.collect()
            gc.freeze()
            began = time.process_time()
            work()
            os.write(outward, json.dumps(time.process_time() - began).encode())
        finally:
            os._exit(0)
    os.close(outward)
    with os.fdopen(inward) as told:
        seconds = float(json.loads(told.read()))
    os.waitpid(pid, 0)
    return seconds


def plain(text: str) -> float:
    """The CPU seconds of a program on the bare engine."""
    code = compile(text, "<program>", "exec")
    return apart(lambda: exec(code, {"__name__": "__main__"}))


def recorded(text: str) -> tuple[float, float, int]:
    """The CPU seconds of the process that runs a program and of the one that takes its log, and how many events there are."""
    program = Program.from_text(text)
    job = job_for(program, ALL, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream"
        run = child.Run(job, os.open(path, os.O_CREAT | os.O_WRONLY))
        sent = apart(run.go)
        data = path.read_bytes()
    gc.collect()
    began = time.process_time()
    collected = CollectedRun(program, ALL, seed=1)
    for start in range(0, len(data), 2**16):
        collected.feed(data[start : start + 2**16])
    result = collected.result((0, False), 1.0)
    taken = time.process_time() - began
    assert result.status == "ok", result.error
    assert result.recording is not None
    return sent, taken, len(result.recording.events)


def ratios(small: bool) -> None:
    """Print what being recorded costs, for programs of small operations."""
    print("\nRecorded in the sandbox ÷ plain, in CPU time\n")
    print("| | events | plain, µs an event | program's process | page's process | together |")
    print("|---|---|---|---|---|---|")
    for name, (text, most) in PROGRAMS.items():
        source = text.replace("{n}", "2" if small else str(most))
        rounds = [(plain(source), *recorded(source)) for _ in range(1 if small else ROUNDS)]
        bare, sent, taken = (min(each) for each in list(zip(*rounds, strict=True))[:3])
        events = rounds[0][3]
        each = bare / events * 1e6
        print(f"| {name} | {events:,} | {each:.2f} | {sent / bare:.2f} | {taken / bare:.2f} | {(sent + taken) / bare:.2f} |")


def lengths(small: bool) -> None:
    """Print what an event costs in runs of different lengths."""
    print("\nµs an event, in CPU time\n\n| events | plain | program's process | page's process |\n|---|---|---|---|")
    for count in LENGTHS[:1] if small else LENGTHS:
        source = CHAIN.replace("{n}", str(count))
        several = 1 if small or count > 10_000 else ROUNDS
        rounds = [(plain(source), *recorded(source)) for _ in range(several)]
        events = rounds[0][3]
        bare, sent, taken = (statistics.median(each) / events * 1e6 for each in list(zip(*rounds, strict=True))[:3])
        print(f"| {events:,} | {bare:.2f} | {sent:.2f} | {taken:.2f} |")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both tables."""
    small = smallest(__doc__, arguments)
    child.preload()
    ratios(small)
    lengths(small)


if __name__ == "__main__":
    main()
