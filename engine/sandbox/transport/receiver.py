"""What comes back from a child: read, bounded and validated; the child is not trusted."""

from __future__ import annotations

import math
import re
import signal
import threading
from typing import Any

import msgspec
import numpy as np

from ... import limits as limits_table
from ...program import Program, project
from ...recording.batch import Batch
from ...recording.check import sound_beginning
from ...recording.events import AnyEvent, CellBegan, CellEnded, Drew, Printed
from ...recording.log import Events, scopes_of, sites_of
from ...recording.recording import Recording
from ...recording.shown_texts import with_shown_texts, with_shown_words
from ...recording.store import RecordingError
from ..settings import settings
from .budget import Census, Room
from .frames import BATCH, DONE, STUCK, WRITTEN, Frames
from .messages import (
    FULL,
    HALTED,
    LONGER,
    NOT_STARTED,
    CellResult,
    Done,
    Limits,
    RunError,
    Written,
    decode_batch,
    decode_done,
    decode_written,
)

MAX_RESULT = limits_table.RESULT.value()
"""Bytes of one run's result."""
MAX_TEXT = limits_table.TEXT.value()
"""Characters of an error's message or traceback."""
STATUSES = ("ok", "error", "timeout", "memory", "policy", "too_large", "crashed")
_LIMIT = limits_table.NUMBER.value()
HOST = "the part of Gradtape that runs programs stopped while this one ran, and so did the one that tried again"
HOST_HELP = "This is not the program's fault. Run it again in a moment."
_LINE = re.compile(rb'File "<(?:program|cell (\d{1,6}))>", line (\d{1,9})')


class Stopped(Exception):
    """The run was called off."""


class Shown(msgspec.Struct, frozen=True):
    """A figure that a program showed, and where."""

    figure: str
    """Its calls, as text (`engine.figures.data`)."""
    after: int
    """How many characters the program had printed."""
    cell: int = 0


class RunResult(msgspec.Struct, frozen=True):
    """What became of a run."""

    status: str
    """"ok", "error", "timeout", "memory", "policy", "too_large" or "crashed"."""
    output: str
    """What the program printed, warnings included, as a terminal would show it."""
    error: RunError | None
    cells: list[CellResult]
    recording: Recording | None
    seconds: float
    figures: tuple[Shown, ...] = ()
    """The figures that the program showed."""
    files: tuple[tuple[str, bytes], ...] = ()
    """What the program wrote in the folder that it ran in: paths with their bytes."""


class Control:
    """What the caller of a run may look at while it waits, and ask for."""

    def __init__(self) -> None:
        self.events = 0
        """How many events have come so far."""
        self.halt = threading.Event()
        """Set to have the run end at once and keep what it has recorded."""


class Collected:
    """What has come back from a child so far."""

    def __init__(self) -> None:
        self.done: Any = None
        """The last message, after which none may follow."""
        self.trouble = ""
        """Why reading stopped before there was a last message: "nonsense", "stopped", or for reasons that are not the
        program's: "late", where nothing ended it in time, and "lost", where what it ran in has gone."""
        self.failure = ""
        """Why there is no child at all, in words for the user."""
        self.help = ""
        """And what can be done."""
        self.stuck = b""
        """The Python lines where a child was that did not answer."""
        self.frames = Frames()
        self.total = 0
        self.control = Control()

    def again(self) -> None:
        """Forget everything, because the job is done once more. A subclass with state of its own resets it here, too."""
        control = self.control
        Collected.__init__(self)
        self.control = control

    def take(self, kind: bytes, body: bytes) -> None:
        """Take a message; ValueError or MsgspecError for an invalid one."""
        raise NotImplementedError

    def feed(self, data: bytes) -> bool:
        """Take the next bytes of a child's stream; False when there is no more to expect, or no sense in going on."""
        self.total += len(data)
        try:
            if self.total > MAX_RESULT:
                raise ValueError("more than an honest child sends")
            for kind, body in self.frames.feed(data):
                if kind == STUCK:
                    self.stuck = body
                    continue
                if self.done is not None:
                    raise ValueError("a message after the last one")
                self.take(kind, body)
        except (ValueError, msgspec.MsgspecError, RecursionError):
            self.trouble = "nonsense"
            return False
        return self.done is None


