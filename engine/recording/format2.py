"""Format 2 of recordings: a head, then chunks of columns, then an end.

    GRADTAPE 2 | HEAD checksum length … | DATA checksum length … | DATA … | ENDS …

Each chunk is sound by itself: it has some of the events and the new rows of the tables that they refer to, under a checksum of
its own. So a file can be read while it is being written (`growing`), and one that was cut off opens up to where it ends. A head
that comes later takes the place of the one before it: more of the program's files have become known. What a chunk
consists of is said at its front with the name of each column (`tables`, `packing`): a column that is not there has its default,
one whose name a reader does not know is passed over. A struct of the log, or the head, that gets a new field needs no third
format.

A file from a stranger is read whole, every size is looked at before what it promises is unfolded, and `check` verifies every
reference. One of our own that nobody else writes (`mapped`) has its columns as they lie in memory, and is mapped instead.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from .. import limits
from .arrays import Arrays
from .events import Scope, Site
from .op_info import OpInfo
from .packing import ALIGNED, Packed, inflated, pack, unpack
from .store import GONE, RecordingError, Row, TooMuchError
from .story import NONE, Story
from .tables import (
    BOOL,
    FLOAT,
    KINDS,
    MAYBE_TEXT,
    NO_TEXT,
    TEXT,
    Layout,
    Numbers,
    Table,
    Tape,
    layout,
    together,
    walk,
)

MAGIC = b"GRADTAPE"
VERSION = 2
FRONT = struct.Struct("<8sHxxxxxx")
CHUNK = struct.Struct("<4sIQ")
"""What it is, its checksum, its length. The content is filled up to the next place that is aligned."""
HEAD, DATA, ENDS = b"HEAD", b"DATA", b"ENDS"
EVENTS_IN_CHUNK = 65_536
MAX_CHUNKS = 100_000
_SAMPLE, _WORTH, _GAIN = 262_144, 64, 0.9
"""Numbers of a trained network are noise: bytes of arrays are deflated where a sample becomes smaller by a tenth."""


class Head(msgspec.Struct, frozen=True, array_like=True):
    """What is said of a whole recording."""

    source: tuple[str, ...] = ()
    """The program's texts: one for each cell, or for each file."""
    names: tuple[str, ...] = ()
    """The names of the files, where it has several."""
    engine: str = "numpy"
    rank: int = 0
    """Which of several processes that train together this one was."""
    world_size: int = 1
    seed: int | None = None
    story: Story = NONE
    """What stands between a notebook's cells, and how a lesson looks at them."""


class Front(msgspec.Struct, frozen=True, array_like=True):
    """What stands at the front of a chunk."""

    first: int
    """The step of its first event."""
    columns: list[Packed]
    texts: list[str]
    """New texts of the log, after those of earlier chunks."""
    array_texts: list[str]
    """New names of dtypes, likewise."""
    ops: list[OpInfo]
    raw: int
    """Bytes of arrays, after those of earlier chunks."""
    stored: int
    deflated: bool


class Parts(msgspec.Struct, frozen=True):
    """What a file holds."""

    head: Head
    tape: Tape
    arrays: Arrays
    ops: dict[str, OpInfo]
    complete: bool
    """Whether its end is there."""


_encode = msgspec.msgpack.Encoder().encode
_decode_head = msgspec.msgpack.Decoder(Head).decode
_decode_front = msgspec.msgpack.Decoder(Front).decode
_TABLES: dict[str, Layout] = {kind.__struct_config__.tag: layout(kind) for kind in KINDS}
_NUMBER_OF = {tag: number for number, tag in enumerate(_TABLES)}


# --- written ------------------------------------------------------------------------------------------------------------------


def pieces(
    head: Head, tape: Tape, arrays: Arrays, ops: Sequence[OpInfo], *, mapped: bool = False, complete: bool = True
) -> Iterator[bytes | memoryview]:
    """The bytes of a file, in order; with `mapped` as one chunk, so that its columns can be read where they lie.

    One that is not complete gets no end.
    """
    yield from beginning()
    yield from heads(head)
    size = max(tape.size, 1) if mapped else EVENTS_IN_CHUNK
    ends = _array_ends(tape, arrays, size)
    begun = 0
    for number, first in enumerate(range(0, max(tape.size, 1), size)):
        part = tape.part(first, min(first + size, tape.size))
        sides = number == 0  # sites, scopes and texts are few, so the first chunk has them all
        yield from _data(part, first, arrays, begun, ends[number], ops if sides else (), sides, mapped)
        begun = ends[number]
    if complete:
        yield from ending(tape.size)


