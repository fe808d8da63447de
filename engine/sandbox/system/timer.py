"""A child's own alarm clock, where the system has one for it; elsewhere the parent's is the only one."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType

HALT = getattr(signal, "SIGTERM", 0)
"""What tells a run that the user wants it to end, and to send what it has recorded."""


def ring(seconds: float, handler: Callable[[int, FrameType | None], None]) -> None:
    """Call the handler when the time is up, between two instructions of the program."""
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, handler)
        signal.signal(HALT, handler)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def stop() -> None:
    """It does not ring any more."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)
