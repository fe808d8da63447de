"""Where every card stands in the running backward pass at a step: waiting, ready, running or done."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.graph_view import GraphView
from ..graph.shown.ready_queue import Visit, queues
from ..recording.events import NOTHING

_RANK = {"running": 4, "ready": 3, "waiting": 2, "done": 1, "captured": 1}
"""What a card that stands for several nodes shows: the liveliest of them."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A card's sign; `order` counts the nodes that are ready, from 1; `have` of `total` gradients have come."""

    state: str
    order: int = 0
    have: int = 0
    total: int = 0


def marks(view: GraphView, step: int) -> dict[str, Mark]:
    """The marks of the nodes on show at a step; none outside of backward passes."""
    recording = view.recording
    running = [queue for queue in queues(recording) if queue.began <= step < queue.ended] if recording.events else []
    if not running:
        return {}
    found: dict[str, Mark] = {}
    ready = 0
    for visit in running[-1].visits:
        state = _state(visit, step)
        ready += state == "ready"
        card = view.structure.card_of_node(visit.node)
        key = None if card is None else view.stand(card)
        if key is not None and (key not in found or _RANK[found[key].state] < _RANK[state]):
            have = sum(at <= step for at in visit.arrivals)
            found[key] = Mark(state, ready if state == "ready" else 0, have, len(visit.arrivals))
    return found


def _state(visit: Visit, step: int) -> str:
    if visit.ready == NOTHING or step < visit.ready:
        return "waiting"
    if visit.ran == NOTHING:
        return "captured"
    if step < visit.began:
        return "ready"
    return "running" if step <= visit.ran else "done"
