"""Whether the sandbox stays as it is over many runs: memory, file descriptors and time, with programs of every ending mixed.

python -m benchmarks.endurance [--runs N]
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from statistics import median

from benchmarks.sizes import options
from engine.sandbox import Layers, Limits, run
from engine.sandbox.processes.forking import Server
from engine.sandbox.runner import server

TRAINING = """
import torch
w = torch.ones(4, requires_grad=True)
for step in range(8):
    loss = (w * torch.randn(4)).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
"""
BARE = Layers(language=False, system=False)
MIX: tuple[tuple[str, str, Layers], ...] = (
    ("print(1)", "ok", Layers()),
    (TRAINING, "ok", Layers()),
    ("1 / 0", "error", Layers()),
    ("().__class__.__bases__", "policy", Layers()),
    ("import torch\ntorch.ones(10 ** 10)", "memory", Layers()),
    ("import os; os._exit(3)", "crashed", BARE),
    ("import os; os.write(3, b'B' + b'\\xff' * 99)", "crashed", BARE),
    ("while True: print('x' * 10_000)", "too_large", Layers()),
)
RUNS, REPORTS = 3_000, 10


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the mix over and over, and print a table of how the two processes are."""
    parser = options(__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    chosen = parser.parse_args(arguments)
    endurance(REPORTS if chosen.smallest else chosen.runs)


def endurance(runs: int) -> None:
    """The table for so many runs."""
    local = server().local
    if not isinstance(local, Server):
        sys.exit("this system has no fork server")
    print("| runs | server, MB | parent, MB | parent's files | median, ms | wrong |")
    print("|---:|---:|---:|---:|---:|---:|")
    wrong = 0
    for part in range(REPORTS + 1):
        seconds = []
        for k in range(runs // REPORTS if part else len(MIX)):  # the first line is after one of each
            program, status, layers = MIX[k % len(MIX)]
            began = time.perf_counter()
            result = run(program, Limits(seconds=20, output_chars=50_000), layers=layers)
            seconds.append(time.perf_counter() - began)
            wrong += result.status != status
        told = (part * (runs // REPORTS), *(f"{_resident(p):.1f}" for p in (local.process.pid, os.getpid())))
        row = (*told, len(os.listdir("/dev/fd")), f"{median(seconds) * 1e3:.1f}", wrong)
        print("|", " | ".join(map(str, row)), "|", flush=True)
        if server().local is not local:
            sys.exit("the server did not survive")


def _resident(pid: int) -> float:
    """Megabytes of a process's memory that are in use."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()
