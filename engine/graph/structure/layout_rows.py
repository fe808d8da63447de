"""The drawing of one connected part of a strip in rows: read like the furrows of a field, every other row backwards.

Between the rows, above and below them there are channels, and beside them two margins. What joins two rows, what returns
(carried edges, writes) and what comes from outside goes along ranks' gaps, channels and margins, in lanes; so it crosses
edges but never a card. Those that come from one thing, or go to one, share lanes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

from .layout_coordinates import placed
from .layout_straight import RANK_GAP
from .layout_strip import Block, EdgeKey, Link, Point, Strip, moved

ROW_GAP = 52.0
"""Pixels between rows, more where many lanes pass."""
LANE = 10.0
CHANNEL = 16.0
"""Pixels between a card and the first lane in a channel."""
MARGIN = 18.0
"""Pixels between a row's end and the first lane beside it."""
FIRST, STEP, SLOTS = 14.0, 7.0, 6
"""The lanes in the gap between two ranks: where the first is, how far the next, and how many there are."""
MOST = 16
"""Lanes in a channel; what would need more shares."""
OVERLAP = 40.0
"""Pixels that two cards must have in common for a straight line down from the one to the other."""

Gap = tuple[str, int, int]
Rank = list[int]


@dataclass(frozen=True, slots=True)
class _Way:
    """How an edge goes by lanes: from a thing or the left side, along one channel or two, to a thing or the right side."""

    edge: EdgeKey
    source: int
    target: int
    hub: tuple[Hashable, ...]
    first: int
    second: int
    right: bool
    """In which margin it changes the channel."""


def in_rows(strip: Strip, rows: Sequence[Sequence[Rank]], edges: Edges) -> Block:
    """One part of a strip, its ranks divided into rows."""
    return _Rows(strip, rows, edges).block()


@dataclass(slots=True)
class Edges:
    """The edges of one part: by their number those in ranks, and apart those that go by lanes."""

    ranked: list[int]
    lanes: list[tuple[str, Link]]
    entering: list[tuple[EdgeKey, int]]
    leaving: list[tuple[EdgeKey, int]]


