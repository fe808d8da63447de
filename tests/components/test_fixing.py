"""Fixes in the page: tried by themselves where programs are the visitor's own, on demand for strangers; put into the text."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from components.html.diagnosis_html import edit_html
from components.page import edits, fixing
from engine.diagnosis.findings import findings
from engine.diagnosis.fixes import to_try
from engine.diagnosis.reason import Edit, Proof
from engine.limits import FIXES
from engine.program.changes import TextChange
from engine.sandbox import run
from engine.sandbox.settings import Settings
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
FORGOTTEN = "".join(f"forgotten_{k} = w * {k}\n" for k in range(2, 7))
FIVE = f"import torch\nw = torch.ones(2, requires_grad=True)\n{FORGOTTEN}loss = (w * w).sum()\nloss.backward()\n"


def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> Visit:
    file = tmp_path / "program.py"
    file.write_text(text)
    return visit_file(monkeypatch, file)


STEEPER = """\
import torch
w = torch.tensor([4.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for i in range(4):
    loss = (w * w).sum()
    loss.backward()
    opt.step()
    if i == 3: break
"""
"""Gradients that add up make the steps larger, and four of them get further down like that."""


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixing, "settings", lambda: Settings(hosted=True))


def finished(visit: Visit) -> Visit:
    """The page when what was tried has been taken in."""
    while task := visit.page.tasks.get(fixing.PURPOSE):
        assert task.ticket.done.wait(60)
        visit.draw()
    return visit


def test_a_change_that_is_not_proven_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = finished(program(monkeypatch, tmp_path, STEEPER).draw(panel_tab="Findings"))
    said = visit.text("findings")
    assert "A change was tried and is not offered. With the changes the loss after 4 steps is" in said
    assert "Apply" not in said


def test_proven_fixes_stand_with_their_findings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = finished(program(monkeypatch, tmp_path, TWICE).draw(panel_tab="Findings"))
    said = visit.text("findings")
    assert said.count("tried: the finding is gone") == 2
    assert "+ opt.zero_grad()" in said
    assert said.count("Open both in Compare") == 2
    assert "Try a fix" not in said


def test_a_fix_is_put_into_the_text_and_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = finished(program(monkeypatch, tmp_path, TWICE).draw(panel_tab="Findings"))
    before = visit.page.recording
    visit.press("apply_fix_0")
    page = visit.page
    assert "opt.zero_grad()" in page.edited[0]
    assert page.ran == tuple(page.edited)
    assert page.recording is not None
    assert before is not None
    assert page.recording.seed == before.seed
    assert [f.rule for f in findings(page.recording)] == ["kept_graphs"]
    assert page.undo == [TWICE]


def test_both_runs_are_opened_in_compare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = finished(program(monkeypatch, tmp_path, TWICE).draw(panel_tab="Findings"))
    before = visit.page.recording
    visit.press("compare_fix_0")
    visit.draw()
    assert visit.page.pinned is before
    assert visit.page.recording is not before
    assert visit.page.panel == "Compare"
    assert "opt.zero_grad()" in visit.text("panel")


def test_a_fix_for_another_text_is_not_put_into_this_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = finished(program(monkeypatch, tmp_path, TWICE).draw(panel_tab="Findings"))
    visit.page.edited[0] = "# mine\n" + TWICE
    visit.draw()
    assert visit.app.button(key="apply_fix_0").disabled
    page, recording = visit.page, visit.page.recording
    assert recording is not None
    monkeypatch.setattr(edits, "page", lambda: page)
    monkeypatch.setattr(edits.controls, "newest_text", lambda *_: None)
    assert not edits.mend(recording, findings(recording)[0].changes)
    assert "has been changed since" in page.notice
    assert page.edited == ["# mine\n" + TWICE]


def test_a_recording_that_was_opened_runs_only_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = run(TWICE).recording
    assert made is not None
    made.save(tmp_path / "run.gradtape")
    visit = visit_file(monkeypatch, tmp_path / "run.gradtape").draw(panel_tab="Findings")
    recording = visit.page.recording
    assert recording is not None
    assert len(to_try(recording)) == 2
    assert visit.text("findings").count("Try a fix") == 2
    finished(visit.press("try_fix_0"))
    assert len(to_try(recording)) == 1
    assert "+ opt.zero_grad()" in visit.text("findings")


@pytest.mark.usefixtures("hosted")
def test_strangers_ask_for_each_and_for_no_more_than_some(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    visit = program(monkeypatch, tmp_path, FIVE).draw(panel_tab="Findings")
    recording = visit.page.recording
    assert recording is not None
    assert len(to_try(recording)) == 5
    assert FIXES.value(hosted=True) == 3
    for number in range(3):
        assert visit.text("findings").count("Try a fix") == 5 - number
        finished(visit.press(f"try_fix_{number}"))
    said = visit.text("findings")
    assert said.count("tried: the finding is gone") == 3
    assert "Try a fix" not in said
    assert fixing.left(recording) == 0


def test_what_is_not_proven_is_not_shown_as_a_fix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = "import torch\nw = torch.ones(2, requires_grad=True)\nloss = (w * 2).argmax().float()\nloss.backward()\n"
    visit = finished(program(monkeypatch, tmp_path, text).draw(panel_tab="Findings"))
    said = visit.text("findings")
    assert "Fix:" in said
    assert "Apply" not in said


def test_a_diff_of_a_strangers_text_is_text() -> None:
    proof = Proof(lines=1, diff="@@ -3 +3 @@\n-<b>x</b>\n+<script>alert(1)</script>\n")
    made = edit_html(Edit((TextChange(0, 1, 0, 1, 0, ""),), proof))
    assert "<script>" not in made
    assert "&lt;script&gt;" in made
    assert "line 3" in made
    assert msgspec.to_builtins(proof)["lines"] == 1
