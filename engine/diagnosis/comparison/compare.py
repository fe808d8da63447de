"""Two runs side by side: where they first differ, what only one of them did, which tensors came and went, and which values and
gradients changed by how much."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from ...graph.numbers import ArrayTexts, number
from ...graph.shown.captions import caption_at, caption_text, titles
from ...graph.structure.build import visible
from ...graph.structure.moments import iteration_text, iterations_text
from ...recording.columns import Ints
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
from ...recording.index import Index, TensorHistory, index_of
from ...recording.index import Status as TensorStatus
from ...recording.recording import Recording
from ...recording.tables import KIND
from .alignment import Matching, match
from .array_change import Change, array_change
from .array_pairs import unlike
from .divergence import ASIDE, Divergences, Pair
from .sides import sides
from .tolerance import Tolerance, usual

Status: TypeAlias = Literal["same", "changed", "added", "removed"]
_FEW = 4
"""Inputs that a sentence names."""


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


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that goes into what first differs."""

    name: str
    same: bool | None = True
    """None where it is not known."""
    before: str = ""
    after: str = ""
    """What it is in both runs."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The first moment at which the runs are not the same."""

    title: str
    """"line 7: y, 3 → 3.5", in a loop "line 7, iteration 137: y, 3 → 3.5"."""
    line: int = 0
    cell: int = 0
    step: int = NOTHING
    """In `after`; for an event that only `before` has, the step at which it is missing."""
    step_before: int = NOTHING
    node: str = ""
    """The node of the merged graph it is about, if any."""
    kind: Literal["value", "gradient", "parameter", "rates", "flag", "output", "error", "added", "removed"] = "value"
    what: str = ""
    """What it is about: "y", "y.grad", "the gradient into AddmmBackward0"."""
    operation: str = ""
    """What made it: "addmm in model.0"."""
    iteration: str = ""
    before: str = ""
    after: str = ""
    """It in both runs."""
    largest: float | None = None
    relative: float | None = None
    note: str = ""
    """How far apart they are, as `Change` has it."""
    inputs: tuple[Input, ...] = ()

    @property
    def sentence(self) -> str:
        """Where it is, what it is, and whether what went into it was the same."""
        where = ", ".join(part for part in (f"line {self.line}" if self.line else "", self.iteration) if part)
        return f"The runs first differ{f' at {where}' if where else ''}: {self._told()}."

    def _told(self) -> str:
        if self.kind in ("added", "removed"):
            return f"only one of them has this, {self.what}"
        told = f"{self.operation} gives another {self.what}" if self.operation else f"{self.what} is another"
        if not self.inputs:
            return told
        other = [each for each in self.inputs if each.same is False]
        if other:
            names = ", ".join(f"{each.name} ({each.before} → {each.after})" for each in other[:_FEW])
            return f"{told}; of what goes into it, this differs: {names}"
        if self.kind == "parameter":
            return f"{told}, though what goes into it is the same: the optimizer's settings or its state differ"
        unsure = any(each.same is None for each in self.inputs)
        return f"{told}, though what goes into it is the same{', as far as it is known' if unsure else ''}"


class Only(msgspec.Struct, frozen=True, kw_only=True):
    """What one of the runs did at a place, and the other did not."""

    run: Literal["before", "after"]
    what: str
    """What happened, as the tape says it, the first time."""
    line: int = 0
    cell: int = 0
    iteration: str = ""
    """That of the first time."""
    count: int = 1
    step: int = NOTHING
    """In the run that has it."""


class Comparison:
    """What became of a run when its program, or what runs it, was changed. What it holds is made when it is asked for."""

    def __init__(self, comparer: _Comparer) -> None:
        self._comparer = comparer
        self.before, self.after = comparer.before, comparer.after
        self.tolerance = comparer.tolerance

    @cached_property
    def first(self) -> Difference | None:
        """None if nothing differs."""
        return self._comparer.first()

    @cached_property
    def only(self) -> tuple[Only, ...]:
        """What only one of them did, by place, in order; nothing of the gradients that follow from it."""
        return tuple(self._comparer.only())

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The tensors of both, in the order in which they are made."""
        return tuple(self._comparer.rows())

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many of the rows have each status."""
        return dict(Counter(str(row.status) for row in self.rows))

    @cached_property
    def summary(self) -> str:
        """The comparison in two sentences."""
        return _summary(Counter(row.status for row in self.rows), self.rows, self.first)

    @property
    def matched(self) -> int:
        """How many events both runs have."""
        return int((self._comparer.matching.step_of != NOTHING).sum())

    @property
    def compared(self) -> tuple[int, int, int]:
        """How many pairs of arrays they have: compared element by element, by their statistics, and not at all."""
        return self._comparer.divergences.compared

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """What is to be known of the two recordings before anything is said about the runs, in sentences: engines, dtypes,
        devices, and where one holds less. `{0}` and `{1}` stand for their names."""
        return sides(self._comparer.matching)