class _Rows:
    def __init__(self, strip: Strip, rows: Sequence[Sequence[Rank]], edges: Edges) -> None:
        self.strip, self.rows, self.edges = strip, rows, edges
        self.inner = strip.level.inner
        # Frames have their inputs on the left, so where there are any all rows read from left to right.
        turning = not any(i in self.inner for row in rows for layer in row for i in layer)
        self.turning = turning
        side = strip.level.side
        self.aside = next((b for b, row in enumerate(rows) if any(i < strip.n and side[i] for i in row[0])), len(rows))
        """The first row of what stands aside; it is read from left to right, as the first of all."""
        counts = [*range(self.aside), *range(len(rows) - self.aside)]
        self.sign = [-1 if turning and k % 2 else 1 for k in counts]
        self.row: dict[int, int] = {}
        self.column: dict[int, int] = {}
        for b, row in enumerate(rows):
            for k, layer in enumerate(row):
                for i in layer:
                    self.row[i], self.column[i] = b, k
        self.thicks = [[max((strip.thick[i] for i in layer), default=0.0) for layer in row] for row in rows]
        lengths = [sum(thicks) + RANK_GAP * (len(thicks) - 1) for thicks in self.thicks]
        self.width = max(lengths, default=0.0)
        self.near: list[list[float]] = []
        """Where each rank begins, in the direction in which its row is read."""
        for b, thicks in enumerate(self.thicks):
            x = 0.0 if self.sign[b] > 0 else self.width
            starts = []
            for thick in thicks:
                starts.append(x)
                x += self.sign[b] * (thick + RANK_GAP)
            self.near.append(starts)
        self.at: dict[int, float] = {}
        self.inmost: dict[bool, float] = {}
        """How far beside the rows, left and right, the first lane of a margin is."""
        pieces = self._pieces()
        self.breadths = [self._place(b, pieces[b]) for b in range(len(rows))]

    # --- where things are within their row ------------------------------------------------------------------------------------

    def _pieces(self) -> list[list[list[int]]]:
        """Long edges, cut where the rows are."""
        pieces: list[list[list[int]]] = [[] for _ in self.rows]
        for number in self.edges.ranked:
            piece: list[int] = []
            for i in self.strip.chains.get(number, ()):
                if piece and self.row[piece[-1]] != self.row[i]:
                    pieces[self.row[piece[-1]]].append(piece)
                    piece = []
                piece.append(i)
            if piece:
                pieces[self.row[piece[-1]]].append(piece)
        return pieces

    def _place(self, b: int, pieces: Iterable[Sequence[int]]) -> float:
        """Find the things' places across a row, from 0; how broad it is."""
        strip, row = self.strip, self.rows[b]
        things = [i for layer in row for i in layer]
        # Nodes come before bends, as the placing expects.
        things.sort(key=lambda i: i >= strip.n)
        number = {i: k for k, i in enumerate(things)}
        at = placed(
            [[number[i] for i in layer] for layer in row],
            [0] * len(things),
            [strip.wide[i] for i in things],
            [[number[j] for j in strip.up[i] if j in number] for i in things],
            [[number[j] for j in strip.down[i] if j in number] for i in things],
            [strip.light[i] for i in things],
            [[number[i] for i in piece] for piece in pieces if len(piece) > 2],
            sum(i < strip.n for i in things),
        )
        low = min((y - strip.wide[i] / 2 for y, i in zip(at, things)), default=0.0)
        high = max((y + strip.wide[i] / 2 for y, i in zip(at, things)), default=0.0)
        for y, i in zip(at, things):
            self.at[i] = y - low
        return high - low

    # --- ways by lanes --------------------------------------------------------------------------------------------------------

    def _gap(self, b: int, k: int) -> Gap:
        """The gap before the rank at `k` of a row; behind the last it is in a margin, shared by two rows that turn there."""
        if 0 < k < len(self.rows[b]):
            return "gap", b, k
        if k:
            return "end", b, 0
        return ("end", b - 1, 0) if self.turning and b not in (0, self.aside) else ("start", b, 0)

    def _on_right(self, gap: Gap) -> bool:
        """In which margin such a gap is."""
        return (self.sign[gap[1]] > 0) == (gap[0] == "end")

    def _slot(self, gap: Gap, hub: Hashable) -> int:
        slots = self.slots.setdefault(gap, {})
        return slots.setdefault(hub, len(slots))

    def _along(self, gap: Gap, hub: Hashable) -> float:
        """Where along the row what belongs to a hub goes across it in a gap."""
        slot = self._slot(gap, hub)
        kind, b, k = gap
        if kind == "gap":
            return self.near[b][k] - self.sign[b] * (RANK_GAP - FIRST - STEP * (slot % SLOTS))
        off = MARGIN + LANE * slot
        return self.width + off if self._on_right(gap) else -off

    def _ways(self) -> list[_Way]:
        """The ways of all edges that go by lanes. A hub is what most of those of its kind have in common."""
        links = self.edges.lanes
        leaving = Counter((kind, u) for kind, (_, u, _) in links)
        arriving = Counter((kind, v) for kind, (_, _, v) in links)
        found = []
        for kind, (edge, u, v) in links:
            thing, end = (u, 0) if leaving[kind, u] > arriving[kind, v] else (v, 1)
            a, b = self.row[u], self.row[v]
            # A rank lower than what it comes from: by the channel between, or else by a margin.
            if a == b:
                first = second = a if self.at[thing] < 0.4 * self.breadths[a] else a + 1
            else:
                first, second = (a + 1, b) if b > a else (a, b + 1)
            found.append(_Way(edge, u, v, (kind, thing, end), first, second, self._middle(thing) > self.width / 2))
        for edge, v in self.edges.entering:
            b = self.row[v]
            channel = b if self.at[v] < 0.4 * self.breadths[b] else b + 1
            found.append(_Way(edge, -1, v, ("from", edge[0]), channel, channel, False))
        for edge, u in self.edges.leaving:
            b = self.row[u]
            channel = b if self.at[u] < 0.4 * self.breadths[b] else b + 1
            found.append(_Way(edge, u, -1, ("to", u), channel, channel, True))
        return [way for way in found if not self._direct(way)]

    def _direct(self, way: _Way) -> bool:
        """From the left side to a first rank, from a last rank to the right side, or from one rank to the next."""
        u, v = way.source, way.target
        if u < 0:
            return self.column[v] == 0 and self.sign[self.row[v]] > 0
        if v < 0:
            return self.column[u] == len(self.rows[self.row[u]]) - 1 and self.sign[self.row[u]] > 0
        ways = (1, -1) if way.hub[0] == "write" and not {u, v} & self.inner.keys() else (1,)
        return self.row[u] == self.row[v] and self.column[v] - self.column[u] in ways

    def _assign(self, ways: Sequence[_Way]) -> None:
        """Give everything its lanes: first in the gaps, then, from where those are, in channels and margins."""
        self.slots: dict[Gap, dict[Hashable, int]] = {}
        turns = [(number, p, q) for number in self.edges.ranked for p, q in self._turns(number)]
        # The topmost goes outermost.
        for number, p, q in sorted(turns, key=lambda turn: -self.at[turn[1]]):
            if not self._falls(number, p, q):
                self._slot(self._gap(self.row[p], len(self.rows[self.row[p]])), ("turn", number))
                self._slot(self._gap(self.row[q], 0), ("turn", number))
        spans: dict[tuple[int, Hashable], list[float]] = {}
        margins: dict[tuple[int, Hashable], list[float]] = {}

        def reach(lanes: dict[tuple[int, Hashable], list[float]], where: int, hub: Hashable, *ends: float) -> None:
            span = lanes.setdefault((where, hub), [ends[0], ends[0]])
            span[0], span[1] = min(span[0], *ends), max(span[1], *ends)

        if not self.turning:
            for number, _, q in turns:
                b, hub = self.row[q], ("turn", number)
                reach(spans, b, hub, self._along(("end", b - 1, 0), hub), self._along(("start", b, 0), hub))
        for way in ways:
            out = self._along(self._out(way), way.hub) if way.source >= 0 else -1e9
            into = self._along(self._into(way), way.hub) if way.target >= 0 else 1e9
            if way.first == way.second:
                reach(spans, way.first, way.hub, out, into)
            else:
                side = 1e8 if way.right else -1e8
                reach(spans, way.first, way.hub, out, side)
                reach(spans, way.second, way.hub, side, into)
                reach(margins, int(way.right), way.hub, float(way.first), float(way.second))
        self.channel, self.channels = _packed(spans, len(self.rows) + 1)
        self.margin, self.margins = _packed(margins, 2)

    def _out(self, way: _Way) -> Gap:
        return self._gap(self.row[way.source], self.column[way.source] + 1)

    def _into(self, way: _Way) -> Gap:
        return self._gap(self.row[way.target], self.column[way.target])

    def _turns(self, number: int) -> Iterable[tuple[int, int]]:
        """Where an edge in ranks goes from one row to the next."""
        _, u, v = self.strip.edges[number]
        return ((p, q) for p, q in pairwise(self.strip.chains.get(number, (u, v))) if self.row[p] != self.row[q])

    def _falls(self, number: int, p: int, q: int) -> bool:
        """Whether an edge goes straight down: from the lowest card of a row's last rank to the uppermost of the next row."""
        _, u, v = self.strip.edges[number]
        if (p, q) != (u, v) or not self.turning or self.single[u, v] > 1:
            return False
        if self.rows[self.row[p]][-1][-1] != p or self.rows[self.row[q]][0][0] != q:
            return False
        low, high = self._common(p, q)
        return high - low >= OVERLAP

    def _common(self, p: int, q: int) -> tuple[float, float]:
        a, b = self._middle(p), self._middle(q)
        reach, other = self.strip.thick[p] / 2, self.strip.thick[q] / 2
        return max(a - reach, b - other), min(a + reach, b + other)

    # --- drawing --------------------------------------------------------------------------------------------------------------

    def _middle(self, i: int) -> float:
        b, k = self.row[i], self.column[i]
        return self.near[b][k] + self.sign[b] * self.thicks[b][k] / 2

    def block(self) -> Block:
        strip = self.strip
        ends = [(u, v) for _, u, v in (strip.edges[number] for number in self.edges.ranked)]
        self.single = Counter(ends)
        ways = self._ways()
        self._assign(ways)
        self._stack()
        left = self._beside(False)
        made = Block(left + self.width + self._beside(True), self.breadth)
        self.left, self.length = left, made.length
        for i in self.row:
            if i in self.inner:
                block = self.inner[i]
                made.put(block, left + self._middle(i) - block.length / 2, self._y(i) - block.breadth / 2)
            elif i < strip.n:
                made.spots[strip.keys[i]] = (left + self._middle(i), self._y(i))
        for number in self.edges.ranked:
            edge, u, v = strip.edges[number]
            self._add(made, edge, u, v, self._ranked(number))
        by_lanes = {way.edge: way for way in ways}
        for _, (edge, u, v) in self.edges.lanes:
            way = by_lanes.get(edge)
            if way is None:
                route = self._next(edge, v, u)[::-1] if self.column[v] < self.column[u] else self._next(edge, u, v)
            else:
                route = self._laned(way)
            self._add(made, edge, u, v, route)
        for edge, v in self.edges.entering:
            end, way = self._end(edge, v), by_lanes.get(edge)
            route = self._laned(way) if way else [(-left, end[1]), end]
            made.enters[edge] = moved([*route, *self._within(edge, v, "enters")], left, 0.0)
        for edge, u in self.edges.leaving:
            start, way = self._start(edge, u), by_lanes.get(edge)
            route = self._laned(way) if way else [start, (made.length - left, start[1])]
            made.leaves[edge] = moved([*self._within(edge, u, "leaves"), *route], left, 0.0)
        made.far = {link[0] for kind, link in self.edges.lanes if kind == "far"}
        return made

    def _add(self, made: Block, edge: EdgeKey, u: int, v: int, route: list[Point]) -> None:
        whole = [*self._within(edge, u, "leaves"), *route, *self._within(edge, v, "enters")]
        made.routes[edge] = moved(whole, self.left, 0.0)

    def _within(self, edge: EdgeKey, i: int, how: str) -> list[Point]:
        """The part of an edge's route that is in a frame, but for the point at its border."""
        block = self.inner.get(i)
        if block is None:
            return []
        found = block.enters[edge][1:] if how == "enters" else block.leaves[edge][:-1]
        return moved(found, self._middle(i) - block.length / 2, self._y(i) - block.breadth / 2)

    def _stack(self) -> None:
        """Put the rows below each other, with room for the channels' lanes."""
        self.tops: list[float] = []
        self.lanes: list[float] = []
        """Where the first lane of each channel is."""
        y = 0.0
        last = len(self.rows)
        for c in range(last + 1):
            count = self.channels[c]
            if c in (0, last):
                self.lanes.append(y if c == 0 else y + CHANNEL)
                y += LANE * (count - 1) + CHANNEL if count else 0.0
            else:
                room = max(ROW_GAP, 2 * CHANNEL + LANE * (count - 1))
                self.lanes.append(y + (room - LANE * (count - 1)) / 2)
                y += room
            if c < last:
                self.tops.append(y)
                y += self.breadths[c]
        self.breadth = y

    def _beside(self, right: bool) -> float:
        """How broad a margin is."""
        slots = [len(slots) for gap, slots in self.slots.items() if gap[0] != "gap" and self._on_right(gap) == right]
        self.inmost[right] = MARGIN + LANE * max(slots, default=0)
        most = max(slots, default=0) + self.margins[int(right)]
        return MARGIN + LANE * (most - 1) if most else 0.0

    def _y(self, i: int) -> float:
        return self.tops[self.row[i]] + self.at[i]

    def _start(self, edge: EdgeKey, i: int) -> Point:
        """Where an edge leaves a thing."""
        block = self.inner.get(i)
        y = self._y(i) + (block.leaves[edge][-1][1] - block.breadth / 2 if block else 0.0)
        return self._middle(i) + self.sign[self.row[i]] * self.strip.thick[i] / 2, y

    def _end(self, edge: EdgeKey, i: int) -> Point:
        """Where an edge comes to a thing."""
        block = self.inner.get(i)
        y = self._y(i) + (block.enters[edge][0][1] - block.breadth / 2 if block else 0.0)
        return self._middle(i) - self.sign[self.row[i]] * self.strip.thick[i] / 2, y

    def _ranked(self, number: int) -> list[Point]:
        """The route of an edge in ranks: past cards along its bends, and around where a row ends."""
        edge, u, v = self.strip.edges[number]
        chain = self.strip.chains.get(number, (u, v))
        if len(chain) == 2 and self.row[u] != self.row[v] and self._falls(number, u, v):
            low, high = self._common(u, v)
            x, wide = (low + high) / 2, self.strip.wide
            return [(x, self._y(u) + wide[u] / 2), (x, self._y(v) - wide[v] / 2)]
        start, end = self._start(edge, u), self._end(edge, v)
        route = [start, *self._rest(u, start, 1)]
        before = u
        for i in chain[1:]:
            y = self._y(i) if i != v else end[1]
            if self.row[i] != self.row[before]:
                route += self._around(number, before, i, route[-1][1], y)
            if i == v:
                route += [*self._rest(v, end, -1), end]
            else:
                reach = self.sign[self.row[i]] * self.thicks[self.row[i]][self.column[i]] / 2
                middle = self._middle(i)
                route += [(middle - reach, y), (middle + reach, y)] if reach else [(middle, y)]
            before = i
        return route

    def _next(self, edge: EdgeKey, u: int, v: int) -> list[Point]:
        """The route from a thing to one of the next rank."""
        start, end = self._start(edge, u), self._end(edge, v)
        return [start, *self._rest(u, start, 1), *self._rest(v, end, -1), end]

    def _rest(self, i: int, at: Point, way: int) -> list[Point]:
        """A card narrower than its rank is left, and reached, past its neighbours' whole width."""
        b, k = self.row[i], self.column[i]
        if self.thicks[b][k] - self.strip.thick[i] <= 2 or len(self.rows[b][k]) < 2:
            return []
        return [(self._middle(i) + way * self.sign[b] * self.thicks[b][k] / 2, at[1])]

    def _around(self, number: int, p: int, q: int, start: float, end: float) -> list[Point]:
        hub = ("turn", number)
        x = self._along(self._gap(self.row[p], len(self.rows[self.row[p]])), hub)
        if self.turning:
            return [(x, start), (x, end)]
        b = self.row[q]
        back, lane = self._along(("start", b, 0), hub), self._lane(b, hub)
        return [(x, start), (x, lane), (back, lane), (back, end)]

    def _lane(self, channel: int, hub: Hashable) -> float:
        return self.lanes[channel] + LANE * self.channel[channel, hub]

    def _laned(self, way: _Way) -> list[Point]:
        """The route of an edge by lanes."""
        route: list[Point] = []
        first, second = self._lane(way.first, way.hub), self._lane(way.second, way.hub)
        if way.source >= 0:
            start = self._start(way.edge, way.source)
            x = self._along(self._out(way), way.hub)
            route += [start, (x, start[1]), (x, first)]
        else:
            route.append((-self.left, first))
        if way.first != way.second:
            off = self.inmost[way.right] + LANE * self.margin[int(way.right), way.hub]
            x = self.width + off if way.right else -off
            route += [(x, first), (x, second)]
        if way.target >= 0:
            end = self._end(way.edge, way.target)
            x = self._along(self._into(way), way.hub)
            route += [(x, second), (x, end[1]), end]
        else:
            route.append((self.length - self.left, second))
        return route


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
