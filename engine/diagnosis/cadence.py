"""The order in which an optimizer's gradients are filled, clipped, cleared and used: a window before each of its steps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..recording.columns import Ints, columns_of
from ..recording.events import NOTHING, GradSet, Read, Site, Stepped
from .paths import paths_of
from .run import Run

Key = tuple[str, tuple[int, ...]]
"""What tells an optimizer from others: its class and its parameters."""


class Call(NamedTuple):
    """One run of a call that stands in the program's text."""

    first: int
    last: int
    """The steps of its first and of its last event."""
    changed: frozenset[int]
    """The tensors whose `.grad` it changed."""
    site: Site


class Window(NamedTuple):
    """What went before one step of an optimizer, since the one before."""

    key: Key
    begun: int
    """The step before, NOTHING for the first."""
    step: int
    event: Stepped

    @property
    def owned(self) -> tuple[int, ...]:
        """All the optimizer's parameters."""
        return self.key[1]


class Cadence:
    """The windows of a run's optimizers; kept on the recording."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._fill_steps: dict[Key, tuple[Ints, Ints]] = {}
        self._clear_steps: dict[Key, Ints] = {}

    @cached_property
    def windows(self) -> dict[Key, list[Window]]:
        """Optimizer -> the windows before its steps, in order."""
        found: dict[Key, list[Window]] = {}
        for step, event in self.run.optimizer_steps:
            key = event.optimizer, tuple(sorted(event.owned))
            known = found.setdefault(key, [])
            known.append(Window(key, known[-1].step if known else NOTHING, step, event))
        return found

    def fills(self, window: Window) -> list[int]:
        """The steps at which passes filled the optimizer's gradients in a window, in order."""
        steps, _ = self._filled(window.key)
        return _within(steps, window)

    def passes(self, window: Window) -> dict[int, list[int]]:
        """The passes that filled an optimizer's gradients in a window, with the steps at which they did."""
        steps, numbers = self._filled(window.key)
        first, last = np.searchsorted(steps, [window.begun, window.step], "right").tolist()
        found: dict[int, list[int]] = {}
        for step, number in zip(steps[first:last].tolist(), numbers[first:last].tolist(), strict=True):
            found.setdefault(number, []).append(step)
        return found

    def clears(self, window: Window) -> list[int]:
        """The steps at which gradients of the optimizer were cleared in a window, in order."""
        if window.key not in self._clear_steps:
            changes = gradients_of(self.run)
            steps = [changes[tensor].clears for tensor in window.owned if tensor in changes]
            self._clear_steps[window.key] = np.sort(np.concatenate([np.empty(0, np.int64), *steps]))
        return _within(self._clear_steps[window.key], window)

    def _filled(self, key: Key) -> tuple[Ints, Ints]:
        """The steps at which passes filled an optimizer's gradients, in order, with the numbers of the passes."""
        if key not in self._fill_steps:
            changes = gradients_of(self.run)
            own = [changes[tensor] for tensor in key[1] if tensor in changes]
            steps = np.concatenate([np.empty(0, np.int64), *(each.fills for each in own)])
            numbers = np.concatenate([np.empty(0, np.int64), *(each.numbers for each in own)])
            order = np.argsort(steps, kind="stable")
            self._fill_steps[key] = steps[order], numbers[order]
        return self._fill_steps[key]

    def calls(self, names: Collection[str]) -> list[Call]:
        """The runs of calls of functions by these names, in order, as far as something happened in them."""
        source = paths_of(self.run.recording).source
        spans = {
            (cell, n.lineno, n.col_offset, n.end_lineno or n.lineno, n.end_col_offset or 0)
            for name in names
            for cell, n in source.calls.get(name, ())
        }
        return self.at_spans(spans)

    def at_spans(self, spans: Collection[tuple[int, int, int, int, int]]) -> list[Call]:
        """The runs of what stands at some spans of the text, in order."""
        if not spans:
            return []
        sites = self.run.recording.sites
        rows = [row for row, s in enumerate(sites) if (s.cell, s.line, s.column, s.end_line, s.end_column) in spans]
        column = columns_of(self.run.recording).events.site
        steps = np.flatnonzero(np.isin(column, rows))
        if not len(steps):
            return []
        breaks = np.flatnonzero((np.diff(steps) > 1) | (np.diff(column[steps]) != 0)) + 1
        found = []
        for part in np.split(steps, breaks):
            first, last = int(part[0]), int(part[-1])
            events = self.run.events[first : last + 1]
            changed = frozenset(e.tensor for e in events if isinstance(e, GradSet))
            found.append(Call(first, last, changed, sites[int(column[first])]))
        return found


