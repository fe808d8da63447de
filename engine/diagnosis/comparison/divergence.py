"""Where two runs first differ, and what only one of them did: asked of columns, for all events that both have at once.

What is compared: what operations made and wrote, gradients as they came to nodes and left them, what `.grad` became, what
passes began with, learning rates, and errors; of two runs of one engine flags and printed texts, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from ...recording.arrays import GONE, Arrays
from ...recording.columns import Flags, Ints, columns_of
from ...recording.events import (
    NOTHING,
    Accumulated,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
    Drew,
    FlagSet,
    GradSet,
    Named,
    NodeRan,
    OpRan,
    Printed,
    Raised,
    Read,
    Stepped,
    Thinned,
    Warned,
)
from ...recording.recording import Recording
from ...recording.tables import KIND, Table
from ...recording.unset import unset
from .alignment import Matching
from .array_pairs import unlike
from .tolerance import Tolerance

What: TypeAlias = Literal["made", "written", "received", "sent", "total", "grad", "root", "rates", "flag", "text", "error"]
ASIDE = (Named, FlagSet, Read, Printed, Drew, Warned, CellBegan, CellEnded, Thinned, BackwardEnded)
"""What one engine's recorder may say and another's not, or what follows from what else is compared."""


class Pair(msgspec.Struct, frozen=True):
    """The first thing about two matched events that is not the same."""

    step: int
    """In `after`."""
    step_before: int
    what: What
    subject: int = NOTHING
    """The tensor or node in `after` that it is about."""
    before: int = NOTHING
    after: int = NOTHING
    """Arrays."""


class Divergences:
    """What is different about two runs."""

    def __init__(self, matching: Matching, tolerance: Tolerance) -> None:
        self.matching, self.tolerance = matching, tolerance
        self.before, self.after = matching.before, matching.after
        self.old, self.new = columns_of(self.before), columns_of(self.after)

    @cached_property
    def missing(self) -> Ints:
        """The steps of `before` that `after` lacks, of those that count."""
        return self._counted(self.before, self.after, self.matching.step_of, self.matching.step_back)

    @cached_property
    def added(self) -> Ints:
        """The steps of `after` that `before` lacks."""
        return self._counted(self.after, self.before, self.matching.step_back, self.matching.step_of)

    def _counted(self, mine: Recording, other: Recording, there: Ints, back: Ints) -> Ints:
        steps = np.flatnonzero(there == NOTHING)
        tape = mine.tape
        if not self.tolerance.strict:
            steps = steps[~np.isin(tape.kind[steps], [KIND[kind] for kind in ASIDE])]
        steps = steps[tape.kind[steps] != KIND[Thinned]]
        matched = np.flatnonzero(there != NOTHING)
        # Where the other run's recording holds less, nothing follows from what is not in it.
        less = np.cumsum(_less(other))
        at = np.searchsorted(matched, steps)
        earlier, later = at > 0, at < len(matched)
        first, last = np.zeros(len(steps), np.int64), np.full(len(steps), max(len(less) - 1, 0))
        first[earlier] = there[matched[at[earlier] - 1]]
        last[later] = there[matched[at[later]]]
        low, high = np.minimum(first, last), np.maximum(first, last)
        unsure = np.zeros(len(steps), np.bool_)
        if len(less):
            unsure = less[high] - np.where(low > 0, less[low - 1], 0) > 0
        if not other.complete:
            unsure |= ~later
        found: Ints = steps[~unsure]
        return found

    def first(self) -> Pair | int | None:
        """What differs first: something about an event that both have, or an event of one of them (its step in `after`, or -2
        minus that in `before`); None where nothing does."""
        missing, added = self.missing, self.added
        gone = int(missing[0]) if len(missing) else NOTHING
        new = int(added[0]) if len(added) else NOTHING
        limit = min(self.follows(gone) if gone != NOTHING else np.inf, new if new != NOTHING else np.inf)
        pair = self.pair
        if pair is not None and pair.step < limit:
            return pair
        if gone != NOTHING and self.follows(gone) <= limit:
            return -2 - gone
        return new if new != NOTHING else None

    def follows(self, missing: int) -> int:
        """The step of `after` at which an event of `before` would have come."""
        return 0 if missing == 0 else self.matching.moment(missing - 1) + 1

    @cached_property
    def pair(self) -> Pair | None:
        """What first differs about events that both have."""
        found: list[tuple[int, int, What, int, int, int]] = []
        for order, (what, step, subject, before, after, differ) in enumerate(self._compared()):
            if differ.any():
                rows = np.flatnonzero(differ)
                row = int(rows[np.argmin(step[rows])])
                found.append((int(step[row]), order, what, int(subject[row]), int(before[row]), int(after[row])))
        if not found:
            return None
        at, _, kind, about, one, other = min(found)
        return Pair(at, int(self.matching.step_back[at]), kind, about, one, other)

    @cached_property
    def compared(self) -> tuple[int, int, int]:
        """How many pairs of arrays were compared element by element, how many by their statistics, and of how many nothing is
        known but dtype and shape."""
        pairs = [(one, other) for *_, one, other in self._arrays()]
        one, other = (np.concatenate(each) for each in zip(*pairs, strict=True))
        both = (one != NOTHING) & (other != NOTHING)
        sides = ((self.before.stored, one[both]), (self.after.stored, other[both]))
        whole = np.logical_and(*[arrays.start[ids] != GONE for arrays, ids in sides])
        unknown = np.logical_or(*[_nothing_of(arrays)[ids] for arrays, ids in sides])
        return int(whole.sum()), int((~whole & ~unknown).sum()), int(unknown.sum())

    def _compared(self) -> Iterator[tuple[What, Ints, Ints, Ints, Ints, Flags]]:
        """Of each kind of what is compared: the steps in `after`, what it is about there, the arrays, and whether they differ;
        in the order in which it is told of one event."""
        for what, step, subject, before, after in self._arrays():
            both = (before != NOTHING) & (after != NOTHING)
            differ = (before == NOTHING) != (after == NOTHING)
            differ[both] = unlike(self.before.stored, self.after.stored, before[both], after[both], self.tolerance)
            yield what, step, subject, before, after, differ
        yield from self._others()

    def _arrays(self) -> Iterator[tuple[What, Ints, Ints, Ints, Ints]]:
        old, new = (c.tape.tables[OpRan] for c in (self.old, self.new))
        row, other = self._rows(OpRan)
        made = _beside(old, new, row, other, "outputs")
        steps = self.new.operations.step
        unset = self._unset()
        kept = ~(unset[0][made[1]] | unset[1][made[2]])
        of, a, b = (each[kept] for each in made)
        tensors = self.old.tensors, self.new.tensors
        yield "made", steps[other[of]], tensors[1].id[b], tensors[0].array[a], tensors[1].array[b]
        of, a, b = _beside(old, new, row, other, "written")
        writes = self.old.writes, self.new.writes
        yield "written", steps[other[of]], writes[1].tensor[b], writes[0].array[a], writes[1].array[b]
        old, new = (c.tape.tables[BackwardBegan] for c in (self.old, self.new))
        row, other = self._rows(BackwardBegan)
        of, a, b = _beside(old, new, row, other, "roots")
        roots = [table.children["roots"] for table in (old, new)]
        steps = self.new.tape.steps(BackwardBegan)
        yield "root", steps[other[of]], roots[1]["0"][b], roots[0]["1"][a], roots[1]["1"][b]
        old, new = (c.tape.tables[NodeRan] for c in (self.old, self.new))
        row, other = self._rows(NodeRan)
        steps, nodes = self.new.ran.step, self.new.ran.node
        of, a, b = _beside(old, new, row, other, "received")
        received = [table.children["received"][""] for table in (old, new)]
        yield "received", steps[other[of]], nodes[other[of]], received[0][a], received[1][b]
        of, a, b = _beside(old, new, row, other, "sent")
        sent = [np.where(t["there"] == 1, t["array"], NOTHING) for t in (table.children["sent"] for table in (old, new))]
        yield "sent", steps[other[of]], nodes[other[of]], sent[0][a], sent[1][b]
        for kind, column, what in ((Accumulated, "total", "total"), (GradSet, "array", "grad")):
            old, new = (c.tape.tables[kind] for c in (self.old, self.new))
            row, other = self._rows(kind)
            yield what, self.new.tape.steps(kind)[other], new["tensor"][other], old[column][row], new[column][other]  # type: ignore[misc]

    def _others(self) -> Iterator[tuple[What, Ints, Ints, Ints, Ints, Flags]]:
        row, other = self._rows(Stepped)
        nothing = np.full(len(row), NOTHING)
        yield "rates", self.new.steps.step[other], nothing, nothing, nothing, self._rates(row, other)
        kinds: list[tuple[type[Any], What, tuple[str, ...]]] = [(Raised, "error", ("type", "message"))]
        if self.tolerance.strict:
            kinds += [(Printed, "text", ("text",)), (Drew, "text", ("figure",))]
            row, other = self._rows(OpRan)
            of, a, b = _beside(self.old.tape.tables[OpRan], self.new.tape.tables[OpRan], row, other, "outputs")
            flags = self.old.tensors.requires_grad[a] != self.new.tensors.requires_grad[b]
            nothing = np.full(len(of), NOTHING)
            steps = self.new.operations.step[other[of]]
            yield "flag", steps, self.new.tensors.id[b], nothing, nothing, flags
        for kind, what, columns in kinds:
            row, other = self._rows(kind)
            nothing = np.full(len(row), NOTHING)
            differ = np.zeros(len(row), np.bool_)
            for column in columns:
                one, two = (c.tape.tables[kind][column][rows] for c, rows in ((self.old, row), (self.new, other)))
                texts = self.old.tape.texts, self.new.tape.texts
                differ |= np.array([texts[0][x] != texts[1][y] for x, y in zip(one.tolist(), two.tolist())], np.bool_)
            yield what, self.new.tape.steps(kind)[other], nothing, nothing, nothing, differ

    def _rates(self, row: Ints, other: Ints) -> Flags:
        """For each optimizer's step whether the learning rates differ, where both are known."""
        old, new = (c.tape.tables[Stepped] for c in (self.old, self.new))
        _, a, b = made = _beside(old, new, row, other, "rates")
        rates = [table.children["rates"].columns[""] for table in (old, new)]
        far = np.abs(rates[0][a] - rates[1][b]) > 1e-9 * np.abs(rates[0][a])
        found = np.zeros(len(row), np.bool_)
        found[made[0][far]] = True
        return found

    def _rows(self, kind: type[Any]) -> tuple[Ints, Ints]:
        """The rows of the events of a kind that are matched, in both tables."""
        steps = self.old.tape.steps(kind)
        there = self.matching.step_of[steps] if len(steps) else np.zeros(0, np.int64)
        rows = np.flatnonzero(there != NOTHING)
        return rows, np.searchsorted(self.new.tape.steps(kind), there[rows])

    def _unset(self) -> tuple[Flags, Flags]:
        """For each tensor of both runs whether its first values mean nothing: those of memory that nobody has written."""
        one, other = (unset(recording) for recording in (self.before, self.after))
        return one, other


