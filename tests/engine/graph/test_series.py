"""What cards show over all iterations is what they show in each of them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from engine.graph.shown.change_index import gradients
from engine.graph.shown.group_states import group_history
from engine.graph.shown.node_states import faces
from engine.graph.shown.nonfinite import meant, not_finite, troubles
from engine.graph.shown.series import INF, NAN, Iterations, Places, Series, first_troubles, points, series, updates
from engine.graph.structure.build import build
from engine.recording import Recording
from engine.recording.columns import columns_of
from engine.recording.events import NOTHING, Accumulated, NodeRan
from engine.recording.index import index_of
from tests.recorded import recorded

LOOP = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for k in range(6):
    h = w * (k + 1)
    loss = h.sum() if k != 3 else h.sum() + torch.log(torch.tensor(-1.0))
    w.grad = None
    loss.backward()
    with torch.no_grad():
        if k != 4:
            w -= 0.1 * w.grad
"""
MASKS = """import math
import torch
q = torch.randn(4, 4, requires_grad=True)
mask = torch.triu(torch.full((4, 4), float("-inf")), diagonal=1)
added = q @ q.t() + mask
p = torch.softmax(added, -1)
filled = (q @ q.t()).masked_fill(torch.ones(4, 4).tril() == 0, float("-inf")) / math.sqrt(4)
(p.sum() + torch.softmax(filled, -1).sum()).backward()
best = torch.tensor(math.inf)
over = torch.exp(q * 1e5)
zero = torch.log(torch.zeros(3))
data = torch.tensor([[1.0, math.inf, 2.0, 3.0]])
y = data @ q
empty = torch.full((2, 2), float("-inf"))
n = torch.softmax(empty, -1)
"""


def iterations(recording: Recording) -> Iterations:
    """The only loop of a program, as its scopes have it."""
    steps: dict[int, list[int]] = {}
    for step, event in enumerate(recording.events):
        for _, k in recording.scopes[event.scope].loops if event.scope >= 0 else ():
            steps.setdefault(k, []).append(step)
    return Iterations(np.array([s[0] for s in steps.values()]), np.array([s[-1] for s in steps.values()]))


def tensors_called(recording: Recording, name: str) -> list[int]:
    return [id for id, history in index_of(recording).tensors.items() if history.first_name == name]


def of_tensors(recording: Recording, *names: str, stays: tuple[str, ...] = ("w",)) -> list[Series]:
    """The series of cards that stand for all tensors of a name each."""
    of = np.full(len(columns_of(recording).row_of), NOTHING)
    for card, name in enumerate(names):
        of[tensors_called(recording, name)] = card
    none = np.zeros(0, np.int64)
    places = Places(of, none, np.zeros(len(names), np.int64), np.array([n in stays for n in names]), [iterations(recording)])
    return series(recording, places)


@pytest.fixture(scope="module")
def loop() -> Recording:
    return recorded(LOOP)


def test_a_result_shows_the_value_of_each_iteration(loop: Recording) -> None:
    (h,) = of_tensors(loop, "h")
    index, made = index_of(loop), tensors_called(loop, "h")
    arrays = [loop.array(index.tensors[id].info.array) for id in made]
    np.testing.assert_allclose(h.value, [a.mean() for a in arrays if a is not None], rtol=1e-6)
    np.testing.assert_allclose(h.spread, [a.std() for a in arrays if a is not None], rtol=1e-6)


def test_a_result_shows_the_gradient_that_arrived(loop: Recording) -> None:
    (h,) = of_tensors(loop, "h")
    owners = index_of(loop).owners
    made = set(tensors_called(loop, "h"))
    received = [e.received[0] for e in loop.events if isinstance(e, NodeRan) and owners.get((e.node, 0)) in made]
    assert h.grads.tolist() == received
    np.testing.assert_allclose(h.grad, [math.sqrt(2)] * 6, rtol=1e-6)


def test_a_parameter_shows_what_the_passes_left_in_its_grad_and_its_value_at_the_end(loop: Recording) -> None:
    (w,) = of_tensors(loop, "w")
    assert w.grads.tolist() == [e.total for e in loop.events if isinstance(e, Accumulated)]
    ends = iterations(loop).ends.tolist()
    history = index_of(loop).tensors[tensors_called(loop, "w")[0]]
    assert w.arrays.tolist() == [history.status(end).array for end in ends]
    assert w.arrays[4] == w.arrays[3]


