"""The stream from a child: frames of a kind and a length, small enough to be decoded quickly, bounded in number.

A child that was broken into can send any bytes. Decoding msgpack can take thirty times its size in memory, so a frame is
small, and what a run may send in all is limited in bytes, frames and pieces.
"""

from __future__ import annotations

from collections.abc import Iterator

from ... import limits
from ...recording.events import AnyEvent, Scope, Site
from ...recording.recording import OpInfo
from ...recording.store import StoredArray
from .messages import HEADER, ROWS, Batch

BATCH, DONE, REPLY, PART, SHARE, STUCK, OUTPUT = b"B", b"D", b"C", b"S", b"P", b"T", b"O"
"""Some of the recording, its end; the reply of a job or a call, some of what a job has found, how far a job or a call is;
where a child was stuck; some of what a call returns."""
KINDS = frozenset((BATCH, DONE, REPLY, PART, SHARE, STUCK, OUTPUT))
MAX_FRAME = limits.FRAME.value()
MAX_FRAMES = limits.FRAMES.value()
MAX_READS = limits.READS.value()
"""Pieces in which a stream may arrive: a child that sends single bytes wants to keep the parent busy."""
PIECE = 2 * 2**20
"""Bytes of arrays, about, that a child puts into one frame."""
SUMMARY = 12_000
"""Bytes of an array's summary, at most."""


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


def batches(
    events: list[AnyEvent], sites: list[Site], scopes: list[Scope], arrays: list[StoredArray], ops: list[OpInfo]
) -> Iterator[Batch]:
    """All of this in batches of bearable size, in an order in which nothing refers to what comes later."""
    first = 0
    size = 0
    for k, array in enumerate(arrays):
        own = SUMMARY if array.data is None else len(array.data)
        size += own
        if size > PIECE or k - first >= ROWS:
            yield Batch(arrays=arrays[first:k])
            first, size = k, own
    ahead = range(0, max(len(sites), len(scopes), len(ops)) - ROWS, ROWS)
    for start in ahead:
        end = start + ROWS
        yield Batch([], sites[start:end], scopes[start:end], [], ops[start:end])
    told = len(ahead) * ROWS
    yield Batch(events[:ROWS], sites[told:], scopes[told:], arrays[first:], ops[told:])
    for start in range(ROWS, len(events), ROWS):
        yield Batch(events[start : start + ROWS])
