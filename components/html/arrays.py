"""Arrays as heat-mapped tables: whole if small, corners and statistics if large."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from components.html.markup import copy, muted, tag, text
from engine.graph.numbers import number
from engine.recording.store import StoredArray

EDGE = 4
"""Rows and columns shown at each end of a long dimension."""

COPIED = 2000
"""Elements of an array whose values can be copied."""

Tone = str
"""Hue of the heat map: "value" (blue) or "grad" (orange)."""


def array_table(stored: StoredArray | None, tone: Tone = "value") -> str:
    """An array as a table whose cells are tinted by magnitude."""
    if stored is None:
        return muted("none")
    if 0 in stored.shape:
        return muted(f"empty, shape {list(stored.shape)}")
    array = stored.to_numpy()
    if array is None:
        return _summary(stored)
    matrix, note = _as_matrix(array)
    shown = _table(matrix, tone)
    large = array.size > (2 * EDGE) ** 2
    return shown + (muted(note) if note else "") + (_statistics(array) if large and array.dtype.kind == "f" else "")


def array_copy(stored: StoredArray | None, what: str) -> str:
    """A button that copies an array's values as nested lists; nothing for one that is not kept whole, or long."""
    array = stored.to_numpy() if stored is not None else None
    return copy(array.tolist(), what) if array is not None and array.size <= COPIED else ""


def _as_matrix(array: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], str]:
    """The array seen as a matrix: the first slice where it has more dimensions."""
    if array.ndim < 2:
        return array.reshape(1, -1), ""
    slices = array.shape[:-2]
    if not slices:
        return array, ""
    index = ", ".join("0" for _ in slices)
    return array[(0,) * len(slices)], f"slice [{index}, :, :] of {list(array.shape)}"


def _picked(length: int) -> list[int | None]:
    """Which rows or columns are shown; None stands for those left out."""
    if length <= 2 * EDGE:
        return list(range(length))
    return [*range(EDGE), None, *range(length - EDGE, length)]


def _table(matrix: np.ndarray[Any, Any], tone: Tone) -> str:
    numeric = matrix.astype(np.float64)
    finite = np.abs(numeric[np.isfinite(numeric)])
    top = float(finite.max()) if finite.size else 0.0
    rows = []
    for i in _picked(matrix.shape[0]):
        cells = []
        for j in _picked(matrix.shape[1]):
            if i is None or j is None:
                cells.append(tag("td", "⋮" if i is None else "…", cls="gt-gap"))
            else:
                cells.append(_cell(matrix[i, j], top, tone))
        rows.append(tag("tr", *cells))
    return tag("div", tag("table", tag("tbody", *rows), cls="gt-array"), cls="gt-scroll")


def _cell(value: Any, top: float, tone: Tone) -> str:
    if value.dtype.kind == "b":
        return tag("td", text(bool(value)), cls=f"gt-{tone}", style=f"--heat:{0.6 if value else 0:.2f}")
    x = float(value)
    if not math.isfinite(x):
        return tag("td", text("nan" if math.isnan(x) else "inf" if x > 0 else "-inf"), cls="gt-wrong")
    heat = abs(x) / top if top else 0.0
    return tag("td", text(number(value)), cls=f"gt-{tone}", style=f"--heat:{heat:.2f}", title=str(value))


def _statistics(array: np.ndarray[Any, Any]) -> str:
    values = array.astype(np.float64)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return muted(f"{array.size} elements, none finite")
    parts = [
        f"min {number(finite.min())}",
        f"max {number(finite.max())}",
        f"mean {number(finite.mean())}",
        f"norm {number(float(np.linalg.norm(finite)))}",
    ]
    if finite.size < values.size:
        parts.append(f"{values.size - finite.size} not finite")
    return muted(" · ".join(parts))


def _summary(stored: StoredArray) -> str:
    s = stored.summary
    assert s is not None
    if stored.unmeasured:
        return muted(f"{stored.dtype} {list(stored.shape)}: its numbers were not recorded")
    parts = [
        f"min {number(s.min)}",
        f"max {number(s.max)}",
        f"mean {number(s.mean)}",
        f"std {number(s.std)}",
        f"norm {number(s.norm)}",
    ]
    if s.nan or s.inf:
        parts.append(f"{s.nan} NaN, {s.inf} infinite")
    top = max((abs(x) for row in s.picture for x in row if math.isfinite(x)), default=0.0)
    rows = [
        tag(
            "tr",
            *(tag("td", cls="gt-value", style=f"--heat:{abs(x) / top if top and math.isfinite(x) else 0:.2f}") for x in row),
        )
        for row in s.picture
    ]
    picture = tag("table", tag("tbody", *rows), cls="gt-picture", role="img", aria_label="downsampled picture of the array")
    return picture + muted(" · ".join(parts)) + muted(f"too large to keep whole: {list(stored.shape)}")
