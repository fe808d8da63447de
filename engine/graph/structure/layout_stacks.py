"""What follows one another and is low stands in one column, the edge between straight across the ranks, so rows are filled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .layout_strip import Block, EdgeKey, Level

HIGH = 132.0
"""Pixels up to which things are put above one another."""
GAP = 28.0
"""Pixels between them, for an arrow and for what is written below the one above."""


def stacked(level: Level, rank: Sequence[int]) -> Level:
    """The level with one thing for every stack: a thing and what is made of it alone. The level itself where there is none."""
    below = _below(level, rank)
    if not below:
        return level
    above = set(below.values())
    stacks = [[i] for i in range(len(level.keys)) if i not in above]
    for members in stacks:
        while members[-1] in below:
            members.append(below[members[-1]])
    number = {i: k for k, members in enumerate(stacks) for i in members}
    made = Level(returns=level.returns, after=[(number[u], number[v]) for u, v in level.after if number[u] != number[v]])
    for k, members in enumerate(stacks):
        made.keys.append(level.keys[members[0]])
        made.thick.append(max(level.thick[i] for i in members))
        made.wide.append(sum(level.wide[i] for i in members) + GAP * (len(members) - 1))
        made.side.append(level.side[members[0]])
        if len(members) > 1:
            made.inner[k] = _block(level, members)
        elif members[0] in level.inner:
            made.inner[k] = level.inner[members[0]]
    for links, others in ((level.firm, made.firm), (level.loose, made.loose), (level.carried, made.carried)):
        for edge, u, v in links:
            if links is level.firm and below.get(u) == v:
                block = made.inner[number[u]]
                (x, y), (_, end) = block.spots[level.keys[u]], block.spots[level.keys[v]]
                block.routes[edge] = [(x, y + level.wide[u] / 2), (x, end - level.wide[v] / 2)]
            else:
                _leave(level, made, edge, u, number[u])
                _enter(level, made, edge, v, number[v])
                others.append((edge, number[u], number[v]))
    for edge, v in level.entering:
        _enter(level, made, edge, v, number[v])
        made.entering.append((edge, number[v]))
    for edge, u in level.leaving:
        _leave(level, made, edge, u, number[u])
        made.leaving.append((edge, number[u]))
    return made


def _below(level: Level, rank: Sequence[int]) -> dict[int, int]:
    """For each thing the one that stands below it in a stack: the only one in the next rank that it leads to."""
    following = Counter(u for u, v in {(u, v) for _, u, v in level.firm} if rank[v] == rank[u] + 1)
    edges = Counter((u, v) for links in (level.firm, level.loose, level.carried) for _, u, v in links)
    joined: dict[int, set[int]] = {}
    for u, v in edges:
        joined.setdefault(u, set()).add(v)
        joined.setdefault(v, set()).add(u)
    sources: dict[int, set[int]] = {}
    for _, u, v in level.firm:
        sources.setdefault(v, set()).add(u)
    below: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    for _, u, v in level.firm:
        if u in below or v in members or len(sources[v]) > 1 or edges[u, v] > 1 or level.side[u] != level.side[v]:
            continue
        if u in level.inner or v in level.inner or rank[v] != rank[u] + 1 or following[u] > 1:
            continue
        stack = members.get(u, [u])
        if len(joined[v].intersection(stack)) > 1 or (v, u) in edges:
            continue
        if sum(level.wide[i] for i in (*stack, v)) + GAP * len(stack) <= HIGH:
            stack.append(v)
            below[u] = v
            for i in (u, v):
                members[i] = stack
    return below


def _block(level: Level, members: list[int]) -> Block:
    length = max(level.thick[i] for i in members)
    made = Block(length)
    for i in members:
        made.spots[level.keys[i]] = (length / 2, made.breadth + level.wide[i] / 2)
        made.breadth += level.wide[i] + GAP
    made.breadth -= GAP
    return made


def _enter(level: Level, made: Level, edge: EdgeKey, i: int, k: int) -> None:
    block = made.inner.get(k)
    if block is not None and i not in level.inner:
        x, y = block.spots[level.keys[i]]
        block.enters[edge] = [(0.0, y), (x - level.thick[i] / 2, y)]


def _leave(level: Level, made: Level, edge: EdgeKey, i: int, k: int) -> None:
    block = made.inner.get(k)
    if block is not None and i not in level.inner:
        x, y = block.spots[level.keys[i]]
        block.leaves[edge] = [(x + level.thick[i] / 2, y), (block.length, y)]
