"""What the instrumented program calls, and its output streams: it keeps the log and sends it on, in time and not too often."""

from __future__ import annotations

import gc
import io
import mmap
import os
import time
from collections.abc import Callable
from typing import Any

from .. import limits
from ..context import context
from ..recording.recorder import Recorder
from ..recording.running_loops import RunningLoop, RunningLoops
from ..recording.store import RecordingError, TooMuchError
from ..recording.tensor_paths import nothing_came
from ..tensor import Tensor
from .levels import Levels
from .transport.budget import SpentError
from .transport.messages import HEADER, Job, most_events
from .transport.sender import Sender

EAGER = 100
"""Events until which everything is sent at the end of each statement; later in batches."""
LATER = 0.05
"""Seconds between batches after that, at least; of a run of hours more, so that the frames suffice."""
MANY = 5_000
"""Events after which they are sent in the middle of a statement."""
FACTS_A_BATCH, PARTS_A_BATCH = 2_048, 256
"""For so many bytes of facts, or parts, that a recording may have, one event is sent together with others: a batch takes about
one part in thirty of what there is room for."""
CHUNK = 50_000
"""Characters of one event of printed text, at most."""
SPARE = 8 * 2**20
"""Bytes that are given back when there is no memory left, so that the end can be told. They are asked for and never written:
addresses are what is limited, and the pages would cost half of a short run. So they come from the system itself: what C's
`calloc` finds among memory that was in use before, it writes zeros into."""


