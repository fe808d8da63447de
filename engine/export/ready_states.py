"""Where every card stands in the running backward pass at a step: waiting, ready, running or done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..graph.shown.ready_queue import Visit, queues
from ..graph.structure.build import Graph
from ..recording.events import NOTHING
from ..recording.index import index_of
from ..recording.recording import Recording

_RANK = {"running": 4, "ready": 3, "waiting": 2, "done": 1, "captured": 1}
"""What a card that stands for several nodes shows: the liveliest of them."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A card's sign; `order` counts the nodes that are ready, from 1."""

    state: str
    order: int = 0


def marks(recording: Recording, graph: Graph, step: int, card_of: Callable[[str], str] = str) -> dict[str, Mark]:
    """The marks at a step, by node key; none outside of backward passes. `card_of` says what stands for a node."""
    running = [queue for queue in queues(recording) if queue.began <= step < queue.ended] if recording.events else []
    if not running:
        return {}
    index = index_of(recording)
    autograd = graph.graph["view"] == "autograd"
    found: dict[str, Mark] = {}
    ready = 0
    for visit in running[-1].visits:
        state = _state(visit, step)
        ready += state == "ready"
        keys = [f"n{visit.node}"] if autograd else [f"t{index.owners.get((visit.node, k), NOTHING)}" for k in range(4)]
        key = next((key for key in map(card_of, keys) if key in graph), None)
        if key is not None and (key not in found or _RANK[found[key].state] < _RANK[state]):
            found[key] = Mark(state, ready if state == "ready" else 0)
    return found


def _state(visit: Visit, step: int) -> str:
    if visit.ready == NOTHING or step < visit.ready:
        return "waiting"
    if visit.ran == NOTHING:
        return "captured"
    if step < visit.began:
        return "ready"
    return "running" if step <= visit.ran else "done"
