"""What stands around the graph in a file: title and caption above it, and below it what its colours mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..graph.design import Palette
from ..graph.design.sizes import CARD, EDGE, FONTS, LOOKS
from .scene import Box, Curve, Shape, clean, line
from .shortening import text_width

FIRST, NEXT = 28.0, 20.0
"""Baselines of the title, and of the caption from it on."""
LINE = 20.0
"""Height of a row."""
OVER, UNDER = 4.0, 4.0
"""What is left free over and under them."""
SIGN, GAP, APART = 13.0, 20.0, 22.0
"""A sign's side, from its left to its label, and from a label to the next sign."""
DASH = (3.0, 2.0)

Entry = tuple[str, str]
"""A sign, the tone of a card or "edge" and its kind, and its label."""


def head(title: str, caption: str, left: float, room: float, colours: Palette) -> Iterator[Shape]:
    """Title and caption, or the caption alone."""
    shapes = list(line(FONTS["head"], clean(title), left, FIRST, colours.ink, room=room))
    yield from shapes
    yield from line(FONTS["caption"], caption, left, FIRST + NEXT * len(shapes), colours.mute, room=room)


def rows(entries: Sequence[Entry], room: float) -> list[list[Entry]]:
    """The entries, as many to a line as there is room for."""
    found: list[list[Entry]] = []
    left = 0.0
    for entry in entries:
        if left < _width(entry):
            found.append([])
            left = room
        found[-1].append(entry)
        left -= _width(entry)
    return found


def height(rows: Sequence[Sequence[Entry]]) -> float:
    """What they take, nothing for none."""
    return OVER + LINE * len(rows) + UNDER if rows else 0.0


def paint(rows: Sequence[Sequence[Entry]], left: float, top: float, colours: Palette) -> Iterator[Shape]:
    """The rows, one under another."""
    for number, row in enumerate(rows):
        x, y = left, top + LINE * number
        for entry in row:
            sign, label = entry
            if sign.startswith("edge"):
                yield _edge(sign, x, y + 3, colours)
            else:
                look = LOOKS.get(sign, LOOKS["usual"])
                fill, stroke = getattr(colours, look.fill), getattr(colours, look.stroke)
                yield Box(x, y - 3, SIGN, SIGN, CARD.radius / 2, fill, stroke, look.line, DASH if look.dash else ())
            yield from line(FONTS["caption"], label, x + GAP, y + 7.5, colours.mute)
            x += _width(entry)


def _edge(sign: str, x: float, y: float, colours: Palette) -> Curve:
    piece = ((x, y), (x + 4, y), (x + 9, y), (x + SIGN, y))
    if sign == "edge grad":
        return Curve((piece,), colours.orange, EDGE.flow)
    return Curve((piece,), colours.carried if "carried" in sign else colours.cut, EDGE.line, DASH)


def _width(entry: Entry) -> float:
    return GAP + text_width(FONTS["caption"], entry[1]) + APART
