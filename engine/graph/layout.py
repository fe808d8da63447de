"""A layered layout: positions for all nodes and routes for all edges, in time close to linear in their number.

1. Ranks: longest path from the inputs; then what feeds more than it is fed (leaves, AccumulateGrad) moves next to its first
   consumer.
2. Edges over several ranks get a bend in each rank they cross, up to a budget; the longest beyond it are `far` and go straight,
   which is what keeps graphs whose weights feed every time step linear.
3. Order within ranks by barycentres, sweeping down and up.
4. Coordinates: each node wants to stand at the mean of its neighbours; the least-squares answer under the order and the gaps
   is found exactly, rank by rank, by pooling adjacent violators.

Everything is deterministic, and ties go to the order in which nodes were added, so a small edit moves little.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import networkx as nx

Key = Any
Point = tuple[float, float]
EdgeKey = tuple[Any, ...]

RANK_GAP = 64.0
"""Pixels between ranks: room for the labels of edges."""
NODE_GAP = 22.0
BEND_GAP = 12.0
COMPONENT_GAP = 48.0
BENDS_PER_NODE = 4
ORDER_SWEEPS = 8
PLACE_SWEEPS = 10


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is, in pixels: centres of nodes, and polylines of edges from border to border."""

    positions: dict[Key, Point]
    routes: dict[EdgeKey, tuple[Point, ...]]
    far: frozenset[EdgeKey]
    """Edges too long for a route of their own; they run straight."""
    width: float
    height: float


@dataclass(slots=True)
class _Item:
    """A node, or a bend of a long edge, in a rank."""

    rank: int
    thick: float
    """Extent along the ranks' direction."""
    wide: float
    """Extent within the rank."""
    bend: bool = False
    at: float = 0.0
    before: float = 0.0


