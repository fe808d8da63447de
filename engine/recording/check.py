"""Whether the references in a log that is kept in columns hold: what an event names exists by then. The counterpart of
`validate`, which looks at events one by one as they come in; here each rule is a comparison of columns, for all events at
once."""

from __future__ import annotations

from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import limits
from .events import (
    BY_BACKWARD,
    LEVELS,
    NOTHING,
    Accumulated,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
    FlagSet,
    GradSet,
    HookRan,
    Named,
    NodeRan,
    OpRan,
    Raised,
    Read,
    Stepped,
    Thinned,
)
from .store import MAX_DIMS, RecordingError, TooMuchError
from .tables import Numbers, Tape

_LIMIT = limits.NUMBER.value()
_NEVER = np.iinfo(np.int64).max
SPREAD = 64
"""How far apart ids may lie, on average: they number the rows of arrays in later code."""


def check_tape(tape: Tape, cells: int, arrays: int) -> None:
    """Raise RecordingError for a log that refers to what is not there."""
    _Checker(tape, cells, arrays).check()


class _Born:
    """When things came to be, by their ids."""

    def __init__(self, what: str, ids: Numbers, steps: Numbers) -> None:
        self.what = what
        order = np.argsort(ids, kind="stable")
        self.ids, self.steps, self.rows = ids[order], steps[order], order
        same = np.flatnonzero(self.ids[1:] == self.ids[:-1]) + 1
        if len(ids) and int(self.ids[0]) < 0:
            same = np.append(same, 0)
        if len(same):
            first = same[np.argmin(self.steps[same])]
            raise RecordingError(f"event {self.steps[first]}: {what} {self.ids[first]} is made twice or has no id")
        if len(ids) and int(self.ids[-1]) >= 2**20 + SPREAD * len(ids):
            raise RecordingError(f"event {self.steps[-1]}: {what} {self.ids[-1]} has an impossible id")

    def places(self, ids: Numbers) -> Numbers:
        """Where in the sorted ids these are; for those that are not there, anywhere."""
        return np.minimum(np.searchsorted(self.ids, ids), max(len(self.ids) - 1, 0))

    def step(self, ids: Numbers) -> Numbers:
        """The steps at which they came to be; for those that never did, a step that never comes."""
        if not len(self.ids):
            return np.full(len(ids), _NEVER)
        places = self.places(ids)
        return np.where(self.ids[places] == ids, self.steps[places], _NEVER)


class _Nodes:
    """All nodes, in the order in which they are described, with their edges one after another."""

    def __init__(self, tape: Tape) -> None:
        ops, begins = tape.tables[OpRan], tape.tables[BackwardBegan]
        parts = [
            (table.children[name], np.repeat(tape.steps(kind), table.columns[name]), last)
            for kind, table, name, last in (
                (OpRan, ops, "accumulators", 0), (OpRan, ops, "node", 1), (BackwardBegan, begins, "nodes", 0),
            )
        ]  # fmt: skip
        step = np.concatenate([steps for _, steps, _ in parts])
        place = np.concatenate([np.full(len(steps), last) for _, steps, last in parts])
        self.order = np.lexsort((place, step))
        self.step = step[self.order]
        self.id = np.concatenate([table["id"] for table, _, _ in parts])[self.order]
        self.variable = np.concatenate([table["variable"] for table, _, _ in parts])[self.order]
        counts = np.concatenate([table["edges"] for table, _, _ in parts])
        starts = np.cumsum(counts) - counts
        self.edges, self.first_edge = counts[self.order], starts[self.order]
        self.target = np.concatenate([table.children["edges"]["0"] for table, _, _ in parts])
        self.input = np.concatenate([table.children["edges"]["1"] for table, _, _ in parts])
        self.parts = parts

    def each_edge(self) -> tuple[Numbers, Numbers]:
        """For each edge the row of its node, and its position among all edges; in the order of the nodes."""
        row = np.repeat(np.arange(len(self.id)), self.edges)
        within = np.arange(len(row)) - np.repeat(np.cumsum(self.edges) - self.edges, self.edges)
        return row, self.first_edge[row] + within


