"""Keeps Python's garbage collector from stopping everybody for one visitor, and memory from growing by what nobody needs.

Streamlit by itself has Python look through all of its memory after every run of a page (`runner.postScriptGC`, which is off).
With the modules loaded that takes 80 ms and more with every visitor, and meanwhile nobody else's page is drawn. So after each
turn only what is new is looked through, in less than a millisecond. What becomes garbage later, such as the pages of visitors
who have left, is found when everything is looked through: now and then, and when nobody is there to wait for it. What is loaded
before the first visitor comes stays, and is never looked through.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable

from engine.sandbox.system.memory import all_stays, give_back

EVERY = 180.0
"""Seconds between two looks at everything, at least."""
SHARE = 0.01
"""The share of the time that they may take: with many large recordings one takes seconds, in which nobody is served."""
QUIET = 2.0
"""Seconds without a page drawn after which nobody waits."""
SOON = 10.0
"""Seconds between two looks at everything when it is quiet, at least."""
NEVER = 2**30
SELDOM = (50_000, 20, NEVER)
"""How many new things Python waits for before it looks through the youngest: a picture of 10,000 nodes is made in two thirds of
the time when that is not after every 700. Through everything it never looks by itself."""
NEW = 1
"""The generations that are looked through after each turn; what is left of them is old from then on."""
gc.set_threshold(*SELDOM)


class Housekeeping:
    """When a page was drawn last, and when everything was looked through."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._drawn = self._looked = clock()
        self._pause = EVERY

    def begin(self) -> None:
        """All that there is by now stays."""
        all_stays()

    def tidy(self) -> bool:
        """After a turn: look through what is new, or through everything if it is time, and return whether it was."""
        with self._lock:
            now = self._drawn = self._clock()
            due = now - self._looked >= self._pause
            self._look(everything=due)
        return due

    def tidy_when_quiet(self) -> bool:
        """Look through everything if pages have been drawn since the last time and nobody waits; whether it was done."""
        with self._lock:
            now = self._clock()
            due = self._drawn > self._looked and now - self._drawn >= QUIET and now - self._looked >= SOON
            if due:
                self._look(everything=True)
        return due

    def _look(self, everything: bool) -> None:
        began = self._clock()
        if not everything:
            gc.collect(NEW)
            return
        gc.collect()
        give_back()
        self._looked = self._clock()
        self._pause = max(EVERY, (self._looked - began) / SHARE)


housekeeping = Housekeeping()
"""This process's."""
