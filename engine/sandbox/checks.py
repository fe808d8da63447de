"""The parent's side of a numerical check: hands the program to a child and believes no more of the reply than fits."""

from __future__ import annotations

from engine.program import Program
from engine.sandbox.check_messages import CheckReply, CheckRequest, check_reply, decode_reply
from engine.sandbox.messages import Job, Limits
from engine.sandbox.runner import Collected, server


class _Reply(Collected):
    """The one message that comes back from a check."""

    def take(self, kind: bytes, body: bytes) -> None:
        """The reply."""
        if kind != b"C":
            raise ValueError("no message of a check")
        reply = decode_reply(body)
        check_reply(reply)
        self.done = reply


def check(program: Program, request: CheckRequest, limits: Limits = Limits(seconds=10.0)) -> CheckReply:  # noqa: B008
    """Check one backward pass of a program numerically in a process of its own; never raises for what the program does."""
    collected = _Reply()
    end = server().exchange(Job(program.cells, program.notebook, limits, request), collected)
    done = collected.done
    if not collected.trouble and isinstance(done, CheckReply):
        return done
    if collected.trouble == "late" or (end is not None and end[1]):
        return CheckReply("timeout", f"the check did not stop after {limits.seconds:g} seconds and was ended")
    return CheckReply("failed", "the check's process sent nothing that makes sense")
