"""The pictures of one view in a replay: folded as it opens, and with each group open, since a file cannot ask for another.

A replay has one path of groups open at a time, so there are as many pictures as groups. They share their cards and edges, which
are written once; a picture says where those stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from components.player import cards, feed, tape
from components.player.cards import Lines
from components.player.picture import Wish, drawing
from components.player.protocol import Card, Line, Point
from engine.graph.graph_view import GraphView, graph_view, to_open
from engine.graph.structure.folding import Mode
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


def pictures(recording: Recording, view: str, direction: str, name: str, lines: Lines, tell: Tell = untold) -> dict[str, Any]:
    """What all pictures of a view share, and the pictures by name: {"shared", "nodes", "edges", "pictures"}.

    `shared` is what the player puts together of a message, without what differs. `nodes` and `edges` are tables; a picture's
    own `nodes` are [row in the table, x, y], its `edges` [row, whether far, route]; `vis` is whether vis-network draws it.
    """
    first = graph_view(recording, view, fold=FOLD)
    wish, window = Wish(view, direction, name, FOLD), (0, len(recording.events) - 1)
    nodes, edges = _Table(), _Table()
    made: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for title, opened in told(list(_openings(first)), tell):
        d = drawing(recording, msgspec.structs.replace(wish, opened=tuple(sorted(opened))))
        data = feed.picture(d, window, cards.shown(d, window))
        options = options or (data.network.options if data.network else {})
        made[title] = {
            "rev": d.rev, "fold": data.fold, "legend": data.legend, "sites": data.sites, "vis": data.network is not None,
            "nodes": [[nodes.row_of(card), x, y] for card, x, y in map(_standing, data.nodes)],
            "edges": [[edges.row_of(line), far, route] for line, far, route in map(_running, data.edges)],
        }  # fmt: skip
    whole = drawing(recording, msgspec.structs.replace(wish, fold="none"))
    shared = {
        "tape": wish.tape, "total": len(recording.events), "picture": wish.name, "view": view, "direction": direction,
        "options": options, "run": tape.run(first, captioned=True),
        "details": cards.detailed(whole, cards.shown(whole, window), lines),
    }  # fmt: skip
    return {"shared": shared, "nodes": nodes.rows, "edges": edges.rows, "pictures": made}


def _openings(first: GraphView) -> Iterator[tuple[str, Iterable[str]]]:
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


class _Table:
    """Things that pictures share, each written once."""

    def __init__(self) -> None:
        self.rows: list[msgspec.Raw] = []
        self._known: dict[bytes, int] = {}

    def row_of(self, thing: msgspec.Struct) -> int:
        written = msgspec.json.encode(thing)
        row = self._known.get(written)
        if row is None:
            row = self._known[written] = len(self.rows)
            self.rows.append(msgspec.Raw(written))
        return row


def _standing(card: Card) -> tuple[Card, int, int]:
    return msgspec.structs.replace(card, x=0, y=0), round(card.x), round(card.y)


def _running(line: Line) -> tuple[Line, bool, list[Point]]:
    return msgspec.structs.replace(line, far=False, route=[]), line.far, [(round(x), round(y)) for x, y in line.route]