class _Checker:
    def __init__(self, tape: Tape, cells: int, arrays: int) -> None:
        self.tape, self.cells, self.arrays = tape, cells, arrays
        self.nodes = _Nodes(tape)
        ops = tape.tables[OpRan]
        self.born = _Born("tensor", ops.children["outputs"]["id"], np.repeat(tape.steps(OpRan), ops.columns["outputs"]))
        self.known = _Born("node", self.nodes.id, self.nodes.step)

    def check(self) -> None:
        self.places()
        everywhere = np.arange(self.tape.size)
        self.within(self.tape.site.astype(np.int64), everywhere, self.tape.sites.size, "site")
        self.within(self.tape.scope.astype(np.int64), everywhere, self.tape.scopes.size, "scope")
        self.passes()
        self.operations()
        self.graph()
        self.ran()
        self.others()
        gone = self.nodes.variable[self.nodes.variable != NOTHING]
        if bool((self.born.step(gone) == _NEVER).any()):
            raise RecordingError("AccumulateGrad of a tensor that does not exist")

    # --- the tables of sites and scopes ---------------------------------------------------------------------------------------

    def places(self) -> None:
        sites, scopes = self.tape.sites, self.tape.scopes
        _refuse(_outside(sites["cell"], self.cells), "site in a cell that does not exist")
        for name in ("line", "column", "end_line", "end_column"):
            _refuse(_outside(sites[name], _LIMIT + 1), "site with impossible numbers")
        loops, around, calls = (scopes.children[name] for name in ("loops", "around", "calls"))
        for column in (scopes["call"], loops["0"], loops["1"], around["0"], around["1"]):
            _refuse(_outside(column, _LIMIT + 1), "scope with impossible numbers")
        said = scopes["around"]
        _refuse((said != 0) & (said != scopes["loops"]), "scope with loops of which it says too little")
        depth = np.repeat(scopes["calls"], said)
        _refuse((around["0"] >= self.cells) | (around["1"] > depth), "scope with loops around calls that it does not have")
        _refuse(_outside(calls["0"], sites.size), "scope with a call at a site that does not exist")

    # --- the events -----------------------------------------------------------------------------------------------------------

    def operations(self) -> None:
        ops, steps = self.tape.tables[OpRan], self.tape.steps(OpRan)
        self.within(ops["opened"], steps, self.tape.sites.size, "site")
        inside = ops["in_backward"]
        begun = np.where(inside == 0, NOTHING, self.began.step(inside))
        self.refuse((inside < 0) | (begun > steps), steps, lambda k: "op in a backward pass that never began")
        inputs, at = ops.children["inputs"], np.repeat(steps, ops.columns["inputs"])
        # What an operation makes is not yet there when it takes its arguments.
        self.tensors(inputs["tensor"], at - 1, at, optional=True)
        outputs, at = ops.children["outputs"], np.repeat(steps, ops.columns["outputs"])
        self.refuse(outputs["shape"] > MAX_DIMS, at, lambda k: "tensor of impossible shape")
        sizes = outputs.children["shape"][""]
        self.refuse(sizes < 0, np.repeat(at, outputs.columns["shape"]), lambda k: "tensor of impossible shape")
        writes, later = ops.children["written"], np.repeat(steps, ops.columns["written"])
        self.tensors(writes["tensor"], later, later)
        for table, when in ((outputs, at), (writes, later)):
            self.counts(table["version"], when, "version")
            self.within(table["array"], when, self.arrays, "array")
            self.outputs(table["node"], table["output"], when)
        for name in ("view_of", "grad_of"):
            self.tensors(outputs[name], at, at, optional=True)

    def graph(self) -> None:
        nodes = self.nodes
        row, edge = nodes.each_edge()
        step, target = nodes.step[row], nodes.target[edge]
        self.node_ids(target, step, optional=True)
        self.counts(nodes.input[edge], step, "input number")
        for table, steps, _ in nodes.parts:
            saved, at = table.children["saved"], np.repeat(steps, table.columns["saved"])
            self.tensors(saved["tensor"], at, at, optional=True)
            self.within(saved["array"], at, self.arrays, "array")
        # Edges lead to older nodes, so only the nodes that one event makes together could form a cycle, and of these only
        # those with an edge to themselves or to one that is described after them.
        together = np.flatnonzero((target != NOTHING) & (self.known.step(target) == step))
        if len(together):
            to = self.known.rows[self.known.places(target[together])]
            for when in np.unique(step[together[to >= row[together]]]).tolist():
                self.acyclic(when)

    def acyclic(self, step: int) -> None:
        nodes = self.nodes
        first, last = np.searchsorted(nodes.step, (step, step + 1))
        targets = {
            int(nodes.id[k]): nodes.target[nodes.first_edge[k] : nodes.first_edge[k] + nodes.edges[k]].tolist()
            for k in range(first, last)
        }
        try:
            TopologicalSorter({id: [t for t in to if t in targets] for id, to in targets.items()}).prepare()
        except CycleError:
            raise RecordingError(f"event {step}: autograd graph with a cycle") from None

    def passes(self) -> None:
        tape = self.tape
        begins, steps = tape.tables[BackwardBegan], tape.steps(BackwardBegan)
        numbers = begins["number"]
        order = np.lexsort((steps, numbers))
        taken = np.zeros(len(numbers), np.bool_)
        taken[order[1:]] = numbers[order[1:]] == numbers[order[:-1]]
        self.refuse(taken | (numbers < 1), steps, lambda k: "backward pass with a number that is taken")
        self.began = _Passes(numbers, steps)
        # A pass is over where it says so, and where the program ends with an exception.
        raised = np.append(tape.steps(Raised), tape.size)
        over = raised[np.searchsorted(raised, steps)]
        ends, at = tape.tables[BackwardEnded]["number"], tape.steps(BackwardEnded)
        which = self.began.row(ends)
        again = np.ones(len(ends), np.bool_)
        again[np.unique(which, return_index=True)[1]] = False
        bad = (which < 0) | again
        bad[~bad] |= (at[~bad] < steps[which[~bad]]) | (at[~bad] > over[which[~bad]])
        self.refuse(bad, at, lambda k: f"backward pass {ends[k]} is not running")
        self.over = over
        self.over[which] = np.minimum(over[which], at)
        depth = np.concatenate([np.ones(len(steps), np.int64), np.full(len(over), -1)])
        if len(steps):
            running = np.cumsum(depth[np.lexsort((depth, np.concatenate([steps, self.over])))])
            if int(running.max()) > limits.NESTED.value():
                raise TooMuchError(limits.NESTED.past())
        roots = begins["root_nodes"]
        self.refuse((roots != 0) & (roots != begins["roots"]), steps,
                    lambda k: "backward pass with more roots than nodes to start from")  # fmt: skip
        starts, when = begins.children["roots"], np.repeat(steps, begins.columns["roots"])
        self.tensors(starts["0"], when, when)
        self.within(starts["1"], when, self.arrays, "array")
        nodes, when = begins.children["root_nodes"], np.repeat(steps, begins.columns["root_nodes"])
        self.outputs(nodes["0"], nodes["1"], when)
        when = np.repeat(steps, begins.columns["inputs"])
        self.tensors(begins.children["inputs"][""], when, when)

    def running(self, numbers: Numbers, steps: Numbers) -> None:
        row = self.began.row(numbers)
        there = row >= 0
        bad = ~there
        bad[there] = (steps[there] < self.began.steps[row[there]]) | (steps[there] > self.over[row[there]])
        self.refuse(bad, steps, lambda k: f"backward pass {numbers[k]} is not running")

    def ran(self) -> None:
        table, steps = self.tape.tables[NodeRan], self.tape.steps(NodeRan)
        if not table.size:
            return
        self.running(table["number"], steps)
        node = table["node"]
        self.node_ids(node, steps)
        self.within(table.children["received"][""], np.repeat(steps, table.columns["received"]), self.arrays, "array")
        row = self.known.rows[self.known.places(node)]
        self.refuse(table["sent"] != self.nodes.edges[row], steps, lambda k: "node sends along edges it does not have")
        sent = table.children["sent"]
        edge = np.repeat(self.nodes.first_edge[row], table.columns["sent"]) + table.places("sent")
        at, there = np.repeat(steps, table.columns["sent"]), sent["there"] == 1
        other = (
            (sent["node"] != self.nodes.target[edge]) | (sent["input"] != self.nodes.input[edge]) | (sent["node"] == NOTHING)
        )
        self.refuse(there & other, at, lambda k: "node sends along an edge it does not have")
        for name in ("array", "raw"):
            self.within(np.where(there, sent[name], NOTHING), at, self.arrays, "array")

    def others(self) -> None:
        tables, steps = self.tape.tables, self.tape.steps
        self.tensors(tables[Named]["tensor"], steps(Named), steps(Named), optional=True)
        kinds: tuple[type[Any], ...] = (FlagSet, Read, GradSet, Accumulated)
        for kind in kinds:
            self.tensors(tables[kind]["tensor"], steps(kind), steps(kind))
        by_backward = np.array([text == BY_BACKWARD for text in self.tape.texts], np.bool_)
        self.refuse(by_backward[tables[GradSet]["how"]], steps(GradSet),
                    lambda k: "backward pass that is none changes a .grad")  # fmt: skip
        self.running(tables[Accumulated]["number"], steps(Accumulated))
        self.node_ids(tables[Accumulated]["node"], steps(Accumulated), optional=True)
        self.tensors(tables[HookRan]["tensor"], steps(HookRan), steps(HookRan), optional=True)
        self.node_ids(tables[HookRan]["node"], steps(HookRan), optional=True)
        for kind, name in (
            (Accumulated, "increment"), (Accumulated, "total"), (GradSet, "array"), (HookRan, "before"), (HookRan, "after"),
        ):  # fmt: skip
            self.within(tables[kind][name], steps(kind), self.arrays, "array")
        for name in ("parameters", "idle"):
            at = np.repeat(steps(Stepped), tables[Stepped].columns[name])
            self.tensors(tables[Stepped].children[name][""], at, at)
        for kind in (CellBegan, CellEnded):
            self.refuse(_outside(tables[kind]["cell"], self.cells), steps(kind), lambda k: "cell that does not exist")
        self.thinned()

    def thinned(self) -> None:
        table, steps = self.tape.tables[Thinned], self.tape.steps(Thinned)
        known = np.array([text in LEVELS for text in self.tape.texts], np.bool_)
        units = table["unit"]
        bad = (
            ~known[table["level"]]
            | ((units != 0) & (units != 3))
            | (table["iteration"] < NOTHING)
            | (table["iteration"] > _LIMIT)
        )
        self.refuse(bad, steps, lambda k: "recording that grows neither thinner nor denser")
        self.counts(table.children["unit"][""], np.repeat(steps, units), "loop in which a recording grows thinner")

    # --- what is asked of columns ---------------------------------------------------------------------------------------------

    def refuse(self, bad: NDArray[np.bool_], steps: Numbers, why: Callable[[int], str]) -> None:
        if bool(bad.any()):
            first = int(np.argmax(bad))
            raise RecordingError(f"event {steps[first]}: {why(first)}")

    def within(self, ids: Numbers, steps: Numbers, length: int, what: str) -> None:
        self.refuse((ids < NOTHING) | (ids >= length), steps, lambda k: f"{what} {ids[k]} does not exist")

    def counts(self, numbers: Numbers, steps: Numbers, what: str) -> None:
        self.refuse(_outside(numbers, _LIMIT + 1), steps, lambda k: f"impossible {what}")

    def tensors(self, ids: Numbers, by: Numbers, steps: Numbers, optional: bool = False) -> None:
        missing = self.born.step(ids) > by
        self.refuse(missing & (ids != NOTHING) if optional else missing, steps, lambda k: f"tensor {ids[k]} does not exist")

    def node_ids(self, ids: Numbers, steps: Numbers, optional: bool = False) -> None:
        missing = self.known.step(ids) > steps
        self.refuse(missing & (ids != NOTHING) if optional else missing, steps, lambda k: f"node {ids[k]} does not exist")

    def outputs(self, nodes: Numbers, numbers: Numbers, steps: Numbers) -> None:
        self.node_ids(nodes, steps, optional=True)
        self.counts(numbers, steps, "output number")


