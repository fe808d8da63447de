"""A recording: the log of a run with its tables, as plain data that can be saved and opened anywhere.

Files are of format 2 (`format2`, columns in chunks); those of format 1 open for ever, and become columns on the way. A file
from a stranger is bad input: sizes are checked before anything is unfolded, and `check` verifies every reference, so what
`load` returns can be trusted by all later code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from numpy.typing import NDArray

from .. import limits
from ..slots import slots
from . import format1, format2
from .arrays import Arrays, arrays_from
from .check import check_tape, sound_beginning
from .events import AnyEvent, BackwardBegan, Scope, Site
from .levels import levels_of
from .log import Events, scopes_of, sites_of
from .op_info import OpInfo as OpInfo
from .op_info import RecordedRule as RecordedRule
from .op_info import check_rules as check_rules
from .shown_texts import with_shown_texts, with_shown_words
from .store import RecordingError, StoredArray, TooMuchError
from .story import NONE, Story, cell_title
from .tables import Tape, tape_from

T = TypeVar("T")
MAGIC = format2.MAGIC
VERSION = format2.VERSION
SUFFIX = ".gradtape"
MOST_PATH = 4_096
"""Characters of a file's name, as long as systems have them."""


@dataclass(eq=False)
class Recording:
    """Everything a run left behind. Treat it as frozen once it is replayed: `replay` keeps its index here."""

    source: tuple[str, ...] = ()
    """The program's text, one per cell or file (one for a .py file)."""
    events: Sequence[AnyEvent] = field(default_factory=list)
    """One that was opened has its events in columns, and makes structs of those that are looked at."""
    sites: Sequence[Site] = field(default_factory=list)
    scopes: Sequence[Scope] = field(default_factory=list)
    arrays: Sequence[StoredArray] = field(default_factory=list)
    ops: dict[str, OpInfo] = field(default_factory=dict)
    engine: str = "numpy"
    seed: int | None = None
    """What the random numbers of the run began with where the program says nothing; with it, it runs again as it ran."""
    names: tuple[str, ...] = ()
    """The names of the files whose texts `source` has, where the program has several."""
    story: Story = NONE
    """What stands between a notebook's cells, and how a lesson looks at them."""
    rank: int = 0
    """Which of several processes that train together this one was."""
    world_size: int = 1
    complete: bool = True
    """Whether the file it was read from had an end; one that is still written, or was cut off, has none."""
    derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False)
    """Caches computed from the log (the replay's index); never saved."""
    files: tuple[tuple[str, bytes], ...] = field(default=(), init=False, repr=False)
    """What was opened together with the program, which runs with it again; never saved."""
    arguments: tuple[str, ...] = field(default=(), init=False, repr=False)
    """What the program was given in `sys.argv`; never saved."""
    checks: dict[int, Any] = field(default_factory=dict, init=False, repr=False)
    """Outcomes of the numerical checks that were asked for, by the number of their pass; never saved."""

    def __repr__(self) -> str:
        passes = self.tape.tables[BackwardBegan].size
        return f"<Recording: {len(self.events)} events, {passes} backward passes>"

    def _repr_html_(self) -> str:
        """The graph at its last step, where a notebook shows it."""
        return slots.picture(self)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What follows from the log and is wanted again and again: made on the first call, and kept here."""
        if name not in self.derived:
            self.derived[name] = make()
        made: T = self.derived[name]
        return made

    def forget(self, *, for_good: bool = False) -> None:
        """Drop what was computed from the log; it is computed anew when it is wanted.

        Args:
            for_good: nobody uses any of it any more. Then it is freed at once, and not when the garbage collector comes by.
        """
        derived, self.derived = self.derived, {}
        if for_good:
            for made in derived.values():
                let_go: Callable[[], None] = getattr(made, "let_go", _nothing)
                let_go()

    def array(self, id: int) -> NDArray[Any] | None:
        """The array with this id, read-only; None for NOTHING and where only a summary was kept."""
        return self.arrays[id].to_numpy() if id >= 0 else None

    def level(self, step: int) -> str:
        """How much of what happened at a step the recording holds: "whole", "thin" or "silent", as `Thinned` says."""
        return levels_of(self).at(step)

    def whole(self, step: int) -> bool:
        """Whether the recording holds everything that happened at a step."""
        return self.level(step) == "whole"

    @property
    def unit(self) -> tuple[int, ...]:
        """The loop by whose iterations the recording grew thinner: line, cell and calls around it; () where it did not."""
        return levels_of(self).unit

    def site(self, event: AnyEvent) -> Site | None:
        """Where in the text an event happened, if known."""
        return self.sites[event.site] if event.site >= 0 else None

    def line(self, event: AnyEvent) -> int:
        """The line an event happened on, or 0."""
        return self.sites[event.site].line if event.site >= 0 else 0

    def line_text(self, event: AnyEvent) -> str:
        """An event's line as it stands on a card: "line 7", in notebooks "In [2] line 7"; "" where it is not known."""
        return self.card_line(*self._place(event))

    def _place(self, event: AnyEvent) -> tuple[int, int]:
        site = self.site(event)
        return (0, 0) if site is None else (site.cell, site.line)

    def card_line(self, cell: int, line: int) -> str:
        """The same of a cell and a line."""
        if not line:
            return ""
        return f"{cell_title(cell)} line {line}" if self.is_notebook else f"line {line}"

    def column_line(self, event: AnyEvent) -> str:
        """The same in a table's column of lines, which says what they are: "7", in notebooks "In [2] line 7"."""
        return self.line_text(event).removeprefix("line ")

    @property
    def is_notebook(self) -> bool:
        """Whether `source` are a notebook's cells, and not one text or the files of a project."""
        return len(self.source) > 1 and not self.names

    def site_text(self, site: Site | None) -> str:
        """A site as text: "line 7", in notebooks "In [2], line 7", in a module "model.py, line 7"; "" where it is not known."""
        if site is None or not site.line:
            return ""
        if len(self.source) < 2 or (self.names and site.cell == 0 and len(self.names) > 1 and self.names[1]):
            return f"line {site.line}"
        name = self.names[site.cell] if site.cell < len(self.names) and site.cell else ""
        return f"{name or cell_title(site.cell)}, line {site.line}"

    @property
    def own(self) -> tuple[int, ...]:
        """Which of `source` are the program's own texts: the others are those of modules that lie beside it."""
        return tuple(k for k in range(len(self.source)) if not k or k >= len(self.names) or not self.names[k])

    @property
    def tape(self) -> Tape:
        """The log in columns. Of a recording that is under construction they are made anew when it has grown."""
        if isinstance(self.events, Events):
            return self.events.tape
        sizes = len(self.events), len(self.sites), len(self.scopes)
        kept = self.derived.get("tape")
        if kept is None or kept[0] != sizes:
            kept = self.derived["tape"] = sizes, tape_from(self.events, self.sites, self.scopes)
        found: Tape = kept[1]
        return found

    @property
    def stored(self) -> Arrays:
        """The arrays in columns."""
        if isinstance(self.arrays, Arrays):
            return self.arrays
        kept = self.derived.get("stored")
        if kept is None or len(kept) != len(self.arrays):
            kept = self.derived["stored"] = arrays_from(self.arrays)
        found: Arrays = kept
        return found

    def check(self) -> None:
        """Raise RecordingError unless every array is whole and every reference leads somewhere."""
        self.forget()
        for array in () if isinstance(self.arrays, Arrays) else self.arrays:
            array.check()
        self.stored.check()
        check_tape(self.tape, max(len(self.source), 1), len(self.arrays))
        self.check_ops()
        if self.world_size < 1 or not 0 <= self.rank < self.world_size:
            raise RecordingError("recording of a process that is none of its world")
        if len(self.names) not in (0, len(self.source)):
            raise RecordingError("recording with other names than those of its files")
        if any(len(name) > MOST_PATH for name in (self.engine, *self.names)):
            raise RecordingError("recording with names of files that no file has")
        try:
            self.story.check(max(len(self.source), 1))
        except ValueError as error:
            raise RecordingError(str(error)) from None

    def check_ops(self) -> None:
        """Raise RecordingError for an operation of which more is said, or at greater length, than of any."""
        for op in self.ops.values():
            check_rules(op)

    def to_bytes(self) -> bytes:
        """The recording as the bytes of a file."""
        return b"".join(self.pieces())

    def pieces(self, *, mapped: bool = False) -> list[bytes | memoryview]:
        """The bytes of a file in pieces; with `mapped`, of one that `open_own` can map, and with the arrays' own bytes, not
        copies."""
        head = format2.Head(self.source, self.names, self.engine, self.rank, self.world_size, self.seed, self.story)
        if not isinstance(self.events, Events):
            self.derived.pop("tape", None)  # what was made of it may have changed, and not only grown
            self.derived.pop("stored", None)
        return list(format2.pieces(head, self.tape, self.stored, list(self.ops.values()), mapped=mapped,
                                   complete=self.complete))  # fmt: skip

    def save(self, target: str | Path | BinaryIO, *, mapped: bool = False) -> None:
        """Write the recording to a path or an open binary file; with `mapped`, as one that `open_own` can map."""
        if isinstance(target, str | Path):
            with open(target, "wb") as file:
                file.writelines(self.pieces(mapped=mapped))
        else:
            target.write(b"".join(self.pieces(mapped=mapped)))

    @staticmethod
    def load(source: str | Path | BinaryIO | bytes | memoryview, *, hosted: bool = False) -> Recording:
        """Open a recording from a path, an open binary file or bytes; RecordingError for anything but a sound one.

        One that was cut off, or is still written, opens up to where it ends.

        Args:
            hosted: a stranger's, on a public installation, where less may come.
        """
        return _decode(_read(source, limits.FILE.value(hosted)), hosted)

    @staticmethod
    def open_own(path: str | Path) -> Recording:
        """Map a file that this program has written with `mapped`. Nothing is checked, and it must not change while it is open:
        a mapped file that shrinks kills whoever reads it."""
        return _made(format2.opened(Path(path)))


