"""How tables look as text: pandas' columns, decimals, dots and broken lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .index import Index
from .values import Array, missing_one

DIGITS = 6
ROWS, FEWER = 60, 10
"""Of more rows than the first number as many as the second says are shown."""
WIDTH = 80
"""So wide is a line."""


def _number(values: list[float]) -> list[str]:
    """Numbers with the decimals that they need, all the same."""

    def written(mark: str) -> list[str]:
        return ["NaN" if math.isnan(v) else f"{v: .{DIGITS}{mark}}" if math.isfinite(v) else f"{v: f}" for v in values]

    fixed = written("f")
    having = [text for text in fixed if "." in text]
    while having and all(text[-1] == "0" for text in having) and having[0][-2] != ".":
        having = [text[:-1] for text in having]
        fixed = [text[:-1] if "." in text else text for text in fixed]
    large = any(abs(v) > 1e6 for v in values)
    small = any(0 < abs(v) < 10**-DIGITS for v in values)
    return written("e") if small or (large and max(map(len, fixed)) > DIGITS + 6) else fixed


def cells(array: Array) -> list[str]:
    """The values of a column, with room for a sign before each."""
    items = array.tolist()
    if array.dtype.kind == "f":
        return _number(items)
    if array.dtype.kind in "iu":
        return [f"{item: d}" for item in items]
    return [_number([item])[0] if type(item) is float else f" {_shown(item)}" for item in items]


def _shown(item: Any) -> str:
    if missing_one(item):
        return "None" if item is None else "NaN"
    text = str(item).replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return text if len(text) <= 50 or type(item) is not str else f"{text[:46]}..."


def names(index: Index) -> list[str]:
    """The names of an index."""
    if index.dtype.kind == "f":
        return [text.strip() for text in _number(index.tolist())]
    return [str(item) if type(item) is tuple else _shown(item) for item in index.tolist()]


def _kept(length: int, most: int | None, fewer: int) -> tuple[list[int], int | None]:
    """Which of so many are shown, and where the dots stand among them."""
    if most is None or length <= most:
        return list(range(length)), None
    half = fewer // 2
    return [*range(half), *range(length - half, length)], half


def _padded(texts: list[str], width: int, *, left: bool = False) -> list[str]:
    return [text.ljust(width) if left else text.rjust(width) for text in texts]


def _dots(texts: list[str], at: int | None, *, left: bool = False) -> list[str]:
    """A column with dots where rows are left out."""
    if at is None:
        return texts
    width = len(texts[at - 1])
    return [*texts[:at], _padded(["..." if width > 3 else ".."], width, left=left)[0], *texts[at:]]


def series(index: Index, array: Array, foot: str) -> str:
    """A column on its own: names, values, and what it is."""
    if not len(array):
        return f"Series([], {foot})"
    rows, gap = _kept(len(array), ROWS, FEWER)
    at, beside = cells(array[rows]), names(index._taken(rows))
    width = max(map(len, at))
    at = _padded(at, width)
    left = _padded(beside, max(map(len, beside)), left=True)
    if gap is not None:
        left.insert(gap, " " * len(left[0]))
        at.insert(gap, ("..." if width > 3 else "..").center(width))
    head = [] if index.name is None else [str(index.name)]
    return "\n".join([*head, *(f"{a}   {b}" for a, b in zip(left, at, strict=True)), foot])


def frame(index: Index, columns: Index, arrays: Sequence[Array], *, whole: bool = False, beside: bool = True) -> str:
    """A table.

    Args:
        whole: whether all rows and columns are written, however many there are.
        beside: whether the names of the rows are written.
    """
    if not len(columns) or not len(index):
        return f"Empty DataFrame\nColumns: [{', '.join(map(str, columns))}]\nIndex: [{', '.join(map(str, index))}]"
    rows, gap = _kept(len(index), None if whole else ROWS, FEWER)
    first = _names_of_rows(index, rows, gap, columns.name) if beside else None
    named = beside and index.name is not None
    parts = [
        _part(name, array, rows, gap, named=named, beside=beside) for name, array in zip(columns.tolist(), arrays, strict=True)
    ]
    most = None if whole else _room(first, parts)
    across, hole = _kept(len(parts), most, most or 0)
    shown = [parts[k] for k in across]
    if hole is not None:
        shown.insert(hole, [" ..."] * len(parts[0]))
    text = side_by_side([first, *shown] if first is not None else shown)
    return f"{text}\n\n[{len(index)} rows x {len(columns)} columns]" if gap is not None or hole is not None else text


def _names_of_rows(index: Index, rows: list[int], gap: int | None, title: Any) -> list[str]:
    """The leftmost column: what the columns are called, what the rows are called, and the names of the rows."""
    left = names(index._taken(rows))
    heads = ["" if title is None else str(title), *([str(index.name)] if index.name is not None else [])]
    longest = max(map(len, [*heads, *left]))
    return [*_padded(heads, longest, left=True), *_dots(_padded(left, longest, left=True), gap, left=True)]


def _part(name: Any, array: Array, rows: list[int], gap: int | None, *, named: bool, beside: bool) -> list[str]:
    """A column: its name, and its values below."""
    numeric = array.dtype.kind in "biuf"
    head = f"{' ' * (numeric and beside)}{name if type(name) is tuple else _shown(name)}"
    texts = cells(array[rows])
    if not beside and not numeric:
        texts = [text.removeprefix(" ") for text in texts]
    longest = max(map(len, [head, *texts]))
    return [head.rjust(longest), *([" " * longest] if named else []), *_dots(_padded(texts, longest), gap)]


def _room(first: list[str] | None, parts: list[list[str]]) -> int | None:
    """How many columns fit side by side where not all do, those in the middle left out."""
    widths = [max(map(len, part)) for part in ([first, *parts] if first is not None else parts)]
    over = sum(widths) + len(widths) - WIDTH
    if over <= 0:
        return None
    over += len(" ...") + 1
    while over > 0 and len(widths) > 1:
        over -= widths.pop(round(len(widths) / 2)) + 1
    return max(len(widths) - (first is not None), 2)


def side_by_side(parts: Sequence[list[str]], between: int = 1) -> str:
    """Columns of text as lines."""
    widths = [max(map(len, part)) + between * (k < len(parts) - 1) for k, part in enumerate(parts)]
    return "\n".join("".join(map(str.ljust, row, widths)) for row in zip(*parts, strict=True))
