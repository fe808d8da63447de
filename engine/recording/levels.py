"""How much of what happened a recording holds, from where to where."""

from __future__ import annotations

from bisect import bisect_right
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .events import NOTHING, Scope, Thinned
from .log import Events

if TYPE_CHECKING:
    from .recording import Recording


@dataclass(frozen=True, slots=True)
class Levels:
    """The changes of a recording's level, in order."""

    steps: tuple[int, ...] = ()
    changes: tuple[Thinned, ...] = ()

    def change(self, step: int) -> Thinned | None:
        """The last change up to a step; None where everything is held until there."""
        found = bisect_right(self.steps, step)
        return self.changes[found - 1] if found else None

    def at(self, step: int) -> str:
        """The level at a step."""
        change = self.change(step)
        return "whole" if change is None else change.level

    def lowest(self, first: int, last: int) -> str:
        """The level of what the recording holds least of, between two steps."""
        found = {self.at(first)} | {
            change.level for change in self.changes[bisect_right(self.steps, first) : bisect_right(self.steps, last)]
        }
        return "silent" if "silent" in found else "thin" if "thin" in found else "whole"

    @property
    def unit(self) -> tuple[int, ...]:
        """The loop by whose iterations the level changes; () for none."""
        return next((change.unit for change in self.changes if change.unit), ())


@dataclass(frozen=True, slots=True)
class Iterations:
    """Which iterations of the loop around them a recording's events belong to, counted over all times that it was run."""

    steps: tuple[int, ...] = ()
    """The first step of each iteration that has any."""
    numbers: tuple[int, ...] = ()

    def at(self, step: int) -> int:
        """The iteration that a step belongs to, or the last one before it; NOTHING before the first."""
        found = bisect_right(self.steps, step)
        return self.numbers[found - 1] if found else NOTHING


def iterations_of(recording: Recording) -> Iterations:
    """The iterations of the loop by which a recording grew thinner, found once."""
    return recording.once("iterations of the unit", lambda: _iterations(recording))


def _iterations(recording: Recording) -> Iterations:
    unit = levels_of(recording).unit
    if not unit:
        return Iterations()
    turns = [_turns(scope, unit) for scope in recording.scopes]
    steps: list[int] = []
    numbers: list[int] = []
    number, told = NOTHING, False
    now: tuple[int, ...] = ()
    scopes = recording.tape.scope
    levels = levels_of(recording)
    thinned = dict(zip(levels.steps, levels.changes, strict=True))
    # Only where the scope changes, or the level, can an iteration begin.
    changed = np.flatnonzero(np.append(True, scopes[1:] != scopes[:-1])[: len(scopes)])
    steps_looked_at = np.union1d(changed, np.array(levels.steps, np.int64))
    for step, scope in zip(steps_looked_at.tolist(), scopes[steps_looked_at].tolist(), strict=True):
        change = thinned.get(step)
        if change is not None and change.unit == unit:
            number, told = change.iteration, True  # iterations may have gone by unseen
        elif scope >= 0 and (turn := turns[scope]) and turn != now:
            if not told:
                # The same loop goes on, or it begins anew; each iteration leaves something unless it was said that they do not.
                number += turn[-1] - now[-1] if now and turn[:-1] == now[:-1] and turn[-1] > now[-1] else turn[-1] + 1
            now, told = turn, False
        else:
            continue
        if numbers and numbers[-1] == number:
            continue
        steps.append(step)
        numbers.append(number)
    return Iterations(tuple(steps), tuple(numbers))


def _turns(scope: Scope, unit: tuple[int, ...]) -> tuple[int, ...]:
    """The iterations of the loops from the outermost to the unit; () outside of it."""
    for depth, ((line, _), around) in enumerate(zip(scope.loops, scope.around, strict=False)):
        if (line, *around) == unit:
            return tuple([k for _, k in scope.loops[: depth + 1]])
    return ()


def tally(recording: Recording) -> tuple[int, int]:
    """How many iterations a recording holds whole, and of how many it knows; 0 and 0 where it never grew thinner."""
    levels, iterations = levels_of(recording), iterations_of(recording)
    whole = sum([levels.at(step) == "whole" for step in iterations.steps])
    return whole, max(iterations.numbers, default=NOTHING) + 1


def beginning(recording: Recording) -> Recording:
    """What a recording holds whole from its beginning on, as a recording of its own: all of it, unless it grew thinner."""
    levels = levels_of(recording)
    if not levels.steps:
        return recording
    made = recording.derived.get("beginning")
    if made is None:
        made = copy(recording)
        made.events = Events(recording.tape.part(0, levels.steps[0]))
        made.derived = {}
        recording.derived["beginning"] = made
    assert made is not None
    return made


def levels_of(recording: Recording) -> Levels:
    """The levels of a recording, found on the first call and kept on the recording."""
    made = recording.derived.get("levels")
    if made is None:
        found = recording.tape.of_kind(Thinned)
        steps, changes = zip(*found, strict=True) if found else ((), ())
        made = recording.derived["levels"] = Levels(tuple(steps), tuple(changes))
    assert isinstance(made, Levels)
    return made
