"""A layered layout: positions for all nodes and routes for all edges, in time close to linear in their number.

1. Ranks (`layout_ranks`): longest path from the inputs; then leaves, and what is made of leaves alone, move next to their
   users.
2. Edges over several ranks get a bend in each rank they cross. Edges from one node to many far ranks (a weight that every time
   step uses), or from many to one (the losses of all steps), share a lane beside the drawing instead; so do the longest edges
   beyond a budget of bends. This is what keeps graphs linear whose weights feed every time step.
3. Order within ranks (`layout_order`) by barycentres, sweeping down and up.
4. Coordinates (`layout_coordinates`): the longest chain of results keeps to one line, everything else wants to stand at the
   mean of its neighbours; the least-squares answer under the order and the gaps is found exactly, rank by rank, by pooling
   adjacent violators. Then long edges are straightened.

Everything is deterministic, and ties go to the order in which nodes were added, so a small edit moves little.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import networkx as nx

from .layout_coordinates import placed
from .layout_order import ordered
from .layout_ranks import Ranks, buses, ranked

Direction: TypeAlias = Literal["LR", "TB"]
"""From left to right, or from top to bottom."""
Key = Any
Point = tuple[float, float]
EdgeKey = tuple[Any, ...]

RANK_GAP = 64.0
"""Pixels between ranks: room for the labels of edges."""
LANE_WAY = 44.0
"""Pixels along the ranks for the way to a lane."""
LANE_GAP = 14.0
"""Pixels between lanes, and half of those between the drawing and the first of them."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is, in pixels: centres of nodes, and polylines of edges from border to border."""

    positions: dict[Key, Point]
    routes: dict[EdgeKey, tuple[Point, ...]]
    far: frozenset[EdgeKey]
    """Edges that share a lane beside the drawing with others."""
    width: float
    height: float


def layout(graph: nx.DiGraph[Hashable], direction: Direction = "LR") -> Layout:
    """Lay out a graph whose nodes carry `width` and `height` in pixels; ranks run from left to right, or from top to bottom.

    Edge keys are (u, v), or (u, v, key) for a multigraph. Edges marked `write` may close cycles and do not shape the ranks.
    Pairs (u, v) under the graph's attribute `after` are not drawn, but v gets a later rank than u.

    Raises:
        ValueError: if other edges form a cycle.
    """
    if direction not in ("LR", "TB"):
        raise ValueError(f"unknown direction {direction!r}, expected LR or TB")
    return _Drawing(graph, direction == "TB").result()


