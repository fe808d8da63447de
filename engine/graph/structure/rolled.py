"""The rolled graph: one node for each place of the program, whatever the number of iterations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import networkx as nx
import numpy as np

from ...recording.columns import Columns, Flags, Ints, columns_of
from ...recording.events import NOTHING
from ...recording.recording import Recording
from ..numbers import ArrayTexts
from .build import Graph, WholeView
from .drawn import Edges, node_edges, occurrence, tensor_edges, visible_rows
from .folding import Folding
from .loops import Loop, Nests
from .optimizer_steps import add_steps, order_steps
from .place_cards import Cards
from .places import Places, earlier, places_of, unique_rows
from .rolled_groups import arranged
from .tensor_titles import best_names, common_title

CARD = "p"
"""What the key of a card that stands for several begins with; then comes the key of the first of them in the unrolled graph, so
that it stays the same whatever is turned."""


@dataclass(frozen=True, eq=False)
class Rolled:
    """A view of a recording with its time rolled up. Treat all of it as frozen."""

    graph: Graph
    """As `build` gives it, but for the sizes of nodes, with the attributes place, loop, frames, all, seen, of, times, side and
    within (the key of the opened card that it is of) on nodes, and carried, all, seen and of on edges."""
    folding: Folding
    loops: tuple[Loop, ...]
    main: str
    """The id of the loop whose iterations are the run's: that of the optimizers' steps or backward passes; "" for none."""
    places: Places
    worth: bool
    """Whether a loop has so many like iterations that this is what to show first."""
    key_of: dict[str, str] = field(repr=False)
    """Key in the unrolled graph → key here."""
    measure: Callable[[Iterable[str]], None] = field(repr=False)
    """Gives nodes their `width` and `height`, where they have none: which only what is on show needs."""


def rolled(recording: Recording, view: WholeView = "tensors", turned: Collection[str] = ()) -> Rolled:
    """The rolled graph of a recording, those loops whose ids are in `turned` taken for the other kind, and those cards whose
    keys are, which stand for many operations of an iteration ("× 64"), opened into a card for each of these."""
    name = f"rolled {view} {sorted(turned)}"
    return recording.once(name, lambda: _Rolling(recording, view, turned).rolled())


def is_card(name: str) -> bool:
    """Whether a name is that of a card, as far as can be told from it."""
    return name.startswith(CARD) and name[1:2] in ("t", "n") and name[2:].isdigit()


def main_loop(recording: Recording, nests: Nests) -> int:
    """The innermost time loop around nearly all optimizers' steps, or backward passes where nothing steps, or what is recorded
    for these; NOTHING if none."""
    columns = columns_of(recording)
    recorded = columns.nodes.step if len(columns.nodes.step) else columns.operations.step
    for steps in (columns.steps.step, columns.passes.began, recorded):
        best, most = NOTHING, 0
        for depth in range(len(nests.at)):
            found = nests.at[depth][steps]
            counts = np.bincount(found[found != NOTHING], minlength=len(nests.loops))
            for i in np.flatnonzero(counts).tolist():
                # Deeper loops are asked later, so that the innermost of those around as many wins.
                if nests.time(i) and counts[i] >= max(0.9 * most, 1) and nests.loops[i].total > 1:
                    best, most = i, max(most, int(counts[i]))
        if best != NOTHING:
            return best
    return NOTHING


class _Rolling:
    def __init__(self, recording: Recording, view: WholeView, turned: Collection[str]) -> None:
        self.recording = recording
        self.view = view
        self.columns: Columns = columns_of(recording)
        self.letter = "t" if view == "tensors" else "n"
        cards = set(filter(is_card, turned))
        self.opened = {int(name[2:]) for name in cards if name.startswith(CARD + self.letter)}
        """Cards that are opened, by the ids of their first members."""
        self.places = places_of(recording, frozenset(turned) - cards)
        self.nests = self.places.nests

    def rolled(self) -> Rolled:
        columns, places = self.columns, self.places
        if self.view == "tensors":
            rows = np.flatnonzero(visible_rows(self.recording) & ~self._left_over())
            place, ids, steps = places.tensor[rows], columns.tensors.id[rows], columns.tensors.step[rows]
            alone = places.alone[rows]
            edges = tensor_edges(self.recording)
        else:
            rows = np.arange(len(columns.nodes.id))
            place, ids, steps = places.node, columns.nodes.id, columns.nodes.step
            variable = columns.nodes.variable
            alone = (variable != NOTHING) & places.alone[columns.row_of[np.maximum(variable, 0)]]
            edges = node_edges(self.recording)
        self.steps = steps
        # An AccumulateGrad of a parameter is met in a loop, but stands outside of it as the parameter does.
        self.when = np.where(alone, NOTHING, places.when[steps])
        self.loop = np.where(alone, NOTHING, self.nests.loop[steps])
        self.rows, self.ids = rows, ids
        self.graph = Graph(view=self.view)
        self.within = np.full(len(ids), NOTHING)  # the id of the opened card that a row is in
        turn = self._opened(place)
        number = unique_rows(place, turn)  # in the order of birth
        self.number_of = np.full(int(ids.max(initial=-1)) + 1, NOTHING)
        self.number_of[ids] = number
        self.keys: list[str] = []
        self.cards = Cards(self.recording, ArrayTexts(self.recording), best_names(self.recording))
        self.own_titles: dict[str, str] = {}
        """What cards would be called after the one member that they show."""
        self._nodes(number, place)
        self._edges(edges)
        _break_cycles(self.graph)
        main = main_loop(self.recording, self.nests)
        self._after()
        key_of = {one: key for key, a in self.graph.nodes(data=True) for one in a["all"]}
        if self.view == "tensors":
            add_steps(self.recording, self.graph, places, key_of)
        loops = self.nests.loops
        main_id = loops[main].id if main != NOTHING else ""
        folding = arranged(self.recording, self.graph, places, main_id, key_of)
        order_steps(self.recording, self.graph, key_of)
        return Rolled(self.graph, folding, loops, main_id, places, self.nests.worth, key_of, self._measure)

    def _left_over(self) -> Flags:
        """Results that came along and that nobody takes or names, as the indices of a pooling."""
        tensors, bound = self.columns.tensors, self.columns.bound
        wanted = np.zeros(len(tensors.id), bool)
        for ids in (self.columns.inputs.tensor, bound.tensor, self.columns.roots.tensor):
            wanted[self.columns.row_of[ids[ids != NOTHING]]] = True
        found: Flags = ~wanted & (tensors.requires_grad == 0) & (occurrence(tensors.step) > 0)
        return found

    # --- nodes ---------------------------------------------------------------------------------------------------------------

    def _opened(self, place: Ints) -> Ints:
        """For each row of an opened card which of its iteration it is; 0 for all others."""
        turn = np.zeros(len(place), np.int64)
        for row in np.flatnonzero(np.isin(self.ids, sorted(self.opened))).tolist():
            mine = np.flatnonzero(place == place[row])
            if mine[0] == row:
                self.within[mine] = self.ids[row]
                turn[mine] = occurrence(self.when[mine])
        return turn

    def _nodes(self, number: Ints, place: Ints) -> None:
        order = np.argsort(number, kind="stable")
        bounds = np.searchsorted(number[order], np.arange(int(number.max(initial=-1)) + 2))
        sizes = np.diff(bounds)
        loops = self.nests.loops
        cards = self.cards
        firsts = order[bounds[:-1]]
        shown = order[bounds[:-1] + sizes // 2]  # the first iteration may be different: `loss = 0 + …`
        described = cards.tensors(self.rows[shown]) if self.view == "tensors" else cards.nodes(self.rows[shown])
        unrolled = [f"{self.letter}{id}" for id in self.ids[order].tolist()]
        frames = {NOTHING: ()} | {i: self._frames(i) for i in range(len(loops))}
        for attributes, (low, high), loop, within, born, at in zip(
            described, pairwise(bounds.tolist()), self.loop[firsts].tolist(), self.within[firsts].tolist(),
            self.steps[firsts].tolist(), place[firsts].tolist(), strict=True,
        ):  # fmt: skip
            several = high - low > 1
            seen = _different(self.when[order[low:high]]) if several else 1
            of = loops[loop].total if loop != NOTHING else 1
            single = not several and loop == NOTHING
            key = unrolled[low] if single else f"{CARD}{unrolled[low]}"
            attributes["born"] = born
            if several and self.view == "tensors":
                others = {cards.title(int(self.rows[order[one]])) for one in (low, low + 1, high - 1)}
                title = common_title({attributes["title"], *others})
                if title != attributes["title"]:
                    self.own_titles[key] = attributes["title"]
                    attributes["title"] = title
            attributes |= {
                "place": at,
                "loop": loops[loop].id if loop != NOTHING else "",
                "frames": frames[loop],
                "all": tuple(unrolled[low:high]),
                "seen": seen,
                "of": max(of, seen),
                "times": -(-(high - low) // seen),
                "side": False,
                "within": f"{CARD}{self.letter}{within}" if within != NOTHING else "",
            }
            self.keys.append(key)
            self.graph.add_node(key, **attributes)

    def _measure(self, keys: Iterable[str]) -> None:
        nodes = self.graph.nodes
        for key in keys:
            if "width" not in (a := nodes[key]):
                self.cards.measure(a, self.own_titles.get(key, a["title"]))

    def _frames(self, loop: int) -> tuple[str, ...]:
        """The time loops from the outermost to this one."""
        by_id = {one.id: one for one in self.nests.loops}
        found = []
        one: Loop | None = self.nests.loops[loop]
        while one is not None:
            if one.kind == "time":
                found.append(one.id)
            one = by_id.get(one.parent)
        return tuple(found[::-1])

    # --- edges ---------------------------------------------------------------------------------------------------------------

    def _edges(self, edges: Edges) -> None:
        if not len(edges.source):
            return
        nests, places = self.nests, self.places
        source, target = self.number_of[edges.source], self.number_of[edges.target]
        if self.view == "tensors":
            born = self.columns.tensors.step[self.columns.row_of[edges.source]]
            still = places.alone[self.columns.row_of[edges.target]]
            lasting = places.alone[self.columns.row_of[edges.source]]
            used = edges.step
        else:
            # A gradient goes from a node to an earlier one: what is used is the target's result.
            nodes, rows = self.columns.nodes, self.columns.row_of_node
            born, used = nodes.step[rows[edges.target]], nodes.step[rows[edges.source]]
            variable = nodes.variable[rows[edges.target]]
            lasting = (variable != NOTHING) & places.alone[self.columns.row_of[np.maximum(variable, 0)]]
            still = np.zeros(len(born), bool)
        carried = earlier(nests, born, used) & ~lasting
        carried |= edges.write & still & (nests.loop[used] != NOTHING)
        write = edges.write | carried
        repeated = np.array([a["times"] > 1 for _, a in self.graph.nodes(data=True)])
        turn = np.where(repeated[source] | repeated[target] | edges.write, 0, edges.turn)
        group = unique_rows(source, target, carried.astype(np.int64), edges.write.astype(np.int64), turn)
        order = np.argsort(group, kind="stable")
        bounds = np.searchsorted(group[order], np.arange(int(group.max()) + 2)).tolist()
        letter, ids, others = self.letter, edges.source[order].tolist(), edges.target[order].tolist()
        unrolled = list(zip([f"{letter}{id}" for id in ids], [f"{letter}{id}" for id in others], edges.key[order].tolist()))
        pairs = list(zip(edges.node[order].tolist(), edges.input[order].tolist()))
        carrying = edges.input[order] >= 0
        whole_cut = np.bincount(group, edges.cut, len(bounds)) == np.bincount(group, minlength=len(bounds))
        when = places.when[used]
        outer_runs = [len(np.unique(loop.outer)) for loop in nests.loops]
        for number, (low, high) in enumerate(pairwise(bounds)):
            some = order[low:high]
            first = int(some[0])
            u, v = self.keys[source[first]], self.keys[target[first]]
            loop = int(nests.loop[used[first]])
            seen = _different(when[some])
            of = nests.loops[loop].total if loop != NOTHING else 1
            if seen < of:
                # The first iteration has nothing to go on from; what only first ones use is where the loop begins.
                if carried[first]:
                    of = max(seen, of - outer_runs[loop])
                elif seen <= outer_runs[loop] and self._begins(loop, when[some]):
                    of = seen
            entry = {
                "kind": ("cut" if whole_cut[number] else "data") if self.view == "tensors" else "grad_fn",
                "node": pairs[low][0],
                "input": pairs[low][1],
                "carries": [pair for pair, there in zip(pairs[low:high], carrying[low:high].tolist()) if there],
                "slot": int(edges.slot[first]),
                "born": int(edges.step[some].min()) if high - low > 1 else int(edges.step[first]),
                "write": bool(write[first]),
                "carried": bool(carried[first]),
                "seen": seen,
                "of": max(of, seen),
                "all": tuple(dict.fromkeys(unrolled[low:high])),
            }
            if self.view == "autograd":
                entry["target_input"] = self._target_input(edges, first)
            self.graph.add_edge(u, v, number, **entry)

    def _begins(self, loop: int, when: Ints) -> bool:
        """Whether these iterations are all the first ones of a run of the loop."""
        starts = self.nests.loops[loop]
        firsts = np.concatenate(([True], starts.outer[1:] != starts.outer[:-1]))
        return bool(firsts[when - self.nests.before[loop]].all())

    def _target_input(self, edges: Edges, position: int) -> int:
        return int(self.columns.edges.input[position])

    def _after(self) -> None:
        """As `build` has it: what a pass records of itself comes after the pass's roots."""
        columns = self.columns
        self.graph.graph["after"] = after = []
        known = set()
        number_of = self.number_of
        for number, tensor, node in zip(
            *(part.tolist() for part in (columns.roots.number, columns.roots.tensor, columns.roots.node))
        ):
            root = tensor if self.view == "tensors" else node
            if 0 <= root < len(number_of) and number_of[root] != NOTHING:
                known.add((number, self.keys[number_of[root]]))
        by_pass: dict[int, list[str]] = {}
        for number, key in sorted(known):
            by_pass.setdefault(number, []).append(key)
        for key, a in self.graph.nodes(data=True):
            for root in by_pass.get(a["in_backward"], ()):
                if root != key and self.graph.nodes[root]["born"] < a["born"]:
                    after.append((root, key))


