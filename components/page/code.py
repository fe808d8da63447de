"""The editors of the program's text: one, or of a notebook one for each cell with its output below."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.editor import Diagnostic, editor
from components.html.markup import shortened, tag
from components.page import controls, edits
from components.page.console import LINES_CELL, MOST_CELL, cell_html, whole_output
from components.page.figures import between
from components.page.marks import marked, marks
from components.page.runs import run_typed
from components.page.state import Page

CELLS = 20
"""Cells of a notebook that are drawn at once."""


def code(p: Page, cell: int, height: int | str) -> None:
    """One editor."""
    key = f"editor_{cell}"
    editor(
        p.edited[cell],
        key=key,
        rev=p.rev,
        ran=p.ran[cell] if cell < len(p.ran) else None,
        diagnostics=_diagnostics(p, cell),
        marks=marks(p.recording, cell) if p.recording is not None else (),
        run=p.run_id,
        height=height,
        cell=cell,
        label=f"Cell {cell + 1}" if len(p.edited) > 1 else "Program",
        on_run=run_typed,
        on_mark=partial(marked, key),
    )
    newest = controls.newest_text(key, p.rev)
    if newest is not None:
        edits.edit(cell, newest)


def _diagnostics(p: Page, cell: int) -> list[Diagnostic]:
    """The error of the last run, if it is in this cell."""
    error = p.result.error if p.result is not None else None
    if error is None or not error.line or error.cell != cell:
        return []
    return [
        Diagnostic(
            error.line,
            error.column or 0,
            error.end_line or error.line,
            error.end_column or 0,
            shortened(f"{error.type}: {error.message}", 1_000),
            "error",
        )
    ]


def cells_on_show(p: Page) -> range:
    """The cells that are drawn: of a long notebook one page, since each is an editor and costs every run of the page."""
    count = len(p.edited)
    pages = -(-count // CELLS)
    if pages < 2:
        return range(count)
    error = p.result.error if p.result is not None else None
    hint = f"; the error is in cell {error.cell + 1}, on page {error.cell // CELLS + 1}" if error is not None else ""
    page = int(st.number_input(f"Page of {pages}, {CELLS} cells each{hint}", 1, pages, 1, 1, key=f"cell_page_{pages}"))
    return range((page - 1) * CELLS, min(page * CELLS, count))


def notebook_cell(p: Page, cell: int) -> None:
    """A notebook's cell: its text, what it printed, and the value of its last expression."""
    with st.container(key=f"cell_{cell}", border=False):
        code(p, cell, "content")
        shown = cell_html(p.result, cell, between(p, p.result, cell)) if p.result is not None else ""
        if shown:
            st.html(tag("div", shown, cls="gt-console gt-cell", data_gt_run=p.run_id))
        if p.result is not None and cell < len(p.result.cells):
            whole_output(p.result.cells[cell].output, MOST_CELL, LINES_CELL, key=f"cell_{cell}")
