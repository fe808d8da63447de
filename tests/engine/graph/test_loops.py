"""Loops: which iterations there were and when, and whether they are time or depth."""

from __future__ import annotations

import numpy as np
import pytest

from engine.graph.structure.loops import Loop, nests_of
from engine.program import Program
from engine.recording import NOTHING, Recording
from engine.recording.events import Scope
from engine.sandbox import run
from tests.engine.graph import training_programs as programs
from tests.recorded import recorded


def loops(program: str) -> dict[str, Loop]:
    """The loops of a program by their headers."""
    return {loop.title: loop for loop in nests_of(recorded(program)).loops}


def kinds(program: str) -> dict[str, str]:
    return {title: loop.kind for title, loop in loops(program).items()}


def test_epochs_batches_and_time_steps_are_time() -> None:
    found = loops(programs.NESTED)
    assert {title: (loop.kind, loop.total) for title, loop in found.items() if loop.parent} == {
        "for i in range(0, 16, 4)": ("time", 16),
        "for t in range(x.size(1))": ("time", 20),  # in training and in evaluation it is reached through different calls
    }
    assert found["for epoch in range(4)"].reason == "its 4 iterations use the same 5 parameters"
    assert found["for i in range(0, 16, 4)"].parent == found["for epoch in range(4)"].id


def test_a_loop_over_weights_is_depth_without_modules() -> None:
    loop = loops(programs.CHAIN_OF_WEIGHTS)["for W in Ws"]
    assert (loop.kind, loop.reason) == ("depth", "each of its iterations uses parameters of its own")


def test_blocks_of_a_transformer_are_depth_and_the_steps_around_them_time() -> None:
    found = kinds(programs.GPT)
    assert found["for block in self.transformer.h"] == "depth"
    assert found["for it in range(3)"] == "time"
    assert found["for _ in range(n)"] == "time"


def test_an_ensemble_is_depth() -> None:
    assert kinds(programs.ENSEMBLE) == {"for step in range(10)": "time", "for m in models": "depth"}


def test_an_inner_loop_that_makes_its_parameters_anew_is_time() -> None:
    assert set(kinds(programs.MAML).values()) == {"time"}


def test_steps_of_a_solver_whose_variable_is_a_new_leaf_each_time_are_time() -> None:
    program = """
import torch
x = torch.tensor([3.0], requires_grad=True)
for k in range(6):
    grad, = torch.autograd.grad((x ** 2).sum(), x)
    x = (x - 0.1 * grad).detach().requires_grad_()
"""
    assert kinds(program) == {"for k in range(6)": "time"}


def test_a_loop_that_makes_the_layers_is_depth() -> None:
    program = """
import torch
ws = []
for i in range(4):
    ws.append(torch.ones(2, requires_grad=True))
for step in range(3):
    sum((w * w).sum() for w in ws).backward()
"""
    assert kinds(program) == {"for i in range(4)": "depth", "for step in range(3)": "time"}


def test_mixed_loops_go_by_what_most_iterations_do() -> None:
    program = """
import torch
shared = torch.ones(2, requires_grad=True)
a, b, c = (torch.ones(2, requires_grad=True) for _ in range(3))
h = torch.ones(2)
for w in [{which}]:
    h = h * w
h.sum().backward()
"""
    assert kinds(program.format(which="a, b, c, shared, shared"))["for w in [a, b, c, shared, shared]"] == "depth"
    assert kinds(program.format(which="a, shared, shared, shared"))["for w in [a, shared, shared, shared]"] == "time"


def test_what_the_header_does_is_in_the_iteration_that_it_begins() -> None:
    recording = recorded(programs.SCRIPT)
    nests = nests_of(recording)
    batches = next(loop for loop in nests.loops if loop.title == "for bx, by in loader")
    assert batches.total == 40
    first = [recording.events[start] for start in batches.starts]
    assert {event.op for event in first} == {"select"}  # type: ignore[union-attr]
    assert (batches.starts[1:] > batches.ends[:-1]).all()


def test_each_iteration_knows_the_one_around_it() -> None:
    nests = nests_of(recorded(programs.NESTED))
    batches = next(loop for loop in nests.loops if loop.title == "for i in range(0, 16, 4)")
    assert batches.outer.tolist() == [k for k in range(4) for _ in range(4)]
    assert batches.number.tolist() == [0, 1, 2, 3] * 4


def test_events_know_their_iteration_of_the_innermost_time_loop() -> None:
    nests = nests_of(recorded(programs.NESTED))
    for i, loop in enumerate(nests.loops):
        inside = np.flatnonzero(nests.loop == i)
        rows = nests.iteration[inside]
        assert (loop.starts[rows] <= inside).all()
        assert (inside <= loop.ends[rows]).all()
    assert (nests.iteration[nests.loop == NOTHING] == NOTHING).all()


def test_turning_a_loop_makes_it_the_other_kind() -> None:
    recording = recorded(programs.ENSEMBLE)
    outer, inner = nests_of(recording).loops
    assert inner.id == f"{outer.id}/L{inner.line}"
    assert [loop.kind for loop in nests_of(recording, {inner.id}).loops] == ["time", "time"]
    assert [loop.kind for loop in nests_of(recording).loops] == ["time", "depth"]


def test_loops_on_the_same_line_of_different_cells_are_different() -> None:
    cells = ("import torch\nw = torch.ones(2, requires_grad=True)", *["for i in range(3):\n    (w * i).sum().backward()"] * 2)
    recording = run(Program(cells, "notebook", True)).recording
    assert recording is not None
    assert [(loop.id, loop.cell, loop.total) for loop in nests_of(recording).loops] == [("C1L1", 1, 3), ("C2L1", 2, 3)]


def test_the_same_loop_reached_through_different_calls_is_two_and_in_recursion_one() -> None:
    program = """
import torch
w = torch.ones(2, requires_grad=True)
def run(x, depth=0):
    for i in range(2):
        x = x * w
        if depth < 2:
            x = run(x, depth + 1)
    return x
run(torch.ones(2))
run(torch.ones(2))
"""
    assert [loop.title for loop in nests_of(recorded(program)).loops] == ["for i in range(2)"] * 2


@pytest.mark.parametrize("program", [programs.NESTED, programs.SCRIPT], ids=["nested", "script"])
def test_recordings_that_know_no_calls_have_loops_all_the_same(program: str) -> None:
    recording = recorded(program)
    before = Recording(
        source=recording.source,
        events=recording.events,
        sites=recording.sites,
        scopes=[Scope(s.function, s.call, s.loops, s.module) for s in recording.scopes],
        arrays=recording.arrays,
        ops=recording.ops,
    )
    assert {loop.title for loop in nests_of(before).loops} == {loop.title for loop in nests_of(recording).loops}


def test_a_loop_that_ends_before_anything_happens_in_it_is_one() -> None:
    program = (
        "import torch\nmodel = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))\n"
        "def touch():\n    for m in model.modules():\n        if isinstance(m, torch.nn.Linear):\n"
        "            m.weight.grad.add_(1.0)\n"
        "for i in range(2):\n    loss = model(torch.ones(3, 2)).sum()\n    touch()\n    loss.backward()\n"
    )
    assert kinds(program)["for m in model.modules()"] == "time"
