"""A recording: the log of a run with its tables, as plain data that can be saved and opened anywhere.

A file is `MAGIC`, the version, a checksum, the length of the document, the document (msgpack) and the arrays' bytes.
A file from a stranger is bad input: sizes are checked before anything is decoded, the typed decoder rejects other
shapes, and `check` verifies every reference, so what `load` returns can be trusted by all later code.
"""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from numpy.typing import NDArray

from .. import limits
from ..slots import slots
from .events import AnyEvent, BackwardBegan, Scope, Site
from .store import RecordingError, StoredArray, Summary, TooMuchError
from .validate import check_references

MAGIC = b"GRADTAPE"
VERSION = 1
MAX_DOCUMENT = limits.DOCUMENT.value()
MAX_ENTRIES = limits.ENTRIES.value()
"""Rows of any one table."""
MAX_RULES = limits.RULES.value()
MAX_RULE = limits.RULE.value()
"""Texts of an operation's rules, and characters of one."""

_HEADER = struct.Struct("<8sHxxIQ")
SUFFIX = ".gradtape"


class RecordedRule(msgspec.Struct, frozen=True, array_like=True):
    """What a node sends along the edge of one input, as a template; an input may have several, of which the first whose
    conditions hold counts."""

    input: str
    template: str
    r"""LaTeX with what the node received (`{grad}`) and saves in braces: `{grad} \cdot {other}`."""
    elementwise: bool = False
    call: bool = False
    """Whether it only names a function."""
    when: tuple[tuple[str, str, str, bool], ...] = ()
    """Conditions: a saved value, a comparison (or "true", "none"), the text it is compared with, the outcome."""


class OpInfo(msgspec.Struct, frozen=True):
    """What a viewer needs to know of an operation."""

    name: str
    symbol: str = ""
    """How it is drawn: "×", "tanh"."""
    template: str = ""
    r"""LaTeX with its arguments in braces: "\tanh {self}"."""
    doc: str = ""
    rules: tuple[RecordedRule, ...] = ()
    outputs: tuple[str, ...] = ()
    """Names of the outputs, where rules use them."""
    traits: tuple[str, ...] | None = None
    """What it is known to be, by the names in `engine.op.traits`; None in recordings from before there were any. A name that
    this program does not know means nothing to it."""


@dataclass(eq=False)
class Recording:
    """Everything a run left behind. Treat it as frozen once it is replayed: `replay` keeps its index here."""

    source: tuple[str, ...] = ()
    """The program's text, one per cell (one for a .py file)."""
    events: list[AnyEvent] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    arrays: list[StoredArray] = field(default_factory=list)
    ops: dict[str, OpInfo] = field(default_factory=dict)
    engine: str = "numpy"
    derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False)
    """Caches computed from the log (the replay's index); never saved."""
    checks: dict[int, Any] = field(default_factory=dict, init=False, repr=False)
    """Outcomes of the numerical checks that were asked for, by the number of their pass; never saved."""

    def __repr__(self) -> str:
        passes = sum(isinstance(event, BackwardBegan) for event in self.events)
        return f"<Recording: {len(self.events)} events, {passes} backward passes>"

    def _repr_html_(self) -> str:
        """The graph at its last step, where a notebook shows it."""
        return slots.picture(self)

    def forget(self) -> None:
        """Drop what was computed from the log; it is computed anew when it is wanted."""
        self.derived = {}

    def array(self, id: int) -> NDArray[Any] | None:
        """The array with this id, read-only; None for NOTHING and where only a summary was kept."""
        return self.arrays[id].to_numpy() if id >= 0 else None

    def site(self, event: AnyEvent) -> Site | None:
        """Where in the text an event happened, if known."""
        return self.sites[event.site] if event.site >= 0 else None

    def line(self, event: AnyEvent) -> int:
        """The line an event happened on, or 0."""
        return self.sites[event.site].line if event.site >= 0 else 0

    def site_text(self, site: Site | None) -> str:
        """A site as text: "line 7", in notebooks "cell 2, line 7"; "" where it is not known."""
        if site is None or not site.line:
            return ""
        return f"line {site.line}" if len(self.source) < 2 else f"cell {site.cell + 1}, line {site.line}"

    def check(self) -> None:
        """Raise RecordingError unless every array is whole and every reference leads somewhere."""
        for array in self.arrays:
            array.check()
        check_references(self, len(self.arrays))
        self.check_ops()

    def check_ops(self) -> None:
        """Raise RecordingError for an operation of which more is said, or at greater length, than of any."""
        for op in self.ops.values():
            check_rules(op)

    def to_bytes(self) -> bytes:
        """The recording as the bytes of a file."""
        return b"".join(self.pieces())

    def pieces(self) -> list[bytes]:
        """The bytes of a file in pieces; those of the arrays are the recording's own, not copies."""
        raw = [array.data for array in self.arrays if array.data]
        document = _encoder.encode(
            _Written(
                source=self.source,
                events=self.events,
                sites=self.sites,
                scopes=self.scopes,
                arrays=[_entry(array) for array in self.arrays],
                ops=list(self.ops.values()),
                engine=self.engine,
            )
        )
        checksum = zlib.crc32(document)
        for data in raw:
            checksum = zlib.crc32(data, checksum)
        return [_HEADER.pack(MAGIC, VERSION, checksum, len(document)), document, *raw]

    def save(self, target: str | Path | BinaryIO) -> None:
        """Write the recording to a path or an open binary file."""
        if isinstance(target, str | Path):
            Path(target).write_bytes(self.to_bytes())
        else:
            target.write(self.to_bytes())

    @staticmethod
    def load(source: str | Path | BinaryIO | bytes | memoryview, *, hosted: bool = False) -> Recording:
        """Open a recording from a path, an open binary file or bytes; RecordingError for anything but a sound one.

        Args:
            hosted: a stranger's, on a public installation, where less may come.
        """
        return _decode(_read(source, limits.FILE.value(hosted)), limits.DOCUMENT.value(hosted))


