"""The child's side of the stream: what was recorded goes out in frames, and is cut where a limit is reached.

It counts and checks as the parent does, before it sends: what has gone out is always a sound recording, and if more than a
recording holds was made, it is a sound beginning, and `cut` says which limit it came to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from ...limits import FRAME, FRAMES
from ...recording.bounded_text import name_of, plain
from ...recording.events import (
    NOTHING,
    AnyEvent,
    BackwardEnded,
    CellBegan,
    CellEnded,
    OpRan,
    Printed,
    Raised,
    Scope,
    Site,
    TensorInfo,
    Thinned,
    Warned,
)
from ...recording.recording import OpInfo, Recording, check_rules
from ...recording.store import RecordingError, StoredArray, TooMuchError
from ...recording.validate import References, nodes_of
from .budget import RESERVED, TABLES, Room, SpentError, event_parts, table_parts
from .frames import BATCH, batches
from .messages import Batch, Limits, RunError, decode_batch, encode

SPARE = 2_000
"""Frames that are kept for what is sent when many have been sent already."""
PLAIN = (Printed, Warned, Raised, CellBegan, CellEnded, Thinned)
"""Events that name nothing but their place."""
SCARCE = ("events", "facts", "parts", "sites", "scopes", "arrays", "bytes")
"""What a recording can run out of in the course of a long program."""
TOGETHER = 10_000
"""Characters that are printed by one event where events are scarce, and perhaps the last line of it more."""
INTRODUCED = OpInfo("constant", "", "constant", traits=("creation",))


class Sender:
    """What has gone out, and what may still."""

    def __init__(
        self, source: tuple[str, ...], limits: Limits, write: Callable[[bytes, bytes], None], *, reserve: bool = False
    ) -> None:
        self.write = write
        self.cut: RecordingError | None = None
        """Why no more of the recording is sent than what the program prints and how it ends."""
        self.full: RecordingError | None = None
        """Why not even that is."""
        self.events = 0
        """How many have been sent."""
        self.frames = 0
        self._room = Room(limits)
        self._reserved: dict[str, int] = {}
        for name, part in RESERVED.items() if reserve else ():
            self._reserved[name] = self._room.left[name] // part
            self._room.left[name] -= self._reserved[name]
        self._whole = dict(self._room.left)
        self._references = References(Recording(source=source))
        self._ops: set[str] = set()

    @property
    def most(self) -> int:
        """How many events there is room for."""
        return self._whole["events"]

    def used(self) -> float:
        """The share that has been used up of whatever is scarcest, but for what is kept in reserve."""
        left = self._room.left
        return max([1 - left[name] / self._whole[name] for name in SCARCE if self._whole[name]])

    @property
    def crowded(self) -> bool:
        """Whether so many frames have gone out that only what fills one should follow."""
        return self.frames > FRAMES.value() - SPARE

    def send(
        self,
        events: Sequence[AnyEvent],
        sites: Sequence[Site],
        scopes: Sequence[Scope],
        arrays: Sequence[StoredArray],
        ops: Iterable[OpInfo],
    ) -> None:
        """Send what was recorded since the last time, or as much of it as a recording holds."""
        if self.cut is not None:
            self._plainly(events)
            return
        new = [_with_sound_rules(op) for op in ops if op.name not in self._ops]
        if not (events or sites or scopes or arrays or new):
            return
        before = self.events
        try:
            for batch in batches([*events], [*sites], [*scopes], [*arrays], new):
                self._take(batch)
        except RecordingError as error:
            self.cut = error
            sent = self.events - before
            self._introduce(events, sent)
            self._plainly(events[sent:])

    def end(self, error: RunError | None) -> None:
        """Send how the run ended, for which the parent always has room."""
        if error is None:
            return
        span = Site(error.cell, error.line, error.column, error.end_line, error.end_column) if error.line else None
        site = NOTHING if span is None else self._references.sites
        raised = Raised(name_of(error.type), plain(error.message), site=site)
        self._write(encode(Batch([raised], [] if span is None else [span])))

    def _plainly(self, events: Sequence[AnyEvent]) -> None:
        """Of some events send those that name nothing of what is missing, as long as what was kept in reserve lasts."""
        if not isinstance(self.cut, SpentError) or self.full is not None:
            return
        for name, kept in self._reserved.items():
            self._room.left[name] += kept
        self._reserved.clear()
        plain: list[AnyEvent] = []
        for event in events:
            if self._is_plain(event):
                _append(plain, self._placed(event))
        try:
            for batch in batches(plain, [], [], [], []):
                if batch.events:
                    self._take(batch)
        except RecordingError as error:
            self.full = error

    def _is_plain(self, event: AnyEvent) -> bool:
        return isinstance(event, PLAIN) or (isinstance(event, BackwardEnded) and event.number in self._references.running)

    def _placed(self, event: AnyEvent) -> AnyEvent:
        """An event without the place that was not sent."""
        known = self._references
        if event.site < known.sites and event.scope < known.scopes:
            return event
        return msgspec.structs.replace(event, site=NOTHING, scope=NOTHING)

    # --- piece by piece -----------------------------------------------------------------------------------------------------

    def _take(self, batch: Batch) -> None:
        """Send a batch; RecordingError where it does not fit, when all that does is gone."""
        error: RecordingError | None = None
        for name in TABLES:
            table = getattr(batch, name)
            if len(table) > (left := self._room.left[name]):
                error = self._room.over(name)
                batch = msgspec.structs.replace(batch, **{name: table[:left]})
        self._room.spend(tables=batch, parts=table_parts(batch.scopes, batch.arrays))
        for array in batch.arrays:
            array.check()
        self._references.check((), batch.sites, batch.scopes, ())
        self._references.arrays += len(batch.arrays)
        fitting = 0
        try:
            for event in batch.events:
                self._room.less("parts", event_parts(event))
                if isinstance(event, Printed) and event.text.__class__ is str:
                    self._room.less("printed", len(event.text))
                self._references.event(event)
                fitting += 1
        except RecordingError as stop:
            error = error or stop
        self._send(msgspec.structs.replace(batch, events=batch.events[:fitting]))
        if error is not None:
            raise error

    def _send(self, batch: Batch) -> None:
        """Send a batch that is sound, in pieces if it is too large for a frame or for what is left."""
        try:
            body = encode(batch)
            if len(body) <= FRAME.value():
                decode_batch(body)
        except (ValueError, OverflowError, TypeError) as error:  # something that is no fact: half a character, a huge number
            problem: RecordingError | None = RecordingError(str(error))
        else:
            problem = TooMuchError(FRAME.past()) if len(body) > FRAME.value() else self._room.missing(batch.arrays, len(body))
        if problem is None:
            self._room.spend(arrays=batch.arrays, size=len(body))
            self._write(body)
            self.events += len(batch.events)
            self._ops.update([op.name for op in batch.ops])
            return
        pieces = _pieces(batch)
        if not pieces:
            raise problem
        for piece in pieces:
            self._send(piece)

    def _write(self, body: bytes) -> None:
        self.write(BATCH, body)
        self.frames += 1

    def _introduce(self, events: Sequence[AnyEvent], sent: int) -> None:
        """Make good what the events that were sent say of leaves that would have come after the cut."""
        gone, left = events[:sent], events[sent:]
        later = {t.id: t for event in left if isinstance(event, OpRan) for t in event.outputs}
        missing = sorted({node.variable for event in gone for node in nodes_of(event)} & later.keys())
        if missing:
            outputs = [
                TensorInfo(t.id, t.dtype, t.shape, NOTHING, t.requires_grad, is_parameter=t.is_parameter)
                for t in map(later.__getitem__, missing)
            ]
            self._write(encode(Batch([OpRan(INTRODUCED.name, outputs=tuple(outputs))], ops=[INTRODUCED])))


def _append(events: list[AnyEvent], event: AnyEvent) -> None:
    """Add an event; what was printed to the same stream one after the other becomes one."""
    last = events[-1] if events else None
    printed = isinstance(last, Printed) and isinstance(event, Printed) and last.stream == event.stream
    if printed and len(last.text) < TOGETHER:  # type: ignore[union-attr]
        events[-1] = _joined(last, event)  # type: ignore[arg-type]
    else:
        events.append(event)


def _joined(first: Printed, then: Printed) -> Printed:
    return msgspec.structs.replace(first, text=first.text + then.text)


def _pieces(batch: Batch) -> list[Batch]:
    """A batch in pieces, in an order in which nothing refers to what comes later; nothing for what cannot be divided."""
    filled = [(name, rows) for name in ("sites", "scopes", "arrays", "ops", "events") if (rows := getattr(batch, name))]
    if len(filled) > 1:
        return [Batch(**{name: rows}) for name, rows in filled]
    ((name, rows),) = filled
    half = len(rows) // 2
    return [Batch(**{name: rows[:half]}), Batch(**{name: rows[half:]})] if half else []


def _with_sound_rules(op: OpInfo) -> OpInfo:
    """An operation without the texts that are longer than any."""
    try:
        check_rules(op)
    except RecordingError:
        return msgspec.structs.replace(op, rules=(), outputs=(), traits=())
    return op
