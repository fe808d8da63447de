"""The parent's side of a sweep: hands points to a child and accepts from its replies only what was asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ...program import Program
from ...sandbox.jobs import Answer, ask
from ...sandbox.transport.frames import PART
from ...sandbox.transport.messages import Limits
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


class _Replies(Answer[SweepReply]):
    """The points, then the end."""

    def __init__(self, request: SweepRequest, told: Listener) -> None:
        super().__init__()
        self.request, self.told = request, told
        self.seen: set[int] = set()

    def again(self) -> None:
        """Begin anew: the points come once more."""
        super().again()
        self.seen = set()

    def message(self, kind: bytes, body: bytes) -> None:
        """Some points."""
        if kind != PART:
            raise ValueError("no message of a sweep")
        points = decode_points(body)
        check_points(points, self.request, self.seen)
        self.told(points)

    def reply(self, body: bytes) -> SweepReply:
        """The end."""
        found = decode_sweep(body)
        check_sweep(found, self.request)
        return found


def run_points(
    program: Program, request: SweepRequest, limits: Limits, told: Listener, stop: threading.Event | None = None
) -> SweepReply:  # fmt: skip
    """Run a program at some points in a process of its own; `told` gets them as they come, perhaps not all.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    late = f"stopped after {limits.seconds:g} seconds"
    return ask("sweep", program, request, limits, _Replies(request, told), SweepReply, late=late, stop=stop)
