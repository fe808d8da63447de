"""The player: graph canvas, timeline and caption in one component that steps in the browser.

`graph_view` sends a prepared payload once per run and view; stepping, playing and zooming then happen without Python,
which hears of the step (when the user pauses) and of the selected node. The frontend's source is in `frontend/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st
from streamlit.errors import StreamlitAPIException

BUILD = Path(__file__).parent / "build"


class GraphState(NamedTuple):
    """What the player shows: the step (state after that event) and the selected node's id, if any."""

    step: int
    selected: str | None


def graph_view(payload: Mapping[str, Any], *, key: str, height: int | str = 640) -> GraphState:
    """Show `payload` and return the step and selection that the user left the player at.

    A new `payload["rev"]` starts at the last step and fits the view; the same one keeps camera, step and selection.
    """
    last = max(0, len(payload["steps"]) - 1)
    state = _player()(
        data={**payload, "key": key}, key=key, height=height, on_step_change=_ignore, on_selected_change=_ignore
    )
    step = state.get("step")
    return GraphState(last if step is None else min(int(step), last), state.get("selected"))


def _ignore() -> None:
    """Streamlit keeps a state only if it has a callback; the script reads it from the result instead."""


_mounted: list[Callable[..., Any]] = []


def _player() -> Callable[..., Any]:
    """Declare the component, once and only when a script runs: its name must be known to the server by then."""
    if not _mounted:
        try:
            _mounted.append(st.components.v2.component("gradtape.player", js="player-*.js"))
        except StreamlitAPIException:
            # Not installed as a distribution, so the server does not know the folder: send the same bundle along.
            (bundle,) = BUILD.glob("player-*.js")
            _mounted.append(st.components.v2.component("gradtape_player", js=bundle.read_text(encoding="utf-8")))
    return _mounted[0]
