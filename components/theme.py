"""The page's own styles, beside the theme in `.streamlit/config.toml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

STYLES = Path(__file__).resolve().parent.parent / "assets" / "style.css"


@cache
def _css() -> str:
    return STYLES.read_text(encoding="utf-8")


def apply() -> None:
    """Put the styles into the page; call once per run, before anything else."""
    st.html(f"<style>{_css()}</style>")