def _different(numbers: Ints) -> int:
    """How many different numbers there are."""
    return len(np.unique(numbers)) if len(numbers) > 1 else len(numbers)


def _break_cycles(graph: Graph) -> None:
    """Cycles that are closed by other than carried edges: a function that calls itself, and what one card for many holds. What
    leads from later to earlier, or from a node to itself, counts as carried."""
    order = {key: i for i, key in enumerate(graph)}
    if graph.graph["view"] == "autograd":
        order = {key: -i for key, i in order.items()}
    for u, v, a in graph.edges(data=True):
        if u == v and not a["write"]:
            a["write"] = a["carried"] = True
    # Where all edges lead on in time there is none, as in nearly all programs.
    while any(order[u] > order[v] for u, v, a in graph.edges(data=True) if not a["write"]):
        firm = Graph()
        firm.add_nodes_from(graph)
        firm.add_edges_from((u, v, k) for u, v, k, a in graph.edges(keys=True, data=True) if not a["write"])
        parts = [part for part in nx.strongly_connected_components(firm) if len(part) > 1]
        if not parts:
            return
        for part in parts:
            for u, v, k in list(firm.subgraph(part).edges(keys=True)):
                if order[u] > order[v]:
                    graph.edges[u, v, k]["write"] = graph.edges[u, v, k]["carried"] = True
