"""What the player is sent: the graph with its layout, every node's faces over all steps, the timeline."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec
from pyvis.network import Network

from components.graph_view.folds import at_first, folding, shown, tell_folds
from components.graph_view.tape import tape, written_up
from components.graph_view.watched import Details, detailed, watch
from engine.diagnosis.merged import LEGEND as CHANGES
from engine.diagnosis.merged import Merged, merged
from engine.graph import faces
from engine.graph.folding import Mode
from engine.graph.tones import LEGEND, edge_legend, tone
from engine.graph.whole import whole
from engine.recording import Recording


def payload(
    recording: Recording,
    view: str = "tensors",
    direction: str = "LR",
    run: str = "",
    pinned: Recording | None = None,
    details: Details | None = None,
    fold: Mode = "none",
    opened: Iterable[str] | None = (),
    complete: bool = True,
) -> dict[str, Any]:
    """The player's data for one view of a recording, merged with that of a `pinned` run, if there is one.

    `run` identifies the recording, so that the player keeps step and camera while it stays the same. `details` gives the
    lines to show for a gradient on an edge. `fold` says into which groups the nodes go, of which those in `opened` are open, or
    for None those that make a first view; the merged graph of two runs is never folded. One that is not
    `complete` lacks the steps' captions and the details, to be sent when the picture is there (`late_captions`,
    `late_details`).
    """
    opened = tuple(sorted(at_first(recording, view, fold)) if opened is None else opened)
    both = merged(pinned, recording, view) if pinned is not None else None  # type: ignore[arg-type]
    everything = whole(recording, view)
    groups = folding(recording, view, "none" if both else fold)
    picture = shown(everything, groups, opened)
    own = both.own if both else picture.graph
    graph = both.graph if both else own
    flipped = everything.flipped
    placed = everything.laid_out(graph, direction)  # type: ignore[arg-type]
    seen = faces(recording, own) if both else picture.faces
    network = Network(directed=True, cdn_resources="local")
    network.toggle_physics(False)
    nodes = []
    for key, a in graph.nodes(data=True):
        x, y = placed.positions[key]
        network.nodes.append({"id": key, "label": a["title"], "shape": "custom", "x": x, "y": y, "physics": False})
        nodes.append(
            {
                "id": key, "x": round(x, 1), "y": round(y, 1), "w": a["width"], "h": a["height"], "shape": a["shape"],
                "tone": tone(a), "title": a["title"], "badge": a["badge"], "sub": a["sub"], "born": a["born"],
                "history": written_up(seen.nodes.get(key) or ([[0, both.faces[key]]] if both and key in both.faces else [])),
            }
        )  # fmt: skip
    edges = []
    for u, v, k, a in graph.edges(keys=True, data=True):
        name = f"{u}>{v}>{k}"
        at = (v, u, k) if flipped else (u, v, k)
        route = [[round(x, 1), round(y, 1)] for x, y in placed.routes[at]]
        network.edges.append({"id": name, "from": u, "to": v})
        edges.append(
            {
                "id": name, "from": u, "to": v, "route": route[::-1] if flipped else route,
                "kind": "removed" if a.get("removed") else a["kind"],
                "born": a["born"], "far": at in placed.far,
                "history": written_up(seen.edges.get((u, v, k), ())),
            }
        )  # fmt: skip
    tones = dict.fromkeys(n["tone"] for n in nodes)
    data: dict[str, Any] = {
        "rev": sha256(f"{run}|{view}|{direction}|{fold}|{opened}".encode()).hexdigest()[:16],
        "picture": picture_name(run, view, direction, fold),
        "network": {"nodes": network.nodes, "edges": network.edges, "options": _options(network)},
        "nodes": nodes,
        "edges": edges,
        "tape": f"{run}|{view}|{fold}",
        "total": len(recording.events),
        **tape(recording, everything, captioned=complete),
        "view": view,
        "direction": direction,
        "legend": [{"tone": one, "label": LEGEND[one]} for one in LEGEND if one in tones] + edge_legend(graph),
    }
    watch(data, recording, own, everything, picture)
    tell_folds(data, recording, everything, groups, picture, opened)
    if details is not None and complete:
        data["details"] = detailed(recording, own, seen, details)
    if both:
        data["overlay"] = overlay(both)
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


def picture_name(run: str, view: str, direction: str, fold: Mode) -> str:
    """What tells one picture from another, whatever of it is open; the player names it with what it wants to be open."""
    return f"{run}|{view}|{direction}|{fold}"


def overlay(both: Merged) -> dict[str, Any]:
    """The marks of a comparison, as the player lays them over the graph."""
    return {
        "nodes": both.nodes,
        "edges": {f"{u}>{v}>{k}": mark for (u, v, k), mark in both.edges.items()},
        "legend": [{"tone": one, "label": CHANGES[one]} for one in both.tones()],
    }


def _options(network: Network) -> dict[str, Any]:
    """pyvis's options as plain data; positions are fixed, because the layout is computed once for the whole recording."""
    options: dict[str, Any] = json.loads(network.options.to_json())
    options["interaction"] = {"hover": True, "dragNodes": False}
    return options
