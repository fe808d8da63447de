"""The ledger of a tensor's gradient, and the curves of a training run: what each pass added, when it was cleared and used."""

from __future__ import annotations

from bisect import bisect_right

import msgspec

from ..graph.numbers import norm
from ..recording.events import NOTHING, OpRan, Stepped
from ..recording.index import LedgerRow, index_of
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


def ledgers(recording: Recording) -> dict[int, list[Entry]]:
    """The ledger of every tensor that ever gets a gradient, by tensor id, in the order of the ids."""
    kept = recording.derived.get("ledgers")
    if kept is None:
        kept = recording.derived["ledgers"] = _ledgers(recording)
    answer: dict[int, list[Entry]] = kept
    return answer


def _ledgers(recording: Recording) -> dict[int, list[Entry]]:
    index = index_of(recording)
    kept = {t: h.ledger.values for t, h in sorted(index.tensors.items()) if h.ledger is not None}
    entries_of = {t: [_entry(row) for row in rows] for t, rows in kept.items()}
    for step, event in enumerate(recording.events):
        if isinstance(event, Stepped):
            line = recording.line(event)
            for tensor in event.parameters:
                if tensor in entries_of:
                    entries_of[tensor].append(_used(kept[tensor], step, "optimizer", f"{event.optimizer}.step", line))
        elif isinstance(event, OpRan) and event.written and step not in index.stepping:
            for write in event.written:
                # What a tensor was filled with before any gradient came is not its ledger's matter.
                if write.tensor in entries_of and kept[write.tensor][0].step < step:
                    entries_of[write.tensor].append(_used(kept[write.tensor], step, "updated", event.op, recording.line(event)))
    for entries in entries_of.values():
        entries.sort(key=lambda e: e.step)
    return entries_of


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


def _used(rows: list[LedgerRow], step: int, kind: str, label: str, line: int) -> Entry:
    position = bisect_right(rows, step, key=lambda row: row.step)
    return Entry(step=step, kind=kind, label=label, line=line, total=rows[position - 1].total if position else NOTHING)


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
