"""What a run of the page hands to the server's thread is handed over many at a time.

Each of the hundred messages of a run would wake that thread, which then takes the processor from the page that is drawn. Here
messages wait a moment for those that follow, and the thread takes all that have come by then, in their order. What begins or
ends a run does not wait.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from components.server.around import put_around
from components.server.kept import Kept

HEARS = "_on_scriptrunner_event"
"""What hears of a run, in the run's thread: `(session, sender, event, …)`."""
HANDLES = "_handle_scriptrunner_event_on_event_loop"
"""What does with it what is to be done, in the server's thread: `(session, sender, event, …)`."""
WAKES = "_call_soon_on_event_loop"
"""What has the server's thread do something there: `(session, callback)`."""

PATIENCE = 0.02
"""Seconds that a message waits for more: nobody sees what is drawn earlier than that."""


class Batch:
    """What waits for the server's thread."""

    def __init__(self) -> None:
        self.waiting: deque[Callable[[], None]] = deque()
        self.expected = self.called = False
        """Whether the thread will look by itself, and whether it has been woken."""
        self.timer: asyncio.TimerHandle | None = None


_BATCHES: Kept[Batch] = Kept("gradtape_batch")


def hand_over_together() -> None:
    """Have sessions do so; without effect on a Streamlit that does it otherwise."""
    if hasattr(AppSession, HANDLES) and hasattr(AppSession, WAKES):
        put_around(AppSession, HEARS, together)


def together(plain: Callable[..., None]) -> Callable[..., None]:
    """The same method, which wakes the server's thread once for all that waits."""

    @wraps(plain)
    def hear(session: Any, sender: Any, event: ScriptRunnerEvent, *more: Any, **named: Any) -> None:
        batch = _BATCHES.of(session, Batch)
        batch.waiting.append(partial(getattr(session, HANDLES), sender, event, *more, **named))
        if batch.called or (batch.expected and event == ScriptRunnerEvent.ENQUEUE_FORWARD_MSG):
            return
        batch.called = True
        getattr(session, WAKES)(partial(_taken, batch))

    return hear


def _taken(batch: Batch) -> None:
    """In the server's thread: everything that waits is done, and what comes in the next moment is waited for."""
    loop = asyncio.get_running_loop()
    if batch.timer is not None:
        batch.timer.cancel()
    # First: whatever is put there from now on either is taken here, or by the next look, or tells the thread again.
    batch.expected, batch.called = True, False
    if not batch.waiting:
        batch.expected, batch.timer = False, None
        if not batch.waiting:
            return
        batch.expected = True
    while batch.waiting:
        do = batch.waiting.popleft()
        try:
            do()
        except Exception as error:  # one that fails stops no other
            loop.call_exception_handler({"message": "A message of a run was not handled", "exception": error})
    batch.timer = loop.call_later(PATIENCE, _taken, batch)
