"""When what runs programs dies or hangs, that is not the program's fault: the run is done once more, on a server of its own.

Programs have no effects, so doing one again is safe. Several may be under way when a server dies, and perhaps one of them has
killed it. So each is done again on a server that no other run uses: the one that kills servers then kills its own only, and no
other visitor's run is lost a second time. It is done again once, within its own ticket, so that the visitor who asked for it is
charged for both. Until it has come to its end, a program that was under way is given no server but one of its own.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Protocol

from ..transport.messages import Job, encode
from ..transport.receiver import Collected, Stopped

LOG = logging.getLogger("gradtape.sandbox")
LOST = ("late", "lost")
"""Troubles that are not the program's."""
SUSPECTS = 1_000
"""Programs that were under way when a server died, as far as they are remembered."""
ALONE = 2
"""Servers of their own at a time; each is a process of some 80 MB."""
ATTENTIVE = 0.05
"""Seconds between looks at whether a run was called off."""

Exchange = Callable[[Job, Collected, threading.Event | None, Sequence[bytes | memoryview]], tuple[int, bool] | None]


class Server(Protocol):
    """A server."""

    def exchange(
        self, job: Job, collected: Collected, stop: threading.Event | None = None, argument: Sequence[bytes | memoryview] = ()
    ) -> tuple[int, bool] | None:
        """Have a child do a job."""

    def close(self) -> None:
        """End it and what it runs."""


_suspects: OrderedDict[bytes, None] = OrderedDict()
_lock = threading.Lock()
_alone = threading.BoundedSemaphore(ALONE)


def retried(
    exchange: Exchange,
    server: Callable[[], Server],
    job: Job,
    collected: Collected,
    stop: threading.Event | None,
    argument: Sequence[bytes | memoryview] = (),
) -> tuple[int, bool] | None:
    """Have a job done by `exchange`; if that fails for reasons that are not the program's, once more on a `server` of its own.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    program = _name(job, argument)
    if program not in _suspects:
        end = exchange(job, collected, stop, argument)
        if collected.trouble not in LOST:
            return end
        if collected.control.halt.is_set():
            return _halted(collected)
        _suspect(program)
        LOG.warning("the server that runs programs %s; a run is done once more", _what(collected))
        collected.again()
    with _turn(stop):
        try:
            own = server()
        except OSError:
            collected.trouble = "lost"
            return None
        try:
            end = own.exchange(job, collected, stop, argument)
        finally:
            own.close()
    if collected.trouble not in LOST:
        with _lock:
            _suspects.pop(program, None)
        return end
    if collected.control.halt.is_set():
        return _halted(collected)
    LOG.error("a server of its own %s, too; the run is given up", _what(collected))
    return None


def _name(job: Job, argument: Sequence[bytes | memoryview]) -> bytes:
    """What tells one program from others, or one call."""
    told = sha256(encode((job.cells, job.call)))
    for piece in argument:
        told.update(piece)
    return told.digest()


def _halted(collected: Collected) -> tuple[int, bool]:
    """The end of a run that the user has stopped, and of which nothing more will come."""
    collected.trouble = ""
    return -signal.SIGTERM, True


def _what(collected: Collected) -> str:
    return "has died" if collected.trouble == "lost" else "does not answer"


def _suspect(program: bytes) -> None:
    with _lock:
        _suspects[program] = None
        while len(_suspects) > SUSPECTS:
            _suspects.popitem(last=False)


@contextlib.contextmanager
def _turn(stop: threading.Event | None) -> Iterator[None]:
    """Wait until there is room for another server of its own."""
    while not _alone.acquire(timeout=ATTENTIVE):
        if stop is not None and stop.is_set():
            raise Stopped
    try:
        yield
    finally:
        _alone.release()
