"""The arrays of a recording in columns: one list of bytes in which equal ones stand once, and for each array where its own
begin.

What is asked of all of them (the scalars of every iteration, norms, extremes, how many NaN) is worked out for all arrays of
one size at once, from the bytes, so none of it is in a file twice. Of arrays that were too large or too many to be kept, the
file has the statistics, and as much of the histogram and the picture as there was room for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .store import DTYPES, MAX_BYTES, MAX_DIMS, RecordingError, Row, StoredArray, check_summary
from .store import GONE as GONE
from .tables import Table, Texts, layout, rows, shred

_BATCH = 2**20
"""Elements of several arrays that are worked on together."""
_TOGETHER, _LIGHT, _KEPT = 16, 16_384, 32_768
"""Neighbours that are made together, the bytes that they have at most, and how many arrays are kept."""
_NARROW = 16
"""Bytes of an array up to which its position is worked out for each of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Numbers about every array, complex ones by magnitude; over the finite elements, NaN where there are none."""

    size: NDArray[np.int64]
    min: NDArray[np.float64]
    max: NDArray[np.float64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    norm: NDArray[np.float64]
    nan: NDArray[np.int64]
    inf: NDArray[np.int64]
    whole: NDArray[np.bool_]
    """Which arrays are there element by element."""


class Arrays(Sequence[StoredArray]):
    """The arrays by id; each is made when it is asked for."""

    def __init__(self, table: Table, texts: list[str], pieces: Sequence[bytes | memoryview]) -> None:
        self.table, self.texts = table, texts
        self.pieces = pieces
        """The bytes of all arrays: one after another, these are `data`."""
        self.start = table["start"]
        self._kept: dict[int, StoredArray] = {}
        """Small arrays that were asked for, as far as there is room."""

    @cached_property
    def data(self) -> memoryview:
        """The bytes of all arrays."""
        return memoryview(self.pieces[0] if len(self.pieces) == 1 else b"".join(self.pieces))

    def __len__(self) -> int:
        return self.table.size

    @overload
    def __getitem__(self, id: int) -> StoredArray: ...
    @overload
    def __getitem__(self, id: slice) -> list[StoredArray]: ...
    def __getitem__(self, id: int | slice) -> Any:
        if isinstance(id, slice):
            first, last, step = id.indices(len(self))
            return (
                list(self._made(first, max(first, last)))[::step] if step > 0 else [self[k] for k in range(first, last, step)]
            )
        place = id + len(self) if id < 0 else id
        if not 0 <= place < len(self):
            raise IndexError(id)
        found = self._kept.get(place)
        return found if found is not None else self._piece(place)

    def _piece(self, place: int) -> StoredArray:
        """An array, made with its neighbours where they are small: who asks for one asks for those next."""
        first = place - place % _TOGETHER
        last = min(first + _TOGETHER, len(self))
        if int(self.bytes[first:last].sum()) > _LIGHT:
            return next(self._made(place, place + 1))
        kept = self._kept
        if len(kept) > _KEPT:
            for old in list(kept)[: _KEPT // 4]:
                del kept[old]
        kept.update(enumerate(self._made(first, last), first))
        return kept[place]

    def __iter__(self) -> Iterator[StoredArray]:
        for first in range(0, len(self), 4096):
            yield from self._made(first, min(first + 4096, len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _made(self, first: int, last: int) -> Iterator[StoredArray]:
        sizes = self.bytes[first:last].tolist()
        for row, size in zip(rows(self.table, first, last, self.texts), sizes, strict=True):
            data = None if row.start == GONE else bytes(self.data[row.start : row.start + size])
            yield StoredArray(row.dtype, row.shape, data, row.summary)

    @cached_property
    def dtypes(self) -> NDArray[np.int64]:
        """Position of each array's dtype in `texts`."""
        return self.table["dtype"]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Elements of each array."""
        counts = self.table["shape"]
        found = np.ones(len(self), np.int64)
        starts, values = self.table.starts("shape"), self.table.children["shape"][""]
        for place in range(int(counts.max(initial=0))):
            deep = np.flatnonzero(counts > place)
            found[deep] *= values[starts[deep] + place]
        return found

    @cached_property
    def bytes(self) -> NDArray[np.int64]:
        """Bytes of each array, kept or not."""
        widths = np.array([DTYPES[name].itemsize if name in DTYPES else 0 for name in self.texts] or [0], np.int64)
        return self.sizes * widths[self.dtypes] if len(self) else np.zeros(0, np.int64)

    def joined(self, ids: NDArray[np.int64], dtype: np.dtype[Any], size: int) -> NDArray[Any]:
        """Arrays that are there whole, all of one dtype and size, each as a row."""
        width = size * dtype.itemsize
        if width <= _NARROW:
            raw = np.frombuffer(self.data, np.uint8)
            return raw[self.start[ids][:, None] + np.arange(width)].view(dtype)
        data = self.data  # to cut the bytes out takes a fraction of the time once there are many
        joined = b"".join([data[start : start + width] for start in self.start[ids].tolist()])
        return np.frombuffer(joined, dtype).reshape(len(ids), size)

    @cached_property
    def faults(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many elements of each array are NaN, and how many are infinite, complex ones by magnitude: one look at the bytes,
        a small part of what the other statistics cost."""
        return _faults(self)

    @property
    def unmeasured(self) -> NDArray[np.int64]:
        """The arrays of which nothing but dtype and shape is known."""
        summarized = np.flatnonzero(self.table["summary"] == 1)
        told = self.table.children["summary"].columns
        known = ~np.isnan(told["min"]) | (told["nan"] + told["inf"] == self.sizes[summarized])
        found: NDArray[np.int64] = summarized[~known]
        return found

    def largest(self, ids: Sequence[int]) -> NDArray[np.float64]:
        """The largest finite entry of each of some arrays by magnitude, NaN where there is none; of these arrays alone."""
        return _of_some(self, ids, _largest)

    def zero(self, ids: Sequence[int]) -> NDArray[np.bool_]:
        """For each of some arrays whether it is zero everywhere, as an empty one is."""
        found: NDArray[np.bool_] = _of_some(self, ids, _zero) == 1.0
        return found

    @cached_property
    def statistics(self) -> Statistics:
        """Numbers about every array, worked out on the first call."""
        return _statistics(self)

    def check(self) -> None:
        """Raise RecordingError unless every array is one: its dtype known, its bytes there, its summary in bounds."""
        if not len(self):
            return
        known = np.array([name in DTYPES for name in self.texts])
        if not known[self.dtypes].all():
            unknown = self.texts[int(self.dtypes[~known[self.dtypes]][0])]
            raise RecordingError(f"array of unknown dtype {unknown[:40]!r}")
        shape = self.table.children["shape"][""]
        if int(self.table["shape"].max()) > MAX_DIMS or (len(shape) and int(shape.min()) < 0):
            raise RecordingError("array of impossible shape")
        # Empty arrays may have other dimensions of any size, which NumPy refuses when their product overflows.
        sizes = np.ones(len(self), np.float64)
        starts, counts = self.table.starts("shape"), self.table["shape"]
        for place in range(int(counts.max())):
            deep = np.flatnonzero(counts > place)
            sizes[deep] *= np.maximum(shape[starts[deep] + place], 1)
        widths = np.array([DTYPES[name].itemsize if name in DTYPES else 0 for name in self.texts])
        if bool((sizes * widths[self.dtypes] >= MAX_BYTES).any()):
            raise RecordingError("array of impossible size")
        kept = self.start != GONE
        if bool((kept == (self.table["summary"] == 1)).any()):
            raise RecordingError("array needs either its bytes or a summary")
        if bool(((self.start < GONE) | (kept & (self.start > len(self.data) - self.bytes))).any()):
            raise RecordingError("array's bytes do not fill its shape")
        self._check_truths(kept)
        summaries = self.table.children["summary"]
        for first in range(0, summaries.size, 1024):
            for summary in rows(summaries, first, min(first + 1024, summaries.size), self.texts):
                check_summary(summary)

    def _check_truths(self, kept: NDArray[np.bool_]) -> None:
        truths = np.flatnonzero(kept & (np.array([name == "bool" for name in self.texts])[self.dtypes]) & (self.sizes > 0))
        if len(truths):
            # Positions of bytes that are neither 0 nor 1, of which none may lie in an array of bool.
            odd = np.flatnonzero(np.frombuffer(self.data, np.uint8) > 1)
            first = np.searchsorted(odd, self.start[truths])
            if bool((np.searchsorted(odd, self.start[truths] + self.sizes[truths]) > first).any()):
                raise RecordingError("array of bool holds other bytes than 0 and 1")


