"""What the player is sent, and what it tells: the only description of it, from which `frontend/src/protocol.d.ts` is generated
(`python -m tests.declarations`). A part that is not sent is `UNSET`.

A message names a picture (`rev`) and a run (`tape`), and brings what the player lacks of them: `feed.py` says in which order.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from engine.graph.design import PALETTES
from engine.graph.shown.captions import Caption
from engine.graph.shown.curves import Curve, Mark
from engine.graph.shown.series import Number
from engine.graph.shown.state_history import EdgeFace, Face
from engine.graph.shown.timeline import Segment, Step

Point = tuple[float, float]
Span = tuple[int, int, int, int]
"""Line, column, end line and end column."""
Window = tuple[int, int]
"""First and last step."""
NAMED = 1_000
"""Characters of a card's id."""
COLOURS = len(PALETTES["light"].chosen)
"""Colours that can be given to cards."""
Details = dict[str, dict[int, list[str]]]
"""Edge → step → lines about the gradient that passes there."""


# --- the picture --------------------------------------------------------------------------------------------------------------


class Spark(msgspec.Struct, frozen=True):
    """A card's value and gradient over the iterations of its loop, evenly spread, and where it is not finite."""

    value: list[Number] | None
    grad: list[Number] | None
    bad: list[tuple[int, str]]


class Row(msgspec.Struct, frozen=True):
    """A parameter that stands in the card of what uses it."""

    key: str
    title: str
    tone: str
    badge: str
    sub: str
    born: int
    spark: Spark | None
    history: list[tuple[int, Face]]
    sites: list[int]
    changes: list[int]
    grads: list[tuple[int, float]]
    op: str


class Card(msgspec.Struct):
    """A node on show. `x` and `y` are its middle; of a sketch nothing is known but where it stands and what it is called."""

    id: str
    x: float
    y: float
    w: float
    h: float
    shape: str
    tone: str
    title: str
    badge: str
    sub: str
    born: int
    members: int | UnsetType = UNSET
    """How many nodes a closed group stands for."""
    colour: int | UnsetType = UNSET
    """Which of the palette's colours the user has given it."""
    history: list[tuple[int, Face]] | UnsetType = UNSET
    op: str | UnsetType = UNSET
    changes: list[int] | UnsetType = UNSET
    """Steps at which it changes."""
    sites: list[int] | UnsetType = UNSET
    """Where it is in the program, as keys of the picture's `sites`."""
    grads: list[tuple[int, float]] | UnsetType = UNSET
    """Steps, and the norm of `.grad` from then on; -1 for None, -2 for what is not finite."""
    pass_: int | UnsetType = msgspec.field(default=UNSET, name="pass")
    """The backward pass that recorded it."""
    alarm: int | UnsetType | None = UNSET
    """Since when it is not finite,"""
    nan: int | UnsetType | None = UNSET
    """and since when it holds NaN."""
    findings: list[str] | UnsetType = UNSET
    """Titles of the findings about something in a closed group."""
    loop: str | UnsetType = UNSET
    """Of a rolled run: the loop that it belongs to,"""
    times: int | UnsetType = UNSET
    """how often it is there within an iteration,"""
    some: str | UnsetType = UNSET
    """and in how many iterations, "" for all."""
    made: list[int] | UnsetType = UNSET
    """When what it shows was made: the last time before the window that its history is of, and each time in it."""
    spark: Spark | UnsetType | None = UNSET
    rows: list[Row] | UnsetType = UNSET
    """The parameters in a closed group's card, as many as there is room for,"""
    parameters: int | UnsetType = UNSET
    """and how many there are."""


class Line(msgspec.Struct):
    """An edge on show, along its route."""

    id: str
    from_: str = msgspec.field(name="from")
    to: str
    route: list[Point]
    kind: str
    born: int
    far: bool
    history: list[tuple[int, EdgeFace]] | UnsetType = UNSET
    carried: bool | UnsetType = UNSET
    """Whether it leads to the next iteration."""
    some: str | UnsetType = UNSET


class Frame(msgspec.Struct, frozen=True):
    """The frame behind the cards of a time loop; `x` and `y` are its middle."""

    loop: str
    x: float
    y: float
    w: float
    h: float
    title: str
    nodes: int


