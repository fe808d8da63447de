"""Columns of numbers as bytes: small where a file travels, as they lie in memory where it is mapped.

A column whose numbers are all the same is one number. Others are kept as they are or as the differences of neighbours,
whichever a sample shows to be smaller (ids and positions grow, so their differences repeat with the iterations), in as few
bytes a number as hold them all, and these bytes are deflated.

Measured on a training run of 200 batches (20,013 events, 97 columns; process time on one core): these columns take 1.9 bytes an
event and 0.54 µs to write; zstd instead of deflate 1.5 bytes and 0.54 µs, lz4 2.8 bytes and 0.26 µs, nothing 34.6 bytes. The
same columns as Arrow IPC streams take 7.7 (zstd), 9.3 (lz4) or 42.3 bytes (uncompressed), because Arrow has no differences, and
need pyarrow, whose import takes longer than to open a million events. So these are plain NumPy buffers and Python's own zlib,
which the sandbox's child can write, too.
"""

from __future__ import annotations

import zlib
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .store import RecordingError
from .tables import Numbers, narrow

SAME, PLAIN, DIFFERENCES = "c", "p", "d"
_SAMPLE = 4_096
_WORTH = 64
"""Bytes from which it is worth while to deflate."""
ALIGNED = 8
_WIDTHS: dict[str, np.dtype[Any]] = {code: np.dtype(code) for code in ("i1", "<i2", "<i4", "<i8", "<f8")}


class Packed(msgspec.Struct, array_like=True, frozen=True):
    """What there is to know of a column before its bytes are read."""

    path: str
    rows: int
    how: str
    width: str
    stored: int
    """Bytes in the file."""
    value: int = 0
    """The number, where all are the same."""
    deflated: bool = False


def pack(path: str, column: Numbers, mapped: bool = False) -> tuple[Packed, bytes]:
    """A column as bytes; with `mapped`, so that it can be read where it lies."""
    if column.dtype.kind == "f":
        data, deflated = _deflated(column.tobytes(), mapped)
        return Packed(path, len(column), PLAIN, "<f8", len(data), 0, deflated), data
    first = int(column[0]) if len(column) else 0
    if not len(column) or bool((column == first).all()):
        return Packed(path, len(column), SAME, "i1", 0, first), b""
    how, numbers = PLAIN, narrow(column)
    if not mapped and len(column) > 8:
        differences = narrow(np.diff(column.astype(np.int64), prepend=0))
        if _size(differences) < _size(numbers):
            how, numbers = DIFFERENCES, differences
    data, deflated = _deflated(numbers.tobytes(), mapped)
    width = next(code for code, dtype in _WIDTHS.items() if dtype == numbers.dtype)
    return Packed(path, len(column), how, width, len(data), 0, deflated), data


def _size(numbers: Numbers) -> int:
    return len(zlib.compress(numbers[:_SAMPLE].tobytes(), 1)) * max(len(numbers), _SAMPLE) // _SAMPLE


def _deflated(data: bytes, mapped: bool) -> tuple[bytes, bool]:
    if mapped or len(data) < _WORTH:
        return data, False
    small = zlib.compress(data, 1)
    return (small, True) if len(small) < len(data) else (data, False)


def unpack(packed: Packed, data: memoryview) -> Numbers:
    """The column; `data` are its bytes in the file, and are not copied where they can be read as they are.

    Raises:
        RecordingError: for what is no such column. Never more is unfolded than the rows it claims, which its reader has
        bounded.
    """
    width = _WIDTHS.get(packed.width)
    if width is None or packed.rows < 0:
        raise RecordingError("column of no kind that there is")
    if packed.how == SAME:
        if packed.width == "<f8":
            raise RecordingError("column of no kind that there is")
        value = np.array(packed.value, np.int64)
        least = narrow(value.reshape(1)).dtype
        return np.broadcast_to(value.astype(least), (packed.rows,))
    size = packed.rows * width.itemsize
    raw = inflated(data, size) if packed.deflated else data
    if len(raw) != size:
        raise RecordingError("column has not the bytes it claims")
    numbers: NDArray[Any] = np.frombuffer(raw, width)
    if packed.how == DIFFERENCES and packed.width != "<f8":
        return narrow(np.cumsum(numbers, dtype=np.int64))
    if packed.how != PLAIN:
        raise RecordingError("column of no kind that there is")
    return numbers


def inflated(data: memoryview, size: int) -> bytes:
    """What was deflated, if it has this size; never more is unfolded."""
    reader = zlib.decompressobj()
    try:
        raw = reader.decompress(data, size + 1)
    except zlib.error:
        raise RecordingError("recording is damaged: its columns cannot be unfolded") from None
    if len(raw) != size or not reader.eof:
        raise RecordingError("column has not the bytes it claims")
    return raw
