"""Edges as smooth curves along the layout's routes, as the player draws them (`frontend/src/route.js`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..graph.design.sizes import EDGE
from .scene import Cubic, Point


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A card's rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def flipped(self) -> Rectangle:
        """With x and y exchanged."""
        return Rectangle(self.top, self.left, self.bottom, self.right)

    def overlap(self, other: Rectangle) -> float:
        """The area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height if width > 0 and height > 0 else 0.0


def around(x: float, y: float, width: float, height: float) -> Rectangle:
    """A rectangle by its centre."""
    return Rectangle(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def curve_along(points: Sequence[Point], source: Rectangle, target: Rectangle, vertical: bool) -> tuple[Cubic, ...]:
    """One curve along `points`, from the border of one card to the border of the other.

    Points in the middle get the slopes of monotone cubic interpolation (Fritsch and Carlson 1980), which never overshoots,
    so a route around a card stays around it. Where a route goes straight across the layout's direction (from one row to the
    next, to a lane and back) it has round corners.
    """
    vertical = _direction(points, source, target, vertical)
    route = [(y, x) if vertical else (x, y) for x, y in points]
    if vertical:
        source, target = source.flipped, target.flipped
    if not _falls(route[0], route[1]):
        route[0] = _on_border(route[0], source, route[1][0] >= route[0][0])
    if not _falls(route[-2], route[-1]):
        route[-1] = _on_border(route[-1], target, route[-1][0] < route[-2][0])
    pieces = _cubics(route)
    if not vertical:
        return tuple(pieces)
    return tuple(((a[1], a[0]), (b[1], b[0]), (c[1], c[0]), (d[1], d[0])) for a, b, c, d in pieces)


def reverse(pieces: Iterable[Cubic]) -> tuple[Cubic, ...]:
    """The curve traversed from its end to its beginning."""
    return tuple((d, c, b, a) for a, b, c, d in reversed(tuple(pieces)))


def arrow(pieces: Sequence[Cubic], size: float, wing: float) -> tuple[Point, Point, Point]:
    """The head at a curve's end: its tip and its two wings, which are turned from it by an angle."""
    (_, _, (hx, hy), (x, y)) = pieces[-1]
    angle = math.atan2(y - hy, x - hx)
    left = (x - size * math.cos(angle - wing), y - size * math.sin(angle - wing))
    right = (x - size * math.cos(angle + wing), y - size * math.sin(angle + wing))
    return (x, y), left, right


def shortened_end(pieces: Sequence[Cubic]) -> tuple[Cubic, ...]:
    """The curve without the last bit, which the head covers."""
    a, b, c, (x, y) = pieces[-1]
    angle = math.atan2(y - c[1], x - c[0])
    return (*pieces[:-1], (a, b, c, (x - math.cos(angle) * EDGE.covered, y - math.sin(angle) * EDGE.covered)))


def point_at(pieces: Sequence[Cubic], share: float) -> Point:
    """The point at a share (0..1) of the way, taking every piece by its chord."""
    lengths = [math.dist(piece[0], piece[3]) for piece in pieces]
    rest, index = share * sum(lengths), 0
    while index < len(lengths) - 1 and rest > lengths[index]:
        rest -= lengths[index]
        index += 1
    t = min(1.0, rest / lengths[index]) if lengths[index] else 0.0
    a, b, c, d = pieces[index]
    s = 1 - t
    weights = (s**3, 3 * s * s * t, 3 * s * t * t, t**3)
    return (
        sum(w * p[0] for w, p in zip(weights, (a, b, c, d), strict=True)),
        sum(w * p[1] for w, p in zip(weights, (a, b, c, d), strict=True)),
    )


def bounds(pieces: Iterable[Cubic]) -> Rectangle:
    """A rectangle that holds the curve."""
    points = [point for piece in pieces for point in piece]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return Rectangle(min(xs), min(ys), max(xs), max(ys))


def _cubics(route: list[Point]) -> list[Cubic]:
    return _with_corners(route) if len(route) > 2 and any(_falls(a, b) for a, b in pairwise(route)) else _smooth(route)


def _falls(one: Point, other: Point) -> bool:
    """Whether the way between two points is straight across the layout's direction."""
    return abs(other[0] - one[0]) <= 0.5 and one[1] != other[1]


def _with_corners(points: list[Point]) -> list[Cubic]:
    """Curves along the layout's direction, straight lines across it, and round corners between them."""
    inner = (b for a, b, c in zip(points, points[1:], points[2:]) if not (_falls(a, b) and _falls(b, c)))
    route = [points[0], *inner, points[-1]]
    pieces: list[Cubic] = []
    run = [route[0]]
    for previous, corner, following in zip(route, route[1:], route[2:]):
        down = _falls(previous, corner)
        if down == _falls(corner, following):
            run.append(corner)
            continue
        before, after = _towards(corner, previous, down), _towards(corner, following, not down)
        pieces += [_line(run[0], before)] if down else _smooth([*run, before])
        pieces.append((before, _between(before, corner, EDGE.round), _between(after, corner, EDGE.round), after))
        run = [after]
    pieces += [_line(run[0], route[-1])] if _falls(route[-2], route[-1]) else _smooth([*run, route[-1]])
    return pieces


def _towards(corner: Point, following: Point, down: bool) -> Point:
    """The point at which a corner begins on the way to the next point; half of the way is left to that one's corner."""
    way = following[down] - corner[down]
    part = math.copysign(min(EDGE.corner, abs(way) / 2), way)
    return (corner[0], corner[1] + part) if down else (corner[0] + part, corner[1])


def _between(one: Point, other: Point, share: float) -> Point:
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share


def _line(one: Point, other: Point) -> Cubic:
    return one, _between(one, other, 1 / 3), _between(one, other, 2 / 3), other


def _smooth(route: list[Point]) -> list[Cubic]:
    slopes = _slopes(route)
    pieces: list[Cubic] = []
    for k, (one, other) in enumerate(pairwise(route)):
        (x0, y0), (x1, y1) = one, other
        if slopes:
            reach = (x1 - x0) * EDGE.handle
            pieces.append((one, (x0 + reach, y0 + slopes[k] * reach), (x1 - reach, y1 - slopes[k + 1] * reach), other))
        else:
            # A route that turns back on itself (a cell that feeds itself): round handles instead of slopes.
            reach = max(EDGE.turn, abs(x1 - x0) * EDGE.handle) * (-1 if x1 < x0 else 1)
            pieces.append((one, (x0 + reach, y0), (x1 - reach, y1), other))
    return pieces


def _slopes(route: Sequence[Point]) -> list[float]:
    """dy/dx at every point, flat at both ends; none when x does not run strictly one way."""
    sign = math.copysign(1, route[-1][0] - route[0][0])
    secants = []
    for (x0, y0), (x1, y1) in pairwise(route):
        if (x1 - x0) * sign <= 0.5:
            return []
        secants.append((y1 - y0) / (x1 - x0))
    middle = [0.0 if a * b <= 0 else 2 * a * b / (a + b) for a, b in pairwise(secants)]
    return [0.0, *middle, 0.0]


def _direction(points: Sequence[Point], source: Rectangle, target: Rectangle, vertical: bool) -> bool:
    """Two cards in one rank are joined across it: along the layout there is no room for a curve between them."""
    if len(points) > 2 or source == target:
        return vertical
    a, b = (source.flipped, target.flipped) if vertical else (source, target)
    return vertical if a.right <= b.left or b.right <= a.left else not vertical


def _on_border(point: Point, card: Rectangle, leaves_right: bool) -> Point:
    x, y = point
    inside = card.left - 1 < x < card.right + 1 and card.top - 1 < y < card.bottom + 1
    return (card.right if leaves_right else card.left, y) if inside else point
