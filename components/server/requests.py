"""What the browser asks the page for: no click is lost, and what it changes is drawn, whatever else is sent with it.

Streamlit's browser sends all that happens in one moment as one request, and asks for the part of the page of whichever belongs
to a part: a click on Run that comes while the player tells where it is would have its callback called, and only the player's
part drawn. It also stops a run that has not begun when the next request comes, and drops a request for a part that is gone; a
click that came with either would never be heard of. Here, a request with which something elsewhere has changed is one for the
whole page, and the clicks of a run that has not begun go with the next request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

NAME = "request_rerun"
"""What takes the browser's requests there: `(session, client_state)`."""
CLICKS = {"trigger_value", "string_trigger_value", "chat_input_value", "json_trigger_value"}
"""What is told once, not kept until it changes."""


def hear_every_click() -> None:
    """Have sessions take requests so; without effect on a Streamlit that takes them under another name."""
    plain = getattr(AppSession, NAME, None)
    if plain is not None and not hasattr(plain, "__wrapped__"):
        setattr(AppSession, NAME, heard(plain))


def heard(plain: Callable[[Any, ClientState | None], None]) -> Callable[[Any, ClientState | None], None]:
    """The same method, which is asked for all that has changed."""

    @wraps(plain)
    def request(session: Any, asked: ClientState | None) -> None:
        if asked is None:
            return plain(session, asked)
        told = asked.widget_states.widgets
        known = {each.id for each in told}
        told.extend(each for each in _unheard(session) if each.id not in known)
        before = vars(session).get("gradtape_told", {})
        if asked.fragment_id and elsewhere(session, asked.fragment_id, changed(told, before)):
            asked = _for_all(asked)
        session.gradtape_told = {each.id: each for each in told if not _is_click(each)}
        plain(session, asked)

    return request


def changed(told: Iterable[WidgetState], before: Mapping[str, WidgetState]) -> Iterator[str]:
    """The widgets that were clicked, or have another value than the browser told before; a first value is none."""
    for each in told:
        if _is_click(each) or (each.WhichOneof("value") not in CLICKS and before.get(each.id, each) != each):
            yield each.id


def elsewhere(session: Any, part: str, widgets: Iterable[str]) -> bool:
    """Whether one of these widgets belongs to another part of the page than this one, or all do and the part is gone."""
    drawn = session.session_state._new_widget_state.widget_metadata
    gone = not session.has_fragment(part)
    return any(known is not None and (gone or known.fragment_id != part) for known in map(drawn.get, widgets))


def _is_click(each: WidgetState) -> bool:
    kind = each.WhichOneof("value")
    if kind not in CLICKS:
        return False
    value = getattr(each, kind)
    return bool(value.ListFields()) if hasattr(value, "ListFields") else bool(value)


def _unheard(session: Any) -> list[WidgetState]:
    """The clicks of a run that was asked for and has not begun, which another request may be about to stop. They are taken from
    it: should it begin all the same, nothing is clicked twice."""
    waiting = getattr(session._scriptrunner, "_requests", None)
    if waiting is None:
        return []
    with waiting._lock:
        asked = waiting._rerun_data
        if waiting._state is not ScriptRequestType.RERUN or asked.widget_states is None:
            return []
        clicks = [each for each in asked.widget_states.widgets if _is_click(each)]
        rest = WidgetStates(widgets=[each for each in asked.widget_states.widgets if not _is_click(each)])
        waiting._rerun_data = replace(asked, widget_states=rest)
    return clicks


def _for_all(asked: ClientState) -> ClientState:
    whole = ClientState()
    whole.CopyFrom(asked)
    whole.ClearField("fragment_id")
    whole.ClearField("is_auto_rerun")
    return whole
