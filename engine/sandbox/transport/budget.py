"""How much of a recording may still come: counted by the child before it sends, and by the parent when it has read.

Both count the same way, and the parent allows a little more, which is how the run ended. So what a valid child sends is
never refused, and what it does not send it can say itself: which limit the recording has come to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...limits import ARRAYS, COLUMNS, EVENTS, FACTS, FIGURES, KEPT, MB, OUTPUT, PARTS, ROWS, SMALL, Row
from ...recording.assembly import Assembly
from ...recording.batch import Batch
from ...recording.events import (
    Accumulated,
    AnyEvent,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
    Drew,
    FlagSet,
    GradSet,
    HookRan,
    Named,
    NodeInfo,
    NodeRan,
    OpRan,
    Printed,
    Raised,
    Read,
    Stepped,
    Thinned,
    Warned,
)
from ...recording.recording import Recording
from ...recording.store import GONE, TooMuchError
from ...recording.tables import Tape, size_of
from .messages import Limits, most_events

RESERVED = {"events": 16, "facts": 16}
"""The part of a limit, one in so many, that is kept for what a program prints and how it ends when all the rest is used up."""
ENDING = {"events": 4, "sites": 1, "parts": 100_000, "facts": MB, "printed": 200}
"""What the parent allows beyond the limits, for how a run ended: `Ending` in `engine.sandbox.transport.sender`."""
OF_EVENT, OF_RUN = 20, 10_000
"""How many scopes, and how many arrays, there are at most for each event that a run may record, and how many in any run: where
a recording grows thinner, it has scopes of iterations of which nothing is noted."""
TABLES = ("events", "sites", "scopes", "arrays", "ops")
FORMS = ("forms", "nests", "kinds", "texts")
"""What batches have beside these."""


class SpentError(TooMuchError):
    """A recording has come to a limit of its own: there is no room for more, and the program may go on."""


class Room:
    """What is left of each limit."""

    def __init__(self, limits: Limits, *, ending: bool = False) -> None:
        extra = ENDING if ending else {"printed": ENDING["printed"]}
        events = most_events(limits)
        self.rows: dict[str, tuple[Row, int]] = {
            "events": (EVENTS, events),
            **dict.fromkeys(("scopes", "arrays"), (COLUMNS, min(OF_EVENT * events + OF_RUN, COLUMNS.value()))),
            "figures": (FIGURES, FIGURES.value()),
            **dict.fromkeys(("sites", "ops", *FORMS), (ROWS, ROWS.value())),
            "bytes": (ARRAYS, ARRAYS.value()),
            "kept": (KEPT, limits.array_bytes),
            "facts": (FACTS, limits.facts),
            "parts": (PARTS, limits.parts),
            "printed": (OUTPUT, limits.output_chars),
        }
        """The row of the table, and the limit, of everything that is counted."""
        self.left = {name: most + extra.get(name, 0) for name, (_, most) in self.rows.items()}

    def take_all(self, recording: Recording) -> None:
        """Count a whole recording in, whose events are not looked at one by one.

        Raises:
            TooMuchError: when there is no room for all of it.
        """
        for name in TABLES:
            self.less(name, len(getattr(recording, name)))
        tape, arrays = recording.tape, recording.stored
        held = arrays.bytes[arrays.start != GONE]
        self.less("bytes", int(held.sum()))
        self.less("kept", int(held[held > _SMALL].sum()))
        tables = (*tape.tables.values(), tape.sites, tape.scopes)
        self.less("facts", sum([len(text) for text in tape.texts]) + sum([table.bytes for table in tables]))
        self.less("parts", tape_parts(tape) + arrays.table.children["shape"].size)
        lengths = np.array([len(text) for text in tape.texts], np.int64)
        self.less("printed", int(lengths[tape.tables[Printed]["text"]].sum()))
        self.less("figures", tape.tables[Drew].size)

    def lacks(self, counts: dict[str, int]) -> TooMuchError | None:
        """What there is no room for; None when there is room for everything."""
        return next((self.over(name) for name, count in counts.items() if count > self.left[name]), None)

    def spend(self, counts: dict[str, int]) -> None:
        """Count something in.

        Raises:
            TooMuchError: when there is no room for all of it.
        """
        problem = self.lacks(counts)
        if problem is not None:
            raise problem
        for name, count in counts.items():
            self.left[name] -= count

    def less(self, name: str, count: int) -> None:
        """Count so many of one thing in.

        Raises:
            TooMuchError: when there is no room for them.
        """
        if count > self.left[name]:
            raise self.over(name)
        self.left[name] -= count

    def over(self, name: str) -> TooMuchError:
        """The error for a program that went past a limit."""
        row, most = self.rows[name]
        kind = TooMuchError if name == "printed" else SpentError
        return kind(row.past(most))


_SMALL = SMALL.value()


class Census:
    """Counts what batches hold. What is said once and meant often counts as often as it is meant."""

    def __init__(self) -> None:
        self.assembly = Assembly()
        self._parts: list[int] = []
        """The parts of each form of an event, and of each form of a scope and kind of array."""
        self._printed: list[int] = []
        self._drawn: list[bool] = []
        self._nests: list[int] = []
        self._kinds: list[int] = []

    def take(self, batch: Batch) -> Counted:
        """Take the next batch.

        Raises:
            RecordingError: for one that does not fit together.
        """
        for form in batch.forms:
            self._parts.append(event_parts(form))
            self._printed.append(len(form.text) if isinstance(form, Printed) else 0)
            self._drawn.append(isinstance(form, Drew))
        for nest in batch.nests:
            self._nests.append(len(nest.loops) + len(nest.calls) + len(nest.around))
        for kind in batch.kinds:
            self._kinds.append(len(kind.shape))
        return Counted(*self.assembly.add(batch), batch)

    def counts(self, counted: Counted) -> dict[str, int]:
        """What of each limit a batch takes, but for the bytes of the message."""
        batch = counted.batch
        held = [size for size in counted.sizes if size > 0]
        parts = sum([self._parts[form] for form in counted.forms])
        parts += sum([self._nests[nest] for nest in counted.nests]) + sum([self._kinds[kind] for kind in counted.kinds])
        return {
            "events": len(counted.forms),
            "sites": len(batch.sites),
            "scopes": len(counted.nests),
            "arrays": len(counted.kinds),
            "ops": len(batch.ops),
            **{name: len(getattr(batch, name)) for name in FORMS},
            "bytes": sum(held),
            "kept": sum([size for size in held if size > _SMALL]),
            "parts": parts,
            "printed": sum([self._printed[form] for form in counted.forms]),
            "figures": sum([self._drawn[form] for form in counted.forms]),
        }


class Counted(NamedTuple):
    """A batch, and the numbers of its events' forms, of its scopes' forms, of its arrays' kinds, and the arrays' bytes."""

    forms: list[int]
    nests: list[int]
    kinds: list[int]
    sizes: list[int]
    batch: Batch


def event_parts(event: AnyEvent) -> int:
    """How many things an event consists of, as far as there may be any number in one."""
    count = _PARTS[event.__class__]
    return count(event) if count is not None else 0


def parts_of_events(tape: Tape) -> int:
    """The same for all events of a log in columns: whatever stands in a table below that of its events."""
    return sum([size_of(table) - table.size for table in tape.tables.values()])


def tape_parts(tape: Tape) -> int:
    """The same for a whole log in columns, with the loops and calls of its scopes."""
    return parts_of_events(tape) + size_of(tape.scopes) - tape.scopes.size


def _of_op(event: OpRan) -> int:
    # This runs for every operation, on both sides: loops, because a list comprehension costs a call.
    count = len(event.inputs) + len(event.written)
    for info in event.outputs:
        count += 1 + len(info.shape)
    if event.node is not None:
        count += 1 + len(event.node.edges) + len(event.node.saved)
    return count + _of_nodes(event.accumulators) if event.accumulators else count


def _of_nodes(nodes: Sequence[NodeInfo]) -> int:
    return sum([1 + len(node.edges) + len(node.saved) for node in nodes])


def _of_backward(event: BackwardBegan) -> int:
    return len(event.roots) + len(event.root_nodes) + len(event.inputs) + _of_nodes(event.nodes)


_PARTS: dict[type, Callable[[Any], int] | None] = {
    OpRan: _of_op,
    NodeRan: lambda event: len(event.received) + len(event.sent),
    BackwardBegan: _of_backward,
    Stepped: lambda event: len(event.parameters) + len(event.idle) + len(event.rates),
    Named: None,
    Accumulated: None,
    FlagSet: None,
    BackwardEnded: None,
    GradSet: None,
    HookRan: None,
    Read: None,
    Printed: None,
    Drew: None,
    Warned: None,
    Thinned: None,
    Raised: None,
    CellBegan: None,
    CellEnded: None,
}
"""Kind of event → how its parts are counted; None where there are none."""
