"""Findings speak of iterations: each says in which ones it shows, and what is said of one place in many is one finding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from ..graph.structure.moments import iteration_of, iteration_text, iterations_text, main_of
from ..graph.structure.places import places_of
from ..recording.columns import columns_of
from ..recording.events import NOTHING, Site
from ..recording.levels import beginning
from ..recording.recording import Recording
from .reason import Finding

_Alike: TypeAlias = tuple[str, str, Site | None, int]
"""Rule, severity, line, and place of what it is about."""


def over_iterations(recording: Recording, found: Iterable[Finding]) -> list[Finding]:
    """The findings in their order, those of one rule about one place as the first of them, with all their iterations."""
    alike: dict[_Alike | int, list[Finding]] = {}
    for number, finding in enumerate(found):
        inside = not finding.steps and iteration_of(recording, finding.step) != NOTHING
        alike.setdefault(_about(recording, finding) if inside else number, []).append(finding)
    return [_one(recording, same) for same in alike.values()]


def shows(finding: Finding) -> str:
    """What to say ahead of a finding's iterations."""
    return "shows in" if len(finding.steps) > 1 else "shows first in"


def _about(recording: Recording, finding: Finding) -> _Alike:
    places, columns = places_of(recording), columns_of(recording)
    place = NOTHING
    for node in finding.nodes[:1]:
        number, tensor = int(node[1:]), node[0] == "t"
        place = int(places.place_of[number]) if tensor else -2 - int(places.node[columns.row_of_node[number]])
    return finding.rule, finding.severity, finding.site, place


def _one(recording: Recording, same: list[Finding]) -> Finding:
    first = same[0]
    shown = {first.step, *first.steps, *(finding.step for finding in same)}
    # One moment of each iteration, the first; what is outside of the main loop has no part in it.
    rows: dict[int, int] = {}
    for step in sorted(shown):
        if (row := iteration_of(recording, step)) != NOTHING:
            rows.setdefault(row, step)
    iterations = _text(recording, rows) if len(rows) > 1 else iteration_text(recording, next(iter(rows.values()), first.step))
    nodes = dict.fromkeys(node for finding in same for node in finding.nodes)
    steps = tuple(rows.values()) if len(rows) > 1 else ()
    return msgspec.structs.replace(first, nodes=tuple(nodes), iterations=iterations, steps=steps)


def _text(recording: Recording, rows: dict[int, int]) -> str:
    """Iterations in words, and how far they are known where the recording has grown thinner since."""
    loop, last = main_of(recording), max(rows)
    total = 0 if loop is None else loop.total
    text = f"all {total:,} iterations" if len(rows) == total else iterations_text(recording, rows.values(), total)
    whole = beginning(recording)
    known = whole is recording or loop is None or last < iteration_of(recording, len(whole.events) - 1)
    return text if known else f"{text}, as far as all was recorded"
