"""What later questions about a recording are answered from: everything by its id, and what changes as functions of the step.

It is made of the recording's columns. What is asked of one tensor, node or pass is made when it is asked for, so that the index
of a million events costs a few sorts, and a question costs the same whatever the log's length.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, Ints, columns_of
from .events import (
    BY_BACKWARD,
    NOTHING,
    Accumulated,
    AnyEvent,
    BackwardBegan,
    BackwardEnded,
    FlagSet,
    NodeInfo,
    NodeRan,
    OpRan,
    Raised,
    Stepped,
    TensorInfo,
)
from .recording import Recording
from .validate import nodes_of

T = TypeVar("T")
Flags: TypeAlias = NDArray[np.bool_]


_SHORT = 16
"""Changes up to which all are made when one is asked for: to look for one in an array takes as long as that."""


class StepFunction(Generic[T]):
    """A value that changes with the steps; `at` is a binary search.

    Args:
        steps: the steps at which it changes, in order, each once.
        make: the value that the change at a place in `steps` leads to.
    """

    __slots__ = ("_make", "_steps", "_values", "_written")

    def __init__(self, steps: Ints, make: Callable[[int], T]) -> None:
        self._steps, self._make = steps, make
        self._written: list[int] | None = None
        self._values: list[T] | None = None

    @property
    def steps(self) -> list[int]:
        """The steps at which it changes."""
        if self._written is None:
            self._written = self._steps.tolist()
        return self._written

    @property
    def values(self) -> list[T]:
        """The value from each of `steps` on."""
        if self._values is None:
            self._values = [self._make(place) for place in range(len(self._steps))]
        return self._values

    def at(self, step: int, default: T) -> T:
        """The value after event `step`, or the default if none was set by then."""
        place = self._count(step)
        return self._value(place - 1) if place else default

    def since(self, step: int) -> int:
        """The last step up to `step` at which it changed, or NOTHING."""
        place = self._count(step)
        return self.steps[place - 1] if place else NOTHING

    def until(self, step: int) -> list[T]:
        """All values set up to and including `step`."""
        place = self._count(step)
        return self.values[:place] if self._values is not None else [self._make(k) for k in range(place)]

    def _count(self, step: int) -> int:
        written = self._written
        if written is None:
            if len(self._steps) > _SHORT:
                return int(self._steps.searchsorted(step, "right"))
            written = self._written = self._steps.tolist()
        return bisect_right(written, step)

    def _value(self, place: int) -> T:
        if self._values is None:
            if len(self._steps) > _SHORT:
                return self._make(place)
            self._values = [self._make(k) for k in range(len(self._steps))]
        return self._values[place]


def _track(steps: list[int], values: list[T]) -> StepFunction[T]:
    """A function with all of its values; where a step stands twice, the later value counts."""
    kept = [k for k in range(len(steps)) if k + 1 == len(steps) or steps[k + 1] != steps[k]]
    found = [values[k] for k in kept]
    made: StepFunction[T] = StepFunction(np.array([steps[k] for k in kept], np.int64), found.__getitem__)
    made._values = found
    return made


class Status(NamedTuple):
    """What an in-place write or a flag can change about a tensor."""

    array: int
    version: int
    requires_grad: bool
    is_leaf: bool
    node: int
    output: int


class LedgerRow(NamedTuple):
    """One change of a tensor's `.grad`; `kind` is "backward" or how it was set ("zero_", "None", "assign", …)."""

    step: int
    kind: str
    number: int
    """The backward pass, 0 for a change outside one."""
    line: int
    increment: int
    total: int


_NO_ROW = LedgerRow(NOTHING, "", 0, 0, NOTHING, NOTHING)


class Arrival(NamedTuple):
    """A gradient that reached one input of a node: from a node's edge, or (NOTHING, NOTHING) for a root's."""

    step: int
    input: int
    array: int
    source: int
    edge: int


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
        return NOTHING if self.ledger is None else self.ledger.at(step, _NO_ROW).total

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


