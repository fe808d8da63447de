"""Deadlines of threads: a thread that has used the processor for too long is interrupted, wherever in Python it is.

Python lets one thread raise an exception in another one, at its next instruction. A thread in the middle of a function in C
gets it when that returns, so what may take long in C has to be bounded by what it is given.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

LOOK = 0.05
"""Seconds between two looks at threads with a deadline."""
AGAIN = 1.0
"""Seconds of the processor after which a thread that has caught its interruption gets another one."""


class Over(BaseException):
    """The thread's time is up. No `except Exception` keeps it."""


class Deadline:
    """While it is entered, its thread may use the processor for some seconds; then it is interrupted with `Over`."""

    def __init__(self, seconds: float, on_over: Callable[[], None] | None = None) -> None:
        self._seconds = seconds
        self._on_over = on_over or _nothing
        self._over = False
        self._thread = 0
        self._clock = 0
        self._ends = 0.0

    def __enter__(self) -> Deadline:
        self._thread = threading.get_ident()
        # Where the system has no clock for single threads, time is what passes.
        of_thread = getattr(time, "pthread_getcpuclockid", None)
        self._clock = of_thread(self._thread) if of_thread is not None else getattr(time, "CLOCK_MONOTONIC", 1)
        self._ends = self._now() + self._seconds
        _watch.add(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        # The interruption may come while this is under way, but not after `remove`.
        try:
            _watch.remove(self)
        except Over:
            _watch.remove(self)
            raise
        finally:
            self._on_over = _nothing  # else it and what it calls hold each other

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What the thread does meanwhile does not count, and it is not interrupted."""
        _watch.remove(self)
        left = self._ends - self._now()
        try:
            yield
        finally:
            self._ends = self._now() + left
            _watch.add(self)

    def look(self) -> None:
        """Interrupt the thread if its time is up; the watch has seen to it that it is still there."""
        now = self._now()
        if now < self._ends:
            return
        self._ends = now + AGAIN
        if not self._over:
            self._over = True
            self._on_over()
        _raise(self._thread, Over)

    def settle(self) -> None:
        """The thread is past what had a deadline: an interruption that has not come yet comes here.

        Python can take one back, but it then goes on looking for it at every call and every turn of a loop of every thread
        (before 3.13, and 3.11 hangs as soon as a profiler is set).
        """
        if self._over:
            with contextlib.suppress(Over):
                _raise(self._thread, Over)  # in the place of one that is on its way
                while True:
                    pass

    def _now(self) -> float:
        return time.clock_gettime(self._clock) if hasattr(time, "clock_gettime") else time.monotonic()


def _nothing() -> None:
    """Where nothing is to be done."""


def _raise(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


class _Watch:
    """One thread that looks at all deadlines, as long as there are any."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._deadlines: list[Deadline] = []
        self._started = False

    def add(self, deadline: Deadline) -> None:
        with self._changed:
            self._deadlines.append(deadline)
            if not self._started:
                self._started = True
                threading.Thread(target=self._go_on, daemon=True, name="gradtape-deadlines").start()
            self._changed.notify()

    def remove(self, deadline: Deadline) -> None:
        with self._changed:
            if deadline in self._deadlines:
                self._deadlines.remove(deadline)
            deadline.settle()

    def _go_on(self) -> None:
        while True:
            with self._changed:
                while not self._deadlines:
                    self._changed.wait()
                for deadline in self._deadlines:
                    deadline.look()
            time.sleep(LOOK)


_watch = _Watch()
