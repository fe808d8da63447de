"""Findings: what is wrong or odd about the whole run."""

from __future__ import annotations

import streamlit as st

from components.answers import findings_html
from engine.diagnosis import findings
from engine.recording import Recording


def findings_panel(recording: Recording, *, key: str) -> None:
    """Show the findings of a run."""
    with st.container(key=key, height="stretch", border=False):
        st.html(findings_html(recording, findings(recording)))


def badge(recording: Recording) -> str:
    """The panel's name with the number of errors and warnings."""
    count = sum(f.severity != "hint" for f in findings(recording))
    return f"Findings {count}" if count else "Findings"
