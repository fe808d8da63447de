"""A rolled run in a replay: its pictures, what belongs to all of the run, and windows of whole iterations.

What cards, edges, captions and inspector show belongs to a window of steps: an iteration of the main loop up to the next one.
Windows are packed one by one, and unpacked when the player asks for one; of an iteration without a window the file has what the
curves say.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET

from components.html.diagnosis_html import both_views
from components.html.group_html import rolled_group_html
from components.html.inspector_html import inspector_html
from components.html.multiples_html import multiples_html
from components.html.run_html import columns_of_card, ridges_html
from components.player import cards, feed, tape
from components.player.cards import Lines
from components.player.picture import Drawing, Wish, drawing, view_of
from components.player.protocol import Drawn, Window
from components.player.protocol import Rolled as RolledPart
from components.replay.formulas import formula_html
from components.replay.openings import Rows, openings, running, standing
from components.replay.texts import Texts, history
from components.replay.windows import tiles, wanted_rows
from engine.export import Options
from engine.graph import View
from engine.graph.graph_view import GraphView
from engine.graph.rolled_graph import RolledGraph, rolled_graph
from engine.graph.structure.build import Graph
from engine.graph.structure.folding import shown_member
from engine.progress import Tell, untold
from engine.recording import Recording
from engine.recording.events import NOTHING, NodeRan

ROOM = 4_000_000
"""Characters that the windows of one file take together, packed."""
ROOM_BESIDE = 2_000_000
"""Characters that the inspector's contents take: the first of the windows have them, and the others numbers alone."""
EACH = 4
"""Moments of one window at which the inspector's content of one card is made; of a group it is made at the last one."""
NUMBERS = 300_000
"""Numbers of cards over all iterations; where there are more, every so many-th iteration has them."""
_OVER = '<div data-gt-over=""></div>'
"""Where the page puts in what it says of a card over the run."""


@dataclass
class Rolled:
    """The rolled part of a replay."""

    views: dict[str, Any]
    """View → its pictures, as `pictures` has them, and `cards`: what is known of each over the run."""
    windows: list[str] = field(default_factory=list)
    """Packed, in the order of `spans`."""
    beside: list[str] = field(default_factory=list)
    """What the inspector says in each, packed; "" where there is no room for it."""
    spans: list[tuple[int, int]] = field(default_factory=list)
    """First and last step of each window."""
    standing: dict[str, dict[str, str]] = field(default_factory=dict)
    """View → node of the run → the card that stands for it, of those that a replay names."""
    twins: dict[str, dict[str, str]] = field(default_factory=dict)
    """View → card → the card of the other view that stands for the same."""
    ledgers: dict[str, dict[str, str]] = field(default_factory=dict)
    """View → card → the tensor whose ledger is its own."""
    multiples: dict[str, str] = field(default_factory=dict)
    """View → its parameters over the run, as HTML."""


def rolled(
    recording: Recording, views: Iterable[View], options: Options, name: str, details: Lines, tell: Tell = untold
) -> Rolled:
    """The pictures of a recording that is shown rolled, and as many windows as fit into `ROOM`."""
    sides = [_Side(recording, view, options, name) for view in views]
    tell(0.2)
    made = Rolled({side.view: side.pictures for side in sides})
    for side in sides:
        nodes = side.everything.graph.nodes
        made.standing[side.view] = {one: key for key, a in nodes(data=True) if not a["loop"] for one in a["all"][:1]}
        made.ledgers[side.view] = {key: f"t{a['tensor']}" for key, a in nodes(data=True) if a["tensor"] != NOTHING}
        made.multiples[side.view] = multiples_html(side.everything, None)
        others = [other.everything for other in sides if other is not side]
        made.twins[side.view] = {
            key: twin
            for other in others
            for key, a in nodes(data=True)
            if a["all"]
            for member in both_views(recording, a["all"][0])[1:]
            if (twin := other.rolled.key_of.get(member)) is not None
        }  # fmt: skip
    spans = tiles(sides[0].everything)
    rows = wanted_rows(sides[0].everything, spans, options.step)
    kept: dict[int, tuple[str, str]] = {}
    room, beside = ROOM, ROOM_BESIDE
    for count, row in enumerate(rows):
        found = _window(sides, details, spans[row])
        packed = _packed(found)
        room -= len(packed)
        if room < 0 and kept:
            break
        said = _packed(_beside(recording, sides, found["views"], spans[row])) if beside > 0 else ""
        beside -= len(said)
        kept[row] = packed, said
        tell(0.2 + 0.8 * (count + 1) / len(rows))
    for row in sorted(kept):
        made.windows.append(kept[row][0])
        made.beside.append(kept[row][1])
        made.spans.append(spans[row])
    return made


@dataclass(frozen=True, eq=False)
class _Every(GraphView):
    """All pictures of a view at once: its graph has all cards and edges of any of them."""

    every: Graph = field(default_factory=Graph)

    @property
    def graph(self) -> Graph:
        """All cards and edges."""
        return self.every


