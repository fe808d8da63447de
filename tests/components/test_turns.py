"""Few pages are drawn at once, and none is forgotten."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest

from components.page import recording_cache as kept
from components.server import render_lock
from components.server.deadline import Deadline, Over
from components.server.gc_policy import EVERY, NEVER, NEW, QUIET, SHARE, Housekeeping
from components.server.gc_policy import SOON as SOON_AGAIN
from components.server.render_lock import AT_ONCE, LONG, in_turn, turn_for, turn_given_away
from engine.recording import Recording
from engine.recording.events import Printed

ROOT = Path(__file__).resolve().parents[2]

SOON = 30.0


class Drawing:
    """Pages that are drawn until they are released, and how many there were at once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = self.most = self.done = 0
        self.began = threading.Semaphore(0)
        self.release = threading.Event()

    def draw(self) -> None:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.began.release()
        assert self.release.wait(SOON)
        with self.lock:
            self.now -= 1
            self.done += 1


def threads(count: int, target: object) -> list[threading.Thread]:
    made = [threading.Thread(target=target) for _ in range(count)]  # type: ignore[arg-type]
    for thread in made:
        thread.start()
    return made


def test_only_so_many_are_drawn_at_once_and_all_in_the_end() -> None:
    drawing = Drawing()
    started = threads(AT_ONCE + 5, in_turn(drawing.draw))
    for _ in range(AT_ONCE):
        assert drawing.began.acquire(timeout=SOON)
    drawing.release.set()
    for thread in started:
        thread.join(SOON)
    assert (drawing.most, drawing.done) == (AT_ONCE, AT_ONCE + 5)


def test_who_has_a_turn_needs_no_second_one() -> None:
    inner = in_turn(lambda: "drawn")
    page = in_turn(lambda: [inner() for _ in range(AT_ONCE + 1)])
    assert page() == ["drawn"] * (AT_ONCE + 1)


def test_who_waits_gives_the_turn_away() -> None:
    waiting, goes_on = threading.Semaphore(0), threading.Event()

    @in_turn
    def waits() -> None:
        with turn_given_away():
            waiting.release()
            assert goes_on.wait(SOON)

    started = threads(AT_ONCE, waits)
    for _ in range(AT_ONCE):
        assert waiting.acquire(timeout=SOON)
    assert in_turn(lambda: "drawn meanwhile")() == "drawn meanwhile"
    goes_on.set()
    for thread in started:
        thread.join(SOON)


