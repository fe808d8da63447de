"""The parent's side: hands programs to the warm server and puts results together, trusting nothing that comes back."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from engine.program import Program
from engine.recording.events import Printed
from engine.recording.recording import Recording
from engine.recording.store import RecordingError
from engine.sandbox.messages import (
    EXIT,
    REQUEST,
    Batch,
    CellResult,
    Done,
    Frames,
    Job,
    Limits,
    RunError,
    decode_batch,
    decode_done,
    encode,
)

ROOT = str(Path(__file__).resolve().parents[2])
START = "import sys; sys.path.insert(0, sys.argv[1]); from engine.sandbox.server import main; main(int(sys.argv[2]))"
SLACK = 5.0
"""Seconds beyond a run's own limit and the server's grace after which the parent gives a run up."""
MAX_RESULT = 512 * 2**20
"""Bytes of one run's result."""

STATUSES = ("ok", "error", "timeout", "memory", "policy", "too_large", "crashed")


class RunResult(msgspec.Struct, frozen=True):
    """What became of a run."""

    status: str
    """"ok", "error", "timeout", "memory", "policy", "too_large" or "crashed"."""
    output: str
    """What the program printed, warnings included, as a terminal would show it."""
    error: RunError | None
    cells: list[CellResult]
    recording: Recording | None
    seconds: float


def run(source: str | Program, limits: Limits = Limits()) -> RunResult:  # noqa: B008  (frozen)
    """Run a program in a process of its own and return what happened; never raises for what the program does."""
    program = Program.from_text(source) if isinstance(source, str) else source
    return server().run(program, limits)


class Server:
    """The warm server process and the runs it has under way; used by many threads."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        environment = {
            "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "LC_ALL": "C.UTF-8",
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", START, ROOT, str(theirs.fileno())],
            env=environment,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        self.socket = ours
        self.sending = threading.Lock()
        self.waiting: dict[int, tuple[threading.Event, list[tuple[int, bool]]]] = {}
        self.numbers = 0
        self._read(EXIT.size)
        self.listener = threading.Thread(target=self._listen, daemon=True, name="gradtape-sandbox")
        self.listener.start()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.poll() is None and self.listener.is_alive()

    def close(self) -> None:
        """End the process and what it runs."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise ConnectionError("the sandbox's server has gone")
            data += part
        return data

    def _listen(self) -> None:
        """Pass on the ends of children to those who wait."""
        try:
            while True:
                number, status, stopped = EXIT.unpack(self._read(EXIT.size))
                entry = self.waiting.get(number)
                if entry is not None:
                    entry[1].append((status, bool(stopped)))
                    entry[0].set()
        except (OSError, ConnectionError):
            for event, _ in list(self.waiting.values()):
                event.set()

    def run(self, program: Program, limits: Limits) -> RunResult:
        """One run."""
        began = time.monotonic()
        collected = _Collected(program)
        end = self.exchange(Job(program.cells, program.notebook, limits), collected)
        return collected.result(end, time.monotonic() - began)

    def exchange(self, job: Job, collected: Collected) -> tuple[int, bool] | None:
        """Have a child do a job, and collect what it sends; returns the child's wait status and whether it was stopped."""
        began, limits = time.monotonic(), job.limits
        job_read, job_write = os.pipe()
        read, write = os.pipe()
        try:
            with self.sending:
                self.numbers += 1
                number = self.numbers
                ended = threading.Event()
                ends: list[tuple[int, bool]] = []
                self.waiting[number] = (ended, ends)
                socket.send_fds(self.socket, [REQUEST.pack(number, limits.seconds, 0)], [job_read, write])
            os.close(job_read)
            os.close(write)
            job_read = write = -1
            _write_all(job_write, encode(job))
            os.close(job_write)
            job_write = -1
            collected.read(read, began + limits.seconds + SLACK, ended)
            if collected.trouble:
                self._stop(number)
            ended.wait(SLACK)
            return ends[0] if ends else None
        finally:
            self.waiting.pop(number, None)
            for fd in (job_read, job_write, read, write):
                if fd >= 0:
                    os.close(fd)

    def _stop(self, number: int) -> None:
        """Have the server kill a run."""
        with self.sending, contextlib.suppress(OSError):
            self.socket.sendall(REQUEST.pack(number, 0.0, 0))


