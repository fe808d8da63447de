"""The child's side of the stream: what was recorded goes out in frames, and is cut where a limit is reached.

It counts as the parent does, before it sends: what has gone out is always a sound recording, and if more than a recording holds
was made, it is a sound beginning, and `cut` says which limit it came to. Only where it is cut is it looked at event by event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import msgspec
import numpy as np

from ...limits import FRAME, FRAMES, NESTED
from ...recording.batch import HOLE, WIDTH, Batch, batch_of, changed, is_empty
from ...recording.bounded_text import name_of, plain
from ...recording.events import (
    NOTHING,
    AnyEvent,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
    Drew,
    OpRan,
    Printed,
    Raised,
    Site,
    TensorInfo,
    Thinned,
    Warned,
)
from ...recording.format2 import array_references
from ...recording.recording import OpInfo, check_rules
from ...recording.store import RecordingError, TooMuchError
from ...recording.tables import Numbers, Tape
from ...recording.validate import nodes_of
from .budget import FORMS, RESERVED, Census, Counted, Room, SpentError
from .frames import BATCH, ROWS, batches, halves
from .messages import Limits, RunError, decode_batch, encode

SPARE = 2_000
"""Frames that are kept for what is sent when many have been sent already."""
PLAIN = (Printed, Drew, Warned, Raised, CellBegan, CellEnded, Thinned)
"""Events that name nothing but their place."""
SCARCE = ("events", "facts", "parts", "sites", "scopes", "arrays", "bytes", *FORMS)
"""What a recording can run out of in the course of a long program."""
TOGETHER = 10_000
"""Characters that are printed by one event where events are scarce, and perhaps the last line of it more."""
INTRODUCED = OpInfo("constant", "", "constant", traits=("creation",))


class Sender:
    """What has gone out, and what may still."""

    def __init__(self, limits: Limits, write: Callable[[bytes, bytes], None], *, reserve: bool = False) -> None:
        self.write = write
        self.cut: RecordingError | None = None
        """Why no more of the recording is sent than what the program prints and how it ends."""
        self.full: RecordingError | None = None
        """Why not even that is."""
        self.frames = 0
        self._room = Room(limits)
        self._reserved: dict[str, int] = {}
        for name, part in RESERVED.items() if reserve else ():
            self._reserved[name] = self._room.left[name] // part
            self._room.left[name] -= self._reserved[name]
        self._whole = dict(self._room.left)
        self._census = Census()
        self._sent = dict.fromkeys(("forms", "sites", "scopes", "arrays"), 0)
        self._running: set[int] = set()
        """The backward passes under way."""
        self._passes: dict[int, BackwardBegan | BackwardEnded] = {}
        """The forms of their beginnings and ends."""

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

    def send(self, batch: Batch) -> None:
        """Send what was recorded since the last time, or as much of it as a recording holds."""
        if is_empty(batch):
            return
        batch, error = _writable(changed(batch, ops=[_with_sound_rules(op) for op in batch.ops]), self._census.assembly.forms)
        for number, form in enumerate(batch.forms, self._census.assembly.forms):
            if isinstance(form, BackwardBegan | BackwardEnded):
                self._passes[number] = form
        try:
            counted = self._census.take(batch)
        except RecordingError as problem:
            self.cut = self.cut or problem
            return
        try:
            if self.cut is not None:
                self._plainly(self._census.assembly.tape().decoded(0, len(counted.forms)))
            else:
                self._send(counted)
                self.cut = error
        except RecordingError as problem:
            self._cut(counted, problem)
        finally:
            self._census.assembly.forget()

    def end(self, error: RunError | None) -> None:
        """Send how the run ended, for which the parent always has room."""
        if error is None:
            return
        span = Site(error.cell, error.line, error.column, error.end_line, error.end_column) if error.line else None
        site = NOTHING if span is None else self._sent["sites"]
        raised = Raised(
            name_of(error.type), plain(error.message), site=site,
            help=name_of(error.help), module=name_of(error.module), layer=name_of(error.layer),
        )  # fmt: skip
        self._write(encode(batch_of([raised], [] if span is None else [span], forms=self._sent["forms"])))

    # --- as much of it as a recording holds -------------------------------------------------------------------------------

    def _send(self, counted: Counted) -> None:
        """Send a batch; RecordingError where it does not fit, when none of it is gone."""
        counts, bodies, running = self._ready(counted)
        self._room.spend(counts)
        for body in bodies:
            self._write(body)
        self._sent["forms"] += len(counted.batch.forms)
        for name in ("sites", "scopes", "arrays"):
            self._sent[name] += counts[name]
        self._running = running

    def _ready(self, counted: Counted) -> tuple[dict[str, int], list[bytes], set[int]]:
        """What a batch takes of each limit, the bodies of its frames, and the passes that are under way after it.
        RecordingError where it does not fit."""
        counts = self._census.counts(counted)
        problem = self._room.lacks(counts)
        if problem is None:
            bodies = [body for piece in batches(counted.batch, counted.sizes) for body in _bodies(piece)]
            counts["facts"] = max(sum(map(len, bodies)) - counts["bytes"], 0)
            problem = self._room.lacks(counts)
        if problem is not None:
            raise problem
        return counts, bodies, self._passes_after(counted)

    def _write(self, body: bytes) -> None:
        self.write(BATCH, body)
        self.frames += 1

    def _passes_after(self, counted: Counted) -> set[int]:
        """The passes that are under way after a batch. TooMuchError where there are too many inside one another."""
        running = set(self._running)
        if self._passes.keys().isdisjoint(counted.forms):
            return running
        rows, lengths = np.frombuffer(counted.batch.rows, "<i4"), np.frombuffer(counted.batch.lengths, "<u2")
        begins = np.cumsum(lengths, dtype=np.int64) - lengths
        for row in [row for row, form in enumerate(counted.forms) if form in self._passes]:
            event = self._passes[counted.forms[row]]
            number = event.number if event.number > HOLE else int(rows[begins[row] + 3 + HOLE - event.number])
            if isinstance(event, BackwardEnded):
                running.discard(number)
                continue
            running.add(number)
            if len(running) > NESTED.value():
                raise TooMuchError(NESTED.past())
        return running

    def _cut(self, counted: Counted, error: RecordingError) -> None:
        """Send the beginning of a batch that does not fit: as many events as do, and none that names what does not."""
        self.cut = error
        tape = self._census.assembly.tape()
        left = self._room.left
        held = np.cumsum(np.maximum(np.array(counted.sizes, np.int64), 0))
        most = {
            "sites": min(len(counted.batch.sites), left["sites"]),
            "scopes": min(len(counted.nests), left["scopes"]),
            "arrays": min(int(np.searchsorted(held, left["bytes"], "right")), left["arrays"], len(counted.kinds)),
        }
        first = self._census.assembly.forms - len(counted.batch.forms)
        high = min(_before(tape, {name: self._sent[name] + count for name, count in most.items()}), left["events"])
        named = _named(tape, self._sent)
        low = -1
        while low < high:
            middle = (low + high + 1) // 2
            try:
                self._ready(_beginning(counted, first, middle, most, named))
            except RecordingError:
                high = middle - 1
            else:
                low = middle
        if low >= 0:
            self._send(_beginning(counted, first, low, most, named))
        events = tape.decoded(0, len(counted.forms))
        self._introduce(events, max(low, 0))
        self._plainly(events[max(low, 0) :])

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
        while plain:
            few = plain[:ROWS]
            del plain[:ROWS]
            try:
                self._say(few)
            except RecordingError as error:
                self.full = error
                size = len(few)
                while size > 1:  # as many as fit
                    size = (size + 1) // 2
                    with suppress(RecordingError):
                        self._say(few[:size])
                        del few[:size]
                return

    def _say(self, events: Sequence[AnyEvent]) -> None:
        """Send events that need no forms of the recorder's."""
        body = encode(batch_of(events, forms=self._sent["forms"]))
        printed = sum([len(event.text) for event in events if isinstance(event, Printed)])
        self._room.spend({"events": len(events), "forms": len(events), "printed": printed, "facts": len(body)})
        self._write(body)
        self._sent["forms"] += len({id(event) for event in events})
        self._running.difference_update([event.number for event in events if isinstance(event, BackwardEnded)])

    def _is_plain(self, event: AnyEvent) -> bool:
        return isinstance(event, PLAIN) or (isinstance(event, BackwardEnded) and event.number in self._running)

    def _placed(self, event: AnyEvent) -> AnyEvent:
        """An event without the place that was not sent."""
        if event.site < self._sent["sites"] and event.scope < self._sent["scopes"]:
            return event
        return msgspec.structs.replace(event, site=NOTHING, scope=NOTHING)

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
            told = OpRan(INTRODUCED.name, outputs=tuple(outputs))
            self._write(encode(batch_of([told], ops=[INTRODUCED], forms=self._sent["forms"])))
            self._sent["forms"] += 1


