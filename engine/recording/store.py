"""Arrays as a recording keeps them: raw bytes up to a cap, a statistical summary above it; long, since what is kept, how it is
summarized and what is refused have to agree."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import limits

SMALL = limits.SMALL.value()
"""Bytes up to which an array does not count against the budget."""
CAP = limits.ELEMENTS.value()
"""Elements up to which an array is kept whole."""
PICTURE = 32
"""Side of the downsampled picture in a summary."""
BINS = 32
BROADCAST = 2**22
"""Elements from which an array that repeats itself is summarized by what it repeats."""
REMEMBERED = 2**24
"""Bytes of arrays and their summaries that are remembered, in case the same numbers come again."""
A_SUMMARY = 2**16
"""Bytes that a summary takes, at most."""
_PIECE = 8_192
CORNER = 3
"""Rows and columns kept at each end, as PyTorch's printing keeps them."""

DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(code)
    for name, code in {
        "bool": "?",
        "uint8": "u1",
        "int8": "i1",
        "int16": "<i2",
        "int32": "<i4",
        "int64": "<i8",
        "float16": "<f2",
        "float32": "<f4",
        "float64": "<f8",
        "complex64": "<c8",
        "complex128": "<c16",
        "uint16": "<u2",
        "uint32": "<u4",
        "uint64": "<u8",
        "bfloat16": "<f4",
        "float8_e4m3fn": "<f2",
        "float8_e4m3fnuz": "<f2",
        "float8_e5m2": "<f2",
        "float8_e5m2fnuz": "<f2",
        "float8_e8m0fnu": "<f4",
        "float4_e2m1fn_x2": "<f2",
        "complex32": "<c8",
        "quint8": "u1",
        "qint8": "i1",
        "qint32": "<i4",
    }.items()
}
"""The only dtypes that are ever decoded: plain numbers, little-endian, no objects. Those of PyTorch that NumPy has not are kept
as the smallest of its dtypes that holds all of their numbers."""

MAX_DIMS = limits.DIMS.value()
MAX_BYTES = limits.SIZE.value()


class RecordingError(ValueError):
    """A recording that cannot be trusted: truncated, altered, too large, or contradicting itself."""


class TooMuchError(RecordingError):
    """More than a recording holds; the message names the limit."""


