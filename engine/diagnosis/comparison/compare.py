"""Two runs side by side: which tensors came and went, which values and gradients changed, by how much, and where it began."""

from __future__ import annotations

import math
from collections import Counter
from typing import Literal, TypeAlias

import msgspec

from ...graph.numbers import ArrayTexts, number
from ...graph.shown.captions import Caption, caption_text, captions, titles
from ...graph.structure.build import visible
from ...graph.structure.moments import iteration_text
from ...recording.events import (
    NOTHING,
    Accumulated,
    AnyEvent,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
    Drew,
    FlagSet,
    GradSet,
    HookRan,
    Named,
    NodeRan,
    OpRan,
    Printed,
    Raised,
    Read,
    Stepped,
    Thinned,
    Warned,
)
from ...recording.index import Status as TensorStatus
from ...recording.index import TensorHistory, index_of
from ...recording.recording import Recording
from .alignment import Matching, match
from .array_change import Change, array_change

Status: TypeAlias = Literal["same", "changed", "added", "removed"]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One tensor in both runs."""

    name: str
    op: str
    status: Status
    before: int = NOTHING
    after: int = NOTHING
    """Tensor ids."""
    line: int = 0
    """In `after`; in `before` for a tensor that was removed."""
    cell: int = 0
    iteration: str = ""
    """The iteration it was made in, "" outside of loops: "iteration 137"."""
    value: Change = Change()
    grad: Change = Change()
    kept: bool = True
    """Whether the gradient is a `.grad`; else it only flowed through."""
    flags: str = ""
    """What changed about requires_grad, "" if nothing did."""

    @property
    def key(self) -> str:
        """Its node in the merged graph."""
        return f"t{self.after}" if self.after != NOTHING else f"bt{self.before}"


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The first moment at which the runs are not the same."""

    title: str
    """"line 7: y, 3 → 3.5", in a loop "line 7, iteration 137: y, 3 → 3.5"."""
    line: int = 0
    step: int = NOTHING
    """In `after`; for an event that only `before` has, the step at which it is missing."""
    step_before: int = NOTHING
    node: str = ""
    """The node of the merged graph it is about, if any."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a run when its program was changed."""

    rows: tuple[Row, ...]
    first: Difference | None
    """None if nothing differs."""
    summary: str
    counts: dict[str, int]


def compare(before: Recording, after: Recording) -> Comparison:
    """Compare two runs; the answer is kept on `after`."""
    kept = after.derived.get("comparison")
    if kept is None or kept[0] is not before:
        kept = after.derived["comparison"] = (before, _Comparer(before, after).run())
    found: Comparison = kept[1]
    return found