def _bodies(batch: Batch) -> Iterator[bytes]:
    """A batch as the bodies of frames. RecordingError for one that is too large and cannot be divided."""
    body = encode(batch)
    if len(body) <= FRAME.value():
        yield body
        return
    pieces = halves(batch)
    if not pieces:
        raise TooMuchError(FRAME.past())
    for piece in pieces:
        yield from _bodies(piece)


def _beginning(counted: Counted, first: int, events: int, most: dict[str, int], named: dict[str, Numbers]) -> Counted:
    """The first events of a batch, and of the tables what fits and these events name; `first` forms have gone before."""
    batch = counted.batch
    most = most | {name: min(most[name], int(each[events - 1]) if events else 0) for name, each in named.items()}
    ends = [np.cumsum(np.frombuffer(lengths, "<u2"), dtype=np.int64) for lengths in (batch.lengths, batch.scope_lengths)]
    rows, scopes = (int(end[count - 1]) if count else 0 for end, count in zip(ends, (events, most["scopes"]), strict=True))
    used = max(counted.forms[:events], default=-1) + 1 - first
    sizes = counted.sizes[: most["arrays"]]
    made = changed(
        batch,
        forms=batch.forms[: max(used, 0)],
        rows=batch.rows[: WIDTH * rows],
        lengths=batch.lengths[: 2 * events],
        sites=batch.sites[: most["sites"]],
        scopes=batch.scopes[: WIDTH * scopes],
        scope_lengths=batch.scope_lengths[: 2 * most["scopes"]],
        arrays=batch.arrays[: WIDTH * most["arrays"]],
        data=batch.data[: sum([size for size in sizes if size > 0])],
    )
    return Counted(counted.forms[:events], counted.nests[: most["scopes"]], counted.kinds[: most["arrays"]], sizes, made)