def compare(before: Recording, after: Recording, tolerance: Tolerance | None = None) -> Comparison:
    """Compare two runs; the answer is kept on `after`.

    Args:
        tolerance: how far apart numbers may be; without it next to nothing for two runs of one engine, and what PyTorch's
            `assert_close` allows for those of different ones.
    """
    tolerance = usual(before, after) if tolerance is None else tolerance
    kept: Comparison | None = after.derived.get("comparison")
    if kept is None or kept.before is not before or kept.tolerance != tolerance:
        kept = after.derived["comparison"] = Comparison(_Comparer(before, after, tolerance))
    return kept


class _Comparer:
    def __init__(self, before: Recording, after: Recording, tolerance: Tolerance) -> None:
        self.before, self.after, self.tolerance = before, after, tolerance
        self.matching: Matching = match(before, after)
        self.divergences = Divergences(self.matching, tolerance)
        self.old, self.new = index_of(before), index_of(after)
        self.title_old, self.title_new = titles(before), titles(after)
        self.text_old, self.text_new = ArrayTexts(before), ArrayTexts(after)

    # --- tensors ------------------------------------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        """All tensors that have a node, in the order in which they are made; what was removed, where it was."""
        back = {b: a for a, b in self.matching.tensors.items()}
        shown_old, shown_new = visible(self.before), visible(self.after)
        pairs = [(back.get(t, NOTHING), t) for t in self.new.tensors if t in shown_new]
        pairs += [(t, NOTHING) for t in self.old.tensors if t in shown_old and t not in self.matching.tensors]
        flows = _flows(self.before), _flows(self.after)
        arrays: list[tuple[int, int]] = []
        kept: list[bool] = []
        for old, new in pairs:
            a, b = self.old.tensors.get(old), self.new.tensors.get(new)
            gradients, is_kept = _gradients(a, b, flows)
            arrays += [(_value(a), _value(b)), gradients]
            kept.append(is_kept)
        changes = self.changes(arrays)
        rows = [
            self.row(*pair, value, grad, is_kept)
            for pair, value, grad, is_kept in zip(pairs, changes[::2], changes[1::2], kept, strict=True)
        ]
        return sorted(rows, key=self.order)

    def order(self, row: Row) -> tuple[float, int]:
        if row.after != NOTHING:
            return float(self.new.tensors[row.after].born), 0
        return self.matching.moment(self.old.tensors[row.before].born) + 0.5, row.before

    def row(self, old: int, new: int, value: Change, grad: Change, kept: bool) -> Row:
        a = self.old.tensors.get(old)
        b = self.new.tensors.get(new)
        recording, history = (self.after, b) if b is not None else (self.before, a)
        assert history is not None
        site = recording.site(history.op)
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

    def changes(self, pairs: list[tuple[int, int]]) -> list[Change]:
        """How each pair of arrays differs, by id: which do is worked out for all of them at once."""
        ids = np.array(pairs, np.int64).reshape(-1, 2)
        both = np.flatnonzero((ids != NOTHING).all(axis=1))
        far = np.zeros(len(ids), np.bool_)
        far[both] = unlike(self.before.stored, self.after.stored, ids[both, 0], ids[both, 1], self.tolerance)
        return [
            Change(before=old, after=new)
            if not differ and old != NOTHING and new != NOTHING
            else self.change(old, new)
            for (old, new), differ in zip(pairs, far.tolist(), strict=True)
        ]  # fmt: skip

    def change(self, old: int, new: int) -> Change:
        made = array_change(
            self.before.arrays[old] if old != NOTHING else None,
            self.after.arrays[new] if new != NOTHING else None,
            self.tolerance,
        )
        return msgspec.structs.replace(made, before=old, after=new)

    # --- what only one has --------------------------------------------------------------------------------------------------

    def only(self) -> Iterator[Only]:
        """What one run did and the other did not, by place; what follows after all that both did, at once."""
        d = self.divergences
        found = self.only_in("before", self.before, d.missing, _last(self.before, self.matching.step_of))
        found += self.only_in("after", self.after, d.added, _last(self.after, self.matching.step_back))
        yield from sorted(found, key=lambda each: each.step if each.run == "after" else d.follows(each.step))

    def only_in(self, run: Literal["before", "after"], recording: Recording, steps: Ints, last: int) -> list[Only]:
        places: dict[tuple[int, int, str], list[int]] = {}
        tail = steps[steps > last].tolist()
        goes_on = iterations_text(recording, tail) if last >= 0 and len(tail) > 1 else ""
        for step in steps.tolist() if not goes_on else steps[steps <= last].tolist():
            event = recording.events[step]
            if _follows(event):
                continue
            site = recording.site(event)
            what = event.op if isinstance(event, OpRan) else type(event).__name__
            places.setdefault((site.cell, site.line, what) if site else (0, 0, what), []).append(step)
        found = [
            Only(run=run, what=_plain(recording, at[0]), line=line, cell=cell, count=len(at), step=at[0],
                 iteration=iteration_text(recording, at[0], of=False))
            for (cell, line, _), at in places.items()
        ]  # fmt: skip
        if goes_on:
            found.append(Only(run=run, what=f"goes on: {goes_on}", count=len(tail), step=tail[0]))
        return found

    # --- the first difference -----------------------------------------------------------------------------------------------

    def first(self) -> Difference | None:
        """The earliest event that one run lacks or that has other numbers."""
        found = self.divergences.first()
        if found is None:
            return None
        if isinstance(found, Pair):
            return self.differing(found)
        if found < NOTHING:
            return self.gone(-2 - found)
        text, node = _plain(self.after, found), _about(self.after.events[found])
        return self.told(self.after, found, f"{text} (new)", what=text, step=found, kind="added", node=node)

    def gone(self, missing: int) -> Difference:
        key = _about(self.before.events[missing])
        node = (self.matching.key(key) or f"b{key}") if key else ""
        at = min(self.divergences.follows(missing), len(self.after.events) - 1)
        text = _plain(self.before, missing)
        more: dict[str, Any] = {"step": at, "step_before": missing, "kind": "removed", "node": node}
        return self.told(self.before, missing, f"{text} (no longer)", what=text, **more)

    def told(self, recording: Recording, at: int, text: str, **more: Any) -> Difference:
        """A difference at an event of one of the runs."""
        site = recording.site(recording.events[at])
        line, cell = (site.line, site.cell) if site else (0, 0)
        iteration = iteration_text(recording, at, of=False)
        return Difference(title=_at(line, iteration, text), line=line, cell=cell, iteration=iteration, **more)

    def differing(self, pair: Pair) -> Difference:
        """What is different about two matched events, told with what went in."""
        event, name = self.after.events[pair.step], self.title_new
        more: dict[str, Any] = {"step": pair.step, "step_before": pair.step_before}
        if pair.what in ("made", "written", "received", "sent", "total", "grad", "root"):
            change = self.change(pair.before, pair.after)
            more |= {"before": self.text_old(pair.before) or "None", "after": self.text_new(pair.after) or "None"}
            more |= {"largest": change.largest, "relative": change.relative, "note": change.note}
        from_to = self.from_to(pair.before, pair.after)
        match pair.what:
            case "made" | "written":
                assert isinstance(event, OpRan)
                what, node = name(pair.subject), f"t{pair.subject}"
                stepping = bool(self.new.stepping[pair.step])
                optimizer = self.optimizer(pair.step) if stepping else ""
                more |= {"kind": "parameter" if stepping else "value", "operation": optimizer or self.operation(event)}
                more |= {"inputs": self.inputs(pair, stepping)}
            case "received" | "sent":
                called, node = self.new.nodes[pair.subject].info.name, self.owner(pair.subject)
                what = f"gradient {'into' if pair.what == 'received' else 'out of'} {called}"
                more |= {"kind": "gradient", "operation": called if pair.what == "sent" else ""}
                more |= {"inputs": self.gradients_into(pair) if pair.what == "sent" else ()}
            case "total" | "grad":
                what, node = f"{name(pair.subject)}.grad", f"t{pair.subject}"
                more |= {"kind": "gradient", "inputs": self.added(pair)}
            case "root":
                what, node = f"gradient that backward() of {name(pair.subject)} begins with", f"t{pair.subject}"
                more |= {"kind": "gradient"}
            case "rates":
                return self.rates(pair)
            case "flag":
                needs = any(info.id == pair.subject and info.requires_grad for info in event.outputs)  # type: ignore[union-attr]
                text = f"{name(pair.subject)} requires {'grad' if needs else 'no grad'} now"
                more |= {"kind": "flag", "what": f"requires_grad of {name(pair.subject)}", "node": f"t{pair.subject}"}
                return self.told(self.after, pair.step, text, **more)
            case "error" | "text":
                return self.shown(pair)
        return self.told(self.after, pair.step, f"{what}, {from_to}", what=what, node=node, **more)

    def rates(self, pair: Pair) -> Difference:
        """Two steps of an optimizer with other learning rates."""
        a, b = self.before.events[pair.step_before], self.after.events[pair.step]
        assert isinstance(a, Stepped)
        assert isinstance(b, Stepped)
        one, other = (", ".join(map(number, each.rates)) for each in (a, b))
        text = f"{b.optimizer}.step has a learning rate of {one} → {other}"
        more: dict[str, Any] = {"step": pair.step, "step_before": pair.step_before, "before": one, "after": other}
        return self.told(self.after, pair.step, text, kind="rates", what="the learning rate", **more)

    def shown(self, pair: Pair) -> Difference:
        """What the program shows is another text, figure or error."""
        event = self.after.events[pair.step]
        more: dict[str, Any] = {"step": pair.step, "step_before": pair.step_before, "kind": "output", "what": "what is shown"}
        text = "prints something else" if isinstance(event, Printed) else "draws something else"
        if isinstance(event, Raised):
            text, more = f"{event.type}: {event.message}", more | {"kind": "error", "what": "the error"}
        return self.told(self.after, pair.step, text, **more)

    def operation(self, event: OpRan) -> str:
        """What ran, and in which module or function."""
        scope = self.after.scopes[event.scope] if event.scope != NOTHING else None
        inside = (scope.module and f" in {scope.module}") or (scope.function and f" in {scope.function}()") if scope else ""
        return f"{event.op}{inside}"

    def optimizer(self, step: int) -> str:
        """The optimizer's step that an event belongs to."""
        event = _stepped(self.after, step)
        return f"{event.optimizer}.step" if event is not None else ""

    def inputs(self, pair: Pair, stepping: bool) -> tuple[Input, ...]:
        """What went into an operation: tensors as they were before it, and other arguments where they differ."""
        a, b = self.before.events[pair.step_before], self.after.events[pair.step]
        assert isinstance(a, OpRan)
        assert isinstance(b, OpRan)
        found = []
        tensors = [[x for x in event.inputs if x.tensor != NOTHING] for event in (a, b)]
        for one, other in zip(*tensors, strict=False):
            found.append(self.input(self.title_new(other.tensor), _before(self.old, one.tensor, pair.step_before),
                                    _before(self.new, other.tensor, pair.step)))  # fmt: skip
            if stepping:
                grads = (self.old.tensors[one.tensor].grad(pair.step_before), self.new.tensors[other.tensor].grad(pair.step))
                found.append(self.input(f"{self.title_new(other.tensor)}.grad", *grads))
        texts = [{x.name: x.text for x in event.inputs if x.tensor == NOTHING} for event in (a, b)]
        for key in texts[0].keys() & texts[1].keys():
            if texts[0][key] != texts[1][key] and not _nearly(texts[0][key], texts[1][key]):
                found.append(Input(name=key, same=False, before=texts[0][key], after=texts[1][key]))
        if stepping:
            steps = _stepped(self.before, pair.step_before), _stepped(self.after, pair.step)
            if steps[0] is not None and steps[1] is not None:
                one, other = (", ".join(map(number, each.rates)) for each in steps if each is not None)
                found.append(Input(name="learning rate", same=one == other, before=one, after=other))
        return tuple(found)

    def gradients_into(self, pair: Pair) -> tuple[Input, ...]:
        """What went into a node's rule: the gradients that came, and what the node had saved."""
        a, b = self.before.events[pair.step_before], self.after.events[pair.step]
        assert isinstance(a, NodeRan)
        assert isinstance(b, NodeRan)
        found = [self.input("the gradient that comes", x, y) for x, y in zip(a.received, b.received, strict=False)]
        saved = [{s.name: s.array for s in index.nodes[event.node].info.saved if s.array != NOTHING}
                 for index, event in ((self.old, a), (self.new, b))]  # fmt: skip
        found += [self.input(f"saved {key}", saved[0][key], saved[1][key]) for key in saved[0] if key in saved[1]]
        return tuple(found)

    def added(self, pair: Pair) -> tuple[Input, ...]:
        """What was added to a gradient, and to what."""
        a, b = self.before.events[pair.step_before], self.after.events[pair.step]
        if not isinstance(a, Accumulated) or not isinstance(b, Accumulated):
            return ()
        there = (self.old.tensors[a.tensor].grad(pair.step_before - 1), self.new.tensors[b.tensor].grad(pair.step - 1))
        return (self.input("what is added", a.increment, b.increment), self.input("what was there", *there))

    def input(self, name: str, old: int, new: int) -> Input:
        change = self.change(old, new)
        known = not ({_unknown(self.before, old), _unknown(self.after, new)} & {True})
        one, other = self.text_old(old) or "None", self.text_new(new) or "None"
        return Input(name=name, same=not change.changed if known else None, before=one, after=other)

    def from_to(self, old: int, new: int) -> str:
        """`3 → 3.5`; where both look alike, their difference."""
        one, other = self.text_old(old) or "None", self.text_new(new) or "None"
        if one == other:
            largest = self.change(old, new).largest
            return f"{other}, by up to {number(largest)}" if largest is not None else f"{one} → {other}"
        return f"{one} → {other}"

    def owner(self, node: int) -> str:
        tensor = self.new.owners.get((node, 0), NOTHING)
        return "" if tensor == NOTHING else f"t{tensor}"


