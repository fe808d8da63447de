"""Edges along their routes: data forwards, gradients in orange in their own direction, cuts dashed, and the labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..graph.shown.state_history import EdgeFace, EdgeKey
from ..graph.structure.build import Graph
from ..graph.structure.layout import Layout
from .cards import LINE, fitted
from .curves import Rectangle, around, arrow, bounds, curve_along, point_at, reverse, shortened_end
from .fonts import width
from .palette import Palette
from .scene import Box, Cubic, Curve, Point, Polygon, Shape, clean

TWINS = 12.0
"""Pixels between edges that would lie exactly on each other (`x * x`)."""


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge at one step; its curve runs from the card where it begins to the one where it ends."""

    pieces: tuple[Cubic, ...]
    kind: str
    far: bool
    ghost: bool
    face: EdgeFace
    carried: bool = False
    """Whether it leads to the next iteration."""
    some: bool = False
    """Whether only some iterations have it."""


def curves(
    graph: Graph, placed: Layout, origin: Point, boxes: dict[str, Rectangle], vertical: bool
) -> dict[EdgeKey, tuple[Cubic, ...]]:
    """The curves of all edges between cards in their boxes; `origin` is where the layout's own origin is."""
    flipped = graph.graph["view"] == "autograd"
    routes: dict[EdgeKey, tuple[Point, ...]] = {}
    twins: dict[tuple[object, ...], list[EdgeKey]] = {}
    for u, v, k in graph.edges(keys=True):
        route = tuple((x + origin[0], y + origin[1]) for x, y in placed.routes[(v, u, k) if flipped else (u, v, k)])
        routes[u, v, k] = route[::-1] if flipped else route
        twins.setdefault((u, v, route), []).append((u, v, k))
    for group in twins.values():
        for position, key in enumerate(group):
            shift = (position - (len(group) - 1) / 2) * TWINS
            if shift:
                routes[key] = tuple((x + shift, y) if vertical else (x, y + shift) for x, y in routes[key])
    return {key: curve_along(route, boxes[key[0]], boxes[key[1]], vertical) for key, route in routes.items()}


def paint(edges: Sequence[Edge], strongest: float, colours: Palette) -> Iterator[Shape]:
    """All edges, those on which a gradient flows above the others."""
    lively = [edge for edge in edges if edge.face.active and not edge.ghost]
    for edge in edges:
        if not edge.face.active or edge.ghost:
            opacity = 0.28 if edge.ghost else 0.4 if edge.far else 1.0
            colour = colours.carried if edge.carried else colours.cut if edge.kind == "cut" else colours.edge
            if edge.carried:
                yield from _returning(edge.pieces, colour, _dash(edge), opacity)
            else:
                yield from _stroke(edge.pieces, colour, 1.4, 7, _dash(edge), opacity)
    for edge in lively:
        # Edges of data are drawn from input to result; edges of grad_fn already point where the gradient goes.
        pieces = edge.pieces if edge.kind == "grad_fn" else reverse(edge.pieces)
        line = _line(edge.face.norm, strongest)
        yield Curve(shortened_end(pieces), colours.orange_halo, line + 5)
        yield from _stroke(pieces, colours.orange, line, 10.5)


def labels(edges: Sequence[Edge], cards: Sequence[Rectangle], colours: Palette) -> Iterator[Shape]:
    """The numbers on edges where a gradient flows; each looks for a free place along its edge."""
    taken = list(cards)
    height = 18.0
    for edge in edges:
        if not edge.face.active or edge.ghost or not edge.face.label:
            continue
        label = clean(edge.face.label)
        across = width(label, LINE, True) + 12
        x, y = _label_centre(edge.pieces, across, height, taken)
        frame = around(x, y, across, height)
        taken.append(frame)
        yield Box(frame.left, frame.top, across, height, 6, fill=colours.page, opacity=0.86)
        text = fitted(label, x, y + 4.2, LINE, colours.orange_text, across, True, "middle")
        if text is not None:
            yield text


def _stroke(
    pieces: tuple[Cubic, ...], colour: str, line: float, head: float, dash: tuple[float, ...] = (), opacity: float = 1.0
) -> Iterator[Shape]:
    yield Curve(shortened_end(pieces), colour, line, dash, opacity)
    yield Polygon(arrow(pieces, head), fill=colour, opacity=opacity)


def _dash(edge: Edge) -> tuple[float, ...]:
    """What an iteration hands on to the next is dashed, what only some iterations have is dotted."""
    if edge.kind == "cut":
        return (5.0, 4.0)
    if edge.ghost:
        return (3.0, 4.0)
    return (1.5, 4.0) if edge.some else (8.0, 4.0) if edge.carried else ()


def _returning(pieces: tuple[Cubic, ...], colour: str, dash: tuple[float, ...], opacity: float) -> Iterator[Shape]:
    """A return has an open arrow: two lines instead of a wedge."""
    yield Curve(pieces, colour, 1.4, dash, opacity)
    tip, left, right = arrow(pieces, 9, 0.55)
    yield Polygon((left, tip, right), stroke=colour, line=1.8, opacity=opacity)


def _line(norm: float | None, strongest: float) -> float:
    """A stronger gradient is a thicker line, on a logarithmic scale over five decades of this recording."""
    if norm is None or norm <= 0 or strongest <= 0:
        return 2.2
    return 2.2 + 1.4 * min(1.0, max(0.0, 1 + math.log10(norm / strongest) / 5))


def _label_centre(pieces: tuple[Cubic, ...], across: float, height: float, taken: Sequence[Rectangle]) -> Point:
    whole = bounds(pieces)
    near = Rectangle(whole.left - across, whole.top - 40, whole.right + across, whole.bottom + 40)
    others = [card for card in taken if card.overlap(near)]
    # On a short edge the label would hide the arrow: beside it, then.
    short = math.hypot(whole.right - whole.left, whole.bottom - whole.top) < across + 34
    candidates = [
        (x, y + lift)
        for lift in ((-20.0, 20.0, 0.0) if short else (0.0, -16.0, 16.0))
        for x, y in (point_at(pieces, share) for share in (0.5, 0.38, 0.62, 0.26, 0.74))
    ]
    return min(candidates, key=lambda at: sum(other.overlap(around(at[0], at[1], across, height)) for other in others))
