"""The page's own styles, in the colours of the theme in `.streamlit/config.toml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
ICON = str(ASSETS / "icon.svg")

COLOURS = ("textColor", "secondaryBackgroundColor", "borderColor", "blueColor", "orangeColor", "orangeTextColor", "redColor",
           "greenColor", "greenTextColor", "linkColor", "primaryColor")  # fmt: skip
"""Options of the theme that the styles use; `textColor` becomes `--gt-text-color`."""


@cache
def _styles() -> str:
    """The style sheet and its colours, in one line: settings do not change while a page is served, and Streamlit looks at the
    indentation of each line whenever it is drawn."""
    sheet = (ASSETS / "style.css").read_text(encoding="utf-8")
    return f"<style>{_variables()} {' '.join(line.strip() for line in sheet.splitlines())}</style>"


def _variables() -> str:
    """Each colour as a variable that is light or dark as the page is."""
    lines = []
    for option in COLOURS:
        name = "".join(f"-{c.lower()}" if c.isupper() else c for c in option)
        light, dark = (st.get_option(f"theme.{kind}.{option}") for kind in ("light", "dark"))
        lines.append(f"--gt-{name}: light-dark({light}, {dark});")
    return ":root { " + " ".join(lines) + " }"


def apply() -> None:
    """Put the styles into the page; call once per run, before anything else."""
    st.html(_styles())
