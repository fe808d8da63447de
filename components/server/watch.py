"""Whether a page could be drawn now: what the health check tells.

The server's own thread goes on answering while the one turn at drawing is stuck, so that it answers says nothing about it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

STUCK = 5.0
"""Seconds after which a turn at drawing that no other thread has taken over counts as stuck."""


class Watch:
    """When a turn at drawing was taken last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._taken = clock()

    def taken(self) -> None:
        """A thread has got a turn."""
        self._taken = self._clock()

    def stuck(self, free: bool) -> float:
        """Seconds for which no page could be drawn, from `STUCK` on; 0 while one could.

        A turn that is `free` says so by itself, however long ago the last one was: no visit is needed.
        """
        waited = 0.0 if free else self._clock() - self._taken
        return waited if waited >= STUCK else 0.0


watch = Watch()
"""This process's."""
