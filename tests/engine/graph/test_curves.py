"""The timeline of a rolled run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.graph.shown.curves import Mark, Timeline, found, timeline
from engine.graph.shown.node_states import faces
from engine.graph.shown.nonfinite import troubles
from engine.graph.shown.series import Places
from engine.graph.structure.build import build
from engine.recording import Recording
from engine.recording.columns import columns_of
from engine.recording.events import NOTHING, Accumulated
from engine.recording.index import index_of
from engine.recording.store import store
from tests.engine.graph.test_series import iterations
from tests.recorded import recorded

TRAINING = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor(0.5, requires_grad=True)
for k in range(10):
    loss = ((w * 2).sum() + b * (5 if k == 4 else 1)) ** 2
    if k == 7:
        loss = loss + torch.log(torch.tensor(-1.0))
    w.grad = b.grad = None
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
"""
MEMORY = """import torch
x = torch.empty(4)
x.fill_(2.0)
for k in range(4):
    y = (x * k).sum()
"""
GAN = """import torch
g = torch.tensor(1.0, requires_grad=True)
d = torch.tensor(2.0, requires_grad=True)
for k in range(5):
    d_loss = (d * 2 - g.detach()) ** 2
    d_loss.backward()
    g_loss = (g - 3) ** 2
    g_loss.backward()
"""


def read(program: str) -> tuple[Recording, Timeline]:
    """A program with one loop, and its timeline."""
    recording = recorded(program)
    return recording, timed(recording)


def timed(recording: Recording) -> Timeline:
    """The timeline of a recording with one loop; each line has a card of its own."""
    log = columns_of(recording)
    lines = [recording.sites[site].line if site >= 0 else 0 for site in log.events.site[log.tensors.step].tolist()]
    of = np.full(len(log.row_of), NOTHING)
    of[log.tensors.id] = lines
    cards = max(lines) + 1
    none = np.zeros(0, np.int64)
    main = iterations(recording)
    stays = np.array([line < 4 for line in range(cards)])
    places = Places(of, none, np.zeros(cards, np.int64), stays, [main])
    return timeline(recording, "L", main, places)


@pytest.fixture(scope="module")
def trained() -> tuple[Recording, Timeline]:
    return read(TRAINING)


def marks(found: Timeline, kind: str) -> list[Mark]:
    return [mark for mark in found.marks if mark.kind == kind]


def test_the_loss_is_what_backward_passes_begin_from(trained: tuple[Recording, Timeline]) -> None:
    recording, found = trained
    loss = found.curves[0]
    assert (loss.name, loss.tone) == ("loss", "loss")
    index = index_of(recording)
    roots = [index.tensors[entry.event.roots[0][0]] for entry in index.passes.values()]
    values = [float(array) if (array := recording.array(root.info.array)) is not None else math.nan for root in roots]
    assert [value is None for value in loss.values] == [math.isnan(value) for value in values]
    assert [value for value in loss.values if value is not None] == pytest.approx(
        [v for v in values if not math.isnan(v)], 1e-5
    )


def test_the_gradient_norm_is_that_of_all_parameters(trained: tuple[Recording, Timeline]) -> None:
    recording, found = trained
    norm = next(curve for curve in found.curves if curve.tone == "gradient")
    totals: dict[int, list[float]] = {}
    for event in recording.events:
        if isinstance(event, Accumulated):
            array = recording.array(event.total)
            assert array is not None
            totals.setdefault(event.number, []).extend(np.atleast_1d(array).tolist())
    expected = [float(np.linalg.norm(values)) for values in totals.values()]
    assert [value for value in norm.values if value is not None] == pytest.approx(
        [v for v in expected if not math.isnan(v)], 1e-5
    )
    assert norm.log


def test_marks_lead_to_the_first_nan_and_to_the_last_good_iteration(trained: tuple[Recording, Timeline]) -> None:
    recording, found = trained
    (nan,), (good,) = marks(found, "nan"), marks(found, "last-good")
    assert (nan.iteration, good.iteration) == (7, 6)
    assert getattr(recording.events[nan.step], "op", "") == "log"
    assert nan.title == "first NaN: log(tensor), line 7"
    assert good.step == iterations(recording).ends[6]
    assert not marks(found, "inf")


def test_memory_that_nobody_has_written_yet_is_no_nan() -> None:
    recording = recorded(MEMORY)
    empty = next(event for event in recording.events if getattr(event, "op", "") == "empty").outputs[0].array  # type: ignore[union-attr]
    assert alarms(recording, empty) == ([], {})
    filled = next(event for event in recording.events if getattr(event, "op", "") == "fill").written[0].array  # type: ignore[union-attr]
    assert all(alarms(recording, filled)), "what was written is"


def alarms(recording: Recording, number: int) -> tuple[list[Mark], dict[str, int]]:
    """What the timeline and the cards say where one of the arrays holds NaN."""
    nan = store(np.full(4, np.nan, np.float32))
    other = replace(recording, arrays=[nan if k == number else each for k, each in enumerate(recording.arrays)])
    return marks(timed(other), "nan"), troubles(other, faces(other, build(other)))


def test_marks_lead_to_the_largest_gradient(trained: tuple[Recording, Timeline]) -> None:
    (largest,) = marks(trained[1], "largest")
    assert largest.iteration == 4


def test_marks_lead_to_where_an_iteration_has_another_shape(trained: tuple[Recording, Timeline]) -> None:
    (shape,) = marks(trained[1], "shape")
    assert (shape.iteration, shape.title) == (7, "iteration 7 has another shape: 1 of 10 iterations")


def test_findings_are_marks_in_their_iterations() -> None:
    recording = recorded(TRAINING)
    rows = iterations(recording)
    made = found("L", rows, [(int(rows.starts[3]), "odd"), (-1, "of the whole run"), (0, "before")])
    assert [(mark.kind, mark.iteration, mark.title) for mark in made] == [("finding", 3, "odd"), ("finding", -1, "before")]


def test_each_loss_of_several_has_a_curve() -> None:
    _, found = read(GAN)
    assert [(curve.name, len(curve.values)) for curve in found.curves] == [("d_loss", 5), ("g_loss", 5), ("gradient norm", 5)]
    assert found.curves[1].values == [4.0] * 5


def test_a_loop_without_backward_passes_has_no_curves() -> None:
    _, found = read("import torch\nfor k in range(3):\n    x = torch.ones(2) * k\n")
    assert (found.curves, found.marks) == ([], [])


def test_the_loss_that_is_trained_comes_first_and_goes_by_its_expression_where_it_has_no_name() -> None:
    _, found = read("""
import torch
w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(4):
    total = 0
    for k in range(2):
        inner = (w * (k + 1)).sum()
        g, = torch.autograd.grad(inner, w, create_graph=True)
        total = total + (w - 0.1 * g) ** 2
    opt.zero_grad()
    (total / 2).sum().backward()
    opt.step()
""")
    assert [curve.name for curve in found.curves][:2] == ["sum(total ÷ 2)", "inner"]
