"""The pictures of one view in a replay: folded as it opens, and with each group open, since a file cannot ask for another."""

from __future__ import annotations

from typing import Any

from components.player.folds import at_first, folding
from components.player.payload import drawing, payload
from components.player.watched import Details, detailed
from components.replay.openings import Rows, openings, running, standing
from engine.graph.graph_view import whole
from engine.graph.structure.folding import Mode
from engine.progress import Tell, told, untold
from engine.recording import Recording

FOLD: Mode = "auto"
_OWN = ("rev", "fold", "legend", "sites")
"""What a picture has of its own beside nodes and edges."""


def pictures(
    recording: Recording, view: str, direction: str, name: str, details: Details, tell: Tell = untold
) -> dict[str, Any]:
    """What all pictures of a view share, and the pictures by name: {"shared", "nodes", "edges", "pictures"}.

    `shared` is a payload without what differs. `nodes` and `edges` are tables; a picture's own `nodes` are [row in the table,
    x, y], its `edges` [row, whether far, route].
    """
    everything = whole(recording, view)
    groups = folding(recording, view, FOLD)
    nodes, edges = Rows(), Rows()
    made: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    wanted = openings(len(everything.graph), groups, at_first(recording, view, FOLD))
    for title, opened in told(list(wanted), tell):
        data = payload(drawing(recording, view, direction, name, fold=FOLD, opened=opened))
        made[title] = {
            **{part: data.pop(part) for part in _OWN},
            "nodes": [standing(node, nodes) for node in data.pop("nodes")],
            "edges": [running(edge, edges) for edge in data.pop("edges")],
        }
        shared = shared or data
    shared["network"] = {"options": shared["network"]["options"]}
    shared["details"] = detailed(recording, everything.graph, everything.faces, details)
    return {"shared": shared, "nodes": nodes.rows, "edges": edges.rows, "pictures": made}