class Loop(msgspec.Struct, frozen=True):
    """A loop, with its iterations in order of time."""

    id: str
    title: str
    """As the program has it: "for bx, by in loader"."""
    where: str
    """Its line in words, in a notebook with its cell; "" where it is not known."""
    parent: str
    """The loop around it, or "" for none."""
    kind: Literal["time", "depth"]
    reason: str
    """Why it is the one or the other, in a sentence."""
    total: int
    """Iterations in all."""
    starts: list[int]
    """The first step of each,"""
    ends: list[int]
    """the last one,"""
    outer: list[int]
    """and the iteration of the time loop around it, or -1."""
    shown: bool
    """Whether a card on show belongs to it."""


class Rolled(msgspec.Struct, frozen=True):
    """What is known of a run with loops."""

    main: str = ""
    on: bool = False
    """Whether this picture is rolled."""
    worth: bool = False
    """Whether it is what to show first."""
    file: str = ""
    loops: list[Loop] = []
    frames: list[Frame] = []
    curves: list[Curve] = []
    marks: list[Mark] = []
    window: Window | None = None
    """First and last step of the histories that come with it; None for all."""
    origins: list[str] = []
    """The cards at which the first NaN or Inf begins."""
    turned: list[str] = []
    """Loops that are taken for the other kind, and cards that are opened."""
    there: dict[str, list[tuple[int, int]]] = {}
    """Cards that only some iterations of the main loop have, with the stretches of those."""
    fixed: bool = False
    """Whether the loops stay as they are, in a file that can ask nobody,"""
    alone: bool = False
    """and whether it has no picture that is not rolled."""


class Group(msgspec.Struct, frozen=True):
    """An open group."""

    id: str
    title: str


class Fold(msgspec.Struct, frozen=True):
    """Whether there are groups, and which of those on show are open."""

    any: bool
    opened: list[Group]


class LegendEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the legend says of cards (`tone`), edges (`edge`) or marks (`mark`) on show."""

    label: str
    tone: str = ""
    edge: str = ""


class NetworkNode(msgspec.Struct, frozen=True):
    """Where vis-network has a node; the player draws it."""

    id: str
    x: float
    y: float
    shape: str
    physics: bool


class NetworkEdge(msgspec.Struct, frozen=True):
    """An edge as vis-network has it."""

    id: str
    from_: str = msgspec.field(name="from")
    to: str


class VisNetwork(msgspec.Struct, frozen=True):
    """Nodes, edges and options as pyvis's Network has them, which vis-network takes over."""

    nodes: list[NetworkNode]
    edges: list[NetworkEdge]
    options: dict[str, Any]


class Drawn(msgspec.Struct):
    """A picture: what is drawn where, and unless it is a sketch, what happens in it."""

    picture: str
    """Which picture of the run, whatever of it is open; the player names it with what it wants to be open."""
    view: str
    direction: str
    fold: Fold
    legend: list[LegendEntry]
    nodes: list[Card]
    edges: list[Line]
    network: VisNetwork | None
    """None where there is so much that vis-network would be too slow: the player has a canvas of its own for that."""
    rolled: Rolled | UnsetType = UNSET
    sites: dict[int, tuple[int, int, int, int, int]] | UnsetType = UNSET
    """Number → cell, line, column, end line, end column."""
    hidden: list[str] | UnsetType = UNSET
    """Ids of what the user has hidden."""


class Sketch(msgspec.Struct, frozen=True):
    """What is told of the steps while a large recording is worked out: the segments, and what the last step is about."""

    segments: list[Segment]
    focus: list[str]


# --- the run ------------------------------------------------------------------------------------------------------------------


class Column(msgspec.Struct, frozen=True):
    """Whole numbers of two or four bytes, as base64."""

    bytes: int
    data: str


class Steps(msgspec.Struct, frozen=True):
    """Where each step is in the program, as rows of a table of (cell, span)."""

    total: int
    sites: Column
    table: list[tuple[int, Span | None]]


