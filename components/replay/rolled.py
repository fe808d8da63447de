"""A rolled run in a replay: its pictures, what belongs to all of the run, and windows of whole iterations.

What cards, edges, captions and inspector show belongs to a window of steps: an iteration of the main loop up to the next one.
Windows are packed one by one, and unpacked when the player asks for one; of an iteration without a window the file has what the
curves say.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import networkx as nx
import numpy as np

from components.html.diagnosis_html import both_views
from components.html.group_html import rolled_group_html
from components.html.inspector_html import inspector_html
from components.html.multiples_html import multiples_html
from components.html.run_html import columns_of_card, ridges_html
from components.player.rolled import RolledDrawing, rolled_drawing, rolled_payload
from components.player.run_tape import of_window
from components.player.watched import Details, detailed
from components.replay.formulas import formula_html
from components.replay.openings import Rows, openings, running, standing
from components.replay.texts import Texts, history
from components.replay.windows import tiles, wanted_rows
from engine.export import Options
from engine.graph import View
from engine.graph.rolled_view import RolledView
from engine.graph.shown.group_states import fold_faces, shown_member
from engine.graph.structure.build import Graph
from engine.progress import Tell, untold
from engine.recording import Recording
from engine.recording.events import NOTHING, NodeRan

ROOM = 4_000_000
"""Characters that the windows of one file take together, packed."""
ROOM_BESIDE = 2_000_000
"""Characters that the inspector's contents take: the first of the windows have them, and the others numbers alone."""
EACH = 4
"""Moments of one window at which the inspector's content of one card is made; of a group it is made at the last one."""
NUMBERS = 300_000
"""Numbers of cards over all iterations; where there are more, every so many-th iteration has them."""
_OWN = ("rev", "fold", "legend", "sites")
_OF_WINDOW = ("captions_from", "captions", "focuses", "running", "window")
_OVER = '<div data-gt-over=""></div>'
"""Where the page puts in what it says of a card over the run."""


@dataclass
class Rolled:
    """The rolled part of a replay."""

    views: dict[str, Any]
    """View → its pictures, as `pictures` has them, and `cards`: what is known of each over the run."""
    windows: list[str] = field(default_factory=list)
    """Packed, in the order of `spans`."""
    beside: list[str] = field(default_factory=list)
    """What the inspector says in each, packed; "" where there is no room for it."""
    spans: list[tuple[int, int]] = field(default_factory=list)
    """First and last step of each window."""
    standing: dict[str, dict[str, str]] = field(default_factory=dict)
    """View → node of the run → the card that stands for it, of those that a replay names."""
    twins: dict[str, dict[str, str]] = field(default_factory=dict)
    """View → card → the card of the other view that stands for the same."""
    ledgers: dict[str, dict[str, str]] = field(default_factory=dict)
    """View → card → the tensor whose ledger is its own."""
    multiples: dict[str, str] = field(default_factory=dict)
    """View → its parameters over the run, as HTML."""


def rolled(
    recording: Recording, views: Iterable[View], options: Options, name: str, details: Details, tell: Tell = untold
) -> Rolled:
    """The pictures of a recording that is shown rolled, and as many windows as fit into `ROOM`."""
    sides = [_Side(recording, view, options, name) for view in views]
    tell(0.2)
    made = Rolled({side.view: side.pictures for side in sides})
    for side in sides:
        nodes = side.everything.graph.nodes
        made.standing[side.view] = {one: key for key, a in nodes(data=True) if not a["loop"] for one in a["all"][:1]}
        made.ledgers[side.view] = {key: f"t{a['tensor']}" for key, a in nodes(data=True) if a["tensor"] != NOTHING}
        made.multiples[side.view] = multiples_html(side.everything, None)
        others = [other.everything for other in sides if other is not side]
        made.twins[side.view] = {
            key: twin
            for other in others
            for key, a in nodes(data=True)
            if a["all"]
            for member in both_views(recording, a["all"][0])[1:]
            if (twin := other.rolled.key_of.get(member)) is not None
        }  # fmt: skip
    spans = tiles(sides[0].everything)
    rows = wanted_rows(sides[0].everything, spans, options.step)
    kept: dict[int, tuple[str, str]] = {}
    room, beside = ROOM, ROOM_BESIDE
    for count, row in enumerate(rows):
        found = _window(sides, details, spans[row])
        packed = _packed(found)
        room -= len(packed)
        if room < 0 and kept:
            break
        said = _packed(_beside(recording, sides, found["views"], spans[row])) if beside > 0 else ""
        beside -= len(said)
        kept[row] = packed, said
        tell(0.2 + 0.8 * (count + 1) / len(rows))
    for row in sorted(kept):
        made.windows.append(kept[row][0])
        made.beside.append(kept[row][1])
        made.spans.append(spans[row])
    return made


