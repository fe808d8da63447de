"""A layered layout: positions for all nodes and routes for all edges, in time close to linear in their number.

1. Ranks (`layout_ranks`): longest path from the inputs; then leaves, and what is made of leaves alone, move next to their
   users.
2. Edges over several ranks get a bend in each rank they cross (`layout_strip`). Edges from one node to many far ranks (a weight
   that every time step uses), or from many to one (the losses of all steps), share a lane beside the drawing instead; so do the
   longest edges beyond a budget of bends. This is what keeps graphs linear whose weights feed every time step.
3. Order within ranks (`layout_order`) by barycentres, sweeping down and up.
4. Shape (`layout_shape`): what would be too long or too high for the canvas is cut into rows where few edges cross, and parts
   that nothing joins are packed.
5. Coordinates (`layout_coordinates`): the longest chain of results keeps to one line, everything else wants to stand at the
   mean of its neighbours; the least-squares answer under the order and the gaps is found exactly, rank by rank, by pooling
   adjacent violators. Then long edges are straightened.
6. What joins rows, and what returns, goes by lanes between them (`layout_rows`).

A frame (a loop) is laid out by itself and stands in what is around it as one card, so it holds its nodes and no others.
Everything is deterministic, and ties go to the order in which nodes were added, so a small edit moves little.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias

import networkx as nx

from .layout_coordinates import BEND_GAP, NODE_GAP
from .layout_rows import Edges, in_rows
from .layout_shape import FEW_RANKS, FRAMED, FRAMES_GAIN, GAIN, READABLE, Canvas, Part, best_width, packed, rows_of
from .layout_straight import straight
from .layout_strip import Block, EdgeKey, Key, Level, Point, Strip, moved

Direction: TypeAlias = Literal["LR", "TB"]
"""From left to right, or from top to bottom."""

PADDING = 20.0
"""Pixels between a frame and what is in it."""
TITLE = 28.0
"""Pixels above that for a frame's title."""


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


def layout(graph: nx.DiGraph[Hashable], direction: Direction = "LR", aspect: float | None = None) -> Layout:
    """Lay out a graph whose nodes carry `width` and `height` in pixels; ranks run from left to right, or from top to bottom.

    Edge keys are (u, v), or (u, v, key) for a multigraph. Edges marked `write` may close cycles and do not shape the ranks;
    nor do those marked `carried`, which are led around the cards, out of the one and back into the other. A node's `frames`
    are the frames around it, outermost first; those marked `side` stand aside, in rows of their own. With the `aspect` of the
    canvas, its width by its height, what would be too small on it is brought into its shape: rows of ranks, and parts packed.
    Pairs (u, v) under the graph's attribute `after` are not drawn, but v gets a later rank than u.

    Raises:
        ValueError: if other edges form a cycle.
    """
    if direction not in ("LR", "TB"):
        raise ValueError(f"unknown direction {direction!r}, expected LR or TB")
    if aspect is not None and not 0 < aspect < float("inf"):
        raise ValueError(f"a canvas cannot be {aspect} times as wide as high")
    vertical = direction == "TB"
    canvas = None if aspect is None else Canvas.of(aspect, vertical)
    levels = _Levels(graph, vertical)
    block = levels.block((), canvas)

    def point(at: Point) -> Point:
        return (at[1], at[0]) if vertical else at

    def rectangle(x: float, y: float, length: float, breadth: float) -> tuple[float, float, float, float]:
        return (y, x, breadth, length) if vertical else (x, y, length, breadth)

    width, height = point((block.length, block.breadth))
    return Layout(
        {key: point(block.spots[key]) for key in graph},
        {edge: tuple(map(point, _lean(block.routes[edge]))) for edge in levels.edges},
        frozenset(block.far),
        width,
        height,
        {name: rectangle(*where) for name, where in block.frames.items()},
        frozenset(levels.carried),
    )


def _lean(route: list[Point]) -> list[Point]:
    """The route without points that are the same as the one before."""
    return [*(a for a, b in pairwise(route) if a != b), route[-1]] if len(route) > 2 else route


