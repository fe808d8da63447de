"""What the page puts into a control reaches the browser, whatever becomes of the run that drew it."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import RegisterWidgetResult, WidgetMetadata

from components.server import puts, requests

ID, KEY = "$$ID-title", "title"
METADATA: Any = WidgetMetadata(
    ID, lambda told: told if told is not None else "", lambda value: value, "string_value", fragment_id=None
)  # fmt: skip


class Session:
    """A session whose page draws one field with a title; `said` is what the browser's field says."""

    def __init__(self) -> None:
        puts.show_what_was_put()
        self.session_state = SessionState()
        self._browser_queue = ForwardMsgQueue()
        self.said = ""
        self.ask = requests.heard(Session.take).__get__(self)
        self.ask(ClientState())
        self.draw("Example")
        self.send()

    def has_fragment(self, part: str) -> bool:
        return False

    def take(self, state: ClientState | None) -> None:
        self.session_state.on_script_will_rerun(state.widget_states if state is not None else None)

    def tells(self) -> None:
        """The browser asks for another run, and says what the field shows."""
        self.ask(ClientState(widget_states=WidgetStates(widgets=[WidgetState(id=ID, string_value=self.said)])))

    def again(self) -> None:
        """The page asks for another run itself."""
        self.take(None)

    def draw(self, put: str | None = None, *, stopped: bool = False) -> str:
        """A run: it puts something into the field, or nothing, and draws it, if it is not stopped before."""
        self._browser_queue.clear()
        if put is not None:
            self.session_state[KEY] = put
        result: RegisterWidgetResult[str] = self.session_state.register_widget(METADATA, KEY)
        if not stopped:
            made = ForwardMsg()
            made.delta.new_element.text_input.id = ID
            if result.value_changed:
                made.delta.new_element.text_input.set_value = True
                made.delta.new_element.text_input.value = result.value
            self._browser_queue.enqueue(made)
        return result.value

    def send(self) -> None:
        for each in self._browser_queue.flush():
            if each.delta.new_element.text_input.set_value:
                self.said = each.delta.new_element.text_input.value


@pytest.fixture
def session() -> Session:
    return Session()


def test_a_value_is_shown(session: Session) -> None:
    assert session.said == "Example"
    session.tells()
    session.draw("Other")
    session.send()
    assert session.said == "Other"


@pytest.mark.parametrize("stopped", [True, False])
@pytest.mark.parametrize("by", ["the page", "the browser"])
def test_it_is_shown_although_its_run_was_followed_at_once_by_another(session: Session, stopped: bool, by: str) -> None:
    session.tells()
    session.draw("Other", stopped=stopped)
    for _ in range(2):
        session.tells() if by == "the browser" else session.again()
        assert session.draw(stopped=stopped) == "Other"
    session.again()
    session.draw()
    session.send()
    assert session.said == "Other"


def test_it_is_put_until_it_was_sent_and_no_longer(session: Session) -> None:
    session.tells()
    session.draw("Other")
    session.send()
    session.said = "typed"
    session.tells()
    assert session.draw() == "typed"
    session.send()
    assert session.said == "typed"
    session.again()
    session.draw()
    assert not session._browser_queue.flush()[0].delta.new_element.text_input.set_value


def test_what_the_visitor_writes_meanwhile_counts(session: Session) -> None:
    session.tells()
    session.draw("Other", stopped=True)
    session.said = "typed"
    session.tells()
    assert session.draw() == "typed"
    session.send()
    assert session.said == "typed"


def test_a_menu_that_the_page_has_closed_is_opened_again(session: Session) -> None:
    """What holds other things is always sent whether it is open, and not with `set_value`."""
    menu: Any = WidgetMetadata("menu", lambda told: bool(told), lambda value: value, "bool_value", fragment_id=None)
    opened = ClientState(widget_states=WidgetStates(widgets=[WidgetState(id="menu", bool_value=True)]))

    def drawn(put: bool | None = None) -> bool:
        if put is not None:
            session.session_state["menu key"] = put
        open = bool(session.session_state.register_widget(menu, "menu key").value)
        made = ForwardMsg()
        made.delta.add_block.popover.id = "menu"
        made.delta.add_block.popover.open = open
        session._browser_queue.enqueue(made)
        session.send()
        return open

    session.ask(opened)
    assert drawn()
    assert not drawn(put=False)
    session.ask(opened)
    assert drawn()
    assert not drawn(put=False)
    session.ask(opened)
    assert drawn()


def test_what_components_tell_is_left_alone() -> None:
    session = Session()
    told: Any = WidgetMetadata("player", lambda value: value, lambda value: value, "json_value", fragment_id=None)
    session.session_state["player"] = "put"
    result: RegisterWidgetResult[Any] = session.session_state.register_widget(told, "player")
    assert result.value_changed
    assert puts.puts_of(session).news([WidgetState(id="player", json_value='"old"')], {"player": WidgetState()})
    again = WidgetState(id="player", json_value='"old"')
    assert puts.puts_of(session).news([again], {"player": again}) == [again]


def test_a_session_that_nobody_asked_is_as_it_was() -> None:
    puts.show_what_was_put()
    state, queue = SessionState(), ForwardMsgQueue()
    state[KEY] = "Other"
    assert state.register_widget(METADATA, KEY).value_changed
    state.on_script_will_rerun(None)
    assert not state.register_widget(METADATA, KEY).value_changed
    assert queue.flush() == []


def test_streamlit_has_what_this_relies_on() -> None:
    puts.show_what_was_put()
    taken = SessionState.register_widget, ForwardMsgQueue.flush
    assert all(hasattr(each, "__wrapped__") for each in taken)
    puts.show_what_was_put()
    assert (SessionState.register_widget, ForwardMsgQueue.flush) == taken
    assert "_browser_queue" in AppSession.flush_browser_queue.__code__.co_names
