"""The state of the program after any event: values, gradients kept, gradients on their way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .events import NOTHING, Accumulated, AnyEvent, NodeRan, OpRan, TensorInfo
from .index import Arrival, Index, LedgerRow, Pass, index_of
from .recording import Recording


@dataclass(frozen=True, slots=True)
class TensorState:
    """One tensor at one step; arrays, nodes and tensors are named by id, NOTHING (-1) for none."""

    id: int
    value: int
    grad: int
    version: int
    requires_grad: bool
    is_leaf: bool
    node: int
    output: int
    retains_grad: bool
    name: str
    info: TensorInfo
    born: int
    op: OpRan


@dataclass(frozen=True, slots=True)
class Flow:
    """A gradient on its way along one autograd edge."""

    source: int
    edge: int
    """Position in the source's `next_functions`."""
    target: int
    input: int
    array: int


class BackwardState:
    """A running backward pass at one step."""

    def __init__(self, recording: Recording, entry: Pass, step: int) -> None:
        self._recording, self._pass, self.step = recording, entry, step
        self.number = entry.number
        self.event = entry.event

    @cached_property
    def node(self) -> int:
        """The node whose rule ran at this very step, or NOTHING."""
        event = self._recording.events[self.step]
        if isinstance(event, NodeRan | Accumulated) and event.number == self.number:
            return event.node
        return NOTHING

    @cached_property
    def flowing(self) -> tuple[Flow, ...]:
        """The gradients that the running node sends at this step."""
        event = self._recording.events[self.step]
        if not isinstance(event, NodeRan) or event.number != self.number:
            return ()
        return tuple(
            Flow(event.node, edge, sent.node, sent.input, sent.array)
            for edge, sent in enumerate(event.sent)
            if sent is not None
        )

    @cached_property
    def done(self) -> tuple[int, ...]:
        """The nodes that have run, in order, the running one included."""
        return tuple(self._pass.ran.until(self.step))

    def has_run(self, node: int) -> bool:
        """Whether the node has run in this pass."""
        return self._pass.ran_at.get(node, self.step + 1) <= self.step

    def received(self, node: int) -> tuple[Arrival, ...]:
        """The gradients that have reached a node in this pass so far."""
        track = self._pass.arrivals.get(node)
        return () if track is None else tuple(track.until(self.step))

    @cached_property
    def buffers(self) -> dict[int, tuple[Arrival, ...]]:
        """Nodes that have received gradients and not run yet. Linear in the pass, so ask `received` for one node."""
        ran_at = self._pass.ran_at
        return {
            node: self.received(node)
            for node, track in self._pass.arrivals.items()
            if track.steps[0] <= self.step < ran_at.get(node, self.step + 1)
        }


class State:
    """The program after event `step`; -1 is before the first. What takes time is worked out when asked for."""

    def __init__(self, recording: Recording, step: int) -> None:
        self.recording = recording
        self.step = step
        self._index: Index = index_of(recording)

    @property
    def event(self) -> AnyEvent | None:
        """The event that led here."""
        return self.recording.events[self.step] if self.step >= 0 else None

    @cached_property
    def names(self) -> dict[str, int]:
        """The global names now bound to tensors."""
        return self.locals("")

    def locals(self, function: str) -> dict[str, int]:
        """The names now bound to tensors in a function ("" for the globals)."""
        bound = {}
        for (where, name), track in self._index.names.items():
            if where == function:
                tensor = track.at(self.step, NOTHING)
                if tensor != NOTHING:
                    bound[name] = tensor
        return bound

    @cached_property
    def tensors(self) -> tuple[int, ...]:
        """The tensors made so far, in order."""
        return tuple(self._index.born_by(self.step))

    def __contains__(self, tensor: int) -> bool:
        history = self._index.tensors.get(tensor)
        return history is not None and history.born <= self.step

    def __iter__(self) -> Iterator[TensorState]:
        return map(self.tensor, self.tensors)

    def tensor(self, id: int) -> TensorState:
        """One tensor as it is now; KeyError if it has not been made yet."""
        if id not in self:
            raise KeyError(id)
        history = self._index.tensors[id]
        status = history.status(self.step)
        return TensorState(
            id=id,
            value=status.array,
            grad=history.grad(self.step),
            version=status.version,
            requires_grad=status.requires_grad,
            is_leaf=status.is_leaf,
            node=status.node,
            output=status.output,
            retains_grad=0 <= history.retained <= self.step,
            name=history.name(self.step),
            info=history.info,
            born=history.born,
            op=history.op,
        )

    @cached_property
    def backward(self) -> BackwardState | None:
        """The (innermost) backward pass that is running, or None."""
        entry = self._index.running.at(self.step, None)
        return None if entry is None else BackwardState(self.recording, entry, self.step)

    def ledger(self, tensor: int) -> list[LedgerRow]:
        """The history of a tensor's `.grad` up to now."""
        history = self._index.tensors.get(tensor)
        return [] if history is None or history.ledger is None else history.ledger.until(self.step)


def replay(recording: Recording, step: int) -> State:
    """The state after event `step` (-1 for the start). The first call indexes the recording, in linear time."""
    if not -1 <= step < len(recording.events):
        raise IndexError(f"step {step} of a recording with {len(recording.events)} events")
    return State(recording, step)
