"""A recording's graph at one step as a picture: what the page shows, without a browser."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ..graph.graph_view import GraphView, View, graph_view
from ..graph.rolled_graph import RolledGraph, worth_rolling
from ..graph.shown.captions import caption_at, caption_text
from ..graph.shown.node_kinds import CARRIED, FLOWING, LEGEND, NOT_PASSING, tone
from ..graph.shown.node_states import Faces
from ..graph.shown.state_history import EdgeFace, Face
from ..graph.structure.build import Graph
from ..graph.structure.drawn import visible_rows
from ..graph.structure.layout import Direction
from ..progress import Tell, untold
from ..recording.index import index_of
from ..recording.recording import Recording
from . import cards, edges
from .cards import ROW, Card, fitted
from .curves import Rectangle, around
from .edges import Edge
from .fonts import width
from .palette import Palette, Theme, palette
from .ready_states import Mark, marks
from .scene import Box, Curve, Group, Picture, Shape, Text, clean

T = TypeVar("T")

MARGIN = 28.0
HEAD = 52.0
"""Height of the two lines above the graph."""
ORIGIN = (MARGIN, HEAD + MARGIN)
"""Where the layout begins."""
ASPECT = 1.4
"""Width by height of the room that large graphs are brought into: about that of a page or a slide."""
REGION = 13.0
"""Room around the nodes that a backward pass recorded of itself."""
FRAME, TAB, TAB_PADDING, SUNK = 14.0, 26.0, 13.0, 10.0
"""Of a loop's frame: the radius of its corners, the height of its tab, the room beside the tab's text, and how far it reaches
into the frame."""
TOLD = 60
"""Nodes that the description lists."""
LONG = 300
"""Tensors of an unrolled graph from which on the rolled one is drawn where nothing is said."""
_QUIET = EdgeFace(False)


@dataclass(frozen=True, slots=True)
class Options:
    """What is to be seen: `step` counts events from 0, None for the last; `title` stands above the graph."""

    view: View = "tensors"
    direction: Direction = "LR"
    step: int | None = None
    theme: Theme = "light"
    title: str = ""
    fonts: bool = True
    """Whether letters that the fonts that come along do not have are looked for among the machine's, which opens files."""
    rolled: bool | None = None
    """Whether iterations share their cards; None for whatever suits the run. What is rolled is folded as the page folds it."""
    turned: tuple[str, ...] = ()
    """Ids of loops that are turned from time to depth or back, where it is rolled."""
    opened: tuple[str, ...] | None = None
    """Ids of groups that are open, where it is rolled; None for those that the page opens at first."""


LAST = Options()
"""The last step, as the page shows it at first."""


def picture(recording: Recording, options: Options = LAST, tell: Tell = untold) -> Picture:
    """The picture of a recording.

    Raises:
        IndexError: for a step that the recording does not have.
    """
    return _Drawing(recording, options, step_of(recording, options), tell).result(tell)


def step_of(recording: Recording, options: Options) -> int:
    """The step that is shown; -1 in a recording without events."""
    last = len(recording.events) - 1
    step = last if options.step is None else options.step
    if not min(last, 0) <= step <= last:
        raise IndexError(f"there is no step {step}; the recording's steps are 0 to {last}")
    return step


def rolls(recording: Recording, view: str, wanted: bool | None) -> bool:
    """Whether a picture is rolled: as wanted, else where there are like iterations and the picture is folded or large."""
    if wanted is not None:
        return wanted
    return worth_rolling(recording) and (view == "grouped" or int(visible_rows(recording).sum()) > LONG)


def view_with(recording: Recording, options: Options) -> GraphView:
    """What is shown with these options; a run that is not rolled is folded in the view "grouped" alone."""
    o = options
    view = "tensors" if o.view == "grouped" else o.view
    if rolls(recording, o.view, o.rolled):
        return graph_view(
            recording, view, o.direction, rolled=True, turned=o.turned, opened=o.opened, canvas=ASPECT, room=_room
        )  # fmt: skip
    return graph_view(recording, view, o.direction, fold="auto" if o.view == "grouped" else "none", canvas=ASPECT)


def faces_at(view: GraphView, step: int) -> Faces:
    """What everything shows around a step: in the iteration that it is in and those beside it, where the run is rolled."""
    return view.faces(view.rolled.window(max(step, 0)) if view.rolled else (0, step))


def _room(_: RolledGraph, graph: Graph) -> None:
    """Optimizers' steps show two numbers."""
    for _, a in graph.nodes(data=True):
        if a["kind"] == "step":
            a["height"] += ROW


