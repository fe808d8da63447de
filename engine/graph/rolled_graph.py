"""A view of a whole run with one node for each place, and what follows from it: worked out once, when asked for, and kept.

What a card shows at a step belongs to one of its members: the newest that has been made by then (`shown/members.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..recording.columns import columns_of
from ..recording.recording import Recording
from .shown import run_index
from .shown.carriers import Carriers
from .shown.curves import Mark, Timeline, found, timeline
from .shown.group_states import State
from .shown.member_states import liveliest
from .shown.members import Members
from .shown.node_states import WholeFaces
from .shown.run_index import Norms
from .shown.series import Iterations, Places, Series, arrays_at, first_troubles, series, stepped, updates
from .shown.state_history import EdgeKey, Face
from .shown.statistics import Floats, Ints
from .shown.window_faces import step_faces, window_faces
from .structure.build import Graph, WholeView
from .structure.drawn import visible_rows
from .structure.folding import AT_FIRST, Folding, Mode
from .structure.loops import Loop, nests_of
from .structure.rolled import Rolled, rolled
from .structure.rolled_groups import opened_at_first

BESIDE = 1
"""Iterations on either side of the chosen one whose faces are worked out with it."""
MOST = 2_000
"""Steps of a window, at most: an iteration may be as long as the run."""
AT_A_GLANCE = 20
"""Cards that the first view of a program without a loop shows, as far as groups allow it: about as many as are read without
moving the picture."""
PARTS = 0.3
"""The share of what autograd records that modules do, at least, where modules are what a program is seen as. In a notebook that
tries one thing after another a layer here and there is not."""
TOO_LITTLE = 3
"""Cards that say too little of such a program."""
STRETCHES = 200
"""Stretches of iterations that are listed of one card."""


class RolledGraph:
    """One view with its time rolled up. Treat all of it as frozen."""

    def __init__(self, recording: Recording, view: WholeView, turned: Collection[str] = ()) -> None:
        self.recording = recording
        self.view = view
        self.turned = tuple(sorted(turned))
        self.rolled: Rolled = rolled(recording, view, turned)
        self.graph: Graph = self.rolled.graph
        self.folding = self.rolled.folding
        self.loops: dict[str, Loop] = {loop.id: loop for loop in self.rolled.loops}
        self.members = Members(recording, self.rolled, self.flipped, self.iterations)
        self.keys, self.card = self.members.keys, self.members.number
        self.member, self.moment, self.card_of_node = self.members.at, self.members.moment, self.members.of_node
        self._once: dict[Hashable, Any] = {}

    def once(self, name: Hashable, make: Callable[[], Any]) -> Any:
        """What follows from this view and is wanted again and again, made the first time."""
        if name not in self._once:
            self._once[name] = make()
        return self._once[name]

    @property
    def flipped(self) -> bool:
        """Whether nodes are those of the autograd graph, whose edges point from results to leaves."""
        return self.view == "autograd"

    @property
    def main(self) -> Loop | None:
        """The loop whose iterations the timeline shows."""
        return self.loops.get(self.rolled.main)

    def groups(self, _: Mode) -> Folding:
        """The groups; a rolled graph is folded in one way."""
        return self.folding

    def opened_at_first(self, _: Folding) -> frozenset[str]:
        """The groups that are open before the user has opened or closed one."""
        return self.at_first

    @cached_property
    def at_first(self) -> frozenset[str]:
        """The same."""
        if self.main:
            return opened_at_first(self.folding, self.graph)
        return opened_at_first(self.folding, self.graph, AT_A_GLANCE, TOO_LITTLE)

    def key_of(self, node: str) -> str:
        """The card that stands for a node of the run; anything else for itself."""
        return self.rolled.key_of.get(node, node)

    # --- iterations -----------------------------------------------------------------------------------------------------------

    @cached_property
    def iterations(self) -> Iterations:
        """The main loop's; for a program without one, the run is the only one."""
        loop, last = self.main, len(self.recording.events) - 1
        if loop is None:
            return Iterations(np.array([0]), np.array([last]))
        return Iterations(loop.starts, loop.ends)

    def window(self, step: int) -> tuple[int, int]:
        """First and last step of the iteration that a step is in, with its neighbours."""
        starts, ends, last = self.iterations.starts, self.iterations.ends, len(self.recording.events) - 1
        if last < MOST:
            return 0, last
        row = int(np.searchsorted(starts, step, "right")) - 1
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

    @cached_property
    def there(self) -> dict[str, list[tuple[int, int]]]:
        """Cards that only some iterations of the main loop have, with the stretches of those, first and last: where they can be
        listed."""
        total = len(self.iterations)
        found: dict[str, list[tuple[int, int]]] = {}
        if total == 1:
            return found
        for key, (_, born) in zip(self.keys, self.members.made, strict=True):
            rows = np.unique(self.iterations.rows(born))
            rows = rows[rows >= 0]
            if not len(rows) or len(rows) == total or not self.graph.nodes[key]["loop"]:
                continue
            parts = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
            if len(parts) <= STRETCHES:
                found[key] = [(int(part[0]), int(part[-1])) for part in parts]
        return found

    # --- what cards show ------------------------------------------------------------------------------------------------------

    def faces(
        self, first: int, last: int, keys: Collection[str] | None = None, edges: Collection[EdgeKey] | None = None
    ) -> WholeFaces:
        """What cards and edges, all of them or some, show from one step to another."""
        return window_faces(self.recording, self.members, self.carriers, first, last, keys, edges)

    def liveliest(self, first: int, last: int, groups: Sequence[Sequence[str]]) -> list[list[State]]:
        """What groups of cards do from one step to another: what the liveliest in each does."""
        return liveliest(self.recording, self.members, first, last, groups)

    @cached_property
    def carriers(self) -> Carriers:
        """(node, its edge) → the edges that show what goes there."""
        return Carriers(self.graph)

    def steps_of(self, key: str, first: int, last: int) -> list[tuple[int, Face]]:
        """What the card of an optimizer's step shows from one step to another."""
        return step_faces(self.series[key], self.iterations, self.graph.nodes[key]["steps"], first, last)

    @property
    def places(self) -> Places:
        """The cards, as series and marks take them."""
        return self.members.places

    @cached_property
    def series(self) -> dict[str, Series]:
        """What each card shows in each iteration of its loop."""
        found = dict(zip(self.keys, series(self.recording, self.places), strict=True))
        for key, a in self.graph.nodes(data=True):
            if a["kind"] == "step":
                steps = np.array(a["steps"], np.int64)
                found[key] = stepped(self.recording, *self._trained(key, found), steps, self.iterations)
        return found

    def _trained(self, key: str, found: dict[str, Series]) -> tuple[list[Series], list[int]]:
        """The parameters that an optimizer's step writes, with the arrays that they hold ahead of the first iteration."""
        keys = [one for one in self.graph.successors(key) if self.places.stays[self.card[one]] and self.graph.nodes[one]["all"]]
        return [found[one] for one in keys], self.before(keys)

    def loop_of(self, key: str) -> Iterations:
        """The iterations that a card's series goes through."""
        stepped = self.graph.nodes[key]["kind"] == "step"
        return self.iterations if stepped else self.places.loops[int(self.places.loop[self.card[key]])]

    def updates(self, key: str) -> Floats:
        """How far each iteration has moved a parameter, as a share of its norm."""
        return updates(self.recording, self.series[key], self.before([key])[0])

    def before(self, keys: list[str]) -> list[int]:
        """The arrays that parameters hold ahead of the first iteration."""
        ids = np.array([self.members.made[self.card[key]][0][0] for key in keys], np.int64)
        steps = np.full(len(ids), int(self.iterations.starts[0]) - 1)
        return arrays_at(columns_of(self.recording), ids, steps).tolist()  # type: ignore[no-any-return]

    @cached_property
    def troubles(self) -> dict[str, int]:
        """Since when a card has held NaN or Inf."""
        return self._since(nan=False)

    @cached_property
    def nans(self) -> dict[str, int]:
        """Since when a card has held NaN."""
        return self._since(nan=True) if self.troubles else {}

    def _since(self, nan: bool) -> dict[str, int]:
        found = first_troubles(self.recording, self.places, len(self.keys), nan).tolist()
        return {key: step for key, step in zip(self.keys, found, strict=True) if step >= 0}

    def timeline(self) -> Timeline:
        """Curves and marks over the main loop."""
        return timeline(self.recording, self.rolled.main, self.iterations, self.places)

    def found(self, findings: Iterable[tuple[int, str]]) -> list[Mark]:
        """Marks for findings, which are pairs (step, title)."""
        return found(self.rolled.main, self.iterations, findings)

    # --- what a debugger asks -------------------------------------------------------------------------------------------------

    @cached_property
    def node_sites(self) -> dict[str, list[int]]:
        """Where each card is in the program, as rows in the table of sites."""
        return run_index.sites_of_cards(self.recording, self.members)

    @cached_property
    def norms(self) -> Norms:
        """How large the `.grad` of what outlives iterations is, over the whole run: what a breakpoint asks."""
        return run_index.norms(self.recording, self.members)

    @cached_property
    def lasting_grads(self) -> int:
        """How often the `.grad` of what outlives iterations has changed."""
        cards = self.places.of_tensor[columns_of(self.recording).grads.tensor]
        return int(((cards >= 0) & self.places.stays[cards]).sum())

    def made(self, key: str, first: int, last: int) -> list[int]:
        """When the members of a card were made that it shows in a window: the last one before it, and those in it; of an
        optimizer's step, when it ran."""
        if self.graph.nodes[key]["kind"] == "step":
            born = np.array(self.graph.nodes[key]["steps"], np.int64)
        else:
            _, born = self.members.made[self.card[key]]
        low, high = np.searchsorted(born, [first, last], "right").tolist()
        steps: list[int] = born[max(0, low - 1) : high].tolist()
        return steps

    def norms_between(self, first: int, last: int) -> Norms:
        """How large each card's `.grad` is in a window."""
        return run_index.norms(self.recording, self.members, (first, last))

    def about(self, step: int) -> list[str]:
        """The cards that a step is about."""
        cards, bounds = self._focus
        return [self.keys[card] for card in dict.fromkeys(cards[bounds[step] : bounds[step + 1]].tolist())]

    @cached_property
    def _focus(self) -> tuple[Ints, Ints]:
        return run_index.focus(self.recording, self.members)


