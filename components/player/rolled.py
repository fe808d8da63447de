"""What the player is sent of a rolled run: its places as cards, and what they show in a window of steps and over all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import msgspec
import numpy as np
from msgspec import Raw

from components.player.drawn import drawn_edges, drawn_network, drawn_nodes, legend
from components.player.folds import open_groups
from components.player.protocol import FramePart, LoopPart, RolledPart, RowPart, SparkPart
from components.player.run_tape import of_run, of_window
from components.player.tape import written_up
from components.player.watched import Details, detailed
from engine.diagnosis.findings import known_findings
from engine.graph import Faces, Layout
from engine.graph.rolled_view import RolledView, rolled_view
from engine.graph.shown.group_states import fold_faces, shown_member
from engine.graph.shown.series import Series, points
from engine.graph.shown.state_history import Face
from engine.graph.structure.build import Graph
from engine.graph.structure.folding import folded
from engine.recording import Recording
from engine.recording.events import NOTHING

ROWS = 4
"""Parameters that stand in one card; of more the first are there, and how many there are besides."""
ROW = 26
"""Pixels that one takes, as `frontend/src/card-rows.js` has it."""
WIDE = 196
"""Pixels of a card that has curves beside its numbers."""
NORMS = 20_000
"""Changes of `.grad` that breakpoints look at over the whole run; of a longer one those in the window."""


@dataclass(frozen=True)
class RolledDrawing:
    """A rolled view of a recording, folded and laid out."""

    recording: Recording
    everything: RolledView
    direction: str
    run: str
    turned: tuple[str, ...]
    opened: tuple[str, ...]
    graph: Graph
    stands: dict[str, str]
    """Hidden card → the group that stands for it."""

    @cached_property
    def placed(self) -> Layout:
        """Where everything stands. Who only wants to know what cards show does without."""
        return self.everything.laid_out(self.graph, self.direction)  # type: ignore[arg-type]

    @property
    def rev(self) -> str:
        """What tells it from every other."""
        said = f"{self.tape}|{self.direction}|{self.opened}"
        return sha256(said.encode()).hexdigest()[:16]

    @property
    def tape(self) -> str:
        """What its tape has in common with that of other drawings: the same, whatever is open."""
        return f"{self.run}|{self.everything.view}|{fold_name(self.turned)}"


def fold_name(turned: Iterable[str]) -> str:
    """How a rolled picture is folded, in the place of a way to fold one that is not."""
    return " ".join(["rolled", *sorted(turned)])


def rolled_drawing(
    recording: Recording,
    view: str = "tensors",
    direction: str = "LR",
    run: str = "",
    turned: Iterable[str] = (),
    opened: Iterable[str] | None = None,
) -> RolledDrawing:
    """A rolled view, with the groups open that are in `opened`, or for None those of a first view."""
    turned = tuple(sorted(turned))
    everything = rolled_view(recording, view, turned)
    opened = tuple(sorted(everything.at_first if opened is None else opened))
    graph = folded(everything.graph, everything.folding, opened)
    stands = {member: key for key, a in graph.nodes(data=True) for member in a.get("members", ())}
    _make_room(everything, graph)
    return RolledDrawing(recording, everything, direction, run, turned, opened, graph, stands)


def rolled_payload(
    d: RolledDrawing, window: tuple[int, int] | None = None, details: Details | None = None, file: str = ""
) -> dict[str, Any]:
    """The player's data for a rolled drawing, with what the cards show in a window of steps, or for None at the end.

    It tells of findings if they are known: they are not waited for (`rolled_news`).
    """
    everything = d.everything
    window = _within(d, window)
    whole, faces = _faces(d, window)
    data = {
        **_picture(d),
        **everything.once("tape", lambda: of_run(d.recording, everything)),
        **of_window(d.recording, everything, *window),
        "rolled": written_up(_rolled(d, window, file)),
        "window": window,
    }
    _tell(d, data, faces, whole)
    if details is not None:
        data["details"] = detailed(d.recording, d.graph, faces, details)
    return data


def rolled_news(
    d: RolledDrawing, window: tuple[int, int] | None, has: Sequence[int] | None, details: Details
) -> dict[str, Any]:
    """What a player that has a rolled picture lacks: what its cards show in a window that is not the one it `has` had last, and
    what has been found."""
    data: dict[str, Any] = {"rev": d.rev, "tape": d.tape, "total": len(d.recording.events)}
    if known_findings(d.recording) is not None:
        data["found"] = {"marks": d.everything.found(_steps_of_findings(d.recording)), "nodes": _findings(d)}
    if window is None:
        return data
    window = _within(d, window)
    if has is not None and list(has) == list(window):
        return data
    whole, faces = _faces(d, window)
    running = of_window(d.recording, d.everything, *window)
    told = {
        "window": window,
        "nodes": [_told(d, key, a, faces, whole, window) for key, a in d.graph.nodes(data=True)],
        "edges": [{"id": "{}>{}>{}".format(*at), "history": faces.edges[at]} for at in d.graph.edges(keys=True)],
        "running": running.pop("running"),
    }
    return data | running | {"told": written_up(told), "details": detailed(d.recording, d.graph, faces, details)}


def _within(d: RolledDrawing, window: tuple[int, int] | None) -> tuple[int, int]:
    total = len(d.recording.events)
    first, last = window if window is not None else d.everything.window(total - 1)
    return d.everything.within(first, last, min(max(last, first), total - 1))


def _faces(d: RolledDrawing, window: tuple[int, int]) -> tuple[Faces, Faces]:
    """What everything shows in a window: all cards and edges, and those on show."""
    whole = d.everything.faces(*window)
    faces = fold_faces(d.everything.graph, d.graph, whole, d.everything.norms_between(*window))
    return Faces(whole.nodes, whole.edges), faces


def _told(d: RolledDrawing, key: str, a: dict[str, Any], faces: Faces, whole: Faces, window: tuple[int, int]) -> dict[str, Any]:
    """What a card and the parameters in it show."""
    rows = [{"key": one, "history": whole.nodes[one]} for one in _parameters(d.everything, a.get("members", ()))]
    return {"id": key, "history": _history(d, key, a, faces, window), "rows": rows}


def _history(
    d: RolledDrawing, key: str, a: dict[str, Any], faces: Faces, window: tuple[int, int]
) -> Sequence[tuple[int, Face]]:
    if a["kind"] == "step":
        return d.everything.steps_of(key, *window)
    if "members" in a and d.everything.folding.groups[a["group"]].kind == "module":
        return [(step, _value_alone(face)) for step, face in faces.nodes[key]]
    return faces.nodes[key]


def not_rolled(worth: bool) -> Raw:
    """What is said of loops where a picture is not rolled: whether it could be."""
    return written_up(RolledPart("", False, worth, "", [], [], [], [], None))


# --- the picture --------------------------------------------------------------------------------------------------------------


def _make_room(everything: RolledView, graph: Graph) -> None:
    """Cards have room for their curves, and for the parameters in them."""
    for _, a in graph.nodes(data=True):
        if a["shape"] == "card" and a["kind"] != "constant":
            a["width"] = max(a["width"], WIDE)
        if "members" in a:
            a["frames"] = _frames(everything, a["members"])
            a["side"] = all(everything.graph.nodes[one].get("side") for one in a["members"])
            a["height"] += ROW * min(ROWS, len(_parameters(everything, a["members"])))


def _frames(everything: RolledView, members: Sequence[str]) -> tuple[str, ...]:
    """The frames around a closed group: those that all have around them which belong to an iteration."""
    found = [a["frames"] for a in map(everything.graph.nodes.__getitem__, members) if a["loop"]]
    common: tuple[str, ...] = found[0] if found else ()
    for frames in found:
        size = next((i for i, (a, b) in enumerate(zip(common, frames)) if a != b), min(len(common), len(frames)))
        common = common[:size]
    return common


def _parameters(everything: RolledView, members: Sequence[str]) -> list[str]:
    nodes = everything.graph.nodes
    return [key for key in members if nodes[key]["kind"] in ("leaf", "accumulate") and not nodes[key]["loop"]]


def _picture(d: RolledDrawing) -> dict[str, Any]:
    from components.player.payload import picture_name

    nodes = drawn_nodes(d.graph, d.placed)
    flipped = d.everything.autograd
    edges = drawn_edges(d.graph, d.placed, flipped)
    for edge, (_, _, a) in zip(edges, d.graph.edges(data=True), strict=True):
        parts = [d.everything.graph.edges[part] for part in a.get("parts", ())] or [a]
        edge["carried"] = all(part["carried"] for part in parts)
        most = max(parts, key=lambda part: part["seen"] / part["of"])
        edge["some"] = _some(most["seen"], most["of"])
    return {
        "rev": d.rev,
        "picture": picture_name(d.run, d.everything.view, d.direction, fold_name(d.turned)),
        "network": drawn_network(nodes, edges),
        "nodes": nodes,
        "edges": edges,
        "tape": d.tape,
        "total": len(d.recording.events),
        "view": d.everything.view,
        "direction": d.direction,
        "fold": open_groups(d.everything.folding, d.opened),
        "legend": legend(d.graph, nodes),
    }


def _some(seen: int, of: int) -> str:
    return f"in {seen:,} of {of:,} iterations" if seen < of else ""


# --- what cards show ----------------------------------------------------------------------------------------------------------


def _tell(d: RolledDrawing, data: dict[str, Any], faces: Faces, whole: Faces) -> None:
    """Add to nodes and edges what they show, and what a debugger asks of them."""
    everything = d.everything
    told, troubles = _findings(d), everything.troubles
    norms = everything.norms
    if sum(map(len, norms.values())) > NORMS:
        norms = everything.norms_between(*data["window"])
    used: dict[int, None] = {}
    for node in data["nodes"]:
        key = node["id"]
        a = d.graph.nodes[key]
        history = _history(d, key, a, faces, data["window"])
        members = a.get("members")
        shown = key if members is None else shown_member(everything.graph, members)
        sites = everything.node_sites.get(shown, [])
        node |= {
            "op": a["op"],
            "history": written_up(history),
            "changes": [step for step, _ in history],
            "sites": sites,
            "grads": norms.get(key, []),
            "pass": a["in_backward"],
            "loop": everything.graph.nodes[shown]["loop"],
            "times": a.get("times", 1),
            "some": _some(*_seen(everything, (key,) if members is None else members)),
            "spark": _spark(everything, shown, members),
            "alarm": min((since for one in members or (key,) if (since := troubles.get(one)) is not None), default=None),
            "findings": told.get(key, []),
        }  # fmt: skip
        if members is not None:
            node["rows"] = [_row(everything, one, a["title"], whole, norms) for one in _parameters(everything, members)]
            for row in node["rows"]:
                used.update(dict.fromkeys(row.sites))
        used.update(dict.fromkeys(sites))
    for edge, at in zip(data["edges"], d.graph.edges(keys=True), strict=True):
        edge["history"] = written_up(faces.edges[at])
    named = {site: d.recording.sites[site] for site in used}
    data["sites"] = {site: [s.cell, s.line, s.column, s.end_line, s.end_column] for site, s in named.items()}


def _value_alone(face: Face) -> Face:
    """What a module gives, without the name of the operation that makes it: the card says what it is."""
    return msgspec.structs.replace(face, value=face.value.rpartition(" = ")[2])


def _seen(everything: RolledView, members: Sequence[str]) -> tuple[int, int]:
    """In how many iterations a card is there: a group, in as many as that of it which is there most."""
    nodes = everything.graph.nodes
    own = [key for key in members if nodes[key]["loop"]] or list(members)
    best = max(own, key=lambda key: nodes[key]["seen"] / nodes[key]["of"])
    return nodes[best]["seen"], nodes[best]["of"]


def _spark(everything: RolledView, shown: str, members: Sequence[str] | None) -> SparkPart | None:
    """The curves of a card; of a group those of the member that it shows, with what goes wrong in any."""
    made: SparkPart | None = everything.once(("spark", shown, members), lambda: _made_spark(everything, shown, members))
    return made


def _made_spark(everything: RolledView, shown: str, members: Sequence[str] | None) -> SparkPart | None:
    one = everything.series[shown]
    bad = one.troubles()
    if members is not None:
        loop = everything.places.loop
        number = loop[everything.card[shown]]
        alike = [everything.series[key] for key in members if loop[everything.card[key]] == number]
        worst = np.bitwise_or.reduce([each.bad for each in alike])
        bad = Series(one.value, one.spread, one.norm, one.grad, worst, one.arrays, one.grads).troubles()
    constant = len(np.unique(one.arrays)) <= 1
    value, grad = None if constant else points(one.value), points(one.grad)
    return SparkPart(value, grad, bad) if len(one.value) > 1 and (value or grad or bad) else None


def _row(everything: RolledView, key: str, title: str, whole: Faces, norms: dict[str, list[tuple[int, float]]]) -> RowPart:
    a = everything.graph.nodes[key]
    history = whole.nodes[key]
    return RowPart(
        key, str(a["title"]).rsplit(f"{title}.", 1)[-1], "leaf", a["badge"], a["sub"], a["born"],
        _spark(everything, key, None), written_up(history), everything.node_sites.get(key, []),
        [step for step, _ in history], norms.get(key, []), a["op"],
    )  # fmt: skip


def _findings(d: RolledDrawing) -> dict[str, list[str]]:
    """Closed group → the titles of the findings that are about something in it."""
    told: dict[str, list[str]] = {}
    for finding in known_findings(d.recording) or ():
        keys = (d.everything.rolled.key_of.get(node) for node in finding.nodes)
        for there in {d.stands[key] for key in keys if key in d.stands}:
            told.setdefault(there, []).append(finding.title)
    return told


# --- loops, curves and marks --------------------------------------------------------------------------------------------------


def _rolled(d: RolledDrawing, window: tuple[int, int], file: str) -> RolledPart:
    everything = d.everything
    timeline = everything.once("timeline", everything.timeline)
    found = everything.found(_steps_of_findings(d.recording))
    marks = sorted([*timeline.marks, *found], key=lambda mark: mark.step)
    trouble = next((mark.step for mark in timeline.marks if mark.kind in ("nan", "inf")), NOTHING)
    frames = _frames_of(d)
    used = {frame.loop for frame in frames}
    loops = [
        LoopPart(
            loop.id, loop.title, loop.line, loop.cell, loop.parent, loop.kind, loop.reason, loop.total,
            loop.starts.tolist(), loop.ends.tolist(), loop.outer.tolist(), loop.id in used,
        )
        for loop in everything.loops.values()
    ]  # fmt: skip
    return RolledPart(
        everything.rolled.main, everything.main is not None, everything.rolled.worth, file, loops, frames,
        timeline.curves, marks, window, everything.about(trouble) if trouble != NOTHING else [],
        everything.there,
    )  # fmt: skip


def _steps_of_findings(recording: Recording) -> list[tuple[int, str]]:
    return [(finding.step, finding.title) for finding in known_findings(recording) or ()]


def _frames_of(d: RolledDrawing) -> list[FramePart]:
    inside: dict[str, int] = {}
    for _, a in d.graph.nodes(data=True):
        for loop in a.get("frames", ()):
            inside[loop] = inside.get(loop, 0) + len(a.get("members", (0,)))
    found = []
    for loop, (x, y, w, h) in d.placed.frames.items():
        across, down, wide, high = (round(each, 1) for each in (x + w / 2, y + h / 2, w, h))
        found.append(FramePart(loop, across, down, wide, high, d.everything.loops[loop].title, inside[loop]))
    return found
