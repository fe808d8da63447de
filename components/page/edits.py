"""Changes of the program's text: typed, built, turned by a knob, taken back. Each but typing is run at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from components.page import controls
from components.page.history import remember
from components.page.runs import run_program
from components.page.selection import select
from components.page.state import page
from engine.diagnosis.fixes import changed_program
from engine.program import Program
from engine.program.changes import TextChange
from engine.program.share import MAX_NAME
from engine.recording import Recording, replay


def put_text(program: Program, name: str) -> None:
    """Put a text into the editors."""
    p = page()
    p.program, p.name = program, name[:MAX_NAME]
    p.edited = list(program.cells)
    p.rev += 1
    p.notice, p.unrun = "", None


def edit(cell: int, text: str) -> None:
    """The editor of a cell holds other text now."""
    p = page()
    if p.edited[cell] != text:
        p.edited[cell] = text


def set_text(text: str, names: Sequence[str] = ()) -> None:
    """Replace a one-cell program's text (by the builder), run it to its end and go on with these names, the first one shown."""
    p = page()
    remember(p.undo, "\n\n".join(p.edited))
    p.redo.clear()

    def go_on() -> None:
        if p.recording is None:
            return
        last = len(p.recording.events) - 1
        bound = replay(p.recording, last).names
        ids = [bound[name] for name in names if name in bound]
        if ids:
            p.picked.propose(p.run_id, ids)
            p.expected.clear()
            select(f"t{ids[0]}")
        if p.keep is not None:
            p.keep |= {"step": last, "selected": p.selected}

    _replace(text, go_on)


def _replace(text: str, then: Callable[[], None] = lambda: None) -> None:
    put_text(Program.from_text(text, page().program.name), page().name)
    run_program(then)


def vary(cell: int, text: str) -> None:
    """Run the program with another text of a cell, made from the old one by turning a knob."""
    p = page()
    if len(p.edited) == 1:
        if p.edited[0] != p.varied:
            remember(p.undo, p.edited[0])
            p.redo.clear()
        p.varied = text
    p.edited[cell] = text
    p.turned_to = tuple(p.edited)
    p.rev += 1
    p.notice = ""
    run_program()


def mend(recording: Recording, changes: Sequence[TextChange]) -> bool:
    """Make changes of the text that a run is of, and run it with the same random numbers; not where the editors hold another
    text by now. Whether they were made."""
    p, ran = page(), [recording.source[k] for k in recording.own]
    now = [controls.newest_text(f"editor_{cell}", p.rev) or text for cell, text in enumerate(p.edited)]
    more = now[len(ran) :] if p.partial else []
    if now[: len(ran)] != ran or len(now) != len(ran) + len(more):
        p.notice = "The fix is for the program as it ran, and the text has been changed since. Run it, and it is tried anew."
        return False
    if len(now) == 1:
        remember(p.undo, now[0])
        p.redo.clear()
    p.edited = [*changed_program(recording, changes), *more]
    p.rev += 1
    run_program(seed=recording.seed)
    return True


def undo() -> None:
    """Take back the builder's last change."""
    p = page()
    if p.undo:
        remember(p.redo, "\n\n".join(p.edited))
        _replace(p.undo.pop())


def redo() -> None:
    """Make the change again that was taken back last."""
    p = page()
    if p.redo:
        remember(p.undo, "\n\n".join(p.edited))
        _replace(p.redo.pop())
