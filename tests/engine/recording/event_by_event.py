"""The index of a recording as one writes it up who reads the log from its first event to its last."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from engine.recording.events import (
    NOTHING,
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
    Stepped,
    TensorInfo,
    Warned,
)
from engine.recording.index import Arrival, LedgerRow, Status
from engine.recording.recording import Recording

T = TypeVar("T")


class StepFunction(Generic[T]):
    """A value that changes with the steps; `at` is a binary search."""

    __slots__ = ("steps", "values")

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.values: list[T] = []

    def put(self, step: int, value: T) -> None:
        """Set the value from `step` on; steps never go back."""
        if self.steps and self.steps[-1] == step:
            self.values[-1] = value
        else:
            self.steps.append(step)
            self.values.append(value)

    def at(self, step: int, default: T) -> T:
        """The value after event `step`, or the default if none was set by then."""
        position = bisect_right(self.steps, step)
        return self.values[position - 1] if position else default

    def until(self, step: int) -> list[T]:
        """All values set up to and including `step`."""
        return self.values[: bisect_right(self.steps, step)]


@dataclass(slots=True, eq=False)
class TensorHistory:
    """One tensor through the whole recording."""

    info: TensorInfo
    born: int
    op: OpRan
    first_name: str = ""
    retained: int = -1
    """The step of `retain_grad()`, or -1."""
    changes: StepFunction[Status] | None = None
    """Only tensors that change after their birth have these, which most in a long run never do."""
    names: StepFunction[str] | None = None
    ledger: StepFunction[LedgerRow] | None = None

    def status(self, step: int) -> Status:
        """Array, version, flags and node after event `step`."""
        return self.birth if self.changes is None else self.changes.at(step, self.birth)

    @property
    def birth(self) -> Status:
        """The status the tensor was made with."""
        info = self.info
        return Status(info.array, info.version, info.requires_grad, info.is_leaf, info.node, info.output)

    def grad(self, step: int) -> int:
        """The array of `.grad` after event `step`, or NOTHING."""
        row = None if self.ledger is None else self.ledger.at(step, None)
        return NOTHING if row is None else row.total

    def name(self, step: int) -> str:
        """The program's name for the tensor after event `step`, or ""."""
        return "" if self.names is None else self.names.at(step, "")


@dataclass(slots=True, eq=False)
class NodeHistory:
    """One autograd node and where it came from."""

    info: NodeInfo
    born: int
    event: OpRan | BackwardBegan
    """The op that made it, or the pass that met it first."""


@dataclass(slots=True, eq=False)
class Pass:
    """One backward pass through the whole recording."""

    number: int
    event: BackwardBegan
    began: int
    ended: int
    """The step at which it is over; the number of events if the log ends first."""
    ran: StepFunction[int] = field(default_factory=StepFunction)
    """The nodes in the order in which they ran."""
    ran_at: dict[int, int] = field(default_factory=dict)
    arrivals: dict[int, StepFunction[Arrival]] = field(default_factory=dict)
    fills: dict[int, list[int]] = field(default_factory=dict)
    """Steps at which the pass adds to a tensor's `.grad`."""


@dataclass(slots=True, eq=False)
class Index:
    """What one pass over the log found."""

    tensors: dict[int, TensorHistory] = field(default_factory=dict)
    births: StepFunction[list[int]] = field(default_factory=StepFunction)
    nodes: dict[int, NodeHistory] = field(default_factory=dict)
    passes: dict[int, Pass] = field(default_factory=dict)
    running: StepFunction[Pass | None] = field(default_factory=StepFunction)
    names: dict[tuple[str, str], StepFunction[int]] = field(default_factory=dict)
    """(function, name) → the tensor it is bound to."""
    owners: dict[tuple[int, int], int] = field(default_factory=dict)
    """(node, output) → the tensor whose `grad_fn` it is or was; for AccumulateGrad, the leaf it fills."""
    stepping: set[int] = field(default_factory=set)
    """The steps inside optimizers' steps, their `Stepped` events included."""


