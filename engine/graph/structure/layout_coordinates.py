"""Where nodes and bends stand within their ranks: near their neighbours, in order, and long edges straight."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

NODE_GAP = 22.0
BEND_GAP = 12.0
COMPONENT_GAP = 48.0
ONE_SIDED, BOTH = 4, 8
"""Moves of all ranks that look one way, and after those, at most, such that look both ways."""
STILL = 0.25
"""Pixels that do not count as a move."""
LEAF, ASIDE, LINE = 1e-4, 1e-2, 2.0
"""What some weigh beside others where they do not all find room: leaves follow what they feed, what is not on its neighbours'
main line makes way for it, and bends and the main line want to stay straight."""


def placed(
    layers: Sequence[Sequence[int]],
    part: Sequence[int],
    wide: Sequence[float],
    up: Sequence[Sequence[int]],
    down: Sequence[Sequence[int]],
    light: Sequence[bool],
    chains: Sequence[Sequence[int]],
    n: int,
) -> list[float]:
    """The middle of each thing across the ranks; from `n` on they are bends, which `chains` lists with both ends."""
    placing = _Placing(layers, part, wide, up, down, light, n)
    placing.stack()
    placing.sweep()
    placing.straighten(chains)
    return placing.at


class _Placing:
    def __init__(
        self,
        layers: Sequence[Sequence[int]],
        part: Sequence[int],
        wide: Sequence[float],
        up: Sequence[Sequence[int]],
        down: Sequence[Sequence[int]],
        light: Sequence[bool],
        n: int,
    ) -> None:
        self.layers, self.n = layers, n
        self.at = [0.0] * len(up)
        # Leaves beside a chain of results do not pull it off its line; what has only leaves around it stands among them.
        self.up = [_heavy(near, light) for near in up]
        self.down = [_heavy(near, light) for near in down]
        back, on = self._main(self.up, layers), self._main(self.down, layers[::-1])
        for i in range(len(up)):
            if back[i] >= 0 and on[back[i]] == i:
                # On a main line: this, and nothing else, says where they stand.
                self.up[i], self.down[back[i]] = [back[i]], [i]
        self.weight = [
            (LEAF if light[i] else LINE if i >= n or _on_line(i, back, on) else ASIDE if _aside(i, back, on) else 1.0)
            * max(len(up[i]) + len(down[i]), 1) ** 0.5
            for i in range(len(up))
        ]
        self.offsets = [
            list(accumulate((self._gap(a, b, part, wide) for a, b in pairwise(layer)), initial=0.0)) for layer in layers
        ]
        """How far the things of each rank are from its first one, as close together as they may be."""

    def _gap(self, a: int, b: int, part: Sequence[int], wide: Sequence[float]) -> float:
        """The least distance between the middles of two neighbours in a rank."""
        gap = BEND_GAP if a >= self.n or b >= self.n else NODE_GAP
        if part[a] != part[b]:
            gap = COMPONENT_GAP
        return (wide[a] + wide[b]) / 2 + gap

    def _main(self, near: Sequence[Sequence[int]], ranks: Sequence[Sequence[int]]) -> list[int]:
        """For each thing the neighbour from which the longest way leads on; -1 for a draw."""
        way = [0] * len(near)
        main = [-1] * len(near)
        for layer in ranks:
            for i in layer:
                around = near[i]
                if not around:
                    continue
                ways = [way[j] for j in around]
                most = max(ways)
                way[i] = most + (i < self.n)
                if ways.count(most) == 1:
                    main[i] = around[ways.index(most)]
        return main

    def stack(self) -> None:
        """Everything as close together as it may be, around the middle."""
        for layer, offsets in zip(self.layers, self.offsets):
            for i, offset in zip(layer, offsets):
                self.at[i] = offset - offsets[-1] / 2

    def sweep(self) -> None:
        """Move every rank towards the ranks before and after it, at last towards both, until nothing moves any more."""
        last = len(self.layers) - 1
        for sweep in range(ONE_SIDED):
            first, second = (self.up, self.down) if sweep % 2 == 0 else (self.down, self.up)
            near = [one or other for one, other in zip(first, second)]
            for k in range(last + 1) if sweep % 2 == 0 else range(last, -1, -1):
                self._settle(k, near)
        near = [[*one, *other] for one, other in zip(self.up, self.down)]
        waiting = [True] * (last + 2)
        for sweep in range(BOTH):
            for k in range(last + 1) if sweep % 2 == 0 else range(last, -1, -1):
                if waiting[k]:
                    waiting[k] = False
                    if self._settle(k, near) > STILL:
                        waiting[k - 1] = waiting[k + 1] = True
            if True not in waiting[: last + 1]:
                return

    def _settle(self, rank: int, near: Sequence[Sequence[int]]) -> float:
        """Move a rank's things as close to the mean of those near them as order and gaps allow; how far at most."""
        at, layer = self.at, self.layers[rank]
        before = [at[i] for i in layer]
        wanted = []
        for i, old in zip(layer, before):
            around = near[i]
            if len(around) == 1:
                wanted.append(at[around[0]])
            else:
                wanted.append(sum([at[j] for j in around]) / len(around) if around else old)
        far = 0.0
        for i, old, new in zip(layer, before, _apart(wanted, self.offsets[rank], [self.weight[i] for i in layer])):
            at[i] = new
            far = max(far, new - old, old - new)
        return far

    def straighten(self, chains: Sequence[Sequence[int]]) -> None:
        """Give the bends of a long edge one line as far as their neighbours leave room for it. What only passes by, from one
        row to the next, keeps as close to the middle as it may."""
        nodes = [self.at[i] for layer in self.layers for i in layer if i < self.n]
        middle = (min(nodes) + max(nodes)) / 2 if nodes else 0.0
        passing = any(chain[0] >= self.n or chain[-1] >= self.n for chain in chains)
        for _ in range(1 + passing):  # what passes outside of another may move when that has
            self._straighten(chains, middle)

    def _straighten(self, chains: Sequence[Sequence[int]], middle: float) -> None:
        where = {}
        for layer, offsets in zip(self.layers, self.offsets):
            for k, i in enumerate(layer):
                if i >= self.n:
                    before = (layer[k - 1], offsets[k] - offsets[k - 1]) if k else None
                    after = (layer[k + 1], offsets[k + 1] - offsets[k]) if k + 1 < len(layer) else None
                    where[i] = before, after
        at = self.at
        for chain in chains:
            run: list[int] = []
            low, high = -float("inf"), float("inf")
            comes, goes = chain[0] >= self.n, chain[-1] >= self.n
            end = middle if goes else at[chain[-1]]
            line = end if comes else at[chain[0]]
            for i in (*chain[not comes : len(chain) if goes else -1], -1):
                if i >= 0:
                    before, after = where[i]
                    floor = at[before[0]] + before[1] if before else -float("inf")
                    roof = at[after[0]] - after[1] if after else float("inf")
                    if max(low, floor) <= min(high, roof):
                        low, high = max(low, floor), min(high, roof)
                        run.append(i)
                        continue
                wish = end if i < 0 and not low <= line <= high else line
                line = min(max(wish, low), high)
                for j in run:
                    at[j] = line
                if i >= 0:
                    run, low, high = [i], floor, roof


