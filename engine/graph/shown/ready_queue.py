"""Backward passes as the engine worked through them: when each node was ready, when it ran, when its contributions came.

Kept as one short entry per node and pass, from which the state of the whole queue at any step follows.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ...recording.columns import columns_of
from ...recording.events import NOTHING, BackwardEnded, OpRan
from ...recording.index import Pass, index_of
from ...recording.recording import Recording


class Visit(msgspec.Struct, frozen=True, gc=False):
    """One node in one pass. It waits until `ready`, then stands in the queue until `began`, and is done after `ran`."""

    node: int
    ready: int
    """The step at which the last of the nodes that lead to it had run; NOTHING if the pass failed before."""
    began: int
    """The step at which its rule began: earlier than `ran` where the rule itself is recorded (create_graph)."""
    ran: int
    """NOTHING for a node that does not run: its gradient is what `autograd.grad` returns, or the pass failed."""
    arrivals: tuple[int, ...]
    """The steps at which gradients were added to its buffer."""


class Queue(msgspec.Struct, frozen=True):
    """One backward pass: its nodes in the order in which they ran, those that never ran last."""

    number: int
    began: int
    ended: int
    """The step at which it is over."""
    visits: tuple[Visit, ...]


def queues(recording: Recording, within: tuple[int, int] | None = None) -> list[Queue]:
    """The queues of all backward passes of a recording, in order, or of those that run between two steps."""
    passes, log = index_of(recording).passes, columns_of(recording).passes
    first, last = within or (0, len(recording.events))
    wanted = [passes[number] for number in log.number[(log.began <= last) & (log.ended >= first)].tolist()]
    return [_queue(recording, entry, _recorded_rules(recording, entry)) for entry in wanted]


def _recorded_rules(recording: Recording, entry: Pass) -> list[int]:
    """The steps of operations that a pass ran while building a graph."""
    events = recording.events
    steps = range(entry.began, min(entry.ended + 1, len(events)))
    return [step for step in steps if isinstance(event := events[step], OpRan) and event.in_backward == entry.number]


def _queue(recording: Recording, entry: Pass, recorded: list[int]) -> Queue:
    nodes = index_of(recording).nodes
    members = _members(recording, entry)
    ready = dict.fromkeys(members, entry.began)
    waits: set[int] = set()
    for node in members:
        at = entry.ran_at.get(node, NOTHING)
        for target, _ in nodes[node].info.edges:
            if target in ready:
                if at == NOTHING:
                    waits.add(target)
                ready[target] = max(ready[target], at)
    begins = _begins(entry, recorded)
    order = sorted(members, key=lambda n: (entry.ran_at.get(n, len(recording.events)), ready[n], -nodes[n].info.sequence))
    visits = []
    for node in order:
        arrivals = entry.arrivals.get(node)
        ran = entry.ran_at.get(node, NOTHING)
        visits.append(
            Visit(
                node=node,
                ready=NOTHING if node in waits else ready[node],
                began=begins.get(node, ran),
                ran=ran,
                arrivals=tuple(arrivals.steps) if arrivals else (),
            )
        )
    return Queue(entry.number, entry.began, entry.ended, tuple(visits))


def _members(recording: Recording, entry: Pass) -> list[int]:
    """The nodes that take part: what ran or received something, and for a pass that failed, what it would have reached."""
    found = dict.fromkeys([*entry.arrivals, *entry.ran_at])
    found.pop(NOTHING, None)  # a gradient that arrives at a leaf which the pass begins with
    last = recording.events[entry.ended] if entry.ended < len(recording.events) else None
    if isinstance(last, BackwardEnded) and not last.error:
        return list(found)
    nodes = index_of(recording).nodes
    todo = list(found)
    while todo:
        for target, _ in nodes[todo.pop()].info.edges:
            if target != NOTHING and target not in found:
                found[target] = None
                todo.append(target)
    return list(found)


def _begins(entry: Pass, recorded: Iterable[int]) -> dict[int, int]:
    """For nodes whose rule was recorded, the first step of it."""
    found: dict[int, int] = {}
    runs = iter(entry.ran_at.items())
    node, at = next(runs, (NOTHING, NOTHING))
    for step in recorded:
        while node != NOTHING and at < step:
            node, at = next(runs, (NOTHING, NOTHING))
        if node == NOTHING:
            break
        found.setdefault(node, step)
    return found
