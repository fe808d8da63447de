"""The parent's side of a sweep: hands points to a child and believes no more of the replies than was asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ...program import Program
from ...sandbox.processes.retrying import LOST
from ...sandbox.runner import Collected, backend, job_for
from ...sandbox.transport.frames import POINTS, REPLY
from ...sandbox.transport.messages import Limits
from ...sandbox.transport.receiver import HOST
from .messages import (
    Point,
    SweepReply,
    SweepRequest,
    check_points,
    check_sweep,
    decode_points,
    decode_sweep,
)

Listener = Callable[[list[Point]], None]


class _Replies(Collected):
    """The points, then the end."""

    def __init__(self, request: SweepRequest, told: Listener) -> None:
        super().__init__()
        self.request, self.told = request, told
        self.seen: set[int] = set()

    def again(self) -> None:
        """Begin anew: the points come once more."""
        super().again()
        self.seen = set()

    def take(self, kind: bytes, body: bytes) -> None:
        """Some points, or the end."""
        if kind == POINTS:
            points = decode_points(body)
            check_points(points, self.request, self.seen)
            self.told(points)
        elif kind == REPLY:
            reply = decode_sweep(body)
            check_sweep(reply, self.request)
            self.done = reply
        else:
            raise ValueError("no message of a sweep")


def run_points(
    program: Program, request: SweepRequest, limits: Limits, told: Listener, stop: threading.Event | None = None
) -> SweepReply:  # fmt: skip
    """Run a program at some points in a process of its own; `told` gets them as they come, perhaps not all.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    replies = _Replies(request, told)
    end = backend().exchange(job_for(program, limits, sweep=request), replies, stop)
    if not replies.trouble and isinstance(replies.done, SweepReply):
        return replies.done
    if replies.failure or replies.trouble in LOST:
        return SweepReply("failed", replies.failure or HOST)
    if end is not None and end[1]:
        return SweepReply("timeout", f"stopped after {limits.seconds:g} seconds")
    return SweepReply("failed", "the sweep's process sent nothing that makes sense")