def _nothing_of(arrays: Arrays) -> Flags:
    """Of which arrays nothing is known but dtype and shape."""
    found = np.zeros(len(arrays), np.bool_)
    rows = np.flatnonzero(arrays.table["summary"] == 1)
    told = arrays.table.children["summary"].columns
    found[rows] = np.isnan(told["min"]) & (told["nan"].astype(np.int64) + told["inf"] < arrays.sizes[rows])
    return found


def _less(recording: Recording) -> Flags:
    """For each step whether the recording holds less there than what happened."""
    tape = recording.tape
    found = np.zeros(tape.size, np.bool_)
    steps, table = tape.steps(Thinned), tape.tables[Thinned]
    ends = np.append(steps[1:], tape.size)
    for step, end, level in zip(steps.tolist(), ends.tolist(), table["level"].tolist()):
        found[step:end] = tape.texts[level] != "whole"
        found[step] = True
    return found


def _beside(old: Table, new: Table, row: Ints, other: Ints, name: str) -> tuple[Ints, Ints, Ints]:
    """What a field of matched rows holds several of, side by side: for each pair which of the matched rows it belongs to, and
    its rows in both child tables."""
    starts = old.starts(name), new.starts(name)
    first = starts[0][row], starts[1][other]
    count = np.minimum(starts[0][row + 1] - first[0], starts[1][other + 1] - first[1])
    of = np.repeat(np.arange(len(row)), count)
    within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return of, first[0][of] + within, first[1][of] + within
