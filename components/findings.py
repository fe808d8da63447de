"""Findings: what is wrong or odd about the whole run."""

from __future__ import annotations

import streamlit as st

from components.answers import findings_html
from engine.diagnosis.findings import findings
from engine.diagnosis.reason import Finding
from engine.recording import Recording


def findings_panel(recording: Recording, *, key: str) -> None:
    """Show the findings of a run."""
    with st.container(key=key, height="stretch", border=False):
        st.html(findings_html(recording, found_in(recording)))


def found_in(recording: Recording) -> list[Finding]:
    """The findings of a recording, looked for once."""
    made = recording.derived.get("findings")
    if made is None:
        made = recording.derived["findings"] = findings(recording)
    found: list[Finding] = made
    return found


def badge(recording: Recording) -> str:
    """The panel's name with the number of errors and warnings."""
    count = sum(f.severity != "hint" for f in found_in(recording))
    return f"Findings ({count})" if count else "Findings"