def _before(tape: Tape, most: dict[str, int]) -> int:
    """How many events there are before the first that names a site, scope or array that there is no room for."""
    missing = (tape.site >= most["sites"]) | (tape.scope >= most["scopes"])
    for steps, ids in array_references(tape):
        missing[steps[ids >= most["arrays"]]] = True
    opened = tape.tables[OpRan]["opened"] >= most["sites"]
    missing[tape.steps(OpRan)[opened]] = True
    return int(np.argmax(missing)) if bool(missing.any()) else tape.size


def _named(tape: Tape, gone: dict[str, int]) -> dict[str, Numbers]:
    """For each event how many of the batch's scopes and arrays are named up to it; so many have `gone` before."""
    array = np.full(tape.size, NOTHING, np.int64)
    for steps, ids in array_references(tape):
        np.maximum.at(array, steps, ids)
    named = {"scopes": tape.scope.astype(np.int64), "arrays": array}
    return {name: np.maximum(np.maximum.accumulate(each) + 1 - gone[name], 0) for name, each in named.items()}


def _writable(batch: Batch, forms: int) -> tuple[Batch, RecordingError | None]:
    """A batch up to its first event that is no fact (half a character, a number of more than 64 bits), and what is wrong with
    that; `forms` have gone before."""
    if not batch.forms or _problem(batch.forms) is None:
        return batch, None
    good = next(k for k, form in enumerate(batch.forms) if _problem([form]) is not None)
    rows, lengths = np.frombuffer(batch.rows, "<i4"), np.frombuffer(batch.lengths, "<u2")
    ends = np.cumsum(lengths, dtype=np.int64)
    later = rows[ends - lengths] >= forms + good
    events = int(np.argmax(later)) if bool(later.any()) else len(later)
    size = int(ends[events - 1]) if events else 0
    beginning = changed(batch, forms=batch.forms[:good], rows=batch.rows[: WIDTH * size], lengths=batch.lengths[: 2 * events])
    return beginning, _problem([batch.forms[good]])


def _problem(forms: list[AnyEvent]) -> RecordingError | None:
    try:
        for first in range(0, len(forms), ROWS):
            decode_batch(encode(Batch(forms[first : first + ROWS])))
    except (ValueError, OverflowError, TypeError) as error:
        return RecordingError(str(error))
    return None


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


def _with_sound_rules(op: OpInfo) -> OpInfo:
    """An operation without the texts that are longer than any."""
    try:
        check_rules(op)
    except RecordingError:
        return msgspec.structs.replace(op, rules=(), outputs=(), traits=())
    return op
