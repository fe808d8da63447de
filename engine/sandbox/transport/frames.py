"""The stream from a child: frames of a kind and a length, small enough to be decoded quickly, bounded in number.

A child that was broken into can send any bytes. Decoding msgpack can take thirty times its size in memory, so a frame is
small, and what a run may send in all is limited in bytes, frames and pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ... import limits
from ...recording.batch import EMPTY, WIDTH, Batch, changed
from .messages import HEADER

BATCH, DONE, REPLY, PART, SHARE, STUCK, OUTPUT, WRITTEN = b"B", b"D", b"C", b"S", b"P", b"T", b"O", b"W"
"""Some of the recording, its end; the reply of a job or a call, some of what a job has found, how far a job or a call is;
where a child was stuck; some of what a call returns; some of a file that a program wrote."""
KINDS = frozenset((BATCH, DONE, REPLY, PART, SHARE, STUCK, OUTPUT, WRITTEN))
MAX_FRAME = limits.FRAME.value()
MAX_FRAMES = limits.FRAMES.value()
MAX_READS = limits.READS.value()
"""Pieces in which a stream may arrive: a child that sends single bytes wants to keep the parent busy."""
PIECE = 2 * 2**20
"""Bytes of arrays, about, that a child puts into one frame."""
SUMMARY = 12_000
"""Bytes of an array's summary, at most."""
ROWS = limits.BATCH.value()
"""Rows of a table in one batch."""


WHOLE = 1_000
"""Progress travels in permille: two bytes, from 0 to this."""


def share_of(body: bytes) -> float:
    """A message's progress as a share from 0 to 1.

    Raises:
        ValueError: for more than all of it.
    """
    share = int.from_bytes(body, "big")
    if len(body) != 2 or share > WHOLE:
        raise ValueError("more than all of it")
    return share / WHOLE


class Frames:
    """Cuts a stream of bytes into frames.

    Raises:
        ValueError: for a frame larger than any valid one, an unknown kind, too many frames, or too many pieces.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._count = 0
        self._reads = 0

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The frames that are complete with `data`: kind and body."""
        self._buffer += data
        self._reads += 1
        while len(self._buffer) >= HEADER.size:
            kind, length = HEADER.unpack_from(self._buffer)
            if length > MAX_FRAME or kind not in KINDS:
                raise ValueError("a frame that no program of ours sends")
            end = HEADER.size + length
            if len(self._buffer) < end:
                break
            self._count += 1
            body = bytes(memoryview(self._buffer)[HEADER.size : end])
            del self._buffer[:end]
            yield kind, body
        if self._count > MAX_FRAMES or self._reads > MAX_READS:
            raise ValueError("more frames than any program of ours sends")


def batches(batch: Batch, sizes: Sequence[int]) -> Iterator[Batch]:
    """A batch in batches of bearable size, in an order in which nothing refers to what comes later: whole, if it is small.

    Args:
        sizes: the bytes of each of its arrays, negative for those of which only the summary was kept.
    """
    tables = [len(batch.forms), len(batch.sites), len(batch.nests), len(batch.texts), len(batch.kinds), len(batch.ops)]
    size = sum([len(data) for data in (batch.rows, batch.lengths, batch.scopes, batch.arrays, batch.data)])
    if size <= PIECE and max(tables) <= ROWS:
        yield batch
        return
    for name, few in (("sites", ROWS), ("nests", ROWS), ("texts", ROWS), ("ops", ROWS), ("kinds", PIECE // SUMMARY)):
        rows = getattr(batch, name)
        for first in range(0, len(rows), few):
            yield Batch(**{name: rows[first : first + few]})
    for rows, lengths in cut_rows(batch.scopes, batch.scope_lengths):
        yield Batch(scopes=rows, scope_lengths=lengths)
    yield from _of_arrays(batch, sizes)
    for first in range(0, len(batch.forms), ROWS):
        yield Batch(batch.forms[first : first + ROWS])
    for rows, lengths in cut_rows(batch.rows, batch.lengths):
        yield Batch(rows=rows, lengths=lengths)


def cut_rows(rows: bytes, lengths: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Rows in pieces of bearable size."""
    ends = np.cumsum(np.frombuffer(lengths, "<u2"), dtype=np.int64) * WIDTH
    first = 0
    while first < len(ends):
        begin = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, begin + PIECE, "right")), first + 1)
        yield rows[begin : int(ends[last - 1])], lengths[2 * first : 2 * last]
        first = last


def _of_arrays(batch: Batch, sizes: Sequence[int]) -> Iterator[Batch]:
    ends = np.cumsum(np.maximum(np.array(sizes, np.int64), 0))
    first = 0
    while first < len(ends):
        begin = int(ends[first - 1]) if first else 0
        last = min(max(int(np.searchsorted(ends, begin + PIECE, "right")), first + 1), first + PIECE // WIDTH)
        yield Batch(arrays=batch.arrays[WIDTH * first : WIDTH * last], data=batch.data[begin : int(ends[last - 1])])
        first = last


def halves(batch: Batch) -> list[Batch]:
    """A batch as smaller ones, its lists by themselves before its rows, or a list in two; nothing for what is one thing."""
    filled = {name: rows for name in Batch.__struct_fields__ if (rows := getattr(batch, name))}
    lists = {name: rows for name, rows in filled.items() if isinstance(rows, list)}
    if len(filled) > 1:
        alone = [changed(EMPTY, **{name: rows}) for name, rows in lists.items()]
        return [*alone, changed(batch, **{name: [] for name in lists})] if lists else []
    for name, rows in lists.items():
        half = len(rows) // 2
        return [changed(EMPTY, **{name: rows[:half]}), changed(EMPTY, **{name: rows[half:]})] if half else []
    return []
