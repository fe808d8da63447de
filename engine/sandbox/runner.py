"""The parent's side: hands programs to this machine's sandbox, or to another one, and never runs or compiles a word of them."""

from __future__ import annotations

import atexit
import logging
import os
import secrets
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

from ..program import Program
from ..recording.thinning import Window
from ..slots import slots
from .processes.retrying import retried
from .settings import settings
from .system import faults
from .transport.messages import PROGRAMS, Job, Layers, Limits, SystemLayer
from .transport.receiver import Collected, CollectedRun, Control, RunResult, Stopped

__all__ = [
    "Backend", "Collected", "Control", "Local", "RunResult", "Stopped", "backend", "isolated", "job_for", "refusal", "run",
    "server", "stop",
]  # fmt: skip

LOG = logging.getLogger("gradtape.sandbox")
REFUSAL = (
    "This is a public installation of Gradtape, and the machine it is on lacks the system-call filter (seccomp) that keeps "
    "visitors' programs apart from everything else. No program runs here until it has one."
)
FAULTY = (
    "This is a public installation of Gradtape, and its Python has a fault by which a program could get at memory that is not "
    "its own: {}. No program runs here until Python or NumPy is a version without it."
)
HELP = "The operator can move it to a Linux machine with seccomp, or run it locally without GRADTAPE_HOSTED."


class Backend(Protocol):
    """Where children do jobs: on this machine, or elsewhere."""

    def exchange(self, job: Job, collected: Collected, stop: threading.Event | None = None) -> tuple[int, bool] | None:
        """Have a child do a job, and collect what it sends; returns the child's exit code and whether it was stopped.

        Raises:
            Stopped: when `stop` was set meanwhile.
        """


class Local(Protocol):
    """A sandbox on this machine."""

    layer: SystemLayer

    @property
    def alive(self) -> bool:
        """Whether it can do another job."""

    def exchange(
        self, job: Job, collected: Collected, stop: threading.Event | None = None, argument: Sequence[bytes | memoryview] = ()
    ) -> tuple[int, bool] | None:
        """As a backend's; the bytes of `argument` follow the job of a call."""

    def close(self) -> None:
        """End it and what it runs."""


def run(
    source: str | Program,
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    *,
    stop: threading.Event | None = None,
    control: Control | None = None,
    layers: Layers = Layers(),  # noqa: B008  (frozen)
    window: Window | None = None,
    seed: int | None = None,
) -> RunResult:
    """Run a program in a process of its own and return what happened; never raises for what the program does.

    Args:
        stop: set to call the run off.
        control: tells how far the run is, and lets it be ended so that what it has recorded is kept.
        window: the iterations of a loop that are wanted whole; what is before them is recorded as little as possible, and
            after them the run ends.
        seed: what the random numbers begin with where the program does not say; that of an earlier run's recording has it
            run again as it ran.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    program = Program.from_text(source) if isinstance(source, str) else source
    began = time.monotonic()
    seed = secrets.randbits(32) if seed is None else seed
    collected = CollectedRun(program, limits, control, seed)
    end = backend().exchange(job_for(program, limits, layers=layers, window=window, seed=seed), collected, stop)
    return collected.result(end, time.monotonic() - began)


def job_for(program: Program, limits: Limits, **more: Any) -> Job:
    """What a child is given, which says how this installation is set up."""
    return Job(
        program.cells, program.notebook, limits, hosted=settings().hosted, name=program.name, files=program.files,
        arguments=program.arguments, release=program.release or settings().release, **more,
    )  # fmt: skip


def backend() -> Backend:
    """This machine's sandbox, unless programs go elsewhere."""
    away: Backend | None = slots.elsewhere()
    return server() if away is None else away


def refusal() -> str:
    """Why no program runs here at all, in words for visitors; "" where they do."""
    return _unfit(server().layer) if settings().hosted and slots.elsewhere() is None else ""


def _unfit(layer: SystemLayer) -> str:
    """Why this machine may not run strangers' programs, "" if it may."""
    if not layer.seccomp:
        return REFUSAL
    open_ = faults.standing()
    return FAULTY.format("; ".join(open_)) if open_ else ""


def isolated() -> bool:
    """Whether the system layer holds where programs run, so that a stranger's may start unasked."""
    # The machines of a cluster refuse what is marked as hosted unless it holds there.
    return server().layer.seccomp if slots.elsewhere() is None else settings().hosted


class Guarded:
    """Whether this machine may do a job at all is looked at here, in the process that forks or starts its children."""

    def __init__(self, local: Local, another: Callable[[], Local] | None = None) -> None:
        self.local = local
        self.layer = local.layer
        self.another = another or (lambda: _start(PROGRAMS, ()))
        """Starts one more of the same."""

    @property
    def alive(self) -> bool:
        return self.local.alive

    def close(self) -> None:
        self.local.close()

    def exchange(
        self, job: Job, collected: Collected, stop: threading.Event | None = None, argument: Sequence[bytes | memoryview] = ()
    ) -> tuple[int, bool] | None:
        hosted = job.hosted or settings().hosted
        if hosted and (job.layers != Layers() or _unfit(self.layer)):
            collected.failure, collected.help = _unfit(self.layer) or REFUSAL, HELP
            return None
        return retried(self.local.exchange, self.another, job, collected, stop, argument)


_locks: defaultdict[tuple[str, ...], threading.Lock] = defaultdict(threading.Lock)
"""One for each role, so that no role waits while the sandbox for another one starts."""
_running: dict[tuple[str, ...], Guarded] = {}


def server(role: str = PROGRAMS, arguments: Sequence[str] = ()) -> Guarded:
    """This machine's sandbox for programs, or for another role; started on first use and again if it has died."""
    does = (role, *arguments)
    with _locks[does]:
        found = _running.get(does)
        if found is None or not found.alive:
            if found is not None:
                found.close()
            found = _running[does] = Guarded(_start(role, arguments), lambda: _start(role, arguments))
    return found


def _start(role: str, arguments: Sequence[str]) -> Local:
    # Forking a process that has loaded Apple's libraries is not safe, and Windows has no fork.
    if settings().hosted and slots.elsewhere() is None:
        faults.look()
    if hasattr(os, "fork") and sys.platform != "darwin":
        from .processes.forking import Server

        local: Local = Server(role, arguments)
    else:
        from .processes.spawning import Workers

        local = Workers(role, arguments)
    if not local.layer.seccomp:
        _say_so()
    return local


@cache
def _say_so() -> None:
    LOG.warning("this system has no system-call filter: programs are kept apart by the language layer only")


@atexit.register
def stop() -> None:
    """End the sandbox; the next run starts a new one."""
    while _running:
        _running.popitem()[1].close()
