"""What kind of card a node is, and what a legend says of it."""

from __future__ import annotations

from typing import Any

from ..structure.build import Graph

LEGEND = {
    "leaf": "leaf, requires grad",
    "root": "root of a backward pass",
    "result": "result",
    "constant": "no grad needed",
    "cut": "cut off by detach, no_grad or dtype",
    "accumulate": "AccumulateGrad: adds to .grad",
    "node": "grad_fn node",
    "step": "optimizer's step",
    "group": "group: double-click opens it",
}
"""Tone of a card -> what the legend says."""
CARRIED = "to the next iteration"
FLOWING = "gradient flowing now"
NOT_PASSING = "no gradient passes"


def tone(node: dict[str, Any]) -> str:
    """The tone of a node's card, from its attributes in the graph."""
    if node.get("removed"):
        return "removed"
    if node["kind"] in ("accumulate", "node"):
        return "root" if node.get("root") else str(node["kind"])
    if node["cut"]:
        return "cut"
    if node["root"]:
        return "root"
    return str(node["kind"])


def edge_legend(graph: Graph) -> list[dict[str, str]]:
    """The legend's entries for the edges of a graph."""
    kinds = {a["kind"] for _, _, a in graph.edges(data=True)}
    entries = [{"edge": "grad", "label": FLOWING}]
    return entries + ([{"edge": "cut", "label": NOT_PASSING}] if "cut" in kinds else [])
