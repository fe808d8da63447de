"""What calls a visitor's eye to findings: the line above everything, and signs beside the program's lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.page import fixing, headline
from components.page.marks import marks
from engine.diagnosis.findings import findings, known_findings
from engine.sandbox import run
from tests.components.visits import Visit, visit_file

TWICE = """\
import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
total = 0
for i in range(3):
    loss = (w * w).sum()
    loss.backward()
    total += loss
    opt.step()
"""
SOUND = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n"
LONG = TWICE.replace("range(3)", "range(300)")


def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> Visit:
    file = tmp_path / "program.py"
    file.write_text(text)
    visit = visit_file(monkeypatch, file)
    while task := visit.page.tasks.get("open") or visit.page.tasks.get("run"):
        assert task.ticket.done.wait(60)
        visit.draw()
    return visit


def test_the_worst_is_named_with_its_line_and_the_others_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = program(monkeypatch, tmp_path, TWICE)
    recording = visit.page.recording
    assert recording is not None
    worst, *rest = findings(recording)
    said = visit.text("headline")
    assert f"{worst.title} line {worst.line}, and {len(rest)} more" in said
    assert {f"headline_{worst.severity}", "headline_rest"} <= {button.key for button in visit.app.button}


def test_it_opens_the_findings_at_the_moment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = program(monkeypatch, tmp_path, TWICE)
    recording = visit.page.recording
    assert recording is not None
    visit.press("headline_error")
    assert visit.page.panel == "Findings"
    assert visit.page.command["step"] == findings(recording)[0].step
    visit.press("headline_rest")
    assert visit.page.panel == "Findings"


def test_where_nothing_is_wrong_it_says_so_in_its_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = program(monkeypatch, tmp_path, SOUND)
    assert "Nothing looks wrong" in visit.text("headline")
    assert "To go on" not in visit.text("headline")
    assert not [button for button in visit.app.button if str(button.key).startswith("headline_")]


def test_a_very_long_run_is_looked_through_on_demand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(headline, "LONG", 1_000)
    monkeypatch.setattr("components.page.beside.LONG", 1_000)
    visit = program(monkeypatch, tmp_path, LONG)
    recording = visit.page.recording
    assert recording is not None
    assert known_findings(recording) is None
    assert "look for what is wrong with this run" in visit.text("headline")
    visit.press("headline_look")
    assert visit.page.panel == "Findings"
    assert "not cleared between updates" in visit.text("headline")


def test_titles_of_a_stranger_are_no_markup() -> None:
    recording = run(
        "import torch\nx = torch.ones(1, requires_grad=True)\nraise ValueError('**a** [b](http://c) <i>')\n"
    ).recording
    assert recording is not None
    worst = findings(recording)[0]
    line = headline.Headline((0, ""), (worst,))
    assert headline.literal(worst.title).count("**") == 0
    assert line.said[0] is worst


def test_lines_have_signs_of_their_findings_and_proven_fixes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = program(monkeypatch, tmp_path, TWICE)
    recording = visit.page.recording
    assert recording is not None
    shown = visit.sent("editor_0")["marks"]
    assert [(mark["line"], mark["title"]) for mark in shown] == [(f.line, f.title) for f in findings(recording) if f.line]
    assert not any(mark["proof"] for mark in shown)
    assert fixing.untried(recording)
    fixing_tried(visit)
    proven = [mark for mark in visit.sent("editor_0")["marks"] if mark["proof"]]
    assert proven
    assert all("the finding is gone" in mark["proof"] for mark in proven)
    assert marks(recording, 1) == []


def fixing_tried(visit: Visit) -> None:
    """Have the fixes tried, and the page drawn with what came of it."""
    visit.draw(panel_tab="Findings")
    while task := visit.page.tasks.get(fixing.PURPOSE):
        assert task.ticket.done.wait(60)
        visit.draw()
    visit.draw()