def beginning() -> Iterator[bytes | memoryview]:
    """What every file begins with."""
    yield FRONT.pack(MAGIC, VERSION)


def heads(head: Head) -> Iterator[bytes | memoryview]:
    """What is said of the whole recording, from here on."""
    yield from _chunk(HEAD, [_encode(head)])


def appended(tape: Tape, first: int, arrays: Arrays, ops: Sequence[OpInfo]) -> Iterator[bytes | memoryview]:
    """Some more events, from step `first` on, with what is new of the tables: their rows, texts and bytes."""
    yield from _data(tape, first, arrays, 0, len(arrays), ops, True, False)


def ending(size: int) -> Iterator[bytes | memoryview]:
    """The end, after so many events."""
    yield from _chunk(ENDS, [_encode(size)])


def _array_ends(tape: Tape, arrays: Arrays, size: int) -> list[int]:
    """For each chunk how many arrays its events and earlier ones refer to; the last one has all."""
    chunks = max(-(-tape.size // size), 1)
    ends = np.zeros(chunks, np.int64)
    for step, ids in array_references(tape):
        np.maximum.at(ends, step // size, ids + 1)
    ends = np.minimum(np.maximum.accumulate(ends), len(arrays))
    ends[-1] = len(arrays)
    return [int(end) for end in ends]


def array_references(tape: Tape) -> Iterator[tuple[Numbers, Numbers]]:
    """Everywhere that events name arrays: steps, and ids or NOTHING."""
    for kind in KINDS:
        table, steps = tape.tables[kind], tape.steps(kind)
        if table.size:
            yield from _named_arrays(table, steps)


ARRAYS = frozenset(("array", "increment", "total", "before", "after", "raw"))


def _named_arrays(table: Table, steps: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    for name, column in table.columns.items():
        if name in ARRAYS:
            yield steps, column.astype(np.int64)
    for name, child in table.children.items():
        if child.size:
            below = np.repeat(steps, table.columns[name])
            if name == "received":
                yield below, child[""]
            elif name == "roots":
                yield below, child["1"]
            yield from _named_arrays(child, below)


def _data(
    part: Tape, first: int, arrays: Arrays, begun: int, ended: int, ops: Sequence[OpInfo], sides: bool, mapped: bool
) -> Iterator[bytes | memoryview]:
    table = arrays.table.part(begun, ended)
    blob = _bytes_of(arrays, begun, ended)
    named = {"kind": part.kind, "site": part.site, "scope": part.scope}
    found: list[tuple[Packed, bytes]] = [pack(name, column, mapped) for name, column in named.items()]
    several = [(tag, part.tables[KINDS[number]]) for tag, number in _NUMBER_OF.items()]
    if sides:
        several += [("sites", part.sites), ("scopes", part.scopes)]
    for tag, each in (*several, ("arrays", table)):
        if each.size:
            for path, below, name in walk(each, tag):
                if below.size and not _is_default(below, name):
                    found.append(pack(path, below.columns[name], mapped))
    # The number of rows of the tables that are not of events.
    counts = {"sites": part.sites.size if sides else 0, "scopes": part.scopes.size if sides else 0, "arrays": ended - begun}
    found += [(Packed(tag, count, "c", "i1", 0), b"") for tag, count in counts.items()]
    size = sum(map(len, blob))
    deflated = False
    if not mapped:
        whole = blob[0] if len(blob) == 1 else b"".join(blob)
        sample = whole[:_SAMPLE]
        deflated = size > _WORTH and len(zlib.compress(sample, 1)) < _GAIN * len(sample)
        blob = [zlib.compress(whole, 1)] if deflated else blob
    front = Front(
        first,
        [packed for packed, _ in found],
        part.texts if sides else [],
        arrays.texts if sides else [],
        list(ops),
        size,
        sum(map(len, blob)),
        deflated,
    )
    written = _encode(front)
    content: list[bytes | memoryview] = [len(written).to_bytes(8, "little"), _filled(written)]
    content += [_filled(data) for _, data in found if data]
    yield from _chunk(DATA, [*content, *blob])


def _bytes_of(arrays: Arrays, begun: int, ended: int) -> Sequence[bytes | memoryview]:
    """The bytes of arrays that are new with some of them. Those that hold the same share them, so they begin where others
    end."""
    if begun == 0 and ended == len(arrays):
        return arrays.pieces  # no copy is made of them
    reach = np.where(arrays.start == GONE, 0, arrays.start + arrays.bytes)
    low = int(reach[:begun].max(initial=0))
    return [arrays.data[low : max(int(reach[:ended].max(initial=0)), low)]]


def _is_default(table: Table, name: str) -> bool:
    default = next((field.default for field in table.layout.fields if field.name == name), 1)  # "there": present
    return default is not None and bool((table.columns[name] == default).all())


def _filled(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNED)


def _chunk(kind: bytes, content: list[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    checksum = 0
    for piece in content:
        checksum = zlib.crc32(piece, checksum)
    length = sum(map(len, content))
    yield CHUNK.pack(kind, checksum, length)
    yield from content
    yield bytes(-length % ALIGNED)


# --- read ---------------------------------------------------------------------------------------------------------------------


def read(data: memoryview, hosted: bool = False, *, trusted: bool = False) -> Parts:
    """What a file holds; unless it is trusted, its checksums fit, and nothing in it is larger than its limit.

    Raises:
        RecordingError: for what is no such file. References are not looked at here.
    """
    chunks = Chunks(hosted, trusted)
    at = chunks.take(data, FRONT.size)
    if chunks.complete and at < len(data):
        raise RecordingError("recording has bytes after its end")
    return chunks.parts()


def opened(path: Path) -> Parts:
    """A file of our own that nobody else writes, mapped into memory. It must not shrink while it is read."""
    with path.open("rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if FRONT.unpack_from(data) != (MAGIC, VERSION):
        raise RecordingError("not a recording")
    return read(data, trusted=True)


def _front(content: memoryview, hosted: bool) -> tuple[Front, memoryview]:
    length = int.from_bytes(content[:8], "little")
    if length > len(content) - 8:
        raise RecordingError("recording is truncated inside a chunk")
    if length > limits.DOCUMENT.value(hosted):
        raise TooMuchError(f"recording is too large: {limits.DOCUMENT.past(limits.DOCUMENT.value(hosted))}")
    return _decode_front(content[8 : 8 + length]), content[8 + length + -length % ALIGNED :]


class Chunks:
    """Takes chunks apart as they come, and keeps count of what all of them unfold to."""

    def __init__(self, hosted: bool = False, trusted: bool = False) -> None:
        self.left = limits.UNFOLDED.value(hosted)
        self.hosted, self.trusted = hosted, trusted
        self.head: Head | None = None
        self.complete = False
        """Whether the end has come."""
        self.last = -1
        """Where the last chunk began, in what was taken last."""
        self._number = self._events = 0
        self._texts: list[str] = []
        self._array_texts: list[str] = []
        self._ops: dict[str, OpInfo] = {}
        self._named: dict[str, list[Numbers]] = {"kind": [], "site": [], "scope": []}
        self._tables: dict[str, list[Table]] = {tag: [_none(each)] for tag, each in (*_TABLES.items(), *_SIDES.items())}
        self._rows_of = dict.fromkeys(self._tables, 0)
        self._blobs: list[memoryview | bytes] = []
        """The bytes of arrays; the first ones may be those that have been put together."""
        self._room: Numbers | None = None
        """Where they are put together, with room behind them; there is none until they have been asked for once."""

    def take(self, data: memoryview, at: int = 0) -> int:
        """Take what is whole from a place on, up to the end; returns where the next chunk begins.

        Raises:
            RecordingError: for what is no chunk that can come here.
        """
        while at + CHUNK.size <= len(data) and not self.complete:
            kind, checksum, length = CHUNK.unpack_from(data, at)
            content = data[at + CHUNK.size : at + CHUNK.size + length]
            if len(content) < length:
                break  # the file ends here
            if not self.trusted and zlib.crc32(content) != checksum:
                raise RecordingError("recording is damaged: a checksum does not fit")
            self._number += 1
            if self._number > MAX_CHUNKS:
                raise TooMuchError("recording is too large: it has too many chunks")
            try:
                self._take(kind, content)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                raise RecordingError(f"recording cannot be decoded: {str(error)[:200]}") from None
            self.last = at
            at += CHUNK.size + length + -length % ALIGNED
        return at

    def _take(self, kind: bytes, content: memoryview) -> None:
        if kind == HEAD:
            if len(content) > limits.DOCUMENT.value(self.hosted):
                raise TooMuchError(f"recording is too large: {limits.DOCUMENT.past(limits.DOCUMENT.value(self.hosted))}")
            self.head = _decode_head(content)
        elif kind == DATA and self.head is not None:
            self._data(*_front(content, self.hosted))
        elif kind == ENDS and self.head is not None:
            self.complete = True
        else:
            raise RecordingError("recording has a chunk of no kind that there is")

    def _data(self, front: Front, content: memoryview) -> None:
        tables, texts, array_texts = self._tables, self._texts, self._array_texts
        if front.first != self._events:
            raise RecordingError("recording has a chunk that does not follow the one before it")
        texts += front.texts
        array_texts += front.array_texts
        self._ops.update((op.name, op) for op in front.ops)
        if max(len(texts), len(array_texts), len(self._ops)) > limits.ENTRIES.value():
            raise TooMuchError(f"recording is too large: {limits.ENTRIES.past()}")
        columns, blob = self._columns(front, content)
        self._blobs.append(blob)
        self._events += self._events_of(columns, len(texts))
        for tag, each in _SIDES.items():
            size = self._rows(columns, tag)
            tables[tag].append(self._table(each, tag, size, columns, len(array_texts if tag == "arrays" else texts)))
        for tag, several in tables.items():
            self._rows_of[tag] += several[-1].size
            if self._rows_of[tag] > limits.ENTRIES.value():
                raise TooMuchError(f"recording is too large: {limits.ENTRIES.past()}, not as many {tag}")

    def parts(self) -> Parts:
        """What has come so far. Should more come, that is put behind it."""
        if self.head is None:
            raise RecordingError("recording is truncated")
        for tag, several in self._tables.items():
            self._tables[tag] = [together([t for t in several if t.size] or several[:1])]
        for name, some in self._named.items():
            self._named[name] = [np.concatenate(some) if len(some) > 1 else some[0] if some else np.zeros(0, np.int8)]
        if len(self._blobs) > 1:
            self._blobs = [self._put_together()]
        whole = {tag: several[0] for tag, several in self._tables.items()}
        kind, site, scope = (some[0] for some in self._named.values())
        tape = Tape(
            kind, site, scope, {each: whole[tag] for each, tag in zip(KINDS, _TABLES, strict=True)}, whole["sites"],
            whole["scopes"], self._texts[:] or [""],
        )  # fmt: skip
        return Parts(
            self.head, tape, Arrays(whole["arrays"], self._array_texts[:], self._blobs[:]), dict(self._ops), self.complete
        )

    def _put_together(self) -> memoryview | bytes:
        """The bytes of all arrays. Those that were handed out before stay where they are, and what is new comes behind them, as
        long as there is room: to copy all of them takes longer than to read what is new."""
        if self._room is None:
            self._room = np.zeros(0, np.uint8)
            return b"".join(self._blobs)
        room, begun, size = self._room, len(self._blobs[0]), sum(map(len, self._blobs))
        first = 1
        if size > len(room):
            self._room = room = np.empty(size + size // 2, np.uint8)
            begun = first = 0
        for blob in self._blobs[first:]:
            room[begun : begun + len(blob)] = np.frombuffer(blob, np.uint8)
            begun += len(blob)
        return room.data[:size].toreadonly()

    def _columns(self, front: Front, content: memoryview) -> tuple[dict[str, _Column], memoryview | bytes]:
        columns: dict[str, _Column] = {}
        at = 0
        for packed in front.columns:
            if packed.stored < 0 or packed.stored > len(content) - at or packed.path in columns:
                raise RecordingError("recording is truncated: a column's bytes are missing")
            columns[packed.path] = _Column(packed, content[at : at + packed.stored])
            at += packed.stored + -packed.stored % ALIGNED
        if front.raw < 0 or front.stored < 0 or at + front.stored != len(content):
            raise RecordingError("recording has other bytes than those of its arrays")
        blob: memoryview | bytes = content[at:]
        if front.deflated:
            self.spend(front.raw)
            blob = inflated(content[at:], front.raw)
        if len(blob) != front.raw:
            raise RecordingError("recording is truncated: an array's bytes are missing")
        return columns, blob

    def _events_of(self, columns: dict[str, _Column], texts: int) -> int:
        """Take the events of one chunk; returns how many they are."""
        size = self._rows(columns, "kind")
        for name, several in self._named.items():
            several.append(self._column(columns, name, size))
        kind = self._named["kind"][-1]
        if size and (int(kind.min()) < 0 or int(kind.max()) >= len(KINDS)):
            raise RecordingError("event of a kind that this program does not know")
        counts = np.bincount(kind, minlength=len(KINDS)).tolist() if size else [0] * len(KINDS)
        for (tag, each), count in zip(_TABLES.items(), counts, strict=True):
            self._tables[tag].append(self._table(each, tag, count, columns, texts))
        return size

    def _rows(self, columns: dict[str, _Column], path: str) -> int:
        """How many rows of a table a chunk brings."""
        size = columns[path].rows if path in columns else 0
        if not 0 <= size <= limits.ENTRIES.value():
            raise TooMuchError(f"recording is too large: {limits.ENTRIES.past()}")
        return size

    def _column(self, columns: dict[str, _Column], path: str, size: int, default: int | None = None) -> Numbers:
        column = columns.get(path)
        if column is None:
            if size and default is None:
                raise RecordingError(f"recording lacks the column {path}")
            return np.broadcast_to(np.int8(default or 0), (size,))
        if column.rows != size:
            raise RecordingError(f"column {path} has another number of rows than its table")
        self.spend(column.stored if column.packed.how == "c" else 8 * size)
        return unpack(column.packed, column.data)

    def _table(
        self, layout: Layout, path: str, size: int, columns: dict[str, _Column], texts: int, gaps: bool = False
    ) -> Table:
        if not size:
            return _none(layout, gaps)
        found: dict[str, Numbers] = {}
        children: dict[str, Table] = {}
        for field in layout.fields:
            name = f"{path}.{field.name}"
            column = self._column(columns, name, size, field.default)
            if (column.dtype.kind == "f") != (field.kind == FLOAT):
                raise RecordingError(f"column {name} holds other numbers than it should")
            found[field.name] = column
            if field.kind == FLOAT:
                continue
            least, most = int(column.min()), int(column.max())
            if field.child is not None:
                if least < 0 or (field.one and most > 1) or (field.one and field.default is None and least < 1):
                    raise RecordingError(f"column {name} counts what there cannot be")
                self.spend(most)  # so that the sum is one of 64 bits
                total = int(column.sum(dtype=np.int64)) if most * size < 2**62 else self.left + 1
                self.spend(total)
                children[field.name] = self._table(field.child, name, total, columns, texts, field.gaps)
            elif field.kind in (TEXT, MAYBE_TEXT):
                if most >= texts or least < (NO_TEXT if field.kind == MAYBE_TEXT else 0):
                    raise RecordingError(f"column {name} refers to a text that does not exist")
            elif field.kind == BOOL and not 0 <= least <= most <= 1:
                raise RecordingError(f"column {name} is neither true nor false")
        if gaps:
            found["there"] = self._column(columns, f"{path}.there", size, 1)
            if not 0 <= int(found["there"].min()) <= int(found["there"].max()) <= 1:
                raise RecordingError(f"column {path}.there is neither true nor false")
        return Table(layout, size, found, children)

    def spend(self, size: int) -> None:
        """Count in what is about to be unfolded."""
        self.left -= size
        if self.left < 0:
            raise TooMuchError(f"recording is too large: {limits.UNFOLDED.past(limits.UNFOLDED.value(self.hosted))}")


class _Column:
    """A column that has not been unfolded."""

    __slots__ = ("data", "packed")

    def __init__(self, packed: Packed, data: memoryview) -> None:
        self.packed, self.data = packed, data

    @property
    def rows(self) -> int:
        return self.packed.rows

    @property
    def stored(self) -> int:
        return self.packed.stored


_SIDES: dict[str, Layout] = {"sites": layout(Site), "scopes": layout(Scope), "arrays": layout(Row)}


def _none(layout: Layout, gaps: bool = False) -> Table:
    """A table without rows."""
    columns: dict[str, Any] = {
        field.name: np.zeros(0, np.float64 if field.kind == FLOAT else np.int8) for field in layout.fields
    }
    if gaps:
        columns["there"] = np.zeros(0, np.uint8)
    children = {field.name: _none(field.child, field.gaps) for field in layout.fields if field.child is not None}
    return Table(layout, 0, columns, children)
