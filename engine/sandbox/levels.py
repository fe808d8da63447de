"""Switches a run's recording between its levels as its loops turn, and off when there is no room left for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..context import context
from ..recording.recorder import Recorder
from ..recording.thin import ThinRecorder
from ..recording.thinning import Level, Thinning, Turns, Used, Window
from ..recording.writer import NOWHERE
from .transport.messages import Limits

if TYPE_CHECKING:
    from ..recording.running_loops import RunningLoop

EVERY = 16
"""Iterations between two looks at the clock, and at what has been sent."""
_COUNTED = frozenset(map(type, (iter(range(0)), iter(()), iter([]), iter(range(1 << 70)))))
"""Iterators whose length can be asked for without running anything of the program's."""


class Levels:
    """The level of a run that is recorded.

    Args:
        used: how much of the room there is has been used up, as a share.
    """

    def __init__(self, recorder: Recorder, limits: Limits, most: int, used: Callable[[], float], window: Window | None) -> None:
        self.recorder = recorder
        self.limits = limits
        self.thin = ThinRecorder(recorder, self._alarm)
        self.thinning = Thinning(most, window)
        self.level: Level = "whole"
        self.ended = False
        """Whether there is no room for more, whatever comes."""
        self._most = most
        self._room = used
        self._looks = self._due = 0
        self._others = Used(0.0)
        """What else than events was used up at the last look at it."""
        self._nest: Any = None

    @property
    def quiet(self) -> bool:
        """Whether what is printed may wait, and share events: nothing else is recorded."""
        return self.level == "silent"

    def observer(self) -> Any:
        """What the engine and the program report to."""
        return self.recorder if self.level == "whole" else self.thin if self.level == "thin" else None

    def began(self, loops: Sequence[RunningLoop]) -> bool:
        """An iteration of the innermost loop begins; False when it is the first one that is not wanted any more."""
        thinning, loop = self.thinning, loops[-1]
        turns = loop.turns
        if turns is None:
            turns = loop.turns = thinning.turns(loop.key)
        count = self.recorder.count
        thinning.counted(turns, count)
        if self.ended:
            return True
        self._looks += 1
        if self.level == "silent" and turns is thinning.unit and turns.count <= turns.next and _left(loop) != 1:
            return True  # nearly every iteration of a long run
        if not thinning.begun and thinning.window is None and count * 2 < self._most and self._looks % EVERY:
            return True
        # In a rule of the program's own nobody watches, or another one: that is not changed under its feet.
        if context.observer is not self.observer() or context.task >= 0:
            return True
        nest = self.recorder.trained
        if nest is not self._nest:
            self._nest = nest
            thinning.trained = nest or ()
        left = _left(loop)
        if left == 0:
            return True  # there is no such iteration: its loop is about to end
        last = left == 1 and all([_left(outer) == 0 for outer in loops[:-1]])
        around = [outer.turns for outer in loops if outer.turns is not None]
        level = thinning.began(around, self._used(count), last=last, left=left)
        if thinning.over:
            return False
        if level is not None:
            self._set(level, turns)
        return True

    def dropped(self, loops: Sequence[RunningLoop]) -> None:
        """A loop is over; `loops` are those that still run."""
        if self.ended or not self.thinning.begun or context.observer is not self.observer() or context.task >= 0:
            return
        around: list[Turns] = [outer.turns for outer in loops if outer.turns is not None]
        level = self.thinning.after(around)
        if level is not None:
            self._set(level, around[-1] if around else None)

    def exhausted(self, loop: RunningLoop) -> None:
        """There was no further iteration of a loop."""
        if loop.turns is not None:
            self.thinning.uncounted(loop.turns)

    def end(self) -> None:
        """There is no room for more."""
        self.ended = True
        if self.level != "silent":
            self._set("silent", None)
        context.observer = None

    def settle(self) -> None:
        """The run is over: what is known of its last iteration is said."""
        if self.level == "thin":
            self.thin.turn()

    def _alarm(self, once: str) -> None:
        self.thinning.alarm(once)

    def _used(self, count: int) -> Used:
        if self._looks >= self._due:
            self._due = self._looks + EVERY
            limits = self.limits
            spent = time.process_time() / limits.seconds if limits.seconds else 0.0
            kept = 1 - self.recorder.store.left / limits.array_bytes if limits.array_bytes else 0.0
            self._others = Used(self._room(), kept, spent)
        room, kept, spent = self._others
        return Used(max(count / self._most, room), kept, spent)

    def _set(self, level: Level, turns: Turns | None) -> None:
        """From now on recording has this level."""
        before = self.level
        if before == "thin":
            self.thin.turn()
        if level == before:
            return
        self.level = level
        self.recorder.misses_some()
        key, iteration = (turns.key, turns.count - 1) if turns is not None else ((), -1)
        self.recorder.note(NOWHERE, "thinned_to", level, key, iteration)
        if before == "silent" and not self.ended:
            self.thin.catch_up()
        context.observer = self.observer()


def _left(loop: RunningLoop) -> int | None:
    """How many items a loop's iterable has still to give; None where that is not known."""
    iterator = loop.iterator
    return iterator.__length_hint__() if type(iterator) in _COUNTED else None
