"""The node that is selected in the graph: by a click, by the page itself, and after a change of the view or of the program."""

from __future__ import annotations

from components.page import rolling
from components.page.state import page
from engine.graph.chosen import counterparts
from engine.recording import Recording
from engine.recording.columns import columns_of
from engine.recording.index import index_of


def select(node: str | None, *, open: bool = True) -> None:
    """Have the player select a node, and open the groups that it is in; else the closed one is selected."""
    p = page()
    p.selected = node
    view = rolling.view_of(p, p.recording) if p.recording is not None else None
    p.order(select=node if view is None else rolling.card(view, node), open=open)
    if node is not None:
        p.expected.add(node)


def go(step: int | None, node: str | None) -> None:
    """Have the player go to a step, and show a node there."""
    p = page()
    if node is not None and p.recording is not None:
        node = translated(p.recording, node, p.view) or node
    if node is None:
        p.order(step=step)
    else:
        select(node)
        p.command["step"] = step


def carry_over() -> None:
    """The run has been rolled or unrolled: what was selected stays so, though a closed group may stand for it."""
    p = page()
    if p.behind is None or p.selected is None or not p.selected.startswith("g:"):
        p.behind = p.selected
    if p.recording is not None and p.behind is not None and exists(p.recording, p.behind):
        select(p.behind, open=False)


def clicked(selected: str | None) -> bool:
    """Take note of the player's selection for the builder; whether the user has clicked a tensor since."""
    p = page()
    if selected == p.reported:
        return False
    p.reported = selected
    if selected in p.expected:
        p.expected.discard(selected)
        return False
    p.expected.clear()
    tensor = translated(p.recording, selected, "tensors") if p.recording is not None else None
    if tensor is None or not tensor.startswith("t"):
        return False
    p.picked.click(p.run_id, int(tensor[1:]))
    return True


def telling(recording: Recording | None) -> str | None:
    """The node that a fresh run shows in the inspector: the first leaf that gets a gradient, else the first tensor."""
    if recording is None:
        return None
    log = columns_of(recording)
    filled, made = log.grads.tensor[log.grads.number > 0], log.tensors.id
    return f"t{filled.min() if len(filled) else made[0]}" if len(filled) or len(made) else None


def exists(recording: Recording, selected: str) -> bool:
    """Whether a recording has a node."""
    if selected[:1] not in ("t", "n") or not selected[1:].isdecimal():
        return False
    index = index_of(recording)
    return int(selected[1:]) in (index.tensors if selected.startswith("t") else index.nodes)


def translated(recording: Recording, selected: str | None, view: str) -> str | None:
    """The node that stands in `view` for one selected in the other view: a tensor and its grad_fn or AccumulateGrad."""
    return None if selected is None else counterparts(recording, [selected], view).get(selected)
