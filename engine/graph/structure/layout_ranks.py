"""The layout's ranks, and which edges share a lane instead of crossing all ranks between their ends."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Pair = tuple[int, int]

BENDS_PER_NODE = 4
"""The budget of bends."""
FAR = 4
"""Ranks from which on an edge is a long one."""
FAN = 4
"""Long edges from one node, or to one, from which on they share a lane."""


@dataclass(slots=True)
class Ranks:
    """The rank of each node; `light` are those that were moved next to the node they feed, such as leaves."""

    rank: list[int]
    light: list[bool]


def ranked(n: int, edges: Sequence[Pair], after: Sequence[Pair], name: Callable[[int], Any]) -> Ranks:
    """Ranks along which all edges, and the wishes in `after`, point forward.

    Raises:
        ValueError: if the edges form a cycle; wishes that would are dropped.
    """
    out: list[list[int]] = [[] for _ in range(n)]
    into: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges:
        out[u].append(v)
        into[v].append(u)
    later = [list(targets) for targets in out]
    entering = [len(sources) for sources in into]
    for u, v in after:
        later[u].append(v)
        entering[v] += 1
    rank = [0] * n
    ready = deque(i for i in range(n) if not entering[i])
    order = []
    while ready:
        u = ready.popleft()
        order.append(u)
        for v in later[u]:
            rank[v] = max(rank[v], rank[u] + 1)
            entering[v] -= 1
            if not entering[v]:
                ready.append(v)
    if len(order) < n and after:
        # Two runs' graphs merged into one may not be able to grant the wishes.
        return ranked(n, edges, (), name)
    if len(order) < n:
        stuck = next(name(i) for i in range(n) if entering[i])
        raise ValueError(f"the graph has a cycle through {stuck!r}; only acyclic graphs have a layered layout")
    free = _free(order, out, into)
    early = list(rank)
    for u in reversed(order):
        if out[u] and (free[u] or len(out[u]) > sum(not free[s] for s in into[u])):
            rank[u] = min(rank[v] for v in later[u]) - 1
    return Ranks(rank, [free[u] and len(out[u]) == 1 and rank[u] > early[u] for u in range(n)])


def _free(order: Sequence[int], out: Sequence[Sequence[int]], into: Sequence[Sequence[int]]) -> list[bool]:
    """Leaves, and what is made of nothing but leaves and of free nodes that no other node uses."""
    free = [False] * len(order)
    for u in order:
        free[u] = all(not into[s] or (free[s] and len(out[s]) == 1) for s in into[u])
    return free


def buses(n: int, edges: Sequence[Pair], rank: Sequence[int]) -> dict[int, int]:
    """The edges (by their index) without bends, each with the node whose lane it shares."""
    spans = [rank[v] - rank[u] for u, v in edges]
    leaving, arriving = [0] * n, [0] * n
    for (u, v), span in zip(edges, spans):
        if span >= FAR:
            leaving[u] += 1
            arriving[v] += 1
    found: dict[int, int] = {}
    for i, (u, v) in enumerate(edges):
        if spans[i] >= FAR and max(leaving[u], arriving[v]) >= FAN:
            found[i] = u if leaving[u] >= arriving[v] else v
    budget = BENDS_PER_NODE * max(n, 16)
    for span, i in sorted((span, i) for i, span in enumerate(spans) if i not in found):
        budget -= span - 1
        if budget < 0 and span > 1:
            found[i] = edges[i][0]
    return found
