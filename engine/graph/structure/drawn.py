"""What the unrolled pictures draw, as arrays: the tensors with a node, and the edges between them.

The same nodes and edges as `build` gives, with the same keys, found without a look at single events.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...recording.columns import Columns, Flags, Ints, columns_of
from ...recording.events import NOTHING, FlagSet, OpRan, Stepped
from ...recording.recording import Recording

_THROUGH = 8
"""As in `build`: how many nodes that no tensor owns are looked through."""


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Edges of an unrolled graph, in the order of their keys; `first` are the positions that have a key of their own."""

    source: Ints
    """Tensor ids, or node ids in the view of the autograd graph."""
    target: Ints
    key: Ints
    step: Ints
    slot: Ints
    cut: Flags
    write: Flags
    node: Ints
    """The autograd edge whose gradient it carries: a node and a position among its edges; NOTHING, -1 where it has none."""
    input: Ints
    turn: Ints
    """How many edges before it lead from the same source to the same target."""


def visible_rows(recording: Recording) -> Flags:
    """For each row of the table of tensors, whether it has a node of its own."""
    return recording.once("visible rows", lambda: _visible(recording))


def joined(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """All pairs (position in `left`, position in `right`) of equal values, in the order of `left`; `right` is sorted."""
    low, high = np.searchsorted(right, left, "left"), np.searchsorted(right, left, "right")
    counts = high - low
    first = np.repeat(np.arange(len(left)), counts)
    offset = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return first, low[first] + offset


def occurrence(*keys: Ints) -> Ints:
    """For each row, how many rows before it have the same keys."""
    if not len(keys[0]):
        return np.empty(0, np.int64)
    order = np.lexsort(keys[::-1])
    new = np.zeros(len(order), bool)
    new[0] = True
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    counted = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    found = np.empty(len(order), np.int64)
    found[order] = counted
    return found


def stepping_rows(recording: Recording) -> tuple[Flags, Ints]:
    """For each event, whether it is within an optimizer's step; for each `Stepped`, the first event of its step."""
    return recording.once("stepping rows", lambda: _stepping(recording))


def _stepping(recording: Recording) -> tuple[Flags, Ints]:
    columns = columns_of(recording)
    events = columns.events
    inside = np.zeros(len(events.kind), bool)
    is_op = events.kind == columns.KIND[OpRan]
    ends = columns.steps.step
    begins = np.empty(len(ends), np.int64)
    # How far back a run of operations at one site goes.
    changes = np.flatnonzero(
        np.concatenate(([True], (events.site[1:] != events.site[:-1]) | ~is_op[1:] | ~is_op[:-1]))
        if len(events.site)
        else np.empty(0, bool)
    )
    for i, end in enumerate(ends.tolist()):
        site, first = int(events.site[end]), end
        parameters: set[int] | None = None
        while first > 0 and is_op[first - 1] and not inside[first - 1]:
            if events.site[first - 1] == site and site != NOTHING:
                first = int(changes[np.searchsorted(changes, first - 1, "right") - 1])
                continue
            event, stepped = recording.events[first - 1], recording.events[end]
            assert isinstance(event, OpRan)
            assert isinstance(stepped, Stepped)
            parameters = set(stepped.parameters) if parameters is None else parameters
            written = [write.tensor for write in event.written]
            if not parameters or event.outputs or not written or not parameters.issuperset(written):
                break
            first -= 1
        inside[first : end + 1] = True
        begins[i] = first
    return inside, begins


def _visible(recording: Recording) -> Flags:
    """All tensors but the nameless ones inside optimizers' steps, and nameless `.grad`s that feed nothing."""
    columns = columns_of(recording)
    tensors = columns.tensors
    named = np.zeros(len(tensors.id), bool)
    bound = columns.row_of[columns.bound.tensor[columns.bound.tensor != NOTHING]]
    named[bound[bound != NOTHING]] = True
    shown = named | ~stepping_rows(recording)[0][tensors.step]
    hidden = (tensors.grad_of != NOTHING) & ~named
    if hidden.any():
        source, target = _flows(columns)
        owner = columns.row_of[np.maximum(tensors.grad_of, 0)]
        mine = hidden[source] & (target != owner[source])
        source, target = source[mine], target[mine]
        while len(found := np.unique(source[hidden[source] & ~hidden[target]])):
            hidden[found] = False
    drawn: Flags = shown & ~hidden
    return drawn


def _flows(columns: Columns) -> tuple[Ints, Ints]:
    """Pairs of rows: a tensor that an operation takes, and one that it makes or writes."""
    inputs, tensors, writes = columns.inputs, columns.tensors, columns.writes
    a, made = joined(inputs.step, tensors.step)
    b, written = joined(inputs.step, writes.step)
    source = columns.row_of[inputs.tensor]
    return np.concatenate((source[a], source[b])), np.concatenate((made, columns.row_of[writes.tensor[written]]))


# --- edges between tensors ------------------------------------------------------------------------------------------------


def tensor_edges(recording: Recording) -> Edges:
    """The edges of the graph of tensors."""
    columns = columns_of(recording)
    shown = visible_rows(recording)
    tensors, inputs, writes = columns.tensors, columns.inputs, columns.writes
    source = columns.row_of[inputs.tensor]
    fed = np.flatnonzero(shown[source])
    needs = _Needs(recording, columns)
    operations = columns.operations
    # What operations make.
    made, i = joined(tensors.step, inputs.step[fed])
    used = fed[i]
    keep = shown[made]
    made, used = made[keep], used[keep]
    op = np.searchsorted(operations.step, tensors.step[made])
    cut = needs.before(source[used], tensors.step[made]) & ((operations.cut[op] != 0) | (tensors.requires_grad[made] == 0))
    # What they write.
    wrote, i = joined(writes.step, inputs.step[fed])
    using = fed[i]
    target = columns.row_of[writes.tensor[wrote]]
    keep = shown[target] & (source[using] != target) & (tensors.grad_of[source[using]] != writes.tensor[wrote])
    wrote, using, target = wrote[keep], using[keep], target[keep]
    op = np.searchsorted(operations.step, writes.step[wrote])
    cut_off = needs.before(source[using], writes.step[wrote]) & ((operations.cut[op] != 0) | (writes.requires_grad[wrote] == 0))
    cut_off |= operations.grad_mode[op] == 0
    old = needs.node_before(target, writes.step[wrote])
    node = np.where(writes.node[wrote] != old, writes.node[wrote], NOTHING)

    sources = np.concatenate((source[used], source[using]))
    targets = np.concatenate((made, target))
    steps = np.concatenate((tensors.step[made], writes.step[wrote]))
    slots = np.concatenate((inputs.slot[used], inputs.slot[using]))
    results = np.concatenate((made, len(tensors.id) + wrote))
    write = np.concatenate((np.zeros(len(made), bool), np.ones(len(wrote), bool)))
    nodes = np.concatenate((tensors.node[made], node))
    cuts = np.concatenate((cut, cut_off))
    order = np.lexsort((slots, results, write, steps))
    sources, targets, steps, slots, results, write, nodes, cuts = (
        part[order] for part in (sources, targets, steps, slots, results, write, nodes, cuts)
    )
    nodes, entries = _carried(columns, sources, results, nodes)
    # Further writes with the same tensor travel along the first one's edge.
    again = occurrence(sources, targets, np.where(write, -1, np.arange(len(write)))) > 0
    keys = np.cumsum(~again) - 1
    if again.any():
        first: dict[tuple[int, int], int] = {}
        for position in np.flatnonzero(write).tolist():
            pair = (int(sources[position]), int(targets[position]))
            keys[position] = first.setdefault(pair, int(keys[position]))
    ids = tensors.id
    return Edges(ids[sources], ids[targets], keys, steps, slots, cuts, write, nodes, entries, occurrence(sources, results))


class _Needs:
    """Whether tensors need gradients, and their nodes, before a step."""

    def __init__(self, recording: Recording, columns: Columns) -> None:
        tensors, writes = columns.tensors, columns.writes
        self.born = tensors.requires_grad == 1
        self.node = tensors.node
        rows, steps, needs, nodes = (
            [columns.row_of[writes.tensor]],
            [writes.step],
            [writes.requires_grad],
            [writes.node],
        )
        flags = np.flatnonzero(columns.events.kind == columns.KIND[FlagSet])
        set_ = [(step, e) for step in flags.tolist() if (e := recording.events[step]).flag == "requires_grad"]  # type: ignore[union-attr]
        if set_:
            rows.append(columns.row_of[np.array([e.tensor for _, e in set_])])  # type: ignore[union-attr]
            steps.append(np.array([step for step, _ in set_]))
            needs.append(np.array([int(e.value) for _, e in set_]))  # type: ignore[union-attr]
            nodes.append(np.full(len(set_), NOTHING))
        self.total = len(columns.events.kind) + 1
        when = np.concatenate(rows) * self.total + np.concatenate(steps)
        order = np.argsort(when, kind="stable")
        self.when, self.needs = when[order], np.concatenate(needs)[order] == 1
        self.nodes = np.concatenate(nodes)[order]

    def _last(self, row: Ints, step: Ints) -> tuple[Ints, Flags]:
        last = np.searchsorted(self.when, row * self.total + step, "left") - 1
        there = (last >= 0) & (self.when[last] // self.total == row) if len(self.when) else np.zeros(len(row), bool)
        return last, there

    def before(self, row: Ints, step: Ints) -> Flags:
        """Whether tensors needed gradients before steps."""
        last, there = self._last(row, step)
        found: Flags = self.born[row].copy()
        found[there] = self.needs[last[there]]
        return found

    def node_before(self, row: Ints, step: Ints) -> Ints:
        """Tensors' nodes before steps."""
        last, there = self._last(row, step)
        found = self.node[row].copy()
        found[there] = self.nodes[last[there]]
        return found


def owners(columns: Columns) -> tuple[Ints, Ints, int]:
    """Sorted keys (node * width + output) with the row of the tensor whose `grad_fn` a node is, and the width."""
    tensors, writes, nodes = columns.tensors, columns.writes, columns.nodes
    width = int(tensors.output.max(initial=0)) + 2
    width = max(width, int(columns.edges.input.max(initial=0)) + 2)
    leaf = nodes.variable != NOTHING
    step = np.concatenate((tensors.step, writes.step, nodes.step[leaf]))
    node = np.concatenate((tensors.node, writes.node, nodes.id[leaf]))
    output = np.concatenate((tensors.output, np.zeros(len(writes.node), np.int64), np.zeros(int(leaf.sum()), np.int64)))
    row = np.concatenate((np.arange(len(tensors.id)), columns.row_of[writes.tensor], columns.row_of[nodes.variable[leaf]]))
    # The first owner counts, but an AccumulateGrad is its variable's alone.
    rank = np.concatenate((step, step[:0])) + 0
    rank[len(rank) - int(leaf.sum()) :] = -1
    there = node != NOTHING
    key, row, rank = (node * width + output)[there], row[there], rank[there]
    order = np.lexsort((rank, key))
    key, row = key[order], row[order]
    first = np.ones(len(key), bool)
    first[1:] = key[1:] != key[:-1]
    return key[first], row[first], width


def _carried(columns: Columns, source: Ints, result: Ints, node: Ints) -> tuple[Ints, Ints]:
    """For each edge the autograd edge that carries its gradient: the n-th edge of the result's node that leads to the source,
    for the n-th time that the source is taken."""
    keys, rows, width = owners(columns)
    edges = columns.edges
    if not len(edges.node) or not len(keys):
        return np.full(len(source), NOTHING), np.full(len(source), -1)
    target, input = edges.target.copy(), edges.input.copy()
    single = np.bincount(edges.node, minlength=int(max(edges.node.max(), edges.target.max())) + 1)
    only = np.full(len(single), NOTHING)
    only[edges.node] = np.arange(len(edges.node))
    for _ in range(_THROUGH):
        key = target * width + input
        at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        on = np.flatnonzero((keys[at] != key) & (single[target] == 1))
        if not len(on):
            break
        following = only[target[on]]
        target[on], input[on] = edges.target[following], edges.input[following]
    key = target * width + input
    at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    owned = keys[at] == key
    owner = np.where(owned, rows[at], NOTHING)
    # Match (node, owner, n-th of its edges) with (node, source, n-th use).
    turn = occurrence(edges.node, owner)
    most = int(turn.max(initial=0)) + 1
    tensors = len(columns.tensors.id) + 1
    have = (edges.node * tensors + owner) * most + turn
    order = np.argsort(have, kind="stable")
    use = occurrence(result, source)
    wanted = np.where((node != NOTHING) & (use < most), (node * tensors + source) * most + use, -1)
    place = np.minimum(np.searchsorted(have[order], wanted), len(have) - 1)
    found = (have[order][place] == wanted) & (wanted >= 0)
    slot = edges.slot[order][place]
    return np.where(found, node, NOTHING), np.where(found, slot, -1)


# --- edges between autograd nodes -----------------------------------------------------------------------------------------


def node_edges(recording: Recording) -> Edges:
    """The edges of the graph of autograd nodes, exactly as `next_functions` has them."""
    columns = columns_of(recording)
    edges, nodes = columns.edges, columns.nodes
    count = len(edges.node)
    no = np.zeros(count, bool)
    step = nodes.step[columns.row_of_node[edges.node]]
    return Edges(
        edges.node, edges.target, np.arange(count), step, edges.slot, no, no, edges.node, edges.slot,
        occurrence(edges.node, edges.target),
    )  # fmt: skip
