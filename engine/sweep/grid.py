"""A sweep under way: its points go to the pool in portions that take a quarter of a second, and come in as they are done, the
coarse picture first.

No thread waits for it: the caller calls `advance` now and then, which takes in what has come and sends on more. A sweep whose
caller has gone ends with the portions that are under way.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..diagnosis.gradcheck.check import program_of
from ..experiments.sweep.messages import LAST, MAX_POINTS, Leaf, Point, Spot, SweepReply, SweepRequest
from ..experiments.sweep.parent import run_points
from ..experiments.sweep.path import last_pass, loss_of
from ..program import Program
from ..recording.events import OpRan
from ..recording.recording import Recording
from ..sandbox.runner import Stopped, run
from ..sandbox.settings import settings
from ..sandbox.transport.messages import Limits
from ..serving.pool import Busy, Cancelled, Pool, Ticket, pool
from .choices import Axis, choices

FIRST = 16
"""Points of the first portion, which shows how long one takes."""
PORTION = 0.25
"""Seconds that a portion should take: short enough for the pool's slots for quick runs."""
LARGEST = 1000
PATIENCE = 90.0
"""Seconds without a new point after which no new portion is sent: as long as points come, a sweep goes on to its end."""


class SweepError(ValueError):
    """A sweep that cannot be made."""


@dataclass(eq=False)
class _Portion:
    indices: list[int]
    ticket: Ticket[SweepReply]


