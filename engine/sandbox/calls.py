"""Functions of ours that work on what a stranger sent are called in a process of their own, which ends with the call.

So however long they take and however much memory they want, the process that draws the page does nothing meanwhile and keeps
nothing of it; a call has limits, tells how far it is, and can be called off. What they return is bytes, which the caller
decodes as it decodes everything that comes from a child.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..limits import MB, Row
from .runner import Guarded, server
from .settings import settings
from .transport.call_messages import CallReply, CallRequest, check_call_reply, decode_call_reply
from .transport.frames import OUTPUT, REPLY, SHARE, share_of
from .transport.messages import Job, Limits
from .transport.receiver import Collected

CALLEE = "engine.sandbox.processes.callee"
SILENT = "the part of Gradtape that works on it does not answer"


@dataclass(frozen=True, slots=True)
class Function:
    """A function that is called in a process of its own, and what it may use there.

    It takes bytes and a function that it tells how far it is (from 0 to 1), and returns bytes. For an argument that it does not
    take it raises ValueError with a message for the user. What it needs from files its module loads when it is imported, or
    in its function `prepare`.
    """

    name: str
    """`module:function`."""
    seconds: float = 20.0
    memory_mb: int = 1024
    output_mb: int = 64
    apart: bool = False
    """Whether it has a server of its own, because it loads much that the others do not need."""

    def over(self, error: Exception, doing: str) -> str:
        """Which of its limits was in the way of `doing` something, in words for the user; "" if none was."""
        return {
            "timeout": f"{doing} it took more than {self.seconds:g} seconds, which is the limit here",
            "memory": f"{doing} it needed more than {self.memory_mb:,} MB of memory, which is the limit here",
            "too_large": f"it would be larger than {self.output_mb} MB, which is the limit here",
        }.get(error.status if isinstance(error, CallError) else "", "")


class CallError(Exception):
    """A call that returned nothing; the message says why, in words for the user.

    `status` is "refused" for an argument that the function does not take, "timeout", "memory" or "too_large" for a limit,
    and "failed" or "crashed" for what should not happen.
    """

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


_offered: dict[str, Function] = {}


def offer(function: Function) -> Function:
    """Have the server of calls load a function; when a module that owns one is imported."""
    if not function.apart:
        _offered[function.name] = function
    return function


def bounded(name: str, seconds: Row, memory: Row, output: int, *, apart: bool = False) -> Function:
    """Offer a function that has its limits from the table, as they are on this installation, and returns so many bytes."""
    hosted = settings().hosted
    return offer(Function(name, seconds.value(hosted), memory.value(hosted) // MB, -(-output // MB), apart))


def get_ready() -> None:
    """Start the server of calls, which takes a second or two, if it does not run, before a visitor has to wait for it."""

    def start() -> None:
        with contextlib.suppress(OSError):  # a call says so
            _server()

    threading.Thread(target=start, daemon=True, name="gradtape-calls").start()


def _server(*names: str, apart: bool = False) -> Guarded:
    if apart:
        return server(CALLEE, names)
    return server(CALLEE, tuple(sorted({*_offered, *names})))


def call(
    function: Function,
    argument: bytes | Iterable[bytes | memoryview],
    *,
    stop: threading.Event | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> bytes:
    """Call a function in a process of its own and return what it returns. `progress` is told how far it is, from 0 to 1.

    A large argument is best given in pieces, of which no copy is made.

    Raises:
        CallError: when it returns nothing.
        Stopped: when `stop` was set meanwhile.
    """
    limits = Limits(seconds=function.seconds, memory_mb=function.memory_mb)
    request = CallRequest(function.name, function.output_mb << 20)
    pieces = (argument,) if isinstance(argument, bytes) else tuple(argument)
    collected = _Returned(request, progress)
    job = Job((), False, limits, call=request, hosted=settings().hosted)
    try:
        end = _server(function.name, apart=function.apart).exchange(job, collected, stop, pieces)
    except OSError:  # it cannot be started
        raise CallError("crashed", SILENT) from None
    if collected.failure:
        raise CallError("crashed", collected.failure)
    reply = collected.done
    if isinstance(reply, CallReply) and not collected.trouble:
        if reply.status != "ok":
            raise CallError(reply.status, reply.message)
        return b"".join(collected.output)
    if collected.trouble in ("late", "lost"):
        raise CallError("crashed", SILENT)
    if end is not None and end[1]:
        raise CallError("timeout", f"it took more than {limits.seconds:g} seconds")
    raise CallError("crashed", "the process that works on it ended before it was done")


class _Returned(Collected):
    """What comes back from a call: how far it is, the result in pieces, and how it ended."""

    def __init__(self, request: CallRequest, told: Callable[[float], None]) -> None:
        super().__init__()
        self.request = request
        self.told = told
        self._begin()

    def _begin(self) -> None:
        self.output: list[bytes] = []
        self.room = self.request.output

    def again(self) -> None:
        """Begin anew."""
        super().again()
        self._begin()

    def take(self, kind: bytes, body: bytes) -> None:
        """How far it is, some of the result, or the end."""
        if kind == SHARE:
            self.told(share_of(body))
        elif kind == OUTPUT:
            self.room -= len(body)
            if self.room < 0:
                raise ValueError("more than it may return")
            self.output.append(body)
        elif kind == REPLY:
            reply = decode_call_reply(body)
            check_call_reply(reply)
            self.done = reply
        else:
            raise ValueError("no message of a call")
