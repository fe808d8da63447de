"""The log as columns: one table for each kind of thing, as NumPy arrays with a row for each, in the order of the log.

What is asked of a whole run (its loops, its places, a curve over all iterations) is asked of these, so that it costs a few
operations on arrays and no look at single events. Ids and rows are as in `events`: NOTHING (-1) stands for "none". They are
made from the recording's `Tape`, which has everything that events say; each table when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .events import NOTHING, Accumulated, BackwardBegan, BackwardEnded, GradSet, Named, NodeRan, OpRan, Stepped
from .recording import Recording
from .tables import KIND as _KIND
from .tables import KINDS as KINDS
from .tables import Tape

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """All events: their kind, site and scope."""

    kind: Ints
    site: Ints
    scope: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Operations:
    """Operations (`OpRan`), with the step of each."""

    step: Ints
    op: Ints
    """Position in `Columns.op_names`."""
    grad_mode: Ints
    cut: Ints
    """Position in `Columns.cut_names`; 0 is "", no cut."""
    in_backward: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """Tensors among the arguments of operations."""

    step: Ints
    slot: Ints
    """Position among the arguments, tensors and others."""
    tensor: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Tensors:
    """Tensors as they came to be, in the order of their birth; `Columns.row_of` finds one by its id."""

    id: Ints
    step: Ints
    array: Ints
    requires_grad: Ints
    is_leaf: Ints
    node: Ints
    output: Ints
    view_of: Ints
    is_parameter: Ints
    grad_of: Ints
    auxiliary: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Writes:
    """What in-place operations left behind."""

    step: Ints
    tensor: Ints
    array: Ints
    version: Ints
    requires_grad: Ints
    node: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Autograd nodes, in the order in which they were first seen."""

    id: Ints
    step: Ints
    name: Ints
    """Position in `Columns.node_names`."""
    variable: Ints
    sequence: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """`next_functions`: an edge of a node at a position, to an input of another node. Edges to nowhere are left out."""

    node: Ints
    slot: Ints
    target: Ints
    input: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Ran:
    """Rules that ran (`NodeRan`)."""

    step: Ints
    number: Ints
    node: Ints


@dataclass(frozen=True, slots=True, eq=False)
class ReceivedGradients:
    """Gradients that nodes' rules were given, one for each output to which one came."""

    step: Ints
    node: Ints
    output: Ints
    array: Ints


@dataclass(frozen=True, slots=True, eq=False)
class SentGradients:
    """Gradients that left nodes along edges."""

    step: Ints
    node: Ints
    slot: Ints
    target: Ints
    input: Ints
    array: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Grads:
    """Changes of tensors' `.grad`: by a pass (`number` counts from 1, `how` is NOTHING) or otherwise (`number` is 0)."""

    step: Ints
    tensor: Ints
    number: Ints
    increment: Ints
    total: Ints
    how: Ints
    """Position in `Columns.how_names`."""


@dataclass(frozen=True, slots=True, eq=False)
class Passes:
    """Backward passes; `ended` is the number of events where the log ends first."""

    number: Ints
    began: Ints
    ended: Ints
    via: Ints
    """0 for `backward`, 1 for `torch.autograd.grad`."""
    create_graph: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Roots:
    """What passes started from."""

    number: Ints
    tensor: Ints
    node: Ints
    array: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Optimizers' steps."""

    step: Ints
    optimizer: Ints
    """Position in `Columns.optimizer_names`."""
    rate: NDArray[np.float64]
    """The learning rate of the first group of parameters, NaN where it is not known."""
    measured: Ints
    """Which of them say the norm of the gradients, as positions,"""
    gradient: NDArray[np.float64]
    """and what it is."""


@dataclass(frozen=True, slots=True, eq=False)
class SteppedParameters:
    """Parameters in optimizers' steps; `idle` ones had no gradient."""

    step: Ints
    tensor: Ints
    idle: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """Names that were bound to tensors, or (NOTHING) to something else."""

    step: Ints
    name: Ints
    """Position in `Columns.names`, as `function` is: the function whose local it is."""
    function: Ints
    tensor: Ints


