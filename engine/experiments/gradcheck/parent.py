"""The parent's side of a numerical check: hands the program to a child and validates its untrusted reply."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest

import msgspec

from ...program import Program
from ...sandbox.jobs import Answer, ask
from ...sandbox.transport.frames import SHARE, share_of
from ...sandbox.transport.messages import Limits
from .messages import CheckReply, CheckRequest, check_reply, decode_reply


class _Reply(Answer[CheckReply]):
    """What comes back from a check: how far it is, and at last the reply."""

    def __init__(self, told: Callable[[float], None]) -> None:
        super().__init__()
        self.told = told

    def again(self) -> None:
        """Begin anew."""
        super().again()
        self.told(0.0)

    def message(self, kind: bytes, body: bytes) -> None:
        """Take a message of progress."""
        if kind != SHARE:
            raise ValueError("no message of a check")
        self.told(share_of(body))

    def reply(self, body: bytes) -> CheckReply:
        """The reply."""
        found = decode_reply(body)
        check_reply(found)
        return found


def check(
    program: Program,
    request: CheckRequest,
    limits: Limits = Limits(seconds=10.0),  # noqa: B008  (frozen)
    *,
    stop: threading.Event | None = None,
    parts: int = 1,
    progress: Callable[[float], None] = lambda _: None,
) -> CheckReply:
    """Check one backward pass of a program numerically in processes of its own; never raises for what the program does.

    Each of the `parts` has a process that nudges its share of the leaves' elements, all at the same time. `progress` is told
    how far they are together, from 0 to 1.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    shares, lock = [0.0] * parts, threading.Lock()

    def one(part: int) -> CheckReply:
        def told(share: float) -> None:
            with lock:
                shares[part] = share
                progress(sum(shares) / parts)

        mine = msgspec.structs.replace(request, part=part, parts=parts)
        late = f"the check did not stop after {limits.seconds:g} seconds and was ended"
        return ask("check", program, mine, limits, _Reply(told), CheckReply, late=late, stop=stop)

    if parts < 2:
        return one(0)
    with ThreadPoolExecutor(parts) as threads:
        return merged(list(threads.map(one, range(parts))))


def merged(replies: Sequence[CheckReply]) -> CheckReply:
    """The reply of a check as a whole: the derivatives in the order in which one process would have found them."""
    first = next((reply for reply in replies if reply.status != "ok"), replies[0])
    leaves = [[slope for slope in reply.slopes if slope.edge < 0] for reply in replies]
    nodes = [slope for slope in replies[0].slopes if slope.edge >= 0]
    turns = [slope for turn in zip_longest(*leaves) for slope in turn if slope is not None]
    return msgspec.structs.replace(
        first,
        slopes=[*nodes, *turns],
        skipped=replies[0].skipped,
        left=sum(reply.left for reply in replies),
        runs=sum(reply.runs for reply in replies),
    )
