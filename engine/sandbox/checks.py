"""The parent's side of a numerical check: hands the program to a child and believes no more of the reply than fits."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest

import msgspec

from engine.program import Program
from engine.sandbox.check_messages import CheckReply, CheckRequest, check_reply, decode_reply
from engine.sandbox.messages import Limits
from engine.sandbox.runner import Collected, backend, job_for


class _Reply(Collected):
    """The one message that comes back from a check."""

    def take(self, kind: bytes, body: bytes) -> None:
        """The reply."""
        if kind != b"C":
            raise ValueError("no message of a check")
        reply = decode_reply(body)
        check_reply(reply)
        self.done = reply


def check(
    program: Program,
    request: CheckRequest,
    limits: Limits = Limits(seconds=10.0),  # noqa: B008  (frozen)
    *,
    stop: threading.Event | None = None,
    parts: int = 1,
) -> CheckReply:
    """Check one backward pass of a program numerically in processes of its own; never raises for what the program does.

    Each of the `parts` has a process that nudges its share of the leaves' elements, all at the same time.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    if parts < 2:
        return _part(program, request, limits, stop)
    requests = [msgspec.structs.replace(request, part=part, parts=parts) for part in range(parts)]
    with ThreadPoolExecutor(parts) as threads:
        return merged(list(threads.map(lambda one: _part(program, one, limits, stop), requests)))


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


def _part(program: Program, request: CheckRequest, limits: Limits, stop: threading.Event | None) -> CheckReply:
    collected = _Reply()
    end = backend().exchange(job_for(program, limits, check=request), collected, stop)
    done = collected.done
    if not collected.trouble and isinstance(done, CheckReply):
        return done
    if collected.trouble == "late" or (end is not None and end[1]):
        return CheckReply("timeout", f"the check did not stop after {limits.seconds:g} seconds and was ended")
    return CheckReply("failed", "the check's process sent nothing that makes sense")
