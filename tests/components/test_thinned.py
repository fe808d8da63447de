"""A run that there was no room for: what the page says of it, and how one of its iterations is had whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.recording.levels import iterations_of
from engine.sandbox import Limits
from tests.components.visits import Visit, visit_file

PROGRAM = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.randn(2)
for step in range(400):
    loss = ((w - x) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None
"""


@pytest.fixture
def visit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Visit:
    from components.page import limits, thinned

    for module in (limits, thinned):
        monkeypatch.setattr(module, "limits_now", lambda: Limits(seconds=60, events=2_000))
    from components.page import runs

    monkeypatch.setattr(runs, "limits_now", lambda: Limits(seconds=60, events=2_000))
    (tmp_path / "prog.py").write_text(PROGRAM)
    return visit_file(monkeypatch, tmp_path / "prog.py")


def thin_step(visit: Visit) -> int:
    recording = visit.page.recording
    assert recording is not None
    return next(step for step in range(len(recording.events)) if recording.level(step) == "thin") + 3


def test_the_status_line_counts_the_iterations_that_are_whole(visit: Visit) -> None:
    assert " of 400 iterations whole" in visit.text("status")


def test_an_iteration_that_was_recorded_thinly_can_be_had_whole_and_left_again(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = visit.page.recording
    assert before is not None
    at = thin_step(visit)
    iteration = iterations_of(before).at(at)
    from components.page import graph
    from components.player import GraphState

    def show_player(*_: object, **__: object) -> GraphState:
        shown = visit.page.recording
        assert shown is not None
        return GraphState(min(at, len(shown.events) - 1), None)

    monkeypatch.setattr(graph, "show_player", show_player)
    visit.page.step = at
    visit.draw()
    assert f"Iteration {iteration:,} was recorded thinly (scalars, gradients' sizes)." in visit.text("thinned")
    visit.press("thinned_record")
    made = visit.page.recording
    assert made is not None
    assert made is not before
    kept = visit.page.keep
    assert kept is not None
    assert iterations_of(made).at(kept["step"]) == iteration
    assert made.whole(kept["step"])
    assert "It gave the same numbers." in visit.text("thinned")
    visit.press("thinned_back")
    assert visit.page.recording is before
    assert visit.page.keep is not None
    assert (visit.page.keep["run"], visit.page.keep["step"]) == (visit.page.run_id, at)
