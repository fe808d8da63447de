"""Edges along their routes: data forwards, gradients in orange in their own direction, cuts dashed, and the labels.

As the page's painter draws them (`frontend/src/paint-edge.js`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..graph.design import Palette
from ..graph.design.sizes import EDGE, FONTS, VEIL, Dash
from ..graph.shown.state_history import EdgeFace, EdgeKey
from ..graph.structure.build import Graph
from ..graph.structure.layout import Layout
from .curves import Rectangle, around, arrow, bounds, curve_along, point_at, reverse, shortened_end
from .scene import Box, Cubic, Curve, Point, Polygon, Shape, clean, line
from .shortening import text_width


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
    writes: bool = False
    """Whether the step is about the node where it begins."""

    @property
    def flows(self) -> bool:
        """Whether a gradient passes at this very step."""
        return self.face.active and not self.ghost


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
            shift = (position - (len(group) - 1) / 2) * EDGE.twins
            if shift:
                routes[key] = tuple((x + shift, y) if vertical else (x, y + shift) for x, y in routes[key])
    return {key: curve_along(route, boxes[key[0]], boxes[key[1]], vertical) for key, route in routes.items()}


def paint(edges: Sequence[Edge], strongest: float, colours: Palette) -> Iterator[Shape]:
    """All edges: what iterations hand on under the others, those on which a gradient flows above them."""
    lively = [edge for edge in edges if edge.flows]
    resting = [edge for edge in edges if not edge.flows]
    for writes in (False, True):
        for edge in resting:
            if edge.carried and edge.writes == writes:
                yield from _returning(edge, colours)
    for edge in resting:
        if not edge.carried:
            yield from _resting(edge, colours)
    for edge in lively:
        # Edges of data are drawn from input to result; edges of grad_fn already point where the gradient goes.
        pieces = edge.pieces if edge.kind == "grad_fn" else reverse(edge.pieces)
        line, wide = shortened_end(pieces), _width(edge.face.norm, strongest)
        line = line if edge.kind == "grad_fn" else reverse(line)
        yield Curve(line, colours.orange_halo, wide + EDGE.flow_halo)
        yield Curve(line, colours.orange, wide)
        yield Polygon(arrow(pieces, EDGE.flow_arrow, EDGE.arrow_wing), fill=colours.orange)


def labels(edges: Sequence[Edge], cards: Sequence[Rectangle], colours: Palette) -> Iterator[Shape]:
    """The numbers on edges where a gradient flows; each looks for a free place along its edge."""
    taken = list(cards)
    for edge in edges:
        label = clean(edge.face.label)
        if not edge.flows or not label:
            continue
        across, high = text_width(FONTS["strong"], label) + 2 * EDGE.label_padding, EDGE.label_height
        x, y = _label_centre(edge.pieces, across, high, taken)
        frame = around(x, y, across, high)
        taken.append(frame)
        yield Box(frame.left, frame.top, across, high, EDGE.label_radius, fill=colours.stage, opacity=VEIL.opacity)
        yield from line(FONTS["strong"], label, x, y + EDGE.label_base, colours.orange_text, anchor="middle")


def _resting(edge: Edge, colours: Palette) -> Iterator[Shape]:
    """An edge over which nothing passes."""
    few = EDGE.few if edge.some else 1.0
    opacity = EDGE.ghost * few if edge.ghost else EDGE.far * few if edge.far else few
    colour = colours.cut if edge.kind == "cut" else colours.edge
    wide = EDGE.line * (EDGE.few_line if edge.some else 1)
    yield Curve(shortened_end(edge.pieces), colour, wide, _dash(edge), opacity)
    yield Polygon(arrow(edge.pieces, EDGE.arrow, EDGE.arrow_wing), fill=colour, opacity=opacity)


def _returning(edge: Edge, colours: Palette) -> Iterator[Shape]:
    """What an iteration hands on to the next: pale and not transparent, so that a bundle of it is no darker than a single line,
    with an open arrow. While an optimizer writes its parameters, the edges over which it does so come forward."""
    stroke, head = colours.carried_pale, colours.carried_firm
    if edge.writes:
        stroke, head = colours.carried_firm, colours.carried
    yield Curve(edge.pieces, colours.carried_pale if edge.ghost else stroke, EDGE.line * EDGE.few_line, EDGE.carried_dash)
    if edge.ghost:
        return
    tip, left, right = arrow(edge.pieces, EDGE.carried_arrow, EDGE.carried_wing)
    yield Polygon((left, tip, right), stroke=head, line=EDGE.carried_arrow_line)


def _dash(edge: Edge) -> Dash:
    """What only some iterations have is dotted."""
    if edge.kind == "cut":
        return EDGE.cut_dash
    return EDGE.ghost_dash if edge.ghost else EDGE.some_dash if edge.some else ()


def _width(norm: float | None, strongest: float) -> float:
    """A stronger gradient is a thicker line, on a logarithmic scale over some decades of this recording."""
    if norm is None or not math.isfinite(norm) or norm <= 0 or strongest <= 0:
        return EDGE.flow
    return EDGE.flow + EDGE.flow_more * min(1.0, max(0.0, 1 + math.log10(norm / strongest) / EDGE.decades))


def _label_centre(pieces: tuple[Cubic, ...], across: float, height: float, taken: Sequence[Rectangle]) -> Point:
    whole = bounds(pieces)
    most = max(map(abs, EDGE.label_lifts_short)) + height
    near = Rectangle(whole.left - across, whole.top - most, whole.right + across, whole.bottom + most)
    others = [card for card in taken if card.overlap(near)]
    # On a short edge the label would hide the arrow: beside it, then.
    short = math.hypot(whole.right - whole.left, whole.bottom - whole.top) < across + EDGE.label_short
    candidates = [
        (x, y + lift)
        for lift in (EDGE.label_lifts_short if short else EDGE.label_lifts)
        for x, y in (point_at(pieces, share) for share in EDGE.label_shares)
    ]
    best, least = candidates[0], math.inf
    for at in candidates:
        hidden = sum(other.overlap(around(*at, across, height)) for other in others)
        if hidden < least - EDGE.label_hidden:
            best, least = at, hidden
        if hidden <= EDGE.label_hidden:
            break
    return best
