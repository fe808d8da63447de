"""What the player is sent: the graph with its layout, every node's faces over all steps, the timeline."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import msgspec
import networkx as nx
from pyvis.network import Network

from engine.graph import build, faces, layout, segments, steps
from engine.recording import Recording

LEGEND = {
    "leaf": "leaf, requires grad",
    "root": "root of a backward pass",
    "result": "result",
    "constant": "no grad needed",
    "cut": "cut off by detach, no_grad or dtype",
    "accumulate": "AccumulateGrad: adds to .grad",
    "node": "grad_fn node",
}
"""Tone of a card -> what the legend says."""


def payload(recording: Recording, view: str = "tensors", direction: str = "LR", run: str = "") -> dict[str, Any]:
    """The player's data for one view of a recording.

    `run` identifies the recording, so that the player keeps step and camera while it stays the same.
    """
    graph = build(recording, view)  # type: ignore[arg-type]
    # The picture has leaves on the left in both views, though grad_fn edges point from results to leaves.
    flipped = view == "autograd"
    placed = layout(graph.reverse(copy=True) if flipped else graph, direction)  # type: ignore[arg-type]
    seen = faces(recording, graph)
    network = Network(directed=True, cdn_resources="local")
    network.toggle_physics(False)
    nodes = []
    for key, a in graph.nodes(data=True):
        x, y = placed.positions[key]
        tone = _tone(a)
        network.nodes.append({"id": key, "label": a["title"], "shape": "custom", "x": x, "y": y, "physics": False})
        nodes.append(
            {
                "id": key, "x": round(x, 1), "y": round(y, 1), "w": a["width"], "h": a["height"], "shape": a["shape"],
                "tone": tone, "title": a["title"], "badge": a["badge"], "sub": a["sub"], "born": a["born"],
                "history": [[step, msgspec.to_builtins(face)] for step, face in seen.nodes.get(key, [])],
            }
        )  # fmt: skip
    edges = []
    for u, v, k, a in graph.edges(keys=True, data=True):
        name = f"{u}>{v}>{k}"
        at = (v, u, k) if flipped else (u, v, k)
        route = [[round(x, 1), round(y, 1)] for x, y in placed.routes[at]]
        network.edges.append({"id": name, "from": u, "to": v})
        edges.append(
            {
                "id": name, "from": u, "to": v, "route": route[::-1] if flipped else route, "kind": a["kind"],
                "born": a["born"], "far": at in placed.far,
                "history": [[step, msgspec.to_builtins(face)] for step, face in seen.edges.get((u, v, k), [])],
            }
        )  # fmt: skip
    tones = dict.fromkeys(n["tone"] for n in nodes)
    return {
        "rev": sha256(f"{run}|{view}|{direction}".encode()).hexdigest()[:16],
        "network": {"nodes": network.nodes, "edges": network.edges, "options": _options(network)},
        "nodes": nodes,
        "edges": edges,
        "steps": msgspec.to_builtins(steps(recording, graph)),
        "segments": msgspec.to_builtins(segments(recording)),
        "view": view,
        "direction": direction,
        "legend": [{"tone": tone, "label": LEGEND[tone]} for tone in LEGEND if tone in tones] + _edge_legend(graph),
    }


def _tone(node: dict[str, Any]) -> str:
    if node["kind"] in ("accumulate", "node"):
        return "root" if node.get("root") else str(node["kind"])
    if node["cut"]:
        return "cut"
    if node["root"]:
        return "root"
    return str(node["kind"])


def _edge_legend(graph: nx.MultiDiGraph[str]) -> list[dict[str, str]]:
    kinds = {a["kind"] for _, _, a in graph.edges(data=True)}
    entries = [{"edge": "grad", "label": "gradient flowing now"}]
    return entries + ([{"edge": "cut", "label": "no gradient passes"}] if "cut" in kinds else [])


def _options(network: Network) -> dict[str, Any]:
    """pyvis's options as plain data; positions are fixed, because the layout is computed once for the whole recording."""
    options: dict[str, Any] = json.loads(network.options.to_json())
    options["interaction"] = {"hover": True, "dragNodes": False}
    return options
