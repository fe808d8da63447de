"""What is written on cards and pills: names, rows of values and gradients with their curves, and the parameters in a card.

As the page's painter writes it (`frontend/src/card-text.js`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..graph.design import Palette
from ..graph.design.sizes import CARD, FONTS, PILL, ROWS, SPARK, Font
from . import sparks
from .curves import Rectangle
from .scene import Box, Shape, clean, line
from .shortening import (
    WORD,
    fit_arguments,
    fit_badge,
    fit_end,
    fit_middle,
    fit_number,
    is_number,
    named_value,
    shorter_numbers,
    text_width,
)

if TYPE_CHECKING:
    from .cards import Card, Parameter

NAMED, NAME = " = ", 4
"""What stands between a name and its number, and how many letters must be left of the name where both do not fit."""
PENDING = " + …"
"""What stands between what has come of a gradient and what is still on its way."""


def pill(card: Card, glows: bool, colours: Palette, opacity: float) -> Iterator[Shape]:
    """A pill's name and value, its curve, and what stands under it."""
    box, face = card.box, card.face
    wide, middle = box.right - box.left, (box.left + box.right) / 2
    yield from _pill_curve(card, colours, opacity)
    room, font = wide - 2 * PILL.padding, FONTS["pill"]
    times = _times(card)
    title = fit_arguments(font, card.name, room - text_width(font, times)) + times
    used = text_width(font, title)
    value = fit_number(FONTS["row"], clean(face.value), room - used - PILL.gap) if room - used > PILL.least else ""
    trouble = _trouble(face.value, colours) if card.spark and not card.old else ""
    left = middle - (used + (PILL.gap + text_width(FONTS["row"], value) if value else 0)) / 2
    base = (box.top + box.bottom) / 2 + PILL.base
    yield from line(font, title, left, base, colours.ink, opacity=opacity)
    fill = trouble or (colours.faint if card.old else colours.mute)
    yield from line(FONTS["row"], value, left + used + PILL.gap, base, fill, opacity=opacity)
    below = box.bottom + (PILL.below_halo if glows else PILL.below)
    begins = _begins(card) if trouble else ""
    room = wide + 2 * PILL.spill
    yield from line(FONTS["name"], begins, middle, below, colours.red, anchor="middle", opacity=opacity)
    if face.flow is not None and not card.ghost:
        yield from line(
            FONTS["small"], clean(face.flow), middle, below, colours.orange_text, room=room, anchor="middle", opacity=opacity
        )
    elif card.some and not begins:
        yield from line(FONTS["small"], card.some, middle, below, colours.mute, room=room, anchor="middle", opacity=opacity)


def card(card: Card, colours: Palette, opacity: float) -> Iterator[Shape]:
    """A card's name and badge, the line under them, its rows, and the parameters in it."""
    box, top = card.box, card.box.top
    left, room = box.left + CARD.padding, box.right - box.left - 2 * CARD.padding
    share = max(room - text_width(FONTS["title"], card.name) - CARD.gap, room * _badge_least(card))
    badge = fit_badge(FONTS["small"], clean(card.badge), share)
    taken = text_width(FONTS["small"], badge) + CARD.gap if badge else 0.0
    times = _times(card)
    title = fit_middle(FONTS["title"], card.name, room - taken - text_width(FONTS["row"], times))
    yield from line(FONTS["title"], title, left, top + CARD.title, colours.ink, opacity=opacity)
    after = left + text_width(FONTS["title"], title)
    yield from line(FONTS["row"], times, after, top + CARD.title, colours.mute, opacity=opacity)
    fill = colours.blue_text if card.tone == "leaf" else colours.mute
    yield from line(FONTS["small"], badge, box.right - CARD.padding, top + CARD.badge, fill, anchor="end", opacity=opacity)
    begins = _begins(card)
    if begins:
        yield from line(FONTS["name"], begins, left, top + CARD.sub, colours.red, room=room, opacity=opacity)
    else:
        sub = _sub(clean(card.sub), card.some, room)
        yield from line(FONTS["small"], sub, left, top + CARD.sub, colours.mute, opacity=opacity)
    boxes, more = row_boxes(box, card.parameters)
    if not card.ghost:
        yield from _rows(card, left, room, boxes[0].top if boxes else None, colours, opacity)
    for row, at in zip(card.rows, boxes, strict=False):
        if more and at is boxes[-1]:
            yield from _more(more, at, colours, opacity)
        else:
            yield from _parameter(row, at, colours, opacity)


