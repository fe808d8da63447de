"""Zip archives as PyTorch writes and reads them: entries in one folder, uncompressed, the data of each aligned to 64 bytes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator

from .. import limits

LOCAL, CENTRAL, DATA = b"PK\x03\x04", b"PK\x01\x02", b"PK\x07\x08"
END, END64, LOCATOR = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
ALIGNMENT = 64
STORED, DEFLATED = 0, 8
FLAGS = 0x0808
"""Names are UTF-8; sizes stand behind the data."""
_HEAD = struct.Struct("<4s5H3I2H")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_END64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR = struct.Struct("<4sIQI")
_LARGE = 0xFFFFFFFF


class BadArchive(RuntimeError):
    """A zip archive that cannot be read, in the words of PyTorch's reader."""


def written(folder: str, entries: Iterable[tuple[str, bytes | memoryview]]) -> bytes:
    """The archive with these entries.

    Raises:
        RuntimeError: for more than four gigabytes.
    """
    out = bytearray()
    directory = bytearray()
    count = 0
    for name, data in entries:
        full = f"{folder}/{name}".encode()
        size, sum, begin = len(data), zlib.crc32(data), len(out)
        # The rest of the header is an extra field, as long as the data needs to be aligned.
        padding = -(begin + _HEAD.size + len(full) + 4) % ALIGNMENT
        extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
        if begin + size + len(extra) > _LARGE:
            raise RuntimeError("a checkpoint of more than 4 GB cannot be written here")
        out += _HEAD.pack(LOCAL, 0, FLAGS, STORED, 0, 0, sum, size, size, len(full), len(extra)) + full + extra
        out += data
        if size:
            out += struct.pack("<4s3I", DATA, sum, size, size)
        directory += _ENTRY.pack(CENTRAL, 0, 0, FLAGS, STORED, 0, 0, sum, size, size, len(full), 0, 0, 0, 0, 0, begin) + full
        count += 1
    begin, size = len(out), len(directory)
    out += directory
    if count > 0xFFFF:
        end = len(out)
        out += _END64.pack(END64, _END64.size - 12, 0x31E, 0x2D, 0, 0, count, count, size, begin)
        out += _LOCATOR.pack(LOCATOR, 0, end, 1)
    shown = min(count, 0xFFFF)
    return bytes(out + _END.pack(END, 0, 0, shown, shown, size, begin, 0))


