"""Whether a recording's references hold: every tensor, node, array, site and pass that an event names exists by then.

The autograd graph is checked to be acyclic too, so code that walks a loaded recording needs no guard of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, Protocol

from .. import limits
from .events import (
    BY_BACKWARD,
    LEVELS,
    NOTHING,
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
    Scope,
    Site,
    Stepped,
    TensorInfo,
    Thinned,
    Warned,
)
from .store import MAX_DIMS, RecordingError, StoredArray, TooMuchError

_LIMIT = limits.NUMBER.value()
_MAX_SIZE = limits.SIZE.value()
_MAX_NESTED = limits.NESTED.value()
"""Backward passes running inside one another (through hooks and custom functions)."""


class Tables(Protocol):
    """The part of a recording that is looked at here."""

    source: tuple[str, ...]

    @property
    def events(self) -> Sequence[AnyEvent]: ...
    @property
    def sites(self) -> Sequence[Site]: ...
    @property
    def scopes(self) -> Sequence[Scope]: ...


def check_references(recording: Tables, arrays: int) -> None:
    """Raise RecordingError at the first event that refers to what is not there."""
    checker = References(recording)
    checker.arrays = arrays
    checker.check(recording.events, recording.sites, recording.scopes, ())
    checker.end()


class References:
    """What has come to be so far in a log that is checked as a whole, or piece by piece as it comes in."""

    def __init__(self, recording: Tables) -> None:
        self.cells = max(len(recording.source), 1)
        self.sites = self.scopes = self.arrays = self.steps = 0
        self.tensors: set[int] = set()
        self.variables: set[int] = set()
        self.nodes: dict[int, NodeInfo] = {}
        self.passes: set[int] = set()
        self.running: set[int] = set()

    def check(
        self, events: Sequence[AnyEvent], sites: Sequence[Site], scopes: Sequence[Scope], arrays: Sequence[StoredArray]
    ) -> None:  # fmt: skip
        """Check the next piece; its events refer to its own tables and earlier ones.

        Raises:
            RecordingError: at the first thing that is impossible.
        """
        for array in arrays:
            array.check()
        self.tables(sites, scopes)
        self.sites += len(sites)
        self.scopes += len(scopes)
        self.arrays += len(arrays)
        for event in events:
            try:
                self.event(event)
            except RecordingError as error:
                raise type(error)(f"event {self.steps}: {error}") from None
            self.steps += 1

    def end(self) -> None:
        """Check what can only be known at the end."""
        if not self.variables <= self.tensors:
            raise RecordingError("AccumulateGrad of a tensor that does not exist")

    def tables(self, sites: Sequence[Site], scopes: Sequence[Scope]) -> None:
        for site in sites:
            if not 0 <= site.cell < self.cells:
                raise RecordingError("site in a cell that does not exist")
            if not all(0 <= number <= _LIMIT for number in (site.line, site.column, site.end_line, site.end_column)):
                raise RecordingError("site with impossible numbers")
        known = self.sites + len(sites)
        for scope in scopes:
            numbers = [scope.call, *(number for pair in (*scope.loops, *scope.around) for number in pair)]
            if not all(0 <= number <= _LIMIT for number in numbers):
                raise RecordingError("scope with impossible numbers")
            if len(scope.around) not in (0, len(scope.loops)):
                raise RecordingError("scope with loops of which it says too little")
            if not all(cell < self.cells and depth <= len(scope.calls) for cell, depth in scope.around):
                raise RecordingError("scope with loops around calls that it does not have")
            if not all(0 <= row < known for row, _ in scope.calls):
                raise RecordingError("scope with a call at a site that does not exist")

    def event(self, event: AnyEvent) -> None:
        """Check one event against everything before it, and remember what it adds."""
        _within(event.site, self.sites, "site")
        _within(event.scope, self.scopes, "scope")
        check = _CHECKS.get(event.__class__)
        if check is not None:
            check(self, event)

    def named(self, event: Named) -> None:
        self.tensor(event.tensor, optional=True)

    def of_tensor(self, event: FlagSet | Read) -> None:
        self.tensor(event.tensor)

    def accumulated(self, event: Accumulated) -> None:
        self.open_pass(event.number)
        self.tensor(event.tensor)
        self.array(event.increment, event.total)
        self.node(event.node, optional=True)

    def backward_ended(self, event: BackwardEnded) -> None:
        self.open_pass(event.number)
        self.running.remove(event.number)

    def grad_set(self, event: GradSet) -> None:
        if event.how == BY_BACKWARD:
            raise RecordingError("backward pass that is none changes a .grad")
        self.tensor(event.tensor)
        self.array(event.array)

    def hook_ran(self, event: HookRan) -> None:
        self.tensor(event.tensor, optional=True)
        self.node(event.node, optional=True)
        self.array(event.before, event.after)

    def stepped(self, event: Stepped) -> None:
        self.each_tensor(event.parameters)
        self.each_tensor(event.idle)

    def cell(self, event: CellBegan | CellEnded) -> None:
        if not 0 <= event.cell < self.cells:
            raise RecordingError("cell that does not exist")

    def thinned(self, event: Thinned) -> None:
        if event.level not in LEVELS or len(event.unit) not in (0, 3) or not NOTHING <= event.iteration <= _LIMIT:
            raise RecordingError("recording that grows neither thinner nor denser")
        if not all(0 <= number <= _LIMIT for number in event.unit):
            raise RecordingError("recording that grows thinner in a loop that cannot be")

    def raised(self, event: Raised) -> None:
        self.running.clear()

    def op(self, event: OpRan) -> None:
        _within(event.opened, self.sites, "site")
        if event.in_backward < 0 or (event.in_backward and event.in_backward not in self.passes):
            raise RecordingError("op in a backward pass that never began")
        nodes = [*event.accumulators, *([event.node] if event.node else [])]
        self.each_tensor(argument.tensor for argument in event.inputs if argument.tensor != NOTHING)
        self.new_nodes(nodes)
        for info in event.outputs:
            self.new_tensor(info)
        for write in event.written:
            self.tensor(write.tensor)
            self.array(write.array)
            self.output(write.node, write.output)
            _count(write.version, "version")
        for info in event.outputs:
            self.tensor(info.view_of, optional=True)
            self.tensor(info.grad_of, optional=True)
        self.described(nodes)

    def described(self, nodes: Sequence[NodeInfo]) -> None:
        for node in nodes:
            if node.variable != NOTHING:
                # A leaf that is older than the recording may be met after its node.
                self.variables.add(node.variable)
            for saved in node.saved:
                self.tensor(saved.tensor, optional=True)
                self.array(saved.array)

    def new_nodes(self, nodes: Sequence[NodeInfo]) -> None:
        for node in nodes:
            if node.id < 0 or node.id in self.nodes:
                raise RecordingError(f"node {node.id} is made twice or has no id")
            self.nodes[node.id] = node
        for node in nodes:
            for target, input in node.edges:
                self.node(target, optional=True)
                _count(input, "input number")
        # Edges lead to older nodes, so only the nodes that one event makes together could form a cycle.
        fresh = {node.id for node in nodes}
        graph = {node.id: [target for target, _ in node.edges if target in fresh] for node in nodes}
        if any(graph.values()):
            try:
                TopologicalSorter(graph).prepare()
            except CycleError:
                raise RecordingError("autograd graph with a cycle") from None

    def new_tensor(self, info: TensorInfo) -> None:
        if info.id < 0 or info.id in self.tensors:
            raise RecordingError(f"tensor {info.id} is made twice or has no id")
        if len(info.shape) > MAX_DIMS or any([not 0 <= size <= _MAX_SIZE for size in info.shape]):
            raise RecordingError("tensor of impossible shape")
        _count(info.version, "version")
        self.array(info.array)
        self.output(info.node, info.output)
        self.tensors.add(info.id)

    def backward(self, event: BackwardBegan) -> None:
        if event.number < 1 or event.number in self.passes:
            raise RecordingError("backward pass with a number that is taken")
        self.passes.add(event.number)
        self.running.add(event.number)
        if len(self.running) > _MAX_NESTED:
            raise TooMuchError(limits.NESTED.past())
        if event.root_nodes and len(event.root_nodes) != len(event.roots):
            raise RecordingError("backward pass with more roots than nodes to start from")
        self.new_nodes(event.nodes)
        self.described(event.nodes)
        for tensor, array in event.roots:
            self.tensor(tensor)
            self.array(array)
        for node, input in event.root_nodes:
            self.output(node, input)
        self.each_tensor(event.inputs)

    def node_ran(self, event: NodeRan) -> None:
        self.open_pass(event.number)
        self.node(event.node)
        self.array(*event.received)
        edges = self.nodes[event.node].edges
        if len(event.sent) != len(edges):
            raise RecordingError("node sends along edges it does not have")
        for sent, edge in zip(event.sent, edges, strict=True):
            if sent is not None:
                if (sent.node, sent.input) != edge or sent.node == NOTHING:
                    raise RecordingError("node sends along an edge it does not have")
                self.array(sent.array, sent.raw)

    def open_pass(self, number: int) -> None:
        if number not in self.running:
            raise RecordingError(f"backward pass {number} is not running")

    def each_tensor(self, tensors: Iterable[int]) -> None:
        for tensor in tensors:
            self.tensor(tensor)

    def tensor(self, id: int, optional: bool = False) -> None:
        if id not in self.tensors and not (optional and id == NOTHING):
            raise RecordingError(f"tensor {id} does not exist")

    def node(self, id: int, optional: bool = False) -> None:
        if id not in self.nodes and not (optional and id == NOTHING):
            raise RecordingError(f"node {id} does not exist")

    def output(self, node: int, output: int) -> None:
        self.node(node, optional=True)
        _count(output, "output number")

    def drew(self, event: Drew) -> None:
        if len(event.figure) > limits.FIGURE.value():
            raise RecordingError(limits.FIGURE.past())

    def array(self, *ids: int) -> None:
        for id in ids:
            _within(id, self.arrays, "array")


_CHECKS: dict[type, Callable[[References, Any], None] | None] = {
    OpRan: References.op,
    Named: References.named,
    FlagSet: References.of_tensor,
    Read: References.of_tensor,
    BackwardBegan: References.backward,
    NodeRan: References.node_ran,
    Accumulated: References.accumulated,
    BackwardEnded: References.backward_ended,
    GradSet: References.grad_set,
    HookRan: References.hook_ran,
    Stepped: References.stepped,
    CellBegan: References.cell,
    CellEnded: References.cell,
    Raised: References.raised,
    Printed: None,
    Drew: References.drew,
    Thinned: References.thinned,
    Warned: None,
}
"""What is looked at in events of each kind besides their site and scope; None for nothing."""


def nodes_of(event: AnyEvent) -> tuple[NodeInfo, ...]:
    """The nodes that an event describes, each for the first time."""
    if isinstance(event, OpRan):
        return event.accumulators if event.node is None else (*event.accumulators, event.node)
    return event.nodes if isinstance(event, BackwardBegan) else ()


def _within(id: int, length: int, what: str) -> None:
    if not NOTHING <= id < length:
        raise RecordingError(f"{what} {id} does not exist")


def _count(number: int, what: str) -> None:
    if not 0 <= number <= _LIMIT:
        raise RecordingError(f"impossible {what}")
