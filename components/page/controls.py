"""What the browser has told of the page's controls; Streamlit keeps it in the session under their keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from components.editor import newest


def value(key: str, default: Any = None) -> Any:
    """What a control says."""
    return st.session_state.get(key, default)


def put(key: str, value: object) -> None:
    """Have a control show something else; before it is drawn in this run."""
    st.session_state[key] = value


def begin_with(key: str, value: object) -> None:
    """What a control shows before the browser has told anything of it."""
    st.session_state.setdefault(key, value)


def chosen(key: str, before: str) -> str:
    """What a control is to show: what the browser has just told, else what it showed `before`.

    Hand it to the control as its default. When a rerun of a fragment is cut short by the next one, the browser drops the
    controls that the first had not drawn yet, and draws them anew with their default.
    """
    told = st.session_state.get(key)
    return told if isinstance(told, str) else before


def told(key: str, name: str) -> Any:
    """What a component has told under a name, before it is drawn again in this run; None for nothing."""
    found = st.session_state.get(key)
    return found.get(name) if isinstance(found, Mapping) else None


def newest_text(key: str, rev: int) -> str | None:
    """The text that an editor has sent last, unless it was typed into an earlier `rev`.

    It comes as a state when typing pauses and as a trigger with a run, which is gone after that run, so it is kept here.
    """
    kept = f"{key} newest"
    found = newest([st.session_state.get(kept), told(key, "text"), told(key, "run")], rev)
    if found is None:
        return None
    st.session_state[kept] = found
    return str(found["text"])
