"""Nodes as cards and pills, as the player paints them (`frontend/src/paint-card.js`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ..graph.shown.state_history import Face
from .curves import Rectangle
from .fonts import shortened, width
from .palette import Palette
from .ready_states import Mark
from .scene import Box, Group, Polygon, Shape, Text, clean

PADDING = 12
RADIUS = 9.0
FIRST_ROW = 53
ROW = 17
TITLE, SMALL, LINE, PILL = 14.5, 11.5, 12.5, 13.0
GHOST = 0.34
"""Opacity of what does not exist yet at the step."""
SQUEEZE = 0.86
"""How much narrower than it is text may be set before it is cut."""


@dataclass(frozen=True, slots=True)
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
    times: int = 1
    """How often it is there within one iteration."""
    some: str = ""
    """"in 1 of 200 iterations", "" for all."""

    @property
    def label(self) -> str:
        """Everything on the card, in words."""
        parts = [self.title + _times(self), self.badge, self.sub, self.some]
        if not self.ghost:
            parts += [f"value {self.face.value}" if self.face.value else ""]
            parts += [f"{self.face.grad_label} {self.face.grad}" if self.face.grad is not None else ""]
            parts += [f"flowing {self.face.flow}" if self.face.flow is not None else ""]
        else:
            parts.append("not made yet")
        return " · ".join(part for part in parts if part)


@dataclass(slots=True)
class _Look:
    """Border, fill and halo."""

    stroke: str
    fill: str
    line: float = 1.4
    dash: tuple[float, ...] = ()
    halo: str = ""


def halo(card: Card, colours: Palette) -> Iterator[Shape]:
    """The glow of a card that the step is about; it lies under the edges, whose arrows would not be seen."""
    colour, box = _look(card, colours).halo, card.box
    if colour:
        wide, high = box.right - box.left + 14, box.bottom - box.top + 14
        yield Box(box.left - 7, box.top - 7, wide, high, _radius(card) + 7, fill=colour)


def paint(card: Card, colours: Palette) -> Group:
    """A card with its text and mark."""
    return Group(card.label, tuple(_shapes(card, colours)))


def fitted(
    text: str,
    x: float,
    y: float,
    size: float,
    fill: str,
    room: float,
    bold: bool = False,
    anchor: Literal["start", "middle", "end"] = "start",
    opacity: float = 1.0,
) -> Text | None:
    """A line of text in a given room: set a little narrower where that is enough, otherwise cut with an ellipsis."""
    text = clean(text)
    kept = shortened(text, size, max(room, 0.0) / SQUEEZE, bold)
    if not kept:
        return None
    return Text(x, y, kept, size, fill, min(width(kept, size, bold), room), bold, anchor, opacity)


def _shapes(card: Card, colours: Palette) -> Iterator[Shape]:
    look = _look(card, colours)
    box, opacity = card.box, GHOST if card.ghost else 1.0
    across, down = box.right - box.left, box.bottom - box.top
    radius = _radius(card)
    if not card.ghost:
        yield Box(box.left, box.top + 1.5, across, down, radius, fill=colours.shadow)
    yield Box(box.left, box.top, across, down, radius, look.fill, look.stroke, line=look.line, dash=look.dash, opacity=opacity)
    yield from _pill_text(card, look, colours, opacity) if card.pill else _card_text(card, colours, opacity)
    if card.mark is not None:
        yield from _mark(card, card.mark, colours)


def _radius(card: Card) -> float:
    return min((card.box.bottom - card.box.top) / 2, 16.0) if card.pill else RADIUS


def _look(card: Card, colours: Palette) -> _Look:
    look = _Look(colours.border, colours.card)
    match card.tone:
        case "leaf":
            look = _Look(colours.blue, colours.card, 2.0)
        case "accumulate":
            look = _Look(colours.blue, colours.blue_tint, 1.6)
        case "root":
            look = _Look(colours.ink, colours.card, 2.2)
        case "constant":
            look = _Look(colours.line, colours.constant, 1.2)
        case "cut":
            look = _Look(colours.cut, colours.card, 1.4, (4, 4))
        case _:
            pass
    if card.some:
        look.dash = (6, 4)
    if card.ghost:
        look.stroke = colours.blue if card.tone == "leaf" else colours.border
        look.dash, look.line = (4, 4), 1.2
        return look
    halo = colours.orange_halo if card.backward else colours.blue_halo
    running = card.face.state == "running" or (card.mark is not None and card.mark.state == "running")
    if running:
        look.stroke, look.line, look.fill, look.halo = colours.orange, 2.8, colours.orange_tint, colours.orange_halo
    elif card.face.state == "receiving":
        look.stroke, look.line = colours.orange, 2.4
    elif card.face.state == "written":
        look.halo = halo
    if card.focus and not look.halo:
        look.halo = halo
    return look


def _pill_text(card: Card, look: _Look, colours: Palette, opacity: float) -> Iterator[Shape]:
    box, face = card.box, card.face
    room, middle, base = box.right - box.left - 16, (box.left + box.right) / 2, (box.top + box.bottom) / 2 + 4.3
    times = _times(card)
    title = fitted(face.title or card.title, 0, 0, PILL, colours.ink, room - width(times, PILL))
    if times and title:
        title = replace(title, text=title.text + times, width=title.width + width(times, PILL))
    used = title.width if title else 0.0
    value = fitted(face.value, 0, 0, LINE, colours.mute, room - used - 8) if face.value and room - used > 26 else None
    left = middle - (used + (value.width + 8 if value else 0)) / 2
    for text, x in ((title, left), (value, left + used + 8)):
        if text:
            yield Text(x, base, text.text, text.size, text.fill, text.width, opacity=opacity)
    below = box.bottom + (19 if look.halo else 14)
    if card.some and face.flow is None:
        yield from _some(card, middle, below, room + 46, colours, opacity)
    if face.flow is not None and not card.ghost:
        yield from _kept(fitted(face.flow, middle, below, SMALL, colours.orange_text, room + 46, anchor="middle"))


def _card_text(card: Card, colours: Palette, opacity: float) -> Iterator[Shape]:
    box, face = card.box, card.face
    left, room, top = box.left + PADDING, box.right - box.left - 2 * PADDING, box.top
    title = clean(face.title or card.title)
    share = max(room - width(title, TITLE, True) * SQUEEZE - 8, room * 0.35)
    fill = colours.blue_text if card.tone == "leaf" else colours.mute
    badge = fitted(card.badge, box.right - PADDING, top + 19.5, SMALL, fill, share, anchor="end", opacity=opacity)
    taken = badge.width + 8 if badge else 0.0
    times = _times(card)
    extra = width(times, LINE)
    named = fitted(title, left, top + 20, TITLE, colours.ink, room - taken - extra, True, opacity=opacity)
    yield from _kept(named)
    if times and named:
        yield Text(left + named.width, top + 20, times, LINE, colours.mute, extra, opacity=opacity)
    yield from _kept(badge)
    sub = f"{card.sub} · {card.some}" if card.sub and card.some else card.sub + card.some
    if card.some and width(sub, SMALL) * SQUEEZE > room:
        sub = card.some
    yield from _kept(fitted(sub, left, top + 36, SMALL, colours.mute, room, opacity=opacity))
    if not card.ghost:
        yield from _rows(card, left, room, colours)


def _times(card: Card) -> str:
    return f" × {card.times}" if card.times > 1 else ""


def _some(card: Card, middle: float, base: float, room: float, colours: Palette, opacity: float) -> Iterator[Shape]:
    """In how many iterations a pill is there, below it; edges that pass there stay behind the text."""
    text = fitted(card.some, middle, base, SMALL, colours.mute, room, anchor="middle", opacity=opacity)
    if text is not None:
        yield Box(middle - text.width / 2 - 3, base - 10, text.width + 6, 13, 4, fill=colours.frame, opacity=0.86)
        yield text


def _kept(text: Text | None) -> Iterator[Text]:
    if text is not None:
        yield text


@dataclass(frozen=True, slots=True)
class _Row:
    """A labelled line of a card."""

    label: str
    text: str
    label_fill: str
    fill: str
    bold: bool
    note: str = ""


def _rows(card: Card, left: float, room: float, colours: Palette) -> Iterator[Shape]:
    """The lines value, grad and flowing; the last two share one where the card is too low for three."""
    face, box = card.face, card.box
    capacity = max(0, int((box.bottom - box.top - FIRST_ROW - 6) // ROW) + 1)
    rows = [_Row(face.value_label or "value", face.value, colours.mute, colours.ink, False)] if face.value else []
    if face.grad is not None:
        rows.append(_Row(face.grad_label, face.grad, colours.orange_text, colours.orange_text, True))
    shared = face.flow is not None and face.grad is not None and len(rows) >= capacity
    if face.flow is not None and not shared:
        rows.append(_Row("flowing", face.flow, colours.orange_text, colours.orange_text, True, face.flow_note))
    rows = rows[:capacity]
    column = max((width(row.label, LINE) for row in rows if not row.note), default=0.0) + 9
    for position, row in enumerate(rows):
        y = box.top + FIRST_ROW + position * ROW
        used = width(row.label, LINE)
        yield Text(left, y, row.label, LINE, row.label_fill, used)
        x, end = max(used + 6 if row.note else column, used + 6), room
        if shared and position == len(rows) - 1:
            flow = fitted(f"← {face.flow}", left + room, y, LINE, colours.orange_text, room * 0.45, True, "end")
            yield from _kept(flow)
            end -= flow.width + 8 if flow else 0.0
        yield from _value(row, left, x, y, end, colours)


def _value(row: _Row, left: float, x: float, y: float, end: float, colours: Palette) -> Iterator[Shape]:
    """What stands behind a label; of "42 + …" the part still on its way is paler than what is there."""
    settled, sign, pending = row.text.rpartition(" + …")
    if not sign:
        settled, pending = row.text, ""
    for text, size, fill, bold in (
        (settled, LINE, row.fill, row.bold),
        (sign + pending, LINE, colours.orange_mute, False),
        (f"· {row.note}" if row.note else "", SMALL, colours.mute, False),
    ):
        if not text.strip():
            continue
        gap = 4 if text is not settled else 0
        shown = fitted(text, left + x + gap, y, size, fill, end - x - gap, bold)
        if shown is None:
            return
        yield shown
        x += shown.width + gap


def _mark(card: Card, mark: Mark, colours: Palette) -> Iterator[Shape]:
    """A small orange sign on the corner: a ring that waits, a position in the queue, a tick."""
    if mark.state == "running":
        return
    x = card.box.right - (8 if card.pill else 5)
    y = card.box.top + (2 if card.pill else 5) - 3
    done = mark.state in ("done", "captured")
    radius = 7.5 if mark.state == "ready" else 6.0
    stroke = colours.orange_mute if mark.state == "waiting" else colours.orange
    dash = (2.4, 2.0) if mark.state == "waiting" else ()
    fill = colours.orange if done else colours.card
    yield Box(x - radius, y - radius, 2 * radius, 2 * radius, radius, fill, stroke, 1.6, dash)
    if mark.state == "ready" and mark.order:
        yield from _kept(fitted(str(mark.order), x, y + 3.6, 10, colours.orange_text, 2 * radius, True, "middle"))
    if done:
        yield Polygon(((x - 2.9, y + 0.2), (x - 0.8, y + 2.3), (x + 3, y - 2.1)), stroke=colours.on_colour, line=1.7)
