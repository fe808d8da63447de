"""What is to be known of one rank's recording to tell it from the others': small, plain, and made where the file lies.

Parameters are known by their names, which are the same on all ranks; of each kept step of an optimizer there is what their
values and gradients were in four numbers (least, largest, mean, norm), so that ranks are compared without their arrays.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...graph.structure.moments import iteration_of, iteration_text
from ...recording.collectives import NAMES, REDUCED
from ...recording.columns import Columns, Ints, columns_of
from ...recording.events import NOTHING, OpRan, Raised
from ...recording.levels import levels_of
from ...recording.recording import Recording
from ...recording.tables import KIND
from ..paths import paths_of

ALL, APART = 64, 32
"""Steps of which all are kept from the beginning, and how many of each doubling after that."""
MOST_PARAMETERS = 100_000
"""Parameters that are compared."""
_JOINS = re.compile(r"\bJoin\(\[|\.join\((divide|\))")
"""The context in which a rank that has no batches left stands by."""
UNKNOWN = ""
"""The mark of what is not known."""

Four = tuple[float, float, float, float]


class StepFacts(msgspec.Struct, frozen=True, array_like=True):
    """One step of an optimizer."""

    number: int
    """Counted from 0; where the recording is not whole, the iteration."""
    step: int
    """Its moment."""
    values: tuple[Four | None, ...]
    """What each of `RankFacts.parameters` was when the next pass began; None where that is not known."""
    gradients: tuple[Four | None, ...]
    """What its `.grad` was; None where there was none, or it is not known."""
    idle: tuple[int, ...]
    """The parameters of the optimizer's that had no gradient."""


class PassFacts(msgspec.Struct, frozen=True, array_like=True):
    """One backward pass."""

    number: int
    step: int
    data: str = UNKNOWN
    """A mark of the batch that went in."""
    local: str = UNKNOWN
    """A mark of the gradients that this rank alone has computed."""
    averaged: bool = False
    """Whether gradients became averages over the ranks in it, or before the next one."""


class RankFacts(msgspec.Struct, frozen=True, array_like=True):
    """One rank's run."""

    rank: int
    world_size: int
    complete: bool
    """Whether its file has an end."""
    begins: bool
    """Whether it holds everything from its beginning on."""
    error: str
    """What it ended with, if that was an exception."""
    last: str
    """Where it was last: "line 12, iteration 3"."""
    parameters: tuple[str, ...]
    tensors: tuple[int, ...]
    """Their ids."""
    start: tuple[Four | None, ...]
    """What they were when the first backward pass began."""
    step_count: int
    steps: tuple[StepFacts, ...]
    """Those that are kept."""
    pass_count: int
    passes: tuple[PassFacts, ...]
    loss: float | None
    """What the last pass began with, where that is one number."""
    collectives: tuple[str, ...]
    """What it did together with others: "all_reduce, line 12", those that are kept."""
    collective_count: int
    reduces: bool
    """Whether gradients were averaged, or parameters broadcast."""
    wraps: bool
    """Whether its program names `DistributedDataParallel`."""
    samples: bool
    """Whether it names a sampler for several processes."""
    joins: bool
    """Whether it lets ranks have different numbers of batches."""


def kept(number: int) -> bool:
    """Whether the step or pass of a number is kept: all at first, then ever fewer, the same ones on every rank."""
    if number < ALL:
        return number >= 0
    apart = 1 << max(number.bit_length() - APART.bit_length(), 0)
    return number % apart == 0


def facts_of(recording: Recording) -> RankFacts:
    """What is to be known of a rank; worked out once."""
    return recording.once("rank facts", lambda: _Reading(recording).facts())


