"""Format 1 of recordings, which is read and no longer written: a document (msgpack) with every event in it, and the arrays'
bytes.

    GRADTAPE 1 | checksum | length of the document | the document | the arrays' bytes

A file from a stranger is bad input: sizes are checked before anything is decoded, and the typed decoder rejects other shapes.
"""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import msgspec

from .. import limits
from .events import AnyEvent, Scope, Site
from .op_info import OpInfo
from .store import RecordingError, StoredArray, Summary, TooMuchError

HEADER = struct.Struct("<8sHxxIQ")
VERSION = 1
MAX_ENTRIES = 500_100
"""Rows of any one table: as many as were ever written."""


class _Entry(msgspec.Struct, frozen=True, array_like=True):
    """An array without its bytes; `size` is how many follow the document, -1 where only a summary was kept."""

    dtype: str
    shape: tuple[int, ...]
    size: int
    summary: Summary | None = None


class _Read(msgspec.Struct, forbid_unknown_fields=True):
    """The document with its tables still encoded, so that their lengths can be looked at first."""

    source: msgspec.Raw
    events: msgspec.Raw
    sites: msgspec.Raw
    scopes: msgspec.Raw
    arrays: msgspec.Raw
    ops: msgspec.Raw
    engine: str


class Decoded(msgspec.Struct, frozen=True):
    """What a file holds; references are not looked at."""

    source: tuple[str, ...]
    events: list[AnyEvent]
    sites: list[Site]
    scopes: list[Scope]
    arrays: list[StoredArray]
    ops: dict[str, OpInfo]
    engine: str


_decoders: dict[str, msgspec.msgpack.Decoder[Any]] = {
    "source": msgspec.msgpack.Decoder(tuple[str, ...]),
    "events": msgspec.msgpack.Decoder(list[AnyEvent]),
    "sites": msgspec.msgpack.Decoder(list[Site]),
    "scopes": msgspec.msgpack.Decoder(list[Scope]),
    "arrays": msgspec.msgpack.Decoder(list[_Entry]),
    "ops": msgspec.msgpack.Decoder(list[OpInfo]),
}
_read_document = msgspec.msgpack.Decoder(_Read)


def read(data: memoryview, hosted: bool) -> Decoded:
    """What a file of format 1 holds.

    Raises:
        RecordingError: for what is no such file.
    """
    if len(data) < HEADER.size:
        raise RecordingError("recording is truncated")
    _, _, checksum, length = HEADER.unpack_from(data)
    body = data[HEADER.size :]
    most = limits.DOCUMENT.value(hosted)
    if length > most:
        raise TooMuchError(f"recording is too large: {limits.DOCUMENT.past(most)}")
    if length > len(body):
        raise RecordingError("recording is truncated")
    if zlib.crc32(body) != checksum:
        raise RecordingError("recording is damaged: its checksum does not fit")
    try:
        document = _read_document.decode(body[:length])
        tables = {name: _table(name, getattr(document, name)) for name in _decoders}
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise RecordingError(f"recording cannot be decoded: {str(error)[:200]}") from None
    tables["arrays"] = _arrays(tables["arrays"], body[length:])
    tables["ops"] = {op.name: op for op in tables["ops"]}
    return Decoded(**tables, engine=document.engine)


def _table(name: str, raw: msgspec.Raw) -> Any:
    encoded = memoryview(raw)
    if _length(encoded) > MAX_ENTRIES:
        raise TooMuchError(f"recording is too large: {limits.ENTRIES.past(MAX_ENTRIES)}, not {_length(encoded):,} {name}")
    return _decoders[name].decode(encoded)


def _length(encoded: memoryview) -> int:
    """How many elements the msgpack array declares; 0 for what is no array, which its decoder rejects."""
    match encoded[0]:
        case 0xDC:
            return int.from_bytes(encoded[1:3], "big")
        case 0xDD:
            return int.from_bytes(encoded[1:5], "big")
        case first:
            return first & 0x0F if first & 0xF0 == 0x90 else 0


def _arrays(entries: list[_Entry], raw: memoryview) -> list[StoredArray]:
    reader = io.BytesIO(raw)
    arrays = []
    for entry in entries:
        data = None
        if entry.size >= 0:
            if entry.size > len(raw) - reader.tell():
                raise RecordingError("recording is truncated: an array's bytes are missing")
            data = reader.read(entry.size)
        arrays.append(StoredArray(entry.dtype, entry.shape, data, entry.summary))
    if reader.tell() != len(raw):
        raise RecordingError("recording has bytes after its last array")
    return arrays