def arrays_from(stored: Sequence[StoredArray]) -> Arrays:
    """Arrays in columns; those that hold the same bytes share them."""
    if isinstance(stored, Arrays):
        return stored
    texts = Texts()
    at: dict[bytes, int] = {}
    end = 0
    found = []
    for array in stored:
        start = GONE
        if array.data is not None:
            start = at.get(array.data, GONE)
            if start == GONE:
                start = at[array.data] = end
                end += len(array.data)
        found.append(Row(array.dtype, array.shape, start, array.summary))
    return Arrays(shred(layout(Row), found, texts), texts.list, list(at))


def _of_some(
    arrays: Arrays, ids: Sequence[int], work: Callable[[NDArray[Any], NDArray[np.float64] | None], Any]
) -> NDArray[np.float64]:
    """What `work` makes of arrays of one dtype and size (a row each), or of the norm, least and largest of summaries."""
    wanted, back = np.unique(np.array(ids, np.int64), return_inverse=True)
    found = np.full(len(wanted), np.nan)
    whole = arrays.start[wanted] != GONE
    if not whole.all():
        told = arrays.table.children["summary"].columns
        rows_of = np.cumsum(arrays.table["summary"])[wanted[~whole]] - 1
        ends = np.stack([told["min"][rows_of], told["max"][rows_of]], axis=1)
        found[~whole] = work(ends, told["norm"][rows_of])
    kinds = arrays.dtypes[wanted] * (int(arrays.sizes.max(initial=0)) + 1) + arrays.sizes[wanted]
    for kind in np.unique(kinds[whole]).tolist():
        alike = np.flatnonzero(whole & (kinds == kind))
        some = wanted[alike]
        size, dtype = int(arrays.sizes[some[0]]), DTYPES[arrays.texts[int(arrays.dtypes[some[0]])]]
        for part in np.array_split(np.arange(len(some)), len(some) * size // _BATCH + 1):
            found[alike[part]] = work(arrays.joined(some[part], dtype, size), None)
    made: NDArray[np.float64] = found[back]
    return made


def _largest(values: NDArray[Any], _: NDArray[np.float64] | None) -> NDArray[np.float64]:
    if not values.shape[1]:
        return np.full(len(values), np.nan)
    sizes: NDArray[Any] = np.abs(values if values.dtype.kind in "fc" else values.astype(np.float64))
    found: NDArray[np.float64] = sizes.max(axis=1).astype(np.float64)
    if not np.isfinite(found).all():
        finite = np.isfinite(sizes)
        found = np.where(finite.any(axis=1), np.where(finite, sizes, 0).max(axis=1), np.nan)
    return found


def _zero(values: NDArray[Any], norm: NDArray[np.float64] | None) -> NDArray[np.bool_]:
    made: NDArray[np.bool_] = np.logical_not(values.any(axis=1)) if norm is None else np.equal(norm, 0)
    return made


def _faults(arrays: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    nan, inf = (np.zeros(len(arrays), np.int64) for _ in range(2))
    summarized = np.flatnonzero(arrays.table["summary"] == 1)
    if len(summarized):
        summaries = arrays.table.children["summary"]
        nan[summarized], inf[summarized] = summaries["nan"], summaries["inf"]
    kinds = [DTYPES[name] if name in DTYPES else np.dtype(np.bool_) for name in arrays.texts]
    ids = np.flatnonzero((arrays.start != GONE) & (arrays.sizes > 0))
    for dtype, kind in enumerate(kinds):
        if kind.kind in "fc" and len(some := ids[arrays.dtypes[ids] == dtype]):
            bad = some[_not_finite(arrays, some, kind)] if kind.kind == "f" else some
            for size in np.unique(arrays.sizes[bad]).tolist():
                alike = bad[arrays.sizes[bad] == size]
                for part in np.array_split(alike, len(alike) * size // _BATCH + 1):
                    values = arrays.joined(part, kind, size)
                    numbers = np.abs(values) if kind.kind == "c" else values
                    nan[part], inf[part] = np.isnan(numbers).sum(axis=1), np.isinf(numbers).sum(axis=1)
    return nan, inf


def _not_finite(arrays: Arrays, ids: NDArray[np.int64], dtype: np.dtype[Any]) -> NDArray[np.bool_]:
    """For each of some arrays of a real dtype whether something in it is not finite: all bytes are looked at as numbers of this
    dtype, and what is between the arrays counts for nothing."""
    width = dtype.itemsize
    first, last = arrays.start[ids], arrays.start[ids] + arrays.bytes[ids]
    found = np.zeros(len(ids), np.bool_)
    for shift in np.unique(first % width).tolist():
        mine = np.flatnonzero(first % width == shift)
        low, high = int(first[mine].min()), int(last[mine].max())
        odd = []
        for begin in range(low, high, _BATCH * width):
            numbers = np.frombuffer(arrays.data, dtype, min(_BATCH, (high - begin) // width), begin)
            odd.append(np.flatnonzero(~np.isfinite(numbers)) * width + begin)
        at = np.concatenate(odd)
        found[mine] = np.searchsorted(at, last[mine]) > np.searchsorted(at, first[mine])
    return found


def _statistics(arrays: Arrays) -> Statistics:
    n = len(arrays)
    low, high, mean, std, norm = (np.full(n, np.nan) for _ in range(5))
    nan, inf = arrays.faults
    made = Statistics(arrays.sizes, low, high, mean, std, norm, nan, inf, arrays.start != GONE)
    summarized = np.flatnonzero(arrays.table["summary"] == 1)
    if len(summarized):
        summaries = arrays.table.children["summary"]
        for name in Statistics.__slots__:
            if name in summaries.columns:
                getattr(made, name)[summarized] = summaries.columns[name]
    faulty = (nan > 0) | (inf > 0)
    groups = np.stack([arrays.dtypes, arrays.sizes, faulty])
    groups[:, ~made.whole] = -1
    order = np.lexsort(groups)
    if not n:
        return made
    breaks = np.flatnonzero((np.diff(groups[:, order]) != 0).any(axis=0)) + 1
    for ids in np.split(order, breaks):
        dtype, size, partly = groups[:, ids[0]].tolist()
        if dtype >= 0 and size > 0:
            most = max(_BATCH // size, 1)
            for first in range(0, len(ids), most):
                some = ids[first : first + most]
                values = arrays.joined(some, DTYPES[arrays.texts[dtype]], size)
                with np.errstate(all="ignore"):
                    numbers = (np.abs(values) if values.dtype.kind == "c" else values).astype(np.float64, copy=False)
                    (_fill_partly if partly else _fill)(made, some, numbers)
    return made


def _fill(made: Statistics, ids: NDArray[np.int64], numbers: NDArray[np.float64]) -> None:
    """Enter the statistics of arrays of one size, of which each is a row."""
    low, high = numbers.min(axis=1), numbers.max(axis=1)
    made.min[ids], made.max[ids] = low, high
    if numbers.shape[1] == 1:
        made.mean[ids], made.std[ids], made.norm[ids] = low, 0.0, np.abs(low)
        return
    scale = _scale(np.maximum(np.abs(low), np.abs(high)))
    scaled = numbers if bool((scale == 1.0).all()) else numbers / scale[:, None]
    made.mean[ids], made.std[ids] = scaled.mean(axis=1) * scale, scaled.std(axis=1) * scale
    made.norm[ids] = np.sqrt(np.einsum("ij,ij->i", scaled, scaled)) * scale


def _fill_partly(made: Statistics, ids: NDArray[np.int64], numbers: NDArray[np.float64]) -> None:
    """The same where some elements are NaN or infinite: over the others."""
    finite = np.isfinite(numbers)
    count = finite.sum(axis=1)
    low, high = np.where(finite, numbers, np.inf).min(axis=1), np.where(finite, numbers, -np.inf).max(axis=1)
    some = count > 0
    scale = np.where(some, _scale(np.maximum(np.abs(low), np.abs(high))), 1.0)
    kept = np.where(finite, numbers / scale[:, None], 0.0)
    mean = kept.sum(axis=1) / np.maximum(count, 1)
    apart = np.where(finite, kept - mean[:, None], 0.0)
    for column, found in (
        (made.min, low), (made.max, high), (made.mean, mean * scale),
        (made.std, np.sqrt(np.square(apart).sum(axis=1) / np.maximum(count, 1)) * scale),
        (made.norm, np.sqrt(np.square(kept).sum(axis=1)) * scale),
    ):  # fmt: skip
        column[ids] = np.where(some, found, np.nan)


def _scale(largest: NDArray[np.float64]) -> NDArray[np.float64]:
    """What to divide numbers by so that their squares, and the sums of these, stay within float64, as `summarize` does."""
    far = ~((largest > 1e-140) & (largest < 1e140)) & (largest > 0)
    return np.where(far, largest, 1.0)
