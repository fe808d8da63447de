"""Runs of the program: what the editors hold is run, and its result put on show, at the moment and node that were."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from components.page import controls, tasks, titles
from components.page.limits import limits_now
from components.page.recording_cache import gone
from components.page.selection import exists, select, telling
from components.page.state import page
from components.server.render_lock import LONG
from engine.diagnosis.comparison.alignment import Matching, match
from engine.graph.chosen import NONE_CHOSEN
from engine.graph.structure.rolled import CARD, is_card
from engine.program import Program, ProgramError
from engine.recording import Recording
from engine.sandbox import Control, RunResult, run

ALIKE = 0.5
"""The share of events that two runs must have in common for the page to stay at its moment."""
MAX_MATCHED = 10_000
"""Events of runs that are matched for that; of one that was cut short, `LONG`: where it was cut has no meaning."""


def run_typed(then: Callable[[], None] = lambda: None, seed: int | None = None, until: int | None = None) -> None:
    """Run what the editors hold in the browser: for callbacks, which come before the page is drawn."""
    p = page()
    for cell in range(len(p.edited)):
        text = controls.newest_text(f"editor_{cell}", p.rev)
        if text is not None:
            p.edited[cell] = text
    run_program(then, seed, until)


def run_program(then: Callable[[], None] = lambda: None, seed: int | None = None, until: int | None = None) -> None:
    """Run what the editors hold, and call `then` when the result is on show; until then the last one stays. With the `seed` of
    another run the random numbers are that run's, unless the program says others; `until` is how many of a notebook's
    cells are run, if not all are."""
    p = page()
    texts, p.notice = tuple(p.edited), ""
    titles.settle(p)
    cut = until is not None and until < len(texts)
    if p.unrun is not None:
        then, p.unrun = p.unrun, None
    try:
        p.program = Program(
            texts,
            p.program.name,
            notebook=p.is_notebook,
            files=p.beside,
            arguments=tuple(shlex.split(p.arguments)),
            story=p.program.story,
        )
    except ProgramError as error:
        p.notice = f"The program cannot be run: {error}."
        return
    program, limits = p.program, limits_now()
    if cut:
        texts = texts[:until]
        program = replace(program, cells=texts, story=program.story.until(len(texts)))
    tasks.cancel("check")
    tasks.cancel("functions")
    tasks.cancel("fix")

    def arrived(result: RunResult) -> None:
        _take(result, texts, cut)
        then()

    control = Control()
    work = partial(run, program, limits, control=control, seed=seed)
    tasks.start("run", "Running", lambda stop: work(stop=stop), arrived, limits=limits, control=control)


def _take(result: RunResult, texts: tuple[str, ...], cut: bool) -> None:
    """Put a run's result on show."""
    p = page()
    shown, step = p.recording, p.step
    p.result, p.ran, p.partial, p.opened = result, texts, cut, None
    akin = _keep(shown, step)
    if not p.has_pinned(shown):
        gone(shown)
    p.step = None
    if not akin or p.selected is None or p.recording is None or not exists(p.recording, p.selected):
        select(telling(p.recording), open=False)


def _there(shown: Recording, matching: Matching, key: str) -> str | None:
    """What a card's key is in the new run; that of a place is made of its first node's, that of a group stays."""
    place = CARD if is_card(key) else ""
    node = key.removeprefix(place)
    if not exists(shown, node):
        return key
    there = matching.key(node)
    return None if there is None else place + there


def _keep(shown: Recording | None, step: int | None) -> bool:
    """Stay at the moment and the node that were shown, if the new run has them; whether it may be one of the same program."""
    p = page()
    p.keep = None
    recording = p.recording
    if shown is None or recording is None or step is None:
        return True
    fewer, more = sorted((len(shown.events), len(recording.events)))
    if more > (MAX_MATCHED if p.result is not None and p.result.status in ("ok", "error") else LONG):
        return fewer >= ALIKE * more
    # No more can be alike than the shorter run has. The matching is not kept, else each run would hold the one before it.
    matching = None if fewer < ALIKE * more else match(shown, recording, keep=p.has_pinned(shown))
    if matching is None or matching.likeness < ALIKE:
        p.chosen = NONE_CHOSEN
        return False
    p.chosen = p.chosen.moved(partial(_there, shown, matching))
    if p.selected is not None and p.selected[:1] in "tn":
        p.selected = matching.key(p.selected)
        if p.selected is not None:
            p.expected.add(p.selected)
    p.keep = {"run": p.run_id, "step": matching.moment(step), "selected": p.selected}
    return True
