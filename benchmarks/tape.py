"""A training run's tape, from a thousand events to a million: its file, opening it, what it costs to ask it something, its
memory.

The run is a small network on batches, recorded once; its last whole iteration is repeated as often as needed, with ids,
iterations and numbers of its own each time, which is what a longer run records. `one event` is the cost of columns and index
together.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.sizes import smallest
from engine.recording import Recording, replay
from engine.recording.arrays import Arrays, arrays_from
from engine.recording.columns import columns_of
from engine.recording.events import BackwardBegan
from engine.recording.format2 import array_references
from engine.recording.index import index_of
from engine.recording.log import Events, scopes_of, sites_of
from engine.recording.tables import Table, Tape, together
from engine.sandbox import run

PROGRAM = """import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
x = torch.randn(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(6):
    opt.zero_grad()
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()
    opt.step()
"""
SIZES = (1_000, 10_000, 100_000, 1_000_000)
MB = 2**20
Own = dict[str, tuple[Any, int]]
"""What an iteration has of its own: ids of tensors and nodes, ids of arrays, numbers of passes; and from where there are
others."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each size."""
    small = smallest(__doc__, arguments)
    print("\nA tape: per row one run (medians of three; memory is that of a process that opens it)\n")
    print(
        "| events | file | write | open (a stranger's) | open (one's own) | columns | index | one event | replay p95 | memory |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    base = run(PROGRAM).recording
    assert base is not None
    for size in SIZES[:1] if small else SIZES:
        print(row(repeated(base, size), 1 if small else 3))


def row(recording: Recording, rounds: int) -> str:
    """One size's figures."""
    with tempfile.TemporaryDirectory() as folder:
        path, own = Path(folder) / "run.gradtape", Path(folder) / "own"
        write = timed(lambda: recording.save(path), rounds)
        recording.save(own, mapped=True)
        load = timed(lambda: Recording.load(path), rounds)
        mapped = timed(lambda: Recording.open_own(own), rounds)

        def columns() -> None:
            recording.forget()
            made = columns_of(recording)
            for name, table in vars(type(made)).items():
                if not name.startswith("_") and hasattr(table, "func"):
                    getattr(made, name)

        def index() -> None:
            recording.derived.pop("index", None)
            made = index_of(recording)
            for part in (
                made.births,
                made.owners,
                made.passes,
                made.stepping,
                made.names,
                made.runs,
                made._holding,
                made._grads,
            ):
                assert part is not None

        of_columns, of_index = timed(columns, rounds), timed(index, rounds)
        n = len(recording.events)
        command = [sys.executable, "-c", OPENED, str(own)]
        memory = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        size = path.stat().st_size
    return (
        f"| {n:,} | {size / MB:.2f} MB ({size / n:.0f} B an event) | {write:.3f} s | {load:.3f} s | {mapped * 1e3:.1f} ms "
        f"| {of_columns:.3f} s | {of_index:.3f} s | {(of_columns + of_index) / n * 1e6:.2f} µs | {replays(recording):.2f} ms "
        f"| {memory / MB:.0f} MB |"
    )


OPENED = """
import sys
from engine.recording import Recording, replay
from engine.recording.index import index_of
recording = Recording.open_own(sys.argv[1])
for step in range(0, len(recording.events), max(len(recording.events) // 200, 1)):
    state = replay(recording, step)
    state.names, state.backward
index_of(recording).owners
(peak,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]  # getrusage counts what forked it, too
print(int(peak.split()[1]) * 1024)
"""


def replays(recording: Recording) -> float:
    """Milliseconds of processor time, at the 95th percentile, of going to any step and asking for a tensor, the names and what
    flows there."""
    draw = random.Random(0)
    n = len(recording.events)
    ids = columns_of(recording).tensors
    times = []
    for _ in range(500):
        step = draw.randrange(n)
        near = int(ids.id[max(int(ids.step.searchsorted(step, "right")) - 1, 0)])
        began = time.thread_time()
        state = replay(recording, step)
        for tensor in {near, 0}:
            if tensor in state:
                state.tensor(tensor)
        if state.backward is not None:
            _ = state.backward.flowing
            state.backward.received(state.backward.node)
        _ = state.names
        times.append(time.thread_time() - began)
    return statistics.quantiles(times, n=20)[-1] * 1e3


def timed(work: Callable[[], object], rounds: int) -> float:
    """Median seconds."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


# --- a long run from a short one ----------------------------------------------------------------------------------------------


def repeated(recording: Recording, size: int) -> Recording:
    """A recording of about so many events: its last but one pass with all around it, again and again."""
    tape, arrays = recording.tape, recording.stored
    begins = tape.steps(BackwardBegan)
    first, last = int(begins[-3]), int(begins[-2])
    times = max((size - last) // (last - first), 0)
    body, columns = tape.part(first, last), columns_of(recording)
    born = np.concatenate([columns.tensors.step, columns.nodes.step])
    ids = np.concatenate([columns.tensors.id, columns.nodes.id])
    named = [(steps, held) for steps, held in array_references(tape)]
    before, inside = (
        np.unique(np.concatenate([held[(steps >= low) & (steps < high)] for steps, held in named]))
        for low, high in ((0, first), (first, last))
    )
    own = {
        "ids": (np.unique(ids[(born >= first) & (born < last)]), int(ids.max()) + 1),
        "arrays": (np.setdiff1d(inside, np.append(before, -1)), len(arrays)),
        "numbers": (np.array([begins.searchsorted(first) + 1]), len(begins) + 1),
    }
    parts = [tape.part(0, last)] + [_shifted(body, own, k) for k in range(times)]
    tables = {kind: together([part.tables[kind] for part in parts]) for kind in tape.tables}
    kind, site, scope = (np.concatenate([getattr(part, name) for part in parts]) for name in ("kind", "site", "scope"))
    whole = Tape(kind, site, scope, tables, tape.sites, tape.scopes, tape.texts)
    more = _more(arrays, own["arrays"][0], times)
    made = Recording(recording.source, Events(whole), sites_of(whole), scopes_of(whole), more, recording.ops)
    made.check()
    return made


def _shifted(tape: Tape, own: Own, times: int) -> Tape:
    tables = {kind: _moved(table, "", own, times) for kind, table in tape.tables.items()}
    return Tape(tape.kind, tape.site, tape.scope, tables, tape.sites, tape.scopes, tape.texts)


def _moved(table: Table, path: str, own: Own, times: int) -> Table:
    columns: dict[str, Any] = {}
    for name, column in table.columns.items():
        kind = None if name in table.children else _names(name, f"{path}{name}")
        if kind is None:
            columns[name] = column
        else:
            held, free = own[kind]
            wide = column.astype(np.int64)
            place = np.minimum(np.searchsorted(held, wide), len(held) - 1)
            columns[name] = np.where(held[place] == wide, free + times * len(held) + place, wide)
    children = {name: _moved(child, f"{path}{name}.", own, times) for name, child in table.children.items()}
    return Table(table.layout, table.size, columns, children)


def _names(name: str, path: str) -> str | None:
    """What a column names, by the column's own name and its path within its kind of event."""
    if name in ("number", "in_backward"):
        return "numbers"
    if name in ("array", "increment", "total", "before", "after", "raw") or path in ("received.", "roots.1"):
        return "arrays"
    if name in ("id", "tensor", "variable", "view_of", "grad_of", "node") or path.endswith(("edges.0", "root_nodes.0")):
        return "ids"
    return "ids" if path in ("roots.0", "parameters.", "idle.", "inputs.") else None


def _more(arrays: Arrays, own: Any, times: int) -> Arrays:
    """The arrays of one iteration again and again, each time with other numbers."""
    stored = [arrays[id] for id in own.tolist()]
    body = arrays_from(stored)
    held = np.frombuffer(body.data, np.float32)
    noise = np.random.default_rng(0)
    tables, pieces = [arrays.table], [bytes(arrays.data)]
    end = len(arrays.data)
    for _ in range(times):
        tables.append(
            Table(body.table.layout, len(body), dict(body.table.columns, start=body.start + end), body.table.children)
        )
        pieces.append((held * noise.normal(1, 0.1, len(held))).astype(np.float32).tobytes())
        end += len(pieces[-1])
    for table in tables[1:]:
        table.columns["dtype"] = np.array([arrays.texts.index(array.dtype) for array in stored], np.int8)
    return Arrays(together(tables), arrays.texts, [b"".join(pieces)])


if __name__ == "__main__":
    main()
