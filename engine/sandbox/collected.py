"""What comes back from a child: read, bounded, and believed only as far as it makes sense."""

from __future__ import annotations

import math
import re
import signal
from typing import Any

import msgspec

from engine.program import Program
from engine.recording.events import BackwardBegan, NodeInfo, NodeRan, OpRan, Printed, Stepped
from engine.recording.recording import Recording
from engine.recording.store import RecordingError
from engine.recording.validate import References
from engine.sandbox.frames import BATCH, DONE, STUCK, Frames
from engine.sandbox.messages import (
    FULL,
    NOT_STARTED,
    Batch,
    CellResult,
    Done,
    Limits,
    RunError,
    decode_batch,
    decode_done,
    most_events,
)

MAX_RESULT = 384 * 2**20
"""Bytes of one run's result."""
MAX_FACTS = 64 * 2**20
"""Bytes of all that is not arrays."""
MAX_ROWS = 1_000_000
"""Rows of any table but that of events."""
MAX_PARTS = 2_000_000
"""Inputs, outputs, edges and the like of all events together."""
MAX_TEXT = 25_000
"""Characters of an error's message or traceback."""
STATUSES = ("ok", "error", "timeout", "memory", "policy", "too_large", "crashed")
_LIMIT = 2**31
_LINE = re.compile(rb'File "<(?:program|cell (\d{1,6}))>", line (\d{1,9})')


class Stopped(Exception):
    """The run was called off."""


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


class Collected:
    """What has come back from a child so far."""

    def __init__(self) -> None:
        self.done: Any = None
        """The last message, after which none may follow."""
        self.trouble = ""
        """Why reading stopped before there was a last message: "late", "nonsense" or "stopped"."""
        self.failure = ""
        """Why there is no child at all, in words for the user."""
        self.help = ""
        """And what can be done."""
        self.stuck = b""
        """The Python lines where a child was that did not answer."""
        self.frames = Frames()
        self.total = 0

    def take(self, kind: bytes, body: bytes) -> None:
        """Take a message; ValueError or MsgspecError for one that no honest child sends."""
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

    def __init__(self, program: Program, limits: Limits = Limits()) -> None:  # noqa: B008  (frozen)
        super().__init__()
        self.recording = Recording(source=program.cells)
        self.limits = limits
        self._references = References(self.recording)
        self._room = Room(limits)

    def take(self, kind: bytes, body: bytes) -> None:
        """A batch of the recording, or the end."""
        if kind == BATCH:
            self._take(decode_batch(body), len(body))
        elif kind == DONE:
            done = decode_done(body)
            check_done(done, len(self.recording.source), self.limits)
            self.done = done
        else:
            raise ValueError("no message of a run")

    def _take(self, batch: Batch, size: int) -> None:
        self._room.take(batch, size)
        r = self.recording
        self._references.check(batch.events, batch.sites, batch.scopes, batch.arrays)
        r.events.extend(batch.events)
        r.sites.extend(batch.sites)
        r.scopes.extend(batch.scopes)
        r.arrays.extend(batch.arrays)
        r.ops.update((op.name, op) for op in batch.ops)

    def result(self, end: tuple[int, bool] | None, seconds: float) -> RunResult:
        """The result, as far as it can be believed."""
        done: Done | None = self.done
        recording: Recording | None = self.recording
        try:
            self._references.end()
            self.recording.check_ops()
        except RecordingError:
            self.trouble = self.trouble or "nonsense"
        if self.trouble == "nonsense":
            recording = None
        events = recording.events if recording is not None else []
        output = "".join(e.text for e in events if isinstance(e, Printed))
        if not self.trouble and done is not None:
            return RunResult(done.status, output, done.error, done.cells, recording, min(done.seconds, seconds))
        if self.failure:
            status, error = "crashed", RunError("HostError", self.failure, help=self.help)
        else:
            status, error = self._ended(end)
        return RunResult(status, output, error, [], recording, seconds)

    def _ended(self, end: tuple[int, bool] | None) -> tuple[str, RunError]:
        """Status and error of a child that did not say how it ended."""
        if self.trouble != "nonsense" and end is not None:
            if end[0] == NOT_STARTED:
                return "crashed", RunError("HostError", "there is no room for another process; try again in a moment")
            if end[1]:
                return "timeout", self._timeout()
            if end[0] == FULL:
                return "memory", RunError("MemoryError", "the program needed more memory than it may use")
            if end[0] < 0:
                return "crashed", RunError("Crash", f"the program's process was ended by {_signal(-end[0])}")
            return "crashed", RunError("Crash", f"the program ended its own process (exit code {end[0]})")
        return "crashed", RunError("Crash", "the program's process sent nothing that makes sense")

    def _timeout(self) -> RunError:
        """Where a child that had to be killed was, if it could say so: in the innermost line of the program."""
        message = f"the program was stopped after {self.limits.seconds:g} seconds"
        found = _LINE.search(self.stuck)
        if found is None:
            return RunError("TimeoutError", message)
        cell, line = max(int(found[1] or 1) - 1, 0), int(found[2])
        if cell >= max(len(self.recording.source), 1):
            return RunError("TimeoutError", message)
        return RunError("TimeoutError", f"{message}, in line {line}", line, cell=cell)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # the real-time ones have no names
        return f"signal {number}"


