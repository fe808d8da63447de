"""What the cards of a rolled graph stand for: at every step one node of the run each, the newest that has been made by then."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...recording.columns import Columns, columns_of
from ...recording.events import NOTHING
from ...recording.recording import Recording
from ..structure.loops import Loop
from ..structure.rolled import Rolled
from .series import Iterations, Places, owners
from .statistics import Ints

OUTPUTS = 4
"""Outputs of a node among which its card is looked for."""


class Members:
    """The nodes of the run that each card stands for. Cards go by their number in the graph."""

    def __init__(self, recording: Recording, rolled: Rolled, autograd: bool, iterations: Iterations) -> None:
        self.rolled = rolled
        self.autograd = autograd
        self.iterations = iterations
        """Of the main loop."""
        self.log: Columns = columns_of(recording)
        self.last = len(recording.events) - 1
        self.keys: list[str] = list(rolled.graph)
        self.number = {key: number for number, key in enumerate(self.keys)}
        self.loops: dict[str, Loop] = {loop.id: loop for loop in rolled.loops}

    @cached_property
    def made(self) -> list[tuple[Ints, Ints]]:
        """Per card the ids of its members, and the steps at which they were made, in order."""
        log = self.log
        born, row = (log.nodes.step, log.row_of_node) if self.autograd else (log.tensors.step, log.row_of)
        found = []
        for _, all in self.rolled.graph.nodes(data="all"):
            ids = np.fromiter((int(key[1:]) for key in all), np.int64, len(all))
            steps = born[row[ids]]
            order = np.argsort(steps, kind="stable")
            found.append((ids[order], steps[order]))
        return found

    def between(self, first: int, last: int, cards: Ints) -> tuple[Ints, Ints, Ints]:
        """What some cards stand for from one step to another, with what they stood for before: ids, births and cards, in the
        order of both."""
        ids, born, bounds = self._flat
        width = self.last + 2
        keys = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)) * width + born
        low, high = (np.searchsorted(keys, cards * width + step, "right") for step in (first, last))
        low = np.maximum(low - 1, bounds[cards])
        counts = np.maximum(high - low, 0)
        rows = np.repeat(low - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
        return ids[rows], born[rows], np.repeat(cards, counts)

    @cached_property
    def _flat(self) -> tuple[Ints, Ints, Ints]:
        """The members of all cards one after another, their births, and where those of each card begin."""
        nothing = [(np.zeros(0, np.int64),) * 2]
        ids, born = (np.concatenate(part) for part in zip(*(self.made or nothing), strict=True))
        return ids, born, np.cumsum([0, *(len(ids) for ids, _ in self.made)])

    def at(self, key: str, step: int) -> str:
        """The node of the unrolled graph that a card stands for at a step: the newest there is, else the first one to come."""
        card = self.number.get(key)
        if card is None or not len(self.made[card][0]):
            return key
        ids, born = self.made[card]
        return f"{'n' if self.autograd else 't'}{ids[max(0, int(np.searchsorted(born, step, 'right')) - 1)]}"

    def moment(self, node: str) -> int | None:
        """The step at which a card shows a node of the unrolled graph: the last one of the iteration that made it."""
        key = self.rolled.key_of.get(node)
        if key is None:
            return None
        ids, born = self.made[self.number[key]]
        if len(ids) == 1:
            return None  # it is on show at any time
        at = int(np.flatnonzero(ids == int(node[1:]))[0])
        loop = self.loops.get(self.rolled.graph.nodes[key]["loop"])
        end = self.last
        if loop is not None:
            row = int(np.searchsorted(loop.starts, born[at], "right")) - 1
            end = int(loop.ends[row])
        return end if at + 1 == len(born) or born[at + 1] > end else int(born[at + 1]) - 1

    @cached_property
    def places(self) -> Places:
        """The cards, as series and marks take them."""
        log = self.log
        ids = np.concatenate([ids for ids, _ in self.made] or [np.zeros(0, np.int64)])
        cards = np.repeat(np.arange(len(self.made)), [len(ids) for ids, _ in self.made])
        of = np.full(int(max(ids.max(initial=0), log.tensors.id.max(initial=0))) + 1, NOTHING, np.int64)
        of[ids] = cards
        of_tensor, of_node = of, np.zeros(0, np.int64)
        if self.autograd:
            of_node = np.full(int(max(ids.max(initial=0), log.nodes.id.max(initial=0))) + 1, NOTHING, np.int64)
            of_node[ids] = cards
            of_tensor = self._tensors_of_nodes(of_node)
        position = {id: k for k, id in enumerate(self.loops)}
        own = [a["loop"] for _, a in self.rolled.graph.nodes(data=True)]
        main = position.get(self.rolled.main, len(position))
        loops = [Iterations(loop.starts, loop.ends) for loop in self.loops.values()]
        return Places(
            of_tensor,
            of_node,
            np.array([position.get(id, main) for id in own], np.int64),
            np.array([id not in position for id in own], np.bool_),
            [*loops, self.iterations],
        )

    def _tensors_of_nodes(self, of_node: Ints) -> Ints:
        """Tensor → the card of the node that made it, or of its AccumulateGrad."""
        log = self.log
        of = np.full(len(log.row_of), NOTHING, np.int64)
        made = log.tensors.node >= 0
        of[log.tensors.id[made]] = of_node[log.tensors.node[made]]
        filling = log.nodes.variable >= 0
        of[log.nodes.variable[filling]] = of_node[log.nodes.id[filling]]
        return of

    def of_tensors(self, tensors: Ints) -> Ints:
        """The cards of tensors."""
        of = self.places.of_tensor
        known = (tensors >= 0) & (tensors < len(of))
        return np.where(known, of[np.where(known, tensors, 0)], NOTHING)

    def of_nodes(self, nodes: Ints, outputs: Ints) -> Ints:
        """The cards of autograd nodes; in the graph of tensors those of what they made."""
        return self.places.of_node[nodes] if self.autograd else self.of_tensors(owners(self.log, nodes, outputs))

    def of_node(self, node: int) -> str | None:
        """The card of one autograd node, or of the first of its outputs that has one."""
        card = self._of_node[node] if 0 <= node < len(self._of_node) else NOTHING
        return self.keys[card] if card >= 0 else None

    @cached_property
    def _of_node(self) -> list[int]:
        ids = self.log.nodes.id
        found = np.full(int(ids.max(initial=-1)) + 1, NOTHING, np.int64)
        for output in range(OUTPUTS - 1, -1, -1):
            cards = self.of_nodes(ids, np.full(len(ids), output, np.int64))
            found[ids] = np.where(cards >= 0, cards, found[ids])
        return found.tolist()
