"""What the player needs for debugging: queues of the passes, line ends, and each node's changes, gradients and sites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from components.player.folds import Shown
from engine.graph import Faces, changes, gradients, node_sites
from engine.graph.structure.build import Graph
from engine.recording import Recording
from engine.recording.events import NodeRan

Details = Callable[[int, int, int], Sequence[str]]
"""(step, node, its edge) → lines of text about the gradient that leaves there: upstream × local = contribution."""
MAX_DETAILS = 4000
"""Beyond so many gradients on edges their details are left out, so that the page stays quick."""


def watch(data: dict[str, Any], recording: Recording, graph: Graph, picture: Shown) -> None:
    """Add to a payload for `graph` what a debugger asks; a closed group changes whenever its card does."""
    everything = picture.everything
    if picture.graph is graph:
        changed, norms, found = everything.changes, everything.norms, everything.node_sites
    else:
        changed, norms, found = changes(recording, graph), gradients(recording, graph), node_sites(recording, graph)
    sites: dict[int, None] = {}
    for node in data["nodes"]:
        key = node["id"]
        if key not in graph:
            continue
        attributes = graph.nodes[key]
        node["op"] = attributes["op"]
        node["changes"] = changed[key] if key in changed else [step for step, _ in picture.faces.nodes[key]]
        node["sites"] = list(found.get(key, ()))
        sites.update(dict.fromkeys(node["sites"]))
        if key in norms:
            node["grads"] = norms[key]
        if attributes["in_backward"]:
            node["pass"] = attributes["in_backward"]
    named = {site: recording.sites[site] for site in sites}
    data["sites"] = {site: [s.cell, s.line, s.column, s.end_line, s.end_column] for site, s in named.items()}


def detailed(recording: Recording, graph: Graph, seen: Faces, details: Details) -> dict[str, dict[int, list[str]]]:
    """Edge → lines of text for the steps at which a gradient passes."""
    alone = [(u, v, k) for u, v, k, parts in graph.edges(keys=True, data="parts") if len(parts or ()) < 2]
    active = {edge: [step for step, face in seen.edges[edge] if face.active] for edge in alone}
    if sum(map(len, active.values())) > MAX_DETAILS:
        return {}
    told: dict[str, dict[int, list[str]]] = {}
    for edge, steps in active.items():
        for step in steps:
            event = recording.events[step]
            if not isinstance(event, NodeRan):
                continue
            for node, slot in graph.edges[edge]["carries"]:
                if node == event.node and (lines := details(step, node, slot)):
                    told.setdefault("{}>{}>{}".format(*edge), {}).setdefault(step, []).extend(lines)
    return told
