"""What the player is told of a whole recording, whatever of its graph is folded away: steps, timeline, queues."""

from __future__ import annotations

from typing import Any

import msgspec

from components.graph_view.full import Full
from engine.graph import line_ends, queues, segments, steps
from engine.graph.build import Graph
from engine.recording import Recording
from engine.recording.events import NOTHING
from engine.recording.index import index_of


def tape(recording: Recording, everything: Full, *, packed: bool) -> dict[str, Any]:
    """The parts of a payload that stay while groups are opened and closed; they name nodes of the whole graph.

    `packed` gives them as JSON that is written already, which takes a tenth of the memory.
    """

    def make() -> dict[str, Any]:
        plain = {
            "steps": msgspec.to_builtins(steps(recording, everything.graph)),
            "segments": msgspec.to_builtins(segments(recording)),
            "lines": line_ends(recording),
            "queues": _queues(recording, everything.graph),
        }
        return {name: msgspec.Raw(msgspec.json.encode(part)) for name, part in plain.items()} if packed else plain

    made: dict[str, Any] = everything.once(("tape", packed), make)
    return made


def _queues(recording: Recording, graph: Graph) -> list[dict[str, Any]]:
    """Per pass its nodes: [key or None, name, ready, began, ran, arrivals], in the order in which they ran."""
    index = index_of(recording)
    autograd = graph.graph["view"] == "autograd"

    def key_of(node: int) -> str | None:
        outputs = (index.owners.get((node, output), NOTHING) for output in range(4))
        keys = [f"n{node}"] if autograd else [f"t{tensor}" for tensor in outputs]
        return next((key for key in keys if key in graph), None)

    return [
        {
            "number": queue.number,
            "from": queue.began,
            "to": queue.ended,
            "visits": [
                [key_of(visit.node), index.nodes[visit.node].info.name, visit.ready, visit.began, visit.ran, visit.arrivals]
                for visit in queue.visits
            ],
        }
        for queue in queues(recording)
    ]