class Columns:
    """A whole log. Treat all of it as frozen."""

    KIND: ClassVar[dict[type[Any], int]] = _KIND
    """The kinds of events, positions in `KINDS`, as `Events.kind` has them."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    @cached_property
    def events(self) -> Events:
        """All events."""
        tape = self.tape
        return Events(tape.kind.astype(np.int64), tape.site.astype(np.int64), tape.scope.astype(np.int64))

    # --- operations -----------------------------------------------------------------------------------------------------------

    @cached_property
    def operations(self) -> Operations:
        """Operations."""
        ops = self.tape.tables[OpRan]
        op, cut = self._ops[0], self._cuts[0]
        return Operations(self.tape.steps(OpRan), op, ops["grad_mode"], cut, ops["in_backward"])

    @cached_property
    def made_node(self) -> Ints:
        """For each of `operations` the id of the node that it left, NOTHING where it left none."""
        ops = self.tape.tables[OpRan]
        found = np.full(ops.size, NOTHING)
        found[ops["node"] > 0] = ops.children["node"]["id"]
        return found

    @cached_property
    def inputs(self) -> Inputs:
        """Tensors among the arguments of operations."""
        ops = self.tape.tables[OpRan]
        tensor = ops.children["inputs"]["tensor"]
        held = tensor != NOTHING
        return Inputs(self._below(OpRan, "inputs")[held], ops.places("inputs")[held], tensor[held])

    @cached_property
    def tensors(self) -> Tensors:
        """Tensors as they came to be."""
        made = self.tape.tables[OpRan].children["outputs"]
        return Tensors(
            made["id"], self._below(OpRan, "outputs"), made["array"], made["requires_grad"], made["is_leaf"], made["node"],
            made["output"], made["view_of"], made["is_parameter"], made["grad_of"], made["auxiliary"],
        )  # fmt: skip

    @cached_property
    def writes(self) -> Writes:
        """What in-place operations left behind."""
        made = self.tape.tables[OpRan].children["written"]
        step = self._below(OpRan, "written")
        return Writes(step, made["tensor"], made["array"], made["version"], made["requires_grad"], made["node"])

    # --- the autograd graph ---------------------------------------------------------------------------------------------------

    @cached_property
    def nodes(self) -> Nodes:
        """Autograd nodes, in the order in which they were first seen."""
        step, order = self._node_order
        id, variable, sequence = (self._of_nodes(name)[order] for name in ("id", "variable", "sequence"))
        return Nodes(id, step[order], self._kinds[0], variable, sequence)

    @cached_property
    def edges(self) -> Edges:
        """The edges of nodes."""
        ids, order = self._of_nodes("id"), self._node_order[1]
        parts = [(table.children["edges"], table.places("edges")) for table in self._node_tables]
        counts = self._of_nodes("edges")
        begins = np.cumsum(counts) - counts
        # The edges of all tables one after another, taken in the order of the nodes.
        taken = np.repeat(begins[order] - (np.cumsum(counts[order]) - counts[order]), counts[order])
        at = taken + np.arange(len(taken))
        slot = np.concatenate([places for _, places in parts])[at]
        target = np.concatenate([edges["0"] for edges, _ in parts])[at]
        input = np.concatenate([edges["1"] for edges, _ in parts])[at]
        somewhere = target != NOTHING
        node = np.repeat(ids[order], counts[order])
        return Edges(node[somewhere], slot[somewhere], target[somewhere], input[somewhere])

    @cached_property
    def ran(self) -> Ran:
        """Rules that ran."""
        table = self.tape.tables[NodeRan]
        return Ran(self.tape.steps(NodeRan), table["number"], table["node"])

    @cached_property
    def received(self) -> ReceivedGradients:
        """Gradients that rules were given."""
        table = self.tape.tables[NodeRan]
        array = table.children["received"][""]
        came = array != NOTHING
        node = np.repeat(table["node"], table.columns["received"])
        columns = (self._below(NodeRan, "received"), node, table.places("received"), array)
        return ReceivedGradients(*[column[came] for column in columns])

    @cached_property
    def sent(self) -> SentGradients:
        """Gradients that left nodes."""
        table = self.tape.tables[NodeRan]
        sent = table.children["sent"]
        there = sent["there"] == 1
        node = np.repeat(table["node"], table.columns["sent"])
        columns = (self._below(NodeRan, "sent"), node, table.places("sent"), sent["node"], sent["input"], sent["array"])
        return SentGradients(*[column[there] for column in columns])

    @cached_property
    def grads(self) -> Grads:
        """Changes of `.grad`, in order."""
        added, given = self.tape.tables[Accumulated], self.tape.tables[GradSet]
        step = np.concatenate([self.tape.steps(Accumulated), self.tape.steps(GradSet)])
        order = np.argsort(step, kind="stable")
        nothing, zero = np.full(given.size, NOTHING), np.zeros(given.size, np.int64)
        both = [
            (added["tensor"], given["tensor"]), (added["number"], zero), (added["increment"], nothing),
            (added["total"], given["array"]), (np.full(added.size, NOTHING), self._hows[0]),
        ]  # fmt: skip
        return Grads(step[order], *[np.concatenate(pair)[order] for pair in both])

    # --- passes and steps -----------------------------------------------------------------------------------------------------

    @cached_property
    def passes(self) -> Passes:
        """Backward passes."""
        table, began = self.tape.tables[BackwardBegan], self.tape.steps(BackwardBegan)
        ends, numbers = self.tape.tables[BackwardEnded]["number"], table["number"]
        ended = np.full(len(began), self.tape.size)
        if len(began) and len(ends):
            order = np.argsort(numbers)
            places = np.minimum(np.searchsorted(numbers[order], ends), len(numbers) - 1)
            ended[order[places]] = self.tape.steps(BackwardEnded)
        via = np.array([text == "grad" for text in self.tape.texts])[table["via"]]
        return Passes(numbers, began, ended, via.astype(np.int64), table["create_graph"])

    @cached_property
    def roots(self) -> Roots:
        """What passes started from."""
        table = self.tape.tables[BackwardBegan]
        roots, nodes = table.children["roots"], table.children["root_nodes"]
        node = np.full(roots.size, NOTHING)
        # A pass has a node for each of its roots, or (in old recordings) none.
        said = np.repeat(table["root_nodes"], table.columns["roots"]) > table.places("roots")
        node[said] = nodes["0"][
            (np.repeat(table.starts("root_nodes")[:-1], table.columns["roots"]) + table.places("roots"))[said]
        ]
        return Roots(np.repeat(table["number"], table.columns["roots"]), roots["0"], node, roots["1"])

    @cached_property
    def steps(self) -> Steps:
        """Optimizers' steps."""
        table = self.tape.tables[Stepped]
        rate = np.full(table.size, np.nan)
        known = table["rates"] > 0
        rate[known] = table.children["rates"].columns[""][table.starts("rates")[:-1][known]]
        measured = np.flatnonzero(table["gradient"] > 0)
        gradient = table.children["gradient"].columns[""][table.starts("gradient")[:-1][measured]]
        return Steps(self.tape.steps(Stepped), self._optimizers[0], rate, measured, gradient)

    @cached_property
    def stepped(self) -> SteppedParameters:
        """Parameters in optimizers' steps: of each step those with a gradient, then the others."""
        table = self.tape.tables[Stepped]
        step = np.concatenate([self._below(Stepped, "parameters"), self._below(Stepped, "idle")])
        idle = np.repeat((0, 1), (table.children["parameters"].size, table.children["idle"].size))
        tensor = np.concatenate([table.children["parameters"][""], table.children["idle"][""]])
        order = np.argsort(step, kind="stable")
        return SteppedParameters(step[order], tensor[order], idle[order])

    @cached_property
    def bound(self) -> Names:
        """Names that were bound."""
        both = self._bound_names[0].reshape(-1, 2)
        return Names(self.tape.steps(Named), both[:, 0].copy(), both[:, 1].copy(), self.tape.tables[Named]["tensor"])

    # --- texts ----------------------------------------------------------------------------------------------------------------

    @property
    def op_names(self) -> tuple[str, ...]:
        """The names of operations."""
        return self._ops[1]

    @property
    def cut_names(self) -> tuple[str, ...]:
        """The kinds of cuts."""
        return self._cuts[1]

    @property
    def node_names(self) -> tuple[str, ...]:
        """The names of nodes."""
        return self._kinds[1]

    @property
    def how_names(self) -> tuple[str, ...]:
        """How gradients were set."""
        return self._hows[1]

    @property
    def optimizer_names(self) -> tuple[str, ...]:
        """The kinds of optimizers."""
        return self._optimizers[1]

    @property
    def names(self) -> tuple[str, ...]:
        """The program's names, and those of its functions."""
        return self._bound_names[1]

    def op_is(self, names: Collection[str]) -> Flags:
        """For each of `operations` whether its name is one of these."""
        found: Flags = np.array([name in names for name in self.op_names], bool)[self.operations.op]
        return found

    # --- by id ----------------------------------------------------------------------------------------------------------------

    @cached_property
    def row_of(self) -> Ints:
        """Tensor id → its row in `tensors`, NOTHING for an id that is no tensor's."""
        return _rows_by(self.tensors.id)

    @cached_property
    def row_of_node(self) -> Ints:
        """Node id → its row in `nodes`."""
        return _rows_by(self.nodes.id)

    # --- how they are made ----------------------------------------------------------------------------------------------------

    def _below(self, kind: type[Any], name: str) -> Ints:
        """The steps of what a field holds any number of."""
        return np.repeat(self.tape.steps(kind), self.tape.tables[kind].columns[name])

    @cached_property
    def _node_tables(self) -> list[Any]:
        ops, begins = self.tape.tables[OpRan], self.tape.tables[BackwardBegan]
        return [ops.children["accumulators"], ops.children["node"], begins.children["nodes"]]

    def _of_nodes(self, name: str) -> Ints:
        return np.concatenate([table[name] for table in self._node_tables])

    @cached_property
    def _node_order(self) -> tuple[Ints, Ints]:
        """The steps of the nodes of all three tables, and the order in which they were first seen."""
        step = np.concatenate(
            [self._below(OpRan, "accumulators"), self._below(OpRan, "node"), self._below(BackwardBegan, "nodes")]
        )
        return step, np.argsort(step, kind="stable")

    @cached_property
    def _ops(self) -> tuple[Ints, tuple[str, ...]]:
        return self._texts(self.tape.tables[OpRan]["op"])

    @cached_property
    def _cuts(self) -> tuple[Ints, tuple[str, ...]]:
        return self._texts(self.tape.tables[OpRan]["cut"], "")

    @cached_property
    def _kinds(self) -> tuple[Ints, tuple[str, ...]]:
        return self._texts(self._of_nodes("name")[self._node_order[1]])

    @cached_property
    def _hows(self) -> tuple[Ints, tuple[str, ...]]:
        return self._texts(self.tape.tables[GradSet]["how"])

    @cached_property
    def _optimizers(self) -> tuple[Ints, tuple[str, ...]]:
        return self._texts(self.tape.tables[Stepped]["optimizer"])

    @cached_property
    def _bound_names(self) -> tuple[Ints, tuple[str, ...]]:
        table = self.tape.tables[Named]
        return self._texts(np.stack([table["name"], table["function"]], axis=1).ravel())

    def _texts(self, numbers: Ints, *first: str) -> tuple[Ints, tuple[str, ...]]:
        """Numbers of the log's texts as positions among those that are used here, and these, in the order of their
        appearance."""
        used, at, inverse = np.unique(numbers, return_index=True, return_inverse=True)
        order = np.argsort(at)
        texts = [self.tape.texts[number] for number in used[order].tolist()]
        names = [*first, *(text for text in texts if text not in first)]
        place = {text: position for position, text in enumerate(names)}
        positions = np.zeros(len(used), np.int64)
        positions[order] = [place[text] for text in texts]
        return positions[inverse.ravel()] if len(numbers) else np.zeros(0, np.int64), tuple(names)


def columns_of(recording: Recording) -> Columns:
    """The recording's columns, made on the first call and kept on the recording."""
    return recording.once("columns", lambda: Columns(recording.tape))


def _rows_by(ids: Ints) -> Ints:
    found = np.full(int(ids.max(initial=-1)) + 1, NOTHING, np.int64)
    found[ids] = np.arange(len(ids))
    return found
