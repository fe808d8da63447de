"""A notebook's notes, rendered by the visitor's own browser: Streamlit's Markdown lets no HTML through, and has KaTeX."""

from __future__ import annotations

import streamlit as st

from components.html.notes import markdown
from engine.recording.story import Note


def prose(note: Note) -> None:
    """Show a note."""
    st.markdown(markdown(note))
