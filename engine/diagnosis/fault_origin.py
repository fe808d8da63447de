"""Where a value or a gradient that is not finite began, and the way it took from there to what was asked about.

One goes back from what is not finite to what made it so, always to what was not finite first: from a result to its operation's
inputs, from a parameter to the gradient that it was updated with, from a gradient through its pass to the values that the pass
multiplied it with. Every step leads to an earlier event, so it ends.
"""

from __future__ import annotations

from typing import NamedTuple

from ..graph.shown.nonfinite import meant
from ..recording.events import NOTHING, NodeRan, OpRan, Sent
from ..recording.index import LedgerRow, Pass
from .paths import Paths
from .run import INF, NAN, Run

_MOST = 100_000
"""Stations of a way, at most."""


class Station(NamedTuple):
    """Something on the way that is not finite."""

    kind: str
    """"value" of a tensor, its "grad", or "node": what an autograd node sends."""
    id: int
    """The tensor or the node."""
    step: int
    """The event that made it so."""
    number: int = 0
    """The pass of a gradient or a node."""
    fault: int = 0


class Origin(NamedTuple):
    """Where it began."""

    kind: str
    """"operation", "derivative", "data" (what the program put in itself), "root" (the gradient that a pass was started with),
    "set" (a `.grad` that the program changed) or "unseen" (it came about where the recording is thin)."""
    step: int
    """The event."""
    way: tuple[Station, ...]
    """From there to what was asked about."""
    entry: Pass | None = None
    sent: Sent | None = None
    """For a derivative: the pass, and what the node sent."""


def origin_of(paths: Paths, tensor: int, step: int, *, gradient: bool = False) -> Origin | None:
    """Where a tensor's value after a step, or its `.grad`, became what is not finite; None where it is finite, or meant to be
    infinite."""
    run = paths.run
    array = run.tensors[tensor].grad(step) if gradient else run.status(tensor, step).array
    if not run.fault(array):
        return None  # mostly so, and then nobody has to know which infinities are meant
    search = _Search(paths)
    if not search.fault(array):
        return None
    return search.from_grad(tensor, step) if gradient else search.from_value(tensor, step)


