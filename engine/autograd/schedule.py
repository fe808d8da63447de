"""Which nodes a backward pass visits, and in which order: known before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from .node import AccumulateGrad, Edge, Node

_sequence = attrgetter("sequence")

Schedule = tuple[list[Node], dict[Node, int], set[Node]]
"""Nodes to visit in order; per AccumulateGrad the number of edges that lead to it; the nodes whose rule runs."""


def schedule(roots: list[Node | None], captures: Sequence[Edge] | None, accumulate: bool) -> Schedule:
    """Of a pass from `roots`; with `captures`, of the part that leads there, and that runs there if it accumulates."""
    seen: set[Node] = set()
    dependencies: dict[Node, int] = {}
    stack: list[Node] = []
    for root in roots:
        if root.__class__ is AccumulateGrad:
            dependencies[root] = dependencies.get(root, 0) + 1
        elif root is not None and root not in seen:
            seen.add(root)
            stack.append(root)
    while stack:
        for node, _ in stack.pop().edges:
            if node is None:
                continue
            if node.__class__ is AccumulateGrad:
                dependencies[node] = dependencies.get(node, 0) + 1
            elif node not in seen:
                seen.add(node)
                stack.append(node)
    order = sorted(seen, key=_sequence, reverse=True)
    if captures is not None:
        return _restrict(roots, order, {node for node, _ in captures if node is not None}, accumulate)
    return order, dependencies, seen


def _restrict(roots: list[Node | None], order: list[Node], targets: set[Node], accumulate: bool) -> Schedule:
    """The part of a schedule that leads to `targets`."""
    needed: set[Node] = set()
    dependencies: dict[Node, int] = {}
    for root in roots:
        if root.__class__ is AccumulateGrad:
            dependencies[root] = dependencies.get(root, 0) + 1
    for node in reversed(order):
        if (accumulate and node in targets) or any(n in targets or n in needed for n, _ in node.edges):
            needed.add(node)
    for node in needed:
        for n, _ in node.edges:
            if n.__class__ is AccumulateGrad:
                dependencies[n] = dependencies.get(n, 0) + 1
    return [node for node in order if node in needed or node in targets], dependencies, needed
