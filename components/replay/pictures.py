"""The pictures of one view in a replay: folded as it opens, and with each group open, since a file cannot ask for another.

A replay has one path of groups open at a time, so there are as many pictures as groups. They share their cards and edges, which
are written once; a picture says where those stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from components.player.folds import at_first, folding, to_open
from components.player.payload import drawing, payload
from components.player.watched import Details, detailed
from engine.graph.graph_view import Whole, whole
from engine.graph.structure.folding import Folding, Mode
from engine.progress import Tell, told, untold
from engine.recording import Recording

FIRST, NOTHING_OPEN, ALL_OPEN = "", "-", "*"
"""Names of the pictures that are not named by a group: as it opens, all groups closed, all open."""
WORK = 600_000
"""Nodes of all pictures of a view together, as they are before folding: so many are gone through in some seconds."""
MOST = 120
"""Pictures of a view."""
UNFOLDED = 3_000
"""Nodes up to which there is a picture with all groups open."""
FOLD: Mode = "auto"
_OWN = ("rev", "fold", "legend", "sites")
"""What a picture has of its own beside nodes and edges."""


def pictures(
    recording: Recording, view: str, direction: str, name: str, details: Details, tell: Tell = untold
) -> dict[str, Any]:
    """What all pictures of a view share, and the pictures by name: {"shared", "nodes", "edges", "pictures"}.

    `shared` is a payload without what differs. `nodes` and `edges` are tables; a picture's own `nodes` are [row in the table,
    x, y], its `edges` [row, whether far, route].
    """
    everything = whole(recording, view)
    groups = folding(recording, view, FOLD)
    nodes, edges = _Table(), _Table()
    made: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    for title, opened in told(list(_openings(everything, groups, at_first(recording, view, FOLD))), tell):
        data = payload(drawing(recording, view, direction, name, fold=FOLD, opened=opened))
        made[title] = {
            **{part: data.pop(part) for part in _OWN},
            "nodes": [[nodes.row_of(node), node_x, node_y] for node, node_x, node_y in map(_standing, data.pop("nodes"))],
            "edges": [[edges.row_of(edge), far, route] for edge, far, route in map(_running, data.pop("edges"))],
        }
        shared = shared or data
    shared["network"] = {"options": shared["network"]["options"]}
    shared["details"] = detailed(recording, everything.graph, everything.faces, details)
    return {"shared": shared, "nodes": nodes.rows, "edges": edges.rows, "pictures": made}


def _openings(everything: Whole, groups: Folding, first: frozenset[str]) -> Iterator[tuple[str, Iterable[str]]]:
    """The pictures' names and which groups are open in them, the more important ones first."""
    yield FIRST, first
    if not groups.groups:
        return
    if first:
        yield NOTHING_OPEN, ()
    if len(everything.graph) <= UNFOLDED:
        yield ALL_OPEN, groups.groups
    paths = sorted((to_open(groups, f"g:{id}") for id in groups.groups if id not in first), key=len)
    for path in paths[: min(MOST, WORK // len(everything.graph))]:
        yield path[-1], first.union(path)


class _Table:
    """Things that pictures share, each written once."""

    def __init__(self) -> None:
        self.rows: list[msgspec.Raw] = []
        self._known: dict[bytes, int] = {}

    def row_of(self, thing: dict[str, Any]) -> int:
        written = msgspec.json.encode(thing)
        row = self._known.get(written)
        if row is None:
            row = self._known[written] = len(self.rows)
            self.rows.append(msgspec.Raw(written))
        return row


def _standing(node: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
    return node, round(node.pop("x")), round(node.pop("y"))


def _running(edge: dict[str, Any]) -> tuple[dict[str, Any], bool, list[tuple[int, int]]]:
    return edge, edge.pop("far"), [(round(x), round(y)) for x, y in edge.pop("route")]