def _last(recording: Recording, there: Ints) -> int:
    """The last step that the other run has too, of those that count in any comparison."""
    steps = np.flatnonzero(there != NOTHING)
    kinds = recording.tape.kind[steps]
    return int(steps[~np.isin(kinds, [KIND[kind] for kind in ASIDE])].max(initial=NOTHING))


def _before(index: Index, tensor: int, step: int) -> int:
    """A tensor's array before a step."""
    return index.array(tensor, step - 1)


def _follows(event: AnyEvent) -> bool:
    """Whether an event is there because operations are: a backward pass goes through what they have made."""
    return isinstance(event, NodeRan | Accumulated)


def _about(event: AnyEvent) -> str:
    """The node of the graph that an event is about, "" for none."""
    match event:
        case OpRan():
            return next((f"t{info.id}" for info in event.outputs), "")
        case Accumulated() | GradSet():
            return f"t{event.tensor}"
        case (
            Named() | FlagSet() | BackwardBegan() | NodeRan() | BackwardEnded() | HookRan() | Stepped() | Read() | Printed()
            | Warned() | Raised() | CellBegan() | CellEnded() | Thinned() | Drew()
        ):  # fmt: skip
            return ""


def _unknown(recording: Recording, array: int) -> bool:
    """Whether nothing but dtype and shape was kept of an array."""
    return array != NOTHING and recording.arrays[array].unmeasured


