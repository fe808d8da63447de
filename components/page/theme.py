"""The page's own styles, in the colours of the theme in `.streamlit/config.toml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
ICON = str(ASSETS / "icon.svg")

COLOURS = ("textColor", "backgroundColor", "secondaryBackgroundColor", "borderColor", "blueColor", "orangeColor",
           "orangeTextColor", "redColor", "greenColor", "greenTextColor", "linkColor", "primaryColor")  # fmt: skip
"""Options of the theme that the styles use; `textColor` becomes `--gt-text-color`."""


class _Styles:
    """The style sheet and its colours, which Streamlit takes as they are; of a text it would look at each line's indentation,
    whenever the page is drawn."""

    @cache  # noqa: B019  (there is one)
    def _repr_html_(self) -> str:
        """Made once: settings do not change while a page is served."""
        return f"<style>{_variables()}\n{(ASSETS / 'style.css').read_text(encoding='utf-8')}</style>"


_STYLES = _Styles()


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
    st.html(_STYLES)
