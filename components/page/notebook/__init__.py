"""The left side of the page for a notebook: its notes and its cells, each with what it printed, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from components.browser.component_loader import inline, sent
from components.html.markup import shortened, tag, text
from components.page import controls
from components.page.attached import attachments, written
from components.page.code import CELLS, code
from components.page.console import LINES_CELL, MOST_CELL, cell_html, whole_output
from components.page.figures import between
from components.page.notebook.prose import prose
from components.page.notebook.turning import take
from components.page.state import Page
from engine.graph.lessons import Answer, answer, stretches
from engine.recording.story import Look, Note, cell_title

KEY = "notebook"
SHOWN = 60
"""Characters of the names of a project's files, and of a notebook's."""
ONE = "Run what is above and this cell: a tape begins at the top, so the cells above run too, with the same random numbers"
ON = "Run everything with the same random numbers, and stand where this cell begins"


def notebook(p: Page) -> None:
    """Notes and cells."""
    with st.container(key="notebook_bar", horizontal=True, vertical_alignment="center"):
        st.html(tag("div", text(_called(p)), cls="gt-label"))
        st.space("stretch")
        if not _is_project(p):
            st.html(
                tag(
                    "button",
                    "Present",
                    cls="gt-button",
                    type="button",
                    data_gt_do="present",
                    title="Cell by cell, large, as a lesson",
                )
            )
        attachments(p)
    actions(p)
    written(p)
    shown = cells_on_show(p)
    with st.container(key="cells", height="stretch", border=False):
        for number, part in enumerate(p.program.story.parts(len(p.edited))):
            if isinstance(part, Note):
                if shown.start <= part.at < shown.stop or part.at == shown.stop == len(p.edited):
                    with st.container(key=f"note_{number}", border=False):
                        prose(part)
            elif part in shown:
                cell(p, part)


def actions(p: Page) -> None:
    """What hears of a notebook's buttons and of a lesson's keys."""
    _component()(
        data=sent({"kind": "actions", "presenting": p.presenting, "page": p.slide if p.presenting else None}),
        key=KEY,
        on_asked_change=_heed,
    )


def cell(p: Page, number: int, *, tools: bool = True) -> None:
    """A cell: its text, what it printed, and the value of its last expression; or the question that is to be answered first."""
    with st.container(key=f"cell_{number}", border=False):
        if not _is_project(p):
            st.html(_head(p, number, tools))
        code(p, number, "content")
        look = p.program.story.look(number)
        hidden = question(p, look)
        if hidden is not None:
            data = {"kind": "guess", "cell": number, "question": look.predict.strip(), "answer": hidden}
            _component()(data=sent(data), key=f"guess_{number}", on_asked_change=lambda: _heed(f"guess_{number}"))
            return
        shown = cell_html(p.result, number, between(p, p.result, number)) if p.result is not None else ""
        if shown:
            st.html(tag("div", shown, cls="gt-console gt-cell", data_gt_run=p.run_id))
        if p.result is not None and number < len(p.result.cells):
            whole_output(p.result.cells[number].output, MOST_CELL, LINES_CELL, key=f"cell_{number}")


def question(p: Page, look: Look) -> Answer | None:
    """The answer that a lesson hides until it is guessed; None where nothing is asked, it was guessed, or the whole notebook is
    on show, where the graph says it anyway."""
    if not p.presenting or not look.predict or look.cell in p.guessed or p.recording is None or p.dirty:
        return None
    return answer(p.recording, look)


def _head(p: Page, number: int, tools: bool) -> str:
    """The cell's name, which leads to its moment, and ways to run it."""
    stretch = stretches(p.recording).get(number) if p.recording is not None else None
    called = tag(
        "button", text(cell_title(number)), cls="gt-in", type="button", data_gt_step=stretch[1] if stretch else None,
        disabled=None if stretch else "", title="To this cell's end on the tape" if stretch else "It has not run",
    )  # fmt: skip
    if not tools:
        return tag("div", called, cls="gt-cellbar")
    ways = (("run_cell", "Run cell", ONE), ("run_on", "Run from here", ON))
    buttons = [
        tag(
            "button", label, cls="gt-way", type="button", data_gt_do=does, data_gt_cell=number, title=about,
            aria_label=f"{label}: {cell_title(number)}",
        )
        for does, label, about in ways
    ]  # fmt: skip
    return tag("div", called, *buttons, cls="gt-cellbar")


def _is_project(p: Page) -> bool:
    """Whether the parts are the files of a project, recorded elsewhere."""
    return p.opened is not None and bool(p.opened.names)


def _called(p: Page) -> str:
    """What the parts of the program are: cells of a notebook, or a project's files."""
    names = p.opened.names if p.opened is not None else ()
    if names:
        return shortened(f"{len(names)} files · {', '.join(names)}", SHOWN)
    return f"{shortened(p.name, SHOWN)} · {len(p.edited)} cell{'' if len(p.edited) == 1 else 's'}"


def cells_on_show(p: Page) -> range:
    """The cells that are drawn: of a long notebook one page, since each is an editor and costs every run of the page."""
    count = len(p.edited)
    pages = -(-count // CELLS)
    if pages < 2:
        return range(count)
    error = p.result.error if p.result is not None else None
    hint = f"; the error is in {cell_title(error.cell)}, on page {error.cell // CELLS + 1}" if error is not None else ""
    page = int(st.number_input(f"Page of {pages}, {CELLS} cells each{hint}", 1, pages, 1, 1, key=f"cell_page_{pages}"))
    return range((page - 1) * CELLS, min(page * CELLS, count))


def _heed(key: str = KEY) -> None:
    told: Any = controls.told(key, "asked")
    if isinstance(told, Mapping) and isinstance(told.get("does"), str) and isinstance(told.get("cell"), int):
        take(told["does"], told["cell"])


_component = inline("notebook", Path(__file__).parent / "notebook.js")
