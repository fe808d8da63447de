"""The left side of the page: the program as code or in the builder, and its console; of a notebook the cells."""

from __future__ import annotations

import streamlit as st

from components.builder import builder
from components.html.markup import copy, heading, shortened, tag, text
from components.page import controls, edits
from components.page.attached import attachments, written
from components.page.code import cells_on_show, code, notebook_cell
from components.page.console import console, printed
from components.page.figures import between
from components.page.selection import translated
from components.page.state import Page

SHOWN = 60
"""Characters of the names of a project's files."""


def program(p: Page) -> None:
    """The program and what it printed."""
    st.html(heading("Program"))
    if len(p.edited) > 1:
        _notebook(p)
        return
    p.mode = _mode(p)
    if p.mode == "Build":
        _builder(p)
    with st.container(key="code", border=False):
        code(p, 0, 430 if p.mode == "Code" else 260)
    result = p.result if p.opened is None else printed(p.opened)
    console(result, between(p, p.result) if p.opened is None and p.result is not None else (), key="console", run=p.run_id)
    written(p)


def _notebook(p: Page) -> None:
    with st.container(key="notebook_bar", horizontal=True, vertical_alignment="center"):
        st.html(tag("div", text(_parts(p)), cls="gt-label"))
        st.space("stretch")
        attachments(p)
    written(p)
    shown = cells_on_show(p)
    with st.container(key="cells", height="stretch", border=False):
        for cell in shown:
            notebook_cell(p, cell)


def _parts(p: Page) -> str:
    """What the parts of the program are: cells of a notebook, or a project's files."""
    names = p.opened.names if p.opened is not None else ()
    if not names:
        return f"Notebook · {len(p.edited)} cells"
    return shortened(f"{len(names)} files · {', '.join(names)}", SHOWN)


def _mode(p: Page) -> str:
    """Whether the program is written or built."""
    with st.container(key="modes", horizontal=True, vertical_alignment="center"):
        mode = st.segmented_control(
            "Mode", ["Code", "Build"], default=controls.chosen("mode", p.mode), key="mode", required=True,
            label_visibility="collapsed",
        )  # fmt: skip
        st.space("stretch")
        attachments(p)
        if button := copy(p.edited[0], "the program"):
            st.html(button, width="content")
    return mode


def _builder(p: Page) -> None:
    with st.container(key="builder", border=False):
        tensor = translated(p.recording, p.selected, "tensors") if p.recording is not None else None
        error = p.result.error if p.result is not None else None
        builder(
            p.edited[0],
            p.recording,
            int(tensor[1:]) if tensor and tensor.startswith("t") else None,
            p.picked,
            run=p.run_id,
            on_change=edits.set_text,
            on_undo=edits.undo,
            on_redo=edits.redo,
            can_undo=bool(p.undo),
            can_redo=bool(p.redo),
            error=shortened(f"line {error.line}: {error.message}", 1_000) if error is not None else "",
        )
