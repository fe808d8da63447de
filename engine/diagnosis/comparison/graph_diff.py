"""The graphs of two runs as one: the later run's graph, with what was removed put back in its place, and marks on the changes.

Nodes that only the earlier run has go by its keys behind a "b": `bt12`, `bn3`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from ...graph.graph_view import View, build
from ...graph.numbers import ArrayTexts, number
from ...graph.structure.build import Graph
from ...recording.events import NOTHING
from ...recording.recording import Recording
from .alignment import Matching, match
from .compare import Comparison, Row, compare

EdgeKey = tuple[str, str, int]

LEGEND = {"added": "only in this run", "removed": "only in the pinned run", "changed": "changed since the pinned run"}


@dataclass(eq=False)
class Merged:
    """Two runs' graph."""

    graph: Graph
    """`after`'s graph and the removed nodes and edges, which carry `removed=True`."""
    own: Graph
    """`after`'s graph alone."""
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Node → {"tone": "added" | "removed" | "changed", "label", "value"}; the rest is the same in both runs."""
    edges: dict[EdgeKey, dict[str, Any]] = field(default_factory=dict)
    faces: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What removed nodes show: `value` and `grad` at the end of their run."""

    def tones(self) -> list[str]:
        """Which marks occur."""
        used = {mark["tone"] for mark in (*self.nodes.values(), *self.edges.values())}
        return [tone for tone in LEGEND if tone in used]


def merged(before: Recording, after: Recording, view: View = "tensors") -> Merged:
    """The merged graph of two runs in one view, without a cycle but for writes."""
    return _Merger(before, after, view).run()


class _Merger:
    def __init__(self, before: Recording, after: Recording, view: View) -> None:
        self.before, self.after = before, after
        self.old, self.new = (_drawn(one) if view == "tensors" else build(one, view) for one in (before, after))
        self.matching: Matching = match(before, after)
        self.comparison: Comparison = compare(before, after)
        self.merged = Merged(self.new.copy(), self.new)
        self.view = view

    def run(self) -> Merged:
        names = {key: self.name(key) for key in self.old}
        for key, name in names.items():
            if name not in self.new:
                self.merged.graph.add_node(name, **{**self.old.nodes[key], "removed": True, "born": NOTHING})
                self.merged.nodes[name] = {"tone": "removed", "label": "removed", "value": None}
        kept = set(names.values())
        for key in self.new:
            if key not in kept:
                self.merged.nodes[key] = {"tone": "added", "label": "added", "value": None}
        self.edges(names)
        self.changes()
        return self.merged

    def name(self, key: str) -> str:
        """What a node of the earlier graph is called in the merged one."""
        found = self.matching.key(key)
        return found if found is not None and found in self.new else f"b{key}"

    def edges(self, names: dict[str, str]) -> None:
        left: dict[tuple[str, str], list[EdgeKey]] = {}
        for u, v, k in self.new.edges(keys=True):
            left.setdefault((u, v), []).append((u, v, k))
        numbers = max((k for _, _, k in self.new.edges(keys=True)), default=-1) + 1
        removed: list[EdgeKey] = []
        for u, v, _, attributes in self.old.edges(keys=True, data=True):
            at = names[u], names[v]
            if left.get(at):
                left[at].pop(0)
                continue
            edge = (*at, numbers)
            numbers += 1
            plain = {**attributes, "carries": [], "born": NOTHING, "removed": True}
            self.merged.graph.add_edge(*edge, **plain)
            self.merged.edges[edge] = {"tone": "removed"}
            removed.append(edge)
        for edges in left.values():
            for edge in edges:
                self.merged.edges[edge] = {"tone": "added"}
        # What fed a tensor in one run may be fed by it in the other; such edges do not shape the layout.
        solid = nx.DiGraph([(u, v) for u, v, a in self.merged.graph.edges(data=True) if not a.get("write")])
        if removed and not nx.is_directed_acyclic_graph(solid):
            for edge in removed:
                self.merged.graph.edges[edge]["write"] = True

    def changes(self) -> None:
        texts = ArrayTexts(self.before), ArrayTexts(self.after)
        for row in self.comparison.rows:
            for key in self.keys(row):
                if row.status == "changed":
                    self.merged.nodes[key] = {"tone": "changed", "label": _told(row, *texts), "value": _size(row)}
                elif row.status == "removed" and key in self.merged.nodes:
                    grad = (texts[0](row.grad.before) or None) if row.kept else None
                    self.merged.faces[key] = {"value": texts[0](row.value.before), "grad": grad}

    def keys(self, row: Row) -> list[str]:
        """The nodes of the view that stand for a tensor."""
        if self.view == "tensors":
            return [row.key] if row.key in self.merged.graph else []
        prefix, tensor = ("", row.after) if row.after != NOTHING else ("b", row.before)
        graph = self.merged.graph
        return [
            key for key, a in graph.nodes(data=True) if a["tensor"] == tensor and bool(a.get("removed")) == bool(prefix)
        ]  # fmt: skip


def _told(row: Row, old: ArrayTexts, new: ArrayTexts) -> str:
    """`3 → 3.5`, or `grad 42 → 84`; where the texts are alike, by how much."""
    change, text = (row.value, "") if row.value.changed else (row.grad, "grad ")
    if not change.changed:
        return row.flags
    one, other = old(change.before) or "None", new(change.after) or "None"
    if one == other:
        return f"{text}by {number(change.largest)}" if change.largest is not None else f"{text}{change.note}"
    return f"{text}{one} → {other}"


def _size(row: Row) -> float | None:
    sizes = [change.relative for change in (row.value, row.grad) if change.changed and change.relative is not None]
    finite = [size for size in sizes if size < float("inf")]
    return max(finite, default=None)


def _drawn(recording: Recording) -> Graph:
    """The recording's graph of tensors, kept for the next picture. Do not change it."""
    kept = recording.derived.get("drawn")
    if kept is None:
        kept = recording.derived["drawn"] = build(recording)
    graph: Graph = kept
    return graph