class CollectedRun(Collected):
    """What has come back from a run."""

    def __init__(
        self,
        program: Program,
        limits: Limits = Limits(),  # noqa: B008  (frozen)
        control: Control | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__()
        self.seed = seed
        modules = program.modules
        self.program = program
        self.limits, self.source, self.notebook = limits, (*program.cells, *modules.values()), program.notebook
        self.names = project.names_of(program.cells, program.name, modules)
        self.cells = len(program.cells)
        self.control = control or self.control
        self._begin()

    def _begin(self) -> None:
        self._census = Census()
        self._room = Room(self.limits, ending=True)
        self._files: dict[str, bytearray] = {}
        self._file_bytes = 0

    def again(self) -> None:
        """Forget everything, because the program runs once more."""
        super().again()
        self.control.events = 0
        self._begin()

    def take(self, kind: bytes, body: bytes) -> None:
        """A batch of the recording, or the end."""
        if kind == BATCH:
            self._take(decode_batch(body), len(body))
        elif kind == DONE:
            done = decode_done(body)
            check_done(done, len(self.source))
            self.done = done
        elif kind == WRITTEN:
            self._take_file(decode_written(body))
        else:
            raise ValueError("no message of a run")

    def _take_file(self, part: Written) -> None:
        """Some of a file that the program wrote.

        Raises:
            ValueError: for a path that leads anywhere else, or more than a run may hold.
        """
        self._file_bytes += len(part.data)
        hosted = settings().hosted
        if not project.sound(part.path) or self._file_bytes > limits_table.FILE_BYTES.value(hosted):
            raise ValueError("a file that no program of ours sends")
        if part.path not in self._files and len(self._files) >= limits_table.FILE_COUNT.value(hosted):
            raise ValueError("more files than a run holds")
        self._files.setdefault(part.path, bytearray()).extend(part.data)

    def _written(self) -> tuple[tuple[str, bytes], ...]:
        return tuple((path, bytes(data)) for path, data in self._files.items())

    def _take(self, batch: Batch, size: int) -> None:
        counted = self._census.take(batch)
        counts = self._census.counts(counted)
        self._room.spend(counts | {"facts": max(size - counts["bytes"], 0)})
        self.control.events = self._census.assembly.events

    def _recording(self) -> Recording:
        """What has come, validated.

        Raises:
            RecordingError: for what contradicts itself.
        """
        assembly = self._census.assembly
        tape = assembly.tape()
        if self.done is None:
            tape = sound_beginning(tape)  # what was to come in the next message never came
        tape = with_shown_texts(tape)
        made = Recording(
            self.source, Events(tape), sites_of(tape), scopes_of(tape), assembly.stored(), with_shown_words(assembly.ops),
            seed=self.seed, names=self.names, story=self.program.story,
        )  # fmt: skip
        made.check()
        made.files, made.arguments = self.program.files, self.program.arguments
        return made

    def result(self, end: tuple[int, bool] | None, seconds: float) -> RunResult:
        """The result, validated."""
        done: Done | None = self.done
        recording: Recording | None = None
        try:
            if self.trouble != "nonsense":
                recording = self._recording()
        except RecordingError:
            self.trouble = "nonsense"
        events = [] if recording is None else _of_cells(recording)
        output = "".join([e.text for e in events if isinstance(e, Printed)])
        if not self.trouble and done is not None:
            cells = _cells(events, done.cells, output)
            took = min(done.seconds, seconds)
            return RunResult(done.status, output, done.error, cells, recording, took, _figures(events), self._written())
        status, error = self._ended(end)
        statuses = ["ok"] * self.cells
        if self.notebook:
            began = max((e.cell for e in events if isinstance(e, CellBegan)), default=0)
            statuses = ["ok" if cell < began else "skipped" if cell > began else "error" for cell in range(self.cells)]
        cells = _cells(events, statuses, output) if self.notebook and recording is not None else []
        return RunResult(status, output, error, cells, recording, seconds, _figures(events))

    def _ended(self, end: tuple[int, bool] | None) -> tuple[str, RunError]:
        """Status and error of a child that did not say how it ended."""
        if self.failure:
            return "crashed", RunError("HostError", self.failure, help=self.help)
        if self.trouble == "nonsense":
            return "crashed", RunError("Crash", "the program's process sent nothing that makes sense")
        if end is None or self.trouble in ("late", "lost"):
            return "crashed", RunError("HostError", HOST, help=HOST_HELP)
        if end[0] == NOT_STARTED:
            return "crashed", RunError("HostError", "there is no room for another process; try again in a moment")
        # One that was to end before it could say what it had recorded is ended by the request itself.
        if end[1] or (self.control.halt.is_set() and end[0] == -signal.SIGTERM):
            return "timeout", self._timeout()
        if end[0] == FULL:
            return "memory", RunError("MemoryError", limits_table.MEMORY.past(self.limits.memory_mb))
        if end[0] == -signal.SIGKILL:
            return "crashed", RunError(
                "Crash",
                "the program's process was ended from outside (SIGKILL), perhaps because the machine had no memory left",
            )
        if end[0] < 0:
            return "crashed", RunError("Crash", f"the program's process was ended by {_signal(-end[0])}")
        return "crashed", RunError("Crash", f"the program ended its own process (exit code {end[0]})")

    def _timeout(self) -> RunError:
        """Where a child that had to be killed was, if it could say so: in the innermost line of the program."""
        kind, message, help = "TimeoutError", f"the program was stopped after {self.limits.seconds:g} seconds", LONGER
        if self.control.halt.is_set():
            kind, message, help = HALTED, "you stopped it", ""
        found = _LINE.search(self.stuck)
        cell, line = (max(int(found[1] or 1) - 1, 0), int(found[2])) if found is not None else (0, 0)
        if not line or cell >= max(len(self.source), 1):
            return RunError(kind, message, help=help)
        return RunError(kind, f"{message}, in line {line}", line, cell=cell, help=help)


def _figures(events: list[AnyEvent]) -> tuple[Shown, ...]:
    """The figures, each with its place."""
    found, printed, cell = [], 0, 0
    for event in events:
        if event.__class__ is Printed:
            printed += len(event.text)
        elif event.__class__ is CellBegan:
            cell = event.cell
        elif event.__class__ is Drew:
            found.append(Shown(event.figure, printed, cell))
    return tuple(found)


def _of_cells(recording: Recording) -> list[AnyEvent]:
    """The events of which cells consist, as their reader sees them."""
    tape = recording.tape
    steps = np.sort(np.concatenate([tape.steps(kind) for kind in (Printed, Drew, CellBegan, CellEnded)]))
    return [recording.events[step] for step in steps.tolist()]


def _cells(events: list[AnyEvent], statuses: list[str], output: str) -> list[CellResult]:
    """What each cell printed, each stream by itself as a notebook shows it, and its value.

    Of `output`, which is what all of them printed as it came, no copy is made.
    """
    streams: list[dict[str, list[str]]] = [{} for _ in statuses]
    values: list[str | None] = [None] * len(statuses)
    cell = 0
    for event in events:
        if isinstance(event, Printed) and cell < len(streams):
            streams[cell].setdefault(event.stream, []).append(event.text)
        elif isinstance(event, CellBegan):
            cell = event.cell
        elif event.__class__ is CellEnded and event.cell < len(statuses):
            values[event.cell] = event.result
    printed = ["".join(["".join(texts) for texts in each.values()]) for each in streams]
    return [
        CellResult(output if text == output else text, value, status)
        for text, value, status in zip(printed, values, statuses, strict=True)
    ]


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # the real-time ones have no names
        return f"signal {number}"


def check_done(done: Done, cells: int) -> None:
    """Raise ValueError for an invalid end."""
    if done.status not in STATUSES or (done.error is None) != (done.status == "ok"):
        raise ValueError("an end of no kind that there is")
    if not (math.isfinite(done.seconds) and done.seconds >= 0):
        raise ValueError("an impossible time")
    if len(done.cells) > max(cells, 1) or any(cell not in ("ok", "error", "skipped") for cell in done.cells):
        raise ValueError("cells that there are not, or that ended in no way that there is")
    if done.error is not None:
        _check_error(done.error, cells)


def _check_error(error: RunError, cells: int) -> None:
    numbers = (error.line, error.column, error.end_line, error.end_column)
    if not 0 <= error.cell < max(cells, 1) or not all(0 <= number <= _LIMIT for number in numbers):
        raise ValueError("an error at an impossible place")
    if max(map(len, (error.type, error.message, error.traceback, error.help, error.module, error.layer))) > MAX_TEXT:
        raise ValueError("an error longer than any is")
