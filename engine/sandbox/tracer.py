"""What the instrumented program calls, and its output streams: it keeps the log and sends it on, in time and not too often."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from .. import limits
from ..context import context
from ..recording.recorder import Recorder
from ..recording.store import RecordingError, TooMuchError
from .transport.messages import HEADER, Job, most_events
from .transport.sender import Sender

EAGER = 400
"""Events until which everything is sent at the end of each statement; later in batches."""
LATER = 0.05
"""Seconds between batches after that, at least; of a run of hours more, so that the frames suffice."""
MANY = 5_000
"""Events after which they are sent in the middle of a statement."""
CHUNK = 50_000
"""Characters of one event of printed text, at most."""
SPARE = 8 * 2**20
"""Bytes that are given back when there is no memory left, so that the end can be told. They are asked for and never written:
addresses are what is limited, and the pages would cost half of a short run."""


class Tape:
    """What the instrumented program calls, and what sends the log on."""

    def __init__(self, job: Job, out: int) -> None:
        self.job = job
        self.out = out
        files = {file_name(job, cell): cell for cell in range(len(job.cells))}
        self.recorder = _Told(files, self)
        self.recorder.store.left = job.limits.array_bytes
        self.sender = Sender(job.cells, job.limits, self.frame)
        self.most = most_events(job.limits)
        self.spare: bytes | None = bytes(SPARE)
        self.pause = max(LATER, 2 * job.limits.seconds / limits.FRAMES.value())
        self.sent = 0
        """How many events have been handed to the sender."""
        self.last = time.monotonic()
        self.loops: list[tuple[Any, int, int]] = []
        self.shown: Any = None
        self.printed = 0
        self.streams: tuple[Stream, ...] = ()
        self.stop: Callable[[str, str], None] = lambda status, message: None
        """Ends the run at once, with a status and a message; the program cannot catch it."""
        self.over = False
        """Whether the recording has come to its end, before the program has."""
        self.writing = 0
        """Whether messages are under way that belong together."""
        self.late: Callable[[], None] | None = None
        """What is to happen when they are whole: the time is up."""

    # --- called by the program --------------------------------------------------------------------------------------------

    def bind(self, name: str, value: Any, function: str) -> None:
        """A name was bound. Within a backward rule of the program, which runs unseen, it is not noted."""
        if context.observer is not None:
            self.recorder.bind(name, value, function)
        self.mark()

    def mark(self) -> None:
        """A statement ended."""
        for stream in self.streams:
            if stream.pending:
                stream.flush()
        count = self.recorder.count
        if count == self.sent or self.over:
            return
        if count < EAGER or count > self.most or (time.monotonic() - self.last > self.pause and not self.sender.crowded):
            self.send()

    def written_up(self) -> None:
        """Some notes have become events, perhaps in the middle of a statement."""
        self._written()
        if not self.writing and not self.over and self.recorder.count - self.sent > MANY:
            self.send()

    def passing(self, name: str, value: Any, function: str) -> Any:
        """A name is about to be bound inside an expression."""
        self.bind(name, value, function)
        return value

    def show(self, value: Any) -> Any:
        """The value of a cell's last expression."""
        self.shown = value
        return value

    def loop(self, line: int, iterable: Any) -> Iterator[Any]:
        """A `for` loop's iterable, counting."""
        return Loop(self, line, iter(iterable))

    def tick(self, line: int) -> None:
        """An iteration of a `while` loop begins."""
        key = (line, id(sys._getframe(1)))
        if self.loops and self.loops[-1][0] == key:
            self.loops[-1] = (key, line, self.loops[-1][2] + 1)
        else:
            self.loops.append((key, line, 0))
        self.tell_loops()

    def leave(self, line: int) -> None:
        """A `while` loop was left."""
        self.drop((line, id(sys._getframe(1))))

    def drop(self, key: Any) -> None:
        """Forget a loop."""
        for i in range(len(self.loops) - 1, -1, -1):
            if self.loops[i][0] == key:
                del self.loops[i:]
                self.tell_loops()
                return

    def tell_loops(self) -> None:
        """Tell the recorder which loops run."""
        self.recorder._loops = tuple((line, k) for _, line, k in self.loops)

    # --- sending ------------------------------------------------------------------------------------------------------------

    def send(self) -> None:
        """Send what was recorded since the last time; where a limit is reached the recording is cut and the run ends."""
        self.writing += 1
        try:
            events, sites, scopes, arrays = self.recorder.take()
            self.sent += len(events)
            self.last = time.monotonic()
            self.sender.send(events, sites, scopes, arrays, self.recorder.ops.values())
        except MemoryError:
            self.lost()
        finally:
            self.writing -= 1
        self._written()
        if self.sender.cut is not None and not self.over:
            self.over = True
            self.stop(*ending_of(self.sender.cut))

    def lost(self) -> None:
        """There was not even memory for some of the recording: the run ends with what there is of it until then."""
        self.spare = None
        self.recorder.drop_notes()
        if not self.over:
            self.over = True
            self.stop("memory", limits.MEMORY.past(self.job.limits.memory_mb))

    def frame(self, kind: bytes, body: bytes) -> None:
        """Write one frame."""
        data = memoryview(HEADER.pack(kind, len(body)) + body)
        self.writing += 1
        try:
            while data:
                data = data[os.write(self.out, data) :]
        finally:
            self.writing -= 1
        self._written()

    def _written(self) -> None:
        if not self.writing and self.late is not None:
            self.late()


