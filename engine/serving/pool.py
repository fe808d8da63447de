"""Who runs next: a bounded pool of threads, shared fairly among visitors whatever their programs do.

How long a program takes is known only when it has run. So every run begins as a quick one; one that goes on beyond `QUICK`
seconds moves to the slots for long ones if there is room, and else, as soon as another waits, it is stopped and starts again
when a long slot is free: programs have no effects, so that costs nothing but time. However many visitors loop for ever, a quick
program waits at most until the next quick slot is freed, which is `QUICK` seconds away. Within a queue the order is that of
arrival, later by the time that the visitor's programs have used of late.
"""

from __future__ import annotations

import threading
import time
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar

from ..sandbox.settings import settings
from . import metrics
from .elsewhere import elsewhere

T = TypeVar("T")

QUICK = 0.4
"""Seconds after which a run is a long one."""
FORGIVEN = 20.0
"""Seconds after which half of the time that a visitor has used is forgotten."""
NEXT = 1.0
"""Seconds by which each run that a visitor has pending puts off the visitor's next one."""
REMEMBERED = 1000
"""Visitors whose used time is kept before those with next to none are forgotten."""

Clock = Callable[[], float]


class Busy(RuntimeError):
    """There is no room for another run; the message says what to do."""


class Cancelled(Exception):
    """The run was cancelled."""


@dataclass(eq=False)
class Ticket(Generic[T]):
    """A position in the queue, then a run under way, then its result."""

    session: str
    work: Callable[[threading.Event], T] = field(repr=False)
    wanted: Callable[[], bool] = field(repr=False)
    long: bool
    pool: Pool = field(repr=False)
    submitted: float
    turn: float
    """Tickets that wait are served in the order of their turns, the smallest first; in seconds."""
    stop: threading.Event = field(default_factory=threading.Event, repr=False)
    done: threading.Event = field(default_factory=threading.Event, repr=False)
    began: float | None = None
    """When it began to run, on the pool's clock; None while it waits."""
    ended: float | None = None
    waited: float = 0.0
    """Seconds in the queue; from being put back on, those in the second one too."""
    displaced: bool = False
    """Stopped to make room, so that it will start again."""
    cancelled: bool = False
    value: Any = field(default=None, repr=False)
    failure: BaseException | None = field(default=None, repr=False)

    @property
    def finished(self) -> bool:
        """Whether there is a result, or will never be one."""
        return self.done.is_set()

    @property
    def position(self) -> int:
        """0 while it runs and afterwards, k for the k-th in its queue."""
        return self.pool.position(self)

    @property
    def seconds(self) -> float:
        """How long it has run."""
        began = self.began
        return 0.0 if began is None else (self.pool.clock() if self.ended is None else self.ended) - began

    def cancel(self) -> None:
        """Take it out of the queue, or stop it; nothing happens when it has finished."""
        self.pool.cancel(self)

    def release(self) -> None:
        """Let go of what the work holds and what came of it, once it has finished."""
        self.work, self.value, self.failure = _nothing, None, None

    def result(self, timeout: float | None = None) -> T:
        """What the work returned, or raise what it raised.

        Raises:
            TimeoutError: when it has not finished after `timeout` seconds.
            Cancelled: when it was cancelled.
        """
        if not self.done.wait(timeout):
            raise TimeoutError
        if self.cancelled:
            raise Cancelled
        if self.failure is not None:
            raise self.failure
        found: T = self.value
        return found


def _nothing(stop: threading.Event) -> Any:
    """The work of a ticket that nobody waits for any more."""


