"""Texts that are shorter than they were: cut at their end or in their middle, or numbers that say less.

The page's painter does the same (`frontend/src/text.js`); `tests/engine/export/texts.json` holds both to it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from ..graph.design.sizes import Font
from .fonts import width

ELLIPSIS = "…"
FRONT = 0.4
"""The share of what is kept of a text without its middle that stands before it."""
WORD = 9
"""Letters of a word beside a title that is not cut."""
BADGE = 4
"""Letters that must be left of a longer text there."""

_NUMBER = r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)"
_PATH = re.compile(r"[^ …]*[^ .…]\.[^ .…][^ …]*")
"""Text with a dot inside and without a space is a path: "model.0.weight"."""
_ENDING = re.compile(r"Backward\d*$", re.ASCII)
_ARGUMENT = re.compile(r" (?=\w+=)", re.ASCII)
_NAMED = re.compile(r"(.+ = )(.+)")
_SPREAD = re.compile(rf"(?:mean )?({_NUMBER}) ± ({_NUMBER})", re.IGNORECASE | re.ASCII)
_SINGLE = re.compile(rf"(mean |≤ )?({_NUMBER})", re.IGNORECASE | re.ASCII)
_FAULTS = re.compile(r"\d+ (NaN|Inf)(?:, \d+ (Inf))?", re.ASCII)
"""Of "1024 NaN", cut at its end, the number 1024 would be left."""


def text_width(font: Font, text: str) -> float:
    """How wide a line of text is."""
    return width(text, font.size, font.bold)


@lru_cache(20_000)
def fit_end(font: Font, text: str, room: float) -> str:
    """The text, cut with an ellipsis so that it is no wider than `room`; "" where nothing of it fits."""
    return _cut(font, text, room, lambda kept: text[:kept].rstrip() + ELLIPSIS)


@lru_cache(20_000)
def fit_middle(font: Font, text: str, room: float) -> str:
    """The text without its middle, so that it is no wider than `room`; "" where nothing of it fits. Of a path its end, from the
    beginning of a part on where that keeps most of it: what paths have in common stands before that."""

    def end(kept: int) -> str:
        shown = text[len(text) - kept :]
        before, dot, after = shown.partition(".")
        return ELLIPSIS + (after if dot and 2 * len(before + dot) <= kept else shown)

    missing = text.find(ELLIPSIS)
    """Where a middle is missing already, what stands before that is kept, if there is room for it."""

    def cut(kept: int) -> str:
        front = missing if 0 < missing <= kept * (1 - FRONT) else int(kept * FRONT)
        return f"{text[:front].rstrip()}{ELLIPSIS}{text[len(text) - (kept - front) :].lstrip()}"

    return _cut(font, text, room, end if _PATH.fullmatch(text) else cut)


def fit_badge(font: Font, badge: str, room: float) -> str:
    """What stands beside a title: an operation's name without what all have in common, a path without its beginning, a word
    whole or not at all."""
    for way in (badge, _ENDING.sub("", badge)):
        if way and text_width(font, way) <= room:
            return way
    short = fit_middle(font, badge, room) if _PATH.fullmatch(badge) else fit_end(font, badge, room)
    return "" if len(badge) <= WORD or len(short) < BADGE else short


def fit_arguments(font: Font, text: str, room: float) -> str:
    """An operation and its arguments: as many of these as fit whole, with an ellipsis for the others."""
    if text_width(font, text) <= room:
        return text
    parts = _ARGUMENT.split(text)
    for count in range(len(parts) - 1, 0, -1):
        way = f"{' '.join(parts[:count])} {ELLIPSIS}"
        if text_width(font, way) <= room:
            return way
    return fit_middle(font, parts[0], room)


def _cut(font: Font, text: str, room: float, cut: Callable[[int], str]) -> str:
    if text_width(font, text) <= room:
        return text
    kept = bisect_right(range(1, len(text) + 1), room, key=lambda n: text_width(font, cut(n)))
    return cut(kept) if kept else ""


def fit_number(font: Font, text: str, room: float) -> str:
    """The longest way to write a number, or text that may be cut, in the room; "" where no number fits whole."""
    if not is_number(text):
        return fit_end(font, text, room)
    return next((way for way in (text, *shorter_numbers(text)) if text_width(font, way) <= room), "")


def named_value(text: str) -> tuple[str, str] | None:
    """ "loss = 0.25", a value with the name of what it is of, as the name and the value; None for anything else."""
    named = _NAMED.fullmatch(text)
    return (named[1], named[2]) if named else None


def is_number(text: str) -> bool:
    """Whether it is a number, a mean and a deviation, or a count of NaN and Inf, which must not be cut."""
    return bool(_SPREAD.fullmatch(text) or _SINGLE.fullmatch(text) or _FAULTS.fullmatch(text))


def shorter_numbers(text: str) -> list[str]:
    """Shorter and shorter ways to write a number: a deviation with two digits and the mean to the same place, then the mean
    alone; of a count of NaN and Inf which there are. Text that is no number has but itself."""
    spread = _SPREAD.fullmatch(text)
    if spread:
        mean, deviation = (Decimal(float(one)) for one in spread.groups())
        if not (mean.is_finite() and deviation.is_finite()):
            return [re.sub("^mean ", "", text), spread[1]]
        return [f"{_to_the_same_place(mean, deviation)} ± {_rounded(deviation)}", _rounded(mean)]
    if faults := _FAULTS.fullmatch(text):
        return [text, ", ".join(filter(None, faults.groups()))]
    single = _SINGLE.fullmatch(text)
    if not single:
        return [text]
    number = Decimal(float(single[2]))
    return [text, ("≤ " if single[1] == "≤ " else "") + _rounded(number)] if number.is_finite() else [text]


def _rounded(value: Decimal) -> str:
    """Two digits, or all before the point."""
    size = abs(value)
    if size and (size < Decimal("1e-3") or size >= 10_000):
        return _with_power(value)
    return str(_fixed(value, 0)) if size >= 100 else _plain(_digits(value))


def _to_the_same_place(mean: Decimal, deviation: Decimal) -> str:
    """A mean to the place that its deviation is known to."""
    place = 1 - deviation.adjusted() if deviation else -1
    if not 0 <= place <= 3 or abs(mean) >= 10_000 or deviation < Decimal("1e-3"):
        return _rounded(mean)
    return re.sub(r"^-(0\.?0*)$", r"\1", f"{_fixed(mean, place):f}")


def _fixed(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _digits(value: Decimal) -> Decimal:
    """Two significant digits."""
    return _fixed(value, 1 - value.adjusted()) if value else value


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _with_power(value: Decimal) -> str:
    two = _digits(value)
    return f"{_plain(two.scaleb(-two.adjusted()))}e{two.adjusted()}"
