"""Everything of one level in ranks and in order, as one endless strip: what every drawing of it starts from."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import networkx as nx

from .layout_order import ordered
from .layout_ranks import Ranks, buses, ranked

Key: TypeAlias = Any
EdgeKey: TypeAlias = tuple[Any, ...]
Point: TypeAlias = tuple[float, float]
"""Along the ranks, and across them."""
Link: TypeAlias = tuple[EdgeKey, int, int]
"""An edge between two things by their numbers."""


@dataclass(slots=True)
class Block:
    """Something laid out, in a rectangle from (0, 0): `routes` of whole edges, `enters` and `leaves` of those to its sides."""

    length: float = 0.0
    breadth: float = 0.0
    spots: dict[Key, Point] = field(default_factory=dict)
    routes: dict[EdgeKey, list[Point]] = field(default_factory=dict)
    enters: dict[EdgeKey, list[Point]] = field(default_factory=dict)
    leaves: dict[EdgeKey, list[Point]] = field(default_factory=dict)
    frames: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    far: set[EdgeKey] = field(default_factory=set)

    def put(self, other: Block, along: float, across: float) -> None:
        """Take in another block at a place. What enters and leaves it is left to the caller."""
        for key, (x, y) in other.spots.items():
            self.spots[key] = (x + along, y + across)
        for edge, route in other.routes.items():
            self.routes[edge] = moved(route, along, across)
        for name, (x, y, length, breadth) in other.frames.items():
            self.frames[name] = (x + along, y + across, length, breadth)
        self.far |= other.far

    def mirrored(self) -> Block:
        """The block as it is in a row that is read backwards."""
        made = Block(self.length, self.breadth, far=self.far)
        made.spots = {key: (self.length - x, y) for key, (x, y) in self.spots.items()}
        for routes, others in ((self.routes, made.routes), (self.enters, made.enters), (self.leaves, made.leaves)):
            others.update((edge, [(self.length - x, y) for x, y in route]) for edge, route in routes.items())
        return made


def moved(route: list[Point], along: float, across: float) -> list[Point]:
    """A route elsewhere."""
    return [(x + along, y + across) for x, y in route]


@dataclass(slots=True)
class Level:
    """What is laid out together: nodes, and frames with all that is in them as one thing each."""

    keys: list[Key] = field(default_factory=list)
    thick: list[float] = field(default_factory=list)
    wide: list[float] = field(default_factory=list)
    side: list[bool] = field(default_factory=list)
    inner: dict[int, Block] = field(default_factory=dict)
    """The frames among the things."""
    firm: list[Link] = field(default_factory=list)
    """Edges that shape the ranks."""
    loose: list[Link] = field(default_factory=list)
    """Edges that do not: writes, and what feeds itself."""
    carried: list[Link] = field(default_factory=list)
    entering: list[tuple[EdgeKey, int]] = field(default_factory=list)
    leaving: list[tuple[EdgeKey, int]] = field(default_factory=list)
    returns: set[EdgeKey] = field(default_factory=set)
    """Those of them that are carried."""
    after: list[tuple[int, int]] = field(default_factory=list)

    @property
    def plain(self) -> bool:
        """Whether there is nothing but nodes that stand in ranks."""
        return not (self.inner or self.carried or self.entering or self.leaving or any(self.side))


class Strip:
    """Ranks, bends in the edges that cross several of them, and the order in each rank."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.keys = level.keys
        self._once: dict[Hashable, Any] = {}
        self.n = len(level.keys)
        self.thick, self.wide = list(level.thick), list(level.wide)
        side = self.side = self._apart(level)
        self.edges = [link for link in level.firm if side[link[1]] == side[link[2]]]
        self.loose = list(level.loose)
        self.beside = [link for link in level.firm if side[link[1]] != side[link[2]]]
        if level.inner:
            self._open_cycles()
        joined = [(u, v) for _, u, v in self.edges]
        ranks: Ranks = ranked(self.n, joined, level.after, lambda i: self.keys[i])
        self.rank, self.light = ranks.rank, ranks.light
        self.first_aside = self._set_aside()
        self.bus = buses(self.n, joined, self.rank)
        self._bend()
        far = [(u, v) for i, (_, u, v) in enumerate(self.edges) if i in self.bus]
        further = [(u, v) for links in (self.loose, self.beside, level.carried) for _, u, v in links]
        # What stands aside is one part with what it stands beside.
        first = next((i for i in range(self.n) if not side[i]), -1)
        further += [(first, i) for i in range(self.n) if side[i] and first >= 0]
        self.layers, self.part = ordered(self.rank, self.up, self.down, [*further, *far])

    def once(self, name: Hashable, make: Callable[[], Any]) -> Any:
        """What follows from this strip and may be wanted for more than one canvas, made the first time."""
        if name not in self._once:
            self._once[name] = make()
        return self._once[name]

    def _apart(self, level: Level) -> list[bool]:
        """What stands aside: what is marked so, and what has no rank by its edges and hands something on (an optimizer)."""
        ranked = {i for links in (level.firm, level.loose) for _, u, v in links for i in (u, v)}
        ranked |= {i for links in (level.entering, level.leaving) for edge, i in links if edge not in level.returns}
        ranked |= {v for _, _, v in level.carried} | {i for edge, i in level.entering if edge in level.returns}
        handing = {u for _, u, _ in level.carried} | {i for edge, i in level.leaving if edge in level.returns}
        handing -= ranked
        if not ranked:
            return list(level.side)
        return [side or i in handing for i, side in enumerate(level.side)]

    def _open_cycles(self) -> None:
        """Frames can close cycles: a value leaves one and something made of it comes back. Later to earlier is back."""
        graph: nx.DiGraph[Hashable] = nx.DiGraph()
        graph.add_nodes_from(range(self.n))
        graph.add_edges_from((u, v) for _, u, v in self.edges)
        knot = {}
        for number, part in enumerate(nx.strongly_connected_components(graph)):
            if len(part) > 1:
                knot.update(dict.fromkeys(part, number))
        if knot:
            back = [knot.get(u, -1) == knot.get(v, -2) and u > v for _, u, v in self.edges]
            self.loose += [edge for edge, is_back in zip(self.edges, back) if is_back]
            self.edges = [edge for edge, is_back in zip(self.edges, back) if not is_back]

    def _set_aside(self) -> int:
        """What stands aside gets ranks of its own behind all others; the first of them."""
        side = self.side
        if not any(side):
            return max(self.rank, default=-1) + 1
        lowest = min((rank for rank, aside in zip(self.rank, side) if not aside), default=0)
        self.rank = [rank if aside else rank - lowest for rank, aside in zip(self.rank, side)]
        first = max((rank for rank, aside in zip(self.rank, side) if not aside), default=-1) + 1
        # Parts of it that have nothing to do with each other stand one after the other.
        near: list[list[int]] = [[] for _ in range(self.n)]
        for _, u, v in self.edges:
            near[u].append(v)
            near[v].append(u)
        seen = [not aside for aside in side]
        begin = first
        for start in range(self.n):
            if seen[start]:
                continue
            seen[start] = True
            members = [start]
            for i in members:
                for j in near[i]:
                    if not seen[j]:
                        seen[j] = True
                        members.append(j)
            low = min(self.rank[i] for i in members)
            for i in members:
                self.rank[i] += begin - low
            begin = max(self.rank[i] for i in members) + 1
        return first

    def _bend(self) -> None:
        """Put bends into the edges that cross ranks. Bends are numbered on from the nodes."""
        self.chains: dict[int, list[int]] = {}
        self.up: list[list[int]] = [[] for _ in self.keys]
        self.down: list[list[int]] = [[] for _ in self.keys]
        for i, (_, u, v) in enumerate(self.edges):
            if i in self.bus:
                continue
            last = u
            first = len(self.rank)
            for rank in range(self.rank[u] + 1, self.rank[v]):
                bend = len(self.rank)
                self.rank.append(rank)
                self.down[last].append(bend)
                self.up.append([last])
                self.down.append([])
                last = bend
            self.down[last].append(v)
            self.up[v].append(last)
            if last != u:
                self.chains[i] = [u, *range(first, len(self.rank)), v]
        bends = len(self.rank) - self.n
        self.thick += [0.0] * bends
        self.wide += [0.0] * bends
        self.light += [False] * bends
