"""Which pictures of a folded graph a replay has: as it opens, with each group open, all closed, all open.

A file cannot ask for another picture, and one path of groups is open at a time, so there are as many pictures as groups. They
share their cards and edges, which are written once; a picture says where those stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from components.player.protocol import Card, Line
from engine.graph.graph_view import GraphView, to_open

FIRST, NOTHING_OPEN, ALL_OPEN = "", "-", "*"
"""Names of the pictures that are not named by a group: as it opens, all groups closed, all open."""
WORK = 600_000
"""Nodes of all pictures of a view together, as they are before folding: so many are gone through in some seconds."""
MOST = 120
"""Pictures of a view."""
UNFOLDED = 3_000
"""Nodes up to which there is a picture with all groups open."""


def openings(first: GraphView) -> Iterator[tuple[str, Iterable[str]]]:
    """The pictures' names and which groups are open in them, the more important ones first."""
    groups, opened, size = first.groups, first.opened, len(first.structure.graph)
    yield FIRST, opened
    if not groups.groups:
        return
    if opened:
        yield NOTHING_OPEN, ()
    if size <= UNFOLDED:
        yield ALL_OPEN, groups.groups
    paths = sorted((to_open(groups, f"g:{id}") for id in groups.groups if id not in opened), key=len)
    for path in paths[: min(MOST, WORK // size)]:
        yield path[-1], opened.union(path)


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


def standing(card: Card, rows: Rows) -> list[Any]:
    """A card of a picture: its row in the table, and where it stands."""
    return [rows.row_of(msgspec.structs.replace(card, x=0, y=0)), round(card.x), round(card.y)]


def running(line: Line, rows: Rows) -> list[Any]:
    """An edge of a picture: its row in the table, and how it runs."""
    route = [(round(x), round(y)) for x, y in line.route]
    return [rows.row_of(msgspec.structs.replace(line, far=False, route=[])), line.far, route]
