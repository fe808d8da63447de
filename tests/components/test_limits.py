"""The menu of limits, how far a run is, and long output."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.page import limits, state
from components.page.console import LINES, MOST, console_html, ends, output_html
from components.page.task_progress import Task
from engine.limits import EVENTS, MEMORY, SECONDS
from engine.program import Program
from engine.sandbox import Control, Limits, RunError, RunResult
from engine.sandbox.settings import Settings
from engine.sandbox.transport.messages import HALTED
from engine.serving.pool import Pool
from tests.components.test_app import ROOT, page


def menu(fixed: bool = False) -> AppTest:
    def script(fixed: bool) -> None:
        import streamlit as st

        from components.page.limits import limits_menu
        from engine.sandbox import Limits

        usual = Limits(seconds=10.0)
        limits_menu(
            st.session_state.get("chosen") or usual, usual, fixed=fixed, key="menu",
            on_change=lambda wanted: st.session_state.update(chosen=wanted),
        )  # fmt: skip

    app = AppTest.from_function(script, default_timeout=30, kwargs={"fixed": fixed}).run()
    assert not app.exception
    return app


def test_limits_are_chosen_within_the_table() -> None:
    app = menu()
    found = {field.label: (field.min, field.max) for field in app.number_input}
    assert found == {
        "Seconds": (SECONDS.least, SECONDS.most),
        "Memory in MB": (MEMORY.least, MEMORY.most),
        "Events": (EVENTS.least, EVENTS.most),
    }
    app.number_input(key="menu_seconds").set_value(60.0).run()
    app.number_input(key="menu_events").set_value(1234).run()
    assert app.session_state["chosen"] == Limits(seconds=60.0, events=1234)
    app.button(key="menu_usual").click().run()
    assert not app.exception
    assert app.session_state["chosen"] is None
    assert app.number_input(key="menu_seconds").value == 10.0
    assert not app.warning, "Streamlit finds nothing to complain about"


def test_where_programs_are_strangers_nothing_can_be_chosen() -> None:
    app = menu(fixed=True)
    assert not app.number_input
    assert not app.button
    assert any("200,000" in str(element.proto) for element in app.main)


@pytest.mark.thorough
def test_what_was_chosen_holds_for_the_next_run() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    app.session_state["limits"] = True  # the menu is open
    app.run()
    app.number_input(key="limits_menu_events").set_value(100).run()
    p = page(app)
    assert p.limits is not None
    assert p.limits.events == 100
    p.edited = ["import torch\nx = torch.ones(1)\nwhile True: print('x' * 10_000)\n"]
    p.rev += 1
    app.button(key="run").click().run()
    assert not app.exception
    assert p.result is not None
    assert p.result.error is not None
    assert p.result.error.message == EVENTS.past(100)


def test_a_public_installation_takes_no_other_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "settings", lambda: Settings(hosted=True))
    p: Any = state.Page(Program.from_text(""))
    monkeypatch.setattr(limits, "page", lambda: p)
    limits.choose_limits(Limits(seconds=3600))
    assert p.limits is None
    assert Settings(hosted=True).limits.seconds == SECONDS.hosted
    assert Settings(hosted=True).limits.events == EVENTS.hosted
    assert Settings().limits.seconds == SECONDS.default


def test_the_bar_shows_how_much_of_its_limits_a_run_has_used() -> None:
    now = [0.0]
    pool = Pool(2, 4, 4, clock=lambda: now[0])
    going = threading.Event()
    try:
        control = Control()
        ticket = pool.submit("visitor", lambda stop: going.wait(60))
        end = time.monotonic() + 60
        while ticket.position and time.monotonic() < end:
            time.sleep(0.01)
        task = Task("Running", ticket, lambda _: None, Limits(seconds=10.0, events=1000), control)
        now[0] += 2.0
        control.events = 100
        assert (task.words, task.share, task.can_stop) == ("Running · 2.0 of 10 s · 100 events", 0.2, True)
        control.events = 900
        assert task.share == 0.9
        control.halt.set()
        assert not task.can_stop
        assert Task("Checking", ticket, lambda _: None).share is None
    finally:
        going.set()
        pool.close()


def test_of_a_long_output_both_ends_are_shown() -> None:
    whole = "x" * MOST
    assert ends(whole, MOST, LINES) == (whole, "", "")
    long = "a" * MOST + "b" * MOST
    head, between, tail = ends(long, MOST, LINES)
    assert (head, tail) == ("a" * (MOST // 2), "b" * (MOST // 2))
    assert between.startswith(f"… {MOST:,} of {2 * MOST:,} characters")
    assert len(output_html("<b>" * 1_000_000)) < 10 * MOST
    assert between in console_html(RunResult("ok", long, None, [], None, 0.1))


def test_how_a_run_that_was_stopped_is_told() -> None:
    stopped = RunResult("timeout", "", RunError(HALTED, "you stopped it after 1.0 s"), [], None, 1.0)
    assert "what was recorded is kept" in console_html(stopped)
    late = RunResult("timeout", "", RunError("TimeoutError", "the program was stopped after 1 seconds"), [], None, 1.0)
    assert "ran too long" in console_html(late)
    lost = RunResult("crashed", "", RunError("HostError", "it stopped", help="Run it again"), [], None, 1.0)
    assert "not its fault" in console_html(lost)
    assert "ended abruptly" not in console_html(lost)
