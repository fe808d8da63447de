"""What components have told is handed out as a plain dictionary.

Streamlit makes a class of its own for it each time that it is read, by which the script could write into it. Some hundred
things for each component of a page, in a circle that only the garbage collector frees: with a hundred visitors most of what
it looks through. Nobody writes there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit.components.v2.bidi_component import main as components

from components.server.around import put_around

NAME = "make_bidi_component_presenter"
"""What makes the function that presents a component's state there: `(id_of_its_events, ...)`."""


def hand_out_plain_state() -> None:
    """Have sessions do so; without effect on a Streamlit that presents it under another name."""
    put_around(components, NAME, presenting)


def presenting(plain: Callable[..., Any]) -> Callable[..., Callable[[object, Any], object]]:
    """The function that makes presenters, of which each gives events and state side by side."""

    @wraps(plain)
    def make(events: str, *_: Any, **__: Any) -> Callable[[object, Any], object]:
        def present(state: object, session: Any) -> object:
            if not isinstance(state, dict):
                return state
            told = session._new_widget_state
            known = events in told.widget_metadata and events in told
            happened = told[events] if known else None
            each = happened if isinstance(happened, list) else [happened]
            return {one["event"]: one.get("value") for one in each if isinstance(one, dict) and "event" in one} | state

        return present

    return make