def test_a_failure_gives_the_turn_back() -> None:
    @in_turn
    def fails() -> None:
        raise ZeroDivisionError

    for _ in range(AT_ONCE + 1):
        with pytest.raises(ZeroDivisionError):
            fails()
    assert render_lock._turns._value == AT_ONCE  # type: ignore[attr-defined]


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the garbage collector is asked for, which it does not do."""
    done: list[str] = []
    monkeypatch.setattr(gc, "collect", lambda *oldest: done.append("new" if oldest == (NEW,) else "everything"))
    return done


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_new_is_looked_through_after_each_turn_and_everything_now_and_then(collector: list[str]) -> None:
    keeping = Housekeeping(clock := Clock())
    assert not keeping.tidy()
    assert collector == ["new"]
    clock.now = EVERY
    assert keeping.tidy()
    assert collector[1:] == ["everything"]
    assert not keeping.tidy()


def test_looks_at_everything_take_no_more_than_their_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    keeping, long = Housekeeping(clock := Clock()), 10.0
    monkeypatch.setattr(gc, "collect", lambda *_: setattr(clock, "now", clock.now + long))
    clock.now = EVERY
    assert keeping.tidy()
    clock.now += long / SHARE - 2 * long
    assert not keeping.tidy()
    clock.now += 2 * long
    assert keeping.tidy()


def test_when_nobody_waits_everything_is_looked_through_once(collector: list[str]) -> None:
    keeping = Housekeeping(clock := Clock())
    clock.now = 2 * SOON_AGAIN
    assert not keeping.tidy_when_quiet(), "nothing was drawn"
    keeping.tidy()
    clock.now += QUIET / 2
    assert not keeping.tidy_when_quiet(), "somebody may go on"
    clock.now += QUIET
    assert keeping.tidy_when_quiet()
    assert collector == ["new", "everything"]
    clock.now += EVERY
    assert not keeping.tidy_when_quiet(), "nothing was drawn since"


def test_what_is_there_before_the_first_visitor_comes_is_never_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for name in ("collect", "freeze", "unfreeze"):
        monkeypatch.setattr(gc, name, lambda name=name: done.append(name))
    Housekeeping().begin()
    assert done == ["collect", "freeze"]
    assert gc.get_threshold()[2] == NEVER


class Cyclic:
    """Something that only the collector finds."""

    def __init__(self) -> None:
        self.myself = self


def test_what_a_turn_leaves_behind_is_gone_with_its_end() -> None:
    keeping, left = Housekeeping(), Cyclic()
    gone = weakref.ref(left)
    del left
    keeping.tidy()
    assert gone() is None


def test_long_recordings_share_one_turn_and_hold_up_nobody_else() -> None:
    long, short = Drawing(), Drawing()

    def page() -> None:
        with turn_for(LONG):
            long.draw()

    pages = threads(AT_ONCE + 2, in_turn(page))
    assert long.began.acquire(timeout=SOON)
    others = threads(AT_ONCE, in_turn(short.draw))
    for _ in range(AT_ONCE):
        assert short.began.acquire(timeout=SOON), "long ones hold no turns"
    for drawing in (short, long):
        drawing.release.set()
    for thread in (*pages, *others):
        thread.join(SOON)
    assert (long.most, long.done) == (1, AT_ONCE + 2)
    assert short.done == AT_ONCE


def test_a_short_recording_keeps_its_turn() -> None:
    drawing = Drawing()

    def page() -> None:
        with turn_for(LONG - 1):
            drawing.draw()

    pages = threads(AT_ONCE + 1, in_turn(page))
    for _ in range(AT_ONCE):
        assert drawing.began.acquire(timeout=SOON)
    drawing.release.set()
    for thread in pages:
        thread.join(SOON)
    assert drawing.most == AT_ONCE


def recorded(events: int) -> Recording:
    recording = Recording(events=[Printed(text="")] * events)
    recording.derived["index"], recording.checks[1] = object(), "good"
    return recording


def test_long_recordings_forget_what_follows_from_them_when_others_have_been_on_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 2 * LONG)
    first, second, third, short = recorded(LONG), recorded(LONG), recorded(LONG), recorded(1)
    for recording in (first, second, first, short):
        kept.on_show(recording)
    assert all("index" in each.derived for each in (first, second))
    kept.on_show(third)
    assert (second.derived, second.checks) == ({}, {1: "good"}), "the one that was on show longest ago"
    assert all("index" in each.derived for each in (first, third, short))


def test_a_recording_of_any_length_is_kept_while_it_is_on_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", LONG)
    large = recorded(3 * LONG)
    kept.on_show(large)
    assert "index" in large.derived
    kept.gone(large)
    assert (large.derived, large.checks) == ({}, {1: "good"})


@pytest.fixture
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_lock, "LASTS", (0.05, 0.05))
    monkeypatch.setattr(render_lock, "LASTS_LONG", (0.05, 0.05))


def works(seconds: float) -> None:
    """Keep the processor busy."""
    began = time.thread_time()
    while time.thread_time() - began < seconds:
        pass


@pytest.mark.usefixtures("short_turns")
def test_who_draws_for_too_long_loses_the_turn_and_nobody_else_waits() -> None:
    ended: list[BaseException] = []

    @in_turn
    def endless() -> None:
        while True:
            try:
                works(0.01)
            except Exception:
                pytest.fail("the interruption is no Exception, so that nothing on the way keeps it")

    def tries() -> None:
        try:
            endless()
        except BaseException as error:
            ended.append(error)

    started = threads(3, tries)
    assert in_turn(lambda: "drawn")() == "drawn"
    for thread in started:
        thread.join(SOON)
    assert [type(error) for error in ended] == [render_lock.Overdrawn] * 3
    assert in_turn(lambda: "drawn")() == "drawn"


@pytest.mark.usefixtures("short_turns")
def test_who_keeps_the_interruption_has_lost_the_turn_all_the_same_and_is_interrupted_again() -> None:
    kept, drawn = threading.Event(), threading.Event()

    @in_turn
    def stubborn() -> None:
        try:
            works(SOON)
        except BaseException:
            kept.set()
        assert drawn.wait(SOON)
        works(SOON)

    def tries() -> None:
        with pytest.raises(render_lock.Overdrawn):
            stubborn()

    (thread,) = threads(1, tries)
    assert kept.wait(SOON)
    assert in_turn(lambda: "drawn")() == "drawn"
    drawn.set()
    thread.join(SOON)
    assert not thread.is_alive()


@pytest.mark.usefixtures("short_turns")
def test_waiting_is_no_work() -> None:
    @in_turn
    def waits() -> str:
        threading.Event().wait(0.2)
        with turn_given_away():
            works(0.2)
        return "drawn"

    assert waits() == "drawn"


@pytest.mark.usefixtures("short_turns")
def test_a_long_turn_ends_too_and_leaves_every_place_free() -> None:
    @in_turn
    def long() -> None:
        with turn_for(LONG):
            works(SOON)

    for _ in range(2):
        with pytest.raises(render_lock.Overdrawn):
            long()
    assert gc.isenabled()

    @in_turn
    def short() -> str:
        with turn_for(LONG):
            return "drawn"

    assert short() == "drawn"


def test_an_interruption_that_comes_late_is_called_off() -> None:
    for tenths in range(60):
        try:
            with Deadline(0.001 + 0.0001 * (tenths % 30)):
                works(0.003)
        except Over:
            pass
        works(0.001)  # an interruption that was still under way would come here


def test_what_was_called_off_leaves_python_with_nothing_to_look_for() -> None:
    """In Python 3.11 the last line would never end.

    What takes long is a function of its own: in Python 3.13.0 what interrupts a loop with a condition is not caught by a `try`
    or `with` that stands around it in the same function.
    """
    program = """
import sys, time
from components.server.deadline import Deadline, Over
def busy():
    began = time.thread_time()
    while time.thread_time() - began < 0.2:
        pass
for _ in range(3):
    try:
        with Deadline(0.01):
            busy()
    except Over:
        pass
sys.setprofile(lambda *event: None)
(lambda: None)()
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=60, check=True)