def _apart(wanted: Sequence[float], offsets: Sequence[float], weights: Sequence[float]) -> Sequence[float]:
    """The nearest to what is wanted (least squares) that keeps the distances: adjacent violators are pooled."""
    shifts = [wish - offset for wish, offset in zip(wanted, offsets)]
    if all(a <= b for a, b in pairwise(shifts)):
        return wanted
    means: list[float] = []
    pooled: list[float] = []
    counts: list[int] = []
    for mean, weight in zip(shifts, weights):
        count = 1
        while means and means[-1] > mean:
            other = pooled.pop()
            mean = (means.pop() * other + mean * weight) / (other + weight)
            weight += other
            count += counts.pop()
        means.append(mean)
        pooled.append(weight)
        counts.append(count)
    spread = (mean for mean, count in zip(means, counts) for _ in range(count))
    return [mean + offset for mean, offset in zip(spread, offsets)]


def _heavy(near: Sequence[int], light: Sequence[bool]) -> Sequence[int]:
    if len(near) < 2:
        return near
    heavy = [j for j in near if not light[j]]
    return heavy if heavy and len(heavy) < len(near) else near


def _on_line(i: int, back: Sequence[int], on: Sequence[int]) -> bool:
    """Whether a thing and one of its neighbours are each other's main one."""
    return (back[i] >= 0 and on[back[i]] == i) or (on[i] >= 0 and back[on[i]] == i)


def _aside(i: int, back: Sequence[int], on: Sequence[int]) -> bool:
    """Whether the main neighbour of a thing has another one."""
    return (back[i] >= 0 and on[back[i]] not in (i, -1)) or (on[i] >= 0 and back[on[i]] not in (i, -1))