class Collected:
    """What has come back from a child so far."""

    def __init__(self) -> None:
        self.done: Any = None
        """The last message, after which none may follow."""
        self.trouble = ""
        """Why reading stopped before the child closed its end: "late" or "nonsense"."""

    def take(self, kind: bytes, body: bytes) -> None:
        """Take a message; ValueError or MsgspecError for one that no honest child sends."""
        raise NotImplementedError

    def read(self, fd: int, deadline: float, ended: threading.Event) -> None:
        """Read until the child closes its end or has ended, sends what it must not, sends too much, or is too late."""
        source = select.poll()
        source.register(fd, select.POLLIN)
        frames = Frames()
        total = 0
        while True:
            over = ended.is_set()
            if not source.poll(50):
                if over:
                    return  # what the program left behind may hold the pipe open
                if time.monotonic() > deadline:
                    self.trouble = "late"
                    return
                continue
            data = os.read(fd, 1 << 20)
            if not data:
                return
            total += len(data)
            try:
                if total > MAX_RESULT or self.done is not None:
                    raise ValueError("more than an honest child sends")
                for kind, body in frames.feed(data):
                    self.take(kind, body)
            except (ValueError, msgspec.MsgspecError, RecursionError):
                self.trouble = "nonsense"
                return


class _Collected(Collected):
    """What has come back from a run."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.recording = Recording(source=program.cells)

    def take(self, kind: bytes, body: bytes) -> None:
        """A batch of the recording, or the end."""
        if kind == b"B":
            self._take(decode_batch(body))
        elif kind == b"D":
            self.done = decode_done(body)
        else:
            raise ValueError("no message of a run")

    def _take(self, batch: Batch) -> None:
        r = self.recording
        r.events.extend(batch.events)
        r.sites.extend(batch.sites)
        r.scopes.extend(batch.scopes)
        r.arrays.extend(batch.arrays)
        r.ops.update((op.name, op) for op in batch.ops)

    def result(self, end: tuple[int, bool] | None, seconds: float) -> RunResult:
        """The result, as far as it can be believed."""
        done: Done | None = self.done
        recording: Recording | None = self.recording
        try:
            self.recording.check()
        except RecordingError:
            recording, self.trouble = None, "nonsense"
        events = recording.events if recording is not None else []
        output = "".join(e.text for e in events if isinstance(e, Printed))
        if not self.trouble and done is not None and done.status in STATUSES:
            return RunResult(done.status, output, done.error, done.cells, recording, done.seconds)
        status, error = _ended(end, self.trouble)
        return RunResult(status, output, error, [], recording, seconds)


def _ended(end: tuple[int, bool] | None, trouble: str) -> tuple[str, RunError]:
    """Status and error of a child that did not say how it ended."""
    if trouble == "nonsense":
        return "crashed", RunError("Crash", "the program's process sent nothing that makes sense")
    if end is not None and end[1]:
        return "timeout", RunError("TimeoutError", "the program did not stop in time and was killed")
    if end is not None and os.WIFSIGNALED(end[0]):
        import signal

        name = signal.Signals(os.WTERMSIG(end[0])).name
        return "crashed", RunError("Crash", f"the program's process was ended by {name}")
    if end is not None and os.WIFEXITED(end[0]):
        code = os.WEXITSTATUS(end[0])
        return "crashed", RunError("Crash", f"the program ended its own process (exit code {code})")
    return "crashed", RunError("Crash", "the program's process sent nothing that makes sense")


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    with contextlib.suppress(BrokenPipeError):
        while view:
            view = view[os.write(fd, view) :]


_lock = threading.Lock()
_running: Server | None = None


def server() -> Server:
    """The server, started on first use and again if it has died.

    Raises:
        RuntimeError: on Windows, where there is no fork.
    """
    global _running
    with _lock:
        if _running is None or not _running.alive:
            if not hasattr(os, "fork"):
                raise RuntimeError("Gradtape runs programs in forked processes, which this system does not have")
            if _running is not None:
                _running.close()
            _running = Server()
    return _running


@atexit.register
def stop() -> None:
    """End the server; the next run starts a new one."""
    global _running
    with _lock:
        if _running is not None:
            _running.close()
            _running = None
