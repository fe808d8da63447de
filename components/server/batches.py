"""What a run of the page hands to the server's thread is handed over many at a time.

Each of the hundred messages of a run would wake that thread, which then takes the processor from the page that is drawn. Here
a message wakes it only where none is waiting already; the thread takes all that have come by then, in their order.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from streamlit.runtime.app_session import AppSession

from components.server.around import put_around
from components.server.kept import Kept

NAME = "_call_soon_on_event_loop"
"""What has the server's thread do something there: `(session, callback)`."""

Callback = Callable[[], None]


class Batch:
    """What waits for the server's thread."""

    def __init__(self) -> None:
        self.waiting: deque[Callback] = deque()
        self.told = False
        """Whether the thread has been told that something waits."""


_BATCHES: Kept[Batch] = Kept("gradtape_batch")


def hand_over_together() -> None:
    """Have sessions do so; without effect on a Streamlit that does it otherwise."""
    put_around(AppSession, NAME, together)


def together(plain: Callable[[Any, Callback], None]) -> Callable[[Any, Callback], None]:
    """The same method, which wakes the server's thread once for all that waits."""

    @wraps(plain)
    def call_soon(session: Any, callback: Callback) -> None:
        batch = _BATCHES.of(session, Batch)
        batch.waiting.append(callback)
        if not batch.told:
            batch.told = True
            plain(session, partial(_taken, batch))

    return call_soon


def _taken(batch: Batch) -> None:
    """In the server's thread: everything that waits is due, each by itself, so that one that fails stops no other."""
    batch.told = False  # first: whatever is put there from now on either is taken here or tells the thread again
    loop = asyncio.get_running_loop()
    while batch.waiting:
        loop.call_soon(batch.waiting.popleft())
