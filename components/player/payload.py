"""What the player is sent: the graph with its layout, every node's faces over all steps, the timeline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from components.player.drawn import drawn_edges, drawn_network, drawn_nodes, legend
from components.player.folds import Shown, at_first, folding, open_groups, shown, tell_folds
from components.player.tape import bands, tape, written_up
from components.player.watched import Details, detailed, watch
from engine.diagnosis.comparison.graph_diff import LEGEND as CHANGES
from engine.diagnosis.comparison.graph_diff import Merged, merged
from engine.graph import Layout, faces
from engine.graph.graph_view import whole
from engine.graph.shown.timeline import focus_at
from engine.graph.structure.build import Graph
from engine.graph.structure.folding import Folding, Mode
from engine.recording import Recording


@dataclass(frozen=True)
class Drawing:
    """One view of a recording, folded and laid out: all that its picture needs but what the cards show."""

    recording: Recording
    view: str
    direction: str
    run: str
    fold: Mode
    opened: tuple[str, ...]
    groups: Folding
    picture: Shown
    both: Merged | None
    """The graph merged with that of a pinned run."""
    placed: Layout

    @property
    def rev(self) -> str:
        """What tells it from every other."""
        said = f"{self.run}|{self.view}|{self.direction}|{self.fold}|{self.opened}"
        return sha256(said.encode()).hexdigest()[:16]

    @property
    def tape(self) -> str:
        """What its tape has in common with that of other drawings: the same, whatever is open."""
        return f"{self.run}|{self.view}|{self.fold}"

    @property
    def own(self) -> Graph:
        """The recording's own graph, as it is folded."""
        return self.both.own if self.both else self.picture.graph

    @property
    def graph(self) -> Graph:
        """What is drawn."""
        return self.both.graph if self.both else self.picture.graph


def drawing(
    recording: Recording,
    view: str = "tensors",
    direction: str = "LR",
    run: str = "",
    pinned: Recording | None = None,
    fold: Mode = "none",
    opened: Iterable[str] | None = (),
) -> Drawing:
    """A view of a recording, merged with that of a `pinned` run, if there is one.

    `run` identifies the recording, so that the player keeps step and camera while it stays the same. `fold` says into which
    groups the nodes go, of which those in `opened` are open, or for None those that make a first view; the merged graph of
    two runs is never folded.
    """
    opened = tuple(sorted(at_first(recording, view, fold)) if opened is None else opened)
    both = merged(pinned, recording, view) if pinned is not None else None  # type: ignore[arg-type]
    everything = whole(recording, view)
    groups = folding(recording, view, "none" if both else fold)
    picture = shown(everything, groups, opened)
    placed = everything.laid_out(both.graph if both else picture.graph, direction)  # type: ignore[arg-type]
    return Drawing(recording, view, direction, run, fold, opened, groups, picture, both, placed)


def sketch(d: Drawing) -> dict[str, Any]:
    """The picture, for a player that is to show it while the rest of a large recording is worked out.

    Of what belongs to steps it has how many there are, the timeline's segments and what the last step is about.
    """
    everything, last = d.picture.everything, len(d.recording.events) - 1
    focus = focus_at(d.recording, everything.graph, last) if last >= 0 else ()
    return _picture(d) | {"segments": bands(d.recording, everything), "focus": list(dict.fromkeys(map(d.picture.stand, focus)))}


def _picture(d: Drawing) -> dict[str, Any]:
    """What is drawn where, without what happens in it."""
    nodes = drawn_nodes(d.graph, d.placed)
    edges = drawn_edges(d.graph, d.placed, d.picture.everything.flipped)
    return {
        "rev": d.rev,
        "picture": picture_name(d.run, d.view, d.direction, d.fold),
        "network": drawn_network(nodes, edges),
        "nodes": nodes,
        "edges": edges,
        "tape": d.tape,
        "total": len(d.recording.events),
        "view": d.view,
        "direction": d.direction,
        "fold": open_groups(d.groups, d.opened),
        "legend": legend(d.graph, nodes),
    }


def payload(d: Drawing, details: Details | None = None, complete: bool = True) -> dict[str, Any]:
    """The player's data for a drawing.

    `details` gives the lines to show for a gradient on an edge. One that is not `complete` lacks the steps' captions and the
    details, to be sent when the picture is there (`late_captions`, `late_details`).
    """
    data = _picture(d)
    seen = faces(d.recording, d.own) if d.both else d.picture.faces
    fixed = d.both.faces if d.both else {}
    for node in data["nodes"]:
        key = node["id"]
        node["history"] = written_up(seen.nodes.get(key) or ([[0, fixed[key]]] if key in fixed else []))
    for edge, at in zip(data["edges"], d.graph.edges(keys=True), strict=True):
        edge["history"] = written_up(seen.edges.get(at, ()))
    data |= tape(d.recording, d.picture.everything, captioned=complete)
    watch(data, d.recording, d.own, d.picture)
    tell_folds(data, d.recording, d.groups, d.picture)
    if details is not None and complete:
        data["details"] = detailed(d.recording, d.own, seen, details)
    if d.both:
        data["overlay"] = overlay(d.both)
    return data


def late_details(
    recording: Recording, view: str, fold: Mode, opened: Iterable[str] | None, details: Details
) -> dict[str, dict[int, list[str]]]:
    """The details of a payload that came without."""
    opened = at_first(recording, view, fold) if opened is None else opened
    picture = shown(whole(recording, view), folding(recording, view, fold), opened)
    return detailed(recording, picture.graph, picture.faces, details)


def packed(data: dict[str, Any]) -> dict[str, Any]:
    """A payload whose large parts are JSON that is written already, which takes a tenth of the memory."""
    return data | {name: written_up(data[name]) for name in ("nodes", "edges", "network")}


def plain(data: dict[str, Any]) -> dict[str, Any]:
    """A payload as the player reads it."""
    read: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(data))
    return read


def picture_name(run: str, view: str, direction: str, fold: str) -> str:
    """What tells one picture from another, whatever of it is open; the player names it with what it wants to be open."""
    return f"{run}|{view}|{direction}|{fold}"


def overlay(both: Merged) -> dict[str, Any]:
    """The marks of a comparison, as the player lays them over the graph."""
    return {
        "nodes": both.nodes,
        "edges": {f"{u}>{v}>{k}": mark for (u, v, k), mark in both.edges.items()},
        "legend": [{"tone": one, "label": CHANGES[one]} for one in both.tones()],
    }
