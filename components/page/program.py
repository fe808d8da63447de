"""The left side of the page: the program as code or in the builder, and its console; of a notebook the cells."""

from __future__ import annotations

import streamlit as st

from components.builder import builder
from components.html.markup import copy, heading, shortened
from components.page import controls, edits
from components.page.attached import attachments, written
from components.page.code import code
from components.page.console import console, printed
from components.page.figures import between
from components.page.notebook import notebook
from components.page.selection import translated
from components.page.state import Page


def program(p: Page) -> None:
    """The program and what it printed."""
    st.html(heading("Program"))
    if p.is_notebook:
        notebook(p)
        return
    p.mode = _mode(p)
    if p.mode == "Build":
        _builder(p)
    with st.container(key="code", border=False):
        code(p, 0, "stretch" if p.mode == "Code" else 260)
    result = p.result if p.opened is None else printed(p.opened)
    console(result, between(p, p.result) if p.opened is None and p.result is not None else (), key="console", run=p.run_id)
    written(p)


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
