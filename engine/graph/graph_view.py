"""What is on show of a recording's graph, for page, exports and replay: its structure, rolled or not; which of it is folded;
where it stands; and what a step is about in it.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import msgspec

from ..recording.recording import Recording
from .chosen import NONE_CHOSEN, Chosen, counterparts
from .rolled_cards import make_room, parameters
from .rolled_graph import RolledGraph, rolled_graph
from .shown.change_index import NOT_FINITE
from .shown.group_states import fold_faces
from .shown.node_states import Faces
from .shown.run_index import Norms
from .shown.state_history import Face
from .structure import build as whole_graphs
from .structure.build import VIEWS, Graph, WholeView
from .structure.folding import Folding, Mode, folded, shown_member
from .structure.layout import Direction, Layout, layout
from .structure.moments import called
from .structure.rolled import is_card
from .structure.rolled import rolled as rolled_of
from .unrolled_graph import UnrolledGraph, unrolled_graph

View: TypeAlias = Literal[WholeView, "grouped"]
"""The views; "grouped" is that of the tensors, folded as far as makes a readable picture."""

CANVAS = 1.3
"""The width by the height of the room that a large graph is brought into: about that of the page's canvas, or of a slide."""


def build(recording: Recording, view: View = "tensors", rolled: bool = False) -> Graph:
    """The recording's graph with all its steps at once; `born` says from which step on a node or edge exists.

    Args:
        rolled: one node for each place of the program, whatever the number of iterations; see `structure.rolled`.

    Raises:
        ValueError: for a view that there is not.
    """
    if rolled and view in VIEWS:
        made = rolled_of(recording, view)
        made.measure(made.graph)
        return made.graph
    if view == "grouped":
        return graph_view(recording, fold="auto").graph
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r}, expected one of {', '.join([*VIEWS, 'grouped'])}")
    return whole_graphs.build(recording, view)


