"""Turns: one page is drawn after the other, because that is quicker for all of them.

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

from components.housekeeping import housekeeping

P = ParamSpec("P")
R = TypeVar("R")

AT_ONCE = 1
"""Pages that are drawn at the same moment. Each more makes the server's thread wait longer for every message that it sends."""
SWITCH = 0.001
"""Seconds for which a thread that draws may keep the others waiting; Python's own 5 ms add up over a page's many moments."""
sys.setswitchinterval(SWITCH)

LONG = 1_000
"""Events from which making the picture of a recording takes longer than drawing a page."""

_turns = threading.BoundedSemaphore(AT_ONCE)
_long = threading.BoundedSemaphore(1)
_mine = threading.local()


def in_turn(draw: Callable[P, R]) -> Callable[P, R]:
    """Have a function that draws wait for its turn, unless its caller has one, and tidy up after it."""

    @wraps(draw)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> R:
        if getattr(_mine, "held", False):
            return draw(*args, **kwargs)
        with _turns:
            _mine.held = True
            try:
                return draw(*args, **kwargs)
            finally:
                _mine.held = False
                housekeeping.tidy()

    return waiting


@contextmanager
def turn_given_away() -> Iterator[None]:
    """While this thread waits for something, another page may be drawn."""
    held = getattr(_mine, "held", False)
    if held:
        _mine.held = False
        _turns.release()
    try:
        yield
    finally:
        if held:
            _turns.acquire()
            _mine.held = True


@contextmanager
def turn_for(events: int) -> Iterator[None]:
    """What follows from a long recording takes the one turn that all long ones share, and none of the others'."""
    if events < LONG:
        yield
        return
    with turn_given_away(), _long:
        # It makes hundreds of thousands of things that stay; looking through them for garbage takes a tenth of the time.
        gc.disable()
        try:
            yield
        finally:
            gc.enable()
