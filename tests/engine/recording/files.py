"""Files of recordings taken apart and put together again, as somebody would who wants to see what becomes of a forged one."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from engine.recording import Recording
from engine.recording.format1 import HEADER, VERSION
from engine.recording.format2 import CHUNK, DATA, FRONT, MAGIC, Front
from engine.recording.packing import pack, unpack

# --- format 1, which is no longer written ------------------------------------------------------------------------------------


def packed(document: bytes, raw: bytes = b"", magic: bytes = MAGIC, version: int = VERSION) -> bytes:
    """A file of format 1 with a correct checksum around any document."""
    return HEADER.pack(magic, version, zlib.crc32(raw, zlib.crc32(document)), len(document)) + document + raw


def unpacked(data: bytes) -> tuple[Any, bytes]:
    """The document as plain lists and dicts, and the arrays' bytes."""
    length = HEADER.unpack_from(data)[3]
    body = data[HEADER.size :]
    return msgspec.msgpack.decode(body[:length]), body[length:]


def as_format1(recording: Recording) -> bytes:
    """A recording as it was once written."""
    arrays = [(a.dtype, a.shape, -1 if a.data is None else len(a.data), a.summary) for a in recording.arrays]
    document = {
        "source": recording.source, "events": list(recording.events), "sites": list(recording.sites),
        "scopes": list(recording.scopes), "arrays": arrays, "ops": list(recording.ops.values()), "engine": recording.engine,
    }  # fmt: skip
    return packed(msgspec.msgpack.encode(document), b"".join(a.data for a in recording.arrays if a.data))


# --- format 2 -----------------------------------------------------------------------------------------------------------------


def chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    """The kind and content of each chunk."""
    found, at = [], FRONT.size
    while at < len(data):
        kind, _, length = CHUNK.unpack_from(data, at)
        at += CHUNK.size
        found.append((kind, data[at : at + length]))
        at += length + -length % 8
    return found


def of_chunks(parts: list[tuple[bytes, bytes]]) -> bytes:
    """A file of such chunks, with their checksums."""
    written = [FRONT.pack(MAGIC, 2)]
    for kind, content in parts:
        written += [CHUNK.pack(kind, zlib.crc32(content), len(content)), content, bytes(-len(content) % 8)]
    return b"".join(written)


def forged(data: bytes, change: Callable[[Front, dict[str, Any]], Front | None]) -> bytes:
    """A file whose first chunk of data was changed: its columns in place, or its front, by returning another, which is
    written."""
    parts = chunks(data)
    number = next(k for k, (kind, _) in enumerate(parts) if kind == DATA)
    content = memoryview(parts[number][1])
    length = int.from_bytes(content[:8], "little")
    front = msgspec.msgpack.decode(content[8 : 8 + length], type=Front)
    rest = content[8 + length + -length % 8 :]
    columns, at = {}, 0
    for column in front.columns:
        columns[column.path] = np.array(unpack(column, rest[at : at + column.stored]))
        at += column.stored + -column.stored % 8
    other = change(front, columns)
    if other is None:
        again = [pack(path, column) for path, column in columns.items()]
        other = msgspec.structs.replace(front, columns=[one for one, _ in again])
        rest = memoryview(b"".join([d + bytes(-len(d) % 8) for _, d in again if d] + [bytes(rest[at:])]))
    written = msgspec.msgpack.encode(other)
    parts[number] = DATA, len(written).to_bytes(8, "little") + written + bytes(-len(written) % 8) + rest
    return of_chunks(parts)
