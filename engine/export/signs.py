"""Small signs on the corners of cards: where it stands in the ready queue, and that there is NaN or Inf in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..graph.design import Palette
from ..graph.design.sizes import FONTS, MARK, SIGN
from .curves import Rectangle
from .ready_states import Mark
from .scene import Box, Pie, Polygon, Shape, line

if TYPE_CHECKING:
    from .cards import Card

WORDS = {"nan": "NaN", "inf": "Inf"}


def mark(mark: Mark, box: Rectangle, pill: bool, colours: Palette) -> Iterator[Shape]:
    """A dashed ring that fills as gradients come, a position in the queue, or a tick."""
    if mark.state == "running":
        return
    x = box.right - (MARK.pill_aside if pill else MARK.aside)
    y = box.top + (MARK.pill_down if pill else MARK.down)
    done, waiting = mark.state in ("done", "captured"), mark.state == "waiting"
    radius = MARK.ready if mark.state == "ready" else MARK.radius
    fill = colours.orange if done else colours.card
    stroke = colours.orange_mute if waiting and not mark.have else colours.orange
    ring = Box(x - radius, y - radius, 2 * radius, 2 * radius, radius)
    yield Box(ring.left, ring.top, ring.width, ring.height, radius, fill)
    if waiting and mark.have:
        yield Pie(x, y, radius - MARK.filled, mark.have / max(mark.total, mark.have + 1), colours.orange)
    dash = MARK.dash if waiting else ()
    yield Box(ring.left, ring.top, ring.width, ring.height, radius, "", stroke, MARK.line, dash)
    if mark.state == "ready" and mark.order:
        yield from line(FONTS["mark"], str(mark.order), x, y + MARK.base, colours.orange_text, anchor="middle")
    if done:
        points = tuple((x + dx, y + dy) for dx, dy in MARK.tick)
        yield Polygon(points, stroke=colours.on_colour, line=MARK.tick_line)


def sign(card: Card, colours: Palette) -> Iterator[Shape]:
    """A red sign where there is NaN, for a group anywhere in it, one in amber where Inf begins."""
    if card.spark:
        # In a rolled run a sign on every card would say no more than the first one does: where it begins.
        begins = card.begins if card.first else ""
        if not begins:
            return
        text, fill = WORDS[begins], colours.amber if begins == "inf" else colours.red
    elif card.alarm:
        text, fill = WORDS["nan"], colours.red
    else:
        return
    wide = len(text) * SIGN.letter + SIGN.padding
    left = card.box.left - SIGN.left
    yield Box(left, card.box.top - SIGN.up, wide, SIGN.height, SIGN.height / 2, fill)
    yield from line(FONTS["sign"], text, left + wide / 2, card.box.top + SIGN.base, colours.on_colour, anchor="middle")
