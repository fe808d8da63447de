"""The parent's side of single-use workers, which are started ahead of need: for macOS and Windows, where forking is not safe.

There is no system-call filter here, so the system layer does not hold: programs are kept apart by the language layer, by
Python's audit hook, and by having a process each.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence

from ..transport.call_messages import with_argument
from ..transport.messages import NOT_STARTED, PROGRAMS, Job, SystemLayer, encode
from ..transport.receiver import Collected, Stopped
from .forking import ENVIRONMENT, LINES, ROOT

START = "import sys; sys.path.insert(0, sys.argv[1]); from engine.sandbox.processes.worker import main; main(*sys.argv[2:])"
READY = b"R"
"""What a worker says first."""
AHEAD = 2
"""Workers that are ready for the next jobs."""
PATIENCE = 60.0
"""Seconds that a worker may take to get ready on a slow machine."""
ASKED, GRACE = 0.2, 0.35
"""Seconds after a run's own time when a worker is asked where it is stuck, and when it is killed."""
ATTENTIVE = 0.02
"""Seconds between looks at the clock and at whether a run was called off."""
UNDER_WAY = 8
"""Pieces of a result that may wait to be read before the worker has to."""


class Workers:
    """Workers that are ready, and those with a job; used by many threads."""

    layer = SystemLayer()
    alive = True

    def __init__(self, role: str = PROGRAMS, arguments: Sequence[str] = (), *, ahead: int = AHEAD) -> None:
        self._ahead, self._does = ahead, (role, *arguments)
        self._lock = threading.Lock()
        self._ready: deque[Worker] = deque()
        self._working: set[Worker] = set()
        self._closed = False
        self._top_up()

    def exchange(
        self, job: Job, collected: Collected, stop: threading.Event | None = None, argument: Sequence[bytes | memoryview] = ()
    ) -> tuple[int, bool] | None:
        """Have a worker do a job, and collect what it sends; returns its exit code and whether it was stopped.

        The bytes of `argument` follow the job of a call.

        Raises:
            Stopped: when `stop` was set meanwhile.
        """
        try:
            worker = self._take()
        except OSError:
            return NOT_STARTED, False
        threading.Thread(target=self._top_up, daemon=True, name="gradtape-workers").start()
        try:
            return worker.work(job, collected, stop, argument)
        finally:
            worker.end()
            self._working.discard(worker)

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            self._closed = True
            every = [*self._ready, *self._working]
            self._ready.clear()
        for worker in every:
            worker.end()

    def _take(self) -> Worker:
        with self._lock:
            worker = self._ready.popleft() if self._ready else Worker(self._does)
            self._working.add(worker)
            return worker

    def _top_up(self) -> None:
        with self._lock, contextlib.suppress(OSError):
            while not self._closed and len(self._ready) < self._ahead:
                self._ready.append(Worker(self._does))


class Worker:
    """One process, for one job."""

    def __init__(self, does: Sequence[str]) -> None:
        # Without this Windows has no random numbers.
        system = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", START, ROOT, *does],
            env=ENVIRONMENT | system,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self._pieces: queue.Queue[bytes] = queue.Queue(UNDER_WAY)
        self._ended = threading.Event()
        self._reader: threading.Thread | None = None

    def work(
        self, job: Job, collected: Collected, stop: threading.Event | None, argument: Sequence[bytes | memoryview] = ()
    ) -> tuple[int, bool] | None:
        """Do the job."""
        self._reader = threading.Thread(target=self._pump, daemon=True, name="gradtape-worker")
        self._reader.start()
        # The worker says a single byte when it is ready; the time of the run begins then.
        if not self._next(time.monotonic() + PATIENCE, collected, stop):
            return None
        began = time.monotonic()
        self._hand_over([encode(job)] if job.call is None else with_argument(encode(job), argument))
        asked, stopped, until = False, False, job.limits.seconds
        while True:
            deadline = began + until + (GRACE if asked or sys.platform == "win32" else ASKED)
            piece = self._next(deadline, collected, stop, until < job.limits.seconds)
            if piece:
                if not collected.feed(piece):
                    break
            elif collected.trouble == "halt":
                # Where it cannot be told to, it is killed, and what it has sent is kept.
                collected.trouble, until = "", min(time.monotonic() - began, until)
                if sys.platform == "win32":
                    stopped = True
                    self._kill()
                    break
                self.process.send_signal(signal.SIGTERM)
            elif collected.trouble != "late":
                break
            elif not asked and sys.platform != "win32":
                asked, collected.trouble = True, ""
                self.process.send_signal(signal.SIGUSR1)
            else:
                stopped, collected.trouble = True, ""
                self._kill()
                break
        if collected.done is not None or collected.trouble:
            self._kill()
        return self._exit(collected, stopped)

    def end(self) -> None:
        """Kill the process, whatever it does, and let go of it."""
        self._ended.set()
        self._kill()
        self.process.wait()
        if self._reader is not None:
            self._reader.join(1)  # what the program left behind may hold the pipe open
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _hand_over(self, pieces: Iterable[bytes | memoryview]) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError), self.process.stdin as pipe:
            for piece in pieces:
                view = memoryview(piece)
                while view:
                    view = view[pipe.write(view) :]

    def _next(self, deadline: float, collected: Collected, stop: threading.Event | None, told: bool = True) -> bytes:
        """The next bytes; none when the process has closed its end, or for the trouble that is noted.

        Args:
            told: the process knows already if the user wants it to end.
        """
        while True:
            if not told and collected.control.halt.is_set():
                collected.trouble = "halt"
                return b""
            if stop is not None and stop.is_set():
                collected.trouble = "stopped"
                self._kill()
                raise Stopped
            left = deadline - time.monotonic()
            if left <= 0:
                collected.trouble = "late"
                return b""
            with contextlib.suppress(queue.Empty):
                return self._pieces.get(timeout=min(left, ATTENTIVE))

    def _pump(self) -> None:
        """Pass on what the process sends: pipes cannot be waited for with a time limit on every system."""
        assert self.process.stdout is not None
        size, piece = len(READY), READY
        while piece and not self._ended.is_set():
            try:
                piece = os.read(self.process.stdout.fileno(), size)
            except (OSError, ValueError):  # it is closed
                piece = b""
            size = 1 << 20
            self._pass_on(piece)

    def _pass_on(self, piece: bytes) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(queue.Full):
                return self._pieces.put(piece, timeout=ATTENTIVE)

    def _exit(self, collected: Collected, stopped: bool) -> tuple[int, bool] | None:
        """How it ended, and where it was stuck."""
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return None
        if stopped and self.process.stderr is not None:
            collected.stuck = os.read(self.process.stderr.fileno(), LINES)
        return code, stopped

    def _kill(self) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
