"""Findings speak of iterations: each says in which one it shows, and what is said of one place in many is one finding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from ..graph.structure.moments import iteration_of, iteration_text, iterations_text
from ..graph.structure.places import places_of
from ..recording.columns import columns_of
from ..recording.events import NOTHING, Site
from ..recording.recording import Recording
from .reason import Finding

_Alike: TypeAlias = tuple[str, str, Site | None, int]
"""Rule, severity, line, and place of what it is about."""


def over_iterations(recording: Recording, found: Iterable[Finding]) -> list[Finding]:
    """The findings in their order, those of one rule about one place as the first of them, with all their iterations."""
    alike: dict[_Alike | int, list[Finding]] = {}
    for number, finding in enumerate(found):
        inside = iteration_of(recording, finding.step) != NOTHING
        alike.setdefault(_about(recording, finding) if inside else number, []).append(finding)
    return [_one(recording, same) for same in alike.values()]


def shows(finding: Finding) -> str:
    """What to say ahead of a finding's iterations."""
    return "shows in" if finding.iterations.startswith("iterations") else "shows first in"


def _about(recording: Recording, finding: Finding) -> _Alike:
    places, columns = places_of(recording), columns_of(recording)
    place = NOTHING
    for node in finding.nodes[:1]:
        number, tensor = int(node[1:]), node[0] == "t"
        place = int(places.place_of[number]) if tensor else -2 - int(places.node[columns.row_of_node[number]])
    return finding.rule, finding.severity, finding.site, place


def _one(recording: Recording, same: list[Finding]) -> Finding:
    first = same[0]
    iterations = iterations_text(recording, [finding.step for finding in same]) if len(same) > 1 else ""
    if not iterations.startswith("iterations") and " iterations " not in iterations:
        iterations = iteration_text(recording, first.step)
    nodes = dict.fromkeys(node for finding in same for node in finding.nodes)
    return msgspec.structs.replace(first, nodes=tuple(nodes), iterations=iterations)
