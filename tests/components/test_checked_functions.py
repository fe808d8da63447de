"""The page checks a program's own Functions by itself; what is wrong with one is a finding then."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.diagnosis import findings
from engine.sandbox import run
from tests.components.visits import visit_file
from tests.engine.diagnosis.test_functions import USE, WRONG


def settled(visit: object) -> object:
    """A visit whose tasks have come to their end."""
    for _ in range(50):
        tasks = visit.page.tasks  # type: ignore[attr-defined]
        if not tasks:
            break
        for task in list(tasks.values()):
            task.ticket.done.wait(10)
        visit.draw()  # type: ignore[attr-defined]
    return visit


def test_a_program_that_was_run_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cube.py").write_text(WRONG + USE)
    visit = visit_file(monkeypatch, tmp_path / "cube.py").draw(panel_tab="Findings")
    settled(visit)
    assert "backward of Cube is wrong" in visit.draw().text("findings")


def test_a_recording_that_was_opened_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = run(WRONG + USE).recording
    assert made is not None
    made.save(tmp_path / "cube.gradtape")
    visit = visit_file(monkeypatch, tmp_path / "cube.gradtape").draw(panel_tab="Findings")
    settled(visit)
    recording = visit.draw().page.recording
    assert recording is not None
    assert recording.checks == {}
    assert findings(recording) == []