class _Comparer:
    def __init__(self, before: Recording, after: Recording) -> None:
        self.before, self.after = before, after
        self.matching: Matching = match(before, after)
        self.old, self.new = index_of(before), index_of(after)
        self.flow_old, self.flow_new = _flows(before), _flows(after)
        self.title_old, self.title_new = titles(before), titles(after)
        self.text_old, self.text_new = ArrayTexts(before), ArrayTexts(after)

    def run(self) -> Comparison:
        back = {b: a for a, b in self.matching.tensors.items()}
        shown_old, shown_new = visible(self.before), visible(self.after)
        rows = [self.row(back.get(t, NOTHING), t) for t in self.new.tensors if t in shown_new]
        rows += [
            self.row(t, NOTHING) for t in self.old.tensors if t in shown_old and t not in self.matching.tensors
        ]  # fmt: skip
        rows.sort(key=self.order)
        counts = Counter(row.status for row in rows)
        first = self.first()
        return Comparison(
            rows=tuple(rows),
            first=first,
            summary=_summary(counts, rows, first),
            counts={str(status): count for status, count in counts.items()},
        )

    def order(self, row: Row) -> tuple[float, int]:
        """In the order in which they are made; what was removed, where it was."""
        if row.after != NOTHING:
            return float(self.new.tensors[row.after].born), 0
        return self.matching.moment(self.old.tensors[row.before].born) + 0.5, row.before

    def row(self, old: int, new: int) -> Row:
        a = self.old.tensors.get(old)
        b = self.new.tensors.get(new)
        recording, history = (self.after, b) if b is not None else (self.before, a)
        assert history is not None
        site = recording.site(history.op)
        value_ids = _value(a), _value(b)
        value = self.change(*value_ids)
        grad_ids, kept = self.gradients(a, b)
        grad = self.change(*grad_ids)
        flags = ""
        if a is not None and b is not None and _status(a).requires_grad != _status(b).requires_grad:
            flags = "requires grad now" if _status(b).requires_grad else "requires no grad now"
        status: Status = "added" if a is None else "removed" if b is None else "same"
        if status == "same" and (value.changed or grad.changed or flags):
            status = "changed"
        return Row(
            name=(self.title_new if b is not None else self.title_old)(history.info.id),
            op=history.op.op,
            status=status,
            before=old,
            after=new,
            line=site.line if site else 0,
            cell=site.cell if site else 0,
            iteration=iteration_text(recording, history.born, of=False),
            value=value,
            grad=grad,
            kept=kept,
            flags=flags,
        )

    def gradients(self, a: TensorHistory | None, b: TensorHistory | None) -> tuple[tuple[int, int], bool]:
        """The `.grad` at the end of both runs; where both were cleared, what stood there before; else what flowed through."""
        cleared = _cleared(a) and _cleared(b)
        ids = (_filled(a), _filled(b)) if cleared else (_grad(a), _grad(b))
        if ids != (NOTHING, NOTHING):
            return ids, True
        flows = (
            self.flow_old.get(a.info.id, NOTHING) if a else NOTHING,
            self.flow_new.get(b.info.id, NOTHING) if b else NOTHING,
        )
        return flows, flows == (NOTHING, NOTHING)

    def change(self, old: int, new: int) -> Change:
        made = array_change(
            self.before.arrays[old] if old != NOTHING else None, self.after.arrays[new] if new != NOTHING else None
        )  # fmt: skip
        return msgspec.structs.replace(made, before=old, after=new)

    # --- the first difference -----------------------------------------------------------------------------------------------

    def first(self) -> Difference | None:
        """The earliest event that one run lacks or that has other numbers."""
        matched = {b: a for a, b in self.matching.events.items()}
        missing = next((step for step in range(len(self.before.events)) if step not in self.matching.events), None)
        gone_at = self.follows(missing) if missing is not None else math.inf
        for step, event in enumerate(self.after.events):
            if gone_at <= step:
                break
            if step not in matched:
                return self.told(step, f"{_plain(self.after, step)} (new)", self.about(event))
            found = self.differs(matched[step], step)
            if found:
                return self.told(step, *found, before=matched[step])
        if missing is None:
            return None
        line = self.before.line(self.before.events[missing])
        text = f"{_plain(self.before, missing)} (no longer)"
        at = min(int(gone_at), len(self.after.events) - 1)
        title = _at(line, iteration_text(self.before, missing, of=False), text)
        return Difference(title=title, line=line, step=at, step_before=missing, node=self.about_gone(missing))

    def follows(self, missing: int) -> float:
        """The step of `after` at which an event of `before` would have come."""
        return 0.0 if missing == 0 else self.matching.moment(missing - 1) + 1.0

    def differs(self, old: int, new: int) -> tuple[str, str] | None:
        """What is different about two matched events, and at which node."""
        a, b = self.before.events[old], self.after.events[new]
        name = self.title_new
        match a, b:
            case OpRan(), OpRan():
                pairs = [(one.array, other.array, other.id) for one, other in zip(a.outputs, b.outputs, strict=False)]
                pairs += [(one.array, other.array, other.tensor) for one, other in zip(a.written, b.written, strict=False)]
                for one, other, tensor in pairs:
                    if self.change(one, other).changed:
                        return f"{name(tensor)}, {self.from_to(one, other)}", f"t{tensor}"
                for was, now in zip(a.outputs, b.outputs, strict=False):
                    if was.requires_grad != now.requires_grad:
                        verb = "requires grad now" if now.requires_grad else "requires no grad now"
                        return f"{name(now.id)} {verb}", f"t{now.id}"
            case NodeRan(), NodeRan():
                for one, other in zip(a.received, b.received, strict=False):
                    if self.change(one, other).changed:
                        node = self.new.nodes[b.node].info.name
                        return f"gradient into {node}, {self.from_to(one, other)}", self.owner(b.node)
            case Accumulated(), Accumulated():
                if self.change(a.total, b.total).changed:
                    return f"{name(b.tensor)}.grad, {self.from_to(a.total, b.total)}", f"t{b.tensor}"
            case GradSet(), GradSet():
                if self.change(a.array, b.array).changed:
                    return f"{name(b.tensor)}.grad, {self.from_to(a.array, b.array)}", f"t{b.tensor}"
            case Printed(), Printed():
                if a.text != b.text:
                    return "prints something else", ""
            case Drew(), Drew():
                if a.figure != b.figure:
                    return "draws something else", ""
            case Raised(), Raised():
                if (a.type, a.message) != (b.type, b.message):
                    return f"{b.type}: {b.message}", ""
            case (
                Named() | FlagSet() | BackwardBegan() | BackwardEnded() | HookRan() | Stepped() | Read() | Warned() |
                CellBegan() | CellEnded() | Thinned()
            ), _:  # fmt: skip
                pass  # what is different about these shows elsewhere
        return None

    def from_to(self, old: int, new: int) -> str:
        """`3 → 3.5`; where both look alike, their difference."""
        one, other = self.text_old(old) or "None", self.text_new(new) or "None"
        if one == other:
            largest = self.change(old, new).largest
            return f"{other}, by up to {number(largest)}" if largest is not None else f"{one} → {other}"
        return f"{one} → {other}"

    def told(self, step: int, text: str, node: str, before: int = NOTHING) -> Difference:
        line = self.after.line(self.after.events[step])
        title = _at(line, iteration_text(self.after, step, of=False), text)
        return Difference(title=title, line=line, step=step, step_before=before, node=node)

    def about(self, event: AnyEvent) -> str:
        match event:
            case OpRan():
                return next((f"t{info.id}" for info in event.outputs), "")
            case Accumulated() | GradSet():
                return f"t{event.tensor}"
            case (
                Named() | FlagSet() | BackwardBegan() | NodeRan() | BackwardEnded() | HookRan() | Stepped() | Read() |
                Printed() | Drew() | Warned() | Raised() | CellBegan() | CellEnded() | Thinned()
            ):  # fmt: skip
                return ""

    def about_gone(self, missing: int) -> str:
        key = self.about(self.before.events[missing])
        return (self.matching.key(key) or f"b{key}") if key else ""

    def owner(self, node: int) -> str:
        tensor = self.new.owners.get((node, 0), NOTHING)
        return "" if tensor == NOTHING else f"t{tensor}"


