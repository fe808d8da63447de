"""The drawing of a strip as it is: all ranks in one row, and lanes beside it for the edges without bends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from .layout_coordinates import placed
from .layout_strip import Block, Point, Strip

RANK_GAP = 64.0
"""Pixels between ranks: room for the labels of edges."""
LANE_WAY = 44.0
"""Pixels along the ranks for the way to a lane."""
LANE_GAP = 14.0
"""Pixels between lanes, and half of those between the drawing and the first of them."""


def straight(strip: Strip) -> Block:
    """Everything in one row of ranks, parts that nothing joins one above the other."""
    return _Straight(strip).block()


class _Straight:
    def __init__(self, strip: Strip) -> None:
        self.strip = strip
        self.rank, self.thick, self.bus, self.edges = strip.rank, strip.thick, strip.bus, strip.edges
        chains = list(strip.chains.values())
        self.at = placed(strip.layers, strip.part, strip.wide, strip.up, strip.down, strip.light, chains, strip.n)
        self.room = self._room(True), self._room(False)

    def block(self) -> Block:
        strip, at, thick, wide = self.strip, self.at, self.thick, self.strip.wide
        self.middles: list[float] = []
        self.thicks: list[float] = []
        edge = 0.0
        for layer in strip.layers:
            most = max((thick[i] for i in layer), default=0.0)
            self.middles.append(edge + most / 2)
            self.thicks.append(most)
            edge += most + RANK_GAP
        length = max(edge - RANK_GAP, 0.0)
        low = min((at[i] - wide[i] / 2 for i in range(len(at))), default=0.0)
        high = max((at[i] + wide[i] / 2 for i in range(len(at))), default=0.0)
        lanes = self._lanes(low, high)
        low, high = min([low, *lanes.values()]), max([high, *lanes.values()])
        beside = self._beside()

        def point(along: float, across: float) -> Point:
            return along, across - low

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

        made = Block(length, high - low, far={self.edges[i][0] for i in lanes})
        made.spots = {key: point(self.middles[self.rank[i]], at[i]) for i, key in enumerate(strip.keys)}
        for i, (key, u, v) in enumerate([*self.edges, *strip.loose]):
            forward = self.rank[v] > self.rank[u]
            start = self.middles[self.rank[u]] + thick[u] / 2 * (1 if forward else -1)
            end = self.middles[self.rank[v]] - thick[v] / 2 * (1 if forward else -1)
            first, last = point(start, at[u]), point(end, at[v])
            if i in lanes:
                made.routes[key] = [first, *by_lane(u, v, lanes[i]), last]
            elif i < len(self.edges):
                bends = strip.chains.get(i, ())[1:-1]
                ways = [(u, [first]), *((j, through(j)) for j in bends), (v, [last])]
                made.routes[key] = self._cleared(ways, point)
            elif u == v:
                made.routes[key] = [first, last]
            elif forward:
                made.routes[key] = self._cleared([(u, [first]), (v, [last])], point)
            else:
                made.routes[key] = self._cleared([(v, [last]), (u, [first])], point)[::-1]
        return made

    def _cleared(self, ways: Sequence[tuple[int, list[Point]]], point: Callable[[float, float], Point]) -> list[Point]:
        """A route rank by rank; where it would cut a corner off a card, it first leaves the card's rank."""
        route = list(ways[0][1])
        for (i, _), (j, spots) in pairwise(ways):
            (x, y), (end, to) = route[-1], spots[0]
            if end <= x:
                return [*route, *spots]  # Two of one rank.
            a, b = self.rank[i], self.rank[j]
            edge = self.middles[a] + self.thicks[a] / 2
            if edge - x > 2 and not self._free(i, to > y, abs(to - y) * (edge - x) / (end - x)):
                route.append(point(edge, self.at[i]))
                x, y = route[-1]
            edge = self.middles[b] - self.thicks[b] / 2
            if end - edge > 2 and not self._free(j, y > to, abs(to - y) * (end - edge) / (end - x)):
                route.append(point(edge, self.at[j]))
            route += spots
        return route

    def _free(self, i: int, above: bool, way: float) -> bool:
        """Whether nothing but bends stands so far from a thing in its rank, on the side of larger coordinates or the other."""
        return way < self.room[above][i]

    def _room(self, backwards: bool) -> list[float]:
        """How far it is from the middle of each thing to the next card in its rank."""
        room = [float("inf")] * len(self.rank)
        for layer in self.strip.layers:
            border = float("inf")
            for i in layer if backwards else reversed(layer):
                at = -self.at[i] if backwards else self.at[i]
                room[i] = border - at
                if i < self.strip.n:
                    border = at - self.strip.wide[i] / 2
        return room

    def _beside(self) -> set[int]:
        """The bends next to a card."""
        n = self.strip.n
        return {a if a >= n else b for layer in self.strip.layers for a, b in pairwise(layer) if (a >= n) != (b >= n)}

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
