"""The graph of a view at one step as shapes: what the page shows, without a browser."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from ..graph.design import Theme, palette
from ..graph.graph_view import GraphView
from ..graph.rolled_cards import parameters, sparkline, title_within
from ..graph.rolled_graph import RolledGraph
from ..graph.shown.node_kinds import tone
from ..graph.shown.node_states import Faces
from ..graph.shown.state_history import EdgeFace, Face
from ..graph.structure.folding import shown_member
from ..recording.index import index_of
from . import backdrop, cards, edges
from .backdrop import Frame
from .cards import Card, Parameter
from .curves import Rectangle, around
from .edges import Edge
from .ready_states import Mark, marks
from .scene import Group, Point, Shape
from .sparks import Spark, spark

T = TypeVar("T")

_NOTHING, _QUIET = Face(value=""), EdgeFace(False)


def faces_at(view: GraphView, step: int) -> Faces:
    """What everything shows around a step: in the iteration that it is in and those beside it, where the run is rolled."""
    return view.faces(view.rolled.window(max(step, 0)) if view.rolled else (0, step))


class GraphScene:
    """Cards and edges at one step; `origin` is where the layout begins."""

    def __init__(self, view: GraphView, step: int, theme: Theme, origin: Point = (0.0, 0.0)) -> None:
        self.view, self.step, self.origin = view, step, origin
        self.graph, self.faces = view.graph, faces_at(view, step)
        self.colours = palette(theme)

    def shapes(self) -> list[Shape | Group]:
        """From what is behind to what is in front."""
        c = self.colours
        strongest = max((face.norm or 0.0 for history in self.faces.edges.values() for _, face in history), default=0.0)
        return [
            *backdrop.frames(self.frames, c),
            *self._regions(),
            *(halo for card in self.cards for halo in cards.halo(card, c)),
            *edges.paint(self.edges, strongest, c),
            *(cards.paint(card, c) for card in self.cards),
            *edges.labels(self.edges, [card.box for card in self.cards], c),
            *backdrop.tabs(self.frames, c),
        ]

    # --- cards ----------------------------------------------------------------------------------------------------------------

    @cached_property
    def cards(self) -> list[Card]:
        """The nodes, in the graph's order."""
        step = self.step
        backward = any(entry.began <= step <= entry.ended for entry in index_of(self.view.recording).passes.values())
        focus, signs = set(self.view.focus(step)), marks(self.view, step)
        return [self._card(key, a, key in focus, backward, signs) for key, a in self.graph.nodes(data=True)]

    def _card(self, key: str, a: dict[str, Any], focus: bool, backward: bool, signs: Mapping[str, Mark]) -> Card:
        x, y = self.view.placed.positions[key]
        face, ghost = _at(self.faces.nodes.get(key, ()), self.step, _NOTHING), a["born"] > self.step
        mark = signs.get(key) or (Mark(face.state) if face.state in ("waiting", "done") else None)
        return Card(
            key=key, box=around(x + self.origin[0], y + self.origin[1], a["width"], a["height"]), tone=tone(a),
            pill=a["shape"] == "pill", title=a["title"], badge=a["badge"], sub=a["sub"], face=face, ghost=ghost, focus=focus,
            backward=backward, mark=None if ghost else mark, group="members" in a, alarm=self._alarm(key, a),
            times=a.get("times", 1), some=self.view.some(key),
            colour=self._own_colour(key), **self._over_iterations(key, a),
        )  # fmt: skip

    def _own_colour(self, key: str) -> str:
        """The colour that the reader has given it, "" for none."""
        number = self.view.coloured.get(key)
        return "" if number is None else self.colours.chosen[number]

    def _alarm(self, key: str, a: dict[str, Any]) -> bool:
        troubles = self.view.structure.troubles
        return any(troubles.get(one, self.step + 1) <= self.step for one in a.get("members", (key,)))

    # --- a rolled run ---------------------------------------------------------------------------------------------------------

    def _over_iterations(self, key: str, a: dict[str, Any]) -> dict[str, Any]:
        """What a card of a rolled run has besides."""
        rolled = self.view.rolled
        if rolled is None:
            return {}
        members = a.get("members")
        one = key if members is None else shown_member(rolled.graph, members)
        inside, count = parameters(rolled, members) if members else ((), 0)
        return {
            **self._series(rolled, key, one, members),
            "origin": key in self._origins,
            "first": not self._origins or key in self._origins,
            "rows": tuple(self._parameter(rolled, each, a["group"]) for each in inside),
            "parameters": count,
        }

    def _series(self, rolled: RolledGraph, key: str, one: str, members: Sequence[str] | None = None) -> dict[str, Any]:
        """The curves of a card, and which of its loop's iterations it shows."""
        own = rolled.loops.get(rolled.graph.nodes[one]["loop"])
        loop = own or rolled.main
        if loop is None:
            return {"spark": None, "iteration": -1, "old": False}
        row = int(loop.starts.searchsorted(self.step, "right")) - 1
        known = sparkline(rolled, one, members)
        curves: Spark | None = spark(len(loop.starts), known.value, known.grad, known.bad) if known else None
        # What was made in an iteration before is shown until this one makes its own.
        history = self.faces.nodes.get(key) or [(self.step + 1, _NOTHING)]
        old = own is not None and row >= 0 and history[0][0] <= self.step
        old = old and max(rolled.made(one, self.step, self.step), default=-1) < int(loop.starts[row])
        return {"spark": curves, "iteration": row, "old": old}

    def _parameter(self, rolled: RolledGraph, key: str, group: str) -> Parameter:
        face = _at(self.faces.nodes[key], self.step, _NOTHING)
        title = title_within(rolled.graph.nodes[key], group)
        return Parameter(title=title, tone=tone(rolled.graph.nodes[key]), face=face, **self._series(rolled, key, key))

    @cached_property
    def _origins(self) -> frozenset[str]:
        """The cards that the first NaN or Inf came from."""
        rolled = self.view.rolled
        if rolled is None or rolled.main is None:
            return frozenset()
        found = rolled.once("timeline", rolled.timeline)
        first = next((mark.step for mark in found.marks if mark.kind in ("nan", "inf")), None)
        return frozenset(self.view.focus(first)) if first is not None else frozenset()

    @cached_property
    def frames(self) -> list[Frame]:
        """The frames of time loops, the outer ones first."""
        if self.view.rolled is None:
            return []
        inside: dict[str, int] = {}
        for _, a in self.graph.nodes(data=True):
            for loop in a.get("frames", ()):
                inside[loop] = inside.get(loop, 0) + len(a.get("members", (0,)))
        found = []
        for loop, (left, top, wide, high) in sorted(self.view.placed.frames.items(), key=lambda each: -each[1][2] * each[1][3]):
            x, y = left + self.origin[0], top + self.origin[1]
            title, at = self.view.frame_title(loop, self.step)
            one = self.view.rolled.loops[loop]
            where = self.view.recording.card_line(one.cell, one.line)
            line = [where] if where else []
            operations = [f"{inside[loop]} {'operation' if inside[loop] == 1 else 'operations'}"]
            short = at.removeprefix("iteration ").removesuffix(" iterations")
            rest = [" · ".join([*line, at, *operations]), " · ".join([*line, at]), at, short]
            found.append(Frame(Rectangle(x, y, x + wide, y + high), title, rest, len(one.starts)))
        return found

    # --- edges ----------------------------------------------------------------------------------------------------------------

    @cached_property
    def edges(self) -> list[Edge]:
        """The edges, in the graph's order."""
        found = []
        ends = {card.key: cards.outline(card) for card in self.cards}
        focus = {card.key for card in self.cards if card.focus}
        routed = edges.curves(self.graph, self.view.placed, self.origin, ends, self.view.direction == "TB")
        for u, v, k, a in self.graph.edges(keys=True, data=True):
            face = _at(self.faces.edges.get((u, v, k), ()), self.step, _QUIET)
            far = ((v, u, k) if self.view.structure.flipped else (u, v, k)) in self.view.placed.far
            carried, some = self.view.between(u, v, k)
            ghost = a["born"] > self.step
            found.append(Edge(routed[u, v, k], a["kind"], far, ghost, face, carried, bool(some), u in focus))
        return found

    def _regions(self) -> Iterator[Shape]:
        """Behind what a backward pass recorded of itself (`create_graph=True`)."""
        inside: dict[int, list[Card]] = {}
        for card in self.cards:
            number = self.graph.nodes[card.key]["in_backward"]
            if number:
                inside.setdefault(number, []).append(card)
        ends = list(self.graph.edges(keys=True))
        looped = self.view.rolled is not None and self.view.rolled.main is not None
        taken = [card.reach for card in self.cards] if inside else []
        for number, members in inside.items():
            keys = {card.key for card in members}
            within = [edge.pieces for (u, v, _), edge in zip(ends, self.edges, strict=True) if u in keys and v in keys]
            label = "made by backward passes" if looped else f"backward pass {number}"
            yield from backdrop.region([card.box for card in members], within, label, taken, self.colours)


def _at(history: Sequence[tuple[int, T]], step: int, default: T) -> T:
    """The last entry of a history at or before a step."""
    position = bisect_right(history, step, key=lambda entry: entry[0])
    return history[position - 1][1] if position else default
