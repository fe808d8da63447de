"""A view of a whole run with one node for each operation, and what follows from it: worked out once, when asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

from ..recording.events import NOTHING
from ..recording.index import index_of
from ..recording.recording import Recording
from .shown.change_index import changes, gradients, node_sites
from .shown.group_states import Kept
from .shown.node_states import WholeFaces, faces
from .shown.nonfinite import troubles
from .shown.timeline import focus_at
from .structure.build import Graph, WholeView, unmeasured
from .structure.folding import Folding, Mode, groups, groups_at_first, opened_at_first

OUTPUTS = 4
"""Outputs of a node among which its card is looked for."""


class UnrolledGraph:
    """One view with every operation of the run. Treat all of it as frozen."""

    def __init__(self, recording: Recording, view: WholeView) -> None:
        self.recording = recording
        self.view = view
        self.graph: Graph = unmeasured(recording, view)
        """Nodes have their sizes from when they were first on show (`structure.build.measure`)."""
        self.kept: Kept = {}
        """Histories of groups that have been on show."""
        self._once: dict[Hashable, Any] = {}

    def once(self, name: Hashable, make: Callable[[], Any]) -> Any:
        """What follows from this view and is wanted again and again, made the first time."""
        if name not in self._once:
            self._once[name] = make()
        return self._once[name]

    @property
    def flipped(self) -> bool:
        """Whether edges point from results to leaves."""
        return self.view == "autograd"

    def groups(self, mode: Mode) -> Folding:
        """The groups for one way to fold; a small graph is left as it is by "auto"."""
        mode = opened_at_first(self.graph, mode)
        made: Folding = self.once(("groups", mode), lambda: groups(self.recording, self.graph, mode))
        return made

    def opened_at_first(self, folding: Folding) -> frozenset[str]:
        """The groups that are open before the user has opened or closed one."""
        found: frozenset[str] = self.once(("at first", id(folding)), lambda: groups_at_first(folding, self.graph))
        return found

    def key_of(self, node: str) -> str:
        """The card that stands for a node of the run: itself."""
        return node

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

    @cached_property
    def nans(self) -> dict[str, int]:
        """Since when a node holds NaN."""
        return troubles(self.recording, self.faces, nan=True)

    def about(self, step: int) -> list[str]:
        """The nodes that a step is about."""
        return list(focus_at(self.recording, self.graph, step))

    def card_of_node(self, node: int) -> str | None:
        """The card of an autograd node: itself, or the first of its outputs that has one."""
        if self.flipped:
            return f"n{node}" if f"n{node}" in self.graph else None
        owners = index_of(self.recording).owners
        keys = (f"t{owners.get((node, output), NOTHING)}" for output in range(OUTPUTS))
        return next((key for key in keys if key in self.graph), None)


def unrolled_graph(recording: Recording, view: str = "tensors") -> UnrolledGraph:
    """A view of a recording with every operation, made on the first call and kept on the recording."""
    return recording.once(f"unrolled graph {view}", lambda: UnrolledGraph(recording, view))  # type: ignore[arg-type]
