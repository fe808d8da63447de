"""A figure as plain data: calls with numbers, strings and arrays, and their text in a recording.

A value is None, a bool, a number, a string, a list of values, or a dict with one of these keys: `a` an array (base64 of its
bytes, with its type `t` and shape `s`), `f` a float that JSON lacks, `r` a reference to something that an earlier call made,
`c` one of the known objects (`OBJECTS` in `methods`) with its arguments, `d` a dict of values.
"""

from __future__ import annotations

import base64
import math
from typing import Any

import msgspec
import numpy as np

from ..limits import FIGURE

TYPES = ("<f8", "<f4", "<i8", "<i4", "<i2", "|u1", "|b1")
"""Types of arrays."""
TEXT = 500
"""Characters of one string; a title is shorter."""
DEEP = 12
"""Values inside one another."""


class Call(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One call: of what, which method, with what, and the numbers by which later calls refer to what it returns."""

    target: int
    method: str
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    made: list[int] = []


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure, as it was when it was shown."""

    number: int
    width: float
    height: float
    """In inches, as matplotlib takes them."""
    dpi: float = 100.0
    title: str = ""
    """What it is about, in a line: the titles and labels of its axes."""
    name: str = ""
    """The file name that the program gave it, "" where it was shown."""
    style: str = ""
    calls: list[Call] = []

    @property
    def size(self) -> tuple[int, int]:
        """Its width and height in pixels."""
        return max(round(self.width * self.dpi), 1), max(round(self.height * self.dpi), 1)


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Figure, strict=True).decode


def encoded(figure: Figure) -> str:
    """Its text. ValueError if it is longer than a recording holds."""
    text: str = _encode(figure).decode()
    if len(text) > FIGURE.value():
        raise ValueError(FIGURE.past())
    return text


def decoded(text: str) -> Figure:
    """The figure of a text, which may be a stranger's. ValueError for one that is none."""
    if len(text) > FIGURE.value():
        raise ValueError(FIGURE.past())
    try:
        figure = _decode(text)
    except (msgspec.MsgspecError, RecursionError):
        raise ValueError("no figure") from None
    if not (0 < figure.width <= 100 and 0 < figure.height <= 100 and 1 <= figure.dpi <= 1000):
        raise ValueError("a figure of an impossible size")
    return figure


def title_of(figure: Figure) -> str:
    """What a figure is called where it is not seen: "figure 1: Loss"."""
    title = " ".join(figure.title.split())[:200]
    return f"figure {figure.number}: {title}" if title else f"figure {figure.number}"


def title_of_text(text: str) -> str:
    """The same of its text, which may be a stranger's."""
    try:
        return title_of(decoded(text))
    except ValueError:
        return "figure"


def number_value(number: float) -> Any:
    """A float as a value."""
    return number if math.isfinite(number) else {"f": str(number)}


def array_value(array: Any) -> dict[str, Any]:
    """An array of numbers as a value."""
    kind = {"f": "<f4" if array.dtype.itemsize <= 4 else "<f8", "b": "|b1"}.get(array.dtype.kind, "<i8")
    if array.dtype == np.uint8:
        kind = "|u1"
    elif kind == "<i8" and array.size:
        low, high = int(array.min()), int(array.max())
        kind = next((name for name in ("<i2", "<i4") if np.iinfo(name).min <= low and high <= np.iinfo(name).max), kind)
    data = np.ascontiguousarray(array, kind)
    return {"a": base64.b64encode(data.tobytes()).decode(), "t": kind, "s": list(array.shape)}


def array_of(value: dict[str, Any]) -> Any:
    """The array of such a value. ValueError for one that is none."""
    kind, shape, data = value.get("t"), value.get("s"), value["a"]
    if kind not in TYPES or not isinstance(shape, list) or not isinstance(data, str) or len(shape) > 8:
        raise ValueError("no array")
    if not all(type(size) is int and 0 <= size < 2**31 for size in shape):
        raise ValueError("an array of an impossible shape")
    found = np.frombuffer(base64.b64decode(data, validate=True), kind)
    if found.size != math.prod(shape):
        raise ValueError("an array that is not as large as it says")
    return found.reshape(shape).copy()
