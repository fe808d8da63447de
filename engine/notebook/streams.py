"""What a cell prints and warns of goes where it always goes, and is noted.

Streams stay the objects that they are: for the time of the cell their `write` is one that notes, which is how IPython itself
keeps what is printed.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import get_ident
from typing import Any

ROOM = 200_000
"""Characters of a stream that are noted; all of it stands in the cell's output."""
Note = Callable[[str, str], None]
"""Gets a text and the name of the stream that it was written to."""


class _Lines:
    """Puts pieces of text together: whole lines are noted."""

    def __init__(self, name: str, note: Note) -> None:
        self.name, self.note = name, note
        self.pending = ""
        self.room = ROOM

    def add(self, text: Any) -> None:
        """Take a piece that was written."""
        if isinstance(text, str) and self.room > 0:
            self.pending += text[: self.room]
            self.room -= len(text)
        if "\n" in self.pending:
            lines, _, self.pending = self.pending.rpartition("\n")
            self.note(f"{lines}\n", self.name)

    def end(self) -> None:
        """Note what is left."""
        if self.pending:
            text, self.pending = self.pending, ""
            self.note(text, self.name)


@contextmanager
def listening(note: Note, warned: Callable[[str, str], None]) -> Iterator[None]:
    """Note what this thread writes, and the category and text of its warnings."""
    with ExitStack() as stack:
        for name in ("stdout", "stderr"):
            stack.enter_context(_written(getattr(sys, name), _Lines(name, note), get_ident()))
        shown = warnings.showwarning

        def show(message: Any, category: type[Warning], *rest: Any, **named: Any) -> None:
            warned(category.__name__, str(message))
            shown(message, category, *rest, **named)

        warnings.showwarning = show
        try:
            yield
        finally:
            if warnings.showwarning is show:
                warnings.showwarning = shown


@contextmanager
def _written(stream: Any, lines: _Lines, thread: int) -> Iterator[None]:
    before = stream.write
    had = "write" in getattr(stream, "__dict__", {})

    def write(text: Any, *rest: Any, **named: Any) -> Any:
        written = before(text, *rest, **named)
        if get_ident() == thread:
            lines.add(text)
        return written

    try:
        stream.write = write
    except AttributeError:  # a stream that cannot be listened to
        yield
        return
    try:
        yield
    finally:
        lines.end()
        if stream.__dict__.get("write") is write:
            if had:
                stream.write = before
            else:
                del stream.write