class Segments(msgspec.Struct, frozen=True):
    """The first steps of the segments, and their labels and kinds as rows of a table."""

    from_: Column = msgspec.field(name="from")
    name: Column
    names: list[tuple[str, str]]


class Queue(msgspec.Struct, frozen=True):
    """A backward pass; visits are card or None, name, ready, began, ran, arrivals, in the order in which they ran."""

    number: int
    from_: int = msgspec.field(name="from")
    to: int
    visits: list[tuple[str | None, str, int, int, int, list[int]]]


class Index(msgspec.Struct, frozen=True):
    """What the player needs to find nodes that are not on show."""

    groups: list[tuple[str, str, int]]
    """Id, title, row of the one around it or -1."""
    rows: list[tuple[str, int, str, str, str, str, int]]
    """Key, row of the innermost group or -1, title, badge, sub, op, since when it is not finite or -1."""


class Run(msgspec.Struct):
    """What is known of the whole run, whatever of its graph is on show: of a rolled one in columns."""

    steps: list[Step] | Steps
    segments: list[Segment] | Segments
    lines: list[int] | Column
    """Last steps of the visits to source lines."""
    passes: int
    index: Index | UnsetType = UNSET
    queues: list[Queue] | UnsetType = UNSET


# --- what happens in a part of the run ----------------------------------------------------------------------------------------


class Moments(msgspec.Struct):
    """Captions from one step on; of a rolled run also what the steps are about, and the passes that run there."""

    captions: list[Caption]
    captions_from: int = 0
    focuses: list[list[str]] | UnsetType = UNSET
    running: list[Queue] | UnsetType = UNSET


class RowTold(msgspec.Struct, frozen=True):
    """What a parameter in a card shows."""

    key: str
    history: list[tuple[int, Face]]


class CardTold(msgspec.Struct, frozen=True):
    """What a card and the parameters in it show."""

    id: str
    history: list[tuple[int, Face]]
    made: list[int]
    rows: list[RowTold]


class LineTold(msgspec.Struct, frozen=True):
    """What an edge shows."""

    id: str
    history: list[tuple[int, EdgeFace]]


class Told(msgspec.Struct, frozen=True):
    """What everything in a rolled picture shows in another window of steps."""

    window: Window
    nodes: list[CardTold]
    edges: list[LineTold]


class Found(msgspec.Struct, frozen=True):
    """What is wrong or odd about a rolled run, which its picture does not wait for."""

    marks: list[Mark]
    nodes: dict[str, list[str]]
    """Closed group → titles."""


# --- what the page wants ------------------------------------------------------------------------------------------------------


class Command(msgspec.Struct):
    """What the player is to do once; later ones have larger numbers."""

    n: int
    run: str
    """The recording that it is about."""
    step: int | None = None
    until: int | None = None
    """The step up to which it plays from there."""
    select: str | None = None
    open: bool = True
    """Whether the groups around the node are opened; else the closed one is selected."""


class Keep(msgspec.Struct):
    """Where a run goes on, when the program was changed and run again: the moment and the node that the one before showed."""

    run: str
    step: int
    selected: str | None
    grown: bool = False
    """Whether it is the same run with more at its end: whoever is at an earlier step, or looks at another node, stays there."""


class OverlayMark(msgspec.Struct, frozen=True, omit_defaults=True):
    """A mark over a node or edge; "error" is coloured by its value from 0 to 1."""

    tone: Literal["path", "cut", "good", "bad", "warn", "added", "removed", "changed", "error"]
    label: str = ""
    value: float | None = None


class Link(msgspec.Struct, frozen=True, omit_defaults=True):
    """A mark between two nodes, drawn where the graph has no edge."""

    from_: str = msgspec.field(name="from")
    to: str
    tone: str
    label: str = ""


class Overlay(msgspec.Struct, frozen=True, omit_defaults=True):
    """Marks over the graph, by node, and by edge or by both its ends ("t1>t3"); `dim` lets the rest step back."""

    nodes: dict[str, OverlayMark] = {}
    edges: dict[str, OverlayMark] = {}
    links: list[Link] = []
    legend: list[LegendEntry] = []
    dim: bool | None = None


class LineStop(msgspec.Struct, frozen=True):
    """A breakpoint on a line."""

    cell: int
    line: int


