"""Places: what the iterations of a program share.

An operation's place is its site, module path, call path and loop nest without the numbers of time's iterations; a run of twenty
thousand operations has a few dozen.

Autograd nodes have the place of the operation that made them. What a pass records of itself (`create_graph`) has that of the
node whose rule recorded it, and the pass's. Parameters, and buffers into which loops write, stand alone: one place each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ...recording.columns import Columns, Flags, Ints, columns_of
from ...recording.events import NOTHING
from ...recording.recording import Recording
from .calls import Calls, same_sites
from .drawn import occurrence
from .loops import Nests, nests_of, parameters_among
from .tensor_titles import best_names

FEW = 3
"""How often an expression may do the same operation in one iteration before all of them are one place, "× 64"; what a function
does that calls itself is one place, however often."""

Nest = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the program something is made, whatever the iteration."""

    site: int
    module: str
    calls: Calls
    nest: Nest
    """The loops around it, by id, outermost first, each with the iteration where it is depth, NOTHING where it is time."""
    op: str
    ordinal: int = 0
    """Which of a few alike within one iteration."""
    output: int = 0
    of: int = NOTHING
    """What a pass recorded: the place (of an operation) whose backward rule it was."""


@dataclass(frozen=True, eq=False)
class Places:
    """The places of a recording's operations, tensors and nodes, by their rows in its tables."""

    nests: Nests
    where: Ints
    """Per scope: which combination of module, calls and loops it is."""
    wheres: tuple[tuple[str, Calls, Nest], ...]
    operation: Ints
    """Per operation: its place."""
    tensor: Ints
    """Per tensor: its place."""
    node: Ints
    """Per autograd node: its place, in numbers of their own."""
    when: Ints
    """Per event: a number for the iteration of the innermost time loop, NOTHING outside of all."""
    alone: Flags
    """Per tensor: whether it stands alone."""
    repeated: Flags
    """Per place of an operation: whether it is one for many within an iteration."""
    inner: Ints
    """Per operation: the operation whose rule recorded it, NOTHING for what no pass recorded."""
    place_of: Ints
    """Tensor id → its place; NOTHING for an id that is no tensor's."""
    iteration_of: Ints
    """Tensor id → the iteration (row of the loop) of the innermost time loop around its birth, NOTHING outside of all."""

    @property
    def count(self) -> int:
        """How many places operations have."""
        return len(self.repeated)


def places_of(recording: Recording, turned: Collection[str] = ()) -> Places:
    """The places of a recording, those loops whose ids are in `turned` taken for the other kind."""
    key = f"places {sorted(turned)}"
    return recording.once(key, lambda: _Placing(recording, frozenset(turned)).places())


def place(recording: Recording, places: Places, row: int) -> Place:
    """The place of a tensor, by its row, in words."""
    columns = columns_of(recording)
    step = int(columns.tensors.step[row])
    operation = int(np.searchsorted(columns.operations.step, step))
    scope = int(columns.events.scope[step])
    module, calls, nest = places.wheres[places.where[scope]]
    same = np.flatnonzero(columns.tensors.step == step)
    inner = int(places.inner[operation])
    return Place(
        int(columns.events.site[step]),
        module,
        calls,
        nest,
        columns.op_names[columns.operations.op[operation]],
        output=int(row - same[0]),
        of=int(places.operation[inner]) if inner != NOTHING else NOTHING,
    )


def unique_rows(*keys: Ints) -> Ints:
    """A number for each row, the same where all keys are, in the order of their first appearance."""
    if not len(keys[0]):
        return np.empty(0, np.int64)
    order = np.lexsort(keys[::-1])
    new = np.ones(len(order), bool)
    same = np.ones(len(order) - 1, bool)
    for key in keys:
        ordered = key[order]
        same &= ordered[1:] == ordered[:-1]
    new[1:] = ~same
    number = np.cumsum(new) - 1
    # lexsort is stable: the first of each group is its first row.
    firsts = order[new]
    rank = np.empty(len(firsts), np.int64)
    rank[np.argsort(firsts)] = np.arange(len(firsts))
    found = np.empty(len(order), np.int64)
    found[order] = rank[number]
    return found


