"""A view of a recording with what its nodes and edges show: worked out once for all pictures of it."""

from __future__ import annotations

from typing import NamedTuple

from ..graph import View
from ..graph.graph_view import whole
from ..graph.shown.group_states import fold_faces
from ..graph.shown.node_states import Faces
from ..graph.shown.timeline import focus_at
from ..graph.structure.build import Graph
from ..recording.recording import Recording
from .rolled_states import RolledSeen


class Seen(NamedTuple):
    """A graph, folded or not, and its faces."""

    graph: Graph
    faces: Faces
    flipped: bool
    """Whether edges point from results to leaves, against the picture."""
    rolled: RolledSeen | None = None
    """More about it where it is rolled."""


def seen(recording: Recording, view: View, rolled: RolledSeen | None = None) -> Seen:
    """What a view shows; "grouped" is the view of tensors as the page opens it."""
    if rolled is not None:
        return Seen(rolled.graph, rolled.faces, rolled.view.autograd, rolled)
    if view == "grouped":
        all_of_it = whole(recording)
        graph = all_of_it.first_view()
        return Seen(graph, fold_faces(all_of_it.graph, graph, all_of_it.faces, all_of_it.norms), False)
    all_of_it = whole(recording, view)
    return Seen(all_of_it.graph, all_of_it.faces, all_of_it.flipped)


def focus(recording: Recording, graph: Graph, step: int) -> frozenset[str]:
    """The nodes that a step is about, groups in place of what is folded into them."""
    if step < 0:
        return frozenset()
    folded = [(key, members) for key, members in graph.nodes(data="members") if members]
    if not folded:
        return frozenset(focus_at(recording, graph, step))
    inside = {member: key for key, members in folded for member in members}
    return frozenset(inside.get(key, key) for key in focus_at(recording, whole(recording).graph, step))
