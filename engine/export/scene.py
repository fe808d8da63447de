"""A picture as plain shapes, which the writers of SVG and PDF draw: no colour, width or position is decided after this."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias

from ..graph.design.sizes import Font
from .shortening import fit_end, text_width

Point: TypeAlias = tuple[float, float]
Cubic: TypeAlias = tuple[Point, Point, Point, Point]
"""Start, two handles, end."""

_UNPRINTABLE = re.compile(
    "[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff0-\uffff]+"
)
"""Control characters, surrogates, what XML forbids, and marks that turn the direction of text or hide in it."""


def clean(text: str) -> str:
    """A program's text on one line, without characters that are no text."""
    return _UNPRINTABLE.sub(" ", text).strip()


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with round corners, or a circle when the radius is half its sides."""

    left: float
    top: float
    width: float
    height: float
    radius: float = 0.0
    fill: str = ""
    stroke: str = ""
    line: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Curve:
    """A line along cubic Bézier pieces, each of which begins where the one before ends."""

    pieces: tuple[Cubic, ...]
    stroke: str
    line: float
    dash: tuple[float, ...] = ()
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed and filled, or an open and drawn, run of straight lines."""

    points: tuple[Point, ...]
    fill: str = ""
    stroke: str = ""
    line: float = 1.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text at its baseline; `width` is what it takes, whatever the font that draws it."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    width: float
    bold: bool = False
    anchor: Literal["start", "middle", "end"] = "start"
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Pie:
    """A share (0 to 1) of a disc, clockwise from the top."""

    x: float
    y: float
    radius: float
    share: float
    fill: str
    opacity: float = 1.0


Shape: TypeAlias = Box | Curve | Polygon | Pie | Text


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that are one thing, with what a reader is told of it."""

    label: str
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A whole picture; the origin is its upper left corner, the unit a pixel."""

    width: float
    height: float
    background: str
    title: str
    description: str
    items: tuple[Shape | Group, ...]


def line(
    font: Font,
    text: str,
    x: float,
    y: float,
    fill: str,
    *,
    room: float = inf,
    anchor: Literal["start", "middle", "end"] = "start",
    opacity: float = 1.0,
) -> Iterator[Text]:
    """A line of text, cut at its end so that it is no wider than `room`; none where nothing of it fits."""
    kept = fit_end(font, text, room)
    if kept:
        yield Text(x, y, kept, font.size, fill, text_width(font, kept), font.bold, anchor, opacity)
