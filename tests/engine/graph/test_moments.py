"""Moments in words: which iteration a step is in, as the page counts them."""

from __future__ import annotations

from engine.graph.structure.moments import iteration_of, iteration_text, iterations_text, main_of
from engine.recording import NOTHING, Recording
from engine.recording.events import OpRan
from tests.recorded import recorded

STEPS = """\
import torch
w = torch.tensor([1.0], requires_grad=True)
before = w * 3
for i in range(5):
    loss = (w * 2).sum()
    loss.backward()
after = w * 4
"""

EPOCHS = """\
import torch
w = torch.tensor([1.0], requires_grad=True)
for epoch in range(2):
    for x in [1.0, 2.0, 3.0]:
        h = w
        for t in range(2):
            h = torch.tanh(h * w)
        (h * x).sum().backward()
    total = w.sum()
"""

BY_HAND = """\
import torch
w = torch.tensor([1.0], requires_grad=True)
for epoch in range(1, 3):
    for i in range(4):
        (w * 2).sum().backward()
"""


def steps(recording: Recording, op: str) -> list[int]:
    return [step for step, event in enumerate(recording.events) if isinstance(event, OpRan) and event.op == op]


def test_a_step_of_a_loop_says_its_iteration_and_how_many_there_are() -> None:
    tape = recorded(STEPS)
    sums = steps(tape, "sum")
    assert [iteration_text(tape, step) for step in sums] == [f"iteration {k} of 5" for k in range(5)]
    assert iteration_text(tape, sums[3], of=False) == "iteration 3"
    assert [iteration_of(tape, step) for step in sums] == [0, 1, 2, 3, 4]


def test_what_is_outside_of_loops_says_nothing() -> None:
    tape = recorded(STEPS)
    products = steps(tape, "mul")
    assert iteration_text(tape, products[0]) == iteration_text(tape, products[-1]) == iteration_text(tape, -1) == ""
    assert iteration_of(tape, products[-1]) == NOTHING
    assert iterations_text(tape, [products[0], products[1]]) == ""
    alone = recorded("import torch\nx = torch.ones(2) * 2\n")
    assert main_of(alone) is None
    assert iteration_text(alone, 0) == iterations_text(alone, [0]) == ""


def test_nested_loops_are_named_by_their_counters() -> None:
    tape = recorded(EPOCHS)
    tanh = steps(tape, "tanh")
    assert iteration_text(tape, tanh[0]) == "epoch 0, iteration 0 of 6, t = 0"
    assert iteration_text(tape, tanh[-1]) == "epoch 1, iteration 5 of 6, t = 1"
    assert iteration_text(tape, tanh[-1], of=False) == "iteration 5"
    assert iteration_text(tape, steps(tape, "sum")[-1]) == "epoch 1 of 2"


def test_a_counter_that_does_not_count_from_0_does_not_name_iterations() -> None:
    tape = recorded(BY_HAND)
    assert iteration_text(tape, steps(tape, "sum")[-1]) == "iteration 1 of 2 at line 3, iteration 7 of 8"


def test_several_iterations_are_a_range_a_list_or_a_count() -> None:
    tape = recorded(STEPS.replace("range(5)", "range(9)"))
    sums = steps(tape, "sum")
    assert iterations_text(tape, sums[3:7]) == "iterations 3–6"
    assert iterations_text(tape, [sums[k] for k in (7, 1, 4, 4)]) == "iterations 1, 4 and 7"
    assert iterations_text(tape, sums[::2]) == "every 2nd iteration from 0 to 8"
    assert iterations_text(tape, [sums[k] for k in (0, 1, 3, 4, 8)]) == "5 iterations from 0 to 8"
    assert iterations_text(tape, [sums[2], sums[2]]) == "iteration 2"
