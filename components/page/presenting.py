"""A notebook as a lesson: one cell with its notes, large, and beside it the graph at the moment that is kept of it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.html.markup import heading, tag, text
from components.page import controls
from components.page.graph import alone
from components.page.notebook import actions, cell
from components.page.notebook.prose import prose
from components.page.notebook.turning import MOST_ASKED, ask, slides, turn
from components.page.notices import run_button
from components.page.state import Page, page
from components.page.status import bars
from engine.recording import Recording
from engine.recording.story import cell_title

ASK = "Hide until guessed"
EXAMPLES = "x.grad · y.shape · loss.grad_fn"


def presentation(p: Page, tape: Callable[[Callable[[Page, Recording], None]], None], *, whole: bool = True) -> None:
    """The page of a lesson on show; `whole` is whether there is a whole notebook to go back to."""
    pages = slides(p)
    p.slide = min(p.slide, len(pages) - 1)
    if p.recording is not None and p.turned_in != p.run_id:
        p.turned_in = p.run_id
        turn(p, p.slide)
    notes, number = pages[p.slide]
    with st.container(key="lesson"):
        _bar(p, number, len(pages), whole)
        left, right = st.columns([42, 58], gap="small")
        with left, st.container(key="slide", border=True):
            st.html(heading(p.name))
            for note in notes:
                prose(note)
            if number is not None:
                cell(p, number, tools=False)
        with right:
            tape(alone)


def _bar(p: Page, number: int | None, count: int, whole: bool) -> None:
    with st.container(key="lesson_bar", horizontal=True, vertical_alignment="center"):
        actions(p)
        where = f"{p.slide + 1} of {count}" + (f" · {cell_title(number)}" if number is not None else "")
        st.html(
            tag("div", tag("b", text(p.name)), tag("span", text(where), cls="gt-muted", role="status"), cls="gt-lesson"),
            width="content",
        )
        st.space("stretch")
        bars(p)
        if number is not None:
            if whole:
                _keeping(p, number)
            run_button("Run", key="run_lesson")
        buttons = (
            ("back", "←", "The page before (← or Page Up)", p.slide == 0),
            ("next", "→", "The next page (→ or Page Down)", p.slide == count - 1),
            ("leave", "Leave", "Back to the whole notebook (Esc)", False),
        )
        st.html(
            tag(
                "div",
                *(_button(*each) for each in buttons if whole or each[0] != "leave"),
                cls="gt-row",
                role="group",
                aria_label="Pages",
            ),
            width="content",
        )


def _button(does: str, label: str, about: str, off: bool) -> str:
    return tag(
        "button", text(label), cls="gt-button", type="button", data_gt_do=does, title=about, aria_label=about,
        disabled="" if off else None,
    )  # fmt: skip


def _keeping(p: Page, number: int) -> None:
    """What this page shows, for whoever makes the lesson."""
    menu = st.popover("This page", key="page_menu", on_change="rerun", type="tertiary", icon=":material/bookmark:")
    if not menu.open:
        return
    look = p.program.story.look(number)
    with menu:
        kept = "the cell's end" if look.moment is None else f"step {look.moment + 1} of the cell"
        about = "It shows " + kept + (f", with {look.selected} selected." if look.selected else ".")
        st.html(tag("div", text(about), cls="gt-muted"))
        button = tag("button", "Keep the moment on show", cls="gt-button", type="button", data_gt_do="keep")
        st.html(button)
        st.text_input(
            ASK, look.predict, key=f"ask_{number}_{p.rev}", placeholder=EXAMPLES, max_chars=MOST_ASKED, on_change=_asked,
            args=(number,), help="A tensor, its .grad, its .shape or its .grad_fn. The answer comes from the run.",
        )  # fmt: skip


def _asked(number: int) -> None:
    p = page()
    ask(p, number, str(controls.value(f"ask_{number}_{p.rev}", "")))
