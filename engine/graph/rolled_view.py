"""A rolled view of a recording, and everything about it before it is folded: worked out once, when first asked for, and kept.

What a card shows at a step belongs to one of its members: the newest that has been made by then. Faces are worked out for a
window of steps, for the members that are on show in it, so that they cost the same however long the run is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..recording.columns import Columns, columns_of
from ..recording.events import NOTHING
from ..recording.index import index_of
from ..recording.recording import Recording
from .graph_view import CANVAS, turned_round
from .numbers import ArrayTexts, number
from .shown.change_index import MISSING, NOT_FINITE
from .shown.curves import Mark, Timeline, found, timeline
from .shown.node_states import Cast, WholeFaces, face_of, faces_between
from .shown.series import Iterations, Places, Series, arrays_at, first_troubles, owners, series, stepped, updates
from .shown.state_history import Face, NodeHistories
from .shown.statistics import Floats, Ints, statistics
from .structure.build import Graph, WholeView
from .structure.folding import AT_FIRST, Folding
from .structure.layout import Direction, Layout, layout
from .structure.loops import Loop, nests_of
from .structure.rolled import Rolled, rolled
from .structure.tensor_titles import best_names

BESIDE = 1
"""Iterations on either side of the chosen one whose faces are worked out with it."""
MOST = 2_000
"""Steps of a window, at most: an iteration may be as long as the run."""
OUTPUTS = 4
"""Outputs of a node among which its card is looked for."""
STRETCHES = 200
"""Stretches of iterations that are listed of one card."""
SHUT = frozenset({"aside", "optimizer"})
"""Kinds of groups that no first view opens."""
Norms = dict[str, list[tuple[int, float]]]


class RolledView:
    """One rolled view. Treat all of it as frozen."""

    def __init__(self, recording: Recording, view: WholeView, turned: Collection[str] = ()) -> None:
        self.recording = recording
        self.view = view
        self.rolled: Rolled = rolled(recording, view, turned)
        self.graph: Graph = self.rolled.graph
        self.folding = self.rolled.folding
        self.keys: list[str] = list(self.graph)
        self.card = {key: number for number, key in enumerate(self.keys)}
        self.loops: dict[str, Loop] = {loop.id: loop for loop in self.rolled.loops}
        self._once: dict[Hashable, Any] = {}

    def once(self, name: Hashable, make: Callable[[], Any]) -> Any:
        """What follows from this view and is wanted again and again, made the first time."""
        if name not in self._once:
            self._once[name] = make()
        return self._once[name]

    @property
    def autograd(self) -> bool:
        """Whether nodes are those of the autograd graph; its edges point from results to leaves."""
        return self.view == "autograd"

    @property
    def main(self) -> Loop | None:
        """The loop whose iterations the timeline shows."""
        return self.loops.get(self.rolled.main)

    def laid_out(self, graph: Graph, direction: Direction, aspect: float | None = CANVAS) -> Layout:
        """The layout of the graph or a folded one, leaves first."""
        return layout(turned_round(graph) if self.autograd else graph, direction, aspect)

    @cached_property
    def at_first(self) -> frozenset[str]:
        """The groups that are open before the user has opened or closed one."""
        return _opened_at_first(self.folding, self.graph)

    # --- iterations -----------------------------------------------------------------------------------------------------------

    @cached_property
    def iterations(self) -> Iterations:
        """The main loop's; for a program without one, the run is the only one."""
        loop, last = self.main, len(self.recording.events) - 1
        if loop is None:
            return Iterations(np.array([0]), np.array([last]))
        return Iterations(loop.starts, loop.ends)

    def iteration(self, step: int) -> int:
        """The iteration of the main loop that a step is in, or the last one before it; NOTHING before the first."""
        return int(np.searchsorted(self.iterations.starts, step, "right")) - 1

    def window(self, step: int) -> tuple[int, int]:
        """First and last step of the iteration that a step is in, with its neighbours."""
        starts, ends, last = self.iterations.starts, self.iterations.ends, len(self.recording.events) - 1
        if last < MOST:
            return 0, last
        row = self.iteration(step)
        low, high = max(0, row - BESIDE), min(len(starts) - 1, max(row, 0) + BESIDE)
        first = 0 if row <= 0 else int(starts[low])
        end = last if row >= len(starts) - 1 else int(ends[high])
        return self.within(first, max(end, step), step)

    def within(self, first: int, last: int, step: int) -> tuple[int, int]:
        """A window that is no longer than one may be, with a step in it."""
        first, last = max(0, first), min(last, len(self.recording.events) - 1)
        if last - first >= MOST:
            first = min(max(first, step - MOST // 2), max(first, last - MOST + 1))
            last = first + MOST - 1
        return first, last

    # --- members --------------------------------------------------------------------------------------------------------------

    @cached_property
    def members(self) -> list[tuple[Ints, Ints]]:
        """Per card the ids of its members, and the steps at which they were made, in order."""
        log: Columns = columns_of(self.recording)
        born, row = (log.nodes.step, log.row_of_node) if self.autograd else (log.tensors.step, log.row_of)
        found = []
        for _, all in self.graph.nodes(data="all"):
            ids = np.fromiter((int(key[1:]) for key in all), np.int64, len(all))
            steps = born[row[ids]]
            order = np.argsort(steps, kind="stable")
            found.append((ids[order], steps[order]))
        return found

    def member(self, key: str, step: int) -> str:
        """The node of the unrolled graph that a card stands for at a step: the newest there is, else the first one to come."""
        card = self.card.get(key)
        if card is None or not len(self.members[card][0]):
            return key
        ids, born = self.members[card]
        return f"{'n' if self.autograd else 't'}{ids[max(0, int(np.searchsorted(born, step, 'right')) - 1)]}"

    def moment(self, node: str) -> int | None:
        """The step at which a card shows a node of the unrolled graph: the last one of the iteration that made it."""
        key = self.rolled.key_of.get(node)
        if key is None:
            return None
        ids, born = self.members[self.card[key]]
        if len(ids) == 1:
            return None  # it is on show at any time
        at = int(np.flatnonzero(ids == int(node[1:]))[0])
        loop = self.loops.get(self.graph.nodes[key]["loop"])
        end = len(self.recording.events) - 1
        if loop is not None:
            row = int(np.searchsorted(loop.starts, born[at], "right")) - 1
            end = int(loop.ends[row])
        return end if at + 1 == len(born) or born[at + 1] > end else int(born[at + 1]) - 1

    @cached_property
    def there(self) -> dict[str, list[tuple[int, int]]]:
        """Cards that only some iterations of the main loop have, with the stretches of those, first and last: where these can be
        listed."""
        total, found = len(self.iterations), {}
        for key, (_, born) in zip(self.keys, self.members, strict=True):
            rows = np.unique(self.iterations.rows(born))
            rows = rows[rows >= 0]
            if not len(rows) or len(rows) == total or not self.graph.nodes[key]["loop"]:
                continue
            parts = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
            if len(parts) <= STRETCHES:
                found[key] = [(int(part[0]), int(part[-1])) for part in parts]
        return found

    @cached_property
    def places(self) -> Places:
        """The cards, as series and marks take them."""
        log = columns_of(self.recording)
        ids = np.concatenate([ids for ids, _ in self.members] or [np.zeros(0, np.int64)])
        cards = np.repeat(np.arange(len(self.members)), [len(ids) for ids, _ in self.members])
        of = np.full(int(max(ids.max(initial=0), log.tensors.id.max(initial=0))) + 1, NOTHING, np.int64)
        of[ids] = cards
        of_tensor, of_node = of, np.zeros(0, np.int64)
        if self.autograd:
            of_node = np.full(int(max(ids.max(initial=0), log.nodes.id.max(initial=0))) + 1, NOTHING, np.int64)
            of_node[ids] = cards
            of_tensor = self._tensors_of_nodes(log, of_node)
        position = {id: k for k, id in enumerate(self.loops)}
        own = [a["loop"] for _, a in self.graph.nodes(data=True)]
        main = position.get(self.rolled.main, len(position))
        loops = [Iterations(loop.starts, loop.ends) for loop in self.loops.values()]
        return Places(
            of_tensor,
            of_node,
            np.array([position.get(id, main) for id in own], np.int64),
            np.array([id not in position for id in own], np.bool_),
            [*loops, self.iterations],
        )

    def _tensors_of_nodes(self, log: Columns, of_node: Ints) -> Ints:
        """Tensor → the card of the node that made it, or of its AccumulateGrad."""
        of = np.full(len(log.row_of), NOTHING, np.int64)
        made = log.tensors.node >= 0
        of[log.tensors.id[made]] = of_node[log.tensors.node[made]]
        filling = log.nodes.variable >= 0
        of[log.nodes.variable[filling]] = of_node[log.nodes.id[filling]]
        return of

    # --- over the run ---------------------------------------------------------------------------------------------------------

    @cached_property
    def series(self) -> dict[str, Series]:
        """What each card shows in each iteration of its loop."""
        found = dict(zip(self.keys, series(self.recording, self.places), strict=True))
        for key, a in self.graph.nodes(data=True):
            if a["kind"] == "step":
                found[key] = stepped(self.recording, *self._trained(key, found))
        return found

    def _trained(self, key: str, found: dict[str, Series]) -> tuple[list[Series], list[int]]:
        """The parameters that an optimizer's step writes, with the arrays that they hold ahead of the first iteration."""
        keys = [one for one in self.graph.successors(key) if self.places.stays[self.card[one]] and self.graph.nodes[one]["all"]]
        return [found[one] for one in keys], self.before(keys)

    def steps_of(self, key: str, first: int, last: int) -> list[tuple[int, Face]]:
        """What the card of an optimizer's step shows from one step to another: how large the parameters are, how far it moved
        them."""
        one, rows = self.series[key], self.iterations
        made = []
        for step in self.graph.nodes[key]["steps"]:
            row = int(rows.rows(np.array([step]))[0])
            if step <= last and row >= 0:
                size, moved = (number(float(f"{value:.4g}")) for value in (one.value[row], one.grad[row]))
                made.append((step, Face(value=size, grad=moved, grad_label="moved", value_label="‖w‖")))
        within = [entry for entry in made if entry[0] >= first]
        before = [(first, face) for step, face in made if step < first][-1:]
        return within if within and within[0][0] == first else before + within

    @cached_property
    def troubles(self) -> dict[str, int]:
        """Since when a card has held NaN or Inf."""
        found = first_troubles(self.recording, self.places, len(self.keys)).tolist()
        return {key: step for key, step in zip(self.keys, found, strict=True) if step >= 0}

    def updates(self, key: str) -> Floats:
        """How far each iteration has moved a parameter, as a share of its norm."""
        return updates(self.recording, self.series[key], self.before([key])[0])

    def before(self, keys: list[str]) -> list[int]:
        """The arrays that parameters hold ahead of the first iteration."""
        ids = np.array([self.members[self.card[key]][0][0] for key in keys], np.int64)
        steps = np.full(len(ids), int(self.iterations.starts[0]) - 1)
        return arrays_at(columns_of(self.recording), ids, steps).tolist()  # type: ignore[no-any-return]

    def timeline(self) -> Timeline:
        """Curves and marks over the main loop."""
        return timeline(self.recording, self.rolled.main, self.iterations, self.places)

    def found(self, findings: Iterable[tuple[int, str]]) -> list[Mark]:
        """Marks for findings, which are pairs (step, title)."""
        return found(self.rolled.main, self.iterations, findings)

    @cached_property
    def node_sites(self) -> dict[str, list[int]]:
        """Where each card is in the program, as rows in the table of sites: where it is made, then where written or named."""
        log, places = columns_of(self.recording), self.places
        named = log.bound.tensor != NOTHING
        tensors = np.concatenate([log.tensors.id, log.writes.tensor, log.bound.tensor[named]])
        steps = np.concatenate([log.tensors.step, log.writes.step, log.bound.step[named]])
        cards = places.of_tensor[tensors]
        rank = np.repeat([0, 1, 1], [len(log.tensors.id), len(log.writes.tensor), int(named.sum())])
        if self.autograd:
            cards = np.concatenate([places.of_node[log.nodes.id], cards])
            steps, rank = np.concatenate([log.nodes.step, steps]), np.concatenate([np.zeros(len(log.nodes.id), np.int64), rank])
        sites = log.events.site[steps]
        good = (cards >= 0) & (sites >= 0)
        total = max(len(self.recording.sites), 1)
        pairs, first = np.unique((cards * total + sites)[good], return_index=True)
        order = np.lexsort((steps[good][first], rank[good][first], pairs // total))
        found: dict[str, list[int]] = {}
        for pair in pairs[order].tolist():
            found.setdefault(self.keys[pair // total], []).append(pair % total)
        return found

    @cached_property
    def norms(self) -> Norms:
        """How large the `.grad` of what outlives iterations is, over the whole run: what a breakpoint asks."""
        log, places, found = columns_of(self.recording), self.places, statistics(self.recording)
        cards = places.of_tensor[log.grads.tensor]
        own = np.flatnonzero((cards >= 0) & places.stays[cards])
        return self._pairs(cards[own], log.grads.step[own], log.grads.total[own], found.norm, found.nan + found.inf)

    def norms_between(self, first: int, last: int) -> Norms:
        """How large each card's `.grad` is in a window."""
        log, places, found = columns_of(self.recording), self.places, statistics(self.recording)
        low, high = np.searchsorted(log.grads.step, [first, last + 1])
        cards = places.of_tensor[log.grads.tensor[low:high]]
        own = np.flatnonzero(cards >= 0)
        steps, totals = log.grads.step[low:high][own], log.grads.total[low:high][own]
        return self._pairs(cards[own], steps, totals, found.norm, found.nan + found.inf)

    def _pairs(self, cards: Ints, steps: Ints, arrays: Ints, norm: Floats, faults: Ints) -> Norms:
        values = np.where(arrays == NOTHING, MISSING, np.where(faults[arrays] > 0, NOT_FINITE, norm[arrays]))
        made: Norms = {}
        for card, step, value in zip(cards.tolist(), steps.tolist(), values.tolist(), strict=True):
            pairs = made.setdefault(self.keys[card], [])
            value = float(f"{value:.6g}")
            if pairs and pairs[-1][0] == step:
                pairs.pop()
            if not pairs or pairs[-1][1] != value:
                pairs.append((step, value))
        return made

    # --- a window -------------------------------------------------------------------------------------------------------------

    def faces(self, first: int, last: int) -> WholeFaces:
        """What every card and edge shows from one step to another."""
        prefix = "n" if self.autograd else "t"
        shown: list[tuple[str, list[int], list[int]]] = []
        cast: dict[str, tuple[int, str]] = {}
        tensor_of = self._tensor_of_node if self.autograd else int
        for key, (ids, born) in zip(self.keys, self.members, strict=True):
            low, high = np.searchsorted(born, [first, last], "right").tolist()
            low = max(0, low - 1)
            some = ids[low:high].tolist()
            shown.append((key, some, born[low:high].tolist()))
            title = self.graph.nodes[key]["title"]
            cast.update({f"{prefix}{id}": (tensor_of(id), title) for id in some})
        wanted = Cast(self.autograd, cast, self._carriers, self.graph.edges(keys=True), renamed=False)
        parts = faces_between(self.recording, wanted, first, last)
        texts, names = ArrayTexts(self.recording), {} if self.autograd else best_names(self.recording)
        merged = NodeHistories(iter(self.keys), partial(face_of, texts))
        for key, some, births in shown:
            title = self.graph.nodes[key]["title"]
            for id, end in zip(some, [*births[1:], last + 1]):
                name = names.get(id, title)
                for step, noted in parts.nodes.noted(f"{prefix}{id}"):
                    if step >= end:
                        break
                    merged.note(key, step, list(noted if name == title else noted._replace(title=name)))
        return WholeFaces(merged, parts.edges)

    def _tensor_of_node(self, node: int) -> int:
        return index_of(self.recording).owners.get((node, 0), NOTHING)

    @cached_property
    def _carriers(self) -> dict[tuple[int, int], list[tuple[str, str, int]]]:
        found: dict[tuple[int, int], list[tuple[str, str, int]]] = {}
        for u, v, k, carries in self.graph.edges(keys=True, data="carries"):
            for pair in carries:
                found.setdefault(pair, []).append((u, v, k))
        return found

    # --- what each step is about ----------------------------------------------------------------------------------------------

    def about(self, step: int) -> list[str]:
        """The cards that a step is about."""
        cards, bounds = self._focus
        return [self.keys[card] for card in dict.fromkeys(cards[bounds[step] : bounds[step + 1]].tolist())]

    @cached_property
    def _focus(self) -> tuple[Ints, Ints]:
        """The cards that the steps are about, and where those of each step begin."""
        log = columns_of(self.recording)
        tensor = self._card_of_tensor
        ran = np.searchsorted(log.passes.number, log.grads.number)
        filled = np.flatnonzero(log.grads.number > 0)
        root_step = dict(zip(log.passes.number.tolist(), log.passes.began.tolist(), strict=True))
        parts = [
            (log.tensors.step, tensor(log.tensors.id)),
            (log.writes.step, tensor(log.writes.tensor)),
            (log.bound.step, tensor(log.bound.tensor)),
            (log.grads.step, tensor(log.grads.tensor)),
            (log.stepped.step, tensor(log.stepped.tensor)),
            (np.array([root_step[n] for n in log.roots.number.tolist()], np.int64), tensor(log.roots.tensor)),
            (log.passes.ended[ran[filled]], tensor(log.grads.tensor[filled])),
            (log.ran.step, self._card_of_node(log.ran.node, np.zeros(len(log.ran.node), np.int64))),
            (log.sent.step, self._card_of_node(log.sent.target, log.sent.input)),
        ]
        steps = np.concatenate([steps for steps, _ in parts])
        cards = np.concatenate([cards for _, cards in parts])
        total = len(self.recording.events)
        good = np.flatnonzero((cards >= 0) & (steps < total))
        good = good[np.argsort(steps[good], kind="stable")]
        return cards[good], np.searchsorted(steps[good], np.arange(total + 1))

    @cached_property
    def sites_of_steps(self) -> Ints:
        """Per step where the program stands: while a pass runs, at the call that started it."""
        log = columns_of(self.recording)
        sites = log.events.site.copy()
        for began, ended in zip(log.passes.began[::-1].tolist(), log.passes.ended[::-1].tolist(), strict=True):
            part = sites[began : ended + 1]
            part[part < 0] = log.events.site[began]
        return sites

    @cached_property
    def line_ends(self) -> Ints:
        """The last step of every visit to a source line, as `shown.timeline.line_ends` has them."""
        log = columns_of(self.recording)
        lines = np.array([*(site.line for site in self.recording.sites), 0], np.int64)  # the last for no site
        cells = np.array([*(site.cell for site in self.recording.sites), 0], np.int64)
        sites, scopes = log.events.site.copy(), log.events.scope.copy()
        for began, ended in zip(log.passes.began[::-1].tolist(), log.passes.ended[::-1].tolist(), strict=True):
            here = slice(began, ended + 1)
            nowhere = lines[sites[here]] == 0
            sites[here][nowhere], scopes[here][nowhere] = log.events.site[began], log.events.scope[began]
        there = np.flatnonzero(lines[sites] > 0)
        visits = np.stack([cells[sites[there]], lines[sites[there]], scopes[there]])
        new = np.flatnonzero((visits[:, 1:] != visits[:, :-1]).any(0)) + 1
        last = [len(self.recording.events) - 1] if self.recording.events else []
        return np.concatenate([there[new] - 1, np.array(last, np.int64)])

    def _card_of_tensor(self, tensors: Ints) -> Ints:
        of = self.places.of_tensor
        known = (tensors >= 0) & (tensors < len(of))
        return np.where(known, of[np.where(known, tensors, 0)], NOTHING)

    def _card_of_node(self, nodes: Ints, outputs: Ints) -> Ints:
        if self.autograd:
            return self.places.of_node[nodes]
        return self._card_of_tensor(owners(columns_of(self.recording), nodes, outputs))

    def card_of_node(self, node: int) -> str | None:
        """The card of an autograd node, or of what it made."""
        card = self._cards_of_nodes[node] if 0 <= node < len(self._cards_of_nodes) else NOTHING
        return self.keys[card] if card >= 0 else None

    @cached_property
    def _cards_of_nodes(self) -> list[int]:
        """Node id → its card, or that of the first of its outputs that has one."""
        ids = columns_of(self.recording).nodes.id
        found = np.full(int(ids.max(initial=-1)) + 1, NOTHING, np.int64)
        for output in range(OUTPUTS - 1, -1, -1):
            cards = self._card_of_node(ids, np.full(len(ids), output, np.int64))
            found[ids] = np.where(cards >= 0, cards, found[ids])
        return found.tolist()


def _opened_at_first(folding: Folding, graph: Graph) -> frozenset[str]:
    """The outer groups, as long as that is not too much to read. What stands aside stays closed, and so does a module that
    holds nothing but operations: it says what it is by its name."""
    inside: dict[str, int] = {}
    for key in graph:
        path = folding.enclosing.get(key, ())
        inside[path[-1] if path else ""] = inside.get(path[-1] if path else "", 0) + 1
    shown = inside.get("", 0) + sum(not group.parent for group in folding.groups.values())
    waiting = [[id for id, group in folding.groups.items() if not group.parent]]
    opened: set[str] = set()
    while waiting:
        for id in waiting.pop(0):
            group = folding.groups[id]
            more = inside.get(id, 0) + len(group.children) - 1
            if group.kind in SHUT or (group.kind == "module" and not group.children) or shown + more > AT_FIRST:
                continue
            shown += more
            opened.add(id)
            waiting.append(group.children)
    return frozenset(opened)


def cards_for(recording: Recording, nodes: Collection[str]) -> dict[str, list[str]]:
    """The cards that stand for nodes of the run, for each view that has been rolled."""
    found: dict[str, list[str]] = {}
    for made in recording.derived.values():
        if isinstance(made, RolledView):
            cards = dict.fromkeys(made.rolled.key_of.get(node, "") for node in nodes)
            found[made.view] = [card for card in cards if card]
    return found


def worth_rolling(recording: Recording) -> bool:
    """Whether a run has so many like iterations that its rolled view is what to show first."""
    return nests_of(recording).worth


def rolled_view(recording: Recording, view: str = "tensors", turned: Collection[str] = ()) -> RolledView:
    """A rolled view of a recording, made on the first call and kept on the recording."""
    name = f"rolled view {view} {sorted(turned)}"
    return recording.once(name, lambda: RolledView(recording, view, turned))  # type: ignore[arg-type]
