"""The file of a recording that is under way: what has come is appended to it chunk by chunk, and kept nowhere else.

Should the process die, the file opens up to its last whole chunk. Texts of the program that become known later are told in a
further head, which takes the place of the one before it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from .. import limits
from . import format2
from .assembly import Assembly
from .batch import Batch, is_empty
from .format2 import Head
from .store import TooMuchError

SOON = 1.0
"""Seconds after which what has come is written, in the beginning."""
LATER = 1 / 500
"""Seconds by which that becomes more with each chunk, so that a day's recording has some ten thousand of them."""
COST = 50
"""How many times as long as writing takes it is waited for, at least."""
MOST = {
    "events": limits.ENTRIES.value(), "scopes": limits.ENTRIES.value(), "arrays": limits.ENTRIES.value(),
    "bytes": limits.FILE.value(),
}  # fmt: skip
"""What a file may hold."""
FULL = 0.75
"""The share of it from which on a file counts as full: what is under way has to fit as well."""


class GrowingFile:
    """A file that is written as its recording goes on. Nothing is there before the first chunk.

    Only the process that made it writes: those that are forked from it leave it alone.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.due = monotonic() + SOON
        """When what has come is to be written, by the clock of `monotonic`."""
        self.begun = False
        """Whether there is anything of it."""
        self._process = os.getpid()
        self._assembly = Assembly()
        self._file: int | None = None
        self._head: Head | None = None
        self.length = 0
        """Its bytes."""
        self._chunks = 0
        self._events = self._scopes = self._arrays = self._bytes = 0
        """How much has been written."""
        self._texts = self._array_texts = 0

    @property
    def foreign(self) -> bool:
        """Whether this is another process than the one that it belongs to."""
        return os.getpid() != self._process

    def add(self, batch: Batch, head: Head) -> None:
        """Append what has come.

        Raises:
            OSError: where it cannot be written. What had been written before stays as it was.
            TooMuchError: where the file has become so full that the recording has to end; it takes what ends it.
        """
        if self.foreign or (is_empty(batch) and self.begun):
            return
        began = monotonic()
        self._assembly.add(batch)
        pieces = [] if self.begun else [*format2.beginning()]
        if head != self._head:
            pieces += format2.heads(head)
        pieces += self._chunk()
        self._append(pieces)
        self._head = head
        now = monotonic()
        self.due = now + max(SOON + LATER * self._chunks, COST * (now - began))
        self._refuse_more()

    def end(self, head: Head) -> None:
        """Say that this was all."""
        if self.foreign:
            return
        pieces = [] if self.begun else [*format2.beginning(), *format2.heads(head)]
        self._append([*pieces, *format2.ending(self._events)])
        self.close()

    def close(self) -> None:
        """Write nothing more."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _chunk(self) -> list[bytes | memoryview]:
        """What is new, as a chunk; it is forgotten here."""
        assembly = self._assembly
        tape, arrays = assembly.tape(), assembly.stored()
        texts, array_texts = tape.texts, arrays.texts
        tape.texts, arrays.texts = texts[self._texts :], array_texts[self._array_texts :]
        start = arrays.table.columns["start"]
        arrays.table.columns["start"] = start + self._bytes * (start >= 0)
        made = [*format2.appended(tape, self._events, arrays, [*assembly.ops.values()])]
        self._texts, self._array_texts = len(texts), len(array_texts)
        self._events += tape.size
        self._scopes += tape.scopes.size
        self._arrays += len(arrays)
        self._bytes += sum(map(len, arrays.pieces))
        self._chunks += 1
        assembly.ops.clear()
        assembly.sites.clear()
        assembly.forget()
        return made

    def _append(self, pieces: Iterable[bytes | memoryview]) -> None:
        """Write all or nothing, as far as the file system allows that."""
        if self._file is None:
            if self.begun:
                return  # it has been closed
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
            self.begun = True
        data = memoryview(b"".join(pieces))
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError:
            with suppress(OSError):  # a device; what is cut off opens, too
                os.ftruncate(self._file, self.length)
            self.close()
            raise
        self.length += written

    def _refuse_more(self) -> None:
        for what, count in (
            ("events", self._events), ("scopes", self._scopes), ("arrays", self._arrays), ("bytes", self.length),
        ):  # fmt: skip
            if count > FULL * MOST[what]:
                raise TooMuchError(f"its file is full: it has {count:,} {what}")