class _Told(Recorder):
    """Says so whenever notes have been written up, because a single statement can make any number of events."""

    def __init__(self, program: dict[str, int], tape: Tape) -> None:
        super().__init__(program)
        self._tape = tape

    def flush(self) -> None:
        """Write up all notes, without being disturbed by the alarm: what is half written up is lost."""
        tape = self._tape
        tape.writing += 1
        try:
            super().flush()
        except MemoryError:
            tape.lost()
        finally:
            tape.writing -= 1
        tape.written_up()


class Loop:
    """A counting iterator; it is dropped when the loop is left, in whatever way, because only the loop holds it."""

    __slots__ = ("iterator", "k", "line", "tape")

    def __init__(self, tape: Tape, line: int, iterator: Iterator[Any]) -> None:
        self.tape, self.line, self.iterator, self.k = tape, line, iterator, -1

    def __iter__(self) -> Loop:
        return self

    def __next__(self) -> Any:
        item = next(self.iterator)
        self.k += 1
        loops = self.tape.loops
        if self.k:
            for i in range(len(loops) - 1, -1, -1):
                if loops[i][0] == id(self):
                    loops[i] = (id(self), self.line, self.k)
                    break
        else:
            loops.append((id(self), self.line, 0))
        self.tape.tell_loops()
        return item

    def __del__(self) -> None:
        self.tape.drop(id(self))


class Stream(io.TextIOBase):
    """The program's stdout or stderr: whole lines become events."""

    def __init__(self, tape: Tape, name: str) -> None:
        self.tape, self.name, self.pending = tape, name, ""

    encoding = "utf-8"

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Take text; a whole line is passed on."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        text = str.__str__(text)  # a subclass may tell lies about its length
        limit = self.tape.job.limits.output_chars
        left = max(limit - self.tape.printed, 0)
        self.tape.printed += len(text)
        for start in range(0, min(len(text), left), CHUNK):
            self.pending += text[start : min(start + CHUNK, left)]
            if "\n" in self.pending or len(self.pending) > 10_000:
                self.flush()
        if left < len(text):
            self.flush()
            self._pass_on(f"\n… output stopped after {limit:,} characters\n")
            self.tape.stop("too_large", limits.OUTPUT.past(limit))
        return len(text)

    def flush(self) -> None:
        """Pass on what is pending."""
        text, self.pending = self.pending, ""
        if text:
            self._pass_on(text)

    def _pass_on(self, text: str) -> None:
        text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot be sent
        self.tape.recorder.printed(text, self.name)


def ending_of(cut: RecordingError) -> tuple[str, str]:
    """Status and message of a run whose recording was cut."""
    if isinstance(cut, TooMuchError):
        return "too_large", str(cut)
    return "crashed", f"Gradtape could not record what came next: {cut}"


def file_name(job: Job, cell: int) -> str:
    """The file name that a cell's code carries in tracebacks and warnings."""
    return f"<cell {cell + 1}>" if job.notebook else "<program>"