class _Side:
    """One view of the run: its pictures, and all of them at once."""

    def __init__(self, recording: Recording, view: View, options: Options, name: str) -> None:
        self.recording = recording
        self.view = view
        nodes, edges = Rows(), Rows()
        pictures: dict[str, Any] = {}
        common: dict[str, Any] = {}
        self.union = Graph()
        self.rows: dict[str, None] = {}
        wish = Wish(
            str(view), options.direction, name, opened=options.opened, rolled=True, turned=options.turned, chosen=options.chosen
        )
        first = view_of(recording, wish)
        self.everything: RolledGraph = rolled_graph(recording, view, options.turned)
        for title, opened in openings(first):
            d = drawing(recording, msgspec.structs.replace(wish, opened=tuple(sorted(opened))))
            data = self._still(d)
            assert isinstance(data.rolled, RolledPart)
            common = common or {
                "options": data.network.options if data.network else {},
                "rolled": msgspec.structs.replace(data.rolled, frames=[], window=None, fixed=True),
            }
            pictures[title] = {
                "rev": d.rev, "fold": data.fold, "legend": data.legend, "sites": data.sites, "vis": data.network is not None,
                "frames": data.rolled.frames, "shown": [loop.shown for loop in data.rolled.loops],
                "nodes": [standing(card, nodes) for card in data.nodes],
                "edges": [running(line, edges) for line in data.edges],
            }  # fmt: skip
            self.union.add_nodes_from(d.graph.nodes(data=True))
            self.union.add_edges_from(d.graph.edges(keys=True, data=True))
        self.all = Drawing(wish, _Every(self.everything, first.groups, first.opened, options.direction, every=self.union))
        shared = {
            "tape": wish.tape, "total": len(recording.events), "picture": wish.name, "view": view,
            "direction": options.direction, "run": tape.run(first, captioned=True), **common,
        }  # fmt: skip
        self.pictures = {
            "shared": shared,
            "nodes": nodes.rows,
            "edges": edges.rows,
            "pictures": pictures,
            "cards": self._cards(),
        }

    def _still(self, d: Drawing) -> Drawn:
        """A picture, without what belongs to a window."""
        data = feed.picture(d, (0, 0), cards.shown(d, (0, 0)))
        for card in data.nodes:
            card.history = card.changes = UNSET
            if card.rows:
                card.rows = [msgspec.structs.replace(row, history=[], changes=[]) for row in card.rows]
                self.rows.update(dict.fromkeys(row.key for row in card.rows))
        for line in data.edges:
            line.history = UNSET
        return data

    def _cards(self) -> dict[str, Any]:
        """What is known of each card over the run: how it is spread, as HTML, and its numbers."""
        view, texts = self.everything, Texts()
        total = sum(len(one.value) for one in view.series.values()) * 3
        every = max(1, -(-total // NUMBERS))
        cards = {}
        for key in view.keys:
            ridges = ridges_html(self.recording, view, key)
            columns = columns_of_card(view, key, every)
            if ridges or columns:
                cards[key] = {"ridges": texts.row_of(ridges) if ridges else None, **(columns or {})}
        groups = view.folding.groups.values()
        like = {f"g:{group.id}": {"like": shown_member(view.graph, group.members)} for group in groups}
        return {"texts": texts.texts, "every": every, "of": cards | like}

    def window(self, span: Window, details: Lines) -> dict[str, Any]:
        """What cards and edges show from one step to another, and what the steps are about."""
        seen = cards.shown(self.all, span)
        return {
            "nodes": {key: seen.nodes[key] for key in dict.fromkeys((*self.union, *self.rows))},
            "edges": {"{}>{}>{}".format(*at): told for at, told in seen.edges.items() if told},
            "details": cards.detailed(self.all, seen, details),
            "moments": tape.moments(self.all.view, span),
        }

    def contents(self, nodes: dict[str, Any], first: int, last: int, texts: Texts) -> dict[str, list[tuple[int, list[int]]]]:
        """What the inspector says of each card in a window: pairs (step, rows in `texts`)."""
        view, found = self.everything, {}
        for key in dict.fromkeys((*self.union, *self.rows)):
            steps = sorted({first, last, *(step for step, _ in nodes[key] if first <= step <= last)})
            if key.startswith("g:"):
                found[key] = [(first, texts.rows_of(rolled_group_html(self.recording, view, key[2:], last, _OVER)))]
            elif view.member(key, last)[0] in "tn":
                found[key] = history((step, texts.rows_of(self._content(key, step))) for step in _some(steps))
        return found

    def _content(self, key: str, step: int) -> str:
        return inspector_html(self.recording, step, self.everything.member(key, step), _OVER)


def _some(steps: list[int]) -> list[int]:
    """At most `EACH` of some steps, the first and the last among them."""
    if len(steps) <= EACH:
        return steps
    return [steps[at] for at in np.linspace(0, len(steps) - 1, EACH).round().astype(int).tolist()]


def _window(sides: list[_Side], details: Lines, span: Window) -> dict[str, Any]:
    views = {side.view: side.window(span, details) for side in sides}
    moments = [part["moments"] for part in views.values()]
    captions = moments[0].captions  # the same in all views
    for each in moments:
        each.captions = []
    return {"window": span, "captions": captions, "views": views}


def _beside(recording: Recording, sides: list[_Side], views: dict[str, Any], span: Window) -> dict[str, Any]:
    """What stands beside the graph in a window."""
    texts = Texts()
    inspector = {side.view: side.contents(views[side.view]["nodes"], *span, texts) for side in sides}
    return {"inspector": inspector, "formulas": dict(_formulas(recording, *span, texts)), "texts": texts.texts}


def _formulas(recording: Recording, first: int, last: int, texts: Texts) -> Iterator[tuple[int, int]]:
    for step in range(first, last + 1):
        event = recording.events[step]
        if isinstance(event, NodeRan) and any(event.sent) and (html := formula_html(recording, step)):
            yield step, texts.row_of(html)


def _packed(thing: Any) -> str:
    return b64encode(zlib.compress(msgspec.json.encode(thing), 9)).decode()