def cards_for(recording: Recording, nodes: Collection[str]) -> dict[str, list[str]]:
    """The cards that stand for nodes of the run, for each view that has been rolled."""
    found: dict[str, list[str]] = {}
    for made in recording.derived.values():
        if isinstance(made, RolledGraph):
            cards = dict.fromkeys(made.rolled.key_of.get(node, "") for node in nodes)
            found[made.view] = [card for card in cards if card]
    return found


def worth_rolling(recording: Recording) -> bool:
    """Whether the rolled view of a run is what to show first: because it has so many like iterations, or more operations than
    can be read at once, and modules or layers to put them in."""
    return nests_of(recording).worth or _has_parts(recording)


def _has_parts(recording: Recording) -> bool:
    if int(visible_rows(recording).sum()) <= AT_FIRST:
        return False
    if any(loop.kind == "depth" and loop.total > 1 for loop in nests_of(recording).loops):
        return True
    columns = columns_of(recording)
    scopes = columns.events.scope[columns.nodes.step]
    inside = np.array([bool(scope.module) for scope in recording.scopes] + [False])  # the last one for what has no scope
    return bool(inside[scopes].mean() > PARTS) if len(scopes) else bool(inside.any())


def rolled_graph(recording: Recording, view: str = "tensors", turned: Collection[str] = ()) -> RolledGraph:
    """A rolled view of a recording, made on the first call and kept on the recording."""
    name = f"rolled graph {view} {sorted(turned)}"
    return recording.once(name, lambda: RolledGraph(recording, view, turned))  # type: ignore[arg-type]
