"""The ledger of a tensor's gradient, and the curves of a training run: what each pass added, when it was cleared and used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec
import numpy as np

from ..graph.numbers import norm
from ..recording.columns import columns_of
from ..recording.events import NOTHING
from ..recording.index import Groups, LedgerRow, index_of
from ..recording.recording import Recording


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a ledger."""

    step: int
    kind: str
    """"backward", "cleared", "assigned", "optimizer", or "updated" (the tensor itself was written)."""
    label: str
    line: int
    increment: int = NOTHING
    """The array that was added, or NOTHING."""
    total: int = NOTHING
    """The array of `.grad` afterwards, NOTHING for None."""
    number: int = 0
    """The backward pass, 0 outside of one."""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One value of a curve; `series` says whose, `x` counts the values of the series from 1."""

    series: str
    x: int
    y: float
    step: int
    line: int = 0


def ledgers(recording: Recording) -> Mapping[int, list[Entry]]:
    """The ledger of every tensor that ever gets a gradient, by tensor id, in the order of the ids; each is made when it is
    first asked for."""
    return recording.once("ledgers", lambda: _Ledgers(recording))


class _Ledgers(Mapping[int, list[Entry]]):
    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._columns = columns_of(recording)
        self._made: dict[int, list[Entry]] = {}

    def __getitem__(self, tensor: int) -> list[Entry]:
        if tensor not in self._ids:
            raise KeyError(tensor)
        made = self._made.get(tensor)
        if made is None:
            made = self._made[tensor] = self._entries(tensor)
        return made

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    @cached_property
    def _ids(self) -> dict[int, None]:
        return dict.fromkeys(np.unique(self._columns.grads.tensor).tolist())

    def _entries(self, tensor: int) -> list[Entry]:
        log, index = self._columns, index_of(self._recording)
        ledger = index.tensors[tensor].ledger
        assert ledger is not None
        entries = [_entry(row) for row in ledger.values]
        uses, writes = self._uses.rows(tensor), log.writes.step[self._writes.rows(tensor)]
        used = log.stepped.step[uses[log.stepped.idle[uses] == 0]]
        # What a tensor was filled with before any gradient came is not its ledger's matter.
        written = writes[(writes > entries[0].step) & ~index.stepping[writes]]
        optimizers = log.steps.optimizer[np.searchsorted(log.steps.step, used)].tolist()
        operations = log.operations.op[np.searchsorted(log.operations.step, written)].tolist()
        labels = [f"{log.optimizer_names[each]}.step" for each in optimizers] + [log.op_names[each] for each in operations]
        kinds = ["optimizer"] * len(used) + ["updated"] * len(written)
        steps = np.concatenate([used, written])
        before = np.searchsorted([entry.step for entry in entries], steps, "right").tolist()
        totals = [entries[place - 1].total if place else NOTHING for place in before]
        lines = log.tape.lines(steps).tolist()
        for step, kind, label, line, total in zip(steps.tolist(), kinds, labels, lines, totals, strict=True):
            entries.append(Entry(step=step, kind=kind, label=label, line=line, total=total))
        entries.sort(key=lambda e: e.step)
        return entries

    @cached_property
    def _uses(self) -> Groups:
        return Groups(self._columns.stepped.tensor)

    @cached_property
    def _writes(self) -> Groups:
        return Groups(self._columns.writes.tensor)


def _entry(row: LedgerRow) -> Entry:
    if row.kind == "backward":
        kind, label = "backward", f"backward {row.number}"
    elif row.total == NOTHING or row.kind == "zero_":
        kind, label = "cleared", "set to None" if row.total == NOTHING else "zero_"
    else:
        kind, label = "assigned", "assigned" if row.kind == "assign" else row.kind
    return Entry(
        step=row.step, kind=kind, label=label, line=row.line, increment=row.increment, total=row.total, number=row.number
    )


def loss_curve(recording: Recording) -> list[Point]:
    """The values of the roots of backward passes, where they are single numbers; a series per name."""
    index = index_of(recording)
    found: list[Point] = []
    counts: dict[str, int] = {}
    for entry in index.passes.values():
        for tensor, _ in entry.event.roots:
            history = index.tensors[tensor]
            array = recording.array(history.status(entry.began).array)
            if array is None or array.size != 1:
                continue
            line = recording.line(entry.event)
            series = history.name(entry.began) or history.first_name or f"root of line {line}"
            counts[series] = counts.get(series, 0) + 1
            found.append(Point(series=series, x=counts[series], y=float(array.item()), step=entry.began, line=line))
    return found


def norm_curves(recording: Recording) -> list[Point]:
    """The Euclidean norm of every tensor's `.grad` after each backward pass; tensors that are made anew each time
    (`w = w - …`) share the series of their name."""
    index = index_of(recording)
    found: list[Point] = []
    counts: dict[str, int] = {}
    ended: dict[tuple[int, int], Entry] = {}
    for tensor, entries in ledgers(recording).items():
        for entry in entries:
            if entry.kind == "backward":
                ended[entry.number, tensor] = entry
    for (_, tensor), entry in sorted(ended.items()):
        value = norm(recording.arrays[entry.total])
        if value is None:
            continue
        history = index.tensors[tensor]
        series = history.name(entry.step) or history.first_name or f"tensor of line {recording.line(history.op)}"
        counts[series] = counts.get(series, 0) + 1
        found.append(Point(series=series, x=counts[series], y=value, step=entry.step, line=entry.line))
    return found
