"""The page's own styles, in the colours of the theme in `.streamlit/config.toml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"

COLOURS = ("textColor", "backgroundColor", "secondaryBackgroundColor", "borderColor", "blueColor", "orangeColor",
           "orangeTextColor", "redColor", "greenColor", "greenTextColor", "linkColor", "primaryColor")  # fmt: skip
"""Options of the theme that the styles use; `textColor` becomes `--gt-text-color`."""

in_document = False
"""Whether the page's document has the styles (`document.py`); not where the page is run without our server."""


@cache
def sheet() -> str:
    """The style sheet and its colours, as HTML; made once, as settings do not change while a page is served."""
    return f"<style>{_variables()}\n{(ASSETS / 'style.css').read_text(encoding='utf-8')}</style>"


def _variables() -> str:
    """Each colour as a variable that is light or dark as the page is."""
    lines = []
    for option in COLOURS:
        name = "".join(f"-{c.lower()}" if c.isupper() else c for c in option)
        light, dark = (st.get_option(f"theme.{kind}.{option}") for kind in ("light", "dark"))
        lines.append(f"--gt-{name}: light-dark({light}, {dark});")
    return ":root { " + " ".join(lines) + " }"
