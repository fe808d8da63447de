"""The player: graph canvas, timeline and caption in one component that steps in the browser.

`graph_view` sends a prepared payload once per run and view; stepping, playing and zooming then happen without Python,
which hears of the step (when the user pauses) and of the selected node. The frontend's source is in `frontend/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from components.packaged import ignore, packaged


class GraphState(NamedTuple):
    """What the player shows: the step (state after that event) and the selected node's id, if any."""

    step: int
    selected: str | None


def graph_view(payload: Mapping[str, Any], *, key: str, height: int | str = 640, selected: str | None = None) -> GraphState:
    """Show `payload` and return the step and selection that the user left the player at (`selected` until it has reported).

    A new `payload["rev"]` starts at the last step and fits the view; the same one keeps camera, step and selection.
    """
    last = max(0, len(payload["steps"]) - 1)
    state = _player()(data={**payload, "key": key}, key=key, height=height, on_step_change=ignore, on_selected_change=ignore)
    step = state.get("step")
    chosen = state.get("selected")
    if step is None and chosen is None:
        chosen = selected
    return GraphState(last if step is None else min(int(step), last), chosen)


_player = packaged("player", Path(__file__).parent / "build")