def cadence_of(run: Run) -> Cadence:
    """The run's cadence, kept on its recording."""
    return run.recording.once("cadence", lambda: Cadence(run))


def clears(run: Run, event: GradSet) -> bool:
    """Whether a change of a `.grad` leaves nothing of it."""
    return event.array == NOTHING or run.zero(event.array)


class Gradients(NamedTuple):
    """When a tensor's `.grad` was filled, by which passes, and when it was cleared."""

    fills: Ints
    numbers: Ints
    clears: Ints


def gradients_of(run: Run) -> dict[int, Gradients]:
    """What happened to the gradients of each tensor that had one, kept on the recording."""

    def found() -> dict[int, Gradients]:
        grads, names = columns_of(run.recording).grads, columns_of(run.recording).how_names
        gone = np.isin(grads.how, [number for number, name in enumerate(names) if name in ("None", "zero_")])
        given = np.isin(grads.how, [number for number, name in enumerate(names) if name in ("assign", "fill_")])
        for row in np.flatnonzero(given).tolist():
            gone[row] = grads.total[row] == NOTHING or run.zero(int(grads.total[row]))
        cleared = (grads.number == 0) & (gone | (grads.total == NOTHING))
        order = np.lexsort((grads.step, grads.tensor))
        tensors, firsts = np.unique(grads.tensor[order], return_index=True)
        made = {}
        for tensor, rows in zip(tensors.tolist(), np.split(order, firsts[1:]), strict=False):
            filling = rows[grads.number[rows] > 0]
            made[tensor] = Gradients(grads.step[filling], grads.number[filling], grads.step[rows[cleared[rows]]])
        return made

    return run.recording.once("gradients", found)


def used_fills(run: Run, tensor: int) -> tuple[Ints, Ints]:
    """The fills of a tensor's `.grad` that an update used, and the numbers of their passes. What was cleared before is not one
    of them."""
    changes = gradients_of(run).get(tensor)
    if changes is None:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    used = _next(np.array(run.updates.get(tensor, []), np.int64), changes.fills) < _next(changes.clears, changes.fills)
    return changes.fills[used], changes.numbers[used]


def _next(steps: Ints, after: Ints) -> Ints:
    """The first of some steps after each of others; of two that never come the first is the later."""
    padded = np.append(steps, np.iinfo(np.int64).max)
    return padded[np.searchsorted(steps, after, "right")]


def steps_of(run: Run, names: Collection[str]) -> list[int]:
    """The steps of the operations by these names, in order."""
    columns = columns_of(run.recording)
    steps: list[int] = columns.operations.step[columns.op_is(names)].tolist()
    return steps


def _within(steps: Ints, window: Window) -> list[int]:
    """Those of some steps in order that lie in a window."""
    first, last = np.searchsorted(steps, [window.begun, window.step], "right").tolist()
    found: list[int] = steps[first:last].tolist()
    return found


def within(steps: list[int], after: int, before: int) -> list[int]:
    """Those of some steps in order that lie between two."""
    return steps[bisect_right(steps, after) : bisect_left(steps, before)]


def takes_gradient(run: Run, tensor: int, after: int, before: int) -> bool:
    """Whether the program took a tensor's `.grad` up between two steps: computed with it, read or printed it."""
    for grad in _grads(run).get(tensor, ()):
        if within(run.consumers.get(grad, []), after, before) or within(_reads(run).get(grad, []), after, before):
            return True
    return False


def takes_values(run: Run, tensor: int) -> bool:
    """Whether the program read or printed a tensor's values."""
    return tensor in _reads(run)


def _grads(run: Run) -> dict[int, list[int]]:
    """Tensor -> the tensors that were its `.grad` and that the program has seen."""

    def made() -> dict[int, list[int]]:
        columns = columns_of(run.recording).tensors
        found: dict[int, list[int]] = {}
        rows = np.flatnonzero(columns.grad_of != NOTHING)
        for id, of in zip(columns.id[rows].tolist(), columns.grad_of[rows].tolist(), strict=True):
            found.setdefault(of, []).append(id)
        return found

    return run.recording.once("grads", made)


def _reads(run: Run) -> dict[int, list[int]]:
    """Tensor -> the steps at which its values were read."""
    return run.recording.once("reads", lambda: _read_steps(run))


def _read_steps(run: Run) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for step in run.recording.tape.steps(Read).tolist():
        event = run.events[step]
        assert isinstance(event, Read)
        found.setdefault(event.tensor, []).append(step)
    return found