def earlier(nests: Nests, made: Ints, used: Ints) -> Flags:
    """Whether what was made at a step is used (at another) in a later iteration of a time loop that is around both."""
    found = np.zeros(len(made), bool)
    alike = np.ones(len(made), bool)
    is_time = np.array([loop.kind == "time" for loop in nests.loops] + [False])
    for at, row in zip(nests.at, nests.row):
        alike &= (at[made] == at[used]) & (at[made] != NOTHING)
        differs = alike & (row[made] != row[used])
        found |= differs & is_time[at[made]]
        alike &= ~differs
    return found


class _Placing:
    def __init__(self, recording: Recording, turned: frozenset[str]) -> None:
        self.recording = recording
        self.columns: Columns = columns_of(recording)
        self.nests = nests_of(recording, turned)

    def places(self) -> Places:
        columns, nests = self.columns, self.nests
        where, wheres = self._wheres()
        when = np.where(nests.loop == NOTHING, NOTHING, nests.before[nests.loop] + nests.iteration)
        steps = columns.operations.step
        self.when = when[steps]
        self.sites = same_sites(self.recording)
        self.site = self.sites[columns.events.site[steps]]
        self.where = where[columns.events.scope[steps]]
        operation, repeated, inner = self._operations()
        alone = self._alone()
        tensor = self._tensors(operation, alone)
        node = self._nodes(operation, tensor, where)
        ids, born = columns.tensors.id, columns.tensors.step
        place_of, iteration_of = (np.full(int(ids.max(initial=-1)) + 1, NOTHING) for _ in range(2))
        place_of[ids], iteration_of[ids] = tensor, nests.iteration[born]
        return Places(nests, where, wheres, operation, tensor, node, when, alone, repeated, inner, place_of, iteration_of)

    def _wheres(self) -> tuple[Ints, tuple[tuple[str, Calls, Nest], ...]]:
        loops = self.nests.loops
        known: dict[tuple[str, Calls, Nest], int] = {}
        where = []
        for scope, calls, nest in zip(self.recording.scopes, self.nests.calls, self.nests.scopes):
            named = tuple((loops[i].id, NOTHING if loops[i].kind == "time" else k) for i, k in nest)
            where.append(known.setdefault((scope.module, calls, named), len(known)))
        nowhere = known.setdefault(("", (), ()), len(known))
        return np.array([*where, nowhere]), tuple(known)

    def _operations(self) -> tuple[Ints, Flags, Ints]:
        """Each operation's place; per place whether it is one for many; and whose rule recorded an operation."""
        operations = self.columns.operations
        count = len(operations.step)
        inner = self._inner()
        recursive = self._recursive()
        place = np.full(count, NOTHING)
        repeated = np.empty(0, bool)
        left = np.ones(count, bool)
        ready = inner == NOTHING
        while left.any():
            now = np.flatnonzero(left & ready)
            if not len(now):
                now = np.flatnonzero(left)
            above = np.where(inner[now] == NOTHING, NOTHING, place[np.maximum(inner[now], 0)])
            base = unique_rows(self.site[now], self.where[now], operations.op[now], above)
            turn = occurrence(base, self.when[now])
            most = np.zeros(int(base.max(initial=-1)) + 1, np.int64)
            np.maximum.at(most, base, turn + 1)
            many = most > FEW
            many[base[recursive[now]]] |= most[base[recursive[now]]] > 1
            ordinal = np.where(many[base], 0, turn)
            mine = unique_rows(base, ordinal)
            place[now] = len(repeated) + mine
            firsts = np.unique(mine, return_index=True)[1]
            repeated = np.concatenate((repeated, many[base[firsts]]))
            left[now] = False
            ready = ~left[np.maximum(inner, 0)]
        return place, repeated, inner

    def _recursive(self) -> Flags:
        """For each operation, whether a call of a function within itself is around it."""
        scopes = [len(calls) < len(scope.calls) for scope, calls in zip(self.recording.scopes, self.nests.calls)]
        found: Flags = np.array([*scopes, False])[self.columns.events.scope[self.columns.operations.step]]
        return found

    def _inner(self) -> Ints:
        """For what a pass recorded, the operation that made the node that the pass was at."""
        columns = self.columns
        operations, ran = columns.operations, columns.ran
        inner = np.full(len(operations.step), NOTHING)
        rows = np.flatnonzero(operations.in_backward > 0)
        if not len(rows) or not len(ran.step):
            return inner
        total = len(columns.events.kind) + 1
        keys = ran.number * total + ran.step
        order = np.argsort(keys)
        at = np.searchsorted(keys[order], operations.in_backward[rows] * total + operations.step[rows])
        # A node says that it ran when its rule is through; what comes after the last belongs to that.
        at = np.minimum(at, len(keys) - 1)
        other = ran.number[order[at]] != operations.in_backward[rows]
        at = np.where(other, np.maximum(at - 1, 0), at)
        found = order[at]
        node = ran.node[found]
        step = columns.nodes.step[columns.row_of_node[node]]
        op = np.minimum(np.searchsorted(operations.step, step), len(operations.step) - 1)
        good = (ran.number[found] == operations.in_backward[rows]) & (operations.step[op] == step) & (op < rows)
        inner[rows[good]] = op[good]
        return inner

    def _alone(self) -> Flags:
        """Parameters, buffers, and what loops write into, if they are made outside of all time loops; and what a recording that
        began with a loop has first met there."""
        columns = self.columns
        tensors, writes, bound = columns.tensors, columns.writes, columns.bound
        outside = self.nests.loop[tensors.step] == NOTHING
        found = parameters_among(columns)
        path = np.array([*("." in text for text in columns.names), False])
        found[columns.row_of[bound.tensor[path[bound.name] & (bound.tensor != NOTHING)]]] = True
        written = columns.row_of[writes.tensor[self.nests.loop[writes.step] != NOTHING]]
        found[written[written != NOTHING]] = True
        alone: Flags = (found & outside) | self._met()
        return alone

    def _met(self) -> Flags:
        """Tensors from before the recording, or that came about unseen: a loop uses them again that has not made them."""
        columns, (inputs, tensors) = self.columns, (self.columns.inputs, self.columns.tensors)
        unseen = [position for position, name in enumerate(columns.op_names) if name in ("constant", "Parameter")]
        op = columns.operations.op[np.searchsorted(columns.operations.step, tensors.step)]
        begun = np.zeros(len(columns.events.kind), bool)
        begun[inputs.step] = True  # the operation has made it of something
        found = np.zeros(len(tensors.id), bool)
        candidate = np.isin(op, unseen) & ~begun[tensors.step] & (self.nests.loop[tensors.step] != NOTHING)
        if not candidate.any():
            return found
        rows = columns.row_of[inputs.tensor]
        used = np.flatnonzero((rows != NOTHING) & candidate[rows])
        again = earlier(self.nests, tensors.step[rows[used]], inputs.step[used])
        found[rows[used[again]]] = True
        return found

    def _tensors(self, operation: Ints, alone: Flags) -> Ints:
        columns = self.columns
        tensors = columns.tensors
        op = np.searchsorted(columns.operations.step, tensors.step)
        place = operation[op]
        output = occurrence(tensors.step)
        # A few outputs have names (q, k, v); the many of an unbind are one place.
        most = np.zeros(int(place.max(initial=-1)) + 1, np.int64)
        np.maximum.at(most, place, output + 1)
        many = np.flatnonzero(most[place] > FEW)
        if len(many):
            names = best_names(self.recording)
            called: dict[int, set[str]] = defaultdict(set)
            for row in many.tolist():
                called[int(place[row])].add(names.get(int(tensors.id[row]), ""))
            apart = np.array([2 * len(called[int(place[row])] - {""}) > most[place[row]] for row in many.tolist()])
            output[many[~apart]] = 0
        return unique_rows(place, output, np.where(alone, np.arange(len(alone)), NOTHING))

    def _nodes(self, operation: Ints, tensor: Ints, where: Ints) -> Ints:
        columns = self.columns
        nodes, events, steps = columns.nodes, columns.events, columns.operations.step
        variable = np.where(nodes.variable == NOTHING, NOTHING, tensor[columns.row_of[np.maximum(nodes.variable, 0)]])
        op = np.minimum(np.searchsorted(steps, nodes.step), len(steps) - 1)
        made = (steps[op] == nodes.step) & (variable == NOTHING) if len(steps) else np.zeros(len(nodes.id), bool)
        place = np.where(made, operation[op], NOTHING) if len(steps) else np.full(len(nodes.id), NOTHING)
        elsewhere = ~made & (variable == NOTHING)
        site = np.where(elsewhere, self.sites[events.site[nodes.step]], NOTHING)
        scope = np.where(elsewhere, where[events.scope[nodes.step]], NOTHING)
        name = np.where(variable == NOTHING, nodes.name, NOTHING)
        turn = np.where(variable == NOTHING, occurrence(nodes.step, nodes.name), NOTHING)
        return unique_rows(variable, place, site, scope, name, turn)