@dataclass(eq=False)
class Sweep:
    """A program over a grid."""

    program: Program
    axes: tuple[Axis, ...]
    number: int
    """The backward pass whose root is the loss; -1 for the last one of each run, 0 where the program has none."""
    limits: Limits = field(default_factory=Limits)
    session: str = ""
    """Who is charged for it in the pool."""
    expected: float = float("nan")
    """The loss in the recording that the sweep belongs to."""
    loss: np.ndarray[Any, Any] = field(init=False)
    """The loss at each point of the grid; NaN where it is not known yet, or not at all."""
    gradients: np.ndarray[Any, Any] = field(init=False)
    """The loss's derivative along each axis, shape (*loss.shape, axes); NaN along literals."""
    errors: dict[int, str] = field(default_factory=dict)
    """Index in the grid, row by row → why there is no loss."""
    path: list[Spot] = field(default_factory=list)
    """Where the program's own run was at each backward pass, and (pass 0) at its end."""
    problem: str = ""
    """Why the sweep ended without all of its points."""
    drawn: bool = False
    """Whether the program draws random numbers of its own, so that the sweep's are others than the recording's."""

    def __post_init__(self) -> None:
        shape = tuple(len(axis.values) for axis in self.axes)
        if not 1 <= len(shape) <= 2:
            raise SweepError("a sweep has one axis or two")
        if not 0 < (total := int(np.prod(shape))) <= MAX_POINTS:
            raise SweepError(f"a sweep has up to {MAX_POINTS:,} points, not {total:,}")
        self.loss = np.full(shape, np.nan)
        self.gradients = np.full((*shape, len(shape)), np.nan)
        self._points = list(product(*(axis.values for axis in self.axes)))
        self._known = np.zeros(total, bool)
        self._left: deque[list[int]] = deque()
        """Portions that are to be tried again."""
        self._todo = deque(coarse_to_fine(shape))
        self._size = 0
        self._portions: list[_Portion] = []
        self._last = time.monotonic()

    # --- for those who look at it -------------------------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """How many points there are."""
        return len(self._points)

    @property
    def done(self) -> int:
        """How many points are known."""
        return int(self._known.sum())

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""
        return not self._portions and (bool(self.problem) or self.done == self.total)

    def advance(self, wait: float = 0.0) -> bool:
        """Take in what has come, send on more, and wait up to some seconds for news; whether there is more to come."""
        for portion in [p for p in self._portions if p.ticket.finished]:
            self._portions.remove(portion)
            self._take(portion)
        self._send()
        if self._portions and wait:
            self._portions[0].ticket.done.wait(wait)
        elif wait and not self.finished:
            time.sleep(min(wait, 0.05))  # the pool is full
        return not self.finished

    @property
    def coarse(self) -> np.ndarray[Any, Any]:
        """The loss as far as it is known, and elsewhere that of the nearest known point of the coarser grids; NaN where none
        is."""
        shown = self.loss.copy()
        unknown = ~self._known.reshape(shown.shape)
        for stride in reversed(strides(shown.shape)[:-1]):
            where = tuple(index[unknown] // stride * stride for index in np.indices(shown.shape))
            found = self._known.reshape(shown.shape)[where]
            shown[unknown] = np.where(found, self.loss[where], np.nan)
            rest = unknown.copy()
            rest[unknown] = ~found
            unknown = rest
        return shown

    def go_on(self) -> None:
        """Have the points come that are missing, after it was cancelled or given up."""
        if self.finished and self.done < self.total:
            self.problem = ""
            self._left.clear()
            self._todo = deque(index for index in coarse_to_fine(self.loss.shape) if not self._known[index])
            self._last = time.monotonic()

    def cancel(self) -> None:
        """End it; what has come stays."""
        self._give_up("The sweep was cancelled.")

    def complete(self) -> Sweep:
        """Wait for all of it."""
        while self.advance(0.2):
            pass
        return self

    # --- portions -----------------------------------------------------------------------------------------------------------

    def _send(self) -> None:
        """As many portions as this visitor may have under way beside a run."""
        if self.problem:
            return
        if time.monotonic() - self._last > PATIENCE:
            self._give_up(f"No point came for {PATIENCE:.0f} s: {self.total - self.done:,} of {self.total:,} are missing.")
            return
        runners = pool()
        while len(self._portions) < max(1, min(runners.slots, settings().per_session - 1)) and (indices := self._next()):
            try:
                self._portions.append(_Portion(indices, self._submit(runners, indices)))
            except Busy:
                self._left.appendleft(indices)
                return

    def _next(self) -> list[int]:
        if self._left:
            return self._left.popleft()
        if not self._size and self._portions:
            return []  # the first portion is under way
        return [self._todo.popleft() for _ in range(min(self._size or FIRST, len(self._todo)))]

    def _submit(self, runners: Pool, indices: list[int]) -> Ticket[SweepReply]:
        request = SweepRequest(
            self.number, tuple(a.target for a in self.axes), tuple(self._points[p] for p in indices), path=indices[0] == 0
        )
        work = partial(run_points, self.program, request, self.limits, partial(self._told, indices))
        # Half of the pool's slots are for what takes long; a sweep may use them all while no one else wants them.
        long = sum(p.ticket.long for p in self._portions) * 2 < len(self._portions)
        return runners.submit(self.session, lambda stop: work(stop=stop), long=long)

    def _told(self, indices: list[int], points: list[Point]) -> None:
        """Points have come; called in the pool's threads."""
        for point in points:
            index = indices[point.position]
            where = np.unravel_index(index, self.loss.shape)
            if point.error:
                self.errors[index] = point.error
            else:
                self.loss[where] = point.loss
                self.gradients[where] = [np.nan if g is None else g for g in point.gradients]
            self._known[index] = True
        self._last = time.monotonic()

    def _take(self, portion: _Portion) -> None:
        """A portion has ended: what it left undone is tried again."""
        try:
            reply = portion.ticket.result()
        except (Cancelled, Stopped):
            if not self.problem:
                self._left.append(portion.indices)
            return
        except Busy:
            self._left.append(portion.indices)
            return
        if reply.status == "ok":
            self._ended(portion, reply)
        elif reply.status != "failed":
            self._give_up(f"The program cannot be swept: {reply.message}", reply.line)
            return
        missing = [index for index in portion.indices if not self._known[index]]
        if reply.status == "failed" and len(missing) == 1:
            self._told(missing, [Point(0, float("nan"), error=reply.message)])
        elif reply.status == "failed" and missing:
            # One of them ends the process: it is found by halves.
            half = len(missing) // 2
            self._left.extend((missing[:half], missing[half:]))
        elif missing:
            self._left.append(missing)

    def _ended(self, portion: _Portion, reply: SweepReply) -> None:
        each = max(portion.ticket.seconds / len(portion.indices), 1e-5)
        self._size = max(1, min(LARGEST, round(PORTION / each), self.total // 4))
        if portion.indices[0] != 0 or self.path:
            return
        own = [None if isinstance(a.target, Leaf) else a.own for a in self.axes]
        self.path = [
            Spot(s.number, tuple(v if o is None else o for v, o in zip(s.values, own, strict=True)), s.loss, s.line)
            for s in reply.path
        ]
        both = np.isfinite([reply.loss, self.expected]).all()
        self.drawn = bool(both and abs(reply.loss - self.expected) > 1e-6 * max(abs(reply.loss), abs(self.expected)))

    def _give_up(self, why: str, line: int = 0) -> None:
        if not self.finished:
            self.problem = why + (f" (line {line})" if line else "")
        for portion in self._portions:
            portion.ticket.cancel()
        self._portions.clear()


def strides(shape: tuple[int, ...]) -> list[int]:
    """Gaps of the grids from coarse to fine: powers of two, the coarsest with some `FIRST` points."""
    found = [1]
    while np.prod([-(-size // found[0]) for size in shape]) > FIRST:
        found.insert(0, 2 * found[0])
    return found


def coarse_to_fine(shape: tuple[int, ...]) -> list[int]:
    """The points of a grid, row by row, so that those of a coarse grid come first and each finer one fills the gaps."""
    places = np.indices(shape).reshape(len(shape), -1)
    order = np.full(places.shape[1], 0)
    for level, stride in enumerate(strides(shape)[::-1]):
        order[(places % stride == 0).all(axis=0)] = -level
    return [int(index) for index in np.argsort(order, kind="stable")]


def sweep(
    program: str | Program,
    axes: Sequence[Axis | str],
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    *,
    number: int | None = None,
    points: int | None = None,
) -> Sweep:
    """Run a program over a grid and wait for the result.

    Args:
        program: its text.
        axes: one or two of what `choices` offers: by name (`"w[0]"`, `"lr in SGD(…)"`), for a range that makes sense, or as
            axes.
        limits: for each process; a process runs many points.
        number: the backward pass whose root is the loss. If none is given: the first one for leaves, the last one of each run
            for literals, and the last number computed (0) for programs without a backward pass.
        points: along each axis; 81 for one axis and 31 for two if none are given.

    Raises:
        SweepError: for a program that cannot be run, a name that it does not have, or too many points.
    """
    made = Program.from_text(program) if isinstance(program, str) else program
    result = run(made, limits)
    if result.recording is None or not any(isinstance(event, OpRan) for event in result.recording.events):
        raise SweepError(f"the program cannot be run: {result.error.message if result.error else 'it computes nothing'}")
    return begin(result.recording, axes, limits, number=number, points=points).complete()


def begin(
    recording: Recording,
    axes: Sequence[Axis | str],
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    *,
    number: int | None = None,
    points: int | None = None,
    session: str = "",
) -> Sweep:
    """A sweep of a recording's program; it moves when it is looked at. See `sweep`."""
    default = 81 if len(axes) == 1 else 31
    found = [axis if isinstance(axis, Axis) else _named(recording, number, axis, points or default) for axis in axes]
    leaves = any(isinstance(axis.target, Leaf) for axis in found)
    if number is None:
        number = (1 if leaves else LAST) if last_pass(recording) else 0
    expected = loss_of(recording, last_pass(recording) if number == LAST else number)
    return Sweep(program_of(recording), tuple(found), number, limits, session, expected)


def _named(recording: Recording, number: int | None, name: str, points: int) -> Axis:
    """The axis that a name stands for; a literal may go without the position in its label."""
    offered = choices(recording, 1 if number is None or number == LAST else number)
    for choice in offered:
        if name in (choice.label, choice.label.split(" · ")[0]):
            return choice.axis(choice.low, choice.high, points)
    raise SweepError(f"there is no {name!r} to sweep; there are {', '.join(c.label for c in offered[:20])}")
