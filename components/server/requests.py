"""What the browser asks the page for: no click is lost, and what it changes is drawn, whatever else is sent with it.

Streamlit's browser sends all that happens in one moment as one request, and asks for the part of the page of whichever belongs
to a part: a click on Run that comes while the player tells where it is would have its callback called, and only the player's
part drawn. It drops a request for a part that is gone. And it stops a run for the next request at any of its steps: before the
callbacks are called, or in the middle of one, which then is never finished. Here, a request with which something elsewhere has
changed is one for the whole page; callbacks that have begun are finished; and a click that no callback has heard goes with the
next request, once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from threading import Lock, RLock, local
from typing import Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state import SessionState

from components.server.around import put_around
from components.server.bounded_requests import told_by
from components.server.kept import Kept
from components.server.puts import puts_of

NAME = "request_rerun"
"""What takes the browser's requests there: `(session, client_state)`."""
CALLS = "on_script_will_rerun"
"""What calls the callbacks there: `(session_state, widget_states, **more)`."""
STOPS = "_maybe_handle_execution_control_request"
"""What ends a run at one of its steps there: `(script_runner)`."""
EVENTS = "json_trigger_value"
CLICKS = {"trigger_value", "string_trigger_value", "chat_input_value", EVENTS}
"""What is told once, not kept until it changes."""
MOST = 64
"""Events of a component that wait at most."""
_calling = local()
"""`now` where callbacks are being called in this thread."""


def hear_every_click() -> None:
    """Have sessions take requests so; without effect on a Streamlit that takes them under other names."""
    for owner, name, around in ((AppSession, NAME, heard), (SessionState, CALLS, finished), (ScriptRunner, STOPS, later)):
        put_around(owner, name, around)


class Clicks:
    """The clicks of a session that no callback has heard."""

    def __init__(self) -> None:
        self.turn = RLock()
        """Held by the run whose callbacks are being called: a run that is to be stopped, and the next, are two threads."""
        self._lock = Lock()
        self._waiting: dict[str, list[str | WidgetState]] = {}
        """By the widget's id: the events of a component, as texts of JSON, or the one click of a widget that counts none."""

    def come(self, told: Iterable[WidgetState]) -> list[WidgetState]:
        """Take down what was clicked; returns all clicks that wait, these among them."""
        with self._lock:
            for each in filter(is_click, told):
                self._waiting[each.id] = [*self._waiting.get(each.id, ()), *_counted(each)][-MOST:]
            return [_told(id, each) for id, each in self._waiting.items()]

    def hear(self, told: WidgetStates) -> WidgetStates:
        """What a run has been told, without what another has heard already; it waits no more."""
        heard = WidgetStates()
        with self._lock:
            for each in told.widgets:
                if not is_click(each):
                    heard.widgets.append(each)
                    continue
                waiting = self._waiting.pop(each.id, [])
                new = [one for one in _counted(each) if _taken(waiting, one)]
                if new:
                    heard.widgets.append(_told(each.id, new))
                if waiting and each.WhichOneof("value") == EVENTS:
                    self._waiting[each.id] = waiting
        return heard


_CLICKS: Kept[Clicks] = Kept("gradtape_clicks")
"""Found by a session's state."""


def heard(plain: Callable[[Any, ClientState | None], None]) -> Callable[[Any, ClientState | None], None]:
    """The method that takes requests, which is asked for all that has changed."""

    @wraps(plain)
    def request(session: Any, asked: ClientState | None) -> None:
        if asked is None:
            return plain(session, asked)
        told = told_by(asked)
        waiting = _clicks_of(session).come(told)
        known = {each.id for each in waiting}
        told = [each for each in told if each.id not in known] + waiting
        before = vars(session).get("gradtape_told", {})
        news = puts_of(session).news(told, before)
        whole = bool(asked.fragment_id) and elsewhere(session, asked.fragment_id, changed(told, before))
        session.gradtape_told = {each.id: each for each in told if not is_click(each)}
        plain(session, _asking(asked, news, whole))

    return request


def finished(plain: Callable[..., None]) -> Callable[..., None]:
    """The method that calls the callbacks: one run after the other, and each to its end."""

    @wraps(plain)
    def call(state: Any, told: WidgetStates | None, **more: Any) -> None:
        clicks = _CLICKS.by(state)
        if clicks is None or told is None:
            return plain(state, told, **more)
        with clicks.turn:
            _calling.now = True
            try:
                plain(state, clicks.hear(told), **more)
            finally:
                _calling.now = False

    return call


def later(plain: Callable[[Any], None]) -> Callable[[Any], None]:
    """The method that ends a run, which waits while callbacks are being called."""

    @wraps(plain)
    def end(runner: Any) -> None:
        if not getattr(_calling, "now", False):
            plain(runner)

    return end


def changed(told: Iterable[WidgetState], before: Mapping[str, WidgetState]) -> Iterator[str]:
    """The widgets that were clicked, or have another value than the browser told before; a first value is none."""
    for each in told:
        if is_click(each) or (each.WhichOneof("value") not in CLICKS and before.get(each.id, each) != each):
            yield each.id


def elsewhere(session: Any, part: str, widgets: Iterable[str]) -> bool:
    """Whether one of these widgets belongs to another part of the page than this one, or all do and the part is gone."""
    drawn = session.session_state._new_widget_state.widget_metadata
    gone = not session.has_fragment(part)
    return any(known is not None and (gone or known.fragment_id != part) for known in map(drawn.get, widgets))


def is_click(each: WidgetState) -> bool:
    """Whether something was clicked: what is told once is told as empty at all other times."""
    kind = each.WhichOneof("value")
    if kind not in CLICKS:
        return False
    value = getattr(each, kind)
    return bool(value.ListFields()) if hasattr(value, "ListFields") else bool(value)


def _clicks_of(session: Any) -> Clicks:
    return _CLICKS.of(session, Clicks, session.session_state)


def _counted(each: WidgetState) -> list[str | WidgetState]:
    """The events of a component, of which none stands for another; of all else the click itself."""
    try:
        found = json.loads(each.json_trigger_value) if each.WhichOneof("value") == EVENTS else None
    except (ValueError, RecursionError):
        found = None
    return [each] if not found else [json.dumps(one) for one in (found if isinstance(found, list) else [found])]


def _told(id: str, clicks: list[str | WidgetState]) -> WidgetState:
    """The clicks on a widget as the browser tells them."""
    last = clicks[-1]
    if isinstance(last, WidgetState):
        return last
    return WidgetState(id=id, json_trigger_value=f"[{', '.join(str(each) for each in clicks)}]")


def _taken(waiting: list[str | WidgetState], click: str | WidgetState) -> bool:
    """Whether it waited; it does no more."""
    if click in waiting:
        waiting.remove(click)
        return True
    return False


def _asking(asked: ClientState, told: list[WidgetState], whole: bool) -> ClientState:
    """The same request, which tells this; for the whole page or for what it was for."""
    made = ClientState()
    made.CopyFrom(asked)
    del made.widget_states.widgets[:]
    made.widget_states.widgets.extend(told)
    if whole:
        made.ClearField("fragment_id")
        made.ClearField("is_auto_rerun")
    return made
