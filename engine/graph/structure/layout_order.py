"""The order of nodes and bends within their ranks, with few crossings.

What is ordered together is small: where all edges from one rank to the next begin in one thing, or all end in one, none of them
can cross, whatever the order on either side. Between such ranks there are pieces, and the blocks of a model are the same piece
again and again, which is ordered once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence

SWEEPS = 24
PATIENCE, HASTY = 6, 3
"""Sweeps in a row that bring nothing, after which it stays as it is; in large pieces after fewer."""
CAREFUL = 800
"""Nodes and bends, of pieces that differ, up to which there is time for exchanging neighbours."""
SMALL = 200
"""Nodes and bends of a piece up to which there is time for further starts."""
FEW = 64
"""Pairs of neighbours that are compared one by one."""
EXCHANGES = 8
"""Passes of exchanging neighbours after sweeps that brought nothing more."""

Layers = list[list[int]]
Neighbours = Sequence[Sequence[int]]
Structure = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]
"""A piece wherever it stands: the rank of each thing, counted from its first one, and the things that its edges lead to."""


def ordered(
    rank: Sequence[int], up: Neighbours, down: Neighbours, further: Iterable[tuple[int, int]]
) -> tuple[Layers, list[int]]:
    """The things of each rank in order, and for each thing the number of its connected part.

    Parts stand together, in the order in which they were added; `further` are pairs that join parts but do not count else.
    """
    part = _parts(up, down, further)
    layers: Layers = [[] for _ in range(max(rank, default=-1) + 1)]
    found = [(first, things, _structure(things, rank, down, first)) for first, things in _pieces(rank, part, down)]
    tangled = {structure for _, _, structure in found if _may_cross(structure)}
    careful = sum(len(ranks) for ranks, _ in tangled) <= CAREFUL
    known = {structure: _untangled(structure, careful) for structure in tangled}
    for first, things, structure in found:
        order = known.get(structure)
        if order is None:
            for i in things:
                layers[rank[i]].append(i)
        else:
            for k, layer in enumerate(order):
                layers[first + k].extend([things[i] for i in layer])
    return layers, part


# --- parts and pieces ---------------------------------------------------------------------------------------------------------


def _parts(up: Neighbours, down: Neighbours, further: Iterable[tuple[int, int]]) -> list[int]:
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


def _pieces(rank: Sequence[int], part: Sequence[int], down: Neighbours) -> list[tuple[int, list[int]]]:
    """The pieces, part by part and from the first rank on: the first rank of each, and its things as they were added."""
    height = max(rank, default=-1) + 1
    there: dict[int, list[int]] = {}
    for i, k in enumerate(rank):
        there.setdefault(part[i] * height + k, []).append(i)
    found: list[tuple[int, list[int]]] = []
    before, cut = -2, True
    for key in sorted(there):
        things = there[key]
        if cut or key != before + 1 or key % height == 0:
            found.append((key % height, []))
        found[-1][1].extend(things)
        before, cut = key, not _cross(things, down)
    for _, things in found:
        things.sort()
    return found


def _cross(things: Iterable[int], down: Neighbours) -> bool:
    """Whether two edges out of these things may cross: they have neither their beginning nor their end in common."""
    sources = [i for i in things if down[i]]
    if len(sources) < 2:
        return False
    ends = {j for i in sources for j in down[i]}
    return len(ends) > 1


def _structure(things: Sequence[int], rank: Sequence[int], down: Neighbours, first: int) -> Structure:
    number = {i: k for k, i in enumerate(things)}
    return (
        tuple([rank[i] - first for i in things]),
        tuple([tuple([number[j] for j in down[i] if j in number]) for i in things]),
    )


def _may_cross(structure: Structure) -> bool:
    return sum(1 for ends in structure[1] if ends) > 1


# --- one piece ----------------------------------------------------------------------------------------------------------------


def _untangled(structure: Structure, careful: bool) -> Layers:
    """The things of a piece, rank by rank in the best order that was met."""
    rank, down = structure
    up: list[list[int]] = [[] for _ in down]
    for i, ends in enumerate(down):
        for j in ends:
            up[j].append(i)
    best, fewest = _sorted(_started(rank, _walk(down, up)), up, down, careful)
    for start in (_walk(up, down), range(len(rank))) if len(rank) <= SMALL else ():
        if fewest:
            other, left = _sorted(_started(rank, start), up, down, careful)
            if left < fewest:
                best, fewest = other, left
    return best


def _started(rank: Sequence[int], start: Iterable[int]) -> Layers:
    """The ranks in the order of a walk through everything."""
    layers: Layers = [[] for _ in range(max(rank) + 1)]
    for i in start:
        layers[rank[i]].append(i)
    return layers


def _walk(up: Neighbours, down: Neighbours) -> Iterable[int]:
    """Everything, depth first from what has nothing above it, which starts the order with few crossings."""
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


def _sorted(layers: Layers, up: Neighbours, down: Neighbours, careful: bool) -> tuple[Layers, int]:
    """Sort each rank by the mean position of its neighbours, down and up; the best order met and its crossings."""
    order = _Order(layers, up, down)
    best, fewest, idle = order.copy(), order.total, 0
    for sweep in range(SWEEPS):
        if not fewest or idle == (PATIENCE if careful else HASTY):
            break
        # Equals turn around now and then, which gets out of orders that no single move improves.
        order.sweep(sweep % 2 == 0, sweep % 4 >= 2)
        if careful:
            order.exchange()
        idle += 1
        if order.total < fewest:
            best, fewest, idle = order.copy(), order.total, 0
    return best, fewest


class _Order:
    """The ranks of a piece in an order that is being improved."""

    def __init__(self, layers: Layers, up: Neighbours, down: Neighbours) -> None:
        self.layers, self.up, self.down = layers, up, down
        self.position = [0] * len(up)
        for layer in layers:
            self._number(layer)
        self.crossings = [0] * len(layers)
        """Of the edges from each rank to the next."""
        self.total = 0
        self._count(range(len(layers) - 1))
        self.loose = set(range(len(up)))
        """What may have come to be worth an exchange."""

    def copy(self) -> Layers:
        return [list(layer) for layer in self.layers]

    def _number(self, layer: Sequence[int]) -> None:
        position = self.position
        for k, i in enumerate(layer):
            position[i] = k

    def _count(self, ranks: Iterable[int]) -> None:
        for r in ranks:
            now = _crossings(self.layers[r], self.position, self.down)
            self.total += now - self.crossings[r]
            self.crossings[r] = now

    def sweep(self, downwards: bool, turned: bool) -> None:
        """Sort every rank by the one before it, or the one behind; equals as they are, or turned round."""
        position, near = self.position, self.up if downwards else self.down
        ranks = range(len(self.layers))
        changed = []
        for r in ranks if downwards else reversed(ranks):
            layer = self.layers[r]
            if len(layer) < 2:
                continue
            means = {}
            for i in layer:
                around = near[i]
                if len(around) == 1:
                    means[i] = float(position[around[0]])
                else:
                    means[i] = sum([position[j] for j in around]) / len(around) if around else float(position[i])
            now = sorted(reversed(layer) if turned else layer, key=means.__getitem__)
            if now != layer:
                self.layers[r] = now
                self._number(now)
                changed.append(r)
        self._count({k for r in changed for k in (r - 1, r) if 0 <= k < ranks[-1]})
        for k in {k for r in changed for k in (r - 1, r, r + 1) if 0 <= k <= ranks[-1]}:
            self.loose.update(self.layers[k])

    def exchange(self) -> None:
        """Let neighbours change places as long as that saves crossings."""
        position, up, down, crossings = self.position, self.up, self.down, self.crossings
        for _ in range(EXCHANGES):
            moved: set[int] = set()
            for r, layer in enumerate(self.layers):
                for k in range(len(layer) - 1):
                    a, b = layer[k], layer[k + 1]
                    if a not in self.loose and b not in self.loose:
                        continue
                    before, behind = _saved(up[a], up[b], position), _saved(down[a], down[b], position)
                    if before + behind > 0:
                        layer[k], layer[k + 1] = b, a
                        position[a], position[b] = k + 1, k
                        crossings[r - 1] -= before
                        crossings[r] -= behind
                        self.total -= before + behind
                        moved.update((a, b), up[a], up[b], down[a], down[b])
            self.loose = moved
            if not moved:
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


def _crossings(layer: Sequence[int], position: Sequence[int], down: Neighbours) -> int:
    """How many pairs of edges from a rank to the next one cross: of their ends, in order, those that a smaller one follows."""
    total = 0
    seen: list[int] = []
    for i in layer:
        ends = [position[j] for j in down[i]]
        total += sum([len(seen) - bisect_right(seen, k) for k in ends])
        for k in ends:
            insort(seen, k)
    return total
