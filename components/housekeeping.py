"""Keeps Python's garbage collector from stopping everybody for one visitor.

Streamlit has Python look through all of its memory after every run of a page. With the modules loaded that takes 80 ms and more
with every visitor, and meanwhile nobody else's page is drawn. So what is there is set aside first, which costs nothing, and
only now and then is everything looked through.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable

EVERY = 600.0
"""Seconds between two looks at everything: with many large recordings one takes seconds, in which nobody is served."""
SELDOM = (50_000, 20, 100)
"""How many new things Python waits for before it looks through the youngest: a picture of 10,000 nodes is made in two thirds of
the time when that is not after every 700."""
gc.set_threshold(*SELDOM)


class Housekeeping:
    """When everything was looked through last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last = clock()

    def tidy(self) -> bool:
        """Set everything aside; first collect all garbage if it is time, and return whether it was."""
        now = self._clock()
        with self._lock:
            due = now - self._last >= EVERY
            if due:
                self._last = now
        if due:
            gc.unfreeze()
            gc.collect()
        gc.freeze()
        return due


housekeeping = Housekeeping()
"""This process's."""
