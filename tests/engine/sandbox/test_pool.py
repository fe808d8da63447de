"""The pool shares its slots fairly, keeps its bounds, and neither loses nor mixes up a run."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import pytest

from engine.sandbox.settings import Settings
from engine.serving.pool import QUICK, Busy, Cancelled, Pool, Ticket, faded

SOON = 30.0
"""Seconds after which a test gives up waiting for what must happen."""


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Work:
    """Work that goes on until it is released, told to stop, or made to fail."""

    def __init__(self, name: object = None) -> None:
        self.name = name
        self.starts = threading.Semaphore(0)
        self.release = threading.Event()
        self.times = 0

    def __call__(self, stop: threading.Event) -> object:
        self.times += 1
        self.starts.release()
        while not self.release.wait(0.002):
            if stop.is_set():
                raise InterruptedError
        return self.name

    def has_started(self) -> bool:
        return self.starts.acquire(timeout=SOON)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pool(clock: Clock) -> Iterator[Pool]:
    made = Pool(slots=4, queue=6, per_session=3, clock=clock)
    yield made
    made.close()


def full(pool: Pool, clock: Clock) -> list[tuple[Work, Ticket[object]]]:
    """Fill both quick slots, and both long ones with what has become long."""
    found = []
    for k in range(4):
        work = Work(f"holder {k}")
        ticket = pool.submit(f"holder {k}", work)
        assert work.has_started()
        found.append((work, ticket))
        if k == 1:
            clock.now += 2 * QUICK
            pool.tick()
    return found


def test_work_is_done_and_its_result_handed_over(pool: Pool) -> None:
    ticket = pool.submit("a", lambda stop: 42)
    assert ticket.result(SOON) == 42
    assert ticket.finished
    assert ticket.position == 0


def test_what_the_work_raises_reaches_whoever_asks(pool: Pool) -> None:
    ticket = pool.submit("a", lambda stop: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        ticket.result(SOON)
    assert pool.submit("a", lambda stop: "on it goes").result(SOON) == "on it goes"


def test_what_was_released_holds_nothing_more(pool: Pool) -> None:
    class Large:
        pass

    def refused(stop: threading.Event, file: Large) -> None:
        raise ValueError(file)

    files = [Large(), Large()]
    held = [weakref.ref(file) for file in files]
    tickets: list[Ticket[Any]] = [
        pool.submit("a", partial(refused, file=files[0])),
        pool.submit("a", partial(lambda stop, file: file, file=files[1])),
    ]
    del files
    for ticket in tickets:
        assert ticket.done.wait(SOON)
        ticket.release()
        assert ticket.result(0) is None
    pool.submit("a", lambda stop: None).result(SOON)  # a thread has done with the work of before when it takes up other work
    gc.collect()
    assert [each() for each in held] == [None, None]


def test_a_result_that_is_not_there_yet_is_a_timeout(pool: Pool) -> None:
    work = Work()
    ticket = pool.submit("a", work)
    with pytest.raises(TimeoutError):
        ticket.result(0)
    work.release.set()
    ticket.result(SOON)


def test_those_who_wait_have_a_place_and_move_up(pool: Pool, clock: Clock) -> None:
    holders = full(pool, clock)
    waiting = [pool.submit(f"visitor {k}", Work(k)) for k in range(3)]
    assert [t.position for t in waiting] == [1, 2, 3]
    assert [t.position for _, t in holders] == [0, 0, 0, 0]
    waiting[0].cancel()
    assert [t.position for t in waiting] == [0, 1, 2]


def test_nobody_is_let_in_beyond_the_queue(pool: Pool, clock: Clock) -> None:
    full(pool, clock)
    for k in range(6):
        pool.submit(f"visitor {k}", Work())
    with pytest.raises(Busy, match="6 are waiting"):
        pool.submit("one more", Work())
    assert pool.waiting == 6


def test_a_session_has_a_bound_of_its_own(pool: Pool) -> None:
    tickets = [pool.submit("greedy", Work()) for _ in range(3)]
    with pytest.raises(Busy, match="3 of your runs"):
        pool.submit("greedy", Work())
    modest = pool.submit("modest", lambda stop: "served")
    tickets[0].cancel()
    assert modest.result(SOON) == "served"
    tickets[1].cancel()
    assert pool.submit("greedy", lambda stop: "again").result(SOON) == "again"


def test_cancelling_what_waits_means_that_it_never_starts(pool: Pool, clock: Clock) -> None:
    holders = full(pool, clock)
    work = Work()
    ticket = pool.submit("a", work)
    ticket.cancel()
    for holder, held in holders:
        holder.release.set()
        held.result(SOON)
    assert pool.submit("b", lambda stop: "after").result(SOON) == "after"
    assert work.times == 0
    with pytest.raises(Cancelled):
        ticket.result(SOON)


def test_cancelling_what_runs_stops_it(pool: Pool) -> None:
    stopped = threading.Event()

    def work(stop: threading.Event) -> None:
        begun.set()
        if stop.wait(SOON):
            stopped.set()
            raise InterruptedError

    begun = threading.Event()
    ticket = pool.submit("a", work)
    assert begun.wait(SOON)
    ticket.cancel()
    assert ticket.finished, "for the visitor it is over at once"
    assert stopped.wait(SOON)
    with pytest.raises(Cancelled):
        ticket.result(SOON)
    ticket.cancel()  # once more changes nothing


def test_what_nobody_wants_any_more_is_dropped_when_its_turn_comes(pool: Pool) -> None:
    work = Work()
    ticket = pool.submit("gone", work, wanted=lambda: False)
    with pytest.raises(Cancelled):
        ticket.result(SOON)
    assert work.times == 0


def test_a_long_run_makes_room_for_a_quick_one_and_starts_again_later(pool: Pool, clock: Clock) -> None:
    (first, one), (second, two), (third, three), (fourth, four) = full(pool, clock)
    quick = pool.submit("quick", lambda stop: "at once")
    assert not quick.finished
    clock.now += 2 * QUICK
    pool.tick()
    assert quick.result(SOON) == "at once"
    assert third.times == 1
    assert three.position == 1, "it waits for a long slot now"
    assert fourth.times == 1
    assert four.position == 0
    first.release.set()
    assert one.result(SOON) == "holder 0"
    assert third.has_started(), "from the beginning"
    assert third.times == 2
    third.release.set()
    assert three.result(SOON) == "holder 2"
    assert (two.finished, four.finished) == (False, False)
    assert second.times == 1


def test_a_long_run_stays_while_nobody_waits(pool: Pool, clock: Clock) -> None:
    holders = full(pool, clock)
    clock.now += 100 * QUICK
    pool.tick()
    for work, ticket in holders:
        work.release.set()
        ticket.result(SOON)
    assert [work.times for work, _ in holders] == [1, 1, 1, 1]


def test_work_known_to_be_long_takes_no_quick_slot(pool: Pool) -> None:
    long = [Work() for _ in range(3)]
    tickets = [pool.submit(f"checker {k}", work, long=True) for k, work in enumerate(long)]
    assert long[0].has_started()
    assert long[1].has_started()
    assert tickets[2].position == 1
    assert pool.submit("quick", lambda stop: 1).result(SOON) == 1
    assert long[2].times == 0


def test_time_used_puts_a_visitor_behind_one_who_has_used_none(pool: Pool, clock: Clock) -> None:
    loops = Work()
    ticket = pool.submit("looper", loops)
    assert loops.has_started()
    clock.now += 3.25
    loops.release.set()
    ticket.result(SOON)
    full(pool, clock)
    looper = pool.submit("looper", Work())
    clock.now += 1.0
    honest = pool.submit("honest", Work())
    assert (honest.position, looper.position) == (1, 2), "though the other came first"
    clock.now += 3.0
    late = pool.submit("late", Work())
    assert [t.position for t in (honest, looper, late)] == [1, 2, 3], "nobody is put off for ever"


def test_visitors_take_turns(pool: Pool, clock: Clock) -> None:
    full(pool, clock)
    many = [pool.submit("many", Work()) for _ in range(3)]
    one = pool.submit("one", Work())
    assert [t.position for t in (*many, one)] == [1, 3, 4, 2]


def test_used_time_is_forgotten_by_and_by() -> None:
    assert faded(0) == 1
    assert faded(20) == 0.5
    assert faded(3600) < 1e-9


def test_nothing_is_lost_or_mixed_up_among_many() -> None:
    pool = Pool(slots=8, queue=10_000, per_session=10_000)
    random = Random(7)
    results: dict[tuple[int, int], object] = {}
    lock = threading.Lock()

    def visitor(number: int) -> None:
        tickets = {}
        for k in range(40):
            fails = random.random() < 0.1
            tickets[k] = pool.submit(f"visitor {number}", lambda stop, k=k, fails=fails: 1 // 0 if fails else (number, k))
            if k % 7 == 3:
                tickets[k].cancel()
        for k, ticket in tickets.items():
            try:
                found: object = ticket.result(SOON)
            except (ZeroDivisionError, Cancelled) as error:
                found = type(error)
            with lock:
                results[number, k] = found

    threads = [threading.Thread(target=visitor, args=(number,)) for number in range(25)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SOON)
    pool.close()
    assert len(results) == 25 * 40
    assert all(found == key or found in (ZeroDivisionError, Cancelled) for key, found in results.items())
    assert sum(found == key for key, found in results.items()) > 500
    assert pool.waiting == 0


def test_the_number_of_slots_follows_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from engine.serving import pool as pools

    workers = SimpleNamespace(slots=6)
    pools._own.cache_clear()
    monkeypatch.setattr("engine.serving.elsewhere.settings", lambda: Settings(scheduler="tcp://127.0.0.1:1"))
    monkeypatch.setattr("engine.serving.cluster.backend.cluster", lambda: workers)
    try:
        made = pools.pool()
        assert (made.slots, made.quick_slots, made.long_slots, made.idle) == (6, 3, 3, 6)
        workers.slots = 9
        assert pools.pool() is made
        assert (made.slots, made.quick_slots, made.long_slots) == (9, 5, 4)
    finally:
        pools._own.cache_clear()


def test_one_idle_thread_is_woken_for_each_that_comes(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All at once would contend for the interpreter, and all but one would find nothing to do."""
    held = [Work(k) for k in range(4)]
    tickets = [pool.submit(f"visitor {k}", work, long=k > 1) for k, work in enumerate(held)]
    assert all(work.has_started() for work in held)
    for work, ticket in zip(held, tickets, strict=True):
        work.release.set()
        ticket.result(SOON)
    looks: list[str] = []
    plain = pool._next
    monkeypatch.setattr(pool, "_next", lambda: looks.append(threading.current_thread().name) or plain())  # type: ignore[func-returns-value]
    assert pool.submit("visitor", lambda stop: "done").result(SOON) == "done"
    with pool._changed:
        assert len(set(looks)) <= 2, "the one that is woken, and one that was started"


def test_nothing_waits_for_ever_whoever_comes_and_goes() -> None:
    pool = Pool(slots=3, queue=100_000, per_session=100_000)
    chance = Random(0)
    tickets: list[Ticket[int]] = []
    lock = threading.Lock()

    def visit(name: str, seed: int) -> None:
        own = Random(seed)
        for k in range(60):
            ticket = pool.submit(name, lambda stop, k=k: k, long=own.random() < 0.3)  # type: ignore[misc]
            with lock:
                tickets.append(ticket)
            if own.random() < 0.2:
                ticket.cancel()

    visitors = [threading.Thread(target=visit, args=(f"visitor {k}", chance.randrange(1000))) for k in range(8)]
    for each in visitors:
        each.start()
    for each in visitors:
        each.join()
    assert all(ticket.done.wait(SOON) for ticket in tickets)
    pool.close()