class Indexer:
    """Reads the log."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.index = Index()
        self.stack: list[Pass] = []
        # Per tensor the names now bound to it, globals and locals apart, each in the order of binding.
        # OrderedDict because taking the first key of a dict whose front was deleted is linear.
        self.bound: dict[int, tuple[OrderedDict[str, None], OrderedDict[tuple[str, str], None]]] = {}

    def run(self) -> Index:
        for step, event in enumerate(self.recording.events):
            match event:
                case OpRan():
                    self.op(step, event)
                case Named():
                    self.named(step, event)
                case NodeRan():
                    self.node_ran(step, event)
                case Accumulated():
                    self.accumulated(step, event)
                case GradSet():
                    self.ledger(step, event.tensor, event.how, 0, event, NOTHING, event.array)
                case BackwardBegan():
                    self.began(step, event)
                case BackwardEnded():
                    self.ended(step, event.number)
                case FlagSet():
                    self.flag(step, event)
                case Stepped():
                    self.stepped(step, event)
                case Raised():
                    for entry in self.stack[::-1]:
                        self.ended(step, entry.number)
                case Read() | HookRan() | Printed() | Warned() | CellBegan() | CellEnded():
                    pass
        return self.index

    def op(self, step: int, event: OpRan) -> None:
        for node in event.accumulators:
            self.node(step, node, event)
        if event.node is not None:
            self.node(step, event.node, event)
        if event.outputs:
            self.index.births.put(step, [info.id for info in event.outputs])
        for info in event.outputs:
            self.index.tensors[info.id] = TensorHistory(info, step, event)
            if info.node != NOTHING:
                self.index.owners.setdefault((info.node, info.output), info.id)
        for write in event.written:
            self.change(
                step,
                write.tensor,
                Status(write.array, write.version, write.requires_grad, write.is_leaf, write.node, write.output),
            )

    def node(self, step: int, node: NodeInfo, event: OpRan | BackwardBegan) -> None:
        self.index.nodes[node.id] = NodeHistory(node, step, event)
        if node.variable != NOTHING:
            self.index.owners[node.id, 0] = node.variable

    def change(self, step: int, tensor: int, status: Status) -> None:
        history = self.index.tensors[tensor]
        if history.changes is None:
            history.changes = StepFunction()
        history.changes.put(step, status)
        if status.node != NOTHING:
            self.index.owners.setdefault((status.node, status.output), tensor)

    def flag(self, step: int, event: FlagSet) -> None:
        history = self.index.tensors[event.tensor]
        if event.flag == "requires_grad":
            now = history.status(step)._replace(requires_grad=event.value)
            # A result of which no gradient is wanted any more was detached in place: it has no node, and is a leaf.
            self.change(step, event.tensor, now if event.value else now._replace(is_leaf=True, node=NOTHING, output=0))
        elif history.retained < 0:
            history.retained = step

    def named(self, step: int, event: Named) -> None:
        key = (event.function, event.name)
        binding = self.index.names.get(key)
        if binding is None:
            binding = self.index.names[key] = StepFunction()
        before = binding.values[-1] if binding.values else NOTHING
        binding.put(step, event.tensor)
        if before == event.tensor:
            return
        if before != NOTHING:
            globals_, locals_ = self.bound[before]
            (locals_.pop(key) if event.function else globals_.pop(event.name))
            self.rename(step, before)
        if event.tensor != NOTHING:
            globals_, locals_ = self.bound.setdefault(event.tensor, (OrderedDict(), OrderedDict()))
            if event.function:
                locals_[key] = None
            else:
                globals_[event.name] = None
            self.rename(step, event.tensor)

    def rename(self, step: int, tensor: int) -> None:
        """A tensor goes by its oldest binding, a global's before a local's, and by its last name when none is left."""
        globals_, locals_ = self.bound[tensor]
        if globals_:
            name = next(iter(globals_))
        elif locals_:
            name = next(iter(locals_))[1]
        else:
            return
        history = self.index.tensors[tensor]
        if history.names is None:
            history.names = StepFunction()
            history.first_name = name
        if history.names.at(step, "") != name:
            history.names.put(step, name)

    def stepped(self, step: int, event: Stepped) -> None:
        """What an optimizer does happens at one site of the program, where the optimizer says so afterwards."""
        stepping, parameters = self.index.stepping, set(event.parameters)
        stepping.add(step)
        for earlier in range(step - 1, -1, -1):
            before = self.recording.events[earlier]
            if not isinstance(before, OpRan) or earlier in stepping:
                break
            if before.site != event.site or event.site == NOTHING:
                targets = [write.tensor for write in before.written]
                if before.outputs or not targets or not parameters.issuperset(targets):
                    break
            stepping.add(earlier)

    def began(self, step: int, event: BackwardBegan) -> None:
        for node in event.nodes:
            self.node(step, node, event)
        entry = Pass(event.number, event, step, len(self.recording.events))
        self.index.passes[event.number] = entry
        self.stack.append(entry)
        self.index.running.put(step, entry)
        for (_, array), (root, input) in zip(event.roots, event.root_nodes, strict=False):
            self.arrive(entry, root, Arrival(step, input, array, NOTHING, NOTHING))

    def ended(self, step: int, number: int) -> None:
        entry = self.index.passes[number]
        entry.ended = step
        self.stack.remove(entry)
        self.index.running.put(step, self.stack[-1] if self.stack else None)

    def node_ran(self, step: int, event: NodeRan) -> None:
        entry = self.index.passes[event.number]
        self.ran(step, entry, event.node)
        for edge, sent in enumerate(event.sent):
            if sent is not None:
                self.arrive(entry, sent.node, Arrival(step, sent.input, sent.array, event.node, edge))

    def ran(self, step: int, entry: Pass, node: int) -> None:
        if node not in entry.ran_at:
            entry.ran.put(step, node)
            entry.ran_at[node] = step

    def accumulated(self, step: int, event: Accumulated) -> None:
        entry = self.index.passes[event.number]
        entry.fills.setdefault(event.tensor, []).append(step)
        self.ledger(step, event.tensor, "backward", event.number, event, event.increment, event.total)
        # An engine may report that an AccumulateGrad ran by this alone.
        if event.node != NOTHING and self.index.nodes[event.node].info.variable != NOTHING:
            self.ran(step, entry, event.node)

    def arrive(self, entry: Pass, node: int, arrival: Arrival) -> None:
        track = entry.arrivals.get(node)
        if track is None:
            track = entry.arrivals[node] = StepFunction()
        track.steps.append(arrival.step)
        track.values.append(arrival)

    def ledger(self, step: int, tensor: int, kind: str, number: int, event: AnyEvent, increment: int, total: int) -> None:
        line = self.recording.line(event)
        if not line and number:
            line = self.recording.line(self.index.passes[number].event)
        history = self.index.tensors[tensor]
        if history.ledger is None:
            history.ledger = StepFunction()
        history.ledger.put(step, LedgerRow(step, kind, number, line, increment, total))
