"""What is clicked is heard, and drawn, whatever else the browser sends with it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import WidgetMetadata

from components.server import requests

PART, OTHER = "part", "other part"


def click(widget: str) -> WidgetState:
    return WidgetState(id=widget, json_trigger_value='[{"event": "run"}]')


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
        self._scriptrunner: Any = None
        self.got: list[tuple[str, list[str]]] = []
        self.ask = requests.heard(Session.take).__get__(self)

    def has_fragment(self, part: str) -> bool:
        return part in self.parts

    def take(self, state: ClientState | None) -> None:
        if state is not None:
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
    session.ask(asked(value("moment", "1"), part=PART))
    assert [part for part, _ in session.got] == ["", PART]


def test_a_widget_that_nobody_knows_changes_nothing(session: Session) -> None:
    session.ask(asked(click("unknown"), part=PART))
    session.ask(None)
    assert [part for part, _ in session.got] == [PART]


def test_the_clicks_of_a_run_that_has_not_begun_go_with_the_next_request(session: Session) -> None:
    waiting = ScriptRequests()
    waiting.request_rerun(RerunData(widget_states=WidgetStates(widgets=[click("run"), value("text", "old")])))
    session._scriptrunner = SimpleNamespace(_requests=waiting)
    session.ask(asked(value("moment", "1"), part=PART))
    session.ask(asked(click("run")))
    assert session.got == [("", ["moment", "run"]), ("", ["run"])]
    assert waiting._rerun_data.widget_states is not None
    assert [each.id for each in waiting._rerun_data.widget_states.widgets] == ["text"], (
        "should it begin yet, nothing is clicked twice"
    )
    waiting.on_scriptrunner_ready()
    session.ask(asked(value("text", "new")))
    assert session.got[-1] == ("", ["text"])


def test_streamlit_has_what_this_relies_on(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = getattr(AppSession, requests.NAME)
    monkeypatch.setattr(AppSession, requests.NAME, getattr(plain, "__wrapped__", plain))
    requests.hear_every_click()
    once = getattr(AppSession, requests.NAME)
    requests.hear_every_click()
    assert getattr(AppSession, requests.NAME) is once
    assert callable(AppSession.has_fragment)
    assert "_scriptrunner" in AppSession.__init__.__code__.co_names
