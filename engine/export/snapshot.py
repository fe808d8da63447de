"""What exists at one step, as a networkx graph whose attributes are plain text and numbers."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal

from ..graph.shown.node_kinds import tone
from ..graph.shown.state_history import Face
from ..graph.structure.build import Graph
from ..progress import Tell, untold
from ..recording.events import NOTHING
from ..recording.index import index_of
from ..recording.recording import Recording
from .graph_scene import faces_at
from .picture import Options, step_of, view_with
from .scene import clean


def snapshot(recording: Recording, options: Options, tell: Tell = untold) -> Graph:
    """Nodes and edges with their attributes at a step.

    Keys are `t<tensor>`, `n<grad_fn>`, `p<place>` and `g:<group>`; edges point as they do in the view: from inputs to results,
    or along `next_functions`. A node has title, kind, tone, badge, about, op, line, dtype, shape, value, grad, coordinates x, y
    where they apply; an edge kind and, at a step at which a gradient passes, gradient and norm. Where iterations share their
    nodes, a node says its loops, how many times it is there within an iteration and whether only some have it, and an edge
    whether it is carried to the next one; the graph's `loops` are pairs (id, header and iteration) as JSON.
    """
    step = step_of(recording, options)
    view = view_with(recording, options)
    graph, shown, rolled = view.graph, faces_at(view, step), view.rolled is not None
    tell(0.3)
    placed = view.placed
    tell(0.8)
    drawn = Graph(
        title=clean(options.title), view=options.view, direction=options.direction, step=step, steps=len(recording.events)
    )
    if rolled:
        drawn.graph["loops"] = json.dumps([[loop, " · ".join(view.frame_title(loop, step))] for loop in placed.frames])
    for key, a in graph.nodes(data=True):
        if a["born"] > step:
            continue
        history = shown.nodes[key]
        face = history[bisect_right(history, step, key=lambda entry: entry[0]) - 1][1] if history else Face(value="")
        x, y = placed.positions[key]
        attributes: dict[str, str | int | float] = {
            "title": clean(face.title or a["title"]), "kind": a["kind"], "tone": tone(a), "badge": clean(a["badge"]),
            "about": clean(a["sub"]), "op": clean(a["op"]), "value": clean(face.value), "x": round(x, 1), "y": round(y, 1),
        }  # fmt: skip
        if a["line"]:
            attributes["line"] = a["line"]
        if face.grad is not None:
            attributes["grad"] = clean(face.grad)
        if a["kind"] == "step":  # how large the parameters are, and how far it moved them
            attributes |= {"size": attributes.pop("value"), "moved": attributes.pop("grad", "")}
        if face.flow is not None:
            attributes["flowing"] = clean(face.flow)
        if "members" in a:
            attributes["members"] = len(a["members"])
        attributes |= _array(recording, a["tensor"])
        if rolled:
            attributes |= {"times": a.get("times", 1), "some": view.some(key), "loops": " ".join(a.get("frames", ()))}
        drawn.add_node(key, **{name: value for name, value in attributes.items() if value != ""})
    for u, v, k, a in graph.edges(keys=True, data=True):
        if a["born"] > step or u not in drawn or v not in drawn:
            continue
        edge: dict[str, str | float] = {"kind": a["kind"]}
        if rolled:
            carried, some = view.between(u, v, k)
            edge |= ({"carried": True} if carried else {}) | ({"some": some} if some else {})
        passing = [face for at, face in shown.edges[u, v, k] if at == step and face.active]
        if passing:
            edge["gradient"] = clean(passing[-1].label)
            if passing[-1].norm is not None:
                edge["norm"] = passing[-1].norm
        drawn.add_edge(u, v, k, **edge)
    return drawn


def _array(recording: Recording, tensor: int) -> dict[str, str]:
    history = index_of(recording).tensors.get(tensor) if tensor != NOTHING else None
    if history is None:
        return {}
    return {"dtype": history.info.dtype, "shape": "×".join(map(str, history.info.shape)) or "scalar"}


def nested(graph: Graph) -> Iterator[tuple[Literal["loop", "node", "end"], str, str]]:
    """The nodes in their loops: ("loop", id, title) where one begins, ("node", key, ""), ("end", id, "") where a loop ends."""
    titles = dict(json.loads(graph.graph.get("loops", "[]")))
    paths = {key: tuple(loops.split()) for key, loops in graph.nodes(data="loops", default="")}
    inside: tuple[str, ...] = ()
    for key in [*sorted(paths, key=lambda key: paths[key]), ""]:
        path = paths.get(key, ())
        shared = next((i for i, (a, b) in enumerate(zip(inside, path)) if a != b), min(len(inside), len(path)))
        yield from (("end", loop, "") for loop in reversed(inside[shared:]))
        yield from (("loop", loop, titles[loop]) for loop in path[shared:])
        if key:
            yield "node", key, ""
        inside = path


def lines(attributes: dict[str, str | int | float]) -> list[str]:
    """A node in a few lines, the title first."""
    badge = f" · {attributes['badge']}" if "badge" in attributes else ""
    times = f" × {attributes['times']}" if attributes.get("times", 1) != 1 else ""
    found = [f"{attributes.get('title', '')}{times}{badge}", str(attributes.get("about", "")), str(attributes.get("some", ""))]
    found += [f"{name} {attributes[name]}" for name in ("value", "grad", "flowing", "size", "moved") if name in attributes]
    return [line for line in found if line]