class Pass:
    """One backward pass through the whole recording."""

    def __init__(self, index: Index, number: int, began: int, ended: int) -> None:
        self._index = index
        self.number = number
        self.began = began
        self.ended = ended
        """The step at which it is over; the number of events if the log ends first."""

    @property
    def via(self) -> str:
        """ "backward" or "grad", as the event says; for who asks it of every pass."""
        return self._index.vias[self.number]

    @cached_property
    def event(self) -> BackwardBegan:
        """The event that it began with."""
        event = self._index.events[self.began]
        assert isinstance(event, BackwardBegan)
        return event

    @cached_property
    def ran(self) -> StepFunction[int]:
        """The nodes in the order in which they ran."""
        runs = self._index.runs
        rows = runs.by_pass.rows(self.number)
        nodes = runs.node[rows]
        first = np.sort(np.unique(nodes, return_index=True)[1])
        return _track(runs.step[rows[first]].tolist(), nodes[first].tolist())

    @cached_property
    def ran_at(self) -> dict[int, int]:
        """The step at which each node ran."""
        return dict(zip(self.ran.values, self.ran.steps, strict=True))

    @cached_property
    def arrivals(self) -> Mapping[int, StepFunction[Arrival]]:
        """For each node the gradients that have reached it."""
        index = self._index
        roots = [
            Arrival(self.began, input, array, NOTHING, NOTHING)
            for (_, array), (_, input) in zip(self.event.roots, self.event.root_nodes, strict=False)
        ]
        reached = [node for _, (node, _) in zip(self.event.roots, self.event.root_nodes, strict=False)]
        rows = index.sent_by_pass.rows(self.number)
        sent = index.columns.sent
        groups = Groups(np.concatenate([np.array(reached, np.int64), sent.target[rows]]))
        steps = np.concatenate([np.full(len(roots), self.began), sent.step[rows]])

        def made(node: int) -> StepFunction[Arrival]:
            those = groups.rows(node)

            def arrival(place: int) -> Arrival:
                k = those.item(place) - len(roots)
                if k < 0:
                    return roots[k + len(roots)]
                row = rows.item(k)
                return Arrival(
                    sent.step.item(row), sent.input.item(row), sent.array.item(row), sent.node.item(row), sent.slot.item(row)
                )

            return StepFunction(steps[those], arrival)

        return _Made(groups.places, made)

    @cached_property
    def fills(self) -> dict[int, list[int]]:
        """Steps at which the pass adds to a tensor's `.grad`."""
        grads = self._index.columns.grads
        rows = self._index.fills_by_pass.rows(self.number)
        found: dict[int, list[int]] = {}
        for tensor, step in zip(grads.tensor[rows].tolist(), grads.step[rows].tolist(), strict=True):
            found.setdefault(tensor, []).append(step)
        return found