class Summary(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is kept of an array too large to keep: statistics over its finite elements (complex ones by magnitude)."""

    min: float
    max: float
    mean: float
    std: float
    norm: float
    nan: int
    inf: int
    histogram: tuple[int, ...]
    edges: tuple[float, float]
    """The histogram's range."""
    picture: tuple[tuple[float, ...], ...]
    """Block means of the array seen as a matrix, at most 32×32."""
    corners: tuple[tuple[float, ...], ...]
    """The first and last three rows, and of these the first and last three elements."""


def untold(nan: int = 0, inf: int = 0) -> Summary:
    """The summary of an array of which no number is known."""
    nothing = math.nan
    return Summary(nothing, nothing, nothing, nothing, nothing, nan, inf, (0,) * BINS, (nothing, nothing), (), ())


_UNTOLD = untold()


def zeros() -> Summary:
    """The summary of an array that is zero everywhere."""
    return outline(0.0, 0.0, 0.0, 0.0, 0.0)


def outline(low: float, high: float, mean: float, std: float, norm: float, nan: int = 0, inf: int = 0) -> Summary:
    """The summary of an array of which only statistics are known."""
    return Summary(low, high, mean, std, norm, nan, inf, (), (low, high), (), ())


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An array without its bytes."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    """Where its bytes begin among those of all arrays; GONE where only the summary was kept."""
    summary: Summary | None = None


GONE = -1
"""Where the bytes of an array begin that were not kept."""


class StoredArray(msgspec.Struct, frozen=True, gc=False):
    """One array: exactly one of `data` (C order, little-endian) and `summary` is set."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes | None = None
    summary: Summary | None = None

    def to_numpy(self) -> NDArray[Any] | None:
        """The array, read-only, or None where only a summary was kept."""
        return None if self.data is None else np.ndarray(self.shape, DTYPES[self.dtype], self.data)

    @property
    def unmeasured(self) -> bool:
        """Whether nothing but dtype and shape is known of it."""
        told = self.summary
        return told is not None and math.isnan(told.min) and told.nan + told.inf < math.prod(self.shape)

    def check(self) -> None:
        """Raise RecordingError unless dtype, shape, bytes and summary fit together."""
        dtype = DTYPES.get(self.dtype)
        if not self.shape and dtype is not None and self.data is not None and self.summary is None:
            # A scalar, as most are; this runs for every array that a program records, on both sides.
            if len(self.data) == dtype.itemsize and (self.dtype != "bool" or self.data in (b"\0", b"\1")):
                return
            raise RecordingError("array's bytes do not fill its shape, or it holds what no bool is")
        if dtype is None:
            raise RecordingError(f"array of unknown dtype {self.dtype[:40]!r}")
        if len(self.shape) > MAX_DIMS or any(size < 0 for size in self.shape):
            raise RecordingError("array of impossible shape")
        # Empty arrays may have other dimensions of any size, which NumPy refuses when their product overflows.
        if math.prod(max(size, 1) for size in self.shape) * dtype.itemsize > MAX_BYTES:
            raise RecordingError("array of impossible size")
        if (self.data is None) == (self.summary is None):
            raise RecordingError("array needs either its bytes or a summary")
        if self.data is not None:
            if len(self.data) != math.prod(self.shape) * dtype.itemsize:
                raise RecordingError("array's bytes do not fill its shape")
            if self.dtype == "bool" and self.data.translate(None, b"\0\1"):
                raise RecordingError("array of bool holds other bytes than 0 and 1")
        if self.summary is not None:
            check_summary(self.summary)


def bytes_of(array: NDArray[Any]) -> bytes:
    """The bytes of an array; truth values, which a view of other numbers may show as any byte but zero, are 0 and 1."""
    return (array | False if array.dtype.kind == "b" else array).tobytes()


class ArrayStore:
    """Collects a run's arrays, each as its kind (dtype and shape) and its bytes; ids are given in their order.

    `budget` bounds the bytes kept in all: once it is spent, arrays of more than a few elements leave only a summary.
    Not storing an unchanged array twice is the recorder's part, which knows identity and version.
    """

    def __init__(self, cap: int = CAP, budget: int = limits.KEPT.value()) -> None:
        self.cap = cap
        self.left = budget
        self.held = 0
        """Bytes of the larger arrays since the last batch."""
        self.kind = 0
        """The kind of the array that was kept last."""
        self.next = 0
        """The id of the next array."""
        self._kinds: list[Row] = []
        self._new = 0
        """How many of the kinds are not handed over."""
        self.kinds: dict[int, tuple[Any, dict[tuple[int, ...], int]]] = {}
        """id() of a dtype → it, and the kinds of whole arrays that have it, by their shapes."""
        self.large: dict[int, int] = {}
        """Of the kinds of arrays that count against the budget their bytes."""
        self._named: dict[tuple[str, tuple[int, ...]], int] = {}
        self._gone: dict[tuple[str, tuple[int, ...]], Row] = {}
        """What is remembered of the kinds whose summaries have been handed over."""
        self.numbers: list[int] = []
        """The kinds of the arrays that are not handed over; always the same list."""
        self.data: list[bytes] = []
        """Their bytes, likewise."""
        self.before_taken: Callable[[], None] = lambda: None
        """Called before arrays are handed over, to keep what has been promised."""
        self._remembered = Remembered()
        self._open: set[int] = set()
        """The arrays that were promised whole and have not been told."""

    @property
    def arrays(self) -> list[StoredArray]:
        """The arrays that are not handed over."""
        each = [(self._kinds[kind], data) for kind, data in zip(self.numbers, self.data, strict=True)]
        return [StoredArray(k.dtype, k.shape, data if k.summary is None else None, k.summary) for k, data in each]

    def take(self) -> tuple[list[Row], bytes, bytes]:
        """New kinds of arrays, the kind of each array stored since the last time, and their bytes; they are forgotten here."""
        self.before_taken()
        if self._open:
            self._leave_open()
        # A run that is ended between the two has bytes of an array that nothing names.
        count = min(len(self.numbers), len(self.data))
        numbers, data, new = self.numbers[:count], self.data[:count], self._kinds[self._new :]
        del self.numbers[:count], self.data[:count]
        for kind, row in enumerate(new, self._new):
            if row.summary is not None:
                key = row.dtype, row.shape
                self._kinds[kind] = self._gone.get(key) or self._gone.setdefault(key, Row(*key, GONE))  # summaries are large
        self._new, self.held = len(self._kinds), 0
        return new, struct.pack(f"<{len(numbers)}i", *numbers), b"".join(data)

    def keep(self, array: NDArray[Any]) -> int:
        """Store a copy of the array and return its id."""
        if array.__class__ is not np.ndarray and hasattr(array, "told"):
            whole = array.told()
            if whole is None:
                return self.summed(name_of_dtype(array.dtype), array.shape, untold())
            array = whole
        known = self.kinds.get(id(array.dtype))
        if known is None or (kind := known[1].get(array.shape)) is None or (kind in self.large and not self.affords(kind)):
            return self._met(array)
        return self._put(kind, bytes_of(array))

    add = keep

    def affords(self, kind: int) -> bool:
        """Whether there is room for one more of the larger arrays of a kind, which is counted in then."""
        size = self.large[kind]
        if size > self.left:
            return False
        self.left -= size
        self.held += size
        return True

    def put(self, stored: StoredArray) -> int:
        """Take what has been kept of an array elsewhere, and return its id."""
        if stored.summary is not None:
            return self.summed(stored.dtype, stored.shape, stored.summary)
        assert stored.data is not None
        return self.kept(stored.dtype, stored.shape, stored.data)

    def kept(self, dtype: str, shape: tuple[int, ...], data: bytes) -> int:
        """Take the bytes of an array, and return its id."""
        return self._put(self._kind(dtype, shape), data)

    def summed(self, dtype: str, shape: tuple[int, ...], summary: Summary) -> int:
        """Take the summary of an array, and return its id."""
        self._kinds.append(Row(dtype, shape, GONE, summary))
        return self._put(len(self._kinds) - 1, b"")

    def promise(self, dtype: str, shape: tuple[int, ...], whole: bool) -> int:
        """The id of an array of which it is told later what is kept (`fulfil`): all of it, or a summary. It is one of which
        nothing is known if that has not been told when arrays are next handed over."""
        if not whole:
            return self.summed(dtype, shape, _UNTOLD)
        id = self._put(self._kind(dtype, shape), b"")
        self._open.add(id)
        return id

    def fulfil(self, id: int, kept: bytes | Summary) -> None:
        """Tell what is kept of an array that was promised; once it has been handed over, it is too late."""
        place = id - (self.next - len(self.numbers))
        if place < 0:
            return
        if isinstance(kept, Summary):
            kind = self.numbers[place]
            self._kinds[kind] = Row(*self.describe(kind), GONE, kept)
        else:
            self.data[place] = kept
            self._open.discard(id)

    def _leave_open(self) -> None:
        """Nothing is known of arrays that were promised whole and never told."""
        first = self.next - len(self.numbers)
        for place in range(min(self._open) - first, len(self.numbers)):
            row = self._kinds[self.numbers[place]]
            if row.summary is not None or first + place in self._open:  # summaries come in the order of their arrays
                self.numbers[place] = len(self._kinds)
                self._kinds.append(Row(row.dtype, row.shape, GONE, row.summary or untold()))
        self._open.clear()

    def _put(self, kind: int, data: bytes) -> int:
        self.data.append(data)
        self.numbers.append(kind)
        self.kind = kind
        id = self.next
        self.next = id + 1
        return id

    def kinds_of(self, dtype: np.dtype[Any]) -> dict[tuple[int, ...], int]:
        """The kinds of whole arrays of a dtype by their shapes, as far as there have been any."""
        known = self.kinds.get(id(dtype))
        return {} if known is None else known[1]

    def _met(self, array: NDArray[Any]) -> int:
        """Store an array that is large, or the first of its kind."""
        if array.nbytes > SMALL:
            if array.nbytes > self.left or array.size > self.cap:
                return self.put(
                    store(array, min(self.cap, 16) if array.nbytes > self.left else self.cap, self._remembered.summary)
                )
            self.left -= array.nbytes
            self.held += array.nbytes
        stored = store(array, self.cap, self._remembered.summary)
        if stored.data is not None and array.dtype == DTYPES[stored.dtype] and np.dtype(array.dtype.name) is array.dtype:
            kind = self._kind(stored.dtype, stored.shape)
            self.kinds.setdefault(id(array.dtype), (array.dtype, {}))[1][array.shape] = kind
            if array.nbytes > SMALL:
                self.large[kind] = array.nbytes
        return self.put(stored)

    def _kind(self, dtype: str, shape: tuple[int, ...]) -> int:
        found = self._named.get((dtype, shape))
        if found is None:
            found = self._named[dtype, shape] = len(self._kinds)
            self._kinds.append(Row(dtype, shape, 0))
        return found

    def describe(self, kind: int) -> tuple[str, tuple[int, ...]]:
        """The dtype's name and the shape of a kind."""
        row = self._kinds[kind]
        return row.dtype, row.shape


_NAMES = {dtype: name for name, dtype in reversed(DTYPES.items())}  # NumPy's own names come first in the table, so they win


def name_of_dtype(dtype: np.dtype[Any]) -> str:
    """The name of a dtype. To ask NumPy for one takes longer than to store an array."""
    return _NAMES.get(dtype) or dtype.name


def store(array: NDArray[Any], cap: int = CAP, summary: Callable[[NDArray[Any]], Summary] | None = None) -> StoredArray:
    """The array whole, or its summary (made by `summary`, else by `summarize`) if it has more than `cap` elements."""
    name = name_of_dtype(array.dtype)
    dtype = DTYPES.get(name)
    if dtype is None:
        raise TypeError(f"arrays of dtype {name} cannot be recorded")
    if array.size > cap:
        return StoredArray(name, array.shape, None, (summary or summarize)(array))
    return StoredArray(name, array.shape, bytes_of(array.astype(dtype, copy=False)))


def summarize(array: NDArray[Any]) -> Summary:
    """Statistics, histogram, downsampled picture and corners of an array."""
    if array.size > BROADCAST and 0 in array.strides:
        return _of_broadcast(array)
    if array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous:
        turned = summarize(array.T)  # numbers that lie side by side are read several times as fast
        return msgspec.structs.replace(turned, picture=_turned(turned.picture), corners=_turned(turned.corners))
    numbers = np.abs(array) if array.dtype.kind == "c" else array
    if numbers.dtype.kind != "f":
        numbers = numbers.astype(np.float64)
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (math.nan, math.nan)
    nan = inf = 0
    finite = numbers
    if not math.isfinite(high - low):  # something is NaN or infinite, or the difference of huge numbers is
        finite = numbers[np.isfinite(numbers)]
        nan = int(np.count_nonzero(np.isnan(numbers)))
        inf = numbers.size - finite.size - nan
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (math.nan, math.nan)
    matrix = _as_matrix(numbers)
    if finite.size:
        mean, std, norm, histogram = _spread(finite, low, high)
    else:
        mean = std = norm = math.nan
        histogram = (0,) * BINS
    return Summary(
        min=low,
        max=high,
        mean=mean,
        std=std,
        norm=norm,
        nan=nan,
        inf=inf,
        histogram=histogram,
        edges=(low, high),
        picture=_rows(_block_means(matrix)),
        corners=_rows(_corners(matrix)),
    )


def _turned(table: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    return tuple(zip(*table, strict=True))


class Remembered:
    """Summaries of arrays that came before, with copies of these: a program hands on the same numbers several times, a
    gradient as it is sent, turned round, and as it arrives. To compare takes a tenth of the time of a summary."""

    def __init__(self) -> None:
        self._known: dict[Any, tuple[NDArray[Any], Summary]] = {}
        """By dtype, shape and some of the numbers."""
        self._held = 0

    def summary(self, array: NDArray[Any]) -> Summary:
        """What `summarize` says of an array."""
        if array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous:
            turned = self.summary(array.T)
            return msgspec.structs.replace(turned, picture=_turned(turned.picture), corners=_turned(turned.corners))
        if not array.flags.c_contiguous or not 0 < array.nbytes <= REMEMBERED:
            return summarize(array)
        raw = array.reshape(-1).view(np.uint8 if array.nbytes % 8 else np.uint64)
        key = array.dtype, array.shape, raw[:: raw.size // 64 | 1].tobytes()
        known = self._known.get(key)
        if known is None or not np.array_equal(known[0], raw):
            self._held += array.nbytes + A_SUMMARY
            if self._held > REMEMBERED:
                self._known.clear()
                self._held = array.nbytes + A_SUMMARY
            known = self._known[key] = raw.copy(), summarize(array)
        return known[1]


def _of_broadcast(array: NDArray[Any]) -> Summary:
    """The summary of an array that repeats the same memory, which may stand for more elements than any memory holds.

    Statistics are those of what is repeated; the picture and the corners are those of a part of it.
    """
    once = tuple([slice(1) if stride == 0 else slice(None) for stride in array.strides])
    part = tuple([slice(PICTURE) if stride == 0 else slice(None) for stride in array.strides])
    whole, seen = summarize(array[once]), summarize(array[part]) if array[part].size <= BROADCAST else None
    times = array.size // max(array[once].size, 1)
    return msgspec.structs.replace(
        whole,
        norm=whole.norm * math.sqrt(times),
        nan=whole.nan * times,
        inf=whole.inf * times,
        histogram=tuple([count * times for count in whole.histogram]),
        picture=(seen or whole).picture,
        corners=(seen or whole).corners,
    )


def _spread(finite: NDArray[Any], low: float, high: float) -> tuple[float, float, float, tuple[int, ...]]:
    """Mean, standard deviation (of the population), Euclidean norm and histogram, in one pass."""
    count = finite.size
    if low == high:
        return low, 0.0, abs(low) * math.sqrt(count), (count, *(0,) * (BINS - 1))
    largest = max(abs(low), abs(high))
    # The squares of such numbers, or their sum, would leave the range of float64, and so would the inverse of the width.
    scale = 1.0 if 1e-140 < largest < 1e140 else largest
    start = low / scale
    times = BINS / (high / scale - start)
    flat = finite.ravel(order="K")
    room, ones = np.empty(min(count, _PIECE)), np.ones(min(count, _PIECE))
    bins = np.zeros(count + count % 2, np.uint8)
    sums, shifts, squares = [], [], []
    # Piece by piece: what fits into the processor's cache takes a third of the time.
    for k in range(0, count, _PIECE):
        piece = flat[k : k + _PIECE]
        own = room[: piece.size]
        if scale == 1.0:
            own[:] = piece
        else:
            np.divide(piece, scale, out=own)
        sums.append(float(np.add.reduce(own)))
        own -= start
        own *= times
        # Of pieces as small as these BLAS makes no threads, which would wait for each other on a busy machine.
        shifts.append(float(np.dot(own, ones[: piece.size])))
        squares.append(float(np.dot(own, own)))
        bins[k : k + piece.size] = own
    mean, shift = math.fsum(sums) / count, math.fsum(shifts) / count
    # One number at least is at the start of the histogram, so that little is lost in this difference.
    std = math.sqrt(max(math.fsum(squares) / count - shift * shift, 0.0)) / times
    return mean * scale, std * scale, math.sqrt(count) * math.hypot(mean, std) * scale, _counted(bins, bins.size - count)


def _counted(bins: NDArray[np.uint8], added: int) -> tuple[int, ...]:
    """How many numbers each bin has, of which some zeros were added; the largest number, which is above the last one, belongs
    to that. Many are counted two at a time, which is half as much to count."""
    if bins.size < _PIECE:
        counts = np.bincount(bins, minlength=BINS + 1)
    else:
        pairs = np.zeros((BINS + 1) * 256, np.intp)
        for k in range(0, bins.size, 2**16):
            pairs += np.bincount(bins[k : k + 2**16].view(np.uint16), minlength=pairs.size)
        table = pairs.reshape(BINS + 1, 256)
        counts = table.sum(axis=1) + table[:, : BINS + 1].sum(axis=0)
    counts[0] -= added
    counts[BINS - 1] += counts[BINS]
    return tuple(counts[:BINS].tolist())


def _as_matrix(numbers: NDArray[Any]) -> NDArray[Any]:
    """Vectors become one row; all leading dimensions become rows."""
    columns = numbers.shape[-1] if numbers.ndim else 1
    return numbers.reshape(-1, columns) if numbers.size else np.zeros((0, 0))


WIDE = 64
"""Columns from which on `reduceat` takes several times as long as a sum for each block of rows."""


def _block_means(matrix: NDArray[Any]) -> NDArray[Any]:
    for axis in (0, 1):
        size = matrix.shape[axis]
        if size > PICTURE:
            starts = np.arange(PICTURE) * size // PICTURE
            counts = np.diff(np.append(starts, size))
            with np.errstate(all="ignore"):
                if axis == 0 and matrix.shape[1] >= WIDE:
                    ends = [*starts[1:], size]
                    blocks = zip(starts, ends, strict=True)
                    # To convert what is added first takes a third of the time of a sum that does so.
                    sums = np.stack([np.add.reduce(matrix[k:end].astype(float, copy=False), axis=0) for k, end in blocks])
                else:
                    sums = np.add.reduceat(matrix, starts, axis=axis, dtype=np.float64)
                matrix = sums / (counts[:, None] if axis == 0 else counts)
    return matrix


def _corners(matrix: NDArray[Any]) -> NDArray[Any]:
    for axis in (0, 1):
        size = matrix.shape[axis]
        if size > 2 * CORNER:
            matrix = np.take(matrix, [*range(CORNER), *range(size - CORNER, size)], axis=axis)
    return matrix


def _rows(matrix: NDArray[Any]) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, matrix.tolist()))


def check_summary(summary: Summary) -> None:
    """Raise RecordingError for a summary that holds more than any."""
    if summary.nan < 0 or summary.inf < 0 or any(count < 0 for count in summary.histogram):
        raise RecordingError("summary with negative counts")
    if len(summary.histogram) > BINS:
        raise RecordingError("summary with an oversized histogram")
    for table, side in ((summary.picture, PICTURE), (summary.corners, 2 * CORNER)):
        if len(table) > side or any(len(row) > side or len(row) != len(table[0]) for row in table):
            raise RecordingError("summary with an oversized or ragged table")
