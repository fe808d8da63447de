"""Which pictures of a folded graph a replay has: as it opens, with each group open, all closed, all open.

A file cannot ask for another picture, and one path of groups is open at a time, so there are as many pictures as groups. They
share their cards and edges, which are written once; a picture says where those stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from components.player.folds import to_open
from engine.graph.structure.folding import Folding

FIRST, NOTHING_OPEN, ALL_OPEN = "", "-", "*"
"""Names of the pictures that are not named by a group: as it opens, all groups closed, all open."""
WORK = 600_000
"""Nodes of all pictures of a view together, as they are before folding: so many are gone through in some seconds."""
MOST = 120
"""Pictures of a view."""
UNFOLDED = 3_000
"""Nodes up to which there is a picture with all groups open."""


def openings(nodes: int, groups: Folding, first: frozenset[str]) -> Iterator[tuple[str, Iterable[str]]]:
    """The pictures' names and which groups are open in them, the more important ones first, of a graph of so many nodes."""
    yield FIRST, first
    if not groups.groups:
        return
    if first:
        yield NOTHING_OPEN, ()
    if nodes <= UNFOLDED:
        yield ALL_OPEN, groups.groups
    paths = sorted((to_open(groups, f"g:{id}") for id in groups.groups if id not in first), key=len)
    for path in paths[: min(MOST, WORK // max(nodes, 1))]:
        yield path[-1], first.union(path)


class Rows:
    """Things that pictures share, each written once."""

    def __init__(self) -> None:
        self.rows: list[msgspec.Raw] = []
        self._known: dict[bytes, int] = {}

    def row_of(self, thing: Any) -> int:
        """The row of a thing in the table."""
        written = msgspec.json.encode(thing)
        row = self._known.get(written)
        if row is None:
            row = self._known[written] = len(self.rows)
            self.rows.append(msgspec.Raw(written))
        return row


def standing(node: dict[str, Any], rows: Rows) -> list[Any]:
    """A card of a picture: its row in the table, and where it stands."""
    x, y = round(node.pop("x")), round(node.pop("y"))
    return [rows.row_of(node), x, y]


def running(edge: dict[str, Any], rows: Rows) -> list[Any]:
    """An edge of a picture: its row in the table, and how it runs."""
    far, route = edge.pop("far"), [(round(x), round(y)) for x, y in edge.pop("route")]
    return [rows.row_of(edge), far, route]
