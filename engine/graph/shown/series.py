"""What the places of a rolled graph show over all iterations of their loops: values, gradients, updates, and where they are not
finite. Everything is looked up in columns, so that it costs a few operations on arrays, however long the run is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...recording.columns import Columns, columns_of
from ...recording.events import NOTHING
from ...recording.recording import Recording
from .nonfinite import harmless
from .statistics import Floats, Ints, Statistics, moved, statistics, without_faults

Number: TypeAlias = float | None
POINTS = 100
"""Points of a line, at most: as wide as it is drawn."""
INF, NAN = 1, 2
"""Bits of what is wrong in an iteration."""
KINDS = {INF: "inf", NAN: "nan", INF | NAN: "nan"}


@dataclass(frozen=True, slots=True, eq=False)
class Iterations:
    """First and last step of each iteration of a loop, in order of time."""

    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.starts)

    def rows(self, steps: Ints) -> Ints:
        """The iteration that each step is in, NOTHING between two of them."""
        if not len(self):
            return np.full(len(steps), NOTHING, np.int64)
        rows = np.searchsorted(self.starts, steps, "right") - 1
        return np.where((rows >= 0) & (steps <= self.ends[rows]), rows, NOTHING)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Which cards there are, by number, and what belongs to each."""

    of_tensor: Ints
    """Tensor id → the card that it belongs to, or NOTHING."""
    of_node: Ints
    """The same for autograd nodes; empty where the cards are those of tensors."""
    loop: Ints
    """Card → the loop over whose iterations it is seen."""
    stays: NDArray[np.bool_]
    """Card → whether it stands for something that outlives the iterations, as parameters do."""
    loops: Sequence[Iterations]


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """What one card shows in each iteration, NaN where there is nothing or nothing that is finite."""

    value: Floats
    """The number; of an array the mean."""
    spread: Floats
    """The deviation, 0 for a number."""
    norm: Floats
    grad: Floats
    """The norm of what the passes have left in `.grad`, or else of the gradient that arrived."""
    bad: NDArray[np.uint8]
    """`INF` and `NAN`, as far as they are not meant."""
    arrays: Ints
    """The array that is shown, or NOTHING."""
    grads: Ints

    def troubles(self) -> list[tuple[int, str]]:
        """Pairs (iteration, "nan" or "inf"): of long stretches so many that no two are further apart than a line shows."""
        rows = np.flatnonzero(self.bad)
        if len(rows) > POINTS:
            gap = -(-len(self.bad) // POINTS)
            kinds = np.where(self.bad[rows] & NAN, NAN, INF)
            begins = np.concatenate([[True], (np.diff(rows) > 1) | (np.diff(kinds) != 0)])
            ends = np.append(begins[1:], True)
            rows = rows[begins | ends | (rows % gap == 0)]
        return [(row, KINDS[int(self.bad[row])]) for row in rows.tolist()]


def series(recording: Recording, places: Places) -> list[Series]:
    """What each card shows in each iteration of its loop."""
    return _Reading(recording, places).run()


class _Reading:
    def __init__(self, recording: Recording, places: Places) -> None:
        self.log: Columns = columns_of(recording)
        self.found: Statistics = statistics(recording)
        self.places = places
        self.rows = np.array([len(loop) for loop in places.loops], np.int64)
        counts = self.rows[places.loop] if len(places.loop) else np.zeros(0, np.int64)
        self.offset = np.concatenate([[0], np.cumsum(counts)])
        faults = np.where(self.found.nan > 0, NAN, 0) | np.where(self.found.inf > 0, INF, 0)
        if unalarming := list(harmless(recording)):
            faults[unalarming] = 0
        self.faults = faults.astype(np.uint8)
        total = int(self.offset[-1])
        self.value = np.full(total, NOTHING, np.int64)
        self.grad = np.full(total, NOTHING, np.int64)
        self.bad = np.zeros(total, np.uint8)
        self.row_of_tensor = self._rows_of_tensors()

    def run(self) -> list[Series]:
        t, w = self.log.tensors, self.log.writes
        tensors, steps, arrays = (
            np.concatenate(pair) for pair in ((t.id, w.tensor), (t.step, w.step), (t.array, w.array))
        )  # fmt: skip
        self._put(self.value, tensors, steps, arrays)
        self._stay(tensors, steps, arrays)
        self._arrived()
        filled = self.log.grads.number > 0
        g = self.log.grads
        self._put(self.grad, g.tensor[filled], g.step[filled], g.total[filled])
        return self._made()

    def _rows_of_tensors(self) -> Ints:
        """Tensor id → the iteration that it was made in, in the loop of its card."""
        ids, steps = self.log.tensors.id, self.log.tensors.step
        cards = self._cards(ids)
        found = np.full(len(self.log.row_of), NOTHING, np.int64)
        for number, loop in enumerate(self.places.loops):
            own = cards >= 0
            own[own] = self.places.loop[cards[own]] == number
            found[ids[own]] = loop.rows(steps[own])
        return found

    def _cards(self, tensors: Ints) -> Ints:
        return _looked_up(self.places.of_tensor, tensors)

    def _at(self, tensors: Ints, steps: Ints) -> tuple[Ints, Ints]:
        """Where in the flat arrays what happens to tensors belongs, and which of them belong anywhere."""
        cards = self._cards(tensors)
        rows = self.row_of_tensor[tensors]
        stays = np.flatnonzero(cards >= 0)
        stays = stays[self.places.stays[cards[stays]]]
        loops = self.places.loop[cards[stays]]
        for number in np.unique(loops).tolist():
            own = stays[loops == number]
            rows[own] = self.places.loops[number].rows(steps[own])
        good = np.flatnonzero((cards >= 0) & (rows >= 0))
        return self.offset[cards[good]] + rows[good], good

    def _put(self, into: Ints, tensors: Ints, steps: Ints, arrays: Ints) -> None:
        """Note the last array of each iteration, and what is wrong with any of them."""
        where, good = self._at(tensors, steps)
        self._note(into, where, steps[good], arrays[good])

    def _note(self, into: Ints, where: Ints, steps: Ints, arrays: Ints) -> None:
        order = np.argsort(steps, kind="stable")
        into[where[order]] = arrays[order]  # the last one written stands
        np.bitwise_or.at(self.bad, where, self.faults[arrays])

    def _stay(self, tensors: Ints, steps: Ints, arrays: Ints) -> None:
        """What outlives iterations has a value in each, though not each changes it."""
        cards = self._cards(tensors)
        order = np.lexsort((steps, cards))
        cards, steps, arrays = cards[order], steps[order], arrays[order]
        for card in np.flatnonzero(self.places.stays).tolist():
            first, last = np.searchsorted(cards, [card, card + 1])
            at = np.searchsorted(steps[first:last], self.places.loops[self.places.loop[card]].ends, "right")
            there = np.append(arrays[first:last], NOTHING)[at - 1]
            part = slice(self.offset[card], self.offset[card + 1])
            self.value[part] = there
            self.bad[part] |= self.faults[there]

    def _arrived(self) -> None:
        """Gradients that have reached nodes: at a card of a tensor those of the node that made it."""
        r = self.log.received
        if len(self.places.of_node):
            cards = _looked_up(self.places.of_node, r.node)
            rows = np.full(len(cards), NOTHING, np.int64)
            for number, loop in enumerate(self.places.loops):
                own = np.flatnonzero(cards >= 0)
                own = own[self.places.loop[cards[own]] == number]
                rows[own] = loop.rows(self._born(r.node[own]))
            good = np.flatnonzero((cards >= 0) & (rows >= 0))
            self._note(self.grad, self.offset[cards[good]] + rows[good], r.step[good], r.array[good])
            return
        made_by = owners(self.log, r.node, r.output)
        known = np.flatnonzero(made_by >= 0)
        self._put(self.grad, made_by[known], r.step[known], r.array[known])

    def _born(self, nodes: Ints) -> Ints:
        return self.log.nodes.step[self.log.row_of_node[nodes]]

    def _made(self) -> list[Series]:
        found = self.found
        value = without_faults(found.mean[self.value], found, self.value)
        spread = without_faults(found.std[self.value], found, self.value)
        norm = without_faults(found.norm[self.value], found, self.value)
        grad = without_faults(found.norm[self.grad], found, self.grad)
        cuts = self.offset[1:-1]
        parts = (np.split(each, cuts) for each in (value, spread, norm, grad, self.bad, self.value, self.grad))
        return [Series(*each) for each in zip(*parts, strict=True)] if len(self.places.loop) else []


def owners(log: Columns, nodes: Ints, outputs: Ints) -> Ints:
    """The tensor that came out of each node at an output, for an AccumulateGrad its leaf; or NOTHING."""
    t, w, leaf = log.tensors, log.writes, log.nodes.variable >= 0
    made = np.concatenate([log.nodes.id[leaf], t.node, w.node])
    ids = np.concatenate([log.nodes.variable[leaf], t.id, w.tensor])
    out = np.concatenate([np.zeros(int(leaf.sum()), np.int64), t.output, np.zeros(len(w.node), np.int64)])
    if not len(made):
        return np.full(len(nodes), NOTHING, np.int64)
    width = int(max(out.max(initial=0), outputs.max(initial=0))) + 1
    keys, first = np.unique(np.where(made >= 0, made * width + out, NOTHING), return_index=True)
    wanted = np.where(nodes >= 0, nodes * width + outputs, -2)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, ids[first[at]], NOTHING)


