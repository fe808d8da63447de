"""The order in which an optimizer's gradients are filled, clipped, cleared and used: a window before each of its steps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..recording.columns import columns_of
from ..recording.events import NOTHING, Accumulated, GradSet, Read, Site, Stepped
from .paths import paths_of
from .run import Change, Run

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

    @cached_property
    def windows(self) -> dict[Key, list[Window]]:
        """Optimizer -> the windows before its steps, in order."""
        found: dict[Key, list[Window]] = {}
        for step, event in self.run.optimizer_steps:
            key = event.optimizer, tuple(sorted((*event.parameters, *event.idle)))
            known = found.setdefault(key, [])
            known.append(Window(key, known[-1].step if known else NOTHING, step, event))
        return found

    def fills(self, window: Window, of: Iterable[int] | None = None) -> list[int]:
        """The steps at which passes filled the optimizer's gradients (or those of some tensors) in a window, in order."""
        return sorted(
            step
            for tensor in (window.owned if of is None else of)
            for step, event in self.run.history(tensor, window.begun, window.step)
            if isinstance(event, Accumulated)
        )

    def clears(self, window: Window) -> list[int]:
        """The steps at which gradients of the optimizer were cleared in a window, in order."""
        return sorted(
            step
            for tensor in window.owned
            for step, event in self.run.history(tensor, window.begun, window.step)
            if isinstance(event, GradSet) and clears(self.run, event)
        )

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
    return event.array == NOTHING or (event.how in ("zero_", "assign", "mul_", "fill_") and run.zero(event.array))


def used_fills(run: Run, tensor: int) -> Iterator[tuple[int, int]]:
    """The fills of a tensor's `.grad` that an update used: pairs (step, number of the pass). What was cleared before is not one
    of them."""
    waiting: list[tuple[int, int]] = []
    moments: list[tuple[int, Change | None]] = [(step, None) for step in run.updates.get(tensor, ())]
    for step, event in sorted([*run.history(tensor), *moments], key=lambda moment: moment[0]):
        if isinstance(event, Accumulated):
            waiting.append((step, event.number))
        elif event is None:
            yield from waiting
            waiting.clear()
        elif clears(run, event):
            waiting.clear()


def within(steps: list[int], after: int, before: int) -> list[int]:
    """Those of some steps in order that lie between two."""
    return steps[bisect_right(steps, after) : bisect_left(steps, before)]


def takes_gradient(run: Run, tensor: int, after: int, before: int) -> bool:
    """Whether the program took a tensor's `.grad` up between two steps: computed with it, read or printed it."""
    for grad in _grads(run).get(tensor, ()):
        if within(run.consumers.get(grad, []), after, before) or within(_reads(run).get(grad, []), after, before):
            return True
    return False


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
