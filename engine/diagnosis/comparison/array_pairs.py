"""Which of many pairs of arrays, one of each run, are not the same: worked out for all pairs of one dtype and size at once.

Arrays that are there element by element are compared so. Where of one of them only statistics were kept, those of both are;
where nothing was kept, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...recording.arrays import GONE, Arrays
from ...recording.columns import Flags, Ints
from ...recording.store import DTYPES
from ...recording.tables import Table
from .tolerance import Tolerance

Floats = NDArray[np.float64]
_BATCH = 2**20
"""Elements that are worked on together."""
ROUNDING = 1e-6
"""What sums in single precision lose of the size of what is summed."""


class Told(NamedTuple):
    """Statistics of some arrays, one of each to a row."""

    min: Floats
    max: Floats
    mean: Floats
    std: Floats
    norm: Floats
    nan: Ints
    inf: Ints

    def of(self, rows: Ints) -> Told:
        """Those of some of them."""
        floats = (self.min[rows], self.max[rows], self.mean[rows], self.std[rows], self.norm[rows])
        return Told(*floats, self.nan[rows], self.inf[rows])


def unlike(a: Arrays, b: Arrays, left: Ints, right: Ints, tolerance: Tolerance) -> Flags:
    """For each pair (an id of `a`, one of `b`) whether they differ by more than is allowed; False where that is not known."""
    found = np.zeros(len(left), np.bool_)
    if not len(left):
        return found
    _, first, back = np.unique(left * (len(b) + 1) + right, return_index=True, return_inverse=True)
    left, right = left[first], right[first]
    differ = ~_same_shape(a, b, left, right)
    names_a, names_b = np.array([*a.texts, ""], object), np.array([*b.texts, ""], object)
    if tolerance.strict:
        differ |= names_a[a.dtypes[left]] != names_b[b.dtypes[right]]
    whole = (a.start[left] != GONE) & (b.start[right] != GONE)
    for rows, kinds in _alike(np.flatnonzero(~differ & whole), a, b, left, right):
        x_name, y_name, size = kinds
        if size:
            rtol, atol = tolerance.of(x_name, y_name)
            for part in np.array_split(rows, len(rows) * size // _BATCH + 1):
                x = a.joined(left[part], DTYPES[x_name], size)
                y = b.joined(right[part], DTYPES[y_name], size)
                differ[part] = apart(x, y, rtol, atol, tolerance.strict).any(axis=1)
    rest = np.flatnonzero(~differ & ~whole)
    if len(rest):
        told = _told(a, left[rest]), _told(b, right[rest])
        for some, (x_name, y_name, size) in _alike(np.arange(len(rest)), a, b, left[rest], right[rest]):
            rtol, atol = tolerance.of(x_name, y_name)
            one, other = (each.of(some) for each in told)
            differ[rest[some]] = told_apart(one, other, size, rtol, atol, tolerance.strict)
        _by_details(a, b, left, right, rest[~differ[rest]], differ, tolerance)
    every: Flags = differ[back.ravel()]
    return every


def apart(x: NDArray[Any], y: NDArray[Any], rtol: float, atol: float | Floats, by_largest: bool = False) -> Flags:
    """Which elements differ by more than is allowed; an array is a row. NaN is the same as NaN, and infinite as equally
    infinite."""
    if x.dtype == y.dtype and x.dtype.kind not in "fc" and not rtol and isinstance(atol, float) and not atol:
        plain: Flags = x != y  # in float64, the largest integers would not be told apart
        return plain
    wide = np.complex128 if "c" in (x.dtype.kind, y.dtype.kind) else np.float64
    x, y = x.astype(wide, copy=False), y.astype(wide, copy=False)
    with np.errstate(all="ignore"):
        size = np.abs(x)
        if by_largest:
            size = np.max(size, axis=1, where=np.isfinite(x), initial=0.0)[:, None]
        allowed = atol + rtol * size
        near = (np.abs(y - x) <= allowed) & np.isfinite(x) & np.isfinite(y)
    found: Flags = ~(near | (x == y) | (np.isnan(x) & np.isnan(y)))
    return found


def told_apart(one: Told, other: Told, size: int, rtol: float, atol: float, by_largest: bool = False) -> Flags:
    """Which statistics, of arrays of one size, say that their elements differ by more than is allowed."""
    unknown = _nothing(one, size) | _nothing(other, size)
    root = np.sqrt(max(size, 1))
    with np.errstate(all="ignore"):
        if by_largest:
            largest = np.fmax(np.abs(one.min), np.abs(one.max))
            each, rtol = rtol * np.where(np.isfinite(largest), largest, 0.0) + atol, 0.0
        else:
            each = np.full(len(one.min), atol)
        mean_square = np.fmax(one.norm, other.norm) / root  # the root of it
        shift = each + rtol * mean_square
        found = (one.nan != other.nan) | (one.inf != other.inf)
        found |= _far(one.min, other.min, each + rtol * np.abs(one.min))
        found |= _far(one.max, other.max, each + rtol * np.abs(one.max))
        found |= _far(one.mean, other.mean, shift + ROUNDING * mean_square)
        found |= _far(one.norm, other.norm, root * (shift + ROUNDING * mean_square))
        spread = 2 * np.fmax(one.std, other.std) * shift + shift**2 + 4 * ROUNDING * mean_square**2
        found |= _far(one.std**2, other.std**2, spread)
    known: Flags = found & ~unknown
    return known


def _nothing(told: Told, size: int) -> Flags:
    """Of which arrays nothing but dtype and shape was kept."""
    found: Flags = np.isnan(told.min) & (told.nan + told.inf < size)
    return found


def _far(x: Floats, y: Floats, allowed: Floats) -> Flags:
    found: Flags = ~((np.abs(x - y) <= allowed) | (x == y) | (np.isnan(x) & np.isnan(y)))
    return found


def _same_shape(a: Arrays, b: Arrays, left: Ints, right: Ints) -> Flags:
    (deep, begin, sizes), (deep_b, begin_b, sizes_b) = (
        (arrays.table["shape"][ids], arrays.table.starts("shape")[:-1][ids], arrays.table.children["shape"][""])
        for arrays, ids in ((a, left), (b, right))
    )
    found: Flags = deep == deep_b
    for place in range(int(deep.max(initial=0))):
        rows = np.flatnonzero(found & (deep > place))
        found[rows] = sizes[begin[rows] + place] == sizes_b[begin_b[rows] + place]
    return found


def _alike(rows: Ints, a: Arrays, b: Arrays, left: Ints, right: Ints) -> Iterator[tuple[Ints, tuple[str, str, int]]]:
    """The rows of pairs whose dtypes and size are the same, which are told."""
    if not len(rows):
        return
    keys = np.stack([a.sizes[left[rows]], b.dtypes[right[rows]], a.dtypes[left[rows]]])
    order = np.lexsort(keys)
    breaks = np.flatnonzero((np.diff(keys[:, order]) != 0).any(axis=0)) + 1
    for some in np.split(order, breaks):
        size, y, x = keys[:, some[0]].tolist()
        yield rows[some], (a.texts[x], b.texts[y], size)


def _told(arrays: Arrays, ids: Ints) -> Told:
    """Statistics of arrays, worked out of those that are there whole."""
    if bool((arrays.start[ids] != GONE).any()):
        statistics = arrays.statistics
        return Told(*[getattr(statistics, name)[ids] for name in Told._fields])
    columns = arrays.table.children["summary"].columns
    rows = _summaries(arrays, ids)
    return Told(*[columns[name][rows] for name in Told._fields])


def _summaries(arrays: Arrays, ids: Ints) -> Ints:
    found: Ints = np.cumsum(arrays.table["summary"])[ids] - 1
    return found


def _by_details(
    a: Arrays, b: Arrays, left: Ints, right: Ints, rows: Ints, differ: Flags, tolerance: Tolerance
) -> None:  # fmt: skip
    """Enter which arrays have the same statistics, and other elements in their corners or another picture."""
    rows = rows[(a.start[left[rows]] == GONE) & (b.start[right[rows]] == GONE)]
    left, right = left[rows], right[rows]
    x_rows, y_rows = _summaries(a, left), _summaries(b, right)
    norms = _told(a, left).norm
    for name in ("corners", "picture"):
        x_leaves, y_leaves = _Leaves(a, name), _Leaves(b, name)
        counts = x_leaves.counts[x_rows]
        same = (counts > 0) & (counts == y_leaves.counts[y_rows])
        for some, (x_name, y_name, size) in _alike(np.flatnonzero(same), a, b, left, right):
            rtol, atol = tolerance.of(x_name, y_name)
            for count in np.unique(counts[some]).tolist():
                mine = some[counts[some] == count]
                for part in np.array_split(mine, len(mine) * count // _BATCH + 1):
                    x, y = x_leaves.of(x_rows[part], count), y_leaves.of(y_rows[part], count)
                    more: float | Floats = atol
                    if name == "picture":  # means, which may cancel
                        more = atol + (rtol + ROUNDING) * (norms[part] / np.sqrt(max(size, 1)))[:, None]
                    differ[rows[part]] |= apart(x, y, rtol, more, tolerance.strict).any(axis=1)


class _Leaves:
    """The numbers of the nested tables of summaries."""

    def __init__(self, arrays: Arrays, name: str) -> None:
        summaries: Table = arrays.table.children["summary"]
        lines = summaries.children[name]
        ends = lines.starts("")[summaries.starts(name)]
        self.begins, self.counts = ends[:-1], np.diff(ends)
        self.numbers: Floats = lines.children[""].columns[""]

    def of(self, rows: Ints, count: int) -> Floats:
        """Those of some summaries that have as many."""
        found: Floats = self.numbers[self.begins[rows][:, None] + np.arange(count)]
        return found