class _Side:
    """One view of the run: its pictures, and the graph that has all cards and edges of any of them."""

    def __init__(self, recording: Recording, view: View, options: Options, name: str) -> None:
        self.recording = recording
        self.view = view
        nodes, edges = Rows(), Rows()
        pictures: dict[str, Any] = {}
        shared: dict[str, Any] = {}
        self.union: Graph = nx.MultiDiGraph()
        self.rows: dict[str, None] = {}
        whole = rolled_drawing(recording, view, options.direction, name, options.turned, options.opened)
        self.everything: RolledView = whole.everything
        first = frozenset(whole.opened)
        for title, opened in openings(len(self.everything.graph), self.everything.folding, first):
            drawn = rolled_drawing(recording, view, options.direction, name, options.turned, opened)
            data = self._still(drawn)
            loops = data["rolled"]
            pictures[title] = {
                **{part: data.pop(part) for part in _OWN},
                "frames": loops.pop("frames"),
                "shown": [loop.pop("shown") for loop in loops["loops"]],
                "nodes": [standing(node, nodes) for node in data.pop("nodes")],
                "edges": [running(edge, edges) for edge in data.pop("edges")],
            }
            shared = shared or data
            self.union.add_nodes_from(drawn.graph.nodes(data=True))
            self.union.add_edges_from(drawn.graph.edges(keys=True, data=True))
        shared["network"] = {"options": shared["network"]["options"]}
        shared["rolled"]["fixed"] = True
        self.pictures = {
            "shared": shared,
            "nodes": nodes.rows,
            "edges": edges.rows,
            "pictures": pictures,
            "cards": self._cards(),
        }

    def _still(self, drawn: RolledDrawing) -> dict[str, Any]:
        """The player's data for a picture, without what belongs to a window."""
        data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(rolled_payload(drawn, (0, 0))))
        for part in _OF_WINDOW:
            data.pop(part, None)
        for node in data["nodes"]:
            for one in (node, *node.get("rows", ())):
                one.pop("history", None)
                one.pop("changes", None)
            self.rows.update(dict.fromkeys(row["key"] for row in node.get("rows", ())))
        for edge in data["edges"]:
            edge.pop("history", None)
        return data

    def _cards(self) -> dict[str, Any]:
        """What is known of each card over the run: how it is spread, as HTML, and its numbers."""
        view, texts = self.everything, Texts()
        total = sum(len(one.value) for one in view.series.values()) * 3
        every = max(1, -(-total // NUMBERS))
        cards = {}
        for key in view.keys:
            ridges = ridges_html(self.recording, view, key)
            columns = columns_of_card(view, key, every)
            if ridges or columns:
                cards[key] = {"ridges": texts.row_of(ridges) if ridges else None, **(columns or {})}
        groups = view.folding.groups.values()
        like = {f"g:{group.id}": {"like": shown_member(view.graph, group.members)} for group in groups}
        return {"texts": texts.texts, "every": every, "of": cards | like}

    def window(self, first: int, last: int, details: Details) -> dict[str, Any]:
        """What cards and edges show from one step to another, and what the steps are about."""
        view = self.everything
        whole = view.faces(first, last)
        faces = fold_faces(view.graph, self.union, whole, view.norms_between(first, last))
        groups = view.folding.groups
        nodes: dict[str, Any] = {}
        for key, a in self.union.nodes(data=True):
            told = view.steps_of(key, first, last) if a["kind"] == "step" else faces.nodes[key]
            if "members" in a and groups[a["group"]].kind == "module":
                told = [(step, msgspec.structs.replace(face, value=face.value.rpartition(" = ")[2])) for step, face in told]
            nodes[key] = told
        for key in self.rows:
            if key not in nodes:
                nodes[key] = whole.nodes[key]
        made = of_window(self.recording, view, first, last)
        return {
            "nodes": nodes,
            "edges": {"{}>{}>{}".format(*at): told for at, told in faces.edges.items() if told},
            "details": detailed(self.recording, self.union, faces, details),
            "focuses": made["focuses"],
            "running": made["running"],
            "captions": made["captions"],
        }

    def contents(self, nodes: dict[str, Any], first: int, last: int, texts: Texts) -> dict[str, list[tuple[int, list[int]]]]:
        """What the inspector says of each card in a window: pairs (step, rows in `texts`)."""
        view, found = self.everything, {}
        for key in dict.fromkeys((*self.union, *self.rows)):
            steps = sorted({first, last, *(step for step, _ in nodes[key] if first <= step <= last)})
            if key.startswith("g:"):
                found[key] = [(first, texts.rows_of(rolled_group_html(self.recording, view, key[2:], last, _OVER)))]
            elif view.member(key, last)[0] in "tn":
                found[key] = history((step, texts.rows_of(self._content(key, step))) for step in _some(steps))
        return found

    def _content(self, key: str, step: int) -> str:
        return inspector_html(self.recording, step, self.everything.member(key, step), _OVER)


def _some(steps: list[int]) -> list[int]:
    """At most `EACH` of some steps, the first and the last among them."""
    if len(steps) <= EACH:
        return steps
    return [steps[at] for at in np.linspace(0, len(steps) - 1, EACH).round().astype(int).tolist()]


def _window(sides: list[_Side], details: Details, span: tuple[int, int]) -> dict[str, Any]:
    views = {side.view: side.window(*span, details) for side in sides}
    captions = [part.pop("captions") for part in views.values()]
    return {"window": span, "captions": captions[0], "views": views}


def _beside(recording: Recording, sides: list[_Side], views: dict[str, Any], span: tuple[int, int]) -> dict[str, Any]:
    """What stands beside the graph in a window."""
    texts = Texts()
    inspector = {side.view: side.contents(views[side.view]["nodes"], *span, texts) for side in sides}
    return {"inspector": inspector, "formulas": dict(_formulas(recording, *span, texts)), "texts": texts.texts}


def _formulas(recording: Recording, first: int, last: int, texts: Texts) -> Iterator[tuple[int, int]]:
    for step in range(first, last + 1):
        event = recording.events[step]
        if isinstance(event, NodeRan) and any(event.sent) and (html := formula_html(recording, step)):
            yield step, texts.row_of(html)


def _packed(thing: Any) -> str:
    return b64encode(zlib.compress(msgspec.json.encode(thing), 9)).decode()
