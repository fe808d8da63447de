"""How much of a recording may still come: counted by the child before it sends, and by the parent when it has read.

Both count the same way, and the parent allows a little more, which is how the run ended. So what a valid child sends is
never refused, and what it does not send it can say itself: which limit the recording has come to.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...limits import ARRAYS, EVENTS, FACTS, KEPT, MB, OUTPUT, PARTS, ROWS, SMALL, Row
from ...recording.events import (
    Accumulated,
    AnyEvent,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
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
    Scope,
    Stepped,
    Warned,
)
from ...recording.store import StoredArray, TooMuchError
from .messages import Batch, Limits, most_events

ENDING = {"events": 4, "sites": 1, "parts": 100_000, "facts": MB, "printed": 200}
"""What the parent allows beyond the limits, for how a run ended: `Ending` in `engine.sandbox.transport.sender`."""
TABLES = ("events", "sites", "scopes", "arrays", "ops")


class Room:
    """What is left of each limit."""

    def __init__(self, limits: Limits, *, ending: bool = False) -> None:
        extra = ENDING if ending else {"printed": ENDING["printed"]}
        self.rows: dict[str, tuple[Row, int]] = {
            "events": (EVENTS, most_events(limits)),
            **dict.fromkeys(("sites", "scopes", "arrays", "ops"), (ROWS, ROWS.value())),
            "bytes": (ARRAYS, ARRAYS.value()),
            "kept": (KEPT, limits.array_bytes),
            "facts": (FACTS, limits.facts),
            "parts": (PARTS, limits.parts),
            "printed": (OUTPUT, limits.output_chars),
        }
        """The row of the table, and the limit, of everything that is counted."""
        self.left = {name: most + extra.get(name, 0) for name, (_, most) in self.rows.items()}

    def take(self, batch: Batch, size: int) -> None:
        """Count a batch of `size` bytes in.

        Raises:
            TooMuchError: when there is no room for all of it.
        """
        self.spend(tables=batch)
        self.spend(arrays=batch.arrays, size=size)
        self.spend(parts=table_parts(batch.scopes, batch.arrays) + sum(map(event_parts, batch.events)))
        self.spend(printed=sum(len(e.text) for e in batch.events if isinstance(e, Printed)))

    def spend(
        self,
        *,
        tables: Batch | None = None,
        arrays: Sequence[StoredArray] = (),
        size: int = 0,
        parts: int = 0,
        printed: int = 0,
    ) -> None:
        """Count some of a batch in.

        Raises:
            TooMuchError: when there is no room for it.
        """
        if tables is not None:
            for name in TABLES:
                self.less(name, len(getattr(tables, name)))
        held = [len(a.data) for a in arrays if a.data is not None]
        self.less("bytes", sum(held))
        self.less("kept", sum([n for n in held if n > _SMALL]))
        self.less("facts", max(size - sum(held), 0))
        self.less("parts", parts)
        self.less("printed", printed)

    def missing(self, arrays: Sequence[StoredArray], size: int) -> TooMuchError | None:
        """What there is no room for when a message of `size` bytes brings these arrays; None when there is."""
        held = sum([len(a.data) for a in arrays if a.data is not None])
        return (
            self.over("bytes")
            if held > self.left["bytes"]
            else self.over("facts")
            if size - held > self.left["facts"]
            else None
        )

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
        return TooMuchError(row.past(most))


_SMALL = SMALL.value()


def table_parts(scopes: Sequence[Scope], arrays: Sequence[StoredArray]) -> int:
    """How many things some rows consist of, as far as there may be any number in one."""
    return sum([len(scope.loops) for scope in scopes]) + sum([len(array.shape) for array in arrays])


def event_parts(event: AnyEvent) -> int:
    """How many things an event consists of, as far as there may be any number in one."""
    match event:
        case OpRan():
            count = len(event.inputs) + len(event.written) + sum([len(t.shape) + 1 for t in event.outputs])
            nodes = event.accumulators if event.node is None else (event.node, *event.accumulators)
            return count + _node_parts(nodes)
        case NodeRan():
            return len(event.received) + len(event.sent)
        case BackwardBegan():
            return len(event.roots) + len(event.root_nodes) + len(event.inputs) + _node_parts(event.nodes)
        case Stepped():
            return len(event.parameters) + len(event.idle)
        case (
            Named() | Accumulated() | FlagSet() | BackwardEnded() | GradSet() | HookRan() | Read() | Printed() |
            Warned() | Raised() | CellBegan() | CellEnded()
        ):  # fmt: skip
            return 0


def _node_parts(nodes: Sequence[NodeInfo]) -> int:
    return sum([1 + len(node.edges) + len(node.saved) for node in nodes])