def layout(graph: nx.DiGraph[Hashable], direction: Literal["LR", "TB"] = "LR") -> Layout:
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
        self.items = [_Item(0, float(a.get(along, 100)), float(a.get(across, 40))) for _, a in graph.nodes(data=True)]
        self.edges: list[tuple[EdgeKey, int, int]] = []
        self.loose: list[tuple[EdgeKey, int, int]] = []
        multi = graph.is_multigraph()
        for edge in graph.edges(keys=True, data=True) if multi else graph.edges(data=True):
            u, v, data = edge[0], edge[1], edge[-1]
            entry = ((u, v, edge[2]) if multi else (u, v), self.index[u], self.index[v])
            (self.loose if data.get("write") or u == v else self.edges).append(entry)
        pairs = graph.graph.get("after", ())
        self.after = [(self.index[u], self.index[v]) for u, v in pairs if u in self.index and v in self.index]
        self.chains: dict[EdgeKey, list[int]] = {}
        self.far: set[EdgeKey] = set()

    def result(self) -> Layout:
        self._rank()
        self._bend()
        layers = self._layers()
        self._order(layers)
        self._place(layers)
        return self._drawn(layers)

    # --- ranks --------------------------------------------------------------------------------------------------------------

    def _rank(self) -> None:
        n = len(self.keys)
        out: list[list[int]] = [[] for _ in range(n)]
        entering = [0] * n
        for _, u, v in self.edges:
            out[u].append(v)
            entering[v] += 1
        fed = list(entering)
        later: list[list[int]] = [list(targets) for targets in out]
        for u, v in self.after:
            later[u].append(v)
            entering[v] += 1
        ready = deque(i for i in range(n) if not entering[i])
        order = []
        while ready:
            u = ready.popleft()
            order.append(u)
            for v in later[u]:
                self.items[v].rank = max(self.items[v].rank, self.items[u].rank + 1)
                entering[v] -= 1
                if not entering[v]:
                    ready.append(v)
        if len(order) < n and self.after:
            # Wishes, which two runs' graphs merged into one may not be able to grant.
            self.after = []
            for item in self.items:
                item.rank = 0
            self._rank()
            return
        if len(order) < n:
            stuck = next(self.keys[i] for i in range(n) if entering[i])
            raise ValueError(f"the graph has a cycle through {stuck!r}; only acyclic graphs have a layered layout")
        for u in reversed(order):
            if out[u] and len(out[u]) >= fed[u]:
                self.items[u].rank = min(self.items[v].rank for v in later[u]) - 1

    def _bend(self) -> None:
        """Put bends into the edges that cross ranks, the shortest first, while the budget lasts."""
        budget = BENDS_PER_NODE * max(len(self.keys), 16)
        long = [(self.items[v].rank - self.items[u].rank, i) for i, (_, u, v) in enumerate(self.edges)]
        allowed = set()
        for span, i in sorted(long):
            budget -= span - 1
            if budget < 0:
                break
            allowed.add(i)
        for i, (key, u, v) in enumerate(self.edges):
            if i not in allowed:
                self.far.add(key)
                continue
            chain = [u]
            for rank in range(self.items[u].rank + 1, self.items[v].rank):
                chain.append(len(self.items))
                self.items.append(_Item(rank, 0.0, 0.0, bend=True))
            self.chains[key] = [*chain, v]

    # --- order --------------------------------------------------------------------------------------------------------------

    def _layers(self) -> list[list[int]]:
        """The items of each rank; connected parts stand together, in the order in which they were added."""
        self.up: list[list[int]] = [[] for _ in self.items]
        self.down: list[list[int]] = [[] for _ in self.items]
        for chain in self.chains.values():
            for a, b in pairwise(chain):
                self.down[a].append(b)
                self.up[b].append(a)
        self.part = self._parts()
        depth = max((item.rank for item in self.items), default=-1) + 1
        layers: list[list[int]] = [[] for _ in range(depth)]
        for i in self._walk():
            layers[self.items[i].rank].append(i)
        for layer in layers:
            layer.sort(key=lambda i: self.part[i])
        return layers

    def _parts(self) -> list[int]:
        """For each item the number of its connected part."""
        part = [-1] * len(self.items)
        near: list[list[int]] = [self.up[i] + self.down[i] for i in range(len(self.items))]
        for _, u, v in [*self.loose, *(e for e in self.edges if e[0] in self.far)]:
            near[u].append(v)
            near[v].append(u)
        count = 0
        for start in range(len(self.items)):
            if part[start] >= 0:
                continue
            part[start] = count
            stack = [start]
            while stack:
                for j in near[stack.pop()]:
                    if part[j] < 0:
                        part[j] = count
                        stack.append(j)
            count += 1
        return part

    def _walk(self) -> Iterable[int]:
        """All items, depth first from the inputs, which starts the order with few crossings."""
        seen = [False] * len(self.items)
        for start in range(len(self.items)):
            stack = [] if self.up[start] else [start]
            while stack:
                i = stack.pop()
                if seen[i]:
                    continue
                seen[i] = True
                yield i
                stack.extend(reversed(self.down[i]))
        yield from (i for i in range(len(self.items)) if not seen[i])

    def _order(self, layers: list[list[int]]) -> None:
        """Sort each rank by the mean position of its neighbours, down and up; keep the best order met."""
        place = [0] * len(self.items)
        for layer in layers:
            for k, i in enumerate(layer):
                place[i] = k
        best, best_crossings = [list(layer) for layer in layers], self._crossings(layers, place)
        for sweep in range(ORDER_SWEEPS):
            if not best_crossings:
                break
            downwards = sweep % 2 == 0
            near = self.up if downwards else self.down
            for layer in layers if downwards else reversed(layers):
                keys = {
                    i: (self.part[i], sum(place[j] for j in near[i]) / len(near[i]) if near[i] else float(place[i]))
                    for i in layer
                }
                layer.sort(key=keys.__getitem__)
                for k, i in enumerate(layer):
                    place[i] = k
            crossings = self._crossings(layers, place)
            if crossings < best_crossings:
                best, best_crossings = [list(layer) for layer in layers], crossings
        layers[:] = best

    def _crossings(self, layers: list[list[int]], place: list[int]) -> int:
        """How many pairs of edges between neighbouring ranks cross (inversions, counted with a Fenwick tree)."""
        total = 0
        for layer, following in pairwise(layers):
            size = len(following)
            tree = [0] * (size + 1)
            seen = 0
            for i in layer:
                ends = sorted(place[j] for j in self.down[i])
                for end in ends:
                    k, smaller = end + 1, 0
                    while k:
                        smaller += tree[k]
                        k &= k - 1
                    total += seen - smaller
                for end in ends:
                    k = end + 1
                    while k <= size:
                        tree[k] += 1
                        k += k & -k
                seen += len(ends)
        return total

    # --- coordinates --------------------------------------------------------------------------------------------------------

    def _place(self, layers: list[list[int]]) -> None:
        items = self.items
        for layer in layers:
            x = 0.0
            for k, i in enumerate(layer):
                x = x + self._gap(layer[k - 1], i) if k else 0.0
                items[i].at = x
            for i in layer:
                items[i].at -= x / 2
        for sweep in range(PLACE_SWEEPS):
            last = sweep >= PLACE_SWEEPS - 2
            for layer in layers if sweep % 2 == 0 else reversed(layers):
                wanted = []
                for i in layer:
                    near = (
                        self.up[i] + self.down[i]
                        if last
                        else (self.up[i] if sweep % 2 == 0 else self.down[i]) or (self.up[i] + self.down[i])
                    )
                    wanted.append(sum(items[j].at for j in near) / len(near) if near else items[i].at)
                self._settle(layer, wanted)

    def _gap(self, a: int, b: int) -> float:
        """The least distance between the centres of two neighbours in a rank."""
        one, other = self.items[a], self.items[b]
        gap = BEND_GAP if one.bend or other.bend else NODE_GAP
        if self.part[a] != self.part[b]:
            gap = COMPONENT_GAP
        return (one.wide + other.wide) / 2 + gap

    def _settle(self, layer: list[int], wanted: list[float]) -> None:
        """Move a rank's items as close to where they want to be as order and gaps allow (least squares)."""
        shift = 0.0
        blocks: list[list[float]] = []  # mean, weight, count
        offsets = []
        for k, i in enumerate(layer):
            shift = shift + self._gap(layer[k - 1], i) if k else 0.0
            offsets.append(shift)
            # Bends want to be straight more than nodes want to be central.
            weight = (2.0 if self.items[i].bend else 1.0) * max(len(self.up[i]) + len(self.down[i]), 1) ** 0.5
            blocks.append([wanted[k] - shift, weight, 1])
            while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
                mean, weight, count = blocks.pop()
                below = blocks[-1]
                total = below[1] + weight
                below[0] = (below[0] * below[1] + mean * weight) / total
                below[1], below[2] = total, below[2] + count
        k = 0
        for mean, _, count in blocks:
            for _ in range(int(count)):
                self.items[layer[k]].at = mean + offsets[k]
                k += 1

    # --- drawing ------------------------------------------------------------------------------------------------------------

    def _drawn(self, layers: list[list[int]]) -> Layout:
        items = self.items
        middles = []
        thicks = []
        edge = 0.0
        for layer in layers:
            thick = max((items[i].thick for i in layer), default=0.0)
            middles.append(edge + thick / 2)
            thicks.append(thick)
            edge += thick + RANK_GAP
        low = min((item.at - item.wide / 2 for item in items), default=0.0)
        high = max((item.at + item.wide / 2 for item in items), default=0.0)
        length, breadth = max(edge - RANK_GAP, 0.0), high - low

        def point(along: float, across: float) -> Point:
            x, y = along, across - low
            return (y, x) if self.vertical else (x, y)

        beside: set[int] = set()
        for layer in layers:
            for a, b in pairwise(layer):
                if items[a].bend != items[b].bend:
                    beside.add(a if items[a].bend else b)

        def through(i: int) -> list[Point]:
            """A bend beside a card passes it straight, as wide as the card's rank; in the open one point will do."""
            middle, at = middles[items[i].rank], items[i].at
            reach = thicks[items[i].rank] / 2
            return [point(middle - reach, at), point(middle + reach, at)] if i in beside and reach else [point(middle, at)]

        positions = {key: point(middles[items[i].rank], items[i].at) for i, key in enumerate(self.keys)}
        routes = {}
        for key, u, v in [*self.edges, *self.loose]:
            chain = self.chains.get(key, [u, v])
            forward = items[v].rank > items[u].rank
            start = middles[items[u].rank] + items[u].thick / 2 * (1 if forward else -1)
            end = middles[items[v].rank] - items[v].thick / 2 * (1 if forward else -1)
            inner = [spot for i in chain[1:-1] for spot in through(i)]
            routes[key] = (point(start, items[u].at), *inner, point(end, items[v].at))
        width, height = (breadth, length) if self.vertical else (length, breadth)
        return Layout(positions, routes, frozenset(self.far), width, height)