def _nothing() -> None:
    """Most of what is computed holds nothing that holds it."""


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


def _decode(data: memoryview, hosted: bool) -> Recording:
    if len(data) < format2.FRONT.size:
        raise RecordingError("not a recording: too short")
    magic, version = format2.FRONT.unpack_from(data)
    if magic != MAGIC:
        raise RecordingError("not a recording")
    if version == format1.VERSION:
        old = format1.read(data, hosted)
        for array in old.arrays:
            array.check()
        recording = _made(
            format2.Parts(
                format2.Head(old.source, engine=old.engine),
                tape_from(old.events, old.sites, old.scopes),
                arrays_from(old.arrays),
                old.ops,
                complete=True,
            )
        )
    elif version == VERSION:
        recording = _made(format2.read(data, hosted))
    else:
        raise RecordingError(f"recording of version {version}; this program reads versions {format1.VERSION} and {VERSION}")
    recording.check()
    return recording


class Growth:
    """Reads a recording's file while it is written: of what is there, each time, only what was appended since.

    Args:
        hosted: as `Recording.load` has it.
    """

    def __init__(self, path: Path, hosted: bool = False) -> None:
        self.path, self.hosted = path, hosted
        self._begin()

    def _begin(self) -> None:
        self._chunks = format2.Chunks(self.hosted)
        self._at = 0
        """Where the next chunk begins."""
        self._last = 0, b""
        """Where the last one begins, and what it begins with: a file that was begun anew has something else there."""

    def read(self) -> Recording | None:
        """All that has come so far; None where nothing new has, or not as much as can be read.

        Raises:
            OSError: where the file cannot be read.
            RecordingError: for anything but the beginning of a sound recording.
        """
        most = limits.FILE.value(self.hosted)
        with open(self.path, "rb") as file:
            file.seek(self._last[0])
            if file.read(len(self._last[1])) != self._last[1]:
                self._begin()
            file.seek(self._at)
            data = memoryview(file.read(most - self._at + 1))
        if self._at + len(data) > most:
            raise TooMuchError(f"recording is too large: {limits.FILE.past(most)}")
        at = 0
        if not self._at:
            if len(data) < format2.FRONT.size:
                return None
            if format2.FRONT.unpack_from(data) != (MAGIC, VERSION):
                raise RecordingError("not a recording that can be followed")
            at = format2.FRONT.size
        end = self._chunks.take(data, at)
        if end == at or self._chunks.head is None:
            return None
        last = self._chunks.last
        self._last = self._at + last, bytes(data[last : last + format2.CHUNK.size])
        self._at += end
        recording = _made(self._chunks.parts())
        recording.check()
        return recording


def _made(parts: format2.Parts) -> Recording:
    tape = with_shown_texts(parts.tape if parts.complete else sound_beginning(parts.tape))
    return Recording(
        source=parts.head.source,
        events=Events(tape),
        sites=sites_of(tape),
        scopes=scopes_of(tape),
        arrays=parts.arrays,
        ops=with_shown_words(parts.ops),
        engine=parts.head.engine,
        names=parts.head.names,
        story=parts.head.story,
        rank=parts.head.rank,
        world_size=parts.head.world_size,
        seed=parts.head.seed,
        complete=parts.complete,
    )
