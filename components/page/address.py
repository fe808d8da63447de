"""The page's address: what it asks for, what it names, and the link to what is on show.

The browser writes it (`components/page/keeping`), so that Back and Forward are heard of; Python says what it is to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from components.menus.gallery import example
from components.menus.share import PARAMETER, address_of
from components.page.state import Page, page
from engine.program.share import MAX_NAME, Link, LinkError, pack, program_of, unpack

EXAMPLE = "example"
"""The parameter that names an example; `PARAMETER` holds a program."""
HERE = "here"
"""The parameter that names what the visitor's browser keeps; elsewhere it opens nothing."""
SHORT = 2_000
"""Characters of a program in the address; a longer one makes it a wall of letters, and is named."""
PACKED = 20_000
"""Characters of a program that is tried for that: to pack more takes longer than drawing the page."""


def asks() -> bool:
    """Whether the address names what it wants to be shown."""
    return any(each in st.query_params for each in (PARAMETER, EXAMPLE, HERE))


def asked() -> dict[str, str]:
    """What the address asks for, when a visit begins."""
    return dict(st.query_params.items())


def asked_in(query: str) -> dict[str, str]:
    """What another address of the page asks for."""
    try:
        return dict(parse_qsl(query, max_num_fields=20))
    except ValueError:
        return {}


def named_example(name: str) -> str:
    """The query that names an example."""
    return urlencode({EXAMPLE: name})


def query(p: Page) -> str:
    """The query that names what is on show: an example, a link, a short program itself, or what this browser keeps."""
    if p.named is not None and not own(p):
        return p.named[2]
    if (p.opened is None or p.dirty) and not p.beside:
        packed = _packed(Link(tuple(p.edited), p.is_notebook, p.name[:MAX_NAME], story=p.program.story))
        if packed:
            return f"{PARAMETER}={packed}"
    return f"{HERE}={p.record}"


def own(p: Page) -> bool:
    """Whether what is on show is the visitor's own: edited, built, renamed, or from a file of theirs."""
    return p.named is None or p.named[:2] != (tuple(p.edited), p.name)


@lru_cache(maxsize=64)
def _packed(link: Link) -> str:
    """A program that is short enough for the address; nothing where it is not."""
    if sum(map(len, link.cells)) + sum(len(note.text) for note in link.story.notes) > PACKED:
        return ""
    try:
        packed = pack(link)
    except LinkError:
        return ""
    return packed if len(packed) <= SHORT else ""


def naming(query: str, cells: tuple[str, ...], name: str) -> tuple[tuple[str, ...], str, str] | None:
    """The text and title that a query opens, with it, where they are these; None where it opens others."""
    wanted: Mapping[str, str] = asked_in(query)
    if (shown := example(wanted.get(EXAMPLE, ""))) is not None:
        there = (shown.program.cells, shown.title, named_example(shown.name))
        return there if there[:2] == (cells, name) else None
    try:
        link = unpack(wanted[PARAMETER])
    except (KeyError, LinkError):
        return None
    return (cells, name, f"{PARAMETER}={wanted[PARAMETER]}") if program_of(link).cells == cells and link.name == name else None


def link() -> Link:
    """What is on show, for a link."""
    p = page()
    recording = p.recording
    last = len(recording.events) - 1 if recording is not None else -1
    step = None if p.dirty or p.step is None or p.step >= last else p.step
    cells = tuple(p.edited)
    return Link(
        cells, p.is_notebook, p.name[:MAX_NAME], step, None if p.dirty else p.node, p.view, p.program.story
    )  # fmt: skip


def address() -> str:
    """Where this page is served, as the visitor's browser sees it."""
    return str(st.context.url or "http://localhost:8501/")


def whole_page() -> str:
    """The address of the whole page with what is on show here."""
    try:
        return address_of(link(), address())
    except LinkError:
        return address()
