"""Which shape a drawing gets: how long its rows are, and where its parts stand, so that it fills the canvas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

from .layout_coordinates import COMPONENT_GAP
from .layout_rows import COLUMN_GAP, ROW_GAP

ROOM = 480.0
"""The height of a canvas in pixels, to tell how small a drawing would have to be made to be seen whole."""
PART_GAP = 104.0
"""Pixels between parts that stand side by side: more than between ranks, so that they are not read as one."""
READABLE = 0.75
"""A drawing that need not be made smaller than this stays as it is."""
FRAMED = 0.9
"""The same for what is in a frame, which is not all that is to be seen."""
LEGIBLE = 0.6
"""On a page a drawing that would have to be made smaller than this to be seen whole is read from its top down."""
WHOLE = 0.2
"""How much it counts of such a drawing how small it would have to be, beside that its rows are no longer than the canvas."""
FEW_RANKS = 5
"""Ranks of a part that is not cut into rows, unless it would have to be made smaller than"""
FEW_READABLE = 0.68
"""this."""
GAIN = 1.2
"""How much larger a drawing must be seen for its rows to be worth it."""
SHARE = 0.3
"""The part of a row, at its end, in which the place with the fewest edges is looked for where the next one begins."""
UNUSED = 4.0
"""Edges that are worth as much as a whole row left empty."""
WIDTHS = (0.5, 0.6, 0.72, 0.86, 1.0, 1.15, 1.35, 1.6, 1.9)
"""Lengths of rows that are tried, as shares of what a rectangle of that area would have."""


@dataclass(frozen=True, slots=True)
class Canvas:
    """The canvas along the ranks and across them."""

    along: float
    across: float
    vertical: bool = False
    """Whether ranks run from top to bottom."""
    paged: bool = False
    """Whether what cannot be seen whole is read from its top down."""

    @classmethod
    def of(cls, aspect: float, vertical: bool, paged: bool) -> Canvas:
        along, across = (ROOM, ROOM * aspect) if vertical else (ROOM * aspect, ROOM)
        return cls(along, across, vertical, paged)

    def keeps(self, ranks: int, length: float) -> bool:
        """Whether a part is short enough to keep its one row, whatever else there is."""
        return ranks <= FEW_RANKS and self.along >= FEW_READABLE * length

    def scale(self, length: float, breadth: float) -> float:
        """How large a drawing is when all of it is in view."""
        return min(self.along / max(length, 1.0), self.across / max(breadth, 1.0), 1.0)

    def worth(self, length: float, breadth: float) -> float:
        """How well a drawing can be read: the larger it is when all of it is in view; on a page that it is too large for, the
        better its width fits, so that what is out of view is below."""
        scale = self.scale(length, breadth)
        if not self.paged or scale >= LEGIBLE:
            return scale
        wide = self.across / max(breadth, 1.0) if self.vertical else self.along / max(length, 1.0)
        return (1 - WHOLE) * min(wide, LEGIBLE) + WHOLE * scale

    def narrowed(self, share: float) -> Canvas:
        """A canvas of another length, as high."""
        return replace(self, along=share * self.along)


@dataclass(slots=True)
class Part:
    """What is known of a part before it is placed: of each rank how thick it is, how broad at least, and what leads on."""

    thick: list[float]
    broad: list[float]
    links: list[int]
    aside: int
    """The first rank of what stands aside; it begins a row, unless there is room for all of it behind the one before."""
    whole: bool
    """Whether it keeps its one row, whatever its length."""

    def length(self) -> float:
        return self.span(0, len(self.thick))

    def span(self, begin: int, end: int) -> float:
        """The length of some ranks in a row."""
        return sum(self.thick[begin:end]) + COLUMN_GAP * (end - begin - 1)

    def size(self, rows: Sequence[tuple[int, int]]) -> tuple[float, float]:
        """Length and least breadth in rows."""
        length = max(self.span(a, b) for a, b in rows)
        return length, sum(max(self.broad[a:b]) for a, b in rows) + ROW_GAP * (len(rows) - 1)


def rows_of(part: Part, width: float) -> list[tuple[int, int]]:
    """The ranks of a part in rows no longer than `width`, cut where few edges cross."""
    rows = []
    width = float("inf") if part.whole else width
    for begin, end in ((0, part.aside), (part.aside, len(part.thick))):
        while begin < end:
            cut = _cut(part, begin, end, width)
            rows.append((begin, cut))
            begin = cut
        if begin == part.aside < len(part.thick) and rows:
            first = rows[-1][0]
            if part.span(first, len(part.thick)) <= width:
                return [*rows[:-1], (first, len(part.thick))]
    return rows


def _cut(part: Part, begin: int, end: int, width: float) -> int:
    length, cut = 0.0, begin
    lengths: list[float] = []
    while cut < end:
        length += part.thick[cut] + (COLUMN_GAP if lengths else 0.0)
        if length > width and lengths:
            break
        lengths.append(length)
        cut += 1
    if cut == end:
        return end
    best, least = cut, float("inf")
    for k in range(len(lengths) - 1, -1, -1):
        unused = 1 - lengths[k] / width
        if k < len(lengths) - 1 and unused > SHARE:
            break
        cost = part.links[begin + k] + UNUSED * max(unused, 0.0)
        if cost < least:
            best, least = begin + k + 1, cost
    return best


def widths(parts: Sequence[Part], canvas: Canvas, column: bool) -> list[float]:
    """How long rows may be, for what is likely to be seen largest first, and of those the fewest rows; infinite for parts that
    are not cut into rows."""
    area = sum(part.length() * (max(part.broad, default=0.0) + ROW_GAP) for part in parts)
    usual = sqrt(area * canvas.along / canvas.across)
    longest = max((part.length() for part in parts), default=0.0)
    whole = canvas.worth(*_estimate(parts, float("inf"), column))
    found = [(-GAIN * whole, float("inf"))]
    known = {tuple(tuple(rows_of(part, float("inf"))) for part in parts)} if len(parts) == 1 else set()
    for share in WIDTHS:
        width = min(usual * share, longest) if len(parts) == 1 else usual * share
        rows = tuple(tuple(rows_of(part, width)) for part in parts)
        if rows not in known or len(parts) > 1:
            known.add(rows)
            found.append((-canvas.worth(*_estimate(parts, width, column)), width))
    return [width for _, width in sorted(found, key=lambda way: (way[0], -way[1]))]


def _estimate(parts: Sequence[Part], width: float, column: bool) -> tuple[float, float]:
    sizes = [part.size(rows_of(part, width)) for part in parts]
    return packed(sizes, None if column or width == float("inf") else width)[1]


def packed(sizes: Sequence[tuple[float, float]], width: float | None) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """Spots for rectangles, in their order, on shelves no longer than `width`, or in one column; and the size of it all.

    On a shelf what is lower than the shelf stands above what comes next, as long as both find room.
    """
    spots: list[tuple[float, float]] = []
    shelf = deep = along = column = across = 0.0
    longest = 0.0
    for length, breadth in sizes:
        if spots and width is not None and across + breadth <= deep:
            pass  # Below the one before.
        elif spots and width is not None and along + column + PART_GAP + length <= width:
            along, column, across = along + column + PART_GAP, 0.0, 0.0
        elif spots:
            shelf += deep + COMPONENT_GAP
            deep = along = column = across = 0.0
        spots.append((along, shelf + across))
        across += breadth + COMPONENT_GAP
        column = max(column, length)
        deep = max(deep, across - COMPONENT_GAP)
        longest = max(longest, along + column)
    return spots, (longest, shelf + deep)
