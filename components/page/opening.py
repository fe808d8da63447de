"""Another program or recording is put on show: an example, what a link holds, a file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

import streamlit as st

from components.html.markup import literal, shortened
from components.menus.gallery import example as example_of
from components.menus.share import PARAMETER
from components.page import address, tasks
from components.page.attached import plainly_named, put_beside, refused
from components.page.edits import put_text
from components.page.pinned import unpin_all
from components.page.recording_cache import gone
from components.page.runs import run_program
from components.page.selection import exists, select, translated
from components.page.state import Page, new_id, page
from engine.graph.chosen import NONE_CHOSEN
from engine.opening import opened
from engine.opening import sentence as not_opened
from engine.program import Program, ProgramError
from engine.program.project import program_among
from engine.program.share import MAX_NAME, Link, LinkError, program_of, unpack
from engine.recording import Recording
from engine.sandbox.calls import CallError
from engine.sandbox.runner import isolated

KEPT = 8_000_000
"""Bytes of a recording's file that the page holds on to, until the browser keeps it."""


def open_example(name: str) -> None:
    """Show an example and run it."""
    example = example_of(name)
    if example is None:
        return
    _show(example.program, example.title, address.named_example(name))
    page().presenting = example.program.notebook


def open_asked(asked: Mapping[str, str], default: str) -> str:
    """Show the link or the example that an address asks for, the `default` example where it names none that there is; why it
    cannot be shown, if it cannot."""
    packed = asked.get(PARAMETER)
    if packed is not None:
        try:
            open_link(unpack(packed), f"{PARAMETER}={packed}")
        except LinkError as error:
            return f"This link cannot be opened: {error}. Here is an example instead."
        return ""
    wanted = asked.get(address.EXAMPLE, default)
    open_example(wanted if example_of(wanted) is not None else default)
    return ""


def open_link(link: Link, query: str | None = None) -> None:
    """Show what a link holds, at its moment; where a stranger's program could do harm it waits for the user's word."""
    p = put(program_of(link), link.name or "Shared program", query)
    p.view = link.view

    def there() -> None:
        p.keep = None
        unpin_all(p)
        look_at(link.selected, link.step)

    if isolated():
        run_program(there)
    else:
        p.unrun = there


def look_at(selected: str | None, step: int | None, until: int | None = None) -> None:
    """Have the player go to a moment, its end without one, and select a node where there is one; with `until` it plays from
    there up to that step."""
    p = page()
    p.order()
    # In the chosen view already: the player would select it there by a command of its own, and lose this one's step.
    if p.recording is not None and selected is not None and exists(p.recording, selected):
        select(translated(p.recording, selected, p.view))
    elif p.recording is not None and (shown := translated(p.recording, p.selected, p.view)) != p.selected:
        select(shown, open=False)
    p.command |= {"step": step, "until": until}


def put(program: Program, name: str, query: str | None) -> Page:
    """Put another program in the place of the one on show, of which nothing matters to it."""
    put_text(program, name)
    p = page()
    p.beside, p.arguments = program.files, ""
    begun(p, query)
    p.shown += 1
    p.unfolded, p.rolled, p.turned, p.watched = None, None, (), []
    return p


def begun(p: Page, query: str | None) -> None:
    """What is on show is a program of its own, which an address opens by `query`, if it is not known to this browser alone."""
    texts = tuple(p.edited)
    p.work, p.record, p.sealed, p.turned_to = new_id(), new_id(), texts, ()
    p.chosen = NONE_CHOSEN
    p.named = None if query is None else (texts, p.name, query)
    p.file, p.stored, p.coming, p.awaited = ("", b""), None, None, ""
    p.presenting, p.slide, p.turned_in, p.guessed = False, 0, "", set()


def open_files(files: dict[str, bytes]) -> None:
    """Show the program or recording among several files, with the others beside it; where there is none, the program on show
    finds them."""
    name = program_among(files)
    if name is None:
        put_beside(files)
        if not page().notice:
            said = shortened(", ".join(sorted(files)), MAX_NAME)
            st.toast(f"{literal(said)}: beside the program now, which finds it by this name.", icon=":material/attach_file:")
        return
    data = files.pop(name)
    open_file(data, name.rpartition("/")[2], beside=tuple(sorted(plainly_named(files).items())))


def open_file(
    data: bytes,
    name: str,
    otherwise: Callable[[], None] = lambda: None,
    beside: tuple[tuple[str, bytes], ...] = (),
    query: str | None = None,
    then: Callable[[], None] = lambda: None,
) -> None:
    """Show a program (.py, .ipynb) or a recording (.gradtape) from a file when it has been read, and run it.

    What is on show stays until then. A bad file leaves a notice, and `otherwise` is done. A program finds what is `beside` it.
    With a `query` the page's address is that as long as the file is on show as it was; `then` is done when it is.
    """
    p = page()
    p.notice = ""

    def work(stop: threading.Event) -> Program | Recording:
        return opened(data, name, stop=stop)

    def arrived(content: Program | Recording) -> None:
        try:
            _show_file(content, name, data, beside, query)
            then()
        except ProgramError as error:
            failed(CallError("refused", str(error)))

    def failed(error: CallError) -> None:
        otherwise()
        p.notice = not_opened(error, name)

    tasks.start("open", f"Opening {name}", work, arrived, failed=failed)


def _show_file(
    content: Program | Recording, name: str, data: bytes, beside: tuple[tuple[str, bytes], ...], query: str | None
) -> None:
    """Show what was in a file."""
    if isinstance(content, Program):
        if why := refused(content, beside):
            raise ProgramError(why)
        _show(replace(content, files=beside), name, query)
    else:
        show_recording(content, name, data, query)


def show_recording(recording: Recording, name: str, data: bytes, query: str | None) -> None:
    """Show a recording that has been read from the bytes of a file."""
    p = page()
    program = Program.from_cells(recording.source, story=recording.story)
    tasks.cancel("run")
    put_text(program, name)
    if not p.has_pinned(p.recording):
        gone(p.recording)
    p.opened, p.result, p.ran, p.partial = recording, None, tuple(recording.source), False
    p.step, p.selected = None, None
    begun(p, query)
    if len(data) <= KEPT and query is None:
        p.file = (name[:MAX_NAME], data)


def _show(program: Program, name: str, query: str | None) -> None:
    """Show another program, and run it."""
    p = put(program, name, query)

    def fresh() -> None:
        p.keep = None
        unpin_all(p)

    run_program(fresh)
