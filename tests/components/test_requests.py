"""What is clicked is heard, and drawn, whatever else the browser sends with it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import WidgetMetadata

from components.server import requests

PART, OTHER = "part", "other part"
PLACES = ((AppSession, requests.NAME), (SessionState, requests.CALLS), (ScriptRunner, requests.STOPS))


def click(widget: str, event: str = "run") -> WidgetState:
    return WidgetState(id=widget, json_trigger_value=json.dumps([{"event": event}]))


def value(widget: str, text: str) -> WidgetState:
    return WidgetState(id=widget, json_value=text)


def asked(*widgets: WidgetState, part: str = "") -> ClientState:
    return ClientState(fragment_id=part, widget_states=WidgetStates(widgets=widgets))


class Session:
    """A session of which the page has drawn the widgets `run` and `text`, and in a part of it `moment` and `pin`."""

    def __init__(self) -> None:
        self.session_state = SessionState()
        drawn = self.session_state._new_widget_state.widget_metadata
        for widget, part in {"run": None, "text": None, "moment": PART, "pin": PART, "there": OTHER}.items():
            drawn[widget] = WidgetMetadata(widget, str, str, "json_value", fragment_id=part)
        self.parts = {PART, OTHER}
        self.got: list[tuple[str, list[str]]] = []
        self.told: list[WidgetStates] = []
        self.ask = requests.heard(Session.take).__get__(self)

    def has_fragment(self, part: str) -> bool:
        return part in self.parts

    def take(self, state: ClientState | None) -> None:
        if state is not None:
            self.told.append(state.widget_states)
            self.got.append((state.fragment_id, [each.id for each in state.widget_states.widgets]))


@pytest.fixture
def session() -> Session:
    return Session()


def test_a_click_elsewhere_has_the_whole_page_drawn(session: Session) -> None:
    session.ask(asked(value("moment", "1"), click("run"), part=PART))
    assert session.got == [("", ["moment", "run"])]


def test_what_changes_in_a_part_has_the_part_drawn(session: Session) -> None:
    session.ask(asked(value("moment", "1"), value("text", "x"), part=PART))
    session.ask(asked(value("moment", "2"), value("text", "x"), click("pin"), part=PART))
    session.ask(asked(value("moment", "2"), value("text", "x"), WidgetState(id="run", json_trigger_value=""), part=PART))
    assert [part for part, _ in session.got] == [PART] * 3


def test_a_value_that_changes_elsewhere_has_the_whole_page_drawn(session: Session) -> None:
    session.ask(asked(value("text", "x")))
    session.ask(asked(value("text", "xy"), value("moment", "2"), part=PART))
    session.ask(asked(value("text", "xy"), value("moment", "3"), part=PART))
    assert [part for part, _ in session.got] == ["", "", PART]


def test_two_parts_at_once_have_the_whole_page_drawn(session: Session) -> None:
    session.ask(asked(click("there"), click("pin"), part=PART))
    assert session.got[0][0] == ""


def test_a_click_in_a_part_that_is_gone_is_heard(session: Session) -> None:
    session.parts.clear()
    session.ask(asked(click("pin"), part=PART))
    assert hears(session, session.told[0]) == ['[{"event": "run"}]']
    session.ask(asked(value("moment", "1"), part=PART))
    assert [part for part, _ in session.got] == ["", PART]


def test_a_widget_that_nobody_knows_changes_nothing(session: Session) -> None:
    session.ask(asked(click("unknown"), part=PART))
    session.ask(None)
    assert [part for part, _ in session.got] == [PART]


def hears(session: Session, told: WidgetStates, meanwhile: Callable[[], None] = lambda: None) -> list[str]:
    """What the callbacks of a run hear that was told this."""
    heard: list[str] = []

    def plain(state: SessionState, told: WidgetStates) -> None:
        meanwhile()
        heard.extend(each.json_trigger_value or each.id for each in told.widgets if requests.is_click(each))

    requests.finished(plain)(session.session_state, told)
    return heard


def test_a_click_that_nobody_has_heard_goes_with_the_next_request_once(session: Session) -> None:
    session.ask(asked(click("run")))
    session.ask(asked(value("moment", "1"), part=PART))
    assert session.got == [("", ["run"]), ("", ["moment", "run"])]
    first, second = session.told
    assert hears(session, second) == ['[{"event": "run"}]']
    assert hears(session, first) == [], "should the first run begin yet, nothing is clicked twice"
    session.ask(asked(value("text", "new")))
    assert session.got[-1] == ("", ["text"])


def test_no_event_of_a_component_stands_for_another(session: Session) -> None:
    session.ask(asked(click("run", "first")))
    session.ask(asked(click("run", "second")))
    first, second = session.told
    assert hears(session, first) == ['[{"event": "first"}]']
    assert hears(session, second) == ['[{"event": "second"}]']


def test_events_that_wait_are_heard_in_their_order(session: Session) -> None:
    for event in ("first", "second", "first"):
        session.ask(asked(click("run", event)))
    assert hears(session, session.told[-1]) == ['[{"event": "first"}, {"event": "second"}, {"event": "first"}]']
    assert not any(hears(session, told) for told in session.told[:-1])


def test_events_that_are_no_json_reach_who_told_them(session: Session) -> None:
    session.ask(asked(WidgetState(id="run", json_trigger_value="[" * 50_000)))
    assert hears(session, session.told[0]) == ["[" * 50_000]


def test_no_more_events_wait_than_anybody_makes(session: Session) -> None:
    for n in range(3 * requests.MOST):
        session.ask(asked(click("run", f"n{n}")))
    (heard,) = hears(session, session.told[-1])
    assert [each["event"] for each in json.loads(heard)] == [f"n{n}" for n in range(2 * requests.MOST, 3 * requests.MOST)]


def test_a_button_is_pressed_once_by_two_requests(session: Session) -> None:
    for _ in range(2):
        session.ask(asked(WidgetState(id="run", trigger_value=True)))
    assert [hears(session, told) for told in session.told] == [["run"], []]
    session.ask(asked(WidgetState(id="run", trigger_value=True)))
    assert hears(session, session.told[-1]) == ["run"]


def test_callbacks_that_have_begun_are_finished(session: Session) -> None:
    ended: list[str] = []
    step = requests.later(lambda runner: ended.append(runner)).__get__("runner")
    session.ask(asked(click("run")))
    hears(session, session.told[0], meanwhile=step)
    assert ended == []
    step()
    assert ended == ["runner"]


def test_the_callbacks_of_two_runs_are_called_one_after_the_other(session: Session) -> None:
    session.ask(asked(click("run", "first")))
    session.ask(asked(click("run", "second")))
    entered, free = Event(), Event()
    order: list[str] = []

    def slow() -> None:
        entered.set()
        assert free.wait(60)
        order.append("first")

    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(hears, session, session.told[0], slow)
        assert entered.wait(60)
        other = threads.submit(hears, session, session.told[1], lambda: order.append("second"))
        free.set()
        assert one.result() == ['[{"event": "first"}]']
        assert other.result() == ['[{"event": "second"}]']
    assert order == ["first", "second"]


def test_states_that_no_session_has_are_told_as_they_are() -> None:
    got: list[Any] = []
    call = requests.finished(lambda state, told, **more: got.append((told, more)))
    told = WidgetStates(widgets=[click("run")])
    call(SessionState(), told, is_history_navigation=True)
    call(SessionState(), None)
    assert got == [(told, {"is_history_navigation": True}), (None, {})]


def test_streamlit_has_what_this_relies_on() -> None:
    requests.hear_every_click()
    taken = [getattr(owner, name) for owner, name in PLACES]
    assert all(hasattr(each, "__wrapped__") for each in taken)
    requests.hear_every_click()
    assert [getattr(owner, name) for owner, name in PLACES] == taken
    assert callable(AppSession.has_fragment)
    assert set(inspect.signature(SessionState.on_script_will_rerun).parameters) >= {"self", "fresh_widget_states"}