class Archive:
    """The entries of a zip archive; each is taken out when it is asked for.

    Raises:
        BadArchive: for what is none, and past the limits.
    """

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self._entries: dict[str, tuple[int, int, int, int, int]] = {}
        """Name → method, sum, packed size, size, where its header begins."""
        total = 0
        for name, entry in self._directory():
            total += entry[3]
            if total > limits.CHECKPOINT.value():
                raise BadArchive(f"PytorchStreamReader failed reading zip archive: {limits.CHECKPOINT.past()}")
            self._entries.setdefault(name, entry)
        if not self._entries:
            raise _broken("archive does not contain any files")
        folders = {name.partition("/")[0] for name in self._entries}
        self._folder = next(iter(self._entries)).partition("/")[0]
        if len(folders) > 1 or any("/" not in name for name in self._entries):
            raise _broken("file in archive is not in a subdirectory")

    def __contains__(self, name: str) -> bool:
        return f"{self._folder}/{name}" in self._entries

    def size(self, name: str) -> int:
        """How many bytes an entry has."""
        return self._entry(name)[3]

    def read(self, name: str) -> bytes:
        """The bytes of an entry.

        Raises:
            BadArchive: if there is none of that name, or it is damaged.
        """
        method, sum, packed, size, begin = self._entry(name)
        if begin + _HEAD.size > len(self._data):
            raise _broken("invalid header or archive is corrupted", name)
        head = _HEAD.unpack_from(self._data, begin)
        if head[0] != LOCAL:
            raise _broken("invalid header or archive is corrupted", name)
        begin += _HEAD.size + head[9] + head[10]
        if begin + packed > len(self._data):
            raise _broken("invalid header or archive is corrupted", name)
        raw = self._data[begin : begin + packed]
        if method == STORED and packed == size:
            found = bytes(raw)
        elif method == DEFLATED:
            found = _inflated(raw, size, name)
        else:
            raise _broken("unsupported method", name)
        if zlib.crc32(found) != sum:
            raise _broken("file read failed" if method == STORED else "crc-32 check failed", name)
        return found

    def _entry(self, name: str) -> tuple[int, int, int, int, int]:
        found = self._entries.get(f"{self._folder}/{name}")
        if found is None:
            raise BadArchive(f"PytorchStreamReader failed locating file {name}: file not found")
        return found

    # --- the directory --------------------------------------------------------------------------------------------------------

    def _directory(self) -> Iterator[tuple[str, tuple[int, int, int, int, int]]]:
        count, at = self._end()
        if count > limits.CHECKPOINT_ENTRIES.value():
            raise BadArchive(f"PytorchStreamReader failed reading zip archive: {limits.CHECKPOINT_ENTRIES.past()}")
        for _ in range(count):
            if at + _ENTRY.size > len(self._data):
                raise _broken("invalid header or archive is corrupted")
            (mark, _, _, flags, method, _, _, sum, packed, size, named, extra, note, disk, _, _, begin) = _ENTRY.unpack_from(
                self._data, at
            )
            if mark != CENTRAL or flags & 1 or disk:
                raise _broken("invalid header or archive is corrupted")
            at += _ENTRY.size
            name = bytes(self._data[at : at + named])
            size, packed, begin = _wide(bytes(self._data[at + named : at + named + extra]), size, packed, begin)
            at += named + extra + note
            yield name.decode("utf-8", "replace"), (method, sum, packed, size, begin)

    def _end(self) -> tuple[int, int]:
        """How many entries there are, and where the directory begins."""
        data = self._data
        tail = bytes(data[-(_END.size + 0xFFFF) :])
        at = tail.rfind(END)
        while at >= 0 and at + _END.size > len(tail):
            at = tail.rfind(END, 0, at)
        if at < 0:
            raise _broken("failed finding central directory")
        _, _, _, _, count, size, begin, _ = _END.unpack_from(tail, at)
        end = len(data) - len(tail) + at
        if end >= _LOCATOR.size and bytes(data[end - _LOCATOR.size : end - _LOCATOR.size + 4]) == LOCATOR:
            far = _LOCATOR.unpack_from(data, end - _LOCATOR.size)[2]
            if far + _END64.size > len(data) or bytes(data[far : far + 4]) != END64:
                raise _broken("invalid header or archive is corrupted")
            *_, count, size, begin = _END64.unpack_from(data, far)
        if begin + size > len(data):
            raise _broken("invalid header or archive is corrupted")
        return count, begin


def _wide(extra: bytes, *numbers: int) -> list[int]:
    """Size, packed size and place of an entry, those that need 64 bits from the extra fields of its header."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            field = extra[at + 4 : at + 4 + length]
            found = []
            for number in numbers:
                if number == _LARGE:
                    if len(field) < 8:
                        raise _broken("invalid header or archive is corrupted")
                    number, field = int.from_bytes(field[:8], "little"), field[8:]
                found.append(number)
            return found
        at += 4 + length
    return list(numbers)


def _inflated(raw: memoryview, size: int, name: str) -> bytes:
    unpacking = zlib.decompressobj(-15)
    try:
        found = unpacking.decompress(raw, size + 1)
    except zlib.error:
        raise _broken("decompression failed or archive is corrupted", name) from None
    if len(found) != size:
        raise _broken("unexpected decompressed size", name)
    return found


def _broken(why: str, name: str = "") -> BadArchive:
    return BadArchive(f"PytorchStreamReader failed reading {f'file {name}' if name else 'zip archive'}: {why}")
