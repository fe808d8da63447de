"""A layered layout: positions for all nodes and routes for all edges, in time close to linear in their number.

1. Ranks (`layout_ranks`): longest path from the inputs; then leaves, and what is made of leaves alone, move next to their
   users.
2. Edges over several ranks get a bend in each rank they cross (`layout_strip`). Edges from one node to many far ranks (a weight
   that every time step uses), or from many to one (the losses of all steps), share a lane beside the drawing instead; so do the
   longest edges beyond a budget of bends. This is what keeps graphs linear whose weights feed every time step.
3. Order within ranks (`layout_order`) by barycentres, sweeping down and up.
4. Shape (`layout_level`, `layout_shape`): what would be too long or too high for the canvas is cut into rows where few edges
   cross, what is low is put into one column with what it is made of (`layout_stacks`), and parts that nothing joins are packed.
5. Coordinates (`layout_coordinates`): the longest chain of results keeps to one line, everything else wants to stand at the
   mean of its neighbours; the least-squares answer under the order and the gaps is found exactly, rank by rank, by pooling
   adjacent violators. Then long edges are straightened.
6. Rows (`layout_rows`) stand as close together as they may; what joins them, and what returns, goes by lanes between them
   (`layout_lanes`, `layout_routes`).

A frame (a loop) is laid out by itself and stands in what is around it as one card, so it holds its nodes and no others.
Everything is deterministic, and ties go to the order in which nodes were added, so a small edit moves little.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import networkx as nx

from .layout_level import EXACT, drawn, lean
from .layout_shape import Canvas
from .layout_strip import Block, EdgeKey, Key, Level, Point, Strip, moved

Direction: TypeAlias = Literal["LR", "TB"]
"""From left to right, or from top to bottom."""

PADDING = 14.0
"""Pixels between a frame and what is in it."""
TITLE = 16.0
"""Pixels above that for a frame's title."""
SHAPES = (1.0, 0.85, 0.7, 1.6)
"""Shapes that are tried for what is in frames, as shares of the canvas's width."""
NESTED = 16.0
"""Pixels above a frame in another one, for the title that stands on it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is, in pixels: centres of nodes, and polylines of edges from border to border."""

    positions: dict[Key, Point]
    routes: dict[EdgeKey, tuple[Point, ...]]
    far: frozenset[EdgeKey]
    """Edges that share a lane beside the drawing with others."""
    width: float
    height: float
    frames: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    """Left, top, width and height of each frame."""
    carried: frozenset[EdgeKey] = frozenset()
    """Edges that return."""


def layout(
    graph: nx.DiGraph[Hashable], direction: Direction = "LR", aspect: float | None = None, paged: bool = False
) -> Layout:
    """Lay out a graph whose nodes carry `width` and `height` in pixels; ranks run from left to right, or from top to bottom.

    Edge keys are (u, v), or (u, v, key) for a multigraph. Edges marked `write` may close cycles and do not shape the ranks;
    nor do those marked `carried`, which are led around the cards, out of the one and back into the other. A node's `frames`
    are the frames around it, outermost first; those marked `side` stand aside, in rows of their own. With the `aspect` of the
    canvas, its width by its height, what would be too small on it is brought into its shape: rows of ranks, and parts packed;
    what is `paged` and would still be too small is as wide as can be read on it, and longer.
    Pairs (u, v) under the graph's attribute `after` are not drawn, but v gets a later rank than u.

    Raises:
        ValueError: if other edges form a cycle.
    """
    if direction not in ("LR", "TB"):
        raise ValueError(f"unknown direction {direction!r}, expected LR or TB")
    if aspect is not None and not 0 < aspect < float("inf"):
        raise ValueError(f"a canvas cannot be {aspect} times as wide as high")
    vertical = direction == "TB"
    canvas = None if aspect is None else Canvas.of(aspect, vertical, paged)
    levels = _Levels(graph, vertical)
    block = levels.best(canvas)

    def point(at: Point) -> Point:
        return (at[1], at[0]) if vertical else at

    def rectangle(x: float, y: float, length: float, breadth: float) -> tuple[float, float, float, float]:
        return (y, x, breadth, length) if vertical else (x, y, length, breadth)

    width, height = point((block.length, block.breadth))
    return Layout(
        {key: point(block.spots[key]) for key in graph},
        {edge: tuple(map(point, lean(block.routes[edge]))) for edge in levels.edges},
        frozenset(block.far),
        width,
        height,
        {name: rectangle(*where) for name, where in block.frames.items()},
        frozenset(levels.carried),
    )


