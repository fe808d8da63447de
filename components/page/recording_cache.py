"""What has been worked out of long recordings is kept for those that were on show last.

It takes several times the memory of the recording itself and holds it in cycles, so only the collector frees it; and the
collector stops everybody for as long as it has much to look through. What is dropped is worked out anew when it is wanted.
"""

from __future__ import annotations

import threading
from weakref import WeakKeyDictionary

from components.server.render_lock import LONG
from engine.recording import Recording

MOST = 60_000
"""Events of the recordings for which it is kept, all visitors together; the one on show is kept whatever its length."""

_lock = threading.Lock()
_shown: WeakKeyDictionary[Recording, None] = WeakKeyDictionary()


def on_show(recording: Recording) -> None:
    """Take note that a recording is on show, and have those forget that were on show longest ago."""
    if len(recording.events) < LONG:
        return
    with _lock:
        _shown.pop(recording, None)
        _shown[recording] = None
        room = MOST
        for other in reversed(list(_shown)):
            room -= len(other.events)
            if room < 0 and other is not recording:
                del _shown[other]
                other.forget()


def gone(recording: Recording | None) -> None:
    """A recording is on show no more and will not be again."""
    if recording is not None:
        with _lock:
            _shown.pop(recording, None)
        recording.forget(for_good=True)