def check_rules(op: OpInfo) -> None:
    """Raise RecordingError for an operation with more rules or traits, or longer ones, than any has."""
    traits = op.traits or ()
    conditions = [len(rule.when) for rule in op.rules]
    texts = [t for rule in op.rules for t in (rule.input, rule.template, *(part for c in rule.when for part in c[:3]))]
    if max(len(op.rules), len(op.outputs), len(traits), *conditions, 0) > MAX_RULES:
        raise TooMuchError(limits.RULES.past())
    if any(len(t) > MAX_RULE for t in (*texts, *traits)):
        raise TooMuchError(limits.RULE.past())


class _Entry(msgspec.Struct, frozen=True, array_like=True):
    """An array without its bytes; `size` is how many follow the document, -1 where only a summary was kept."""

    dtype: str
    shape: tuple[int, ...]
    size: int
    summary: Summary | None = None


class _Written(msgspec.Struct):
    source: tuple[str, ...]
    events: list[AnyEvent]
    sites: list[Site]
    scopes: list[Scope]
    arrays: list[_Entry]
    ops: list[OpInfo]
    engine: str


class _Read(msgspec.Struct, forbid_unknown_fields=True):
    """The document with its tables still encoded, so that their lengths can be looked at first."""

    source: msgspec.Raw
    events: msgspec.Raw
    sites: msgspec.Raw
    scopes: msgspec.Raw
    arrays: msgspec.Raw
    ops: msgspec.Raw
    engine: str


_encoder = msgspec.msgpack.Encoder()
_decoders: dict[str, msgspec.msgpack.Decoder[Any]] = {
    "source": msgspec.msgpack.Decoder(tuple[str, ...]),
    "events": msgspec.msgpack.Decoder(list[AnyEvent]),
    "sites": msgspec.msgpack.Decoder(list[Site]),
    "scopes": msgspec.msgpack.Decoder(list[Scope]),
    "arrays": msgspec.msgpack.Decoder(list[_Entry]),
    "ops": msgspec.msgpack.Decoder(list[OpInfo]),
}
_read_document = msgspec.msgpack.Decoder(_Read)


def _entry(array: StoredArray) -> _Entry:
    return _Entry(array.dtype, array.shape, -1 if array.data is None else len(array.data), array.summary)


def _read(source: str | Path | BinaryIO | bytes | memoryview, most: int) -> memoryview:
    if isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
    elif isinstance(source, str | Path):
        with open(source, "rb") as file:
            data = file.read(most + 1)
    else:
        data = source.read(most + 1)
    if len(data) > most:
        raise TooMuchError(f"recording is too large: {limits.FILE.past(most)}")
    return memoryview(data)


def _decode(data: memoryview, most: int) -> Recording:
    if len(data) < _HEADER.size:
        raise RecordingError("not a recording: too short")
    magic, version, checksum, length = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise RecordingError("not a recording")
    if version != VERSION:
        raise RecordingError(f"recording of version {version}; this program reads version {VERSION}")
    body = data[_HEADER.size :]
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
    entries = tables.pop("arrays")
    ops = tables.pop("ops")
    recording = Recording(
        **tables,
        arrays=_arrays(entries, body[length:]),
        ops={op.name: op for op in ops},
        engine=document.engine,
    )
    recording.check()
    return recording


def _table(name: str, raw: msgspec.Raw) -> Any:
    encoded = memoryview(raw)
    if _length(encoded) > MAX_ENTRIES:
        raise TooMuchError(f"recording is too large: {limits.ENTRIES.past()}, not {_length(encoded):,} {name}")
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
