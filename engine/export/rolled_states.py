"""A rolled view of a recording as the exports draw it: which of it is folded, and what its cards and edges show at one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from ..graph.rolled_view import RolledView, rolled_view, worth_rolling
from ..graph.shown.group_states import fold_faces
from ..graph.shown.node_states import Faces
from ..graph.shown.state_history import Face
from ..graph.structure.build import Graph
from ..graph.structure.drawn import visible_rows
from ..graph.structure.folding import folded
from ..graph.structure.loops import Loop
from ..graph.structure.moments import called
from ..recording.recording import Recording
from .cards import ROW

LONG = 300
"""Tensors of an unrolled graph from which on the rolled one is drawn where nothing is said."""


def rolls(recording: Recording, view: str, wanted: bool | None) -> bool:
    """Whether a picture is rolled: as wanted, else where there are like iterations and the picture is folded or large."""
    if wanted is not None:
        return wanted
    return worth_rolling(recording) and (view == "grouped" or int(visible_rows(recording).sum()) > LONG)


@dataclass(frozen=True)
class RolledSeen:
    """A rolled graph with closed groups, at one step."""

    view: RolledView
    graph: Graph
    step: int
    stands: dict[str, str]
    """Hidden card → the group that stands for it."""

    @cached_property
    def faces(self) -> Faces:
        """What cards and edges show in the iteration of the step and those beside it."""
        first, last = self.view.window(max(self.step, 0))
        shown = self.view.faces(first, last)
        faces = fold_faces(self.view.graph, self.graph, shown, self.view.norms_between(first, last))
        groups = self.view.folding.groups
        modules = [key for key, group in self.graph.nodes(data="group") if group and groups[group].kind == "module"]
        alone = {key: [(step, _value_alone(face)) for step, face in faces.nodes[key]] for key in modules}
        stepping = [key for key, kind in self.graph.nodes(data="kind") if kind == "step"]
        steps = {key: self.view.steps_of(key, first, last) for key in stepping}
        return Faces({**{key: faces.nodes[key] for key in self.graph}, **alone, **steps}, faces.edges)

    @cached_property
    def focus(self) -> frozenset[str]:
        """The cards that the step is about."""
        if self.step < 0:
            return frozenset()
        return frozenset(self.standing(card) for card in self.view.about(self.step))

    def standing(self, card: str) -> str:
        """A card, or the group that stands for it."""
        return self.stands.get(card, card)

    def card_of(self, node: str) -> str:
        """What stands for a node of the unrolled graph."""
        return self.standing(self.view.rolled.key_of.get(node, node))

    def frame_title(self, loop: str) -> tuple[str, str]:
        """The header of a loop, and which of its iterations the step is in: what the tab of its frame says."""
        one: Loop = self.view.loops[loop]
        at, of = called(one, loop == self.view.rolled.main, self.step)
        return one.title, f"iteration {at} of {of:,}" if at >= 0 else f"{of:,} iterations"

    def some(self, key: str) -> str:
        """In how many iterations a card is there, "" for all; a group, in as many as that of it which is there most."""
        whole = self.view.graph.nodes
        members: Sequence[str] = self.graph.nodes[key].get("members") or (key,)
        own = [one for one in members if whole[one]["loop"]] or list(members)
        return _some(*max(((whole[one]["seen"], whole[one]["of"]) for one in own), key=lambda pair: pair[0] / pair[1]))

    def edge(self, u: str, v: str, k: int) -> tuple[bool, str]:
        """Whether an edge leads to the next iteration, and in how many iterations it is there, "" for all."""
        a = self.graph.edges[u, v, k]
        parts = [self.view.graph.edges[part] for part in a.get("parts", ())] or [a]
        most = max(parts, key=lambda part: part["seen"] / part["of"])
        return all(part["carried"] for part in parts), _some(most["seen"], most["of"])


def rolled_seen(
    recording: Recording, view: str, step: int, turned: Sequence[str] = (), opened: Sequence[str] | None = None
) -> RolledSeen:
    """A rolled view at a step; with the groups open that are in `opened`, for None those that the page opens at first."""
    everything = rolled_view(recording, "autograd" if view == "autograd" else "tensors", turned)
    graph = folded(everything.graph, everything.folding, everything.at_first if opened is None else opened)
    nodes = everything.graph.nodes
    for _, a in graph.nodes(data=True):
        if a["kind"] == "step":
            a["height"] += ROW
        if "members" in a:
            a["frames"] = _common([nodes[key]["frames"] for key in a["members"] if nodes[key]["loop"]])
            a["side"] = all(nodes[key].get("side") for key in a["members"])
    stands = {member: key for key, a in graph.nodes(data=True) for member in a.get("members", ())}
    return RolledSeen(everything, graph, step, stands)


def _value_alone(face: Face) -> Face:
    """What a module gives, without the name of the operation that makes it: the card says what it is."""
    return msgspec.structs.replace(face, value=face.value.rpartition(" = ")[2])


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The frames that are around all of some cards."""
    common = paths[0] if paths else ()
    for path in paths:
        size = next((i for i, (a, b) in enumerate(zip(common, path)) if a != b), min(len(common), len(path)))
        common = common[:size]
    return common


def _some(seen: int, of: int) -> str:
    return f"in {seen:,} of {of:,} iterations" if seen < of else ""
