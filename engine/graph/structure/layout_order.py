"""The order of nodes and bends within their ranks, with few crossings."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

SWEEPS = 24
PATIENCE = 4
"""Sweeps in a row that bring nothing, after which it stays as it is."""
CAREFUL = 800
"""Nodes and bends up to which there is time for more: further starts, and exchanging neighbours."""
FEW = 64
"""Pairs of neighbours that are compared one by one."""
EXCHANGES = 8
"""Passes of exchanging neighbours after a sweep."""


def ordered(
    rank: Sequence[int], up: Sequence[Sequence[int]], down: Sequence[Sequence[int]], further: Iterable[tuple[int, int]]
) -> tuple[list[list[int]], list[int]]:
    """The things of each rank in order, and for each thing the number of its connected part.

    Parts stand together, in the order in which they were added; `further` are pairs that join parts but do not count else.
    """
    part = _parts(up, down, further)
    careful = len(rank) <= CAREFUL
    best, fewest = _sorted(_started(rank, part, _walk(up, down)), part, up, down, careful)
    for start in (_walk(down, up), range(len(rank))) if careful else ():
        if fewest:
            other, left = _sorted(_started(rank, part, start), part, up, down, careful)
            if left < fewest:
                best, fewest = other, left
    return best, part


def _started(rank: Sequence[int], part: Sequence[int], start: Iterable[int]) -> list[list[int]]:
    """The ranks in the order of a walk through everything."""
    layers: list[list[int]] = [[] for _ in range(max(rank, default=-1) + 1)]
    for i in start:
        layers[rank[i]].append(i)
    for layer in layers:
        layer.sort(key=part.__getitem__)
    return layers


def _parts(up: Sequence[Sequence[int]], down: Sequence[Sequence[int]], further: Iterable[tuple[int, int]]) -> list[int]:
    part = [-1] * len(up)
    more: dict[int, list[int]] = {}
    for u, v in further:
        more.setdefault(u, []).append(v)
        more.setdefault(v, []).append(u)
    count = 0
    for start in range(len(part)):
        if part[start] >= 0:
            continue
        part[start] = count
        stack = [start]
        while stack:
            i = stack.pop()
            for j in (*up[i], *down[i], *more.get(i, ())):
                if part[j] < 0:
                    part[j] = count
                    stack.append(j)
        count += 1
    return part


def _walk(up: Sequence[Sequence[int]], down: Sequence[Sequence[int]]) -> Iterable[int]:
    """Everything, depth first from the inputs, which starts the order with few crossings."""
    seen = [False] * len(up)
    for start in range(len(up)):
        stack = [] if up[start] else [start]
        while stack:
            i = stack.pop()
            if seen[i]:
                continue
            seen[i] = True
            yield i
            stack.extend(reversed(down[i]))


def _sorted(
    layers: list[list[int]],
    part: Sequence[int],
    up: Sequence[Sequence[int]],
    down: Sequence[Sequence[int]],
    careful: bool,
) -> tuple[list[list[int]], int]:
    """Sort each rank by the mean position of its neighbours, down and up; the best order met and its crossings."""
    position = [0] * len(part)
    for layer in layers:
        for k, i in enumerate(layer):
            position[i] = k
    best, fewest, idle = [list(layer) for layer in layers], crossings(layers, position, down), 0
    for sweep in range(SWEEPS):
        if not fewest or idle == (2 * PATIENCE if careful else PATIENCE):
            break
        near = up if sweep % 2 == 0 else down
        # Equals turn around now and then, which gets out of orders that no single move improves.
        turn = sweep % 4 >= 2
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            if len(layer) < 2:
                continue
            keys = {}
            for i in layer:
                around = near[i]
                mean = sum([position[j] for j in around]) / len(around) if around else position[i]
                keys[i] = (part[i], mean, -position[i] if turn else position[i])
            layer.sort(key=keys.__getitem__)
            for k, i in enumerate(layer):
                position[i] = k
        if careful:
            _exchange(layers, position, part, up, down)
        now = crossings(layers, position, down)
        idle += 1
        if now < fewest:
            best, fewest, idle = [list(layer) for layer in layers], now, 0
    return best, fewest


def _exchange(
    layers: list[list[int]],
    position: list[int],
    part: Sequence[int],
    up: Sequence[Sequence[int]],
    down: Sequence[Sequence[int]],
) -> None:
    """Let neighbours change places as long as that saves crossings."""
    waiting = set(range(len(layers)))
    for _ in range(EXCHANGES):
        moved = set()
        for r in sorted(waiting):
            layer = layers[r]
            for k in range(len(layer) - 1):
                a, b = layer[k], layer[k + 1]
                if part[a] == part[b] and _saved(up[a], up[b], position) + _saved(down[a], down[b], position) > 0:
                    layer[k], layer[k + 1] = b, a
                    position[a], position[b] = k + 1, k
                    moved |= {r - 1, r, r + 1}
        waiting = {r for r in moved if 0 <= r < len(layers)}
        if not waiting:
            return


def _saved(a: Sequence[int], b: Sequence[int], position: Sequence[int]) -> int:
    """How many crossings fewer there are if two neighbours in a rank, with these neighbours in the next one, change places."""
    if len(a) == 1 == len(b):
        # Nine of ten: bends, and what has one input and one use.
        one, other = position[a[0]], position[b[0]]
        return (one > other) - (one < other)
    if len(a) * len(b) <= FEW:
        return sum([(position[i] > position[j]) - (position[i] < position[j]) for i in a for j in b])
    # Two results of the same 700 things are half a million pairs; sorted, each of the one is looked up among the other.
    others = sorted([position[j] for j in b])
    return sum([bisect_left(others, position[i]) + bisect_right(others, position[i]) - len(others) for i in a])


def crossings(layers: Sequence[Sequence[int]], position: Sequence[int], down: Sequence[Sequence[int]]) -> int:
    """How many pairs of edges between neighbouring ranks cross (inversions, counted with a Fenwick tree)."""
    total = 0
    for layer, following in pairwise(layers):
        size = len(following)
        tree = [0] * (size + 1)
        seen, highest = 0, -1
        for i in layer:
            ends = down[i]
            if not ends:
                continue
            if len(ends) > 1:
                ends = sorted(ends, key=position.__getitem__)
            for j in ends:
                k, smaller = position[j] + 1, 0
                if k <= highest:
                    while k:
                        smaller += tree[k]
                        k &= k - 1
                    total += seen - smaller
            for j in ends:
                k = position[j] + 1
                highest = max(highest, k)
                while k <= size:
                    tree[k] += 1
                    k += k & -k
            seen += len(ends)
    return total
