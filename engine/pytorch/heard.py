"""What the program says while it is recorded: what it prints, and the warnings that it is given, which stand where they would
without the recorder."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock, get_ident
from types import FrameType
from typing import Any, TextIO

from ..recording.bounded_text import name_of
from ..recording.events import Printed, Warned
from ..recording.writer import NOWHERE
from .recorder import TorchRecorder
from .telling import OURS

_OVERRIDES = str(Path("torch", "overrides.py"))
"""The end of the path of PyTorch's module that hands a call to who listens to it."""
LONGEST = 10_000
"""Characters of a line that has not ended, of which a progress bar that writes over itself makes ever more."""

Current = Callable[[], TorchRecorder]


@contextmanager
def hearing(current: Current, streams: Sequence[str] = ("stdout", "stderr"), *, warned: bool = True) -> Iterator[None]:
    """Note warnings, and what is written to the `streams`, in a recording; `current` gives the recorder that writes it now.

    Everything goes where it would go, and what listened before listens again afterwards, unless somebody else does by then.
    Where somebody else notes warnings (`warned`), they only stand where they should.
    """
    copies = [_Copied(getattr(sys, name), name, current) for name in streams]
    shown = warnings.showwarning
    over = False

    def show(message: Any, category: type[Warning], filename: str, lineno: int, *rest: Any, **named: Any) -> None:
        recorder = current()
        if warned and not over and (not recorder.busy or get_ident() != recorder.thread):  # else it is the recorder's own
            _note(recorder, Warned(name_of(category.__name__), str(message)))
        shown(message, category, *_place(filename, lineno), *rest, **named)

    for copy in copies:
        setattr(sys, copy.name, copy)
    warnings.showwarning = show
    try:
        yield
    finally:
        over = True
        for copy in copies:
            copy.end()
            if getattr(sys, copy.name) is copy:
                setattr(sys, copy.name, copy.stream)
        if warnings.showwarning is show:
            warnings.showwarning = shown


class _Copied(io.TextIOBase):
    """A stream of the program's, of which the recording has what was written, too."""

    def __init__(self, stream: TextIO, name: str, current: Current) -> None:
        self.stream, self.name = stream, name
        self.pending = ""
        self._current: Current | None = current
        self._lock = Lock()

    def __getattr__(self, name: str) -> Any:
        # Only for what a text stream need not have, such as `buffer`.
        return getattr(self.stream, name)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the stream itself."""
        return self.stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """How the stream itself deals with what it cannot encode."""
        return self.stream.errors

    def writable(self) -> bool:
        """Always."""
        return True

    def isatty(self) -> bool:
        """As the stream itself."""
        return self.stream.isatty()

    def fileno(self) -> int:
        """That of the stream itself."""
        return self.stream.fileno()

    def write(self, text: str) -> int:
        """Pass text on; whole lines are noted."""
        written = self.stream.write(text)
        if self._current is None:
            return written
        lines = ""
        with self._lock:
            self.pending = (self.pending + text)[-LONGEST:] if "\n" not in text else self.pending + text
            if "\n" in self.pending and not self._current().busy:
                lines, _, self.pending = self.pending.rpartition("\n")
                lines += "\n"
        if lines:
            self._note(lines)
        return written

    def flush(self) -> None:
        """Flush the stream itself."""
        self.stream.flush()

    def end(self) -> None:
        """Note what is left, and nothing more from now on."""
        text, self.pending = self.pending, ""
        if text:
            self._note(text)
        self._current = None

    def _note(self, text: str) -> None:
        if self._current is not None:
            _note(self._current(), Printed(text.encode("utf-8", "replace").decode("utf-8"), self.name))


def _note(recorder: TorchRecorder, event: Printed | Warned) -> None:
    """Write an event down where the program is; of another thread, where the recorded one comes to next, without a place."""
    if recorder.failure:
        return
    if get_ident() != recorder.thread:
        recorder.later.append(partial(recorder.writer.once, NOWHERE, event))
        return
    with recorder.noting():
        recorder.settle()
        recorder.writer.once(recorder.where(), event)


def _place(filename: str, lineno: int) -> tuple[str, int]:
    """Where a warning would stand if nobody listened: one of ours stands where PyTorch was called.

    A function of PyTorch's that is written in Python is called twice: by the program, and by who listens to it.
    """
    if not filename.startswith(OURS):
        return filename, lineno
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not (frame.f_code.co_filename == filename and frame.f_lineno == lineno):
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename.startswith(OURS):
        frame = frame.f_back
    if frame is not None and frame.f_code.co_filename.endswith(_OVERRIDES):
        frame = frame.f_back and frame.f_back.f_back
    return (filename, lineno) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
