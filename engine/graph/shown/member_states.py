"""What closed groups of a rolled graph are doing: what the liveliest of their members does, read from columns.

A group may hold ten thousand nodes of which nobody sees one. What each of them shows is followed only where it is on show
(`window_faces`); here nothing is worked out but whether one runs, receives, is written, waits or is done, for all at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...recording.columns import Flags, columns_of
from ...recording.events import NOTHING, Raised
from ...recording.index import index_of
from ...recording.recording import Recording
from .group_states import STATES, State
from .members import Members
from .node_states import beginning
from .statistics import Ints

_RUNNING, _RECEIVING, _WRITTEN, _WAITING, _DONE, _IDLE = range(len(STATES) + 1)


def liveliest(
    recording: Recording, members: Members, first: int, last: int, groups: Sequence[Sequence[str]]
) -> list[list[State]]:
    """For each group of cards, of which none is in two, the changes of what the liveliest does, from one step to another."""
    return _States(recording, members, first, last, groups).told()


class _States:
    def __init__(self, recording: Recording, members: Members, first: int, last: int, groups: Sequence[Sequence[str]]) -> None:
        self.recording, self.members, self.log = recording, members, columns_of(recording)
        self.index = index_of(recording)
        self.total = len(recording.events)
        self.first, self.last = max(0, first), min(last, self.total - 1)
        self.start = beginning(self.index, self.first)
        self.group = np.full(len(members.keys), NOTHING, np.int64)
        for number, keys in enumerate(groups):
            self.group[[members.number[key] for key in keys]] = number
        self.groups = len(groups)
        self.ids, self.born, self.card = members.between(self.first, self.last, np.flatnonzero(self.group >= 0))
        self.end = np.full(len(self.ids), self.last + 1, np.int64)
        same = self.card[1:] == self.card[:-1]
        self.end[:-1][same] = self.born[1:][same]
        self.row_of = np.full(int(self.ids.max(initial=-1)) + 2, NOTHING, np.int64)
        """Tensor or node → its row; the last one for none."""
        self.row_of[self.ids] = np.arange(len(self.ids))

    def told(self) -> list[list[State]]:
        if not len(self.ids):
            return [[] for _ in range(self.groups)]
        return self._liveliest(*self._changes(*self._marks()))

    # --- where things stand ---------------------------------------------------------------------------------------------------

    def _rows(self, ids: Ints) -> Ints:
        return self.row_of[np.where((ids >= 0) & (ids < len(self.row_of) - 1), ids, -1)]

    def _at(self, nodes: Ints, outputs: Ints) -> Ints:
        """The rows at which gradients for these outputs of nodes arrive."""
        return self._rows(nodes if self.members.autograd else self.index.owners.many(nodes, outputs))

    def _holding(self, tensors: Ints) -> tuple[Ints, Ints]:
        """The rows that show the values of tensors, each with the position of the tensor: autograd nodes may be several."""
        if not self.members.autograd:
            rows = self._rows(tensors)
            there = np.flatnonzero(rows >= 0)
            return rows[there], there
        variable = self.log.nodes.variable[self.log.row_of_node[self.ids]]
        own = np.flatnonzero(variable != NOTHING)
        own = own[np.argsort(variable[own], kind="stable")]
        low, high = (np.searchsorted(variable[own], tensors, side) for side in ("left", "right"))
        there = np.repeat(np.arange(len(tensors)), high - low)
        within = np.arange(len(there)) - np.repeat(np.cumsum(high - low) - (high - low), high - low)
        return own[low[there] + within], there

    def _span(self, steps: Ints) -> slice:
        return slice(int(np.searchsorted(steps, self.start)), int(np.searchsorted(steps, self.last, "right")))

    # --- what happens ---------------------------------------------------------------------------------------------------------

    def _marks(self) -> tuple[Ints, Ints, Ints]:
        """Row, step and state of what happens to members, in order of rows and steps, those of one step in their order."""
        parts: list[tuple[Ints, Ints, int, int]] = []  # rows, steps, state, order within the step
        births = np.flatnonzero(self.born >= self.start)
        parts.append((births, self.born[births], _IDLE, 0))
        parts.append((*self._written(), _WRITTEN, 1))
        parts.append((*self._filled(), _RUNNING, 0))
        moving = self._moving()
        parts += [(rows, steps, state, int(state == _RECEIVING)) for rows, steps, _, state in moving]
        parts.append((*self._left([(rows, steps, numbers) for rows, steps, numbers, _ in moving]), _IDLE, 0))
        row = np.concatenate([rows for rows, _, _, _ in parts])
        step = np.concatenate([steps for _, steps, _, _ in parts])
        state, order = (np.concatenate([np.full(len(part[0]), part[field], np.int64) for part in parts]) for field in (2, 3))
        good = (row >= 0) & (step <= self.last)
        good &= (step >= self.born[row]) & (step < self.end[row])
        row, step, state, order = row[good], step[good], state[good], order[good]
        sorting = np.lexsort((order, step, row))
        return row[sorting], step[sorting], state[sorting]

    def _written(self) -> tuple[Ints, Ints]:
        span = self._span(self.log.writes.step)
        rows, at = self._holding(self.log.writes.tensor[span])
        return rows, self.log.writes.step[span][at]

    def _filled(self) -> tuple[Ints, Ints]:
        """Leaves to whose `.grad` a pass adds."""
        grads = self.log.grads
        span = self._span(grads.step)
        added = np.flatnonzero(grads.how[span] == NOTHING)
        tensors, steps = grads.tensor[span][added], grads.step[span][added]
        rows, at = self._holding(tensors)
        leaf = self._leaves(tensors, steps)[at]
        return rows[leaf], steps[at][leaf]

    def _leaves(self, tensors: Ints, steps: Ints) -> Flags:
        """Whether tensors are leaves at these steps."""
        found: Flags = self.log.tensors.is_leaf[self.log.row_of[tensors]] > 0
        written = np.isin(tensors, self.log.writes.tensor)
        for at in np.flatnonzero(found & written).tolist():
            found[at] = self.index.tensors[int(tensors[at])].status(int(steps[at])).is_leaf
        return found

    def _moving(self) -> list[tuple[Ints, Ints, Ints, int]]:
        """Rows, steps, passes and state of what passes do: nodes that run, and gradients that arrive."""
        log = self.log
        span = self._span(log.ran.step)
        steps, numbers = log.ran.step[span], log.ran.number[span]
        ran = self._at(log.ran.node[span], np.zeros(len(steps), np.int64))
        found = [(ran, steps, numbers, _RUNNING)]
        if not self.members.autograd:
            received = self._span(log.received.step)
            more = np.flatnonzero(log.received.output[received] > 0)
            when = log.received.step[received][more]
            rows = self._at(log.received.node[received][more], log.received.output[received][more])
            found.append((rows, when, numbers[np.searchsorted(steps, when)], _RUNNING))
        sent = self._span(log.sent.step)
        when = log.sent.step[sent]
        rows = self._at(log.sent.target[sent], log.sent.input[sent])
        found.append((rows, when, numbers[np.searchsorted(steps, when)], _RECEIVING))
        roots = [
            (node, output, began, number)
            for number, began in zip(log.passes.number.tolist(), log.passes.began.tolist(), strict=True)
            if self.start <= began <= self.last
            for node, output in self.recording.events[began].root_nodes
        ]
        node, output, began, number = np.array(roots, np.int64).reshape(-1, 4).T
        found.append((self._at(node, output), began, number, _RECEIVING))
        return found

    def _left(self, moving: Sequence[tuple[Ints, Ints, Ints]]) -> tuple[Ints, Ints]:
        """What a pass that ends leaves, with the step at which it does."""
        log = self.log
        raised = np.flatnonzero(log.events.kind == log.KIND[Raised])
        began, ended, number = log.passes.began, log.passes.ended, log.passes.number
        at = np.searchsorted(raised, began, "right")
        ends = np.minimum(ended, np.append(raised, self.total)[at])
        inside = (began >= self.start) & (began <= self.last)
        ends = np.where(inside, ends, self.total)  # what is under way for longer has not been looked at

        def place(numbers: Ints) -> Ints:
            return np.searchsorted(number, numbers)

        rows = np.concatenate([rows for rows, _, _ in moving])
        steps = np.concatenate([steps for _, steps, _ in moving])
        of = place(np.concatenate([numbers for _, _, numbers in moving]))
        good = (rows >= 0) & (steps < ends[of]) if len(of) else np.zeros(0, np.bool_)
        rows, of = rows[good], of[good]
        filling = np.flatnonzero(np.isin(log.grads.number, number[inside]))
        filled, at = self._holding(log.grads.tensor[filling])
        passes = place(log.grads.number[filling][at])
        there = self.born[filled] <= began[passes] if len(passes) else np.zeros(0, np.bool_)
        pairs = np.unique(np.concatenate([rows, filled[there]]) * (len(number) + 1) + np.concatenate([of, passes[there]]))
        rows, of = pairs // (len(number) + 1), pairs % (len(number) + 1)
        steps = ends[of] if len(of) else of
        within = steps < self.total
        return rows[within], steps[within]

    # --- what that comes to ---------------------------------------------------------------------------------------------------

    def _changes(self, row: Ints, step: Ints, state: Ints) -> tuple[Ints, Ints, Ints]:
        """Card, step and state of every change of what a card does."""
        if not len(row):
            return row, step, state
        settles = np.choose(state, [_DONE, _WAITING, _IDLE, _IDLE, _IDLE, _IDLE])
        # What is written goes on as it was.
        begins = np.concatenate(([True], row[1:] != row[:-1]))
        own = np.where(begins | (state != _WRITTEN), np.arange(len(row)), 0)
        after = settles[np.maximum.accumulate(own)]
        latest = np.concatenate(((row[1:] != row[:-1]) | (step[1:] != step[:-1]), [True]))
        row, step, state, after = row[latest], step[latest], state[latest], after[latest]
        following = np.where(np.append(row[1:] == row[:-1], False), np.append(step[1:], 0), self.total + 1)
        rests = (state <= _WRITTEN) & (following > step + 1) & (step + 1 <= self.last) & (step + 1 < self.end[row])
        row = np.concatenate([row, row[rests]])
        step, state = np.concatenate([step, step[rests] + 1]), np.concatenate([state, after[rests]])
        card = self.card[row]
        order = np.lexsort((step, card))
        card, step, state = card[order], step[order], state[order]
        if self.start:
            # Of what was before the window counts the last, and that only if nothing happens at its first step.
            early = step < self.first
            later = np.append((card[1:] == card[:-1]) & (step[1:] <= self.first), False)
            card, step, state = card[~later], step[~later], state[~later]
            step = np.where(early[~later], self.first - 1, step)
        before = np.concatenate(([_IDLE], np.where(card[1:] == card[:-1], state[:-1], _IDLE)))
        new = state != before
        return card[new], step[new], state[new]

    def _liveliest(self, card: Ints, step: Ints, state: Ints) -> list[list[State]]:
        told: list[list[State]] = [[] for _ in range(self.groups)]
        if not len(card):
            return told
        before = np.concatenate(([_IDLE], np.where(card[1:] == card[:-1], state[:-1], _IDLE)))
        group = self.group[card]
        order = np.lexsort((step, group))
        group, step = group[order], step[order]
        many = np.zeros((len(group), _IDLE + 1), np.int64)
        many[np.arange(len(group)), state[order]] += 1
        many[np.arange(len(group)), before[order]] -= 1
        many = np.cumsum(many, axis=0)
        begins = np.concatenate(([0], np.flatnonzero(group[1:] != group[:-1]) + 1))
        sizes = np.diff(np.append(begins, len(group)))
        base = np.concatenate((np.zeros((1, _IDLE + 1), np.int64), many[begins[1:] - 1]))
        many -= np.repeat(base, sizes, axis=0)
        lively = many[:, :_IDLE] > 0
        most = np.where(lively.any(axis=1), lively.argmax(axis=1), _IDLE)
        latest = np.concatenate(((group[1:] != group[:-1]) | (step[1:] != step[:-1]), [True]))
        group, step, most = group[latest], step[latest], most[latest]
        old = np.concatenate(([_IDLE], np.where(group[1:] == group[:-1], most[:-1], _IDLE)))
        new = most != old
        names = (*STATES, "")
        for number, when, what in zip(group[new].tolist(), step[new].tolist(), most[new].tolist(), strict=True):
            told[number].append((when, 2, names[what]))
        return told