class Pool:
    """Slots for runs, the two queues before them, and what each visitor has used of late."""

    def __init__(
        self,
        slots: int,
        queue: int,
        per_session: int,
        *,
        clock: Clock = time.monotonic,
        observer: metrics.Metrics | None = None,
    ) -> None:
        self.queue, self.per_session, self.clock, self.observer = max(1, queue), max(1, per_session), clock, observer
        self._changed = threading.Condition()
        self._quick: list[Ticket[Any]] = []
        self._long: list[Ticket[Any]] = []
        self._running: list[Ticket[Any]] = []
        self._used: dict[str, tuple[float, float]] = {}
        """Session -> seconds used, as of when."""
        self._threads = 0
        self._closed = False
        self.resize(slots)

    # --- for those who want something run -----------------------------------------------------------------------------------

    def submit(
        self,
        session: str,
        work: Callable[[threading.Event], T],
        *,
        long: bool = False,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Ticket[T]:
        """Queue work, which gets an event that is set when it should stop (it raises then, whatever it likes).

        Args:
            long: known to take long, such as a numerical check: it waits for a long slot at once, and is never started twice.
            wanted: asked before it starts; False counts it as cancelled.

        Raises:
            Busy: when too many wait, or too many of this session.
        """
        with self._changed:
            pending = sum(t.session == session and not t.cancelled for t in (*self._running, *self._quick, *self._long))
            try:
                self._admit(pending, self._long if long else self._quick)
            except Busy:
                if self.observer is not None:
                    self.observer.refused(self.waiting)
                raise
            now = self.clock()
            turn = now + self._used_by(session, now) + NEXT * pending
            ticket = Ticket(session, work, wanted, long, self, now, turn)
            self._wait_in_line(ticket)
            self._start_thread()
            self._changed.notify()
        return ticket

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._quick) + len(self._long)

    @property
    def running(self) -> int:
        """How many run."""
        return len(self._running)

    @property
    def idle(self) -> int:
        """How many slots are free, the caller's own among them; at least that one."""
        return max(1, self.slots - self.running + 1) if self.running else self.slots

    def resize(self, slots: int) -> None:
        """Have another number of slots from now on."""
        with self._changed:
            self.slots = max(2, slots)
            self.long_slots = self.slots // 2
            self.quick_slots = self.slots - self.long_slots
            self._changed.notify_all()

    def position(self, ticket: Ticket[Any]) -> int:
        """The ticket's position in its queue, from 1; 0 when it does not wait."""
        with self._changed:
            line = self._long if ticket.long else self._quick
            return line.index(ticket) + 1 if ticket in line else 0

    def cancel(self, ticket: Ticket[Any]) -> None:
        """Cancel a run, waiting or under way."""
        with self._changed:
            if ticket.finished:
                return
            ticket.cancelled = True
            for line in (self._quick, self._long):
                if ticket in line:
                    line.remove(ticket)
            ticket.stop.set()
            self._finish(ticket)

    def tick(self) -> None:
        """Look at the clock now."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """Cancel everything and let the threads end."""
        for ticket in (*self._quick, *self._long, *self._running):
            ticket.cancel()
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    # --- the threads --------------------------------------------------------------------------------------------------------

    def _start_thread(self) -> None:
        """One thread more, up to one more than there are slots: that one is never busy, so it can watch the clock."""
        if self._threads <= self.slots:
            self._threads += 1
            threading.Thread(target=self._serve, daemon=True, name=f"gradtape-run-{self._threads}").start()

    def _serve(self) -> None:
        """Run one after the other. Of the idle threads one is woken at a time: they would all contend for the interpreter."""
        while True:
            with self._changed:
                while (ticket := self._next()) is None:
                    if self._closed:
                        return
                    self._changed.wait(self._until_somebody_moves())
                if self.waiting:
                    self._changed.notify()  # the next idle thread: whether it can start another, and when somebody moves
            self._run(ticket)
            del ticket  # an idle thread must not hold a result

    def _run(self, ticket: Ticket[Any]) -> None:
        value, failure = None, None
        try:
            if not ticket.wanted():
                ticket.cancelled = True
                raise Cancelled
            value = ticket.work(ticket.stop)
        except BaseException as error:  # the thread serves others; the caller who asks for the result gets the error
            failure = error
        with self._changed:
            now = self.clock()
            self._running.remove(ticket)
            self._charge(ticket.session, now - (ticket.began or now), now)
            if not ticket.finished:
                if ticket.displaced and failure is not None and not ticket.cancelled:
                    self._put_back(ticket, now)
                else:
                    ticket.value, ticket.failure = value, failure
                    self._finish(ticket)
        # Nobody is woken: this thread looks for the next itself.

    # --- who is next; the lock is held --------------------------------------------------------------------------------------

    def _admit(self, pending: int, line: list[Ticket[Any]]) -> None:
        if pending >= self.per_session:
            raise Busy(f"{pending} of your runs are under way or waiting already. Cancel one, or wait until one is done.")
        if len(line) >= self.queue:
            raise Busy(
                f"Too many people are running programs at the moment: {len(line)} are waiting. "
                "Nothing of yours is lost; run it again in a few seconds."
            )

    def _wait_in_line(self, ticket: Ticket[Any]) -> None:
        insort(self._long if ticket.long else self._quick, ticket, key=lambda t: t.turn)

    def _next(self) -> Ticket[Any] | None:
        """Take the run that is to start now out of its queue."""
        now = self.clock()
        self._make_room(now)
        if len(self._running) >= self.slots:
            return None
        if self._quick and self._count(long=False) < self.quick_slots:
            ticket = self._quick.pop(0)
        elif self._long and self._count(long=True) < self.long_slots:
            ticket = self._long.pop(0)
        else:
            return None
        ticket.began = now
        ticket.waited += now - ticket.submitted
        self._running.append(ticket)
        return ticket

    def _make_room(self, now: float) -> None:
        """Runs that have become long ones take a long slot, or make room for those who wait."""
        missing = self._missing()
        for ticket in self._running:  # the longest under way first
            if ticket.long or ticket.displaced or now - (ticket.began or now) < QUICK:
                continue
            if not self._long and self._count(long=True) < self.long_slots:
                ticket.long = True
            elif missing > 0:
                ticket.displaced = True
                ticket.stop.set()
            else:
                continue
            missing -= 1

    def _missing(self) -> int:
        """How many quick slots are wanted beyond those that are free or about to be."""
        leaving = sum(t.displaced for t in self._running)
        return len(self._quick) - leaving - (self.quick_slots - self._count(long=False))

    def _until_somebody_moves(self) -> float | None:
        """Seconds until a run becomes a long one while others wait for its slot."""
        if self._missing() <= 0:
            return None
        moves = [t.began + QUICK for t in self._running if t.began is not None and not t.long and not t.displaced]
        return max(min(moves) - self.clock(), 0.001) if moves else None

    def _put_back(self, ticket: Ticket[Any], now: float) -> None:
        """A run that made room waits for a long slot."""
        ticket.displaced, ticket.long = False, True
        ticket.stop, ticket.began, ticket.submitted = threading.Event(), None, now
        ticket.turn = now + self._used_by(ticket.session, now)
        if len(self._long) >= self.queue:
            ticket.failure = Busy("Too many long programs are waiting. Nothing of yours is lost; run it again in a minute.")
            self._finish(ticket)
        else:
            self._wait_in_line(ticket)

    def _finish(self, ticket: Ticket[Any]) -> None:
        ticket.ended = self.clock()
        try:
            if self.observer is not None:
                self.observer.finished(ticket, self.waiting)
        finally:
            ticket.done.set()  # the caller who waits may take the value away

    def _count(self, *, long: bool) -> int:
        return sum(t.long == long for t in self._running)

    # --- used time ----------------------------------------------------------------------------------------------------------

    def _used_by(self, session: str, now: float) -> float:
        """Seconds that a session's runs have used of late, those under way included."""
        used, at = self._used.get(session, (0.0, now))
        under_way = sum(now - t.began for t in self._running if t.session == session and t.began is not None)
        return used * faded(now - at) + under_way

    def _charge(self, session: str, seconds: float, now: float) -> None:
        used, at = self._used.get(session, (0.0, now))
        self._used[session] = (used * faded(now - at) + seconds, now)
        if len(self._used) > REMEMBERED:
            self._used = {s: (u, at) for s, (u, at) in self._used.items() if u * faded(now - at) > 0.05}


def faded(seconds: float) -> float:
    """The weight after some seconds of a second that was used: it halves every `FORGIVEN` seconds."""
    return float(0.5 ** (seconds / FORGIVEN))


def pool() -> Pool:
    """This process's pool, as the settings want it; with a cluster it has as many slots as the workers."""
    own = _own()
    away = elsewhere()
    if away is not None and own.slots != max(2, slots := away.slots):
        own.resize(slots)
    return own


@cache
def _own() -> Pool:
    wanted = settings()
    if wanted.hosted:
        metrics.to_stderr()  # where strangers' programs run, the operator gets a log
    return Pool(wanted.workers, wanted.queue, wanted.per_session, observer=metrics.metrics())
