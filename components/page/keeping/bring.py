"""What the browser has kept is put on show again: after a reload, by Back and Forward, or from the list of recent programs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from components.menus.gallery import DEFAULT
from components.page import address, controls, tasks
from components.page.attached import refused
from components.page.keeping.record import Kept, Moment, Pinned, Told, files_of, sound_moment
from components.page.limits import limits_now
from components.page.opening import look_at, open_asked, open_example, open_file, put
from components.page.pinned import compare_with, unpin_all
from components.page.runs import run_program
from components.page.state import Page, new_id, page
from engine.graph.chosen import Chosen
from engine.program import Program, ProgramError
from engine.recording.story import Story
from engine.sandbox import RunResult, run
from engine.sandbox.runner import isolated

ELSEWHERE = (
    "This address names a program that another browser keeps, or that was forgotten here: it opens only where it was made. "
    "Share makes a link or a file that opens everywhere."
)


def take(message: Told) -> None:
    """Do what a message of the browser is about."""
    p = page()
    if message.n <= p.heard:  # it was sent once more, and both came
        return
    p.heard = message.n
    record, awaited = message.record, p.awaited
    match message.kind:
        case "apart":
            p.work, p.record, p.sealed = new_id(), new_id(), tuple(p.edited)
        case "stored":
            p.stored = (p.work, (p.file,) if p.file[1] else p.beside)
        case "reloaded":
            p.awaited = ""
            if record is not None and (awaited or record.cells != tuple(p.edited) or _typed_since(p)):
                _open(record, files_of(message))
            elif record is not None:
                _go_on(p, record)
            elif awaited:
                _nothing(ELSEWHERE)
        case "went":
            if record is not None:
                _open(record, files_of(message))
            else:
                asked = address.asked_in(message.query)
                if address.HERE in asked:
                    _nothing(ELSEWHERE)
                elif why := open_asked(asked, DEFAULT):
                    _nothing(why)
        case "back":
            pass  # the connection was lost meanwhile, nothing else
        case "bring":
            if record is not None:
                _open(record, files_of(message))


def _typed_since(p: Page) -> bool:
    """Whether the text on show is not the one that the address opened: the editor may tell of it before the browser does."""
    return tuple(p.edited) != p.program.cells


def settle(p: Page) -> None:
    """Look at the run as it was looked at before the reload, once it is there."""
    if p.coming is not None and p.recording is not None and not {"run", "open"} & p.tasks.keys():
        then, p.coming = p.coming, None
        then()


def _nothing(why: str) -> None:
    open_example(DEFAULT)
    page().notice = why


def _go_on(p: Page, record: Kept) -> None:
    """The same program is on show already, from the address: the rest of what was kept is added."""
    p.work, p.record, p.sealed = record.work, record.id, tuple(p.edited)
    if record.own:
        p.named, p.name = None, record.name
        with suppress(ProgramError):  # what a browser says that it kept may be anything
            p.program = replace(p.program, story=_with_pictures(record.story, p.program.story))
    p.undo = list(record.undo)
    _prepare(p, record.moment)
    p.coming = partial(_there, record)
    if p.unrun is not None and not record.unrun:
        run_program()  # this browser's own user has run just this text before


def _open(record: Kept, files: dict[str, bytes]) -> None:
    """Put what was kept on show, and run it; not where a stranger's program waits for the visitor's word."""
    p = page()
    if record.file:
        if record.file in files:
            _prepare(p, record.moment)
            open_file(files[record.file], record.file, otherwise=lambda: _nothing(ELSEWHERE), then=partial(_came, record))
        else:
            _nothing(f"The recording {record.file} is not kept in this browser any more. Open its file again.")
        return
    beside = tuple(sorted(files.items()))
    try:
        program = Program(record.cells, notebook=_is_notebook(record), files=beside, story=record.story)
    except ProgramError as error:
        p.notice = f"What was kept cannot be opened: {error}."
        return
    if why := refused(program, beside):
        p.notice = f"The files that were kept cannot be opened: {why}."
        program, beside = replace(program, files=()), ()
    notice = p.notice
    put(program, record.name, None)
    p.notice, p.arguments = notice, record.arguments
    unpin_all(p)
    p.work, p.record, p.sealed = record.work, record.id, record.cells
    p.stored = (p.work, beside) if beside else None
    p.named = None if record.own else address.naming(record.query, record.cells, record.name)
    p.undo, p.redo = list(record.undo), []
    _prepare(p, record.moment)
    if record.unrun and not isolated():
        p.result, p.opened, p.ran = None, None, ()
        p.unrun = partial(_there, record)
    else:
        run_program(partial(_there, record))
        p.notice = notice or p.notice


def _with_pictures(story: Story, before: Story) -> Story:
    """What was kept, unless it is what is on show but for its pictures."""
    return before if story == before.plain() else story


def _is_notebook(record: Kept) -> bool:
    return len(record.cells) > 1 or bool(record.story)


def _came(record: Kept) -> None:
    """A recording's file has been opened again: it goes on as the record that it was."""
    p = page()
    p.work, p.record = record.work, record.id
    p.stored = (p.work, (p.file,))
    p.coming = partial(_there, record)


def _prepare(p: Page, kept: Moment) -> None:
    """Choose views and panel before the page is drawn."""
    moment = sound_moment(kept)
    p.view, p.direction, p.mode = moment.view, moment.direction, moment.mode
    p.watched, p.chosen = list(moment.watched), Chosen(moment.hidden, moment.coloured)
    controls.put("view", moment.view)
    controls.put("direction", moment.direction)
    controls.put("mode", moment.mode)
    p.next_panel = moment.panel


def _there(record: Kept) -> None:
    """The run is there: go to the moment and the node, and have the pinned run made again."""
    p, moment = page(), sound_moment(record.moment)
    p.keep = None
    look_at(moment.selected, moment.step)
    if moment.picked and p.recording is not None:
        p.picked.propose(p.run_id, list(moment.picked))
    if record.pinned is not None:
        _pin(record.pinned)


def _pin(pinned: Pinned) -> None:
    """Run the program of a pinned run again, with the same random numbers, and pin it."""
    p = page()
    try:
        program = Program(pinned.cells, notebook=len(pinned.cells) > 1, files=p.beside)
    except ProgramError:
        return

    def arrived(result: RunResult) -> None:
        if result.recording is not None:
            compare_with(result.recording, pinned.name)

    work: Callable[..., RunResult] = partial(run, program, limits_now(), seed=pinned.seed)
    tasks.start("pin", "Running the pinned program", lambda stop: work(stop=stop), arrived, dims=False)
