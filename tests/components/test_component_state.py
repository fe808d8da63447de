"""What components have told is a plain dictionary, of events and state."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.components.v2.bidi_component import main as components
from streamlit.components.v2.presentation import make_bidi_component_presenter

from components.server import component_state


class Widgets(dict[str, Any]):
    """What widgets have told; events among it."""

    @property
    def widget_metadata(self) -> dict[str, Any]:
        return {name: SimpleNamespace(value_type="json_trigger_value") for name in self}


STATE = {"text": "abc", "n": 3}
TOLD = [
    None,
    [],
    {"event": "run", "value": {"text": "x"}},
    [{"event": "run", "value": 1}, {"event": "asked", "value": None}, {"event": "run", "value": 2}],
    ["nonsense", {"value": 1}],
]


@pytest.mark.parametrize("state", [STATE, {}, None, "text"])
@pytest.mark.parametrize("told", TOLD)
def test_it_says_what_streamlit_would_say(state: Any, told: Any) -> None:
    session: Any = SimpleNamespace(_new_widget_state=Widgets(events=told))
    here = component_state.presenting(make_bidi_component_presenter)
    assert here("events")(state, session) == make_bidi_component_presenter("events")(state, session)
    nothing: Any = SimpleNamespace(_new_widget_state=Widgets())
    assert here("events")(state, nothing) == state


def test_it_is_no_class_of_its_own() -> None:
    session: Any = SimpleNamespace(_new_widget_state=Widgets(events=None))
    present = component_state.presenting(make_bidi_component_presenter)("events", "component", {"text"})
    gc.collect()
    for _ in range(9):
        assert type(present(STATE, session)) is dict
    assert gc.collect() == 0, "and nothing is left to be collected"


def test_streamlit_has_what_it_is_put_around() -> None:
    assert callable(getattr(components, component_state.NAME))
