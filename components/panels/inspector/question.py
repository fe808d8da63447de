"""The question field: why a tensor, a module, the loss or a line is as it is, asked in words."""

from __future__ import annotations

import streamlit as st

from components.html.diagnosis_html import why_html
from components.html.markup import tag, text
from engine.diagnosis import why
from engine.recording import Recording

LONGEST = 200
"""Characters of a question."""


def question(recording: Recording, step: int, key: str) -> None:
    """A line to ask in, and the answer at `step` below it."""
    asked = st.text_input(
        "Why",
        key=key,
        max_chars=LONGEST,
        placeholder="Why … w · net.fc · loss · line 12 · did w not move",
        label_visibility="collapsed",
        help="A name, the loss, a line, or why a parameter did not move",
    ).strip()
    if not asked:
        return
    try:
        answer = why_html(recording, why(recording, asked, step))
    except KeyError:
        said = f"“{asked}” names no tensor, module or line of this run."
        answer = tag("div", text(said), cls="gt-muted")
    st.html(answer)
