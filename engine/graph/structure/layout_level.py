"""The drawing of one level: in one row if that will do, else its parts in rows of the canvas's shape, packed."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from .layout_coordinates import BEND_GAP, NODE_GAP
from .layout_fans import gathered
from .layout_routes import in_rows
from .layout_rows import COLUMN_GAP, Edges
from .layout_shape import FRAMED, READABLE, Canvas, Part, packed, rows_of, widths
from .layout_stacks import stacked
from .layout_straight import straight
from .layout_strip import Block, Point, Strip, moved

EXACT = 64
"""Nodes and bends up to which more than one way to cut a level into rows is drawn, to see which fills the canvas best."""
TRIED, TRIED_AROUND = 3, 2
"""How many ways that are; fewer where frames are among the things, which are tried in several shapes, too."""


def drawn(strip: Strip, canvas: Canvas | None, framed: bool) -> Block:
    """Draw a level; `framed` is whether it stands in a frame."""
    framed = framed or bool(strip.level.inner)
    if canvas is not None:
        strip = strip.once(("gathered", canvas), partial(_gathered, strip, canvas))
    level = strip.level
    wanted = canvas is not None and not _fits(strip, canvas, framed)
    if wanted:
        strip = strip.once("stacked", partial(_lowered, strip))
        level = strip.level
    plain = level.plain and all(u == v or abs(strip.rank[u] - strip.rank[v]) == 1 for _, u, v in strip.loose)
    if plain and not wanted:
        return straight(strip)
    ranks = _parts(strip)
    parts = [_measured(strip, layers, None if framed else canvas) for layers in ranks]
    edges = _edges_of(strip, len(ranks))
    # What enters a frame, or leaves it, must find its way to every part.
    column = bool(level.entering or level.leaving)
    tried = [float("inf")]
    if canvas is not None and wanted:
        tries = 1 if len(strip.rank) > EXACT else TRIED_AROUND if level.inner else TRIED
        tried = widths(parts, canvas, column)[:tries]
    if plain and tried[0] == float("inf") and len(parts) == 1:
        return straight(strip)

    def part_in_rows(number: int, rows: tuple[tuple[int, int], ...], spread: tuple[bool, ...]) -> Block:
        layers = [ranks[number][a:b] for a, b in rows]
        cut = [[[i] for i in row[0]] if wide else row for row, wide in zip(layers, spread)]
        return in_rows(strip, cut, edges[number])

    def assembled(width: float) -> Block:
        rows = [tuple(rows_of(part, width)) for part in parts]
        spread = [tuple(_spreads(strip, own[a:b], width) for a, b in cut) for own, cut in zip(ranks, rows)]
        blocks = [strip.once(cut, partial(part_in_rows, *cut)) for cut in zip(range(len(parts)), rows, spread)]
        return _together(blocks, None if column else width)

    if canvas is None or len(tried) == 1:
        return assembled(tried[0])
    return max(map(assembled, tried), key=lambda block: canvas.worth(block.length, block.breadth))


def lean(route: list[Point]) -> list[Point]:
    """The route without points that are the same as the one before."""
    return [*(a for a, b in pairwise(route) if a != b), route[-1]] if len(route) > 2 else route


def _together(blocks: list[Block], width: float | None) -> Block:
    """Parts packed into one block."""
    sizes = [(block.length, block.breadth) for block in blocks]
    spots, (length, breadth) = packed(sizes, None if width == float("inf") else width)
    made = Block(length, breadth)
    for block, (x, y) in zip(blocks, spots, strict=True):
        made.put(block, x, y)
        for edge, route in block.enters.items():
            made.enters[edge] = lean([(0.0, route[0][1] + y), *moved(route, x, y)])
        for edge, route in block.leaves.items():
            made.leaves[edge] = lean([*moved(route, x, y), (length, route[-1][1] + y)])
    return made


def _gathered(strip: Strip, canvas: Canvas) -> Strip:
    """The strip with what would be a thread in grids."""
    made = gathered(strip.level, canvas)
    return strip if made is strip.level else Strip(made)


def _lowered(strip: Strip) -> Strip:
    """The strip with what is low in stacks."""
    lower = stacked(strip.level, strip.rank)
    return strip if lower is strip.level else Strip(lower)


def _spreads(strip: Strip, row: list[list[int]], width: float) -> bool:
    """Whether a row of a single rank has its things side by side, not above one another: where they find room so."""
    if len(row) > 1 or any(i >= strip.n for i in row[0]):
        return False
    return len(row[0]) < 2 or sum(strip.thick[i] + COLUMN_GAP for i in row[0]) - COLUMN_GAP <= width


def _fits(strip: Strip, canvas: Canvas, framed: bool) -> bool:
    """Whether a level can be read in one row, as far as can be told before it is placed."""
    one = not strip.n or (max(strip.part) == 0)
    part = _measured(strip, strip.layers, None if framed else canvas)
    if one and part.whole:
        return True
    return canvas.scale(part.length(), max(part.broad, default=0.0)) >= (FRAMED if framed else READABLE)


def _parts(strip: Strip) -> list[list[list[int]]]:
    """The ranks of each part by itself."""
    found: list[dict[int, list[int]]] = [{} for _ in range(max(strip.part, default=-1) + 1)]
    for rank, layer in enumerate(strip.layers):
        for i in layer:
            found[strip.part[i]].setdefault(rank, []).append(i)
    return [list(part.values()) for part in found]


def _measured(strip: Strip, layers: list[list[int]], canvas: Canvas | None) -> Part:
    """What is known of a part; without a canvas it may be cut into rows, however few ranks it has."""
    thick = [max((strip.thick[i] for i in layer), default=0.0) for layer in layers]
    broad = [
        sum(strip.wide[i] + (NODE_GAP if i < strip.n else BEND_GAP) for i in layer) - NODE_GAP if layer else 0.0
        for layer in layers
    ]
    links = [sum(len(strip.down[i]) for i in layer) for layer in layers]
    aside = next((k for k, layer in enumerate(layers) if any(i < strip.n and strip.side[i] for i in layer)), len(layers))
    part = Part(thick, broad, links, aside, False)
    part.whole = canvas is not None and canvas.keeps(len(layers), part.length())
    return part


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
