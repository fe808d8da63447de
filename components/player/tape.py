"""What the player is told of a whole recording, whatever of its graph is folded away: steps, timeline, queues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from engine.graph import line_ends, queues, segments, steps
from engine.graph.graph_view import Whole
from engine.graph.shown.captions import captions
from engine.graph.structure.build import Graph
from engine.recording import Recording
from engine.recording.events import NOTHING
from engine.recording.index import index_of


def tape(recording: Recording, everything: Whole, *, captioned: bool) -> dict[str, Any]:
    """The parts of a payload that stay while groups are opened and closed; they name nodes of the whole graph."""

    def make() -> dict[str, Any]:
        return {
            "steps": written_up(steps(recording, everything.graph, captioned=captioned)),
            "segments": bands(recording, everything),
            "lines": written_up(line_ends(recording)),
            "queues": written_up(_queues(recording, everything.graph)),
        }

    made: dict[str, Any] = everything.once(("tape", captioned), make)
    return made


def bands(recording: Recording, everything: Whole) -> msgspec.Raw:
    """The timeline's segments."""
    made: msgspec.Raw = everything.once("bands", lambda: written_up(segments(recording)))
    return made


def late_captions(recording: Recording) -> msgspec.Raw:
    """The captions of all steps, for a player that has the tape without them. They are asked for once, so they are not kept."""
    return written_up(captions(recording))


def written_up(part: Any) -> msgspec.Raw:
    """Part of a payload as JSON that is written already."""
    return msgspec.Raw(msgspec.json.encode(part))


def _queues(recording: Recording, graph: Graph) -> list[dict[str, Any]]:
    index = index_of(recording)
    autograd = graph.graph["view"] == "autograd"

    def key_of(node: int) -> str | None:
        outputs = (index.owners.get((node, output), NOTHING) for output in range(4))
        keys = [f"n{node}"] if autograd else [f"t{tensor}" for tensor in outputs]
        return next((key for key in keys if key in graph), None)

    return queue_rows(recording, key_of)


def queue_rows(
    recording: Recording, key_of: Callable[[int], str | None], within: tuple[int, int] | None = None
) -> list[dict[str, Any]]:
    """Per pass its nodes: [key or None, name, ready, began, ran, arrivals], in the order in which they ran; `key_of` says which
    card stands for a node. Of passes that run between two steps, where they are given."""
    index = index_of(recording)
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
        for queue in queues(recording, within)
    ]