# --- names --------------------------------------------------------------------------------------------------------------------


def _badge_least(card: Card) -> float:
    """The share that what stands beside a name may always take: none for a word, more for the name of a tensor."""
    if card.tone == "accumulate":
        return CARD.badge_named
    return 0.0 if len(clean(card.badge)) <= WORD else CARD.badge_least


def _times(card: Card) -> str:
    return f" × {card.times}" if card.times > 1 else ""


def _begins(card: Card) -> str:
    """ "NaN begins here", at the node that the first NaN or Inf of a run came from, in the iteration in which it did."""
    told = card.begins if card.origin and not card.ghost else ""
    return f"{'Inf' if told == 'inf' else 'NaN'} begins here" if told else ""


def _sub(sub: str, some: str, room: float) -> str:
    """Shape and line, and in how many iterations the node is there, which goes first."""
    if not some:
        return fit_end(FONTS["small"], sub, room)
    some = fit_middle(FONTS["small"], some, room)
    both = f"{sub} · {some}"
    return both if sub and text_width(FONTS["small"], both) <= room else some


def _trouble(text: str | None, colours: Palette) -> str:
    """The colour of a text that says NaN or Inf, "" for others."""
    if re.search("nan", text or "", re.IGNORECASE):
        return colours.red
    return colours.amber if re.search(r"\binf", text or "", re.IGNORECASE) else ""