class Room:
    """How much of a recording may still come, in bytes, rows, and parts of rows."""

    def __init__(self, limits: Limits) -> None:
        self.events = most_events(limits)
        self.sites = self.scopes = self.arrays = self.ops = MAX_ROWS
        self.kept = limits.array_bytes
        self.facts = MAX_FACTS
        self.parts = MAX_PARTS
        self.printed = limits.output_chars + 1_000

    def take(self, batch: Batch, size: int) -> None:
        """Count a batch of `size` bytes in; ValueError when it is more than an honest child sends."""
        arrays = sum(len(array.data or b"") for array in batch.arrays)
        self.kept -= sum(len(a.data) for a in batch.arrays if a.data is not None and len(a.data) > _FREE)
        self.facts -= size - arrays
        self.parts -= _parts(batch)
        self.printed -= sum(len(e.text) for e in batch.events if isinstance(e, Printed))
        for table in ("events", "sites", "scopes", "arrays", "ops"):
            setattr(self, table, getattr(self, table) - len(getattr(batch, table)))
        if min(self.__dict__.values()) < 0:
            raise ValueError("more than an honest child records")


_FREE = 256
"""Bytes up to which an array does not count as one that is kept."""


def _parts(batch: Batch) -> int:
    """How many things the events and arrays consist of, as far as there may be any number in one."""
    count = sum(len(scope.loops) for scope in batch.scopes) + sum(len(array.shape) for array in batch.arrays)
    for event in batch.events:
        if isinstance(event, OpRan):
            count += len(event.inputs) + len(event.written)
            count += sum(len(t.shape) + 1 for t in event.outputs)
            nodes = event.accumulators if event.node is None else (event.node, *event.accumulators)
            count += _node_parts(nodes)
        elif isinstance(event, NodeRan):
            count += len(event.received) + len(event.sent)
        elif isinstance(event, BackwardBegan):
            count += len(event.roots) + len(event.root_nodes) + len(event.inputs) + _node_parts(event.nodes)
        elif isinstance(event, Stepped):
            count += len(event.parameters) + len(event.idle)
    return count


def _node_parts(nodes: tuple[NodeInfo, ...]) -> int:
    return sum(1 + len(node.edges) + len(node.saved) for node in nodes)


def check_done(done: Done, cells: int, limits: Limits) -> None:
    """Raise ValueError for an end that no honest child sends."""
    if done.status not in STATUSES or (done.error is None) != (done.status == "ok"):
        raise ValueError("an end of no kind that there is")
    if not (math.isfinite(done.seconds) and done.seconds >= 0):
        raise ValueError("an impossible time")
    room = 4 * (limits.output_chars + 1_000)
    if len(done.cells) > max(cells, 1) or sum(len(c.output) + len(c.result or "") for c in done.cells) > room:
        raise ValueError("more cells or output than there are")
    if any(cell.status not in ("ok", "error", "skipped") for cell in done.cells):
        raise ValueError("a cell that ended in no way that there is")
    if done.error is not None:
        _check_error(done.error, cells)


def _check_error(error: RunError, cells: int) -> None:
    numbers = (error.line, error.column, error.end_line, error.end_column)
    if not 0 <= error.cell < max(cells, 1) or not all(0 <= number < _LIMIT for number in numbers):
        raise ValueError("an error at an impossible place")
    if max(map(len, (error.type, error.message, error.traceback, error.help))) > MAX_TEXT:
        raise ValueError("an error longer than any is")