class _Reading:
    """A recording, asked for its facts."""

    def __init__(self, recording: Recording) -> None:
        self.recording, self.columns = recording, columns_of(recording)
        told = recording.stored.statistics
        self.numbers = (
            np.stack([told.min, told.max, told.mean, told.norm], axis=1) if len(recording.stored) else np.zeros((0, 4))
        )
        self.sizes = told.size
        self.tensors = np.unique(self.columns.stepped.tensor)[:MOST_PARAMETERS]
        self.place = {int(tensor): k for k, tensor in enumerate(self.tensors.tolist())}

    def facts(self) -> RankFacts:
        recording, columns = self.recording, self.columns
        run = paths_of(recording).run
        last = len(recording.events) - 1
        where = (
            ", ".join(filter(None, (recording.site_text(run.site(last)), iteration_text(recording, last)))) if last >= 0 else ""
        )
        raised = run.raised
        text = "\n".join(recording.source)
        marks = self._collectives()
        began = int(columns.passes.began[0]) if len(columns.passes.began) else len(recording.events)
        averaged = self._averaged()
        return RankFacts(
            recording.rank, recording.world_size, recording.complete, not levels_of(recording).steps,
            "" if raised is None else _said(raised[1]), where,
            self._names(), tuple(self.place),
            tuple(self._values(began)), len(columns.steps.step), tuple(self._steps()), len(columns.passes.began),
            tuple(self._passes(averaged)), self._loss(), tuple(mark for k, mark in enumerate(marks) if kept(k)), len(marks),
            bool(len(averaged)) or bool(marks), "DistributedDataParallel" in text, "DistributedSampler" in text,
            _JOINS.search(text) is not None,
        )  # fmt: skip

    def _loss(self) -> float | None:
        roots = self.columns.roots
        if not len(roots.tensor):
            return None
        row = int(self.columns.row_of[roots.tensor[-1]])
        array = int(self.columns.tensors.array[row]) if row >= 0 else NOTHING
        if array == NOTHING or self.sizes[array] != 1 or np.isnan(self.numbers[array][2]):
            return None
        return float(self.numbers[array][2])

    def _names(self) -> tuple[str, ...]:
        run, found, seen = paths_of(self.recording).run, [], set()
        for k, tensor in enumerate(self.place):
            name = run.title(tensor)
            found.append(name if name not in seen else f"{name} ({k})")
            seen.add(name)
        return tuple(found)

    def _four(self, array: int) -> Four | None:
        if array == NOTHING:
            return None
        row = self.numbers[array]
        if np.isnan(row[3]) and np.isnan(row[0]):
            return None
        return float(row[0]), float(row[1]), float(row[2]), float(row[3])

    def _values(self, step: int) -> Iterator[Four | None]:
        """What the parameters were just before a step."""
        for array in self._last(self._written, step):
            yield self._four(array)

    @property
    def _written(self) -> tuple[Ints, Ints, Ints]:
        """Steps, tensors and arrays of what the parameters became."""
        made, writes = self.columns.tensors, self.columns.writes
        return (
            np.concatenate([made.step, writes.step]), np.concatenate([made.id, writes.tensor]),
            np.concatenate([made.array, writes.array]),
        )  # fmt: skip

    def _last(self, of: tuple[Ints, Ints, Ints], step: int) -> list[int]:
        """For each parameter the last array that it was given before a step."""
        found = [NOTHING] * len(self.place)
        for tensor, array in self._changes(of, -1, step):
            found[self.place[tensor]] = array
        return found

    def _changes(self, of: tuple[Ints, Ints, Ints], after: int, before: int) -> list[tuple[int, int]]:
        """What parameters became between two steps, in order."""
        steps, tensors, arrays = of
        rows = np.flatnonzero((steps > after) & (steps < before) & np.isin(tensors, self.tensors))
        rows = rows[np.argsort(steps[rows], kind="stable")]
        return list(zip(tensors[rows].tolist(), arrays[rows].tolist(), strict=True))

    def _steps(self) -> Iterator[StepFacts]:
        columns = self.columns
        written, grads = _Course(*self._written), _Course(columns.grads.step, columns.grads.tensor, columns.grads.total)
        values, given = [NOTHING] * len(self.place), [NOTHING] * len(self.place)
        stepped = columns.stepped
        starts = np.searchsorted(stepped.step, columns.steps.step)
        ends = np.searchsorted(stepped.step, columns.steps.step, side="right")
        # What becomes of parameters between a step and the next pass belongs to it: ranks may share what each has stepped.
        began = np.append(columns.passes.began, len(self.recording.events))
        after = began[np.searchsorted(began[:-1], columns.steps.step)].tolist()
        for number, (step, end) in enumerate(zip(columns.steps.step.tolist(), after, strict=True)):
            for course, held, until in ((written, values, end), (grads, given, step)):
                for tensor, array in course.until(until):
                    if (place := self.place.get(tensor)) is not None:
                        held[place] = array
            counted = self._counted(number, step)
            if not kept(counted):
                continue
            rows = slice(int(starts[number]), int(ends[number]))
            mine = stepped.tensor[rows].tolist()
            idle = [
                self.place[t] for t, none in zip(mine, stepped.idle[rows].tolist(), strict=True) if none and t in self.place
            ]
            with_gradient = {self.place[t] for t in mine if t in self.place} - set(idle)
            yield StepFacts(
                counted, step, tuple(map(self._four, values)),
                tuple(self._four(array) if k in with_gradient else None for k, array in enumerate(given)), tuple(idle),
            )  # fmt: skip

    def _counted(self, number: int, step: int) -> int:
        """By what number a step or a pass is known on all ranks."""
        return iteration_of(self.recording, step) if levels_of(self.recording).steps else number

    def _averaged(self) -> Ints:
        """The steps at which gradients became averages."""
        hows = [k for k, how in enumerate(self.columns.how_names) if how in (REDUCED, *(f"{name}_" for name in NAMES))]
        grads = self.columns.grads
        found: Ints = grads.step[(grads.number == 0) & np.isin(grads.how, hows)]
        return found

    def _passes(self, averaged: Ints) -> Iterator[PassFacts]:
        columns = self.columns
        data_steps, data = self._data()
        grads = columns.grads
        leaf = np.isin(grads.tensor, self.tensors) & (grads.number > 0)
        before = -1
        ends = np.append(columns.passes.began[1:], len(self.recording.events))
        for number, (began, ended) in enumerate(zip(columns.passes.began.tolist(), columns.passes.ended.tolist(), strict=True)):
            counted = self._counted(number, began)
            if kept(counted):
                first = np.flatnonzero((data_steps > before) & (data_steps < began))
                mark = self._mark([int(data[first[0]])]) if len(first) else UNKNOWN
                rows = np.flatnonzero(leaf & (grads.step > began) & (grads.step < ended))
                local = self._mark(grads.increment[rows].tolist())
                yield PassFacts(counted, began, mark, local, bool(((averaged > began) & (averaged < ends[number])).any()))
            before = ended

    def _data(self) -> tuple[Ints, Ints]:
        """Steps and arrays of data: what graphs are made of that needs no gradient and is no parameter, when it was made."""
        columns, tensors, inputs = self.columns, self.columns.tensors, self.columns.inputs
        if not len(tensors.id) or not len(inputs.step):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        graph = columns.made_node[np.searchsorted(columns.operations.step, inputs.step)] != NOTHING
        used = inputs.tensor[graph]
        rows = columns.row_of[used]
        sizes = (
            np.where(tensors.array[rows] >= 0, self.sizes[tensors.array[rows]], 0) if len(self.sizes) else np.zeros(len(rows))
        )
        fit = (
            (tensors.node[rows] == NOTHING) & (tensors.requires_grad[rows] == 0) & (tensors.is_parameter[rows] == 0)
            & (tensors.grad_of[rows] == NOTHING) & (sizes > 1)
        )  # fmt: skip
        # In the order of their use; each counts once, when it was made.
        found = list(dict.fromkeys(rows[fit].tolist()))
        order = np.array(found, np.int64)
        return tensors.step[order], tensors.array[order]

    def _mark(self, arrays: Sequence[int]) -> str:
        """What two ranks have the same of if their arrays are the same; UNKNOWN where values are not known."""
        known = [array for array in arrays if array >= 0]
        numbers: NDArray[np.float64] = self.numbers[known]
        if not len(known) or np.isnan(numbers).all(axis=1).any():
            return UNKNOWN
        return hashlib.blake2b(numbers.tobytes() + self.sizes[known].tobytes(), digest_size=8).hexdigest()

    def _collectives(self) -> list[str]:
        """What the rank did together with others, in order."""
        columns: Columns = self.columns
        names = [name for name in columns.op_names if name in NAMES]
        ops = columns.operations.step[columns.op_is(names)]
        how = np.array([how.removesuffix("_") in NAMES for how in columns.how_names] or [False])
        grads = columns.grads
        set_ = grads.step[(grads.number == 0) & how[grads.how] & (grads.how >= 0)] if len(grads.step) else grads.step
        tape, found = self.recording.tape, []
        name_of = dict(zip(columns.operations.step.tolist(), columns.operations.op.tolist(), strict=True))
        for step in sorted([*ops.tolist(), *set_.tolist()]):
            name = columns.op_names[name_of[step]] if tape.kind[step] == KIND[OpRan] else "all_reduce"
            line = int(tape.lines(int(step)))
            found.append(f"{name}, line {line}" if line else name)
        return found


def _said(error: Raised) -> str:
    """An error in a line."""
    return f"{error.type}: {error.message.strip()}".split("\n")[0][:100]


class _Course:
    """Changes in the order of their steps, handed out up to one."""

    def __init__(self, steps: Ints, tensors: Ints, arrays: Ints) -> None:
        order = np.argsort(steps, kind="stable")
        self.steps, self.tensors, self.arrays = steps[order], tensors[order], arrays[order]
        self.at = 0

    def until(self, step: int) -> Iterator[tuple[int, int]]:
        """Those before a step that have not been handed out."""
        end = int(np.searchsorted(self.steps, step))
        first, self.at = self.at, max(end, self.at)
        return zip(self.tensors[first:end].tolist(), self.arrays[first:end].tolist(), strict=True)
