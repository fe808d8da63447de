"""How a child is asked for more than one run of a program: the sandbox carries such jobs and knows none of them.

A job has a kind, which is a name, and a request, which only its own two sides can read.

- The child's side (`engine.sandbox.processes.child.Work`) is loaded by the process that children are forked from, out of the
  table that `engine.wiring` fills: no message says what is imported.
- The parent's side, here, sends the request and reads what comes back: `ask` with an `Answer`.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from ..program import Program
from .processes.retrying import LOST
from .runner import backend, job_for
from .transport.frames import REPLY
from .transport.messages import Limits, encode
from .transport.receiver import HOST, Collected

R = TypeVar("R", bound=msgspec.Struct)


class Answer(Collected, Generic[R]):
    """What comes back from a job: messages on the way, if it sends any, and at last the reply."""

    done: R | None

    @abstractmethod
    def reply(self, body: bytes) -> R:
        """The reply, validated.

        Raises:
            ValueError: for an invalid one; the child is not trusted.
        """

    def message(self, kind: bytes, body: bytes) -> None:
        """Take a message on the way.

        Raises:
            ValueError: for an invalid one; the child is not trusted.
        """
        raise ValueError("no message of this job")

    def take(self, kind: bytes, body: bytes) -> None:
        """A message on the way, or the reply."""
        if kind == REPLY:
            self.done = self.reply(body)
        else:
            self.message(kind, body)


def ask(
    kind: str,
    program: Program,
    request: msgspec.Struct,
    limits: Limits,
    answer: Answer[R],
    failed: Callable[[str, str], R],
    *,
    late: str,
    stop: threading.Event | None = None,
) -> R:
    """Have a child do a job with a program; never raises for what the program does.

    Args:
        failed: makes the reply of a child that sent none, from a status ("failed" or "timeout") and a sentence.
        late: the sentence for a child that was stopped because it did not stop in time.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    end = backend().exchange(job_for(program, limits, kind=kind, request=encode(request)), answer, stop)
    if not answer.trouble and answer.done is not None:
        return answer.done
    if answer.failure or answer.trouble in LOST:
        return failed("failed", answer.failure or HOST)
    if end is not None and end[1]:
        return failed("timeout", late)
    return failed("failed", f"the {kind}'s process sent nothing that makes sense")