def _nearly(one: str, other: str) -> bool:
    """Whether two arguments are the same number, as two engines write it."""
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-12)
    except ValueError:
        return one.strip("()[], ") == other.strip("()[], ")


def _stepped(recording: Recording, step: int) -> Stepped | None:
    """The optimizer's step that an event belongs to."""
    steps = recording.tape.steps(Stepped)
    at = int(steps.searchsorted(step))
    event = recording.events[int(steps[at])] if at < len(steps) else None
    return event if isinstance(event, Stepped) else None


def _summary(counts: Counter[Status], rows: Sequence[Row], first: Difference | None) -> str:
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
    parts = caption_at(recording, step)
    return caption_text(parts[1:] if parts and parts[0][0].startswith("line ") else parts)


def _flows(recording: Recording) -> dict[int, int]:
    """Tensor → the last gradient that flowed through it."""
    owners, received = index_of(recording).owners, index_of(recording).columns.received
    last = dict(zip(zip(received.node.tolist(), received.output.tolist()), received.array.tolist()))
    return {tensor: array for at, array in last.items() if (tensor := owners.get(at, NOTHING)) != NOTHING}


def _gradients(
    a: TensorHistory | None, b: TensorHistory | None, flows: tuple[dict[int, int], dict[int, int]]
) -> tuple[tuple[int, int], bool]:
    """The `.grad` at the end of both runs; where both were cleared, what stood there before; else what flowed through."""
    cleared = _cleared(a) and _cleared(b)
    ids = (_filled(a), _filled(b)) if cleared else (_grad(a), _grad(b))
    if ids != (NOTHING, NOTHING):
        return ids, True
    passed = (flows[0].get(a.info.id, NOTHING) if a else NOTHING, flows[1].get(b.info.id, NOTHING) if b else NOTHING)
    return passed, passed == (NOTHING, NOTHING)


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
