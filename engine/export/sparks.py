"""Sparklines: a value or a gradient over all iterations of a loop, where it is NaN or Inf, and which iteration is chosen.

As the page's painter draws them (`frontend/src/sparks.js`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..graph.design import Palette
from ..graph.design.sizes import SPARK
from .curves import Rectangle
from .scene import Box, Point, Polygon, Shape


@dataclass(frozen=True, slots=True)
class Line:
    """One series: numbers that are spread evenly over the iterations, None where there is none."""

    values: Sequence[float | None]
    low: float
    high: float

    @property
    def logarithmic(self) -> bool:
        """Whether it reaches over so many decades that it is drawn so."""
        return self.low > 0 and self.high / self.low > SPARK.wide

    def stretches(self, box: Rectangle) -> Iterator[list[Point]]:
        """The line as stretches of points in a box; where there is no number, it is broken."""
        scale = math.log if self.logarithmic else float
        start, span = scale(self.low), scale(self.high) - scale(self.low)
        last = len(self.values) - 1
        found: list[Point] = []
        for at, value in enumerate(self.values):
            if value is None or not math.isfinite(value):
                if found:
                    yield found
                found = []
                continue
            share = (scale(value) - start) / span if span else 0.5
            x = box.left + ((box.right - box.left) * at / last if last else 0.0)
            found.append((x, box.top + (box.bottom - box.top) * (1 - share)))
        if found:
            yield found


@dataclass(frozen=True, slots=True)
class Spark:
    """What a card shows over the iterations of its loop."""

    total: int
    value: Line | None
    grad: Line | None
    kinds: dict[int, str]
    """Iteration → "nan" or "inf", in order."""

    @property
    def first(self) -> int:
        """The first iteration with NaN or Inf, -1 for none."""
        return next(iter(self.kinds), -1)

    def series(self, which: str) -> Line | None:
        """The values or the gradients."""
        return self.grad if which == "grad" else self.value

    def share(self, iteration: int) -> float:
        """Where on the line an iteration is, from 0 to 1."""
        return min(1.0, max(0.0, iteration / (self.total - 1))) if self.total > 1 else 0.0

    def stretches(self) -> Iterator[tuple[int, int, str]]:
        """Neighbouring iterations with the same trouble: first, last, kind."""
        gap = max(1, -(-self.total // 100))
        found: list[tuple[int, int, str]] = []
        for iteration, kind in self.kinds.items():
            if found and found[-1][2] == kind and iteration - found[-1][1] <= gap:
                found[-1] = (found[-1][0], iteration, kind)
            else:
                found.append((iteration, iteration, kind))
        yield from found


def spark(
    total: int, value: Sequence[float | None] | None, grad: Sequence[float | None] | None, bad: Sequence[tuple[int, str]]
) -> Spark:
    """The sparkline of what the graph knows of a card."""
    return Spark(max(1, total), _line(value), _line(grad), dict(sorted(bad)))


def _line(values: Sequence[float | None] | None) -> Line | None:
    finite = [value for value in values or () if value is not None and math.isfinite(value)]
    return Line(values or (), min(finite), max(finite)) if finite else None


def paint(spark: Spark, which: str, box: Rectangle, iteration: int, colours: Palette, opacity: float) -> Iterator[Shape]:
    """One series in a box."""
    series = spark.series(which)
    assert series is not None
    wide, high = box.right - box.left, box.bottom - box.top
    for first, last, kind in spark.stretches():
        start, end = (box.left + wide * spark.share(at) for at in (first, last + 1))
        fill = colours.inf_tint if kind == "inf" else colours.nan_tint
        yield Box(start, box.top, max(SPARK.bad, end - start), high, fill=fill, opacity=opacity)
    colour = colours.orange if which == "grad" else colours.blue
    for points in series.stretches(box):
        if len(points) == 1:  # one number between gaps is a dot
            points.append((points[0][0] + SPARK.dot, points[0][1]))
        yield Polygon(tuple(points), stroke=colour, line=SPARK.line, opacity=opacity)
    if iteration >= 0:
        x = box.left + wide * spark.share(iteration) - SPARK.cursor / 2
        top, down = box.top - SPARK.cursor_reach, high + 2 * SPARK.cursor_reach
        yield Box(x, top, SPARK.cursor, down, fill=colours.ink, opacity=opacity * SPARK.cursor_opacity)
