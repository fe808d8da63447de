"""One connected part of a strip in rows: which way they are read, where things stand in them, and how close together they are.

Rows are read like the furrows of a field, every other one backwards. Between them, above and below there are channels, and
beside them two margins, in which lanes lead what joins rows, what returns and what comes from outside (`layout_lanes`). A row
moves up until something of it, or a lane, is as close to what stands above it as it may be.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from .layout_coordinates import placed
from .layout_skyline import Skyline
from .layout_strip import EdgeKey, Link, Strip

ROW_GAP = 34.0
"""Pixels between a card and one below it."""
CHANNEL = 14.0
"""Pixels between a card and a line above or below it."""
LANE = 10.0
"""Pixels between lines."""
COLUMN_GAP = 46.0
"""Pixels between ranks in rows, more where many lanes pass."""
FIRST, STEP, SLOTS = 14.0, 7.0, 6
"""The lanes between two ranks: where the first is, how far the next, and how many there are."""
MARGIN = 18.0
"""Pixels between a row's end and the first lane beside it."""
AIR = 6.0
"""Pixels beside a card that count as taken for what stands above or below it."""

Gap = tuple[str, int, int]
Rank = list[int]


@dataclass(slots=True)
class Edges:
    """The edges of one part: by their number those in ranks, and apart those that go by lanes."""

    ranked: list[int]
    lanes: list[tuple[str, Link]]
    entering: list[tuple[EdgeKey, int]]
    leaving: list[tuple[EdgeKey, int]]


@dataclass(frozen=True, slots=True)
class Line:
    """A piece of an edge within a row: from one place along it to another, somewhere between two heights."""

    low: float
    high: float
    top: float
    bottom: float


