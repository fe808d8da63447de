"""What a visitor does with a notebook: runs a part of it, turns the pages of a lesson, guesses, and says what a page shows.

A run begins at the top, as every tape does. To run one cell is to run up to it, and to run from a cell is to run everything
and to stand there; what is random is as it was.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from components.page.opening import look_at
from components.page.runs import run_typed
from components.page.selection import translated
from components.page.state import Page, page
from engine.graph import lessons
from engine.program.share import VIEWS
from engine.recording.story import Look, Note

MOST_ASKED = 200
NOT_RUN = "This cell has not run, so there is no moment of it."


def slides(p: Page) -> list[tuple[list[Note], int | None]]:
    """The pages of the lesson on show."""
    return p.program.story.pages(len(p.edited))


def take(does: str, cell: int) -> None:
    """Do what a button or a key is for."""
    p = page()
    match does:
        case "run_cell":
            _run(p, cell, until=cell + 1)
        case "run_on":
            _run(p, cell)
        case "present":
            p.presenting = True
            p.slide = min(p.slide, len(slides(p)) - 1)
            turn(p, p.slide)
        case "leave":
            p.presenting = False
        case "next" | "back" if p.presenting:
            turn(p, p.slide + (1 if does == "next" else -1))
        case "keep" if p.presenting:
            keep_moment(p)
        case "right" | "shown":
            reveal(p, cell)


def turn(p: Page, slide: int) -> None:
    """Show another page of a lesson: the tape goes to the moment that is kept of its cell."""
    pages = slides(p)
    p.slide = min(max(slide, 0), len(pages) - 1)
    cell = pages[p.slide][1]
    if cell is not None and p.recording is not None and not p.dirty:
        look = p.program.story.look(cell)
        stretch = lessons.stretches(p.recording).get(cell)
        if look.view in VIEWS:
            p.view = look.view
        asked = look.predict and cell not in p.guessed and lessons.answer(p.recording, look) is not None
        step = stretch[0] if asked and stretch is not None else lessons.moment_of(p.recording, look)
        if step is not None:
            _go(p, lessons.selected_of(p.recording, look), step)


def reveal(p: Page, cell: int) -> None:
    """The answer of a cell's question is shown, and its stretch of the tape is played."""
    p.guessed.add(cell)
    if p.recording is None:
        return
    look = p.program.story.look(cell)
    stretch, step = lessons.stretches(p.recording).get(cell), lessons.moment_of(p.recording, look)
    if stretch is not None and step is not None:
        _go(p, lessons.selected_of(p.recording, look), max(stretch[0], step - lessons.PLAYED), step)


def keep_moment(p: Page) -> None:
    """Have the page show the moment and the node that are on show now, whenever it is turned to."""
    cell = slides(p)[p.slide][1]
    if cell is None or p.recording is None or cell not in lessons.stretches(p.recording):
        p.notice = NOT_RUN
        return
    step = len(p.recording.events) - 1 if p.step is None else p.step
    say(p, lessons.look_at(p.recording, p.program.story.look(cell), step, p.node, p.view))


def ask(p: Page, cell: int, question: str) -> None:
    """Have something of a cell guessed before it is shown; nothing for an empty question."""
    p.guessed.discard(cell)
    say(p, msgspec.structs.replace(p.program.story.look(cell), predict=question.strip()[:MOST_ASKED]))


def say(p: Page, look: Look) -> None:
    """The lesson is another one now, and the visitor's own."""
    p.program = replace(p.program, story=p.program.story.looking(look))
    if p.recording is not None:
        p.recording.story = p.program.story.until(len(p.recording.source))
    p.named = None


def _go(p: Page, node: str | None, step: int, until: int | None = None) -> None:
    if p.recording is not None and node is not None:
        node = translated(p.recording, node, p.view)
    look_at(node, step, until)


def _run(p: Page, cell: int, until: int | None = None) -> None:
    if not 0 <= cell < len(p.edited):
        return

    def there() -> None:
        stretch = lessons.stretches(p.recording).get(cell) if p.recording is not None else None
        if stretch is not None:
            p.keep = None
            look_at(None, stretch[1] if until is not None else stretch[0])

    run_typed(there, seed=p.recording.seed if p.recording is not None else None, until=until)