def arrays_at(log: Columns, tensors: Ints, steps: Ints) -> Ints:
    """The array that each tensor holds after a step."""
    t, w = log.tensors, log.writes
    width = len(log.events.kind) + 1
    keys = np.concatenate([t.id * width + t.step, w.tensor * width + w.step])
    arrays = np.concatenate([t.array, w.array])
    order = np.argsort(keys, kind="stable")
    at = np.searchsorted(keys[order], tensors * width + steps, "right") - 1
    found: Ints = np.where(at >= 0, arrays[order][at], NOTHING) if len(order) else np.full(len(tensors), NOTHING, np.int64)
    return found


def first_troubles(recording: Recording, places: Places, cards: int, nan: bool = False) -> Ints:
    """The first step at which each card's value or a gradient of it is not finite, and not meant to be, with `nan` holds NaN;
    NOTHING for none."""
    log, found = columns_of(recording), statistics(recording)
    bad = (found.nan > 0) if nan else (found.nan > 0) | (found.inf > 0)
    bad[list(harmless(recording))] = False
    none = np.full(cards, NOTHING, np.int64)
    if not bad.any():
        return none
    t, w, g, r = log.tensors, log.writes, log.grads, log.received
    steps, arrays = np.concatenate([t.step, w.step, g.step, r.step]), np.concatenate([t.array, w.array, g.total, r.array])
    at = np.flatnonzero(bad[arrays])
    tensors = np.concatenate([t.id, w.tensor, g.tensor, owners(log, r.node, r.output)])[at]
    where = _looked_up(places.of_tensor, tensors)
    if len(places.of_node):
        nodes = np.concatenate([np.full(len(t.id) + len(w.tensor) + len(g.tensor), NOTHING, np.int64), r.node])[at]
        where = np.where(nodes >= 0, _looked_up(places.of_node, nodes), where)
    good = where >= 0
    first = np.full(cards, len(log.events.kind), np.int64)
    np.minimum.at(first, where[good], steps[at][good])
    return np.where(first < len(log.events.kind), first, none)


