"""The page's icon, and its own styles where the document has none of them."""

from __future__ import annotations

import streamlit as st

from components.server import styles

ICON = str(styles.ASSETS / "icon.svg")


def apply() -> None:
    """Put the styles into the page, where its document has none of them; call once per run, before anything else."""
    if not styles.in_document:
        st.html(styles.sheet())
