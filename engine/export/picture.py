"""A recording's graph at one step as a picture, with a title above it and a legend below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..graph.chosen import NONE_CHOSEN, Chosen
from ..graph.design import Theme
from ..graph.graph_view import GraphView, View, graph_view
from ..graph.rolled_graph import worth_rolling
from ..graph.shown.captions import caption_at, caption_text
from ..graph.shown.node_kinds import CARRIED, FLOWING, LEGEND, NOT_PASSING
from ..graph.structure.drawn import visible_rows
from ..graph.structure.layout import Direction
from ..progress import Tell, untold
from ..recording.recording import Recording
from . import legend
from .cards import Card
from .graph_scene import GraphScene
from .scene import Picture, clean

MARGIN = 28.0
HEAD = 52.0
"""Height of the two lines above the graph."""
NARROWEST = 420.0
"""Width of a picture, at least: its caption has to be read."""
TOLD = 60
"""Nodes that the description lists."""
LONG = 300
"""Tensors of an unrolled graph from which on the rolled one is drawn where nothing is said."""


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
    chosen: Chosen = NONE_CHOSEN
    """Nodes that are hidden, and colours that others have."""


LAST = Options()
"""The last step, as the page shows it at first."""


def picture(recording: Recording, options: Options = LAST, tell: Tell = untold) -> Picture:
    """The picture of a recording.

    Raises:
        IndexError: for a step that the recording does not have.
    """
    step = step_of(recording, options)
    view = view_with(recording, options)
    tell(0.3)
    placed = view.placed
    tell(0.75)
    scene = GraphScene(view, step, options.theme, (MARGIN, HEAD + MARGIN))
    shapes, c, caption = scene.shapes(), scene.colours, _caption(recording, step)
    tell(0.95)
    across = max(placed.width + 2 * MARGIN, NARROWEST)
    room, top = across - 2 * MARGIN, HEAD + placed.height + 2 * MARGIN
    rows = legend.rows(list(_legend(scene)), room)
    items = (
        *legend.head(options.title, caption, MARGIN, room, c), *shapes, *legend.paint(rows, MARGIN, top + legend.OVER, c),
    )  # fmt: skip
    height = top + legend.height(rows)
    title = clean(options.title) or "Computation graph"
    return Picture(across, height, c.stage, title, _description(caption, scene.cards), items)


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
        return graph_view(recording, view, o.direction, rolled=True, turned=o.turned, opened=o.opened, chosen=o.chosen)
    return graph_view(recording, view, o.direction, fold="auto" if o.view == "grouped" else "none", chosen=o.chosen)


def _caption(recording: Recording, step: int) -> str:
    if step < 0:
        return "nothing was recorded"
    return f"step {step + 1} of {len(recording.events)} · {clean(caption_text(caption_at(recording, step)))}"


def _description(caption: str, cards: Sequence[Card]) -> str:
    """The picture in words."""
    shown = [card for card in cards if not card.ghost]
    listed = [card.label for card in shown if not card.pill][:TOLD]
    more = f" and {len(shown) - len(listed)} more" if len(shown) > len(listed) else ""
    return f"{caption}. {len(shown)} nodes: {'; '.join(listed)}{more}." if shown else f"{caption}."


def _legend(scene: GraphScene) -> Iterator[legend.Entry]:
    """Signs and labels of what is in the picture."""
    tones = {card.tone for card in scene.cards if not card.ghost}
    edges = [edge for edge in scene.edges if not edge.ghost]
    labels = {**LEGEND, "group": "group"}  # nothing opens in a file
    yield from ((one, label) for one, label in labels.items() if one in tones)
    if any(edge.kind == "cut" for edge in edges):
        yield "edge cut", NOT_PASSING
    if any(edge.carried for edge in edges):
        yield "edge carried", CARRIED
    if any(edge.face.active for edge in edges):
        yield "edge grad", FLOWING
