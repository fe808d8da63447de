"""Many things that lead to one and come from nowhere (200 leaves that are stacked), or come from one and lead nowhere, stand in
a grid: in one rank they would be a thread. Their edges share a line between the columns and one below them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .layout_coordinates import NODE_GAP
from .layout_rows import CHANNEL, COLUMN_GAP
from .layout_shape import Canvas
from .layout_strip import Block, EdgeKey, Level, Link

FEWEST = 9
"""Things that make a grid, at least."""
BROAD = 1.6
"""How much broader than the canvas, seen in its usual size, they must be in one rank."""


@dataclass(slots=True)
class Fan:
    """Things that have one edge each, out of them or into them, all with the same thing at its other end."""

    out: bool
    edges: dict[int, EdgeKey] = field(default_factory=dict)


def gathered(level: Level, canvas: Canvas) -> Level:
    """The level with one thing for every grid. The level itself where there is none."""
    fans = [fan for fan in _fans(level) if sum(level.wide[i] + NODE_GAP for i in fan.edges) > BROAD * canvas.across]
    if not fans:
        return level
    fan_of = {i: k for k, fan in enumerate(fans) for i in fan.edges}
    blocks = [_grid(level, fan, canvas) for fan in fans]
    made = Level(returns=level.returns)
    number: dict[int, int] = {}
    for i, key in enumerate(level.keys):
        k = fan_of.get(i)
        if k is not None and i != (first := next(iter(fans[k].edges))):
            number[i] = number[first]
            continue
        block = level.inner.get(i) if k is None else blocks[k]
        number[i] = len(made.keys)
        made.keys.append(key)
        made.thick.append(level.thick[i] if k is None else blocks[k].length)
        made.wide.append(level.wide[i] if k is None else blocks[k].breadth)
        made.side.append(level.side[i])
        if block is not None:
            made.inner[number[i]] = block

    def mapped(links: Sequence[Link]) -> list[Link]:
        return [(edge, number[u], number[v]) for edge, u, v in links]

    made.firm, made.loose, made.carried = mapped(level.firm), mapped(level.loose), mapped(level.carried)
    made.entering = [(edge, number[v]) for edge, v in level.entering]
    made.leaving = [(edge, number[u]) for edge, u in level.leaving]
    made.after = [(number[u], number[v]) for u, v in level.after if number[u] != number[v]]
    return made


def _fans(level: Level) -> list[Fan]:
    """What has one edge to the same thing, or from it, and no other."""
    edges = [0] * len(level.keys)
    for links in (level.firm, level.loose, level.carried):
        for _, u, v in links:
            edges[u] += 1
            edges[v] += 1
    for _, i in (*level.entering, *level.leaving):
        edges[i] += 1
    bound = {i for pair in level.after for i in pair} | level.inner.keys()
    found: dict[tuple[int, bool], Fan] = {}
    for edge, u, v in level.firm:
        for i, other, out in ((u, v, True), (v, u, False)):
            if edges[i] == 1 < edges[other] and i not in bound and level.side[i] == level.side[other]:
                found.setdefault((other, out), Fan(out)).edges[i] = edge
    return [Fan(fan.out, dict(sorted(fan.edges.items()))) for fan in found.values() if len(fan.edges) >= FEWEST]


def _grid(level: Level, fan: Fan, canvas: Canvas) -> Block:
    """Rows that are read as text is, in the shape of the canvas, with a gap beside each column for the line of its edges."""
    thick, wide = max(level.thick[i] for i in fan.edges), max(level.wide[i] for i in fan.edges)
    pitch, many = thick + COLUMN_GAP, len(fan.edges)

    def size(columns: int) -> tuple[float, float]:
        return columns * pitch, -(-many // columns) * (wide + NODE_GAP) - NODE_GAP

    def scale(columns: int) -> float:
        length, breadth = size(columns)
        return min(canvas.along / length, canvas.across / breadth)

    length, breadth = size(max(range(1, many + 1), key=scale))
    made = Block(length, breadth + CHANNEL)
    for at, (i, edge) in enumerate(fan.edges.items()):
        row, column = divmod(at, round(length / pitch))
        x, y = column * pitch + (thick / 2 if fan.out else pitch - thick / 2), row * (wide + NODE_GAP) + wide / 2
        made.spots[level.keys[i]] = (x, y)
        side = 1 if fan.out else -1
        gap = x + side * (thick + COLUMN_GAP) / 2
        way = [(x + side * level.thick[i] / 2, y), (gap, y), (gap, made.breadth), (length if fan.out else 0.0, made.breadth)]
        if fan.out:
            made.leaves[edge] = way
        else:
            made.enters[edge] = way[::-1]
    return made
