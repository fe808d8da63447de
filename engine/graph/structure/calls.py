"""Call paths with recursion rolled up: of a function that calls itself, directly or by way of others, one call is left."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

import numpy as np

from ...recording.columns import Ints
from ...recording.recording import Recording

Calls: TypeAlias = tuple[tuple[int, str], ...]
"""A call path, as a scope has it: pairs (row of the call in `sites`, name of the function that was called)."""


def same_sites(recording: Recording) -> Ints:
    """For each site the first that is the same span of the text; the last row is NOTHING's own.

    An expression can have several sites: CPython runs it by other instructions once it has run often.
    """
    made = recording.derived.get("same sites")
    if made is None:
        first: dict[tuple[int, ...], int] = {}
        rows = [
            first.setdefault((s.cell, s.line, s.column, s.end_line, s.end_column), row) for row, s in enumerate(recording.sites)
        ]
        made = recording.derived["same sites"] = np.array([*rows, -1], np.int64)
    assert isinstance(made, np.ndarray)
    return made


class Recursion:
    """Which calls of a recording call the same function."""

    def __init__(self, recording: Recording) -> None:
        self._above: dict[object, object] = {}
        self._rolled: dict[Calls, Calls] = {(): ()}
        self._site = same_sites(recording).tolist()
        for calls in {scope.calls for scope in recording.scopes}:
            # What a call enters is the function in which the next call stands.
            for call, inner in pairwise(self._plain(calls)):
                self._join(call, inner[0])

    def _plain(self, calls: Calls) -> Calls:
        return tuple((self._site[site], function) for site, function in calls)

    def rolled(self, calls: Calls) -> Calls:
        """The path without the calls between two of the same function."""
        known = self._rolled.get(calls)
        if known is None:
            path: list[tuple[int, str]] = []
            at: dict[object, int] = {}
            for call in self._plain(calls):
                function = self._top(call)
                if function in at:
                    for dropped in path[at[function] + 1 :]:
                        at.pop(self._top(dropped), None)
                    del path[at[function] + 1 :]
                else:
                    at[function] = len(path)
                    path.append(call)
            known = self._rolled[calls] = tuple(path)
        return known

    def _top(self, one: object) -> object:
        path = []
        while (above := self._above.get(one, one)) != one:
            path.append(one)
            one = above
        for passed in path:
            self._above[passed] = one
        return one

    def _join(self, one: object, other: object) -> None:
        self._above[self._top(one)] = self._top(other)