class Rows:
    """The ranks of a part in rows. How far apart ranks are is set by `spread`, how far apart rows are by `stack`."""

    def __init__(self, strip: Strip, rows: Sequence[Sequence[Rank]], edges: Edges) -> None:
        self.strip, self.rows, self.edges = strip, rows, edges
        inner = strip.level.inner
        # Frames have their inputs on the left, so where there are any all rows read from left to right.
        self.turning = not any(i in inner and inner[i].frames for row in rows for layer in row for i in layer)
        aside = (b for b, row in enumerate(rows) if b and any(i < strip.n and strip.side[i] for i in row[0]))
        self.aside = next(aside, len(rows))
        """The first row of what stands aside, where it begins a row; it is read from left to right, as the first of all."""
        counts = [*range(self.aside), *range(len(rows) - self.aside)]
        self.sign = [-1 if self.turning and k % 2 else 1 for k in counts]
        self.row: dict[int, int] = {}
        self.column: dict[int, int] = {}
        for b, row in enumerate(rows):
            for k, layer in enumerate(row):
                for i in layer:
                    self.row[i], self.column[i] = b, k
        self.inner = {i: inner[i] if self.sign[b] > 0 else inner[i].mirrored() for i, b in self.row.items() if i in inner}
        self.thicks = [[max((strip.thick[i] for i in layer), default=0.0) for layer in row] for row in rows]
        self.at: dict[int, float] = {}
        """Where a thing stands across its row."""
        pieces = self._pieces()
        self.breadths = [self._place(b, pieces[b]) for b in range(len(rows))]

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

    # --- along the rows -------------------------------------------------------------------------------------------------------

    def gap(self, b: int, k: int) -> Gap:
        """The gap before the rank at `k` of a row; behind the last it is in a margin, shared by two rows that turn there."""
        if 0 < k < len(self.rows[b]):
            return "gap", b, k
        if k:
            return "end", b, 0
        return ("end", b - 1, 0) if self.turning and b not in (0, self.aside) else ("start", b, 0)

    def on_right(self, gap: Gap) -> bool:
        """In which margin such a gap is."""
        return (self.sign[gap[1]] > 0) == (gap[0] == "end")

    def spread(self, slots: dict[Gap, dict[Hashable, int]]) -> None:
        """Find the ranks' places along the rows, with room for so many lanes in the gaps between them."""
        self.slots = slots
        self.gaps = [
            [
                max(COLUMN_GAP, 2 * FIRST + STEP * (min(len(slots.get(("gap", b, k), ())), SLOTS) - 1)) if k else 0.0
                for k in range(len(thicks))
            ]
            for b, thicks in enumerate(self.thicks)
        ]
        self.width = max((sum(thicks) + sum(gaps) for thicks, gaps in zip(self.thicks, self.gaps)), default=0.0)
        self.near: list[list[float]] = []
        """Where each rank begins, in the direction in which its row is read."""
        x = 0.0
        for b, (thicks, gaps) in enumerate(zip(self.thicks, self.gaps)):
            sign, length = self.sign[b], sum(thicks) + sum(gaps)
            # A row begins below the end of the one above it, or as near to that as there is room.
            x = 0.0 if not self.turning or b == self.aside else x
            x = min(x, self.width - length) if sign > 0 else max(x, length)
            starts = []
            for thick, gap in zip(thicks, gaps):
                x += sign * gap
                starts.append(x)
                x += sign * thick
            self.near.append(starts)

    def along(self, gap: Gap, hub: Hashable) -> float:
        """Where along the row what belongs to a hub goes across it in a gap."""
        slot = self.slots[gap][hub]
        kind, b, k = gap
        if kind == "gap":
            return self.near[b][k] - self.sign[b] * (self.gaps[b][k] - FIRST - STEP * (slot % SLOTS))
        off = MARGIN + LANE * slot
        return self.width + off if self.on_right(gap) else -off

    def middle(self, i: int) -> float:
        """The middle of a thing along its row."""
        b, k = self.row[i], self.column[i]
        return self.near[b][k] + self.sign[b] * self.thicks[b][k] / 2

    # --- across the rows ------------------------------------------------------------------------------------------------------

    def stack(self, lines: Sequence[Sequence[Line]], lanes: Sequence[Sequence[Sequence[tuple[float, float]]]]) -> None:
        """Find the rows' places: `lines` are the edges in each, `lanes` from where to where those in each channel reach."""
        cards, drawn = Skyline(-ROW_GAP), Skyline(-CHANNEL)
        self.tops: list[float] = []
        self.lanes: list[list[float]] = []
        """Where each lane of each channel is."""
        self.breadth = 0.0
        for c in range(len(self.rows) + 1):
            self.lanes.append([])
            for spans in lanes[c]:
                y = max(max(cards.over(*span) + CHANNEL, drawn.over(*span) + LANE, 0.0) for span in spans)
                for low, high in spans:
                    drawn.lift(low, high, y)
                self.lanes[c].append(y)
                self.breadth = max(self.breadth, y)
            if c < len(self.rows):
                self._add(c, lines[c], cards, drawn)

    def _add(self, b: int, lines: Sequence[Line], cards: Skyline, drawn: Skyline) -> None:
        """Put a row below what is there."""
        strip = self.strip
        solid: list[Line] = []
        lines = list(lines)
        for k, layer in enumerate(self.rows[b]):
            for i in layer:
                middle, half = self.middle(i), strip.wide[i] / 2
                reach = strip.thick[i] / 2 + AIR if i < strip.n else self.thicks[b][k] / 2
                if i < strip.n:
                    solid.append(Line(middle - reach, middle + reach, self.at[i] - half, self.at[i] + half))
                else:
                    lines.append(Line(middle - reach, middle + reach, self.at[i], self.at[i]))
        top = 0.0
        for it in solid:
            top = max(top, cards.over(it.low, it.high) + ROW_GAP - it.top, drawn.over(it.low, it.high) + CHANNEL - it.top)
        for it in lines:
            top = max(top, cards.over(it.low, it.high) + CHANNEL - it.top, drawn.over(it.low, it.high) + LANE - it.top)
        self.tops.append(top)
        for sky, pieces in ((cards, solid), (drawn, lines)):
            for it in pieces:
                sky.lift(it.low, it.high, top + it.bottom)
        self.breadth = max([self.breadth, *(top + it.bottom for it in (*solid, *lines))])

    def y(self, i: int) -> float:
        """The middle of a thing across the rows."""
        return self.tops[self.row[i]] + self.at[i]
