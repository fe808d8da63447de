"""The parent's side of the warm server, which forks a child for each job: for Linux, where forking is safe."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ... import limits
from ..transport.call_messages import with_argument
from ..transport.messages import EXIT, KEEP, NOT_STARTED, PROGRAMS, READY, REQUEST, STARTED, Job, SystemLayer, encode
from ..transport.receiver import Collected, Stopped

ROOT = str(Path(__file__).resolve().parents[3])
START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from engine.sandbox.processes.server import main; main(int(sys.argv[2]), *sys.argv[4:], landlocked=sys.argv[3] == 'True')"
)
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "LC_ALL": "C.UTF-8",
}  # fmt: skip
"""All that the sandbox's processes know of ours. BLAS with more than one thread hangs in a child that may not start any."""
SLACK = 5.0
"""Seconds beyond a run's own limit and the server's grace after which the parent gives a run up."""
SIGN = 5.0
"""Seconds within which the server must have begun a run; one that hangs is replaced then."""
ATTENTIVE = 50
"""Milliseconds between looks at whether a run was called off."""
LINES = limits.STUCK.value()
"""Bytes that are read of where a child was stuck."""


class Server:
    """The warm server process and the runs it has under way; used by many threads."""

    def __init__(
        self,
        role: str = PROGRAMS,
        arguments: Sequence[str] = (),
        *,
        landlocked: bool = True,
        python: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start it; tests give the interpreter options, and more of an environment."""
        ours, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            [sys.executable, "-I", *python, "-c", START, ROOT, str(theirs.fileno()), str(landlocked), role, *arguments],
            env=ENVIRONMENT | dict(environment or {}),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )
        theirs.close()
        self.socket = ours
        self.sending = threading.Lock()
        self.waiting: dict[int, Waiting] = {}
        self.numbers = 0
        self.broken = False
        """Whether it has failed to end a run in time."""
        self.layer = SystemLayer(*READY.unpack(self._read(READY.size)))
        self.listener = threading.Thread(target=self._listen, daemon=True, name="gradtape-sandbox")
        self.listener.start()

    @property
    def alive(self) -> bool:
        """Whether the process still does what it should."""
        return not self.broken and self.process.poll() is None and self.listener.is_alive()

    def close(self) -> None:
        """End the process and what it runs."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.1 if self.broken else 2)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def exchange(
        self, job: Job, collected: Collected, stop: threading.Event | None = None, argument: Sequence[bytes | memoryview] = ()
    ) -> tuple[int, bool] | None:
        """Have a child do a job, and collect what it sends; returns the child's exit code and whether it was stopped.

        The bytes of `argument` follow the job of a call.

        Raises:
            Stopped: when `stop` was set meanwhile.
        """
        deadline = time.monotonic() + job.limits.seconds + SLACK
        inward, job_write = os.pipe()
        read, out = os.pipe()
        trace_read, trace = os.pipe()
        try:
            try:
                number, waiting = self._request(job.limits.seconds, [inward, out, trace])
            finally:
                for fd in (inward, out, trace):
                    os.close(fd)
            try:
                sign = time.monotonic() + SIGN
                pieces = [encode(job)] if job.call is None else with_argument(encode(job), argument)
                _write_all(job_write, pieces, lambda: deadline if waiting.started else sign)
                os.close(job_write)
                job_write = -1
                self._collect(collected, read, deadline, number, waiting, stop)
                if collected.done is not None or collected.trouble:
                    self._stop(number)
                elif not waiting.ended.wait(SLACK):
                    collected.trouble = "late"
                elif waiting.end is None:
                    collected.trouble = "lost"
                self.broken |= collected.trouble == "late" and not waiting.ended.is_set()
                if waiting.end is not None and waiting.end[1]:
                    _ask(trace_read, collected)
            finally:
                self.waiting.pop(number, None)
        finally:
            for fd in (job_write, read, trace_read):
                if fd >= 0:
                    os.close(fd)
        if collected.trouble == "stopped":
            raise Stopped
        return waiting.end

    # --- talking to the server ------------------------------------------------------------------------------------------------

    def _request(self, seconds: float, fds: list[int]) -> tuple[int, Waiting]:
        """Ask for a child; returns its number, and where the server will say what becomes of it."""
        waiting = Waiting()
        with self.sending:
            self.numbers += 1
            number = self.numbers
            self.waiting[number] = waiting
            try:
                socket.send_fds(self.socket, [REQUEST.pack(number, seconds)], fds)
            except OSError:
                waiting.ended.set()  # the server has gone
        return number, waiting

    def _stop(self, number: int, how: float = 0.0) -> None:
        """Have the server kill a run, or with `KEEP` end it."""
        with self.sending, contextlib.suppress(OSError):
            self.socket.sendall(REQUEST.pack(number, how))

    def _listen(self) -> None:
        """Pass on the ends of children to those who wait."""
        try:
            while True:
                number, status, stopped = EXIT.unpack(self._read(EXIT.size))
                code = status if status in (STARTED, NOT_STARTED) else os.waitstatus_to_exitcode(status)
                entry = self.waiting.get(number)
                if entry is None:
                    continue
                entry.started = True
                if code != STARTED:
                    entry.end = (code, stopped)
                    entry.ended.set()
        except (OSError, ConnectionError):
            for entry in list(self.waiting.values()):
                entry.ended.set()

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise ConnectionError("the sandbox's server has gone")
            data += part
        return data

    def _collect(
        self, collected: Collected, fd: int, deadline: float, number: int, waiting: Waiting, stop: threading.Event | None
    ) -> None:  # fmt: skip
        """Read until the last message, or until the child has ended, sends what it must not, is too late, or is to stop."""
        source = select.poll()
        source.register(fd, select.POLLIN)
        sign, halted = time.monotonic() + SIGN, False
        while True:
            over = waiting.ended.is_set()
            if collected.control.halt.is_set() and not halted:
                halted = True
                self._stop(number, KEEP)
            if stop is not None and stop.is_set():
                collected.trouble = "stopped"
                return
            if time.monotonic() > (deadline if waiting.started or over else sign):
                collected.trouble = "late"
                return
            if not source.poll(0 if over else ATTENTIVE):
                if over:
                    return  # what the program left behind may hold the pipe open
                continue
            data = os.read(fd, 1 << 20)
            if not data or not collected.feed(data):
                return


class Waiting:
    """A run under way, and what the server has said of it."""

    def __init__(self) -> None:
        self.started = False
        self.ended = threading.Event()
        """Set when there is nothing more to expect: the child has ended, or the server has."""
        self.end: tuple[int, bool] | None = None
        """The child's exit code, and whether it was stopped; None if the server has ended without a word of it."""


def _ask(fd: int, collected: Collected) -> None:
    """Read where a child was stuck, if it could tell."""
    os.set_blocking(fd, False)
    with contextlib.suppress(BlockingIOError):
        collected.stuck = os.read(fd, LINES)


def _writable(target: select.poll, deadline: Callable[[], float]) -> bool:
    """Wait until more can be written; False when that takes too long."""
    while not target.poll(ATTENTIVE):
        if time.monotonic() > deadline():
            return False
    return True


def _write_all(fd: int, pieces: Iterable[bytes | memoryview], deadline: Callable[[], float]) -> None:
    """Write a job for a child, which reads it first of all, unless it or its server has gone."""
    target = select.poll()
    target.register(fd, select.POLLOUT)
    os.set_blocking(fd, False)
    with contextlib.suppress(BrokenPipeError):
        for piece in pieces:
            view = memoryview(piece)
            while view:
                if not _writable(target, deadline):
                    return
                view = view[os.write(fd, view) :]
