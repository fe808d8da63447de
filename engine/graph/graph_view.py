"""The views of a recording, and everything about one before it is folded: worked out once, when first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, Literal, TypeAlias

import networkx as nx

from ..recording.recording import Recording
from .shown.change_index import changes, gradients, node_sites
from .shown.group_states import Kept
from .shown.node_states import WholeFaces, faces
from .shown.nonfinite import troubles
from .structure import build as whole_graphs
from .structure import rolled as rolled_graphs
from .structure.build import VIEWS, Graph, WholeView
from .structure.folding import Folding, Mode, folded, groups, groups_at_first, opened_at_first
from .structure.layout import Direction, Layout, layout

View: TypeAlias = Literal[WholeView, "grouped"]
"""The views; "grouped" is that of the tensors, folded as far as makes a readable picture."""

CANVAS = 1.3
"""The width of the page's canvas by its height, where nothing else is said."""


def build(recording: Recording, view: View = "tensors", rolled: bool = False) -> Graph:
    """The recording's graph with all its steps at once; `born` says from which step on a node or edge exists.

    Args:
        rolled: one node for each place of the program, whatever the number of iterations; see `structure.rolled`.

    Raises:
        ValueError: for a view that there is not.
    """
    if rolled and view in VIEWS:
        return rolled_graphs.rolled(recording, view).graph
    if view == "grouped":
        return whole(recording).first_view()
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r}, expected one of {', '.join([*VIEWS, 'grouped'])}")
    return whole_graphs.build(recording, view)


class Whole:
    """One view's graph and what follows from it. Treat all of it as frozen."""

    def __init__(self, recording: Recording, view: str) -> None:
        self.recording = recording
        self.graph: Graph = build(recording, view)  # type: ignore[arg-type]
        self._foldings: dict[Mode, Folding] = {}
        self.kept: Kept = {}
        """Histories of groups that have been on show."""
        self._once: dict[Hashable, Any] = {}

    @cached_property
    def faces(self) -> WholeFaces:
        """What every node and edge shows."""
        return faces(self.recording, self.graph)

    @cached_property
    def changes(self) -> dict[str, list[int]]:
        """When each node changes."""
        return changes(self.recording, self.graph)

    @cached_property
    def norms(self) -> dict[str, list[tuple[int, float]]]:
        """How large each node's `.grad` is."""
        return gradients(self.recording, self.graph)

    @cached_property
    def node_sites(self) -> dict[str, list[int]]:
        """Where each node is in the program."""
        return node_sites(self.recording, self.graph)

    @cached_property
    def troubles(self) -> dict[str, int]:
        """Since when a node holds NaN or Inf."""
        return troubles(self.recording, self.faces)

    def once(self, name: Hashable, make: Callable[[], Any]) -> Any:
        """What follows from this view and is wanted again and again, made the first time."""
        if name not in self._once:
            self._once[name] = make()
        return self._once[name]

    def folding(self, mode: Mode) -> Folding:
        """The groups for one way to fold."""
        made = self._foldings.get(mode)
        if made is None:
            made = self._foldings[mode] = groups(self.recording, self.graph, mode)
        return made

    def first_view(self) -> Graph:
        """The graph as it is first shown: folded as far as makes it readable."""
        mode = opened_at_first(self.graph, "auto")
        folding = self.folding(mode)
        return self.graph if mode == "none" else folded(self.graph, folding, groups_at_first(folding, self.graph))

    def laid_out(self, graph: Graph, direction: Direction, aspect: float | None = CANVAS) -> Layout:
        """The layout of this graph or a folded one: leaves first in both views, though grad_fn edges point at leaves."""
        return layout(turned_round(graph) if self.flipped else graph, direction, aspect)

    @property
    def flipped(self) -> bool:
        """Whether edges point from results to leaves."""
        return bool(self.graph.graph["view"] == "autograd")


def turned_round(graph: Graph) -> Graph:
    """The graph with its edges the other way round. networkx's own `reverse` copies all attributes, deeply."""
    made: Graph = nx.MultiDiGraph(**graph.graph)
    made.add_nodes_from(graph.nodes(data=True))
    made.add_edges_from((v, u, k, a) for u, v, k, a in graph.edges(keys=True, data=True))
    return made


def whole(recording: Recording, view: str = "tensors") -> Whole:
    """A view of a recording, made on the first call and kept on the recording."""
    name = f"whole {view}"
    return recording.once(name, lambda: Whole(recording, view))
