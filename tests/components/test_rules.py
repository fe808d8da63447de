"""The catalogue of rules in the page: below each finding, as a list to be searched, and programs that open."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.html.diagnosis_html import findings_html
from components.menus.gallery import DEFAULT, example, examples
from engine.diagnosis import findings
from engine.diagnosis.findings import outcome
from engine.diagnosis.findings.catalogue import entry, kinds
from engine.sandbox import run
from tests.components.visits import Visit, visit_file

BROKEN = entry("needless_retain").broken


def test_a_finding_leads_to_its_rule_and_the_rule_to_its_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prog.py").write_text(BROKEN)
    visit = visit_file(monkeypatch, tmp_path / "prog.py").draw(panel_tab="Findings")
    shown = visit.text("panel")
    assert kinds()["needless_retain"].meaning in shown
    assert f"All {len(kinds())} rules" in shown
    assert 'href="?example=needless_retain.mended"' in visit.markup("panel")
    visit.draw(rule="nan")
    assert kinds()["nan"].meaning in visit.text("panel")
    visit.press("open_mended")
    assert visit.page.edited == [entry("nan").mended]


def test_every_rule_is_in_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prog.py").write_text(BROKEN)
    visit = visit_file(monkeypatch, tmp_path / "prog.py").draw(panel_tab="Findings")
    options = visit.app.selectbox(key="rule").options
    assert {option.partition(" ")[0] for option in options} == set(kinds())
    assert options[0].startswith("needless_retain (warning): "), "what has found something comes first"


def test_a_link_opens_a_program_of_a_rule() -> None:
    assert Visit(example="no_zero_grad.broken").page.edited == [entry("no_zero_grad").broken]
    assert Visit(example="no_zero_grad.wrong").page.edited == [examples()[DEFAULT].text]
    assert example("no_zero_grad.mended") is not None
    assert example("nothing.mended") is None


def test_a_rule_stands_once_and_opens_nothing_where_there_is_no_page() -> None:
    recording = run("import torch\nfor k in range(2):\n    torch.ones(1).std()\ntorch.ones(1).std()\n").recording
    assert recording is not None
    found = findings(recording)
    assert [f.rule for f in found] == ["too_few_values", "too_few_values"]
    made = findings_html(recording, found)
    assert made.count("<details") == 1
    assert "href" not in made


def test_page_and_command_line_say_the_same_beside_findings() -> None:
    recording = run(
        "import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()  # gradtape: ignore[nothing]\n"
    ).recording
    assert recording is not None
    made = findings_html(recording, findings(recording))
    assert len(outcome(recording)) == 2
    for sentence in outcome(recording):
        assert sentence in made
