"""Findings beside the lines of the program that they are about, and what is chosen of them there."""

from __future__ import annotations

from collections.abc import Mapping

from components.editor import Mark, Severity
from components.html.diagnosis_html import FINDINGS
from components.html.markup import shortened
from components.page import controls
from components.page.edits import mend
from components.page.headline import go_to, known
from components.page.state import page
from components.panels import of_findings
from engine.diagnosis import Finding
from engine.diagnosis.fixes import offered
from engine.recording import Recording

SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning", "hint": "info"}
LONGEST = 600
"""Characters of what is said of one finding."""


def marks(recording: Recording, cell: int) -> list[Mark]:
    """What was found about lines of one of the program's own texts, as far as it is known."""
    if known(recording) is None or cell >= len(recording.own):
        return []
    here = recording.own[cell]
    return [
        _mark(number, f) for number, f in _numbered(recording) if f.site is not None and f.site.line and f.site.cell == here
    ]


def _numbered(recording: Recording) -> list[tuple[int, Finding]]:
    return list(enumerate(offered(recording)[:FINDINGS]))


def _mark(number: int, finding: Finding) -> Mark:
    site = finding.site
    assert site is not None
    said = [finding.explanation, *([f"Fix: {finding.fix}"] if finding.fix else [])]
    return Mark(
        site.line, site.column, site.end_line or site.line, site.end_column, SEVERITIES.get(finding.severity, "info"),
        shortened(finding.title, LONGEST), shortened("\n".join(said), LONGEST), number,
        shortened(str(finding.edit.proof), LONGEST) if finding.edit is not None else "",
    )  # fmt: skip


def marked(key: str) -> None:
    """Something of a mark was chosen: its fix is applied, or it is shown in full."""
    p, told = page(), controls.told(key, "mark")
    if not isinstance(told, Mapping) or p.recording is None or told.get("run") != p.run_id:
        return
    finding = dict(_numbered(p.recording)).get(told.get("id", -1)) if known(p.recording) is not None else None
    if finding is None:
        return
    if told.get("apply") is True:
        if finding.edit is not None:
            mend(p.recording, finding.edit.changes)
    else:
        p.next_panel = of_findings()
        go_to(finding)
