"""A picture of a recording: which of it is drawn, and what of that does not change with the steps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET

from components.network.pyvis_alone import Network
from components.player.protocol import Card, Drawn, Fold, Frame, Group, LegendEntry, Line, NetworkEdge, NetworkNode, VisNetwork
from engine.diagnosis.comparison.graph_diff import Merged, merged
from engine.graph.chosen import NONE_CHOSEN, Chosen
from engine.graph.graph_view import GraphView, graph_view, groups_around
from engine.graph.rolled_graph import RolledGraph
from engine.graph.shown.node_kinds import LEGEND, edge_legend, tone
from engine.graph.structure.build import Graph
from engine.graph.structure.folding import Folding, Mode
from engine.graph.structure.layout import Layout
from engine.recording import Recording

DRAWN_BY_VIS = 400
"""Nodes up to which vis-network draws the picture; beyond them it is too slow."""


class Wish(msgspec.Struct, frozen=True):
    """Which picture of a recording."""

    view: str = "tensors"
    direction: str = "LR"
    run: str = ""
    """Identifies the recording to the player, which keeps step and camera while it stays the same."""
    fold: Mode = "none"
    """Into which groups the nodes go, where it is not rolled."""
    opened: tuple[str, ...] | None = None
    """The groups that are open; None for a first view."""
    rolled: bool = False
    turned: tuple[str, ...] = ()
    """Of a rolled picture: the loops that are taken for the other kind,"""
    file: str = ""
    """and what the program is called."""
    chosen: Chosen = NONE_CHOSEN
    """What the user has hidden or coloured."""

    @property
    def name(self) -> str:
        """What tells the picture from others, whatever of it is open; the player names it with what it wants to be open."""
        fold = " ".join(["rolled", *sorted(self.turned)]) if self.rolled else self.fold
        return f"{self.run}|{self.view}|{self.direction}|{fold}"

    @property
    def tape(self) -> str:
        """What tells the run in this view from others: the same, whatever is open and wherever it stands."""
        return msgspec.structs.replace(self, direction="").name


def view_of(recording: Recording, wish: Wish) -> GraphView:
    """What a picture is a view of."""
    return graph_view(
        recording, wish.view, wish.direction,  # type: ignore[arg-type]
        fold=wish.fold, opened=wish.opened, rolled=wish.rolled, turned=wish.turned, chosen=wish.chosen,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture, merged with that of a pinned run, if there is one. Nothing is worked out before it is asked for."""

    wish: Wish
    view: GraphView
    both: Merged | None = None
    """The graph merged with that of a pinned run, which is never folded."""
    made: dict[Any, msgspec.Raw] = field(default_factory=dict)
    """Its parts as they are sent (`feed.py`)."""

    @property
    def recording(self) -> Recording:
        """What it is a picture of."""
        return self.view.recording

    @cached_property
    def rev(self) -> str:
        """What tells it from every other."""
        said = f"{self.wish.name}|{sorted(self.view.opened)}|{sorted(self.view.hidden)}|{sorted(self.view.coloured.items())}"
        return sha256(said.encode()).hexdigest()[:16]

    @property
    def graph(self) -> Graph:
        """What is drawn."""
        return self.both.graph if self.both else self.view.graph

    @property
    def own(self) -> Graph:
        """The recording's own part of it."""
        return self.both.own if self.both else self.view.graph

    @cached_property
    def placed(self) -> Layout:
        """Where everything stands."""
        return self.view.laid_out(self.graph) if self.both else self.view.placed


def drawing(recording: Recording, wish: Wish, pinned: Recording | None = None) -> Drawing:
    """The picture that is wished for, merged with that of a `pinned` run, if there is one."""
    if pinned is None:
        return Drawing(wish, view_of(recording, wish))
    both = merged(pinned, recording, wish.view)  # type: ignore[arg-type]
    plain = msgspec.structs.replace(wish, fold="none", rolled=False, chosen=msgspec.structs.replace(wish.chosen, hidden=()))
    return Drawing(wish, view_of(recording, plain), both)


