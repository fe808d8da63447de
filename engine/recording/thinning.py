"""Decides how closely each iteration of a run is recorded, so that the recording of a long run grows thinner and does not end.

Everything is whole until half of the room is used up. From then on one loop counts, the *unit*: the innermost one around the
last backward pass, or, in a program without any, the one in which most has happened. Some of its iterations stay whole, the
others leave only scalars and what happened to gradients; when little room is left, only a sample of them leaves even that. The
decisions depend on what was recorded and not on the clock, but for programs that are so slow that recording would cost them
their end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Level: TypeAlias = Literal["whole", "thin", "silent"]
LoopKey: TypeAlias = tuple[int, int, int]
"""A loop of the program: its line, its cell, and how many calls are around it."""

BEGINS = 0.5
"""The share of the room, or of the bytes for whole arrays, that is used up when recording begins to grow thinner."""
SLOW = 0.4
"""The same of the time, which a program that is quick enough never comes to."""
SHORT = 1 / 8
"""The share of the room until which nothing is left out for the sake of arrays: what is too much leaves summaries."""
SPARSE = 0.75
"""The share of the room from which on only a sample of the iterations is recorded at all."""
FULL = 0.97
"""The share of the room from which on nothing is: what is left is for what comes after the loop."""
FIRST = 4
"""Of 2**FIRST iterations one stays whole in the beginning, of twice as many each time what is left has halved."""
ALARM = 2
"""Iterations that are whole after something that one wants to look at."""
ALARMS = 8
"""How often that is done for jumps of a loss; the first NaN and the first infinity always count."""
TYPICAL = 24
"""Events of a thin iteration, as long as none has been seen."""


class Used(NamedTuple):
    """The shares of what a run may use that have been used up."""

    room: float
    """Of whatever ends the recording: events, parts, facts."""
    kept: float = 0.0
    """Of the bytes of arrays that are kept whole; later arrays leave a summary."""
    time: float = 0.0


class Window(NamedTuple):
    """The iterations of a loop that are wanted whole; the run ends after them. They are counted over all loops around it."""

    loop: LoopKey
    first: int
    last: int


@dataclass(slots=True, eq=False)
class Turns:
    """What is known of one loop of the program, over all the times that it was run."""

    key: LoopKey
    count: int = 0
    """How many iterations have begun."""
    events: int = 0
    """How many events happened in it, outside the loops within it."""
    level: Level = "whole"
    """How the iteration that runs is recorded."""
    began: int = 0
    """How many events there were when it began."""
    whole: int = 0
    """Events of its last whole iteration."""
    thin: int = TYPICAL
    next: int = 0
    """The iteration that is recorded next, where only a sample is."""


class Thinning:
    """The decisions of one run.

    Args:
        most: how many events there is room for.
        window: what is wanted whole, where that is known in advance.
    """

    def __init__(self, most: int, window: Window | None = None) -> None:
        self.most = most
        self.window = window
        self.loops: dict[LoopKey, Turns] = {}
        self.unit: Turns | None = None
        self.trained: tuple[LoopKey, ...] = ()
        """The loops around the last backward pass, outermost first."""
        self.begun = False
        """Whether recording has begun to grow thinner."""
        self.over = False
        """Whether the window has passed."""
        self._around: set[LoopKey] = set()
        """The loops around the unit, which decide nothing for the loops within them."""
        self._guessed = False
        """Whether the unit was chosen without a backward pass."""
        self._innermost: Turns | None = None
        self._count = 0
        self._alarms = 0
        self._alarm = 0
        """Iterations still to be recorded whole because something happened."""

    def turns(self, key: LoopKey) -> Turns:
        """What is known of a loop."""
        found = self.loops.get(key)
        if found is None:
            found = self.loops[key] = Turns(key)
        return found

    def counted(self, turns: Turns, count: int) -> None:
        """An iteration of a loop begins, when there are `count` events."""
        if self._innermost is not None:
            self._innermost.events += count - self._count
        self._innermost, self._count = turns, count
        if turns.count:
            made = count - turns.began
            if turns.level == "whole":
                turns.whole = made
            elif turns.level == "thin":
                turns.thin = max(made, 1)
        turns.count += 1
        turns.began = count

    def uncounted(self, turns: Turns) -> None:
        """What seemed to be an iteration was the end of its loop."""
        turns.count -= 1

    def began(self, nest: Sequence[Turns], used: Used, *, last: bool = False, left: int | None = None) -> Level | None:
        """How the iteration that has just begun is to be recorded; None for as until now.

        Args:
            nest: the loops that run, outermost first; the last one's iteration has begun.
            last: whether it is known to be the last one, of the loops around it, too.
            left: how many are to come of this loop, as far as that is known.
        """
        turns = nest[-1]
        if self.window is not None:
            return self._in_window(nest, self.window, used)
        if not self.begun and not self._begins(used):
            return None
        self._choose(nest)
        if any([outer.key not in self._around for outer in nest[:-1]]):
            return None  # it is part of an iteration for which that was decided
        turns.level = self._decided(turns, used, last, left)
        return turns.level

    def alarm(self, once: str = "") -> None:
        """Something happened that one wants to look at: the next iterations are recorded whole."""
        if self._alarms < ALARMS or once:
            self._alarms += not once
            self._alarm = ALARM

    def after(self, nest: Sequence[Turns]) -> Level | None:
        """How what follows a loop is to be recorded, `nest` being the loops that still run; None for as until now."""
        if self.window is not None:
            unit = self.loops.get(self.window.loop)
            return None if unit is None or unit.count == 0 else "silent"
        if not self.begun:
            return None
        if nest:
            return nest[-1].level if all([outer.key in self._around for outer in nest]) else None
        return "whole"

    def _begins(self, used: Used) -> bool:
        kept = used.kept >= BEGINS and used.room >= SHORT
        self.begun = used.room >= BEGINS or kept or used.time >= SLOW
        return self.begun

    def _choose(self, nest: Sequence[Turns]) -> None:
        """Choose the unit, when there is none yet or it was chosen before there was a backward pass."""
        if self.trained and (self.unit is None or self._guessed):
            self._around = set(self.trained[:-1])
            self.unit, self._guessed = self.turns(self.trained[-1]), False
        elif self.unit is None:
            self.unit, self._guessed = max(self.loops.values(), key=lambda turns: turns.events), True
            keys = [outer.key for outer in nest]
            if self.unit.key in keys:
                self._around = set(keys[: keys.index(self.unit.key)])
            else:
                self._around = set()

    def _decided(self, turns: Turns, used: Used, last: bool, left: int | None) -> Level:
        n = turns.count - 1
        remaining = self.most * (1 - used.room)
        enclosing = turns.key in self._around
        affordable = enclosing or turns.whole * 2 <= remaining
        if last and affordable:
            return "whole"
        if used.room >= FULL:
            return "silent"
        if self._alarm and turns is self.unit and affordable:
            self._alarm -= 1
            return "whole"
        if used.room < SPARSE and used.time < SPARSE:
            spent = min(max(used.room, used.kept, used.time, BEGINS), 0.999)
            every = 2 ** (FIRST + int(-math.log2((1 - spent) / (1 - BEGINS))))
            return "whole" if affordable and n % every == 0 else "thin"
        if enclosing:
            return "thin"
        if n < turns.next:
            return "silent"
        # So many that what is left is never quite used up, however long the program goes on.
        samples = max(0.75 * self.most * (FULL - used.room) / (turns.thin + 2), 1.0)
        gap = left / samples if left is not None else 4 * n / samples
        turns.next = n + max(math.ceil(gap), 1)
        return "thin"

    def _in_window(self, nest: Sequence[Turns], window: Window, used: Used) -> Level | None:
        """As `began`, for a run of which some iterations are wanted."""
        keys = [turns.key for turns in nest]
        if window.loop not in keys:
            unit = self.loops.get(window.loop)
            return None if unit is None or unit.count == 0 else "silent"
        if keys[-1] != window.loop:
            return None
        self.begun = True
        self.unit = turns = nest[-1]
        n = turns.count - 1
        if n > window.last:
            self.over = True
            level: Level = "silent"
        elif n >= window.first or n == 0:
            level = "whole"
        elif n < turns.next or used.room > SPARSE / 2:
            level = "silent"
        else:
            samples = max((SPARSE / 2 - used.room) * self.most / (turns.thin + 2), 1.0)
            turns.next = n + max(math.ceil((window.first - n) / samples), 1)
            level = "thin"
        turns.level = level
        return level