@dataclass(frozen=True, eq=False)
class GraphView:
    """A graph as it is drawn. Nothing is worked out before it is asked for."""

    structure: UnrolledGraph | RolledGraph
    groups: Folding
    opened: frozenset[str]
    """The groups that are open, as far as those around them are."""
    direction: Direction = "LR"
    chosen: Chosen = NONE_CHOSEN

    @property
    def recording(self) -> Recording:
        """What it is a view of."""
        return self.structure.recording

    @property
    def rolled(self) -> RolledGraph | None:
        """The run with its time rolled up, if it is shown so."""
        return self.structure if isinstance(self.structure, RolledGraph) else None

    # --- folding --------------------------------------------------------------------------------------------------------------

    @cached_property
    def graph(self) -> Graph:
        """What is drawn: closed groups are one node each, and what is hidden is not there."""
        graph = self._folded
        return graph.subgraph([key for key in graph if key not in self.hidden]).copy() if self.hidden else graph

    @cached_property
    def hidden(self) -> frozenset[str]:
        """What would be drawn and is hidden; what is in a closed group is not drawn."""
        cards = self.cards_of(self.chosen.hidden)
        return frozenset(card for found in cards.values() for card in found if card in self._folded)

    @cached_property
    def coloured(self) -> dict[str, int]:
        """What is drawn in a colour of its own, and which of the palette's it is; the one that was given last."""
        numbers = dict(self.chosen.coloured)
        cards = self.cards_of(numbers)
        return {card: number for key, number in numbers.items() for card in cards[key] if card in self._folded}

    def cards_of(self, keys: Iterable[str]) -> dict[str, list[str]]:
        """Keys of any view, rolled or not → the nodes of this structure that stand for them: of a place, all of its members."""
        nodes = {key: self._nodes_of(key) for key in keys}
        here = counterparts(
            self.recording, dict.fromkeys(one for found in nodes.values() for one in found), self.structure.view
        )
        key_of = self.structure.key_of
        return {key: list(dict.fromkeys(key_of(here[one]) for one in found if one in here)) for key, found in nodes.items()}

    def _nodes_of(self, key: str) -> Sequence[str]:
        """What a key stands for: itself, or of a place that another structure has, the nodes of the run."""
        if not is_card(key) or key in self.structure.graph:
            return (key,)
        other = rolled_of(self.recording, "tensors" if key[1] == "t" else "autograd").graph
        found: Sequence[str] = other.nodes[key]["all"] if key in other else ()
        return found

    @cached_property
    def _folded(self) -> Graph:
        """Whatever is not in a closed group, and those."""
        whole = self.structure.graph
        shown = [key for key in whole if self.groups.closed(key, self.opened) is None] if self.groups.groups else whole
        if self.rolled is None:
            whole_graphs.measure(self.recording, whole, shown)
            return folded(whole, self.groups, self.opened) if self.groups.groups else whole
        self.rolled.rolled.measure(shown)
        graph, nodes = folded(whole, self.groups, self.opened), whole.nodes
        for _, a in graph.nodes(data=True):
            if "members" in a:
                a["frames"] = _common([nodes[key]["frames"] for key in a["members"] if nodes[key]["loop"]])
                a["side"] = all(nodes[key].get("side") for key in a["members"])
        graph.remove_edges_from([(u, v, k) for u, v, k in graph.edges(keys=True) if self._borrowed(graph, u, v, k)])
        make_room(self.rolled, graph)
        return graph

    def _borrowed(self, graph: Graph, u: str, v: str, k: int) -> bool:
        """Whether an edge says no more than that what stands aside, closed, takes the model: an evaluation takes all of it."""
        whole, target = self.structure.graph.nodes, graph.nodes[v]
        if "members" not in target or not target["side"] or graph.nodes[u]["side"]:
            return False
        return all(
            not whole[source]["loop"] and (whole[source]["kind"] == "leaf" or self.groups.opening(source))
            for source, _, _ in graph.edges[u, v, k]["parts"]
        )

    def stand(self, key: str) -> str:
        """The node on show that stands for one of the structure: itself, or the closed group that it is in."""
        closed = self.groups.closed(key, self.opened)
        return key if closed is None else f"g:{closed}"

    def card_of(self, node: str) -> str:
        """The node on show that stands for a node of the run."""
        return self.stand(self.structure.key_of(node))

    # --- layout ---------------------------------------------------------------------------------------------------------------

    @cached_property
    def placed(self) -> Layout:
        """Where everything stands, as it does while nothing is hidden. Who only wants to know what cards show does without."""
        whole = self.laid_out(self._folded)
        if not self.hidden:
            return whole
        left = {loop for _, loops in self.graph.nodes(data="frames", default=()) for loop in loops}
        return replace(whole, frames={loop: frame for loop, frame in whole.frames.items() if loop in left})

    def laid_out(self, graph: Graph) -> Layout:
        """The layout of this graph or one with more in it: leaves first in both views, though grad_fn edges point at leaves."""
        drawn = turned_round(graph) if self.structure.flipped else graph
        return layout(drawn, self.direction, CANVAS, paged=self.rolled is not None or self._notebook)

    @property
    def _notebook(self) -> bool:
        """Whether the program has several cells: what they make is read one after the other."""
        return len({site.cell for site in self.recording.sites}) > 1

    # --- what is shown --------------------------------------------------------------------------------------------------------

    def focus(self, step: int) -> list[str]:
        """The nodes on show that a step is about."""
        about = dict.fromkeys(map(self.stand, self.structure.about(step))) if step >= 0 else ()
        return [key for key in about if key not in self.hidden]

    def faces(self, window: tuple[int, int]) -> Faces:
        """What nodes and edges show from one step to another; of a run that is not rolled, at all steps. Where it is rolled,
        the parameters in closed groups have theirs, and whatever else is in them has it when it is asked for."""
        whole = self.structure
        if isinstance(whole, UnrolledGraph):
            shown = whole.faces
            return shown if not self.groups.groups else fold_faces(whole.graph, self.graph, shown, whole.norms, whole.kept)
        norms = whole.norms_between(*window)
        edges = [part for *at, parts in self.graph.edges(keys=True, data="parts") for part in parts or (tuple(at),)]
        known = whole.faces(*window, keys=self._told(whole, norms), edges=edges)
        closed = {key: members for key, members in self.graph.nodes(data="members") if members is not None}
        states = dict(zip(closed, whole.liveliest(*window, list(closed.values())), strict=True))
        faces = fold_faces(whole.graph, self.graph, known, norms, states=states)
        own: dict[str, list[tuple[int, Face]]] = {}
        for key, a in self.graph.nodes(data=True):
            if a["kind"] == "step":
                own[key] = whole.steps_of(key, *window)
            elif "members" in a and self.groups.groups[a["group"]].kind == "module":
                own[key] = [(step, _value_alone(face)) for step, face in faces.nodes[key]]
        others = _WhenAsked(whole, window)
        return Faces(ChainMap(own, faces.nodes, known.nodes, others), faces.edges)  # type: ignore[arg-type]

    def _told(self, whole: RolledGraph, norms: Norms) -> list[str]:
        """The structure's nodes of which something is shown: those on show, and of closed groups what they make, the parameters
        in their cards, and those whose gradients are not finite, which are told apart by what they hold."""
        found: dict[str, None] = {}
        for key, members in self.graph.nodes(data="members"):
            if members is None:
                found[key] = None
                continue
            found[shown_member(whole.graph, members)] = None
            found.update(dict.fromkeys(parameters(whole, members)[0]))
            found.update((one, None) for one in members if any(norm == NOT_FINITE for _, norm in norms.get(one, ())))
        return list(found)

    def some(self, key: str) -> str:
        """In how many iterations a card is there, "" for all; a group, in as many as that of it which is there most."""
        if self.rolled is None:
            return ""
        nodes = self.structure.graph.nodes
        members: Sequence[str] = self.graph.nodes[key].get("members") or (key,)
        return _some([nodes[one] for one in members if nodes[one]["loop"]] or [nodes[one] for one in members])

    def between(self, u: str, v: str, k: int) -> tuple[bool, str]:
        """Whether an edge leads to the next iteration, and in how many iterations it is there, "" for all."""
        if self.rolled is None:
            return False, ""
        a = self.graph.edges[u, v, k]
        parts = [self.structure.graph.edges[part] for part in a.get("parts", ())] or [a]
        return all(part["carried"] for part in parts), _some(parts)

    def frame_title(self, loop: str, step: int) -> tuple[str, str]:
        """The header of a loop, and which of its iterations a step is in: what the tab of its frame says."""
        assert self.rolled is not None
        one = self.rolled.loops[loop]
        at, of = called(one, loop == self.rolled.rolled.main, step)
        return one.title, f"iteration {at} of {of:,}" if at >= 0 else f"{of:,} iterations"


