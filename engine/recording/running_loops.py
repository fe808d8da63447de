"""Which loops of an instrumented program run, and which iteration each is in."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from types import FrameType
from typing import Any

from .call_paths import Codes
from .thinning import Turns
from .writer import LoopNest


class RunningLoops(ABC):
    """What an instrumented program calls at its loops."""

    codes: Codes

    def __init__(self) -> None:
        self.loops: list[RunningLoop] = []
        """The loops that run, outermost first."""
        self._whiles: dict[tuple[int, int], RunningLoop] = {}

    @abstractmethod
    def tell_loops(self) -> None:
        """Other loops, or other iterations of them, run from now on."""

    def nest(self) -> LoopNest:
        """The loops that run, and which iteration each is in."""
        return tuple([loop.key for loop in self.loops]), tuple([loop.k for loop in self.loops])

    def began(self) -> None:  # noqa: B027
        """An iteration begins."""

    def dropped(self) -> None:  # noqa: B027
        """A loop is over."""

    def exhausted(self, loop: RunningLoop) -> None:  # noqa: B027
        """A loop has come to its end."""

    def loop(self, line: int, iterable: Any) -> Iterator[Any]:
        """A `for` loop's iterable, counting."""
        return self.counted(line, iterable, sys._getframe(1))

    def counted(self, line: int, iterable: Any, frame: FrameType) -> Iterator[Any]:
        """The same of a loop in some call of the program's."""
        iterator = iter(iterable)
        return Loop(self, RunningLoop(line, self._around(frame), iterator), iterator)

    def tick(self, line: int) -> None:
        """An iteration of a `while` loop begins."""
        frame = sys._getframe(1)
        key = (line, id(frame))
        loop = self._whiles.get(key)
        if loop is None:
            loop = self._whiles[key] = RunningLoop(line, self._around(frame))
        self.enter(loop)

    def leave(self, line: int) -> None:
        """A `while` loop was left."""
        loop = self._whiles.pop((line, id(sys._getframe(1))), None)
        if loop is not None:
            self.drop(loop)

    def _around(self, frame: FrameType) -> tuple[int, int]:
        """The cell of a frame in which a loop begins, and how many calls of the program are around it."""
        return self.codes.cell(frame.f_code), len(self.codes.path(frame)) // 3

    def enter(self, loop: RunningLoop) -> None:
        """An iteration of a loop begins; the loops within it, of its last iteration, are over."""
        loop.k += 1
        loops = self.loops
        if not loop.k or loop not in loops:
            loops.append(loop)
        elif loops[-1] is not loop:
            del loops[loops.index(loop) + 1 :]
        self.tell_loops()
        self.began()

    def drop(self, loop: RunningLoop) -> None:
        """Forget a loop."""
        if loop in self.loops:
            del self.loops[self.loops.index(loop) :]
            self.tell_loops()
            self.dropped()


class RunningLoop:
    """A loop that runs, and its iteration."""

    __slots__ = ("iterator", "k", "key", "turns")

    def __init__(self, line: int, around: tuple[int, int], iterator: Any = None) -> None:
        self.key = (line, *around)
        """Its line, its cell, and how many calls are around it."""
        self.k = -1
        self.iterator = iterator
        """What a `for` loop's items come from."""
        self.turns: Turns | None = None
        """What is known of the loop over all the times that it was run."""


class Loop:
    """A counting iterator; it is dropped when the loop is left, in whatever way, because only the loop holds it."""

    __slots__ = ("iterator", "running", "tape")

    def __init__(self, tape: RunningLoops, running: RunningLoop, iterator: Iterator[Any]) -> None:
        self.tape, self.running, self.iterator = tape, running, iterator

    def __iter__(self) -> Loop:
        return self

    def __next__(self) -> Any:
        tape = self.tape
        tape.enter(self.running)  # what its iterable does for an iteration belongs to it
        deep = len(tape.loops)
        try:
            item = next(self.iterator)
        except BaseException:
            tape.exhausted(self.running)
            tape.drop(self.running)
            raise
        if len(tape.loops) > deep:
            # A generator of the program waits within loops of its own, which do not run meanwhile.
            del tape.loops[deep:]
            tape.tell_loops()
        return item

    def __del__(self) -> None:
        self.tape.drop(self.running)
