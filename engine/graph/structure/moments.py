"""Moments of a run in words, as page, diagnosis and exports say them: "iteration 137 of 200", "epoch 2, iteration 137 of 200",
"iterations 137–199". Iterations are counted as the page counts them: from 0, those of the main loop over the whole run, others
within the iteration around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from ...recording.events import NOTHING, Site
from ...recording.recording import Recording
from .loops import Loop, Nests, nests_of
from .rolled import main_loop

FEW = 3
"""Iterations that are listed where they are no range."""
_WORD = 3
"""Letters of a counter's name from which on it is a word: "epoch 2", but "t = 2"."""
_ONE = r"(?:[^,()]|\([^()]*\))*"
_COUNTER = re.compile(rf"for\s+(?:(\w+)\s+in\s+range\({_ONE}\)|(\w+)\s*,.*\sin\s+enumerate\({_ONE}\))$")
"""Headers whose variable counts the iterations from 0."""


def iteration_text(recording: Recording, step: int, of: bool = True) -> str:
    """The iterations that a step is in, the main loop's with how many it has: "epoch 2, iteration 137 of 200"; "" outside of
    loops. Without `of` as short as can be: "iteration 137"."""
    nests = nests_of(recording)
    if step < 0 or not nests.loops:
        return ""
    chain = [(i, row) for i, row in _around(nests, step) if nests.loops[i].total > 1]
    if not chain:
        return ""
    main = _main(recording, nests)
    head = chain[-1][0] if all(i != main for i, _ in chain) else main
    if not of:
        chain = [pair for pair in chain if pair[0] == main] or chain[-1:]
    return ", ".join(_part(recording, nests.loops[i], row, i == main, i == head, of) for i, row in chain)


def iterations_text(recording: Recording, steps: Iterable[int], total: int = 0) -> str:
    """The iterations of the main loop that some steps are in: "iterations 137–199", "every 4th iteration from 3 to 199", "50 of
    200 iterations: 3, 7, 8, …" (where the `total` is given); "" where one of them is in none."""
    steps = list(steps)
    rows = sorted({iteration_of(recording, step) for step in steps})
    if not rows or rows[0] == NOTHING:
        return ""
    if len(rows) == 1:
        return f"iteration {rows[0]}"
    if rows[-1] - rows[0] == len(rows) - 1:
        return f"iterations {rows[0]}–{rows[-1]}"
    if len(rows) <= FEW:
        return f"iterations {', '.join(map(str, rows[:-1]))} and {rows[-1]}"
    gaps = {after - before for before, after in pairwise(rows)}
    if len(gaps) == 1:
        return f"every {_ordinal(gaps.pop())} iteration from {rows[0]} to {rows[-1]}"
    if total:
        return f"{len(rows):,} of {total:,} iterations: {', '.join(map(str, rows[:FEW]))}, …, {rows[-1]}"
    return f"{len(rows):,} iterations from {rows[0]} to {rows[-1]}"


def _ordinal(number: int) -> str:
    """ "4th"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def iteration_of(recording: Recording, step: int) -> int:
    """The iteration of the main loop that a step is in, NOTHING outside of it."""
    nests = nests_of(recording)
    main = _main(recording, nests)
    return NOTHING if main == NOTHING else _row(nests.loops[main], step)


def main_of(recording: Recording) -> Loop | None:
    """The main loop, if there is one."""
    nests = nests_of(recording)
    main = _main(recording, nests)
    return None if main == NOTHING else nests.loops[main]


def called(loop: Loop, main: bool, step: int) -> tuple[int, int]:
    """Which iteration of a loop a step is in, or comes after, and of how many, as the page counts them; NOTHING before the
    first."""
    row = int(np.searchsorted(loop.starts, step, "right")) - 1
    if main:
        return row, loop.total
    at, of = _within(loop, max(row, 0))
    return (at if row >= 0 else NOTHING), of


def _main(recording: Recording, nests: Nests) -> int:
    return recording.once("main loop", lambda: main_loop(recording, nests))


def _around(nests: Nests, step: int) -> list[tuple[int, int]]:
    """The time loops around a step, outermost first, with their iterations."""
    found = [(i, _row(loop, step)) for i, loop in enumerate(nests.loops) if loop.kind == "time"]
    return [(i, row) for i, row in found if row != NOTHING]


def _row(loop: Loop, step: int) -> int:
    row = int(np.searchsorted(loop.starts, step, "right")) - 1
    return row if row >= 0 and step <= loop.ends[row] else NOTHING


def _part(recording: Recording, loop: Loop, row: int, main: bool, head: bool, of: bool) -> str:
    at, many = (row, loop.total) if main else _within(loop, row)
    counted = f"{at} of {many:,}" if of else f"{at}"
    if main:
        return f"iteration {counted}"
    if counter := _counter(loop):
        return f"{counter} {counted if head else at}" if len(counter) >= _WORD else f"{counter} = {at}"
    return f"iteration {counted} at {recording.site_text(Site(loop.cell, loop.line, 0, loop.line, 0))}"


def _within(loop: Loop, row: int) -> tuple[int, int]:
    """Which iteration it is of those in the iteration around them, and of how many."""
    if loop.outer[row] == NOTHING:
        return row, loop.total
    first, end = np.searchsorted(loop.outer, [loop.outer[row], loop.outer[row] + 1])
    return row - int(first), int(end - first)


def _counter(loop: Loop) -> str:
    """The variable that counts a loop's iterations from 0, "" where none is known to."""
    found = _COUNTER.match(loop.title)
    name = (found[1] or found[2]) if found else ""
    return "" if name in ("", "_") else name
