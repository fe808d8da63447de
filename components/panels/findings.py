"""Findings: what is wrong or odd about the whole run."""

from __future__ import annotations

import streamlit as st

from components.html.diagnosis_html import findings_html
from components.html.markup import muted
from components.panels import Beside, panel
from components.player.feed import in_parts
from engine.diagnosis import findings
from engine.diagnosis.findings import known_findings
from engine.program.parsing import UnreadError, read_cells
from engine.recording import Recording


def badge(recording: Recording) -> str:
    """The panel's name with the number of errors and warnings; of a large recording when they are known, since no panel waits
    for them."""
    found = known_findings(recording) or () if in_parts(recording) else findings(recording)
    count = sum(f.grave for f in found)
    return f"Findings {count}" if count else "Findings"


@panel("Findings", 20, label=badge)
def findings_panel(on: Beside) -> None:
    """The findings of the run."""
    with st.container(key="findings", height="stretch", border=False):
        st.html(unread_html(on.recording) + findings_html(on.recording, findings(on.recording)))


def unread_html(recording: Recording) -> str:
    """A remark that the program's text is too much to be read, if it is."""
    over = [one for one in read_cells(recording.source) if isinstance(one, UnreadError) and one.over]
    if not over:
        return ""
    if len(recording.source) == 1:
        return muted(f"{over[0].sentence('is read for findings')} They go by what was recorded alone.")
    return muted(f"{len(over):,} of {len(recording.source):,} cells are too much to be read for findings.")