def test_how_far_each_iteration_moves_a_parameter(loop: Recording) -> None:
    (w,) = of_tensors(loop, "w")
    history = index_of(loop).tensors[tensors_called(loop, "w")[0]]
    found = updates(loop, w, history.info.array)
    values = [loop.array(id) for id in [history.info.array, *w.arrays.tolist()]]
    expected: list[Any] = [
        np.linalg.norm(b - a) / np.linalg.norm(a) for a, b in pairwise(values) if a is not None and b is not None
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert found[4] == 0


def test_nan_is_a_gap_and_is_flagged(loop: Recording) -> None:
    (loss,) = of_tensors(loop, "loss")
    assert np.isnan(loss.value).tolist() == [False, False, False, True, False, False]
    assert loss.bad.tolist() == [0, 0, 0, NAN, 0, 0]
    assert loss.troubles() == [(3, "nan")]


def test_an_iteration_that_does_not_make_a_tensor_is_a_gap() -> None:
    program = "import torch\nfor k in range(4):\n    a = torch.ones(2)\n    if k == 2:\n        b = a * k\n"
    (b,) = of_tensors(recorded(program), "b")
    assert np.isnan(b.value).tolist() == [True, True, False, True]
    assert b.arrays[0] == NOTHING


def test_infinities_are_told_apart_from_nan() -> None:
    program = "import torch\nx = torch.tensor(1.0)\nfor k in range(3):\n    y = torch.exp(x * 1e5) if k else x * 2\n"
    (y,) = of_tensors(recorded(program), "y")
    assert y.bad.tolist() == [0, INF, INF]


def test_a_mask_that_a_softmax_takes_is_no_alarm() -> None:
    recording = recorded(MASKS)
    index, bad, good = index_of(recording), not_finite(recording), meant(recording)
    held = {h.first_name: h.info.array in good for h in index.tensors.values() if h.first_name and h.info.array in bad}
    assert held == {
        "mask": True, "added": True, "filled": True, "best": True,
        "over": False, "zero": False, "data": False, "y": False, "empty": False, "n": False,
    }  # fmt: skip


def test_the_badge_of_a_card_says_nothing_of_a_mask() -> None:
    recording = recorded(MASKS)
    graph = build(recording)
    alarmed = {graph.nodes[key]["title"] for key in troubles(recording, faces(recording, graph))}
    assert {"over", "zero", "n"} <= alarmed
    assert alarmed.isdisjoint({"mask", "added", "filled", "best"})


INFINITE_THEN_NAN = """import torch
x = torch.tensor([1.0, 0.0], requires_grad=True)
y = 1 / x
z = y.sum()
(z - z).backward()
"""


def test_a_card_that_holds_infinities_is_not_said_to_hold_nan() -> None:
    recording = recorded(INFINITE_THEN_NAN)
    graph = build(recording)
    seen = faces(recording, graph)
    since, nans = (
        {graph.nodes[key]["title"]: step for key, step in found.items()}
        for found in (troubles(recording, seen), troubles(recording, seen, nan=True))
    )
    assert set(since) - set(nans) == {"y", "z", "reciprocal"}
    assert set(nans) == {"−", "x"}
    numbers = {key: place for place, key in enumerate(graph)}
    of = np.array([numbers.get(f"t{id}", NOTHING) for id in range(int(columns_of(recording).tensors.id.max()) + 1)])
    whole = Iterations(np.array([0]), np.array([len(recording.events) - 1]))
    stays = np.zeros(len(numbers), bool)
    places = Places(of, np.zeros(0, np.int64), np.zeros(len(numbers), np.int64), stays, [whole])
    for nan in (False, True):
        found = first_troubles(recording, places, len(numbers), nan).tolist()
        assert {key for key, step in zip(graph, found, strict=True) if step >= 0} == set(troubles(recording, seen, nan))


@pytest.mark.parametrize(("last", "said"), [("y.sum().backward()", "Inf"), ("(y.sum() * 0).backward()", "NaN")])
def test_a_closed_group_says_what_its_gradients_are(last: str, said: str) -> None:
    recording = recorded(f"import torch\nx = torch.tensor([1.0, 0.0], requires_grad=True)\ny = 1 / x\n{last}")
    graph = build(recording)
    history = group_history(graph, list(graph), faces(recording, graph), gradients(recording, graph))
    assert history[-1][1].grad == said


def test_a_short_line_is_sent_as_it_is() -> None:
    assert points(np.array([1.0, math.nan, 2.000049])) == [1.0, None, 2.0]
    assert points(np.full(3, math.nan)) is None


def test_a_long_line_keeps_its_extremes_in_their_order() -> None:
    values = np.sin(np.arange(10_000) / 50)
    values[4321], values[7000], values[7001] = 50.0, -60.0, 40.0
    line = points(values)
    assert line is not None
    assert len(line) == 100
    numbers = [value for value in line if value is not None]
    assert max(numbers) == 50.0
    assert numbers.index(-60.0) + 1 == numbers.index(40.0)


def test_a_gap_of_a_long_line_stays_a_gap() -> None:
    values = np.arange(1000.0)
    values[200:420] = math.nan
    line = points(values)
    assert line is not None
    assert [at for at, value in enumerate(line) if value is None] == list(range(20, 42))


def test_long_stretches_of_trouble_are_told_by_their_ends() -> None:
    bad = np.zeros(10_000, np.uint8)
    bad[137:9_000] = NAN
    nothing = np.zeros(0)
    one = Series(nothing, nothing, nothing, nothing, bad, np.zeros(0, np.int64), np.zeros(0, np.int64))
    told = [row for row, _ in one.troubles()]
    assert (told[0], told[-1]) == (137, 8_999)
    assert len(told) <= 102
    assert max(np.diff(told)) <= 100


def test_of_several_passes_in_an_iteration_the_last_total_counts() -> None:
    program = "import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\n"
    program += "for k in range(4):\n    w.grad = None\n    (w * 2).sum().backward()\n    (w * 3).sum().backward()\n"
    recording = recorded(program)
    (w,) = of_tensors(recording, "w")
    totals = [event.total for event in recording.events if isinstance(event, Accumulated)]
    assert w.grads.tolist() == totals[1::2]
    np.testing.assert_allclose(w.grad, [math.sqrt(50)] * 4)
