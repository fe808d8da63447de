"""The index says what reading the log event by event says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.recording import Recording
from engine.recording.events import FlagSet, OpRan, Write
from engine.recording.index import Index, index_of
from tests.engine.recording.event_by_event import Indexer
from tests.engine.recording.test_columns import PROGRAMS
from tests.engine.recordings import two_passes
from tests.recorded import recorded

OPTIMIZER = """import torch
w = torch.nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)
for _ in range(3):
    (w * w).sum().backward()
    w.detach() * 2
    opt.step()
    opt.zero_grad()
    w.detach() + 1
"""
EXAMPLES = sorted((Path(__file__).parents[3] / "assets" / "examples").glob("*.py"))
FORMER = sorted((Path(__file__).parent / "v1").glob("*.gradtape"))
LOCALS = """import torch
def f(a):
    b = a
    for _ in range(2):
        c = b * 2
        b = c
    del c
    return b
x = torch.ones(2, requires_grad=True)
y = x
z = f(f(x))
x = 1
v = z.view(1, 2)
v.retain_grad()
v.add_(1).sum().backward()
torch.ones(1).requires_grad_().requires_grad_(False)
torch.autograd.grad((y * y).sum(), y, create_graph=True)[0].sum().backward()
raise ValueError
"""


def changing(function: Any) -> Any:
    """The steps and values of a function of the step."""
    return None if function is None else ([*function.steps], [*function.values])


def same(recording: Recording) -> None:
    """Compare all that both say."""
    there, here = Indexer(recording).run(), index_of(recording)
    assert [*there.tensors] == [*here.tensors]
    for id, history in there.tensors.items():
        made = here.tensors[id]
        for name in ("info", "born", "op", "first_name", "retained"):
            assert getattr(made, name) == getattr(history, name)
        for name in ("changes", "names", "ledger"):
            assert changing(getattr(made, name)) == changing(getattr(history, name)), (id, name)
    assert [*there.nodes] == [*here.nodes]
    for id, node in there.nodes.items():
        assert (here.nodes[id].info, here.nodes[id].born, here.nodes[id].event) == (node.info, node.born, node.event)
    assert [*there.passes] == [*here.passes]
    for number, entry in there.passes.items():
        made_pass = here.passes[number]
        for name in ("number", "event", "began", "ended"):
            assert getattr(made_pass, name) == getattr(entry, name)
        for name in ("ran_at", "fills"):
            assert [*getattr(made_pass, name).items()] == [*getattr(entry, name).items()]
        assert changing(made_pass.ran) == changing(entry.ran)
        assert [*made_pass.arrivals] == [*entry.arrivals]
        assert [changing(made_pass.arrivals[n]) for n in entry.arrivals] == [changing(t) for t in entry.arrivals.values()]
    assert changing(here.births) == changing(there.births)
    assert [(step, entry and entry.number) for step, entry in zip(*changing(here.running), strict=True)] == [
        (step, entry and entry.number) for step, entry in zip(*changing(there.running), strict=True)
    ]
    assert {key: changing(track) for key, track in here.names.items()} == {k: changing(t) for k, t in there.names.items()}
    assert [*here.owners.items()] == [*there.owners.items()]
    assert all(here.owners.get(key) == tensor for key, tensor in there.owners.items())
    assert set(np.flatnonzero(here.stepping).tolist()) == there.stepping
    # What is asked for at a step, of an index that has made nothing yet.
    fresh = Index(recording)
    for step in range(-1, len(recording.events)):
        for id, history in there.tensors.items():
            made = fresh.tensors[id]
            assert (made.status(step), made.grad(step), made.name(step)) == (
                history.status(step), history.grad(step), history.name(step),
            )  # fmt: skip
        assert fresh.births.at(step, []) == there.births.at(step, [])


@pytest.mark.parametrize("program", [*PROGRAMS.values(), LOCALS, OPTIMIZER], ids=[*PROGRAMS, "locals", "optimizer"])
def test_programs(program: str) -> None:
    same(recorded(program))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    same(recorded(path.read_text()))


@pytest.mark.parametrize("path", FORMER, ids=lambda path: path.stem)
def test_files(path: Path) -> None:
    same(Recording.load(path))


def test_flags_between_writes() -> None:
    tape = two_passes()
    recording = tape.recording()
    made = next(event.outputs[0] for event in recording.events if isinstance(event, OpRan) and event.node is not None)
    tape.events.append(OpRan(op="add_", written=(Write(made.id, 1, 0, True, False, made.node),)))
    for tensor in (made.id, 0):
        tape.events.append(FlagSet(tensor=tensor, flag="requires_grad", value=False))
        tape.events.append(FlagSet(tensor=tensor, flag="retain_grad", value=True))
        tape.events.append(FlagSet(tensor=tensor, flag="requires_grad", value=True))
    tape.events.append(OpRan(op="add_", written=(Write(made.id, 2, 0), Write(made.id, 3, 0))))
    same(tape.recording())


def test_an_empty_log() -> None:
    same(Recording())


def test_what_is_written_through_data_is_the_tensors_at_once() -> None:
    recording = recorded(
        "import torch\nw = torch.ones(2, requires_grad=True)\nv = w[:1]\nfor k in range(12):\n    w.data.fill_(k)\n"
        "    w.data.data.add_(1)\nd = w.data\nd.mul_(2)\n"
    )
    index = index_of(recording)
    w, v = (event.outputs[0].id for event in recording.events if isinstance(event, OpRan) and event.op in ("ones", "slice"))
    writes = [
        (step, event.written) for step, event in enumerate(recording.events) if isinstance(event, OpRan) and event.written
    ]
    expected = [float(k + more) for k in range(12) for more in (0, 1)] + [24.0]
    assert len(writes) == len(expected)
    for (step, written), value in zip(writes, expected, strict=True):
        assert {w, v} < {each.tensor for each in written}
        assert [each.version for each in written if each.tensor in (w, v)] == [0, 0], "what is written so is not counted"
        for tensor, size in ((w, 2), (v, 1)):
            assert np.asarray(recording.array(index.tensors[tensor].status(step).array)).tolist() == [value] * size
