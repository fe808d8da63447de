"""Another program or recording is put on show: an example, what a link holds, a file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from components.menus.gallery import example as example_of
from components.page import address, tasks
from components.page.attached import plainly_named, put_beside, refused
from components.page.edits import put_text
from components.page.recording_cache import gone
from components.page.runs import run_program
from components.page.selection import exists, select, translated
from components.page.state import page
from engine.opening import opened
from engine.opening import sentence as not_opened
from engine.program import Program, ProgramError
from engine.program.project import program_among
from engine.program.share import Link, program_of
from engine.recording import Recording
from engine.sandbox.calls import CallError
from engine.sandbox.runner import isolated


def open_example(name: str) -> None:
    """Show an example and run it."""
    example = example_of(name)
    if example is None:
        return
    _show(Program.from_text(example.text), example.title)
    address.name_example(name)


def open_link(link: Link) -> None:
    """Show what a link holds, at its moment; where a stranger's program could do harm it waits for the user's word."""
    put_text(program_of(link), link.name or "Shared program")
    p = page()
    p.beside, p.arguments = (), ""
    p.view = link.view

    def there() -> None:
        p.keep = None
        # In the link's view already: the player would select it there by a command of its own, and lose this one's step.
        if p.recording is not None and link.selected is not None and exists(p.recording, link.selected):
            select(translated(p.recording, link.selected, p.view))
        elif p.recording is not None and (shown := translated(p.recording, p.selected, p.view)) != p.selected:
            select(shown, open=False)
        p.command = {**p.command, "n": p.command["n"] + 1, "step": link.step}
        p.commands = p.command["n"]

    if isolated():
        run_program(there)
    else:
        p.unrun = there


def open_files(files: dict[str, bytes]) -> None:
    """Show the program or recording among several files, with the others beside it; where there is none, the program on show
    finds them."""
    name = program_among(files)
    if name is None:
        put_beside(files)
        return
    data = files.pop(name)
    open_file(data, name.rpartition("/")[2], beside=tuple(sorted(plainly_named(files).items())))


def open_file(
    data: bytes,
    name: str,
    otherwise: Callable[[], None] = lambda: None,
    beside: tuple[tuple[str, bytes], ...] = (),
) -> None:
    """Show a program (.py, .ipynb) or a recording (.gradtape) from a file when it has been read, and run it.

    What is on show stays until then. A bad file leaves a notice, and `otherwise` is done. A program finds what is `beside` it.
    """
    p = page()
    p.notice = ""

    def work(stop: threading.Event) -> Program | Recording:
        return opened(data, name, stop=stop)

    def arrived(content: Program | Recording) -> None:
        try:
            _show_file(content, name, beside)
        except ProgramError as error:
            failed(CallError("refused", str(error)))

    def failed(error: CallError) -> None:
        otherwise()
        p.notice = not_opened(error, name)

    tasks.start("open", f"Opening {name}", work, arrived, failed=failed)


def _show_file(content: Program | Recording, name: str, beside: tuple[tuple[str, bytes], ...] = ()) -> None:
    """Show what was in a file."""
    p = page()
    if isinstance(content, Program):
        if why := refused(content, beside):
            raise ProgramError(why)
        _show(replace(content, files=beside), name)
    else:
        program = Program.from_cells(content.source)
        tasks.cancel("run")
        put_text(program, name)
        if p.recording is not p.pinned:
            gone(p.recording)
        p.opened, p.result, p.ran = content, None, tuple(content.source)
        p.step, p.selected = None, None
    address.name_nothing()


def _show(program: Program, name: str) -> None:
    """Show another program, to which nothing of the last one matters."""
    put_text(program, name)
    p = page()
    p.beside, p.arguments = program.files, ""
    p.shown += 1
    p.unfolded, p.rolled, p.turned = None, None, ()

    def fresh() -> None:
        p.keep, p.pinned = None, None

    run_program(fresh)
