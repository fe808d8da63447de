"""Recordings of facts alone: of no array more than dtype and shape is known, and nothing that is shown takes that for NaN."""

from __future__ import annotations

from types import ModuleType

import pytest

from components.html.arrays import array_table
from components.html.ledger_html import ledger_html
from components.player import cards
from components.player.picture import Wish, drawing
from engine.diagnosis import findings, why
from engine.export import Options, export
from engine.graph import VIEWS, build, gradients
from engine.graph.numbers import THERE, UNMEASURED, describe, norm
from engine.graph.shown.change_index import MISSING, UNKNOWN
from engine.recording import Recording
from engine.recording.store import StoredArray, untold
from tests.levels import taped
from tests.recorded import recorded

TRAINING = """import torch
from torch import nn
torch.manual_seed(0)
encoder = nn.Linear(4, 3)
decoder = nn.Linear(3, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
x = torch.randn(16, 4)
for step in range(5):
    optimizer.zero_grad()
    code = encoder(x).detach()
    loss = ((decoder(code) - x) ** 2).mean()
    loss.backward()
    optimizer.step()
"""
CLEARED = """import torch
w = torch.ones(3, requires_grad=True)
for _ in range(4):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad.data.zero_()
"""


def facts(text: str) -> Recording:
    """The recording of a program without the numbers."""
    return taped(text, "facts")


@pytest.fixture(autouse=True)
def with_torch(torch: ModuleType) -> None:
    """Skips where it is not."""


def named(recording: Recording, name: str) -> int:
    graph = build(recording)
    return next(a["tensor"] for _, a in graph.nodes(data=True) if a["title"] == name)


@pytest.mark.parametrize("rolled", [True, False], ids=["rolled", "unrolled"])
@pytest.mark.parametrize("view", VIEWS)
def test_cards_show_shapes_and_which_gradients_are_there(view: str, rolled: bool) -> None:
    recording = facts(TRAINING)
    made = drawing(recording, Wish(view, rolled=rolled))
    told = [face for history in cards.shown(made, (0, len(recording.events) - 1)).nodes.values() for _, face in history]
    texts = {text for face in told for text in (face.value, face.grad, face.flow) if text}
    assert "[3×4]" in texts
    assert not [text for text in texts if "nan" in text.lower() or UNMEASURED in text]
    assert any(face.grad == THERE for face in told) or view == "autograd"


def test_how_large_a_gradient_is_is_unknown_and_not_infinite() -> None:
    recording = facts(TRAINING)
    found = {norm for pairs in gradients(recording, build(recording)).values() for _, norm in pairs}
    assert found == {MISSING, UNKNOWN}


def test_tables_and_texts_say_so() -> None:
    recording = facts(TRAINING)
    stored = recording.arrays[0]
    assert describe(stored) == "float32 [3×4] not recorded"
    assert norm(stored) is None
    assert "its numbers were not recorded" in array_table(stored)
    shown = ledger_html(recording, len(recording.events) - 1, named(recording, "decoder.weight"))
    assert UNMEASURED in shown
    assert f"+{UNMEASURED}" not in shown


@pytest.mark.parametrize("text", [TRAINING, CLEARED], ids=["training", "cleared by hand"])
def test_nothing_is_found_but_what_is_found_with_the_numbers(text: str) -> None:
    known = {finding.rule for finding in findings(recorded(text))}
    assert {finding.rule for finding in findings(facts(text)) if finding.severity != "hint"} <= known


def test_a_parameter_of_which_nothing_was_measured_is_not_said_to_stand_still() -> None:
    recording = facts(TRAINING)
    assert why(recording, named(recording, "decoder.weight")).code != "rounded"
    assert "not move" not in why(recording, "did decoder.weight not move").title


def test_a_leaf_without_a_gradient_says_none_in_pictures() -> None:
    program = "import torch\nw = torch.ones(2, requires_grad=True)\nb = torch.ones(2, requires_grad=True)\nw.sum().backward()\n"
    shown = export(recorded(program), "svg", Options()).decode()
    assert shown.count(">None<") == 1, "of b alone"
    group = export(recorded(TRAINING), "svg", Options()).decode()
    assert group.count(">None<") == 2, "of the encoder's weight and bias"


def test_a_step_whose_way_is_not_known_says_nothing_of_it() -> None:
    recording = facts(TRAINING)
    shown = cards.shown(drawing(recording, Wish("tensors", rolled=True)), (0, len(recording.events) - 1))
    steps = [face for history in shown.nodes.values() for _, face in history if face.grad_label == "moved"]
    assert steps
    assert {face.grad for face in steps} == {None}


def test_which_arrays_were_not_measured_is_the_same_looked_at_at_once_and_one_by_one() -> None:
    some = [
        StoredArray("float32", (2, 3), None, untold()),
        StoredArray("float32", (2,), b"\0" * 8),
        StoredArray("float32", (4,), None, untold(nan=3, inf=1)),
        StoredArray("float32", (4,), None, untold(nan=3)),
        StoredArray("float32", (0, 3), None, untold()),
    ]
    recording = Recording(arrays=some)
    assert [array.unmeasured for array in some] == [True, False, False, True, False]
    assert recording.stored.unmeasured.tolist() == [0, 3]
    assert recorded(TRAINING).stored.unmeasured.tolist() == []