class _Drawing:
    def __init__(self, recording: Recording, options: Options, step: int, tell: Tell) -> None:
        self.recording, self.options, self.step = recording, options, step
        self.colours: Palette = palette(options.theme)
        self.vertical = options.direction == "TB"
        self.view = view_with(recording, options)
        self.graph, self.faces = self.view.graph, faces_at(self.view, step)
        tell(0.3)
        self.placed = self.view.placed
        tell(0.75)
        self.focus = frozenset(self.view.focus(step))
        self.backward = any(entry.began <= step <= entry.ended for entry in index_of(recording).passes.values())
        self.marks: dict[str, Mark] = marks(self.view, step)

    def result(self, tell: Tell) -> Picture:
        boxes = {
            key: around(x + ORIGIN[0], y + ORIGIN[1], self.graph.nodes[key]["width"], self.graph.nodes[key]["height"])
            for key, (x, y) in self.placed.positions.items()
        }
        drawn = [self._card(key, boxes[key]) for key in self.graph]
        tell(0.85)
        joined = self._edges(boxes)
        tell(0.95)
        strongest = max((face.norm or 0.0 for history in self.faces.edges.values() for _, face in history), default=0.0)
        legend = list(self._legend(drawn, joined))
        across = max(self.placed.width + 2 * MARGIN, 420.0)
        rows = _rows(legend, across - 2 * MARGIN)
        top = HEAD + self.placed.height + 2 * MARGIN
        height = top + 20 * len(rows) + (8 if rows else 0)
        items: list[Shape | Group] = [*self._head(across), *self._frames(), *self._regions(drawn, joined)]
        items += [halo for card in drawn for halo in cards.halo(card, self.colours)]
        items += edges.paint(joined, strongest, self.colours)
        items += self._tabs()
        items += [cards.paint(card, self.colours) for card in drawn]
        items += edges.labels(joined, list(boxes.values()), self.colours)
        items += self._legend_shapes(rows, top + 4)
        title = clean(self.options.title) or "Computation graph"
        return Picture(across, height, self.colours.page, title, self._description(drawn), tuple(items))

    def _card(self, key: str, box: Rectangle) -> Card:
        a: dict[str, Any] = self.graph.nodes[key]
        face = _at(self.faces.nodes.get(key, ()), self.step, Face(value=""))
        ghost = a["born"] > self.step
        mark = self.marks.get(key)
        if mark is None and face.state in ("waiting", "done"):
            mark = Mark(face.state)
        return Card(
            key=key, box=box, tone=tone(a), pill=a["shape"] == "pill", title=a["title"], badge=a["badge"], sub=a["sub"],
            face=face, ghost=ghost, focus=key in self.focus, backward=self.backward,
            mark=None if ghost else mark, times=a.get("times", 1), some=self.view.some(key),
        )  # fmt: skip

    def _edges(self, boxes: dict[str, Rectangle]) -> list[Edge]:
        found = []
        routed = edges.curves(self.graph, self.placed, ORIGIN, boxes, self.vertical)
        for u, v, k, a in self.graph.edges(keys=True, data=True):
            face = _at(self.faces.edges.get((u, v, k), ()), self.step, _QUIET)
            far = ((v, u, k) if self.view.structure.flipped else (u, v, k)) in self.placed.far
            carried, some = self.view.between(u, v, k)
            found.append(Edge(routed[u, v, k], a["kind"], far, a["born"] > self.step, face, carried, bool(some)))
        return found

    def _head(self, across: float) -> Iterator[Shape]:
        """Title and caption, or the caption alone."""
        room, y = across - 2 * MARGIN, 28.0
        title = fitted(self.options.title, MARGIN, y, 16, self.colours.ink, room, True)
        if title is not None:
            yield title
            y += 20
        text = fitted(self._caption(), MARGIN, y, 12, self.colours.mute, room)
        if text is not None:
            yield text

    def _caption(self) -> str:
        if self.step < 0:
            return "nothing was recorded"
        caption = clean(caption_text(caption_at(self.recording, self.step)))
        return f"step {self.step + 1} of {len(self.recording.events)} · {caption}"

    def _description(self, drawn: Sequence[Card]) -> str:
        """The picture in words."""
        shown = [card for card in drawn if not card.ghost]
        listed = [card.label for card in shown if not card.pill][:TOLD]
        more = f" and {len(shown) - len(listed)} more" if len(shown) > len(listed) else ""
        return f"{self._caption()}. {len(shown)} nodes: {'; '.join(listed)}{more}." if shown else f"{self._caption()}."

    def _frames(self) -> Iterator[Shape]:
        """Behind the cards of a loop: a sheet of paper on another."""
        c = self.colours
        for left, top, wide, high in sorted(self.placed.frames.values(), key=lambda each: -each[2] * each[3]):
            x, y = left + ORIGIN[0], top + ORIGIN[1]
            yield Box(x + 6, y + 6, wide, high, FRAME, c.page, c.paper_line, 1.2)
            yield Box(x, y, wide, high, FRAME, c.frame, c.frame_line, 1.2)

    def _tabs(self) -> Iterator[Shape]:
        """On the frames: dark tabs that say which iteration it is; edges that come from above pass behind them."""
        c = self.colours
        for loop, (left, top, wide, _) in self.placed.frames.items():
            x, y = left + ORIGIN[0], top + ORIGIN[1]
            header, iteration = self.view.frame_title(loop, self.step)
            room = wide - 2 * FRAME - 2 * TAB_PADDING
            rest = fitted(iteration, 0, 0, 12, c.on_tab_mute, room * 0.6)
            taken = rest.width + 9 if rest else 0.0
            title = fitted(header, 0, 0, 12.5, c.on_tab, room - taken, True)
            if title is None or rest is None:
                continue
            across = title.width + taken + 2 * TAB_PADDING
            yield Box(x + FRAME, y + SUNK - TAB, across, TAB, TAB / 2, c.tab)
            base = y + SUNK - TAB + 17.4
            yield replace(title, x=x + FRAME + TAB_PADDING, y=base)
            yield replace(rest, x=x + FRAME + TAB_PADDING + title.width + 9, y=base)

    def _regions(self, drawn: Sequence[Card], joined: Sequence[Edge]) -> Iterator[Shape]:
        """Behind what a backward pass recorded of itself (`create_graph=True`): a border and a fill melt into one shape."""
        inside: dict[int, list[Card]] = {}
        for card in drawn:
            number = self.graph.nodes[card.key]["in_backward"]
            if number:
                inside.setdefault(number, []).append(card)
        ends = list(self.graph.edges(keys=True))
        for number, members in inside.items():
            keys = {card.key for card in members}
            within = [edge for (u, v, _), edge in zip(ends, joined, strict=True) if u in keys and v in keys]
            for grown, colour in ((1.2, self.colours.region_line), (0.0, self.colours.region)):
                margin = REGION + grown
                for card in members:
                    b = card.box
                    wide, high = b.right - b.left + 2 * margin, b.bottom - b.top + 2 * margin
                    yield Box(b.left - margin, b.top - margin, wide, high, 18 + grown, fill=colour)
                for edge in within:
                    yield Curve(edge.pieces, colour, 2 * (REGION - 2 + grown))
            first = min(members, key=lambda card: card.box.left + card.box.top).box
            label = f"backward pass {number}" if self.view.rolled is None else "made by backward passes"
            yield Text(
                first.left - REGION + 4, first.top - REGION - 7, label, 11.5, self.colours.orange_text, width(label, 11.5)
            )

    def _legend(self, drawn: Sequence[Card], joined: Sequence[Edge]) -> Iterator[tuple[str, str]]:
        """Signs and labels of what is in the picture."""
        tones = {card.tone for card in drawn if not card.ghost}
        yield from ((one, label) for one, label in LEGEND.items() if one in tones)
        if any(edge.kind == "cut" and not edge.ghost for edge in joined):
            yield "edge cut", NOT_PASSING
        if any(edge.carried and not edge.ghost for edge in joined):
            yield "edge carried", CARRIED
        if any(edge.face.active and not edge.ghost for edge in joined):
            yield "edge grad", FLOWING

    def _legend_shapes(self, rows: Sequence[Sequence[tuple[str, str]]], top: float) -> Iterator[Shape]:
        c = self.colours
        looks: dict[str, tuple[str, str, float, tuple[float, ...]]] = {
            "leaf": (c.card, c.blue, 2.0, ()), "accumulate": (c.blue_tint, c.blue, 1.6, ()), "root": (c.card, c.ink, 2.2, ()),
            "constant": (c.constant, c.line, 1.2, ()), "cut": (c.card, c.cut, 1.4, (3.0, 2.0)),
        }  # fmt: skip
        for number, row in enumerate(rows):
            x, y = MARGIN, top + 20 * number
            for sign, label in row:
                if sign.startswith("edge"):
                    colour, line = (c.orange, 2.6) if sign == "edge grad" else (c.carried if "carried" in sign else c.cut, 1.4)
                    piece = ((x, y + 3), (x + 4, y + 3), (x + 9, y + 3), (x + 13, y + 3))
                    yield Curve((piece,), colour, line, () if sign == "edge grad" else (3.0, 2.0))
                else:
                    fill, stroke, line, dash = looks.get(sign, (c.card, c.border, 1.4, ()))
                    yield Box(x, y - 3, 13, 13, 4, fill, stroke, line, dash)
                wide = width(label, 12)
                yield Text(x + 20, y + 7.5, label, 12, c.mute, wide)
                x += _entry(label)


def _at(history: Sequence[tuple[int, T]], step: int, default: T) -> T:
    """The last entry of a history at or before a step."""
    position = bisect_right(history, step, key=lambda entry: entry[0])
    return history[position - 1][1] if position else default


def _entry(label: str) -> float:
    return 20 + width(label, 12) + 22


def _rows(entries: Sequence[tuple[str, str]], room: float) -> list[list[tuple[str, str]]]:
    """The legend's entries, as many to a line as there is room for."""
    rows: list[list[tuple[str, str]]] = []
    left = 0.0
    for entry in entries:
        if left < _entry(entry[1]):
            rows.append([])
            left = room
        rows[-1].append(entry)
        left -= _entry(entry[1])
    return rows