class _Passes:
    """Passes by their numbers, which may be any."""

    def __init__(self, numbers: Numbers, steps: Numbers) -> None:
        self.order = np.argsort(numbers, kind="stable")
        self.numbers, self.steps = numbers[self.order], steps

    def row(self, numbers: Numbers) -> Numbers:
        """The row of each pass, NOTHING for one that never began."""
        if not len(self.numbers):
            return np.full(len(numbers), NOTHING)
        places = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        return np.where(self.numbers[places] == numbers, self.order[places], NOTHING)

    def step(self, numbers: Numbers) -> Numbers:
        """When each began."""
        row = self.row(numbers)
        return np.where(row >= 0, self.steps[row] if len(self.steps) else 0, _NEVER)


def _outside(numbers: Numbers, length: int) -> NDArray[np.bool_]:
    return np.asarray((numbers < 0) | (numbers >= length))


def _refuse(bad: Any, why: str) -> None:
    if bool(bad.any()):
        raise RecordingError(why)


def missing_leaves(tape: Tape) -> Numbers:
    """Leaves that nodes speak of and that never came: in a log that was cut off, they would have come later."""
    nodes = _Nodes(tape)
    variables = nodes.variable[nodes.variable != NOTHING]
    return np.setdiff1d(variables, tape.tables[OpRan].children["outputs"]["id"])


def sound_beginning(tape: Tape) -> Tape:
    """A log that was cut off without its last events, as far as they speak of leaves that were still to come."""
    while len(missing := missing_leaves(tape)):
        nodes = _Nodes(tape)
        tape = tape.part(0, int(nodes.step[np.isin(nodes.variable, missing)].min()))
    return tape
