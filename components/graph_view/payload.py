"""What the player is sent: the graph with its layout, every node's faces over all steps, the timeline."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import msgspec
import networkx as nx
from pyvis.network import Network

from components.graph_view.watched import Details, detail, watch
from engine.diagnosis.merged import LEGEND as CHANGES
from engine.diagnosis.merged import Merged, merged
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


def payload(
    recording: Recording,
    view: str = "tensors",
    direction: str = "LR",
    run: str = "",
    pinned: Recording | None = None,
    details: Details | None = None,
) -> dict[str, Any]:
    """The player's data for one view of a recording, merged with that of a `pinned` run, if there is one.

    `run` identifies the recording, so that the player keeps step and camera while it stays the same. `details` gives the
    lines to show for a gradient on an edge.
    """
    both = merged(pinned, recording, view) if pinned is not None else None  # type: ignore[arg-type]
    own = both.own if both else build(recording, view)  # type: ignore[arg-type]
    graph = both.graph if both else own
    # The picture has leaves on the left in both views, though grad_fn edges point from results to leaves.
    flipped = view == "autograd"
    placed = layout(graph.reverse(copy=True) if flipped else graph, direction)  # type: ignore[arg-type]
    seen = faces(recording, own)
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
                "history": [[step, msgspec.to_builtins(face)] for step, face in seen.nodes.get(key, [])]
                or ([[0, both.faces[key]]] if both and key in both.faces else []),
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
                "id": name, "from": u, "to": v, "route": route[::-1] if flipped else route,
                "kind": "removed" if a.get("removed") else a["kind"],
                "born": a["born"], "far": at in placed.far,
                "history": [[step, msgspec.to_builtins(face)] for step, face in seen.edges.get((u, v, k), [])],
            }
        )  # fmt: skip
    tones = dict.fromkeys(n["tone"] for n in nodes)
    data: dict[str, Any] = {
        "rev": sha256(f"{run}|{view}|{direction}".encode()).hexdigest()[:16],
        "network": {"nodes": network.nodes, "edges": network.edges, "options": _options(network)},
        "nodes": nodes,
        "edges": edges,
        "steps": msgspec.to_builtins(steps(recording, own)),
        "segments": msgspec.to_builtins(segments(recording)),
        "view": view,
        "direction": direction,
        "legend": [{"tone": tone, "label": LEGEND[tone]} for tone in LEGEND if tone in tones] + _edge_legend(graph),
    }
    watch(data, recording, own)
    if details is not None:
        detail(data, recording, own, details)
    if both:
        data["overlay"] = overlay(both)
    return data


def overlay(both: Merged) -> dict[str, Any]:
    """The marks of a comparison, as the player lays them over the graph."""
    return {
        "nodes": both.nodes,
        "edges": {f"{u}>{v}>{k}": mark for (u, v, k), mark in both.edges.items()},
        "legend": [{"tone": tone, "label": CHANGES[tone]} for tone in both.tones()],
    }


def _tone(node: dict[str, Any]) -> str:
    if node.get("removed"):
        return "removed"
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