def updates(recording: Recording, one: Series, before: int) -> Floats:
    """How far each iteration has moved a parameter, as a share of its norm; `before` is its array ahead of the first one."""
    was = np.concatenate([[before], one.arrays[:-1]])
    size = statistics(recording).norm[was]
    with np.errstate(all="ignore"):
        return np.where(size > 0, moved(recording, was, one.arrays) / size, np.nan)


def stepped(
    recording: Recording, parameters: Sequence[Series], before: Sequence[int], steps: Ints, iterations: Iterations
) -> Series:
    """The series of an optimizer's step: as value the learning rate, as gradient how far each iteration has moved its
    parameters, as a share of their size.

    Args:
        before: the parameters' arrays ahead of the first iteration.
        steps: the steps at which it is done.
    """
    rate, taken = np.full(len(iterations.starts), np.nan), columns_of(recording).steps
    rows = iterations.rows(steps)
    rate[rows[rows >= 0]] = taken.rate[np.searchsorted(taken.step, steps)][rows >= 0]  # the last one of an iteration counts
    if not parameters:  # none has a gradient, so it moves nothing
        still, nothing = np.zeros(len(rate)), np.full(len(rate), NOTHING)
        return Series(rate, still, still, still, np.zeros(len(rate), np.uint8), nothing, nothing)
    found = statistics(recording)
    was = [np.concatenate([[first], one.arrays[:-1]]) for one, first in zip(parameters, before, strict=True)]
    with np.errstate(all="ignore"):
        old = np.sqrt(sum(without_faults(found.norm[ids], found, ids) ** 2 for ids in was))
        now = np.sqrt(sum(without_faults(found.norm[one.arrays], found, one.arrays) ** 2 for one in parameters))
        way = np.sqrt(sum(moved(recording, ids, one.arrays) ** 2 for ids, one in zip(was, parameters, strict=True)))
        share = np.where(old > 0, way / old, np.nan)
    bad = np.bitwise_or.reduce([one.bad for one in parameters])
    return Series(rate, np.zeros(len(now)), now, share, bad, parameters[0].arrays, parameters[0].grads)


def points(values: Floats, most: int = POINTS) -> list[Number] | None:
    """A line of at most `most` points, evenly spread, that keeps the extremes; None where there is nothing to draw."""
    if not np.isfinite(values).any():
        return None
    if len(values) > most:
        values = _extremes(values, most // 2)
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in values.tolist()]


def _extremes(values: Floats, buckets: int) -> Floats:
    """The lowest and the highest value of each part, in the order in which they come."""
    starts = np.arange(buckets) * len(values) // buckets
    number = np.repeat(np.arange(buckets), np.diff(np.append(starts, len(values))))
    finite = np.isfinite(values)
    made = np.full((buckets, 2), np.nan)
    low = np.minimum.reduceat(np.where(finite, values, np.inf), starts)
    high = np.maximum.reduceat(np.where(finite, values, -np.inf), starts)
    there = np.flatnonzero(np.logical_or.reduceat(finite, starts))
    place = np.arange(len(values))
    first_low = np.minimum.reduceat(np.where(finite & (values == low[number]), place, len(values)), starts)
    first_high = np.minimum.reduceat(np.where(finite & (values == high[number]), place, len(values)), starts)
    falls = first_high < first_low
    made[there, 0] = np.where(falls, high, low)[there]
    made[there, 1] = np.where(falls, low, high)[there]
    return made.ravel()


def _looked_up(table: Ints, ids: Ints) -> Ints:
    """What a table says of ids; NOTHING of one that it does not have."""
    known = (ids >= 0) & (ids < len(table))
    found = np.full(len(ids), NOTHING, np.int64)
    found[known] = table[ids[known]]
    return found