class _Levels:
    """The graph taken apart: what stands in no frame, and what stands in each."""

    def __init__(self, graph: nx.DiGraph[Hashable], vertical: bool) -> None:
        self.vertical = vertical
        self.levels: dict[tuple[str, ...], Level] = {(): Level()}
        self.thing: dict[tuple[tuple[str, ...], Key], int] = {}
        """The number of a node, or of a frame by its name, in the level that it stands in."""
        self.strips: dict[tuple[str, ...], Strip] = {}
        """Those of levels without frames in them."""
        self.waiting: dict[tuple[str, ...], list[tuple[int, tuple[str, ...]]]] = {(): []}
        """The frames in each level."""
        along, across = ("height", "width") if vertical else ("width", "height")
        paths: dict[Key, tuple[str, ...]] = {}
        for key, a in graph.nodes(data=True):
            path = paths[key] = tuple(a.get("frames") or ())
            for depth in range(len(path)):
                self._open(path[: depth + 1])
            self._thing(path, key, float(a.get(along, 100)), float(a.get(across, 40)), bool(a.get("side")))
        self.paths = paths
        self._put_aside()
        self.edges: list[EdgeKey] = []
        self.carried: set[EdgeKey] = set()
        multi = graph.is_multigraph()
        for edge in graph.edges(keys=True, data=True) if multi else graph.edges(data=True):
            u, v, data = edge[0], edge[1], edge[-1]
            self._edge((u, v, edge[2]) if multi else (u, v), data)
        for u, v in graph.graph.get("after", ()):
            if u in paths and v in paths:
                path = _common(paths[u], paths[v])
                a, b = self._stand(path, u), self._stand(path, v)
                if a != b:
                    self.levels[path].after.append((a, b))

    def _open(self, path: tuple[str, ...]) -> None:
        """Make a frame's level, and the frame a thing in the one around it."""
        if path not in self.levels:
            self.levels[path] = Level()
            self.waiting[path] = []
            self.waiting[path[:-1]].append((self._thing(path[:-1], ("frame", path[-1]), 0.0, 0.0, False), path))

    def _thing(self, path: tuple[str, ...], key: Key, thick: float, wide: float, side: bool) -> int:
        level = self.levels[path]
        number = self.thing[path, key] = len(level.keys)
        level.keys.append(key)
        level.thick.append(thick)
        level.wide.append(wide)
        level.side.append(side)
        return number

    def _put_aside(self) -> None:
        """A frame that holds nothing but what stands aside stands aside itself; within it there is nothing to stand beside."""
        for path in sorted(self.waiting, key=len, reverse=True):
            level = self.levels[path]
            if path and level.side and all(level.side):
                level.side = [False] * len(level.side)
                self.levels[path[:-1]].side[self.thing[path[:-1], ("frame", path[-1])]] = True

    def _stand(self, path: tuple[str, ...], key: Key) -> int:
        """What stands for a node in a level around it: itself, or the frame it is in."""
        own = self.paths[key]
        return self.thing[path, key if own == path else ("frame", own[len(path)])]

    def _edge(self, edge: EdgeKey, data: dict[str, object]) -> None:
        u, v = edge[:2]
        one, other = self.paths[u], self.paths[v]
        path = _common(one, other)
        level = self.levels[path]
        self.edges.append(edge)
        link = edge, self._stand(path, u), self._stand(path, v)
        if data.get("carried"):
            self.carried.add(edge)
            level.carried.append(link)
        else:
            (level.loose if data.get("write") or u == v else level.firm).append(link)
        for depth in range(len(path) + 1, len(one) + 1):
            self.levels[one[:depth]].leaving.append((edge, self._stand(one[:depth], u)))
            self.levels[one[:depth]].returns |= {edge} & self.carried
        for depth in range(len(path) + 1, len(other) + 1):
            self.levels[other[:depth]].entering.append((edge, self._stand(other[:depth], v)))
            self.levels[other[:depth]].returns |= {edge} & self.carried

    def best(self, canvas: Canvas | None) -> Block:
        """All of it laid out; where that takes little time, with frames of the shape that lets it be seen largest."""
        if canvas is None or len(self.levels) < 2 or len(self.paths) > EXACT:
            return self.block((), canvas, canvas)
        blocks = [self.block((), canvas, canvas.narrowed(share)) for share in SHAPES]
        return max(blocks, key=lambda block: canvas.worth(block.length, block.breadth))

    def block(self, path: tuple[str, ...], canvas: Canvas | None, inner: Canvas | None) -> Block:
        """A level laid out to fill a canvas, with all frames in it laid out to fill another one."""
        level = self.levels[path]
        for number, inside in self.waiting[path]:
            framed = self._framed(inside[-1], self.block(inside, inner, inner))
            level.inner[number] = framed
            level.thick[number], level.wide[number] = framed.length, framed.breadth
        if self.waiting[path]:
            return drawn(Strip(level), canvas, bool(path))
        # What holds no frames is the same in every canvas but for its rows.
        if path not in self.strips:
            self.strips[path] = Strip(level)
        return drawn(self.strips[path], canvas, bool(path))

    def _framed(self, name: str, block: Block) -> Block:
        """A level with its frame around it."""
        title = TITLE + (NESTED if block.frames else 0.0)
        before, above = (PADDING + title, PADDING) if self.vertical else (PADDING, PADDING + title)
        made = Block(block.length + before + PADDING, block.breadth + above + PADDING)
        made.put(block, before, above)
        made.frames[name] = (0.0, 0.0, made.length, made.breadth)
        for edge, route in block.enters.items():
            inner = moved(route, before, above)
            made.enters[edge] = [(0.0, inner[0][1]), *inner]
        for edge, route in block.leaves.items():
            inner = moved(route, before, above)
            made.leaves[edge] = [*inner, (made.length, inner[-1][1])]
        return made


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    depth = 0
    while depth < min(len(one), len(other)) and one[depth] == other[depth]:
        depth += 1
    return one[:depth]
