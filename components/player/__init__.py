"""The player: graph canvas, timeline and caption in one component that steps in the browser.

`show_player` sends it a message (`protocol.py`, made by `feed.py`); stepping, playing and zooming then happen without Python,
which hears of the step (when the user pauses), of the selected node, and of what the player wants. The frontend's source is in
`frontend/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from components.browser.component_loader import ignore, packaged, sent
from components.player.protocol import Reports


class GraphState(NamedTuple):
    """What the player shows: the step (state after that event) and the selected node's id, if any."""

    step: int
    selected: str | None
    more: bool = False
    """Whether there is more to be sent, for which the player asks when it has drawn what it got."""


def show_player(message: Mapping[str, Any], *, key: str, height: int | str = 640, selected: str | None = None) -> GraphState:
    """Show a `protocol.Message` and return the step and selection that the user left the player at (`selected` until it has
    reported).

    A new `rev` starts at the last step and fits the view; the same one keeps camera, step and selection.
    """
    last = max(0, message["total"] - 1)
    heard = {f"on_{name}_change": ignore for name in Reports.__struct_fields__}
    state = _player()(data=sent({**message, "key": key}), key=key, height=height, **heard)
    step, chosen = state.get("step"), state.get("selected")
    if step is None and chosen is None:
        chosen = selected
    return GraphState(last if step is None else min(int(step), last), chosen)


_player = packaged("player", Path(__file__).parent / "build")
