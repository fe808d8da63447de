"""What the program on show is called: an example's title, a file's name, or what the visitor has written; all files take it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.page import controls
from components.page.state import Page, page
from engine.program.share import MAX_NAME

UNTITLED = "Untitled program"
"""A program that has nothing more of the one whose title it had."""
KEY = "title"


def title(p: Page) -> None:
    """The title, which can be changed where it stands."""
    if controls.value(KEY) != p.name:
        controls.put(KEY, p.name)
    st.text_input(
        "Title", key=KEY, max_chars=MAX_NAME, on_change=_written, label_visibility="collapsed", placeholder=UNTITLED,
        help=None, autocomplete="off",
    )  # fmt: skip


def _written() -> None:
    """The visitor has written another title."""
    rename(str(controls.value(KEY, "")))


def rename(name: str) -> None:
    """Give the program another title; an empty one leaves it the old one."""
    name = " ".join(name.split())[:MAX_NAME]
    if name:
        page().name = name


def settle(p: Page) -> None:
    """Before a run: a text with nothing in common with the one that its title belongs to has none, and gets it back with that
    text (by an undo, say)."""
    texts = tuple(p.edited)
    if p.name == UNTITLED:
        if p.untitled is not None and texts == p.untitled[0]:
            p.name, p.untitled = p.untitled[1], None
        return
    if not _statements(texts) and _statements(p.ran):
        p.name, p.untitled = UNTITLED, (p.ran, p.name)
    elif p.named is not None and p.name == p.named[1] and not _statements(texts) & _statements(p.named[0]):
        p.name, p.untitled = UNTITLED, p.named[:2]


def _statements(texts: Sequence[str]) -> set[str]:
    """The lines of a program, but for comments and imports, which many programs have in common."""
    lines = {line.strip() for text in texts for line in text.splitlines()}
    return {line for line in lines if line and not line.startswith(("#", "import ", "from "))}
