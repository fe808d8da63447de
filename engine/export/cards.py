"""Nodes as cards and pills, as the page's painter draws them (`frontend/src/paint-card.js`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..graph.design import Palette, sizes
from ..graph.design.sizes import CARD, LOOKS, Look
from ..graph.shown.state_history import Face
from . import card_text
from .curves import Rectangle
from .ready_states import Mark
from .scene import Box, Group, Shape, clean
from .signs import mark, sign
from .sparks import Spark


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter that stands in the card of what uses it."""

    title: str
    tone: str
    face: Face
    spark: Spark | None
    iteration: int
    old: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A node at one step."""

    key: str
    box: Rectangle
    tone: str
    pill: bool
    title: str
    badge: str
    sub: str
    face: Face
    ghost: bool
    focus: bool
    backward: bool
    """Whether the step belongs to a backward pass."""
    mark: Mark | None
    group: bool = False
    alarm: bool = False
    """Whether there is NaN or Inf in it, where it has no curves that say so."""
    times: int = 1
    """How often it is there within one iteration."""
    some: str = ""
    """"in 1 of 200 iterations", "" for all."""
    spark: Spark | None = None
    iteration: int = -1
    """The one of its loop that is on show."""
    old: bool = False
    """Whether its face is of an earlier one."""
    origin: bool = False
    """Whether the first NaN or Inf of the run came from it."""
    first: bool = True
    """Whether it is told of NaN and Inf at it: where it is known where they came from, only there."""
    rows: tuple[Parameter, ...] = ()
    """The parameters in a closed group's card, as many as there is room for."""
    parameters: int = 0
    """How many there are."""
    colour: str = ""
    """The one that the reader has given it."""

    @property
    def reach(self) -> Rectangle:
        """Its box, with what peeps out behind a group's."""
        more = CARD.stack if self.group else 0.0
        return Rectangle(self.box.left, self.box.top, self.box.right + more, self.box.bottom + more)

    @property
    def name(self) -> str:
        """What it is called at the step."""
        return clean(self.face.title or self.title)

    @property
    def trouble(self) -> str:
        """ "nan" or "inf" in the iteration on show."""
        return self.spark.kinds.get(self.iteration, "") if self.spark else ""

    @property
    def begins(self) -> str:
        """The same where it is in this iteration for the first time."""
        return self.trouble if self.spark and self.spark.first == self.iteration else ""

    @property
    def label(self) -> str:
        """Everything on the card, in words."""
        parts = [self.title + (f" × {self.times}" if self.times > 1 else ""), self.badge, self.sub, self.some]
        if not self.ghost:
            parts += [f"value {self.face.value}" if self.face.value else ""]
            parts += [f"{self.face.grad_label} {self.face.grad}" if self.face.grad is not None else ""]
            parts += [f"flowing {self.face.flow}" if self.face.flow is not None else ""]
        else:
            parts.append("not made yet")
        return " · ".join(part for part in parts if part)


def halo(card: Card, colours: Palette) -> Iterator[Shape]:
    """The glow of a card that the step is about; it lies under the edges, whose arrows would not be seen."""
    colour = _glow(card, colours)
    if colour:
        yield _around(card, CARD.halo, fill=colour)


def paint(card: Card, colours: Palette) -> Group:
    """A card with its text and marks."""
    return Group(card.label, tuple(_shapes(card, colours)))


def _shapes(card: Card, colours: Palette) -> Iterator[Shape]:
    look = _look(card)
    fill, stroke = getattr(colours, look.fill), getattr(colours, look.stroke)
    opacity = CARD.ghost if card.ghost else CARD.old if card.some and card.old else 1.0
    body = _around(card, 0, fill, stroke, look.line, look.dash, opacity)
    if not card.ghost:
        yield replace(body, top=body.top + CARD.shadow, fill=colours.shadow, stroke="", dash=())
    if card.group and not card.ghost:
        for gap in (CARD.stack, CARD.stack / 2):
            yield replace(body, left=body.left + gap, top=body.top + gap, line=CARD.stack_line, dash=())
    yield body
    if card.colour:
        yield _stripe(card, opacity)
    yield from (
        card_text.pill(card, bool(_glow(card, colours)), colours, opacity)
        if card.pill
        else card_text.card(card, colours, opacity)
    )
    if card.mark is not None:
        yield from mark(card.mark, card.box, card.pill, colours)
    if not card.ghost:
        yield from sign(card, colours)


def _stripe(card: Card, opacity: float) -> Box:
    """The colour that the reader has given it, along its left edge."""
    left, top, high = card.box.left, card.box.top, card.box.bottom - card.box.top
    inset = CARD.stripe_in
    away = max(inset, min(high / 2, CARD.pill_radius) / 2 if card.pill else CARD.radius / 2)
    return Box(
        left + inset, top + away, CARD.stripe, high - 2 * away, CARD.stripe / 2, card.colour, "", opacity=opacity
    )  # fmt: skip


def outline(card: Card) -> Rectangle:
    """Where edges begin and end: with what peeps out behind a group's card, which would hide the arrows."""
    more = CARD.stack if card.group else 0
    return replace(card.box, right=card.box.right + more, bottom=card.box.bottom + more)


def _look(card: Card) -> Look:
    """Border and fill, from the tone of the card and what happens to it at the step."""
    look = sizes.look_of(card.tone)
    if card.some:
        look = replace(look, dash=CARD.some_dash)
    if card.origin and card.trouble:
        look = replace(LOOKS["begins"], dash=look.dash)
    if card.ghost:
        stroke = "blue" if card.tone == "leaf" else "border"
        return replace(look, stroke=stroke, line=CARD.ghost_line, dash=CARD.ghost_dash)
    if _runs(card):
        return replace(LOOKS["running"], dash=look.dash)
    if card.face.state == "receiving":
        return replace(LOOKS["receiving"], fill=look.fill, dash=look.dash)
    return look


def _runs(card: Card) -> bool:
    return card.face.state == "running" or (card.mark is not None and card.mark.state == "running")


def _glow(card: Card, colours: Palette) -> str:
    """The halo's colour, "" for none."""
    if card.ghost:
        return ""
    if _runs(card):
        return colours.orange_halo
    usual = colours.orange_halo if card.backward else colours.blue_halo
    return usual if card.focus or card.face.state == "written" else ""


def _around(
    card: Card, by: float, fill: str, stroke: str = "", line: float = 1.0, dash: tuple[float, ...] = (), opacity: float = 1.0
) -> Box:
    box, high = card.box, card.box.bottom - card.box.top
    radius = min(high / 2, CARD.pill_radius) if card.pill else CARD.radius
    wide = box.right - box.left
    return Box(box.left - by, box.top - by, wide + 2 * by, high + 2 * by, radius + by, fill, stroke, line, dash, opacity)
