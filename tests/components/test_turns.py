"""Few pages are drawn at once, and none is forgotten."""

from __future__ import annotations

import gc
import threading

import pytest

from components import kept, turns
from components.housekeeping import EVERY, Housekeeping
from components.turns import AT_ONCE, LONG, in_turn, turn_for, turn_given_away
from engine.recording import Recording
from engine.recording.events import Printed

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
    assert turns._turns._value == AT_ONCE  # type: ignore[attr-defined]


def test_everything_is_looked_through_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for name in ("collect", "freeze", "unfreeze"):
        monkeypatch.setattr(gc, name, lambda name=name: done.append(name))
    now = 0.0
    keeping = Housekeeping(lambda: now)
    assert not keeping.tidy()
    assert done == ["freeze"]
    now = EVERY
    assert keeping.tidy()
    assert done == ["freeze", "unfreeze", "collect", "freeze"]
    assert not keeping.tidy()


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
