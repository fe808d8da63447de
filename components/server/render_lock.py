"""Turns: one page is drawn after the other, because that is quicker for all of them, and none for longer than a turn lasts.

Python runs one thread at a time. Drawing a page hands some hundred messages to the server's thread, and each of these
moments is one in which another page's thread may take over for a while; with many drawing at once nearly all of the time
goes by like that. So pages take turns; while one waits for its program to run it gives its turn away.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from components.server.deadline import Deadline, Over
from components.server.gc_policy import housekeeping
from components.server.held import count_on_what_is_held
from components.server.watch import watch
from engine.limits import LONG_TURN, TURN
from engine.sandbox.settings import settings

P = ParamSpec("P")
R = TypeVar("R")

AT_ONCE = 1
"""Pages that are drawn at the same moment. Each more makes the server's thread wait longer for every message that it sends."""
SWITCH = 0.001
"""Seconds for which a thread that draws may keep the others waiting; Python's own 5 ms add up over a page's many moments."""
sys.setswitchinterval(SWITCH)

LONG = 1_000
"""Events from which making the picture of a recording takes longer than drawing a page."""
LASTS, LASTS_LONG = ((row.value(), row.value(hosted=True)) for row in (TURN, LONG_TURN))
"""Seconds of the processor that a turn lasts, and a long one: for oneself, and where strangers wait for each other's."""


class Overdrawn(Exception):
    """A page, or a part of it, took longer than its turn lasts, and was not drawn to its end."""


class Turn:
    """One thread's hold on a slot among those that draw; it ends when the thread lets go, or when it has lasted too long."""

    def __init__(self, slots: threading.Semaphore, lasts: tuple[int, int], on_taken: Callable[[], None] = lambda: None) -> None:
        self._slots, self._on_taken = slots, on_taken
        self._lock = threading.Lock()
        self._held = False
        self.deadline = Deadline(lasts[settings().hosted], self.give)
        """What is done in the turn has this one."""

    def take(self) -> None:
        """Wait for the slot."""
        self._slots.acquire()
        self._held = True
        self._on_taken()

    def give(self) -> None:
        """Let go of the slot, if it is held."""
        with self._lock:
            held, self._held = self._held, False
        if held:
            self._slots.release()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold the slot, unless the deadline takes it away."""
        self.take()
        try:
            yield
        finally:
            self.give()

    @contextmanager
    def given_away(self) -> Iterator[None]:
        """Let others draw meanwhile; what this thread does then is none of this turn's."""
        with self.deadline.paused():
            self.give()
            try:
                yield
            finally:
                self.take()


_turns = threading.BoundedSemaphore(AT_ONCE)
_long = threading.BoundedSemaphore(1)
_mine = threading.local()


def in_turn(draw: Callable[P, R]) -> Callable[P, R]:
    """Have a function that draws wait for its turn, unless its caller has one, and tidy up after it.

    Raises:
        Overdrawn: when it takes longer than its turn lasts.
    """

    @wraps(draw)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> R:
        if getattr(_mine, "turn", None) is not None:
            return draw(*args, **kwargs)
        turn = Turn(_turns, LASTS, watch.taken)
        try:
            with turn.taken():
                _mine.turn = turn
                try:
                    count_on_what_is_held()
                    with turn.deadline:
                        return draw(*args, **kwargs)
                finally:
                    _mine.turn = None
                    housekeeping.tidy()
        except Over:
            raise Overdrawn from None

    return waiting


def a_turn_is_free() -> bool:
    """Whether a page could be drawn at once."""
    free = _turns.acquire(blocking=False)
    if free:
        _turns.release()
    return free


@contextmanager
def turn_given_away() -> Iterator[None]:
    """While this thread waits for something, another page may be drawn."""
    turn: Turn | None = getattr(_mine, "turn", None)
    if turn is None:
        yield
        return
    _mine.turn = None
    try:
        with turn.given_away():
            yield
    finally:
        _mine.turn = turn


@contextmanager
def turn_for(events: int) -> Iterator[None]:
    """What follows from a long recording takes the one turn that all long ones share, and none of the others'."""
    if events < LONG:
        yield
        return
    turn = Turn(_long, LASTS_LONG)
    with turn_given_away(), turn.taken(), turn.deadline:
        # It makes hundreds of thousands of things that stay; looking through them for garbage takes a tenth of the time.
        gc.disable()
        try:
            yield
        finally:
            gc.enable()
