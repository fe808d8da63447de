"""The parent's side: hands programs to this machine's sandbox or to a cluster's, and never runs or compiles a word of them."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import time
from functools import cache
from typing import Any, Protocol

from engine.program import Program
from engine.sandbox.collected import Collected, CollectedRun, RunResult, Stopped
from engine.sandbox.messages import Job, Layers, Limits, SystemLayer
from engine.sandbox.settings import settings

__all__ = [
    "Backend", "Collected", "Local", "RunResult", "Stopped", "backend", "isolated", "job_for", "refusal", "run", "server",
    "stop",
]  # fmt: skip

LOG = logging.getLogger("gradtape.sandbox")
REFUSAL = (
    "This is a public installation of Gradtape, and the machine it is on lacks the system-call filter (seccomp) that keeps "
    "visitors' programs apart from everything else. No program runs here until it has one."
)
HELP = "The operator can move it to a Linux machine with seccomp, or run it locally without GRADTAPE_HOSTED."


class Backend(Protocol):
    """Where children do jobs: on this machine, or on the workers of a cluster."""

    def exchange(self, job: Job, collected: Collected, stop: threading.Event | None = None) -> tuple[int, bool] | None:
        """Have a child do a job, and collect what it sends; returns the child's exit code and whether it was stopped.

        Raises:
            Stopped: when `stop` was set meanwhile.
        """


class Local(Backend, Protocol):
    """A sandbox on this machine."""

    layer: SystemLayer

    @property
    def alive(self) -> bool:
        """Whether it can do another job."""

    def close(self) -> None:
        """End it and what it runs."""


def run(
    source: str | Program,
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    *,
    stop: threading.Event | None = None,
    layers: Layers = Layers(),  # noqa: B008  (frozen)
) -> RunResult:
    """Run a program in a process of its own and return what happened; never raises for what the program does.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    program = Program.from_text(source) if isinstance(source, str) else source
    began = time.monotonic()
    collected = CollectedRun(program, limits)
    end = backend().exchange(job_for(program, limits, layers=layers), collected, stop)
    return collected.result(end, time.monotonic() - began)


def job_for(program: Program, limits: Limits, **more: Any) -> Job:
    """What a child is given, which says how this installation is set up."""
    return Job(program.cells, program.notebook, limits, hosted=settings().hosted, **more)


def backend() -> Backend:
    """The cluster that the settings name; without one, this machine's sandbox."""
    if settings().scheduler:
        from engine.cluster.backend import cluster

        return cluster()
    return server()


def refusal() -> str:
    """Why no program runs here at all, in words for visitors; "" where they do."""
    return REFUSAL if settings().hosted and not settings().scheduler and not server().layer.seccomp else ""


def isolated() -> bool:
    """Whether the system layer holds where programs run, so that a stranger's may start unasked."""
    # The machines of a cluster refuse what is marked as hosted unless it holds there.
    return settings().hosted if settings().scheduler else server().layer.seccomp


class Guarded:
    """Whether this machine may do a job at all is looked at here, by whoever forks or starts its processes."""

    def __init__(self, local: Local) -> None:
        self.local = local
        self.layer = local.layer

    @property
    def alive(self) -> bool:
        return self.local.alive

    def close(self) -> None:
        self.local.close()

    def exchange(self, job: Job, collected: Collected, stop: threading.Event | None = None) -> tuple[int, bool] | None:
        hosted = job.hosted or settings().hosted
        if hosted and not (self.layer.seccomp and job.layers == Layers()):
            collected.failure, collected.help = REFUSAL, HELP
            return None
        return self.local.exchange(job, collected, stop)


_lock = threading.Lock()
_running: Guarded | None = None


def server() -> Guarded:
    """This machine's sandbox, started on first use and again if it has died."""
    global _running
    with _lock:
        if _running is None or not _running.alive:
            if _running is not None:
                _running.close()
            _running = Guarded(_start())
    return _running


def _start() -> Local:
    # Forking a process that has loaded Apple's libraries is not safe, and Windows has no fork.
    if hasattr(os, "fork") and sys.platform != "darwin":
        from engine.sandbox.forking import Server

        local: Local = Server()
    else:
        from engine.sandbox.spawning import Workers

        local = Workers()
    if not local.layer.seccomp:
        _say_so()
    return local


@cache
def _say_so() -> None:
    LOG.warning("this system has no system-call filter: programs are kept apart by the language layer only")


@atexit.register
def stop() -> None:
    """End the sandbox; the next run starts a new one."""
    global _running
    with _lock:
        if _running is not None:
            _running.close()
            _running = None