class _Search:
    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.run: Run = paths.run
        self.harmless = meant(paths.run.recording)
        self.way: list[Station] = []

    def fault(self, array: int) -> int:
        """What is wrong with an array; nothing with an infinity that is meant."""
        return 0 if array in self.harmless else self.run.fault(array)

    def from_value(self, tensor: int, step: int) -> Origin:
        return self._follow(self._value(tensor, step))

    def from_grad(self, tensor: int, step: int) -> Origin:
        return self._follow(self._grad(tensor, step))

    def _follow(self, first: Station) -> Origin:
        at: Station | None = first
        kind, entry, sent = "unseen", None, None
        while at is not None and len(self.way) < _MOST:
            self.way.append(at)
            if not self.run.knows("operations", at.step, at.step):
                kind = "unseen"
                break
            before = {"value": self._before_value, "grad": self._before_grad, "node": self._before_node}[at.kind](at)
            if isinstance(before, Station):
                at = before
            else:
                kind, entry, sent = before
                break
        way = self._given_up(kind)
        if len(way) < len(self.way):
            kind = "operation"
        return Origin(kind, way[-1].step, tuple(reversed(way)), entry, sent)

    def _given_up(self, kind: str) -> list[Station]:
        """An infinity that the program wrote itself, as in a mask, is no trouble until something makes NaN of it: there it
        began."""
        last = self.way[-1]
        if kind == "data" and not last.fault & NAN:
            for place in range(len(self.way) - 1, -1, -1):
                if self.way[place].fault & NAN and self.way[place].kind == "value":
                    return self.way[: place + 1]
        return self.way

    # --- values ---------------------------------------------------------------------------------------------------------------

    def _value(self, tensor: int, step: int) -> Station:
        """Since when a tensor has held what is not finite after a step."""
        history = self.run.tensors[tensor]
        since, array = history.born, history.info.array
        bad = bool(self.fault(array))
        if history.changes is not None:
            for at, status in zip(history.changes.steps, history.changes.values, strict=True):
                if at > step:
                    break
                now = self.fault(status.array)
                if now and not bad:
                    since, array = at, status.array
                bad = bool(now)
        return Station("value", tensor, since, 0, self.fault(array))

    def _before_value(self, at: Station) -> Station | tuple[str, Pass | None, Sent | None]:
        event = self.run.events[at.step]
        if not isinstance(event, OpRan):
            return "unseen", None, None
        found: list[Station] = []
        inputs = self.run.inputs(event)
        for tensor in inputs:
            if self.fault(self.run.status(tensor, at.step - 1).array):
                leaf = self.run.tensors[tensor].info.grad_of
                there = leaf != NOTHING and self.fault(self.run.tensors[leaf].grad(at.step - 1))
                found.append(self._grad(leaf, at.step - 1) if there else self._value(tensor, at.step - 1))
        if not found and self.run.index.stepping[at.step] and self.fault(self.run.tensors[at.id].grad(at.step - 1)):
            found.append(self._grad(at.id, at.step - 1))
        if found:
            same = [one for one in found if one.fault & NAN] if at.fault & NAN else []
            return min(same or found, key=lambda one: one.step)
        if not inputs or (event.op in self._given and not at.fault & NAN):
            return "data", None, None
        return "operation", None, None

    @property
    def _given(self) -> frozenset[str]:
        return self.run.having("given") | self.run.having("creation")

    # --- gradients ------------------------------------------------------------------------------------------------------------

    def _grad(self, tensor: int, step: int) -> Station:
        row = self._row(tensor, step)
        return Station("grad", tensor, row.step, row.number, self.fault(row.total))

    def _row(self, tensor: int, step: int) -> LedgerRow:
        """The change of a `.grad` since which it is not finite."""
        track = self.run.tensors[tensor].ledger
        assert track is not None
        rows = track.until(step)
        first = rows[-1]
        for row in reversed(rows):
            if row.total == NOTHING or not self.fault(row.total):
                break
            first = row
        return first

    def _before_grad(self, at: Station) -> Station | tuple[str, Pass | None, Sent | None]:
        row = self._row(at.id, at.step)
        if row.kind != "backward":
            return "set", None, None
        entry = self.run.index.passes[row.number]
        for node in self.paths.nodes_of(at.id, entry.began):
            if node in entry.arrivals and (found := self._arrived(entry, node)) is not None:
                return found
        return "derivative", entry, None

    def _arrived(self, entry: Pass, node: int) -> Station | tuple[str, Pass | None, Sent | None] | None:
        """What sent a gradient that is not finite to a node."""
        for arrival in entry.arrivals[node].values:
            if arrival.array >= 0 and (fault := self.fault(arrival.array)):
                if arrival.source == NOTHING:
                    return "root", entry, None
                if arrival.source in entry.ran_at:
                    return Station("node", arrival.source, entry.ran_at[arrival.source], entry.number, fault)
        return None

    def _before_node(self, at: Station) -> Station | tuple[str, Pass | None, Sent | None]:
        entry = self.run.index.passes[at.number]
        event = self.run.events[at.step]
        assert isinstance(event, NodeRan)
        if any(self.fault(array) for array in event.received):
            found = self._arrived(entry, at.id)
            if found is not None:
                return found
        history = self.run.nodes[at.id]
        maker = history.event
        if isinstance(maker, OpRan):
            made = [(info.id, info.array) for info in maker.outputs] + [(write.tensor, write.array) for write in maker.written]
            values = [self._value(tensor, history.born) for tensor, array in made if self.fault(array)]
            values = values or [
                self._value(t, history.born - 1) for t in self.run.inputs(maker) if self._bad(t, history.born - 1)
            ]
            if values:
                return min(values, key=lambda one: (not one.fault & NAN, one.step))
        sent = next((one for one in event.sent if one is not None and self.fault(one.array)), None)
        return "derivative", entry, sent

    def _bad(self, tensor: int, step: int) -> bool:
        return bool(self.fault(self.run.status(tensor, step).array))


def fault_word(fault: int) -> str:
    """A fault in a word."""
    return "NaN" if fault & NAN else "infinite" if fault & INF else "finite"
