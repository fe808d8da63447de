"""The lanes of a part in rows.

What joins two rows, what returns and what comes from outside goes along ranks' gaps, channels and margins, so it crosses edges
but never a card. Edges that come from one thing, or go to one, share lanes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

from .layout_rows import LANE, MARGIN, Gap, Rows
from .layout_strip import EdgeKey

MOST = 16
"""Lanes in a channel; what would need more shares."""
OVERLAP = 40.0
"""Pixels that two cards must have in common for a straight line down from the one to the other."""
BEYOND = 1e9
"""A place along the rows that is beside everything."""
UPPER = 0.4
"""What stands in this part of its row, from above, is reached from the channel above it."""

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Way:
    """How an edge goes by lanes: from a thing or the left side, along one channel or two, to a thing or the right side."""

    edge: EdgeKey
    source: int
    target: int
    hub: tuple[Hashable, ...]
    first: int
    second: int
    right: bool
    """In which margin it changes the channel."""


class Lanes:
    """The ways of a part's edges, and their lanes in gaps, channels and margins. Spreads the ranks."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.strip, self.edges = rows, rows.strip, rows.edges
        ends = [self.strip.edges[number][1:] for number in self.edges.ranked]
        self.single = Counter(ends)
        self.slots: dict[Gap, dict[Hashable, int]] = {}
        self.ways = [way for way in self._ways() if not self.direct(way)]
        turns = [(number, p, q) for number in self.edges.ranked for p, q in self._turns(number)]
        turns.sort(key=lambda turn: -rows.at[turn[1]])  # the topmost goes outermost
        self._slots(turns, True)
        rows.spread(self.slots)
        turns = [turn for turn in turns if not self.falls(*turn)]
        self._slots(turns, False)
        self._assign(turns)

    # --- ways -----------------------------------------------------------------------------------------------------------------

    def _ways(self) -> Iterable[Way]:
        """The ways of all edges that go by lanes. A hub is what most of those of its kind have in common."""
        links, row = self.edges.lanes, self.rows.row
        leaving = Counter((kind, u) for kind, (_, u, _) in links)
        arriving = Counter((kind, v) for kind, (_, _, v) in links)
        for kind, (edge, u, v) in links:
            thing, end = (u, 0) if leaving[kind, u] > arriving[kind, v] else (v, 1)
            a, b = row[u], row[v]
            # A rank lower than what it comes from: by the channel between, or else by a margin.
            if a == b:
                first = second = self._channel(thing)
            else:
                first, second = (a + 1, b) if b > a else (a, b + 1)
            yield Way(edge, u, v, (kind, thing, end), first, second, self._in_right_half(thing))
        for edge, v in self.edges.entering:
            channel = self._channel(v)
            yield Way(edge, -1, v, ("from", edge[0]), channel, channel, False)
        for edge, u in self.edges.leaving:
            channel = self._channel(u)
            yield Way(edge, u, -1, ("to", u), channel, channel, True)

    def _channel(self, i: int) -> int:
        """The channel that is nearer to a thing."""
        b = self.rows.row[i]
        return b if self.rows.at[i] < UPPER * self.rows.breadths[b] else b + 1

    def _in_right_half(self, i: int) -> bool:
        b, k = self.rows.row[i], self.rows.column[i]
        late = 2 * k + 1 > len(self.rows.rows[b])
        return late == (self.rows.sign[b] > 0) and 2 * k + 1 != len(self.rows.rows[b])

    def direct(self, way: Way) -> bool:
        """From the left side to a first rank, from a last rank to the right side, or from one rank to the next."""
        u, v, rows = way.source, way.target, self.rows
        if u < 0:
            return rows.column[v] == 0 and rows.sign[rows.row[v]] > 0
        if v < 0:
            return rows.column[u] == len(rows.rows[rows.row[u]]) - 1 and rows.sign[rows.row[u]] > 0
        ways = (1, -1) if way.hub[0] == "write" and not {u, v} & rows.inner.keys() else (1,)
        return rows.row[u] == rows.row[v] and rows.column[v] - rows.column[u] in ways

    def out(self, i: int) -> Gap:
        """The gap behind a thing."""
        return self.rows.gap(self.rows.row[i], self.rows.column[i] + 1)

    def into(self, i: int) -> Gap:
        """The gap before a thing."""
        return self.rows.gap(self.rows.row[i], self.rows.column[i])

    def _turns(self, number: int) -> Iterable[tuple[int, int]]:
        """Where an edge in ranks goes from one row to the next."""
        _, u, v = self.strip.edges[number]
        row = self.rows.row
        return ((p, q) for p, q in pairwise(self.strip.chains.get(number, (u, v))) if row[p] != row[q])

    def falls(self, number: int, p: int, q: int) -> bool:
        """Whether an edge goes straight down: from the lowest card of a rank to the uppermost of the one below."""
        edge, u, v = self.strip.edges[number]
        rows = self.rows
        if number in self.strip.chains or not rows.turning or self.single[u, v] > 1:
            return False
        if rows.rows[rows.row[p]][-1][-1] != p or rows.rows[rows.row[q]][0][0] != q:
            return False
        low, high = self.common(edge, p, q)
        return high - low >= OVERLAP

    def common(self, edge: EdgeKey, p: int, q: int) -> Span:
        """From where to where along the rows the end of an edge stands below its beginning; empty if something is between."""
        a, b = self.rows.middle(p), self.rows.middle(q)
        reach, other = self._reach(edge, p, True), self._reach(edge, q, False)
        return max(a - reach, b - other), min(a + reach, b + other)

    def _reach(self, edge: EdgeKey, i: int, lowest: bool) -> float:
        """How far a card reaches from its middle; of a stack, its lowest or its uppermost card, if the edge is one of that."""
        block = self.rows.inner.get(i)
        if block is None:
            return self.strip.thick[i] / 2
        (x, y) = block.leaves[edge][0] if lowest else block.enters[edge][-1]
        heights = [at for _, at in block.spots.values()]
        return abs(x - block.length / 2) if y == (max(heights) if lowest else min(heights)) else -OVERLAP

    # --- lanes ----------------------------------------------------------------------------------------------------------------

    def _slots(self, turns: Iterable[tuple[int, int, int]], between: bool) -> None:
        """Give everything its lanes in the gaps between ranks, or in those beside the rows."""
        wanted: list[tuple[Gap, Hashable]] = [
            (gap, ("turn", number)) for number, p, q in turns for gap in (self.out(p), self.into(q))
        ]
        for way in self.ways:
            wanted += [(self.out(way.source), way.hub)] if way.source >= 0 else []
            wanted += [(self.into(way.target), way.hub)] if way.target >= 0 else []
        for gap, hub in wanted:
            if (gap[0] == "gap") == between:
                slots = self.slots.setdefault(gap, {})
                slots.setdefault(hub, len(slots))

    def _assign(self, turns: Iterable[tuple[int, int, int]]) -> None:
        """Give everything its lanes in channels and margins."""
        rows = self.rows
        spans: dict[tuple[int, Hashable], list[float]] = {}
        margins: dict[tuple[int, Hashable], list[float]] = {}

        def reach(lanes: dict[tuple[int, Hashable], list[float]], where: int, hub: Hashable, *ends: float) -> None:
            span = lanes.setdefault((where, hub), [ends[0], ends[0]])
            span[0], span[1] = min(span[0], *ends), max(span[1], *ends)

        for number, p, q in turns:
            if not self.turns_beside(p, q):
                hub = ("turn", number)
                reach(spans, rows.row[q], hub, rows.along(self.out(p), hub), rows.along(self.into(q), hub))
        for way in self.ways:
            out = rows.along(self.out(way.source), way.hub) if way.source >= 0 else -BEYOND
            into = rows.along(self.into(way.target), way.hub) if way.target >= 0 else BEYOND
            if way.first == way.second:
                reach(spans, way.first, way.hub, out, into)
            else:
                side = BEYOND if way.right else -BEYOND
                reach(spans, way.first, way.hub, out, side)
                reach(spans, way.second, way.hub, side, into)
                reach(margins, int(way.right), way.hub, float(way.first), float(way.second))
        self.channel, counts = _packed(spans, len(rows.rows) + 1)
        self.spans: list[list[list[Span]]] = [[[] for _ in range(count)] for count in counts]
        """From where to where the hubs in each lane of each channel reach."""
        for (where, key), (low, high) in spans.items():
            self.spans[where][self.channel[where, key]].append((low, high))
        self.margin, self.margins = _packed(margins, 2)
        beside: list[int] = [0, 0]
        for gap, slots in self.slots.items():
            if gap[0] != "gap":
                beside[rows.on_right(gap)] = max(beside[rows.on_right(gap)], len(slots))
        self.inmost = [MARGIN + LANE * most for most in beside]
        """How far beside the rows, left and right, the first lane of a margin is that changes the channel."""
        most = [slots + lanes for slots, lanes in zip(beside, self.margins)]
        self.beside = [MARGIN + LANE * (count - 1) if count else 0.0 for count in most]
        """How broad the margins are."""

    def turns_beside(self, p: int, q: int) -> bool:
        """Whether what goes from one row to the next does so in the margin where both have an end."""
        return self.out(p) == self.into(q)


def _packed(spans: dict[tuple[int, Hashable], list[float]], kinds: int) -> tuple[dict[tuple[int, Hashable], int], list[int]]:
    """A lane for every span, so that those in one do not overlap; and how many lanes there are where."""
    lane: dict[tuple[int, Hashable], int] = {}
    counts = [0] * kinds
    free: list[list[tuple[float, int]]] = [[] for _ in range(kinds)]
    for (where, hub), (low, high) in sorted(spans.items(), key=lambda entry: (entry[0][0], entry[1])):
        ends = free[where]
        if ends and (ends[0][0] < low or counts[where] == MOST):
            end, k = heappop(ends)
            high = max(high, end)
        else:
            k = counts[where]
            counts[where] += 1
        lane[where, hub] = k
        heappush(ends, (high, k))
    return lane, counts