class _Drawing:
    def __init__(self, graph: nx.DiGraph[Hashable], vertical: bool) -> None:
        self.vertical = vertical
        self.keys: list[Key] = list(graph.nodes)
        self.index = {key: i for i, key in enumerate(self.keys)}
        along, across = ("height", "width") if vertical else ("width", "height")
        self.thick = [float(a.get(along, 100)) for _, a in graph.nodes(data=True)]
        self.wide = [float(a.get(across, 40)) for _, a in graph.nodes(data=True)]
        self.edges: list[tuple[EdgeKey, int, int]] = []
        self.loose: list[tuple[EdgeKey, int, int]] = []
        multi = graph.is_multigraph()
        for edge in graph.edges(keys=True, data=True) if multi else graph.edges(data=True):
            u, v, data = edge[0], edge[1], edge[-1]
            entry = ((u, v, edge[2]) if multi else (u, v), self.index[u], self.index[v])
            (self.loose if data.get("write") or u == v else self.edges).append(entry)
        pairs = graph.graph.get("after", ())
        self.after = [(self.index[u], self.index[v]) for u, v in pairs if u in self.index and v in self.index]

    def result(self) -> Layout:
        n = len(self.keys)
        joined = [(u, v) for _, u, v in self.edges]
        ranks: Ranks = ranked(n, joined, self.after, lambda i: self.keys[i])
        self.rank, self.light = ranks.rank, ranks.light
        self.bus = buses(n, joined, self.rank)
        self._bend()
        far = [(u, v) for i, (_, u, v) in enumerate(self.edges) if i in self.bus]
        layers, part = ordered(self.rank, self.up, self.down, [*[(u, v) for _, u, v in self.loose], *far])
        self.at = placed(layers, part, self.wide, self.up, self.down, self.light, list(self.chains.values()), n)
        return self._drawn(layers)

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
        bends = len(self.rank) - len(self.keys)
        self.thick += [0.0] * bends
        self.wide += [0.0] * bends
        self.light += [False] * bends

    # --- drawing ------------------------------------------------------------------------------------------------------------

    def _drawn(self, layers: list[list[int]]) -> Layout:
        at, thick, wide = self.at, self.thick, self.wide
        self.middles: list[float] = []
        self.thicks: list[float] = []
        edge = 0.0
        for layer in layers:
            most = max((thick[i] for i in layer), default=0.0)
            self.middles.append(edge + most / 2)
            self.thicks.append(most)
            edge += most + RANK_GAP
        length = max(edge - RANK_GAP, 0.0)
        low = min((at[i] - wide[i] / 2 for i in range(len(at))), default=0.0)
        high = max((at[i] + wide[i] / 2 for i in range(len(at))), default=0.0)
        lanes = self._lanes(low, high)
        low, high = min([low, *lanes.values()]), max([high, *lanes.values()])
        beside = self._beside(layers)

        def point(along: float, across: float) -> Point:
            return (across - low, along) if self.vertical else (along, across - low)

        def through(i: int) -> list[Point]:
            """A bend beside a card passes it straight, as wide as the card's rank; in the open one point will do."""
            middle = self.middles[self.rank[i]]
            reach = self.thicks[self.rank[i]] / 2
            return (
                [point(middle - reach, at[i]), point(middle + reach, at[i])]
                if i in beside and reach
                else [point(middle, at[i])]
            )

        def by_lane(u: int, v: int, lane: float) -> list[Point]:
            """Out of its rank, over to the lane within the gap, back within the gap before the other rank."""
            right = self.middles[self.rank[u]] + self.thicks[self.rank[u]] / 2
            left = self.middles[self.rank[v]] - self.thicks[self.rank[v]] / 2
            inner = [point(right + LANE_WAY, lane), point(left - LANE_WAY, lane)]
            if self.thicks[self.rank[u]] - thick[u] > 2:
                inner.insert(0, point(right, at[u]))
            return [*inner, point(left, at[v])] if self.thicks[self.rank[v]] - thick[v] > 2 else inner

        positions = {key: point(self.middles[self.rank[i]], at[i]) for i, key in enumerate(self.keys)}
        routes = {}
        for i, (key, u, v) in enumerate([*self.edges, *self.loose]):
            forward = self.rank[v] > self.rank[u]
            start = self.middles[self.rank[u]] + thick[u] / 2 * (1 if forward else -1)
            end = self.middles[self.rank[v]] - thick[v] / 2 * (1 if forward else -1)
            if i in lanes:
                inner = by_lane(u, v, lanes[i])
            else:
                inner = [spot for j in self.chains.get(i, ())[1:-1] for spot in through(j)]
            routes[key] = (point(start, at[u]), *inner, point(end, at[v]))
        breadth = high - low
        width, height = (breadth, length) if self.vertical else (length, breadth)
        return Layout(positions, routes, frozenset(self.edges[i][0] for i in lanes), width, height)

    def _beside(self, layers: list[list[int]]) -> set[int]:
        """The bends next to a card."""
        n = len(self.keys)
        return {a if a >= n else b for layer in layers for a, b in pairwise(layer) if (a >= n) != (b >= n)}

    def _lanes(self, low: float, high: float) -> dict[int, float]:
        """Where beside the drawing each edge without bends runs; buses that overlap in their ranks get different lanes."""
        spans: dict[int, list[int]] = {}
        for i, hub in self.bus.items():
            _, u, v = self.edges[i]
            span = spans.setdefault(hub, [self.rank[u], self.rank[v]])
            span[0], span[1] = min(span[0], self.rank[u]), max(span[1], self.rank[v])
        middle = (low + high) / 2
        taken: tuple[list[int], list[int]] = ([], [])
        lane: dict[int, float] = {}
        for hub, (first, last) in sorted(spans.items(), key=lambda entry: (entry[1], entry[0])):
            side = self.at[hub] > middle
            ends = taken[side]
            k = next((k for k, end in enumerate(ends) if end < first), len(ends))
            ends[k : k + 1] = [last]
            off = LANE_GAP * (k + 2)
            lane[hub] = high + off if side else low - off
        return {i: lane[hub] for i, hub in self.bus.items()}
