"""What of a picture does not change with the steps: cards and edges where they are, rolled or not."""

from __future__ import annotations

import json
from typing import Any

from pyvis.network import Network

from engine.graph import Layout
from engine.graph.shown.node_kinds import LEGEND, edge_legend, tone
from engine.graph.structure.build import Graph


def drawn_nodes(graph: Graph, placed: Layout) -> list[dict[str, Any]]:
    """The cards of a graph."""
    nodes = []
    for key, a in graph.nodes(data=True):
        x, y = placed.positions[key]
        node = {
            "id": key, "x": round(x, 1), "y": round(y, 1), "w": a["width"], "h": a["height"], "shape": a["shape"],
            "tone": tone(a), "title": a["title"], "badge": a["badge"], "sub": a["sub"], "born": int(a["born"]),
        }  # fmt: skip
        if "members" in a:
            node["members"] = len(a["members"])
        nodes.append(node)
    return nodes


def drawn_edges(graph: Graph, placed: Layout, flipped: bool) -> list[dict[str, Any]]:
    """The edges of a graph, along their routes; those of one that was laid out the other way round are turned back."""
    edges = []
    for u, v, k, a in graph.edges(keys=True, data=True):
        at = (v, u, k) if flipped else (u, v, k)
        route = [[round(x, 1), round(y, 1)] for x, y in placed.routes[at]]
        edges.append(
            {
                "id": f"{u}>{v}>{k}", "from": u, "to": v, "route": route[::-1] if flipped else route,
                "kind": "removed" if a.get("removed") else a["kind"],
                "born": int(a["born"]), "far": at in placed.far,
            }
        )  # fmt: skip
    return edges


def drawn_network(nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> dict[str, Any]:
    """The same for vis-network, by way of pyvis; positions are fixed, because the layout is that of the whole recording."""
    network = Network(directed=True, cdn_resources="local")
    network.toggle_physics(False)
    network.nodes += [
        {"id": n["id"], "label": n["title"], "shape": "custom", "x": n["x"], "y": n["y"], "physics": False} for n in nodes
    ]
    network.edges += [{"id": e["id"], "from": e["from"], "to": e["to"]} for e in edges]
    options: dict[str, Any] = json.loads(network.options.to_json())
    options["interaction"] = {"hover": True, "dragNodes": False}
    return {"nodes": network.nodes, "edges": network.edges, "options": options}


def legend(graph: Graph, nodes: list[dict[str, Any]]) -> list[dict[str, str]]:
    """What the legend says of the cards and edges on show."""
    tones = dict.fromkeys(node["tone"] for node in nodes)
    return [{"tone": one, "label": LEGEND[one]} for one in LEGEND if one in tones] + edge_legend(graph)