class _Levels:
    """The graph taken apart: what stands in no frame, and what stands in each."""

    def __init__(self, graph: nx.DiGraph[Hashable], vertical: bool) -> None:
        self.vertical = vertical
        self.levels: dict[tuple[str, ...], Level] = {(): Level()}
        self.thing: dict[tuple[tuple[str, ...], Key], int] = {}
        """The number of a node, or of a frame by its name, in the level that it stands in."""
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
        for depth in range(len(path) + 1, len(other) + 1):
            self.levels[other[:depth]].entering.append((edge, self._stand(other[:depth], v)))

    def block(self, path: tuple[str, ...], canvas: Canvas | None) -> Block:
        """A level laid out, with all frames in it."""
        level = self.levels[path]
        for number, inside in self.waiting[path]:
            framed = self._framed(inside[-1], self.block(inside, canvas))
            level.inner[number] = framed
            level.thick[number], level.wide[number] = framed.length, framed.breadth
        return _drawn(Strip(level), canvas, bool(path))

    def _framed(self, name: str, block: Block) -> Block:
        """A level with its frame around it."""
        before, above = (PADDING + TITLE, PADDING) if self.vertical else (PADDING, PADDING + TITLE)
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


# --- one level ----------------------------------------------------------------------------------------------------------------


def _drawn(strip: Strip, canvas: Canvas | None, framed: bool) -> Block:
    """A level in one row if that will do, else its parts in rows, packed."""
    level = strip.level
    wanted = canvas is not None and not _fits(strip, canvas, framed and not level.inner)
    plain = level.plain and all(u == v or abs(strip.rank[u] - strip.rank[v]) == 1 for _, u, v in strip.loose)
    if plain and not wanted:
        return straight(strip)
    ranks = _parts(strip)
    parts = [_measured(strip, layers, framed and not level.inner) for layers in ranks]
    # What enters a frame, or leaves it, must find its way to every part.
    column = bool(level.entering or level.leaving)
    gain = FRAMES_GAIN if level.inner else GAIN
    width = best_width(parts, canvas, column, gain) if canvas is not None and wanted else float("inf")
    if plain and width == float("inf") and len(parts) == 1:
        return straight(strip)
    edges = _edges_of(strip, len(ranks))
    blocks = []
    for layers, part, own in zip(ranks, parts, edges, strict=True):
        rows = [layers[a:b] for a, b in rows_of(part, width)]
        blocks.append(in_rows(strip, rows, own))
    spots, (length, breadth) = packed(
        [(block.length, block.breadth) for block in blocks], None if column or width == float("inf") else width
    )
    made = Block(length, breadth)
    for block, (x, y) in zip(blocks, spots, strict=True):
        made.put(block, x, y)
        for edge, route in block.enters.items():
            made.enters[edge] = _lean([(0.0, route[0][1] + y), *moved(route, x, y)])
        for edge, route in block.leaves.items():
            made.leaves[edge] = _lean([*moved(route, x, y), (length, route[-1][1] + y)])
    return made


def _fits(strip: Strip, canvas: Canvas, framed: bool) -> bool:
    """Whether a level can be read in one row, as far as can be told before it is placed."""
    one = not strip.n or (max(strip.part) == 0)
    if one and len(strip.layers) <= FEW_RANKS and not framed:
        return True
    part = _measured(strip, strip.layers, framed)
    return canvas.scale(part.length(), max(part.broad, default=0.0)) >= (FRAMED if framed else READABLE)


def _parts(strip: Strip) -> list[list[list[int]]]:
    """The ranks of each part by itself."""
    found: list[dict[int, list[int]]] = [{} for _ in range(max(strip.part, default=-1) + 1)]
    for rank, layer in enumerate(strip.layers):
        for i in layer:
            found[strip.part[i]].setdefault(rank, []).append(i)
    return [list(part.values()) for part in found]


def _measured(strip: Strip, layers: list[list[int]], framed: bool) -> Part:
    thick = [max((strip.thick[i] for i in layer), default=0.0) for layer in layers]
    broad = [
        sum(strip.wide[i] + (NODE_GAP if i < strip.n else BEND_GAP) for i in layer) - NODE_GAP if layer else 0.0
        for layer in layers
    ]
    links = [sum(len(strip.down[i]) for i in layer) for layer in layers]
    aside = next((k for k, layer in enumerate(layers) if any(i < strip.n and strip.level.side[i] for i in layer)), len(layers))
    return Part(thick, broad, links, aside, len(layers) <= FEW_RANKS and not framed)


def _edges_of(strip: Strip, parts: int) -> list[Edges]:
    """The edges of each part."""
    found = [Edges([], [], [], []) for _ in range(parts)]
    for number, link in enumerate(strip.edges):
        own = found[strip.part[link[1]]]
        if number in strip.bus:
            own.lanes.append(("far", link))
        else:
            own.ranked.append(number)
    for kind, links in (("write", strip.loose), ("carried", strip.level.carried), ("beside", strip.beside)):
        for link in links:
            found[strip.part[link[1]]].lanes.append((kind, link))
    for edge, v in strip.level.entering:
        found[strip.part[v]].entering.append((edge, v))
    for edge, u in strip.level.leaving:
        found[strip.part[u]].leaving.append((edge, u))
    return found
