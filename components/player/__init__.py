"""The player: graph canvas, timeline and caption in one component that steps in the browser.

`graph_view` sends a prepared payload once per run and view; stepping, playing and zooming then happen without Python,
which hears of the step (when the user pauses) and of the selected node. The frontend's source is in `frontend/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from components.browser.component_loader import ignore, packaged, sent
from engine.recording import Recording


class GraphState(NamedTuple):
    """What the player shows: the step (state after that event) and the selected node's id, if any."""

    step: int
    selected: str | None
    breakpoints: Mapping[str, Any] | None = None
    """{"lines": [{"cell", "line"}, …], "tensors": [{"node", "name", "when", "value"}, …]}, None until the user has set one."""
    folds: Mapping[str, Any] | None = None
    """{"picture", "opened": [group ids], "wanted": node}: the groups that the user wants open there, and the node to show."""
    rolled: Mapping[str, Any] | None = None
    """{"on", "turned": [loop ids], "window": [first step, last step] or None}: whether the user wants the run rolled, the loops
    turned from time to depth or back, and the steps for which the cards' histories are wanted. None until one is."""


def graph_view(
    payload: Mapping[str, Any],
    *,
    key: str,
    height: int | str = 640,
    selected: str | None = None,
    overlay: Mapping[str, Any] | None = None,
    breakpoints: Mapping[str, Any] | None = None,
    holds: Mapping[str, Any] | None = None,
    late: Mapping[str, Callable[[], Any]] = MappingProxyType({}),
) -> GraphState:
    """Show `payload` and return the step and selection that the user left the player at (`selected` until it has reported).

    A new `payload["rev"]` starts at the last step and fits the view; the same one keeps camera, step and selection.

    Args:
        overlay: marks over the graph (a path and its cut, errors, differences), as `frontend/src/overlay.js` says; replaces
            the payload's own. Another one leaves camera and step alone.
        holds: what the player has said that it has of a large recording, which is not sent again: {"tape", "captions": whether
            it has those, "rev", "details": whether it has those}, or {"sketch"} as long as it has no more than that.
        late: gives "captions" and "details" of a large recording, which are sent when the picture is there.
        breakpoints: taken over by the player whenever they change here, in the form of `GraphState.breakpoints`.
    """
    last = max(0, payload["total"] - 1)
    data = {**payload, "key": key}
    if overlay is not None:
        data["overlay"] = overlay
    if breakpoints is not None:
        data["breakpoints"] = breakpoints
    state = _player()(
        data=sent(_needed(data, holds, late)), key=key, height=height, on_holds_change=ignore,
        on_step_change=ignore, on_selected_change=ignore, on_breakpoints_change=ignore, on_folds_change=ignore,
        on_rolled_change=ignore,
    )  # fmt: skip
    step = state.get("step")
    chosen = state.get("selected")
    if step is None and chosen is None:
        chosen = selected
    at = last if step is None else min(int(step), last)
    return GraphState(at, chosen, state.get("breakpoints"), state.get("folds"), state.get("rolled"))


LARGE = 3_000
"""Steps from which on the player is sent a recording in parts, and none again that it has."""


def in_parts(recording: Recording) -> bool:
    """Whether the player is sent a recording in parts: a sketch, then what the cards show, then captions and details."""
    return len(recording.events) >= LARGE


def knows(holds: Mapping[str, Any] | None, rev: str, tape: str) -> bool:
    """Whether the player shows the sketch of a drawing, or knows its tape already."""
    return isinstance(holds, Mapping) and (holds.get("sketch") == rev or holds.get("tape") == tape)


_TAPE = ("steps", "segments", "lines", "queues", "passes", "index")
_PICTURE = ("nodes", "edges", "network")


def _needed(data: dict[str, Any], holds: Mapping[str, Any] | None, late: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
    """The data without what the player has, and with what comes later if it has the rest."""
    if data["total"] < LARGE:
        return data
    data["large"] = True
    if "steps" not in data:
        return data  # a sketch, or what is new in a rolled picture
    has = holds if isinstance(holds, Mapping) else {}
    if "window" in data:
        return _of_window(data, has)
    there: tuple[str, ...] = ()
    for part, name, parts in (("captions", "tape", _TAPE), ("details", "rev", _PICTURE)):
        if has.get(name) == data.get(name):
            there += parts
            if not has.get(part) and part in late:
                data[part] = late[part]()
    return {name: value for name, value in data.items() if name not in there}


def _of_window(data: dict[str, Any], has: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a rolled picture without what the player has of the run."""
    there: tuple[str, ...] = _TAPE if has.get("tape") == data["tape"] else ()
    return {name: value for name, value in data.items() if name not in there}


_player = packaged("player", Path(__file__).parent / "build")