class TensorStop(msgspec.Struct, frozen=True):
    """A breakpoint on what happens to a tensor."""

    node: str
    name: str
    when: str
    value: float | None = None


class Breakpoints(msgspec.Struct, frozen=True):
    """Where the player stops."""

    lines: list[LineStop] = []
    tensors: list[TensorStop] = []


class Message(msgspec.Struct, omit_defaults=True):
    """All that the player can be sent."""

    key: str
    rev: str
    """Tells the picture from every other."""
    tape: str
    """Tells what is known of the run from that of other runs: the same, whatever is open."""
    total: int
    """Steps of the run."""
    large: bool = False
    """Whether it comes in parts, of which none is sent again."""
    run: Run | UnsetType = UNSET
    drawn: Drawn | UnsetType = UNSET
    sketch: Sketch | UnsetType = UNSET
    moments: Moments | UnsetType = UNSET
    details: Details | UnsetType = UNSET
    told: Told | UnsetType = UNSET
    found: Found | UnsetType = UNSET
    address: str | None = None
    """Where what the cards show in other windows is fetched; without it, Python is asked."""
    cmd: Command | None = None
    keep: Keep | None = None
    overlay: Overlay | None = None
    breakpoints: Breakpoints | None = None
    fixed: str = ""
    """Why cards can be neither hidden nor coloured, if they cannot."""
    name: str = ""
    """What files of it are called, without an ending."""


# --- what the player tells ----------------------------------------------------------------------------------------------------


class Holds(msgspec.Struct, frozen=True):
    """What the player has of a large recording; it says nothing of smaller ones, which are always sent whole."""

    sketch: str = ""
    """The picture of which it has a sketch alone."""
    tape: str = ""
    captions: bool = False
    """Whether it has all captions."""
    rev: str = ""
    details: bool = False
    window: Window | None = None
    """The window that came last."""
    found: bool = False
    """Whether it has the findings about a rolled run."""


class FoldsWish(msgspec.Struct, frozen=True):
    """The groups that the user wants open in a picture, and the node to show."""

    picture: str
    opened: list[str]
    wanted: str | None = None


class RolledWish(msgspec.Struct, frozen=True):
    """What the user wants of loops."""

    on: bool
    turned: tuple[str, ...] = ()
    """Loops that are to be taken for the other kind, and cards that are to be opened."""
    window: Window | None = None
    """The steps for which the cards' histories are wanted."""


class Choice(msgspec.Struct, frozen=True):
    """What the user has done to a card; later ones have larger numbers."""

    n: Annotated[int, Meta(ge=0, lt=2**53)]
    run: str
    """The run that was on show."""
    do: Literal["hide", "show", "colour", "watch"]
    key: Annotated[str, Meta(max_length=NAMED)] = ""
    """The card; "" shows all that is hidden."""
    colour: Annotated[int, Meta(ge=0, lt=COLOURS)] | None = None
    """Which of the palette's, None for none."""


class Choices(msgspec.Struct, frozen=True):
    """What the user has done to cards last, each a `Choice`: one that is none does not make the others nothing."""

    last: Annotated[list[Any], Meta(max_length=64)]


class Moment(msgspec.Struct, frozen=True):
    """Where the player stands."""

    run: str
    """The recording on show,"""
    step: Annotated[int, Meta(ge=0)]
    selected: Annotated[str, Meta(max_length=NAMED)] | None
    n: int = 0
    """and the last command that it has obeyed."""


class Reports(msgspec.Struct, frozen=True):
    """All that the player can tell, by name."""

    moment: Moment
    holds: Holds
    folds: FoldsWish
    rolled: RolledWish
    chosen: Choices
    breakpoints: Breakpoints


LOOPS = 64
"""Loops and cards that can be turned at once; the player's word is not trusted."""

T = TypeVar("T")


def read(told: Any, kind: type[T]) -> T | None:
    """What the player has told, of a kind; None where it has told nothing, or nonsense."""
    try:
        found = msgspec.convert(told, kind)
    except msgspec.ValidationError:
        return None
    return None if isinstance(found, RolledWish) and len(found.turned) > LOOPS else found
