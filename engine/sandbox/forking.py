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
from pathlib import Path

from engine.sandbox.collected import Collected, Stopped
from engine.sandbox.messages import EXIT, NOT_STARTED, READY, REQUEST, Job, SystemLayer, encode

ROOT = str(Path(__file__).resolve().parents[2])
START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from engine.sandbox.server import main; main(int(sys.argv[2]), landlocked=sys.argv[3] == 'True')"
)
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "LC_ALL": "C.UTF-8",
}  # fmt: skip
"""All that the sandbox's processes know of ours. BLAS with more than one thread hangs in a child that may not start any."""
SLACK = 5.0
"""Seconds beyond a run's own limit and the server's grace after which the parent gives a run up."""
ATTENTIVE = 50
"""Milliseconds between looks at whether a run was called off."""
LINES = 8_192
"""Bytes that are read of where a child was stuck."""


class Server:
    """The warm server process and the runs it has under way; used by many threads."""

    def __init__(self, *, landlocked: bool = True) -> None:
        ours, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", START, ROOT, str(theirs.fileno()), str(landlocked)],
            env=ENVIRONMENT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )
        theirs.close()
        self.socket = ours
        self.sending = threading.Lock()
        self.waiting: dict[int, tuple[threading.Event, list[tuple[int, bool]]]] = {}
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

    def exchange(self, job: Job, collected: Collected, stop: threading.Event | None = None) -> tuple[int, bool] | None:
        """Have a child do a job, and collect what it sends; returns the child's exit code and whether it was stopped.

        Raises:
            Stopped: when `stop` was set meanwhile.
        """
        deadline = time.monotonic() + job.limits.seconds + SLACK
        inward, job_write = os.pipe()
        read, out = os.pipe()
        trace_read, trace = os.pipe()
        try:
            try:
                number, ended, ends = self._request(job.limits.seconds, [inward, out, trace])
            finally:
                for fd in (inward, out, trace):
                    os.close(fd)
            try:
                _write_all(job_write, encode(job), deadline)
                os.close(job_write)
                job_write = -1
                self._collect(collected, read, deadline, ended, stop)
                if collected.done is not None or collected.trouble:
                    self._stop(number)
                elif not ended.wait(SLACK):
                    collected.trouble = "late"
                self.broken |= collected.trouble == "late" and not ended.is_set()
                if ends and ends[0][1]:
                    _ask(trace_read, collected)
            finally:
                self.waiting.pop(number, None)
        finally:
            for fd in (job_write, read, trace_read):
                if fd >= 0:
                    os.close(fd)
        if collected.trouble == "stopped":
            raise Stopped
        return ends[0] if ends else None

    # --- talking to the server ------------------------------------------------------------------------------------------------

    def _request(self, seconds: float, fds: list[int]) -> tuple[int, threading.Event, list[tuple[int, bool]]]:
        """Ask for a child; returns its number, what is set when it has ended, and where it will say how."""
        ended, ends = threading.Event(), list[tuple[int, bool]]()
        with self.sending:
            self.numbers += 1
            number = self.numbers
            self.waiting[number] = (ended, ends)
            try:
                socket.send_fds(self.socket, [REQUEST.pack(number, seconds)], fds)
            except OSError:
                ended.set()  # the server has gone
        return number, ended, ends

    def _stop(self, number: int) -> None:
        """Have the server kill a run."""
        with self.sending, contextlib.suppress(OSError):
            self.socket.sendall(REQUEST.pack(number, 0.0))

    def _listen(self) -> None:
        """Pass on the ends of children to those who wait."""
        try:
            while True:
                number, status, stopped = EXIT.unpack(self._read(EXIT.size))
                code = status if status == NOT_STARTED else os.waitstatus_to_exitcode(status)
                entry = self.waiting.get(number)
                if entry is not None:
                    entry[1].append((code, stopped))
                    entry[0].set()
        except (OSError, ConnectionError):
            for event, _ in list(self.waiting.values()):
                event.set()

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise ConnectionError("the sandbox's server has gone")
            data += part
        return data

    def _collect(
        self, collected: Collected, fd: int, deadline: float, ended: threading.Event, stop: threading.Event | None
    ) -> None:  # fmt: skip
        """Read until the last message, or until the child has ended, sends what it must not, is too late, or is to stop."""
        source = select.poll()
        source.register(fd, select.POLLIN)
        while True:
            over = ended.is_set()
            if stop is not None and stop.is_set():
                collected.trouble = "stopped"
                return
            if time.monotonic() > deadline:
                collected.trouble = "late"
                return
            if not source.poll(0 if over else ATTENTIVE):
                if over:
                    return  # what the program left behind may hold the pipe open
                continue
            data = os.read(fd, 1 << 20)
            if not data or not collected.feed(data):
                return


def _ask(fd: int, collected: Collected) -> None:
    """Read where a child was stuck, if it could tell."""
    os.set_blocking(fd, False)
    with contextlib.suppress(BlockingIOError):
        collected.stuck = os.read(fd, LINES)


def _write_all(fd: int, data: bytes, deadline: float) -> None:
    """Write a job for a child, which reads it first of all, unless it or its server has gone."""
    view = memoryview(data)
    target = select.poll()
    target.register(fd, select.POLLOUT)
    os.set_blocking(fd, False)
    with contextlib.suppress(BrokenPipeError):
        while view and target.poll(max(0, 1000 * (deadline - time.monotonic()))):
            view = view[os.write(fd, view) :]