# --- rows ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Row:
    """A labelled line of a card."""

    label: str
    text: str
    label_fill: str
    fill: str
    font: Font
    series: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a row is written: with its label if there is room, its number whole, and a curve as wide as there is room for."""

    label: str
    text: str
    curve: float


def _rows(card: Card, left: float, room: float, below: float | None, colours: Palette, opacity: float) -> Iterator[Shape]:
    """The lines value, grad and flowing; the last two share one where the card is too low for three."""
    face, box = card.face, card.box
    end = box.bottom - CARD.below if below is None else below - ROWS.over
    slots = max(0, int((end - box.top - CARD.first_row) // CARD.row) + 1)
    rows = _lines(card, colours)
    shares = face.flow is not None and face.grad is not None and len(rows) >= slots
    if face.flow is not None and not shares:
        orange = colours.orange_text
        rows.append(_Row("flowing", clean(face.flow), orange, orange, FONTS["strong"], note=face.flow_note))
    rows = rows[:slots]
    gap = CARD.label_tight if card.spark else CARD.label
    column = max((text_width(FONTS["row"], row.label) for row in rows if not row.note), default=0.0) + gap
    plans = [_plan(card, row, column, room) for row in rows]
    # The curves of a card are equally wide, so that they can be compared.
    least = min((plan.curve for plan in plans if plan.curve), default=0.0)
    for number, (row, plan) in enumerate(zip(rows, plans, strict=True)):
        y = box.top + CARD.first_row + number * CARD.row
        yield from line(FONTS["row"], plan.label, left, y, row.label_fill, opacity=opacity)
        x = text_width(FONTS["row"], plan.label) + CARD.label_tight if plan.label else 0.0
        x = x if row.note or not plan.label else max(column, x)
        curve, free = (least, room - least - SPARK.gap) if plan.curve else (0.0, room)
        if curve and card.spark:
            at = Rectangle(left + room - curve, y - SPARK.up, left + room, y - SPARK.up + SPARK.height)
            yield from sparks.paint(card.spark, row.series, at, card.iteration, colours, opacity)
        if shares and number == len(rows) - 1:
            flow = fit_end(FONTS["strong"], f"← {clean(face.flow or '')}", free * CARD.flow)
            yield from line(FONTS["strong"], flow, left + free, y, colours.orange_text, anchor="end", opacity=opacity)
            free -= text_width(FONTS["strong"], flow) + CARD.gap
        yield from _told(row, plan.text, left + x, y, left + free, colours, opacity)


def _lines(card: Card, colours: Palette) -> list[_Row]:
    """Value and gradient. What is of an earlier iteration is paler."""
    face, curves = card.face, card.spark

    def row(label: str, text: str | None, usual: str, pale: str, label_fill: str, label_pale: str, series: str) -> _Row:
        # Beside a curve there is no room for the word: what stands there is always a mean.
        told = clean(text or "").removeprefix("mean ") if curves else clean(text or "")
        fill = pale if card.old else (_trouble(told, colours) if curves else "") or usual
        bold = not card.old and (series == "grad" or curves is not None)
        return _Row(label, told, label_fill if told else label_pale, fill, FONTS["strong" if bold else "row"], series)

    c, rows = colours, []
    if face.value or (curves and curves.value):
        rows.append(row(face.value_label, face.value, c.ink, c.faint, c.mute, c.faint, "value"))
    if face.grad is not None or (curves and curves.grad):
        label_fill = c.orange_mute if card.old else c.orange_text
        rows.append(row(face.grad_label, face.grad, c.orange_text, c.orange_mute, label_fill, c.orange_mute, "grad"))
    # Where no `.grad` is told of a leaf that requires one, or of a card that has one as a row, it is None.
    if face.grad is None and face.flow is None and face.value and "leaf" in (card.tone, *(each.tone for each in card.rows)):
        rows[1:] = [_Row("grad", "None", c.mute, c.mute, FONTS["row"], "grad")]
    return rows


def _plan(card: Card, row: _Row, column: float, room: float) -> _Plan:
    """The first way in which the row's number fits whole. Of a group's value the name goes first."""
    usual = _curve_room(card, row.series, room)
    named = None if row.note else named_value(row.text)
    if named is not None:
        start = max(column, text_width(FONTS["row"], row.label) + CARD.label_tight)
        free = room - (usual + SPARK.gap if usual else 0.0) - start
        if text_width(row.font, row.text) <= free:
            return _Plan(row.label, row.text, usual)
        least = shorter_numbers(named[1])[0]
        name = fit_middle(row.font, named[0].removesuffix(NAMED), free - text_width(row.font, NAMED + least))
        if len(name) >= NAME:
            return _Plan(row.label, name + NAMED + least, usual)
        return _plan(card, replace(row, text=named[1]), column, room)
    if not is_number(row.text) or row.note:
        return _Plan(row.label, row.text, usual)
    start = max(column, text_width(FONTS["row"], row.label) + CARD.label_tight)
    small = min(usual, SPARK.least)
    shorter = shorter_numbers(row.text)
    # Beside a curve a mean is written no more exactly than its deviation.
    ways = [] if usual and "±" in row.text else [_Plan(row.label, row.text, usual)]
    ways += [
        _Plan(row.label, shorter[0], usual), _Plan(row.label, shorter[0], small), _Plan("", shorter[0], small),
        _Plan(row.label, shorter[-1], small), _Plan("", shorter[-1], small),
    ]  # fmt: skip
    for way in ways:
        free = room - (way.curve + SPARK.gap if way.curve else 0.0) - (start if way.label else 0.0)
        if text_width(row.font, way.text) <= free:
            return way
    return _Plan(row.label, "", usual)


def _told(row: _Row, text: str, x: float, y: float, end: float, colours: Palette, opacity: float) -> Iterator[Shape]:
    """What stands behind a label; of "42 + …" the part still on its way is paler than what is there."""
    settled, sign, pending = text.rpartition(PENDING)
    parts = [(settled if sign else text, row.font, row.fill)]
    parts += [(f"+ …{pending}", FONTS["row"], colours.orange_mute)] if sign else []
    parts += [(f"· {row.note}", FONTS["small"], colours.mute)] if row.note else []
    for part, font, fill in parts:
        for shape in line(font, part, x, y, fill, room=end - x, opacity=opacity):
            yield shape
            x += shape.width + CARD.word


# --- curves and parameters ----------------------------------------------------------------------------------------------------


def _curve_room(card: Card, series: str, room: float) -> float:
    """How much of a row a curve takes."""
    if not series or card.spark is None or card.spark.series(series) is None or room < SPARK.narrow:
        return 0.0
    return min(SPARK.width, max(SPARK.least, room - SPARK.words))


def _pill_curve(card: Card, colours: Palette, opacity: float) -> Iterator[Shape]:
    """A pill has its curve along its lower edge."""
    box, curves = card.box, card.spark
    which = "" if curves is None else "value" if curves.value else "grad" if curves.grad else ""
    if curves is None or not which or box.right - box.left < SPARK.pill_least:
        return
    top = box.bottom - SPARK.pill_up
    at = Rectangle(box.left + SPARK.pill_aside, top, box.right - SPARK.pill_aside, top + SPARK.pill_height)
    yield from sparks.paint(curves, which, at, card.iteration, colours, opacity * SPARK.pill_opacity)


def row_boxes(card: Rectangle, count: int) -> tuple[Sequence[Rectangle], int]:
    """Boxes of a card's parameters, the lowest at its lower edge, and how many there is no box for: the last box says so."""
    pitch = ROWS.height + ROWS.gap
    room = max(0, int((card.bottom - ROWS.below - card.top - ROWS.head + ROWS.gap) // pitch))
    used = min(count, room, ROWS.most + 1)
    tops = [card.bottom - ROWS.below - (used - at) * pitch + ROWS.gap for at in range(used)]
    left, right = card.left + ROWS.aside, card.right - ROWS.aside
    more = count - max(0, used - 1) if used < count else 0
    return [Rectangle(left, top, right, top + ROWS.height) for top in tops], more


def _parameter(row: Parameter, box: Rectangle, colours: Palette, opacity: float) -> Iterator[Shape]:
    """A small card of its own with its curve, which makes room for its number; that is left out where it does not fit whole."""
    wide, curves = box.right - box.left, row.spark
    yield Box(
        box.left, box.top, wide, ROWS.height, ROWS.radius, colours.blue_tint, colours.blue, ROWS.line, opacity=opacity
    )  # fmt: skip
    which = "" if curves is None else "grad" if curves.grad else "value" if curves.value else ""
    title = clean(row.face.title or row.title)
    number = (row.face.value if row.face.grad is None else row.face.grad).removeprefix("mean ")
    most = min(SPARK.row_width, wide * SPARK.row_share) if which else 0.0
    plans = [_row_plan(title, number, wide, curve) for curve in (most, min(most, SPARK.row_least))]
    shown, told, curve = next((plan for plan in plans if plan[1]), plans[0])
    left, base = box.left + ROWS.padding, box.top + ROWS.base
    yield from line(FONTS["name"], shown, left, base, colours.ink, opacity=opacity)
    if told:
        used = text_width(FONTS["name"], shown)
        usual = colours.mute if row.face.grad is None else colours.orange_text
        fill = colours.faint if row.old else _trouble(number, colours) or usual
        yield from line(FONTS["small"], told, left + used + ROWS.gap_number, base, fill, opacity=opacity)
    if curves and which:
        right = box.right - SPARK.row_aside
        at = Rectangle(right - curve, box.top + SPARK.row_inset, right, box.bottom - SPARK.row_inset)
        yield from sparks.paint(curves, which, at, row.iteration, colours, opacity)


def _row_plan(title: str, number: str, wide: float, curve: float) -> tuple[str, str, float]:
    """The name, the number ("" where there is no room for it) and the width of the curve."""
    room = wide - 2 * ROWS.padding - (curve + SPARK.row_gap if curve else 0.0)
    shown = fit_middle(FONTS["name"], title, room)
    left = room - text_width(FONTS["name"], shown)
    told = fit_number(FONTS["small"], number, left - CARD.gap) if shown == title and left > ROWS.least else ""
    return shown, "" if told.endswith("…") else told, curve


def _more(count: int, box: Rectangle, colours: Palette, opacity: float) -> Iterator[Shape]:
    room = box.right - box.left - 2 * ROWS.padding
    at = box.left + ROWS.padding, box.bottom - ROWS.more
    yield from line(FONTS["small"], f"+{count} more", *at, colours.mute, room=room, opacity=opacity)
