"""The page's address: what it asks for, what it names, and the link to what is on show."""

from __future__ import annotations

import streamlit as st

from components.menus.share import PARAMETER, address_of
from components.page.state import page
from engine.program.share import MAX_NAME, Link, LinkError

EXAMPLE = "example"
"""The parameter that names an example; `PARAMETER` holds a program."""


def asks() -> bool:
    """Whether the address names what it wants to be shown."""
    return PARAMETER in st.query_params or EXAMPLE in st.query_params


def wanted_example(default: str) -> str:
    """The example that the address names."""
    return st.query_params.get(EXAMPLE, default)


def packed_link() -> str | None:
    """The program that the address holds."""
    return st.query_params.get(PARAMETER)


def forget_link() -> None:
    """Take the program out of the address."""
    del st.query_params[PARAMETER]


def name_example(name: str) -> None:
    """Have the address name an example."""
    st.query_params.from_dict({EXAMPLE: name})


def name_nothing() -> None:
    """Have the address say nothing of what is on show: it came from a file."""
    st.query_params.clear()


def link() -> Link:
    """What is on show, for a link."""
    p = page()
    recording = p.recording
    last = len(recording.events) - 1 if recording is not None else -1
    step = None if p.dirty or p.step is None or p.step >= last else p.step
    cells = tuple(p.edited)
    return Link(cells, len(cells) > 1, p.name[:MAX_NAME], step, None if p.dirty else p.node, p.view)


def address() -> str:
    """Where this page is served, as the visitor's browser sees it."""
    return str(st.context.url or "http://localhost:8501/")


def whole_page() -> str:
    """The address of the whole page with what is on show here."""
    try:
        return address_of(link(), address())
    except LinkError:
        return address()
