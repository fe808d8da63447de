"""Which iterations of a run a replay has room for: the most telling ones first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from engine.diagnosis import findings
from engine.graph.rolled_graph import MOST, RolledGraph

ENDS = 3
"""Iterations at the beginning and at the end that come before those in between."""


def tiles(view: RolledGraph) -> list[tuple[int, int]]:
    """First and last step of each iteration with what comes after it, all of the run between them; one that is longer than what
    is worked out in one go, in several."""
    starts, last = view.iterations.starts.tolist(), len(view.recording.events) - 1
    bounds = [0, *starts[1:], last + 1]
    return [
        (first, min(first + MOST, end) - 1)
        for begin, end in pairwise(bounds)
        for first in range(begin, end, MOST)
    ]  # fmt: skip


def wanted_rows(view: RolledGraph, spans: list[tuple[int, int]], step: int | None) -> list[int]:
    """All tiles, those first that one wants to look at: the step on show, what goes wrong, both ends, then every so many-th."""
    total = len(spans)
    at = dict.fromkeys(_around([_tile(spans, step)] if step is not None else [total - 1], total))
    marks = [mark.step for mark in view.timeline().marks if mark.kind != "shape"]
    told = [step for finding in findings(view.recording) for step in (finding.step,) if step >= 0]
    at |= dict.fromkeys(_around([_tile(spans, step) for step in (*marks, *told)], total))
    at |= dict.fromkeys([*range(min(ENDS, total)), *range(max(0, total - ENDS), total)])
    return list(at | dict.fromkeys(_coarse_to_fine(total)))


def _tile(spans: list[tuple[int, int]], step: int) -> int:
    return next((row for row, (first, last) in enumerate(spans) if first <= step <= last), len(spans) - 1)


def _around(rows: Iterable[int], total: int) -> Iterator[int]:
    """Rows, then their neighbours, which is what the player asks for with one."""
    rows = list(rows)
    for away in (0, -1, 1):
        yield from (row + away for row in rows if 0 <= row + away < total)


def _coarse_to_fine(total: int) -> Iterator[int]:
    """Every row, in an order of which each beginning is evenly spread."""
    gap = 1 << max(total - 1, 0).bit_length()
    while gap >= 1:
        yield from range(0, total, gap)
        gap //= 2