def drawn(d: Drawing) -> Drawn:
    """What is drawn where, without what happens in it."""
    cards, lines = _cards(d), _lines(d)
    return Drawn(
        d.wish.name, d.wish.view, d.wish.direction, _fold(d.view.groups, d.view.opened), _legend(d.graph, cards), cards, lines,
        _network(cards, lines) if len(cards) <= DRAWN_BY_VIS else None, hidden=sorted(d.view.hidden) or UNSET,
    )  # fmt: skip


def _cards(d: Drawing) -> list[Card]:
    found = []
    for key, a in d.graph.nodes(data=True):
        x, y = d.placed.positions[key]
        card = Card(
            key, round(x, 1), round(y, 1), a["width"], a["height"], a["shape"], tone(a), a["title"], a["badge"], a["sub"],
            int(a["born"]),
        )  # fmt: skip
        if "members" in a:
            card.members = len(a["members"])
        if key in d.view.coloured:
            card.colour = d.view.coloured[key]
        found.append(card)
    return found


def _lines(d: Drawing) -> list[Line]:
    """The edges along their routes; those of a graph that was laid out the other way round are turned back."""
    flipped, found = d.view.structure.flipped, []
    for u, v, k, a in d.graph.edges(keys=True, data=True):
        at = (v, u, k) if flipped else (u, v, k)
        route = [(round(x, 1), round(y, 1)) for x, y in d.placed.routes[at]]
        kind = "removed" if a.get("removed") else a["kind"]
        line = Line(
            f"{u}>{v}>{k}", u, v, route[::-1] if flipped else route, kind, int(a["born"]), at in d.placed.far
        )  # fmt: skip
        if d.view.rolled is not None:
            line.carried, line.some = d.view.between(u, v, k)
        found.append(line)
    return found


def _network(cards: Sequence[Card], lines: Sequence[Line]) -> VisNetwork:
    """The same for vis-network, by way of pyvis; positions are fixed, because the layout is that of the whole recording."""
    network = Network(directed=True, cdn_resources="local")
    network.toggle_physics(False)
    network.nodes += [NetworkNode(card.id, card.x, card.y, "custom", False) for card in cards]
    network.edges += [NetworkEdge(line.id, line.from_, line.to) for line in lines]
    options: dict[str, Any] = json.loads(network.options.to_json())
    options["interaction"] = {"hover": True, "dragNodes": False}
    return VisNetwork(network.nodes, network.edges, options)


def _legend(graph: Graph, cards: Sequence[Card]) -> list[LegendEntry]:
    tones = {card.tone for card in cards}
    entries = [LegendEntry(label, one) for one, label in LEGEND.items() if one in tones]
    return entries + [LegendEntry(each["label"], edge=each["edge"]) for each in edge_legend(graph)]


def _fold(groups: Folding, opened: frozenset[str]) -> Fold:
    """What the player needs of a folding from the start: whether there is one, and which groups on show are open."""
    on_show = sorted(id for id in opened if id in groups.groups and opened.issuperset(groups_around(groups, id)))
    return Fold(bool(groups.groups), [Group(id, groups.groups[id].title) for id in on_show])


def frames(d: Drawing, rolled: RolledGraph) -> list[Frame]:
    """What stands behind the cards of time loops."""
    inside: dict[str, int] = {}
    for _, a in d.graph.nodes(data=True):
        for loop in a.get("frames", ()):
            inside[loop] = inside.get(loop, 0) + len(a.get("members", (0,)))
    found = []
    for loop, (x, y, w, h) in d.placed.frames.items():
        across, down, wide, high = (round(each, 1) for each in (x + w / 2, y + h / 2, w, h))
        found.append(Frame(loop, across, down, wide, high, rolled.loops[loop].title, inside[loop]))
    return found