class _WhenAsked(Mapping[str, list[tuple[int, Face]]]):
    """What nodes of a rolled run show in a window, of which nobody may ask."""

    def __init__(self, whole: RolledGraph, window: tuple[int, int]) -> None:
        self._whole, self._window = whole, window

    def __getitem__(self, key: str) -> list[tuple[int, Face]]:
        if key not in self._whole.card:
            raise KeyError(key)
        return self._whole.faces(*self._window, keys=[key], edges=()).nodes[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole.keys)

    def __len__(self) -> int:
        return len(self._whole.keys)


def graph_view(
    recording: Recording,
    view: str = "tensors",
    direction: Direction = "LR",
    *,
    fold: Mode = "none",
    opened: Iterable[str] | None = None,
    rolled: bool = False,
    turned: Iterable[str] = (),
    chosen: Chosen = NONE_CHOSEN,
) -> GraphView:
    """A view of a recording.

    Args:
        fold: into which groups the nodes go; a rolled graph is folded in one way.
        opened: the groups that are open, None for those that make a first view.
        turned: loops that are taken for the other kind, time for depth or depth for time, where it is rolled.
        chosen: what is hidden, and which colours other nodes have.
    """
    of = rolled_graph(recording, view, tuple(turned)) if rolled else unrolled_graph(recording, view)
    groups = of.groups(fold)
    return GraphView(of, groups, of.opened_at_first(groups) if opened is None else frozenset(opened), direction, chosen)


def groups_around(groups: Folding, id: str) -> list[str]:
    """The groups around one, the innermost first."""
    found = []
    while id := groups.groups[id].parent:
        found.append(id)
    return found


def to_open(groups: Folding, key: str) -> tuple[str, ...]:
    """The groups that must be open for a node of the structure to be on show; for a closed group, itself too."""
    if key.startswith("g:"):
        id = key[2:]
        return (*groups_around(groups, id), id) if id in groups.groups else ()
    return groups.opening(key)


def turned_round(graph: Graph) -> Graph:
    """The graph with its edges the other way round. networkx's own `reverse` copies all attributes, deeply."""
    made = Graph(**graph.graph)
    made.add_nodes_from(graph.nodes(data=True))
    made.add_edges_from((v, u, k, a) for u, v, k, a in graph.edges(keys=True, data=True))
    return made


def _some(parts: Iterable[dict[str, Any]]) -> str:
    """ "in 3 of 200 iterations", as many as the part that is there most; "" for all."""
    most = max(parts, key=lambda part: part["seen"] / part["of"])
    return f"in {most['seen']:,} of {most['of']:,} iterations" if most["seen"] < most["of"] else ""


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The frames that are around all of some cards."""
    common = paths[0] if paths else ()
    for path in paths:
        size = next((i for i, (a, b) in enumerate(zip(common, path)) if a != b), min(len(common), len(path)))
        common = common[:size]
    return common


def _value_alone(face: Face) -> Face:
    """What a module gives, without the name of the operation that makes it: the card says what it is."""
    return msgspec.structs.replace(face, value=face.value.rpartition(" = ")[2])