class Tape(RunningLoops):
    """What the instrumented program calls, and what sends the log on."""

    def __init__(self, job: Job, out: int) -> None:
        super().__init__()
        self.job = job
        self.out = out
        files = cell_files(job)
        self.recorder = _Told(files, self)
        self.codes = self.recorder.codes
        self.recorder.store.left = job.limits.array_bytes
        self.sender = Sender(job.limits, self.frame, reserve=True)
        self.levels: Levels | None = None
        """How closely is recorded what happens; None where nothing is."""
        self.most = most_events(job.limits)
        # So that little is lost that was made in one statement when there is no room for more.
        room = min(self.most // 32, job.limits.facts // FACTS_A_BATCH, job.limits.parts // PARTS_A_BATCH)
        self.recorder.batch = max(min(MANY, room), 1)
        self.spare: mmap.mmap | None = mmap.mmap(-1, SPARE)
        self.pause = max(LATER, 2 * job.limits.seconds / limits.FRAMES.value())
        self.rows = self.recorder.writer.rows
        """The events that have not been sent."""
        self.eager = True
        """Whether what a statement has made is sent at its end."""
        self.unsaid = False
        """Whether the program has perhaps printed what is not recorded yet."""
        self.last = time.monotonic()
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

    def given(self, name: str, value: Any, function: str) -> None:
        """An argument of a function, or what a loop has come to, got its name."""
        self.bind(name, value, function, True)

    def bind(self, name: str, value: Any, function: str, given: bool = False) -> None:
        """A name was bound. Within a backward rule of the program, which runs unseen, it is not noted."""
        observer = context.observer
        if observer is self.recorder:
            if value.__class__ is Tensor:
                observer.bound(name, value, function)
            else:
                observer.bind(name, value, function, given)
        elif observer is not None:
            told = self.recorder if self.levels is None or observer is not self.levels.thin else self.levels.thin
            told.bind(name, value, function, given)
        self.mark()

    def grown(self, name: str, value: Any, function: str) -> None:
        """Something was appended to what has a name."""
        if nothing_came(value):
            self.mark()
        else:
            self.bind(name, value, function)

    def placed(self, owner: Any, attribute: str) -> None:
        """A method gave an attribute of its object a value."""
        if context.observer is not None:
            self.recorder.placed(owner, attribute)

    def mark(self) -> None:
        """A statement ended."""
        if self.unsaid and (self.levels is None or not self.levels.quiet):
            self.unsaid = False
            for stream in self.streams:
                if stream.pending:
                    stream.flush()
        if not self.rows or self.over:
            return
        if self.eager or (time.monotonic() - self.last > self.pause and not self.sender.crowded):
            self.send()

    def passing(self, name: str, value: Any, function: str) -> Any:
        """A name is about to be bound inside an expression."""
        self.bind(name, value, function)
        return value

    def show(self, value: Any) -> Any:
        """The value of a cell's last expression."""
        self.shown = value
        return value

    def began(self) -> None:
        """An iteration begins: once there is no room for more, it may be the last."""
        if not gc.isenabled():
            _collect()
        if self.levels is not None and not self.levels.began(self.loops):
            self.stop("ok", "")

    def dropped(self) -> None:
        """A loop is over."""
        if self.levels is not None:
            self.levels.dropped(self.loops)

    def exhausted(self, loop: RunningLoop) -> None:
        """A loop has come to its end."""
        if self.levels is not None:
            self.levels.exhausted(loop)

    def tell_loops(self) -> None:
        """Tell the recorder which loops run."""
        self.recorder.turned(self.nest)

    # --- sending ------------------------------------------------------------------------------------------------------------

    def send(self) -> None:
        """Send what was recorded since the last time; where a limit is reached the recording is cut and the run ends."""
        self.writing += 1
        try:
            batch = self.recorder.take()
            self.eager = self.recorder.count < EAGER
            self.last = time.monotonic()
            self.sender.send(batch)
        except MemoryError:
            self.lost()
        finally:
            self.writing -= 1
        self._written()
        cut = self.sender.cut
        if cut is not None and self.levels is not None and isinstance(cut, SpentError):
            # There is no room for more, which is no reason to end the program.
            if not self.levels.ended:
                self.levels.end()
            cut = self.sender.full
        if cut is not None and not self.over:
            self.over = True
            self.stop(*ending_of(cut))

    def begin(self) -> None:
        """Record what happens from now on."""
        self.levels = Levels(self.recorder, self.job.limits, self.sender.most, self.sender.used, self.job.window)
        context.observer = self.recorder

    def figure(self, text: str) -> None:
        """The program shows a figure, after what it has printed."""
        for stream in self.streams:
            stream.flush()
        self.recorder.drew(text)
        self.mark()

    def lost(self) -> None:
        """There was not even memory for some of the recording: the run ends with what there is of it until then."""
        self.spare = None
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
    """Has its tape send what it has written, even in the middle of a statement, which can make any number of events."""

    def __init__(self, program: dict[str, int], tape: Tape) -> None:
        super().__init__(program)
        self._tape = tape

    def flush(self) -> None:
        """Have it sent, unless it is being sent, or no more of it is to be."""
        tape = self._tape
        if not tape.writing and not tape.over:
            tape.send()


class Stream(io.TextIOBase):
    """The program's stdout or stderr: whole lines become events."""

    def __init__(self, tape: Tape, name: str) -> None:
        self._tape, self.name, self.pending = tape, name, ""
        # Python's library hands streams to a program's methods: what stands behind one is private to it.

    encoding = "utf-8"

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Take text; a whole line is passed on."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        text = str.__str__(text)  # a subclass may tell lies about its length
        limit = self._tape.job.limits.output_chars
        left = max(limit - self._tape.printed, 0)
        self._tape.printed += len(text)
        for start in range(0, min(len(text), left), CHUNK):
            for other in self._tape.streams:
                if other is not self and other.pending:
                    other.flush()
            self._tape.unsaid = True
            self.pending += text[start : min(start + CHUNK, left)]
            quiet = self._tape.levels is not None and self._tape.levels.quiet
            if ("\n" in self.pending and not quiet) or len(self.pending) > 10_000:
                self.flush()
        if left < len(text):
            self.flush()
            self._pass_on(f"\n... output stopped after {limit:,} characters\n")
            self._tape.stop("too_large", limits.OUTPUT.past(limit))
        return len(text)

    def flush(self) -> None:
        """Pass on what is pending."""
        text, self.pending = self.pending, ""
        if text:
            self._pass_on(text)

    def _pass_on(self, text: str) -> None:
        text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot be sent
        self._tape.recorder.printed(text, self.name)


def _collect() -> None:
    """Collect what Python would have collected by itself by now."""
    young, middle, old = gc.get_count()
    if young > gc.get_threshold()[0]:
        gc.collect(2 if old > gc.get_threshold()[2] else 1 if middle > gc.get_threshold()[1] else 0)


def ending_of(cut: RecordingError) -> tuple[str, str]:
    """Status and message of a run whose recording was cut."""
    if isinstance(cut, TooMuchError):
        return "too_large", str(cut)
    return "crashed", f"Gradtape could not record what came next: {cut}"


def cell_files(job: Job) -> dict[str, int]:
    """The file names that the code of a program's cells and modules carries, with their numbers in its recording."""
    return {name: k for k, name in enumerate([*(file_name(job, cell) for cell in range(len(job.cells))), *job.modules])}


def file_name(job: Job, cell: int) -> str:
    """The file name that a cell's code carries in tracebacks and warnings."""
    return f"<cell {cell + 1}>" if job.notebook else "<program>"