def _summary(counts: Counter[Status], rows: list[Row], first: Difference | None) -> str:
    """The comparison in two sentences."""
    if first is None and not any(counts[status] for status in ("added", "removed", "changed")):
        return "Both runs are the same."
    values = sum(row.status == "changed" and row.value.changed for row in rows)
    grads = sum(row.status == "changed" and row.grad.changed for row in rows)
    parts = [
        _counted(counts["added"], "tensor added", "tensors added"),
        _counted(counts["removed"], "tensor removed", "tensors removed"),
        _counted(values, "value changed", "values changed"),
        _counted(grads, "gradient changed", "gradients changed"),
    ]
    told = ", ".join(part for part in parts if part) or "No tensor changed"
    return f"{told}." + (f" The runs first differ at {first.title}." if first is not None else "")


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""


def _at(line: int, iteration: str, text: str) -> str:
    where = ", ".join(part for part in (f"line {line}" if line else "", iteration) if part)
    return f"{where}: {text}" if where else text


def _plain(recording: Recording, step: int) -> str:
    """The caption of an event without its line."""
    made = recording.derived.get("captions")
    if made is None:
        made = recording.derived["captions"] = captions(recording)
    every: list[Caption] = made
    parts = every[step]
    return caption_text(parts[1:] if parts and parts[0][0].startswith("line ") else parts)


def _flows(recording: Recording) -> dict[int, int]:
    """Tensor → the last gradient that flowed through it."""
    owners = index_of(recording).owners
    found = {}
    for event in recording.events:
        if isinstance(event, NodeRan):
            for output, array in enumerate(event.received):
                tensor = owners.get((event.node, output), NOTHING)
                if tensor != NOTHING and array != NOTHING:
                    found[tensor] = array
    return found


def _status(history: TensorHistory) -> TensorStatus:
    return history.changes.values[-1] if history.changes else history.birth


def _value(history: TensorHistory | None) -> int:
    return NOTHING if history is None else int(_status(history).array)


def _grad(history: TensorHistory | None) -> int:
    """`.grad` at the end."""
    return NOTHING if history is None or history.ledger is None else history.ledger.values[-1].total


def _cleared(history: TensorHistory | None) -> bool:
    """Whether nothing is left of what `.grad` held."""
    if history is None or history.ledger is None:
        return True
    last = history.ledger.values[-1]
    return last.total == NOTHING or last.kind == "zero_"


def _filled(history: TensorHistory | None) -> int:
    """The last `.grad` that a backward pass or an assignment left."""
    if history is None or history.ledger is None:
        return NOTHING
    return next((r.total for r in reversed(history.ledger.values) if r.total != NOTHING and r.kind != "zero_"), NOTHING)