class Index:
    """Everything in a recording by its id. What is behind an id is made when it is asked for."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.columns: Columns = columns_of(recording)
        self.events: Sequence[AnyEvent] = recording.events
        tensors, nodes = self.columns.tensors, self.columns.nodes
        self.tensors: Mapping[int, TensorHistory] = _ById(tensors.id, self.columns.row_of, self._tensor)
        self.nodes: Mapping[int, NodeHistory] = _ById(nodes.id, self.columns.row_of_node, self._node)

    def let_go(self) -> None:
        """Nobody asks anything any more: what it holds, and what holds it in turn, is freed."""
        vars(self).clear()

    # --- tensors --------------------------------------------------------------------------------------------------------------

    @cached_property
    def births(self) -> StepFunction[list[int]]:
        """The tensors that each step made."""
        tensors = self.columns.tensors
        steps, first = np.unique(tensors.step, return_index=True)
        ends = np.append(first, len(tensors.step))
        return StepFunction(steps, lambda k: tensors.id[ends.item(k) : ends.item(k + 1)].tolist())

    def born_by(self, step: int) -> list[int]:
        """The tensors made up to a step, in order."""
        tensors = self.columns.tensors
        found: list[int] = tensors.id[: int(tensors.step.searchsorted(step, "right"))].tolist()
        return found

    def _tensor(self, id: int, row: int) -> TensorHistory:
        tensors = self.columns.tensors
        born = tensors.step.item(row)
        op = self.events[born]
        assert isinstance(op, OpRan)
        info = op.outputs[row - self._first_output.item(row)]
        made = TensorHistory(info, born, op)
        if id in self._flags.places:
            for step, retained in self._flagged(id):
                if retained:
                    made.retained = step
                    break
        made.changes = self._changes(made)
        if id in self._holding.places:
            made.names, made.first_name = self._named(id)
        if id in self._grads.places:
            made.ledger = self._ledger(id)
        return made

    @cached_property
    def _first_output(self) -> Ints:
        """For each tensor the row of the first one of its operation."""
        step = self.columns.tensors.step
        return np.searchsorted(step, step)

    @cached_property
    def _writes(self) -> Groups:
        return Groups(self.columns.writes.tensor)

    @cached_property
    def _flags(self) -> Groups:
        return Groups(self.columns.tape.tables[FlagSet]["tensor"])

    def _flagged(self, tensor: int) -> list[tuple[int, bool]]:
        """A tensor's flags: steps, and whether it is `retain_grad` (or any but `requires_grad`)."""
        tape = self.columns.tape
        table, steps = tape.tables[FlagSet], tape.steps(FlagSet)
        rows = self._flags.rows(tensor).tolist()
        return [(steps.item(row), tape.texts[table.columns["flag"].item(row)] != "requires_grad") for row in rows]

    def _changes(self, history: TensorHistory) -> StepFunction[Status] | None:
        id = history.info.id
        flags = [step for step, retained in self._flagged(id) if not retained] if id in self._flags.places else []
        if id not in self._writes.places:
            return _flags_alone(history.birth, flags, self.events) if flags else None
        table = self.columns.tape.tables[OpRan].children["written"].columns
        rows = self._writes.rows(id)
        steps = self.columns.writes.step[rows]
        if len(steps) > 1:
            last = np.append(steps[1:] != steps[:-1], True)
            rows, steps = rows[last], steps[last]

        def status(place: int) -> Status:
            row = rows.item(place)
            array, version, needs, leaf, node, output = (
                int(table[name][row]) for name in ("array", "version", "requires_grad", "is_leaf", "node", "output")
            )
            return Status(array, version, needs == 1, leaf == 1, node, output)

        if not flags:
            return StepFunction(steps, status)
        both = sorted([(step, k) for k, step in enumerate(steps.tolist())] + [(step, NOTHING) for step in flags])
        now, values = history.birth, []
        for step, place in both:
            now = status(place) if place != NOTHING else _after_flag(now, self.events[step])
            values.append(now)
        return _track([step for step, _ in both], values)

    def born(self, tensor: int) -> int:
        """The step that made a tensor; its history has it, too, for who wants more of it."""
        return self.columns.tensors.step.item(self.columns.row_of.item(tensor))

    def array(self, tensor: int, step: int) -> int:
        """A tensor's array after a step, as its status has it."""
        if tensor in self._writes.places:
            return self.tensors[tensor].status(step).array
        return self.columns.tensors.array.item(self.columns.row_of.item(tensor))

    def has_ledger(self, tensor: int) -> bool:
        """Whether anything ever happened to a tensor's `.grad`."""
        return tensor in self._grads.places

    @cached_property
    def _grads(self) -> Groups:
        return Groups(self.columns.grads.tensor)

    def _ledger(self, tensor: int) -> StepFunction[LedgerRow]:
        grads, hows = self.columns.grads, self.columns.how_names
        rows = self._grads.rows(tensor)

        def row_of(place: int) -> LedgerRow:
            row = rows.item(place)
            step, how, number = grads.step.item(row), grads.how.item(row), grads.number.item(row)
            line = self._line(step)
            if not line and number:
                line = self._line(self.passes[number].began)
            kind = BY_BACKWARD if how == NOTHING else hows[how]
            return LedgerRow(step, kind, number, line, grads.increment.item(row), grads.total.item(row))

        return StepFunction(grads.step[rows], row_of)

    def _line(self, step: int) -> int:
        return int(self.columns.tape.lines(step))

    # --- names ----------------------------------------------------------------------------------------------------------------

    @cached_property
    def _keys(self) -> tuple[Ints, list[tuple[str, str]]]:
        """For each naming the number of its (function, name), and these by number, in the order of their appearance."""
        bound, names = self.columns.bound, self.columns.names
        both = bound.function * max(len(names), 1) + bound.name
        used, first, number = np.unique(both, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(used), np.int64)
        place[order] = np.arange(len(used))
        texts = [(names[key // len(names)], names[key % len(names)]) for key in used[order].tolist()]
        return (place[number.ravel()] if len(both) else np.zeros(0, np.int64)), texts

    @cached_property
    def names(self) -> dict[tuple[str, str], StepFunction[int]]:
        """(function, name) → the tensor it is bound to."""
        bound = self.columns.bound
        numbers, keys = self._keys
        order = np.argsort(numbers, kind="stable")
        ends = np.searchsorted(numbers[order], np.arange(len(keys) + 1))
        found = {}
        for number, key in enumerate(keys):
            rows = order[ends.item(number) : ends.item(number + 1)]
            found[key] = StepFunction(bound.step[rows], bound.tensor[rows].item)
        return found

    @cached_property
    def _bindings(self) -> tuple[Ints, Ints, Ints, Ints]:
        """What each name was bound to for how long: key, tensor, from which step, up to which."""
        bound = self.columns.bound
        numbers, _ = self._keys
        order = np.lexsort((bound.step, numbers))
        key, tensor, step = numbers[order], bound.tensor[order], bound.step[order]
        fresh = np.ones(len(key), np.bool_)
        fresh[1:] = key[1:] != key[:-1]
        before = np.full(len(key), NOTHING)
        before[1:] = tensor[:-1]
        before[fresh] = NOTHING
        other = tensor != before
        key, tensor, step = key[other], tensor[other], step[other]
        ended = np.full(len(key), self.columns.tape.size)
        goes_on = key[1:] == key[:-1]
        ended[:-1][goes_on] = step[1:][goes_on]
        held = tensor != NOTHING
        return key[held], tensor[held], step[held], ended[held]

    def bindings(self, tensor: int) -> list[tuple[str, str, int, int]]:
        """The names that a tensor had: (function, name, from which step, up to which), in the order of the names."""
        if tensor not in self._holding.places:
            return []
        key, _, began, ended = self._bindings
        keys = self._keys[1]
        return [(*keys[key.item(row)], began.item(row), ended.item(row)) for row in self._holding.rows(tensor).tolist()]

    @cached_property
    def _holding(self) -> Groups:
        return Groups(self._bindings[1])

    @cached_property
    def first_names(self) -> dict[int, str]:
        """The first name of each tensor that has any, as its history has it."""
        key, tensor, began, _ = self._bindings
        order = np.lexsort((began, tensor))[::-1]
        return {t: self._keys[1][k][1] for t, k in zip(tensor[order].tolist(), key[order].tolist(), strict=True)}

    def _named(self, tensor: int) -> tuple[StepFunction[str], str]:
        """What a tensor goes by, and its first name: its oldest binding, a global's before a local's, and its last name when
        none is left."""
        key, _, began, ended = self._bindings
        keys = self._keys[1]
        size = self.columns.tape.size
        moments = []
        for row in self._holding.rows(tensor).tolist():
            name = keys[key.item(row)]
            moments.append((began.item(row), True, name))
            if ended.item(row) < size:
                moments.append((ended.item(row), False, name))
        # OrderedDict because taking the first key of a dict whose front was deleted is linear.
        globals_: OrderedDict[tuple[str, str], None] = OrderedDict()
        locals_: OrderedDict[tuple[str, str], None] = OrderedDict()
        steps: list[int] = []
        values: list[str] = []
        for step, binds, name in sorted(moments):
            table = locals_ if name[0] else globals_
            if binds:
                table[name] = None
            else:
                del table[name]
            oldest = next(iter(globals_ or locals_), None)
            if oldest is not None and (not values or values[-1] != oldest[1]):
                steps.append(step)
                values.append(oldest[1])
        return _track(steps, values), values[0]

    # --- nodes and passes -----------------------------------------------------------------------------------------------------

    def _node(self, id: int, row: int) -> NodeHistory:
        steps = self.columns.nodes.step
        born = steps.item(row)
        event = self.events[born]
        assert isinstance(event, OpRan | BackwardBegan)
        return NodeHistory(nodes_of(event)[row - int(steps.searchsorted(born))], born, event)

    @cached_property
    def owners(self) -> Owners:
        """(node, output) → the tensor whose `grad_fn` it is or was; for AccumulateGrad, the leaf it fills."""
        tensors, writes, nodes = self.columns.tensors, self.columns.writes, self.columns.nodes
        outputs = self.columns.tape.tables[OpRan].children["written"]["output"]
        leaves = nodes.variable != NOTHING
        node = np.concatenate([nodes.id[leaves], tensors.node, writes.node])
        output = np.concatenate([np.zeros(int(leaves.sum()), np.int64), tensors.output, outputs])
        tensor = np.concatenate([nodes.variable[leaves], tensors.id, writes.tensor])
        # Of one event, first what its nodes say, then what it made, then what it wrote.
        step = np.concatenate([nodes.step[leaves] * 3, tensors.step * 3 + 1, writes.step * 3 + 2])
        order = np.argsort(step, kind="stable")
        order = order[node[order] != NOTHING]
        return Owners(node[order], output[order], tensor[order])

    @cached_property
    def first_roots(self) -> dict[int, int]:
        """The tensor that each pass began with, the first of several."""
        roots = self.columns.roots
        return dict(zip(roots.number[::-1].tolist(), roots.tensor[::-1].tolist(), strict=True))

    @cached_property
    def vias(self) -> dict[int, str]:
        """How each pass was begun: by `backward`, or by `grad`, which fills nothing."""
        passes = self.columns.passes
        return {n: "grad" if grad else "backward" for n, grad in zip(passes.number.tolist(), passes.via.tolist(), strict=True)}

    @cached_property
    def passes(self) -> dict[int, Pass]:
        """The backward passes by number."""
        return self._passes_and_running[0]

    @cached_property
    def running(self) -> StepFunction[Pass | None]:
        """The innermost pass that is under way."""
        return self._passes_and_running[1]

    @cached_property
    def _passes_and_running(self) -> tuple[dict[int, Pass], StepFunction[Pass | None]]:
        tape = self.columns.tape
        began = zip(tape.steps(BackwardBegan).tolist(), tape.tables[BackwardBegan]["number"].tolist(), strict=True)
        ended = zip(tape.steps(BackwardEnded).tolist(), tape.tables[BackwardEnded]["number"].tolist(), strict=True)
        moments = [(step, "began", number) for step, number in began]
        moments += [(step, "ended", number) for step, number in ended]
        moments += [(step, "raised", 0) for step in tape.steps(Raised).tolist()]
        passes: dict[int, Pass] = {}
        stack: list[Pass] = []
        steps: list[int] = []
        values: list[Pass | None] = []
        for step, what, number in sorted(moments):
            if what == "began":
                passes[number] = entry = Pass(self, number, step, tape.size)
                stack.append(entry)
            else:
                over = [passes[number]] if what == "ended" else stack[::-1]
                for entry in over:
                    entry.ended = step
                    stack.remove(entry)
                if not over:
                    continue
            steps.append(step)
            values.append(stack[-1] if stack else None)
        return passes, _track(steps, values)

    @cached_property
    def runs(self) -> _Runs:
        """Every time that a node's rule ran; an engine may report that an AccumulateGrad did by what it added alone."""
        tape, ran, nodes = self.columns.tape, self.columns.ran, self.columns.nodes
        added = self.columns.tape.tables[Accumulated]
        node = added["node"]
        known = node != NOTHING
        known[known] = nodes.variable[self.columns.row_of_node[node[known]]] != NOTHING
        step = np.concatenate([ran.step, tape.steps(Accumulated)[known]])
        order = np.argsort(step, kind="stable")
        number = np.concatenate([ran.number, added["number"][known]])[order]
        return _Runs(step[order], np.concatenate([ran.node, node[known]])[order], Groups(number))

    @cached_property
    def sent_by_pass(self) -> Groups:
        """The rows of the gradients sent, by pass."""
        tape, sent = self.columns.tape, self.columns.sent
        return Groups(tape.tables[NodeRan]["number"][tape.row[sent.step]])

    @cached_property
    def fills_by_pass(self) -> Groups:
        """The rows of what passes added to gradients; of number 0, of what was set otherwise."""
        return Groups(self.columns.grads.number)

    @cached_property
    def stepping(self) -> Flags:
        """For each step whether it is inside an optimizer's step, its `Stepped` event included."""
        return _stepping(self.columns)


def index_of(recording: Recording) -> Index:
    """The recording's index, made on the first call and kept on the recording."""
    return recording.once("index", lambda: Index(recording))


def _flags_alone(birth: Status, steps: list[int], events: Sequence[AnyEvent]) -> StepFunction[Status]:
    now, values = birth, []
    for step in steps:
        now = _after_flag(now, events[step])
        values.append(now)
    return _track(steps, values)


def _after_flag(now: Status, event: AnyEvent) -> Status:
    assert isinstance(event, FlagSet)
    now = now._replace(requires_grad=event.value)
    # A result of which no gradient is wanted any more was detached in place: it has no node, and is a leaf.
    return now if event.value else now._replace(is_leaf=True, node=NOTHING, output=0)


def _stepping(columns: Columns) -> Flags:
    """For each step whether it is inside an optimizer's step.

    What an optimizer does happens at one site of the program, where the optimizer says so afterwards: the operations right
    before it that are at its site, or that do nothing but write to its parameters.
    """
    tape = columns.tape
    found = np.zeros(tape.size, np.bool_)
    ends = tape.steps(Stepped)
    if not len(ends):
        return found
    ops = tape.steps(OpRan)
    after = np.searchsorted(ends, ops)  # which optimizer's step comes next
    ops, row = ops[after < len(ends)], np.flatnonzero(after < len(ends))
    after = after[row]
    site = tape.site.astype(np.int64)
    inside = (site[ops] == site[ends[after]]) & (site[ops] != NOTHING)
    # Of the others, those that make nothing, and write to nothing but parameters of this very step.
    table, parameters = tape.tables[OpRan], tape.tables[Stepped]
    held = _pairs(np.repeat(np.arange(len(ends)), parameters.columns["parameters"]), parameters.children["parameters"][""])
    counts = table["written"]
    step_of = np.full(table.size, NOTHING)
    step_of[row] = after
    written = np.isin(_pairs(np.repeat(step_of, counts), table.children["written"]["tensor"]), held)
    strange = np.bincount(np.repeat(np.arange(table.size), counts)[~written], minlength=table.size)
    inside |= ((table["outputs"] == 0) & (counts > 0) & (strange == 0))[row]
    good = np.zeros(tape.size, np.bool_)
    good[ops[inside]] = True
    # All from the last one before it that is not such an operation.
    bad = np.maximum.accumulate(np.where(good, NOTHING, np.arange(tape.size)))
    begins = np.where(ends > 0, bad[ends - 1], NOTHING) + 1
    change = np.zeros(tape.size + 1, np.int64)
    np.add.at(change, begins, 1)
    np.add.at(change, ends + 1, -1)
    found[:] = np.cumsum(change)[:-1] > 0
    return found


def _pairs(first: Ints, second: Ints) -> Ints:
    return first * 2**32 + second


# --- rows by key --------------------------------------------------------------------------------------------------------------


class Groups:
    """Rows by a key, in their order; keys in the order of their first row."""

    __slots__ = ("_order", "places")

    def __init__(self, keys: Ints) -> None:
        self._order = np.argsort(keys, kind="stable")
        ordered = keys[self._order]
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(keys) else np.zeros(0, np.int64)
        ends = np.append(starts[1:], len(keys))
        turn = np.argsort(self._order[starts])
        starts, ends = starts[turn], ends[turn]
        self.places = dict(zip(ordered[starts].tolist(), zip(starts.tolist(), ends.tolist(), strict=True), strict=True))
        """Where the rows of each key begin and end."""

    def rows(self, key: int) -> Ints:
        """The rows with a key, none where it does not occur."""
        first, last = self.places.get(key, (0, 0))
        return self._order[first:last]


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    step: Ints
    node: Ints
    by_pass: Groups


class _Made(Mapping[int, T]):
    """Values by key, of which each is made when it is first asked for."""

    def __init__(self, keys: Mapping[int, Any], make: Callable[[int], T]) -> None:
        self._keys, self._make = keys, make
        self._made: dict[int, T] = {}

    def __getitem__(self, key: int) -> T:
        made = self._made.get(key)
        if made is None:
            if key not in self._keys:
                raise KeyError(key)
            made = self._made[key] = self._make(key)
        return made

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[int]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def steps_by(keys: Ints, steps: Ints) -> Mapping[int, list[int]]:
    """For each key the steps that stand beside it, in order."""
    groups = Groups(keys)
    return _Made(groups.places, lambda key: steps[groups.rows(key)].tolist())


class _ById(Mapping[int, T]):
    """What is behind ids, of which each is made when it is first asked for."""

    def __init__(self, ids: Ints, row_of: Ints, make: Callable[[int, int], T]) -> None:
        self._ids, self._row_of, self._make = ids, row_of, make
        self._made: dict[int, T] = {}

    def __getitem__(self, id: int) -> T:
        made = self._made.get(id)
        if made is None:
            if id not in self:
                raise KeyError(id)
            made = self._made[id] = self._make(id, self._row_of.item(id))
        return made

    def __contains__(self, id: object) -> bool:
        return isinstance(id, int) and 0 <= id < len(self._row_of) and self._row_of.item(id) != NOTHING

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids.tolist())

    def __len__(self) -> int:
        return len(self._ids)


class Owners(Mapping[tuple[int, int], int]):
    """(node, output) → tensor, where the first one counts; a node's first output is looked up in an array."""

    def __init__(self, node: Ints, output: Ints, tensor: Ints) -> None:
        _, first = np.unique(_pairs(node, output), return_index=True)
        first.sort()
        self._node, self._output, self._tensor = node[first], output[first], tensor[first]
        only = self._output == 0
        self._of_first = np.full(int(node.max(initial=-1)) + 1, NOTHING)
        self._of_first[self._node[only]] = self._tensor[only]
        others = [column[~only].tolist() for column in (self._node, self._output, self._tensor)]
        self._others = {(n, k): t for n, k, t in zip(*others, strict=True)}

    def __getitem__(self, key: tuple[int, int]) -> int:
        found: int = self.get(key, NOTHING)
        if found == NOTHING:
            raise KeyError(key)
        return found

    def get(self, key: tuple[int, int], default: Any = None) -> Any:
        """The tensor, or the default."""
        node, output = key
        if output:
            return self._others.get(key, default)
        found = self._of_first.item(node) if 0 <= node < len(self._of_first) else NOTHING
        return default if found == NOTHING else found

    def many(self, nodes: Ints, outputs: Ints) -> Ints:
        """The tensors for many at once, NOTHING where there is none."""
        known = (nodes >= 0) & (nodes < len(self._of_first)) & (outputs == 0)
        found: Ints = np.where(known, np.append(self._of_first, NOTHING)[np.where(known, nodes, -1)], NOTHING)
        for at in np.flatnonzero(outputs > 0).tolist() if self._others else ():
            found[at] = self._others.get((int(nodes[at]), int(outputs[at])), NOTHING)
        return found

    def __contains__(self, key: object) -> bool:
        return isinstance(key, tuple) and self.get(key, NOTHING) != NOTHING

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._node.tolist(), self._output.tolist(), strict=True)

    def __len__(self) -> int:
        return len(self._node)
