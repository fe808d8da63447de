"""What the sandbox's processes say to each other: typed, length-prefixed, bounded messages; never pickle."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import msgspec

from engine.recording.events import AnyEvent, Scope, Site
from engine.recording.recording import OpInfo
from engine.recording.store import StoredArray
from engine.sandbox.check_messages import CheckRequest

HEADER = struct.Struct("<cI")
"""Kind and length of a frame from the child."""
REQUEST = struct.Struct("<QdQ")
"""To the server, with two file descriptors: run number, seconds, memory in bytes. Seconds 0 and none: stop that run."""
EXIT = struct.Struct("<QiB")
"""From the server: run number, the child's wait status, whether the server stopped it."""
MAX_FRAME = 256 * 2**20


class Limits(msgspec.Struct, frozen=True):
    """What a run may use."""

    seconds: float = 5.0
    memory_mb: int = 512
    output_chars: int = 200_000
    events: int = 200_000
    array_bytes: int = 192 * 2**20
    """Bytes of arrays that are kept whole; later ones leave a summary."""


class Job(msgspec.Struct, frozen=True):
    """What the child is given."""

    cells: tuple[str, ...]
    notebook: bool
    limits: Limits
    check: CheckRequest | None = None
    """Instead of a run, a numerical check."""


class RunError(msgspec.Struct, frozen=True):
    """How a program failed. Lines count from 1, columns from 0; 0 and 0 if unknown."""

    type: str
    message: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    cell: int = 0
    traceback: str = ""
    help: str = ""


class CellResult(msgspec.Struct, frozen=True):
    """One cell: its output as a notebook shows it, and the repr of its last expression (None if it has none)."""

    output: str = ""
    result: str | None = None
    status: str = "ok"
    """"ok", "error", or "skipped" where a cell before it failed."""


class Batch(msgspec.Struct, frozen=True):
    """What was recorded since the last batch."""

    events: list[AnyEvent] = []
    sites: list[Site] = []
    scopes: list[Scope] = []
    arrays: list[StoredArray] = []
    ops: list[OpInfo] = []


class Done(msgspec.Struct, frozen=True):
    """The end of a run, as the child tells it."""

    status: str
    error: RunError | None
    cells: list[CellResult]
    seconds: float


encode = msgspec.msgpack.Encoder().encode
decode_batch = msgspec.msgpack.Decoder(Batch).decode
decode_done = msgspec.msgpack.Decoder(Done).decode
decode_job = msgspec.msgpack.Decoder(Job).decode


class Frames:
    """Cuts a stream of bytes into frames.

    Raises:
        ValueError: for a frame larger than any honest one, or an unknown kind.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The frames that are complete with `data`: kind and body."""
        self._buffer += data
        while len(self._buffer) >= HEADER.size:
            kind, length = HEADER.unpack_from(self._buffer)
            if length > MAX_FRAME or kind not in (b"B", b"C", b"D"):
                raise ValueError("a frame that no program of ours sends")
            end = HEADER.size + length
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[HEADER.size : end])
            del self._buffer[:end]
            yield kind, body
