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
from components.player.protocol import Moment, Reports, read


class GraphState(NamedTuple):
    """What the player shows: the step (state after that event) and the selected node's id, if any."""

    step: int
    selected: str | None
    more: bool = False
    """Whether there is more to be sent, for which the player asks when it has drawn what it got."""


def show_player(message: Mapping[str, Any], *, key: str, height: int | str = 640, selected: str | None = None) -> GraphState:
    """Show a `protocol.Message` and return the step and selection that the user left the player at (`selected` until it has
    reported).

    A new recording starts at the last step and fits the view; the same one keeps camera, step and selection.
    """
    heard = {f"on_{name}_change": ignore for name in Reports.__struct_fields__}
    state = _player()(data=sent({**message, "key": key}), key=key, height=height, **heard)
    return stands(read(state.get("moment"), Moment), message, selected)


def stands(told: Moment | None, message: Mapping[str, Any], selected: str | None = None) -> GraphState:
    """Where a player stands that has been sent a message and `told` this last: it tells only where that is not so.

    `frontend/src/report.js` has the same rule; both are tested with `frontend/test/stands.json`.
    """
    run, last = recording_of(message["tape"]), max(0, message["total"] - 1)
    keep, command = message.get("keep"), message.get("cmd")
    if told is not None and told.run == run:
        step, chosen = told.step, told.selected
    elif keep is not None and keep["run"] == run:
        step, chosen = keep["step"], keep["selected"]
    else:
        step, chosen = last, selected if told is None else None
    if command is not None and command.get("run") == run and command["n"] > (0 if told is None else told.n):
        step = step if command["step"] is None else command["step"]
        chosen = chosen if command["select"] is None else command["select"]
    return GraphState(max(0, min(step, last)), chosen)


def recording_of(tape: str) -> str:
    """What identifies the recording in what tells a run from others: the same, whichever view of it is on show."""
    return tape.replace("|", " ").partition(" ")[0]


_player = packaged("player", Path(__file__).parent / "build")
