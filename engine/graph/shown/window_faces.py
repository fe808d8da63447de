"""What the cards and edges of a rolled graph show in a window of steps: worked out for the members alone that are on show in
it, so that it costs the same however long the run is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from functools import partial

import numpy as np

from ...recording.events import NOTHING
from ...recording.index import index_of
from ...recording.recording import Recording
from ..numbers import ArrayTexts, number
from ..structure.tensor_titles import best_names
from .carriers import Carriers
from .members import Members
from .node_states import Cast, WholeFaces, face_of, faces_between
from .series import Iterations, Series
from .state_history import EdgeKey, Face, NodeHistories


def window_faces(
    recording: Recording,
    members: Members,
    carried: Carriers,
    first: int,
    last: int,
    keys: Collection[str] | None = None,
    edges: Collection[EdgeKey] | None = None,
) -> WholeFaces:
    """What cards and edges, all of them or some, show from one step to another, both included."""
    graph, autograd = members.rolled.graph, members.autograd
    prefix = "n" if autograd else "t"
    shown: list[tuple[str, list[int], list[int]]] = []
    cast: dict[str, tuple[int, str]] = {}
    owners = index_of(recording).owners
    for key in members.keys if keys is None else keys:
        ids, born = members.made[members.number[key]]
        low, high = np.searchsorted(born, [first, last], "right").tolist()
        low = max(0, low - 1)
        some = ids[low:high].tolist()
        shown.append((key, some, born[low:high].tolist()))
        title = graph.nodes[key]["title"]
        cast.update({f"{prefix}{id}": (owners.get((id, 0), NOTHING) if autograd else id, title) for id in some})
    if edges is not None:
        carried = carried.among(edges)
    wanted = Cast(autograd, cast, carried, graph.edges(keys=True) if edges is None else edges, renamed=False, passed=True)
    parts = faces_between(recording, wanted, first, last)
    texts, names = ArrayTexts(recording), {} if autograd else best_names(recording)
    merged = NodeHistories(iter(members.keys if keys is None else keys), partial(face_of, texts))
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
    """What the card of an optimizer's step shows from one step to another: its learning rate, how far it moved the parameters.

    Args:
        one: its series: the learning rate as the value, the share by which the parameters moved as the gradient.
        rows: the main loop's iterations.
        steps: when it ran.
    """
    low, high = bisect_left(steps, first), bisect_right(steps, last)
    near = np.array(steps[max(0, low - 1) : high], np.int64)  # with the one before, which the card shows at first
    made = []
    for step, row in zip(near.tolist(), rows.rows(near).tolist(), strict=True):
        if row >= 0:
            rate, moved = (number(float(f"{value:.4g}")) for value in (one.value[row], one.grad[row]))
            # Both are NaN where they are not known; how far NaN has moved is NaN, too.
            known = rate if one.value[row] == one.value[row] else ""
            way = moved if one.grad[row] == one.grad[row] or one.bad[row] else None
            made.append((max(step, first - 1), Face(value=known, grad=way, grad_label="moved", value_label="lr")))
    return made[1:] if len(made) > 1 and made[1][0] == first else made
