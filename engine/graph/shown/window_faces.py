"""What the cards and edges of a rolled graph show in a window of steps: worked out for the members alone that are on show in
it, so that it costs the same however long the run is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ...recording.events import NOTHING
from ...recording.index import index_of
from ...recording.recording import Recording
from ..numbers import ArrayTexts, number
from ..structure.build import Graph
from ..structure.tensor_titles import best_names
from .members import Members
from .node_states import Cast, WholeFaces, face_of, faces_between
from .series import Iterations, Series
from .state_history import Face, NodeHistories

Carriers = Mapping[tuple[int, int], Sequence[tuple[str, str, int]]]
"""(node, its edge) → the edges of the graph that show what goes there."""


def carriers(graph: Graph) -> Carriers:
    """The edges of a graph by what they carry."""
    found: dict[tuple[int, int], list[tuple[str, str, int]]] = {}
    for u, v, k, carries in graph.edges(keys=True, data="carries"):
        for pair in carries:
            found.setdefault(pair, []).append((u, v, k))
    return found


def window_faces(recording: Recording, members: Members, carried: Carriers, first: int, last: int) -> WholeFaces:
    """What every card and edge shows from one step to another, both included."""
    graph, autograd = members.rolled.graph, members.autograd
    prefix = "n" if autograd else "t"
    shown: list[tuple[str, list[int], list[int]]] = []
    cast: dict[str, tuple[int, str]] = {}
    owners = index_of(recording).owners
    for key, (ids, born) in zip(members.keys, members.made, strict=True):
        low, high = np.searchsorted(born, [first, last], "right").tolist()
        low = max(0, low - 1)
        some = ids[low:high].tolist()
        shown.append((key, some, born[low:high].tolist()))
        title = graph.nodes[key]["title"]
        cast.update({f"{prefix}{id}": (owners.get((id, 0), NOTHING) if autograd else id, title) for id in some})
    wanted = Cast(autograd, cast, carried, graph.edges(keys=True), renamed=False)
    parts = faces_between(recording, wanted, first, last)
    texts, names = ArrayTexts(recording), {} if autograd else best_names(recording)
    merged = NodeHistories(iter(members.keys), partial(face_of, texts))
    for key, some, births in shown:
        title = graph.nodes[key]["title"]
        for id, end in zip(some, [*births[1:], last + 1]):
            name = names.get(id, title)
            for step, noted in parts.nodes.noted(f"{prefix}{id}"):
                if step >= end:
                    break
                merged.note(key, step, list(noted if name == title else noted._replace(title=name)))
    return WholeFaces(merged, parts.edges)


def step_faces(one: Series, rows: Iterations, steps: Sequence[int], first: int, last: int) -> list[tuple[int, Face]]:
    """What the card of an optimizer's step shows from one step to another: how large the parameters are, how far it moved them.

    Args:
        one: its series: the norm of the parameters as the value, the share by which they moved as the gradient.
        rows: the main loop's iterations.
        steps: when it ran.
    """
    made = []
    for step in steps:
        row = int(rows.rows(np.array([step]))[0])
        if step <= last and row >= 0:
            size, moved = (number(float(f"{value:.4g}")) for value in (one.value[row], one.grad[row]))
            made.append((step, Face(value=size, grad=moved, grad_label="moved", value_label="‖w‖")))
    within = [entry for entry in made if entry[0] >= first]
    before = [(first, face) for step, face in made if step < first][-1:]
    return within if within and within[0][0] == first else before + within
