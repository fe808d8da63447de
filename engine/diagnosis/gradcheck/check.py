"""Are the gradients of a backward pass right? Finite differences of its root say so, leaf by leaf and node by node.

The program runs again in the sandbox, in float64, once for each nudge of an element up or down
(`engine.experiments.gradcheck.rerun` says what is held constant). A gradient is compared at the leaf's value of that pass, so
in a training loop each pass has a check of its own. Where differences from the left and the right disagree however small the
step, there is a kink and no derivative.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from ...experiments.gradcheck.messages import CheckRequest
from ...program import Program
from ...recording.events import BackwardEnded, CellBegan
from ...recording.index import Pass, index_of
from ...recording.levels import beginning, levels_of
from ...recording.recording import Recording
from ...sandbox.transport.messages import Limits
from .check_result import Check
from .verdicts import judged

ELEMENTS = CheckRequest(1).elements
EACH = 2e-5
"""Seconds, about, for each event of each run,"""
WORTHWHILE = 0.5
"""and seconds of work from which on another process pays."""
MOST = 8
"""Processes for one check."""


def check_numerically(
    what: Recording | Program | str,
    number: int | None = None,
    limits: Limits = Limits(seconds=10.0),  # noqa: B008  (frozen)
    *,
    stop: threading.Event | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> Check:
    """Check the gradients of one backward pass by finite differences.

    Args:
        what: a recording, whose program runs again, or a program or its text, which runs once more for a recording.
        number: the backward pass; the last one that came to its end if none is given.
        limits: for the check as a whole; where the time does not suffice, fewer elements are checked.
        stop: set by another thread to call the check off.
        progress: told now and then how far the check is, from 0 to 1.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    from ...experiments.gradcheck.parent import check
    from ...sandbox import run

    if isinstance(what, Recording):
        recording, program = what, program_of(what)
    else:
        program = Program.from_text(what) if isinstance(what, str) else what
        result = run(program, stop=stop)
        if result.recording is None:
            return Check(
                number=number or 0, problem=f"The program cannot be run: {result.error.message if result.error else ''}"
            )
        recording = result.recording
    entry, problem = _chosen(recording, number)
    if entry is None:
        return Check(number=number or 0, problem=problem)
    if not any(cell.strip() for cell in program.cells):
        return Check(number=entry.number, problem="The recording does not hold its program, so it cannot run again.")
    reply = check(program, CheckRequest(entry.number), limits, stop=stop, parts=_parts(recording, entry), progress=progress)
    return judged(recording, entry, reply)


def _parts(recording: Recording, entry: Pass) -> int:
    """Among how many processes a check is worth dividing: each repeats the runs that the differences start from."""
    from ...serving.pool import pool

    index = index_of(recording)
    wanted = entry.event.inputs or entry.fills
    nudges = sum(2 * min(int(np.prod(index.tensors[tensor].info.shape)), ELEMENTS + 1) for tensor in wanted)
    return max(1, min(int(nudges * entry.ended * EACH / WORTHWHILE), pool().idle, MOST))


def program_of(recording: Recording) -> Program:
    """The program that a recording is of."""
    notebook = any(isinstance(event, CellBegan) for event in recording.events)
    modules = tuple(
        (name, text.encode()) for name, text in zip(recording.names[1:], recording.source[1:], strict=False) if name
    )
    if recording.engine != "numpy" or not modules:
        return Program(tuple(recording.source) or ("",), "program", notebook, recording.files, recording.arguments)
    cells = tuple(recording.source[k] for k in recording.own)
    return Program(cells, recording.names[0], notebook, recording.files or modules, recording.arguments)


def _chosen(recording: Recording, number: int | None) -> tuple[Pass | None, str]:
    """The pass to check, or None and why there is none."""
    asked = None if number is None else index_of(recording).passes.get(number)
    # Passes that were not recorded were not counted, so the program would be stopped at another one.
    if asked is not None and levels_of(recording).lowest(0, asked.began) != "whole":
        return None, f"Backward pass {number} comes after a part of the run that is not recorded whole."
    recording = beginning(recording)
    passes = index_of(recording).passes
    failed = {e.number: e.error for e in recording.events if isinstance(e, BackwardEnded) and e.error}
    done = {e.number for e in recording.events if isinstance(e, BackwardEnded) and not e.error}
    if not passes:
        return None, "There is no backward pass to check."
    wanted = max(done, default=None) if number is None else number
    if wanted is None or wanted in failed:
        error = failed.get(wanted or max(failed, default=0), "it did not come to its end")
        return None, f"The backward pass fails, so it has no gradients to check: {error[:200]}"
    if wanted not in passes:
        return None, f"There is no backward pass {wanted}; the program has {len(passes)}."
    return passes[wanted], "" if wanted in done else "The backward pass did not come to its end."
