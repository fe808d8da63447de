"""The editors of the program's text: one, or of a notebook one for each cell."""

from __future__ import annotations

from functools import partial

from components.editor import Diagnostic, editor
from components.html.markup import shortened
from components.page import controls, edits
from components.page.marks import marked, marks
from components.page.runs import run_typed
from components.page.state import Page
from engine.recording.story import cell_title

CELLS = 20
"""Cells of a notebook that are drawn at once."""


def code(p: Page, cell: int, height: int | str) -> None:
    """One editor."""
    key = f"editor_{cell}"
    editor(
        p.edited[cell],
        key=key,
        rev=p.rev,
        program=p.shown,
        ran=p.ran[cell] if cell < len(p.ran) else None,
        diagnostics=_diagnostics(p, cell),
        marks=marks(p.recording, cell) if p.recording is not None else (),
        run=p.run_id,
        height=height,
        cell=cell,
        label=cell_title(cell) if p.is_notebook else "Program",
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
