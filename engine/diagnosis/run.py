"""What rules and answers look at: a recording with the questions that several of them ask, in one class because most questions
are answered from other questions' answers, and each is answered once.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..graph.numbers import ArrayTexts
from ..graph.shown.captions import titles
from ..graph.structure.moments import iteration_text
from ..graph.structure.tensor_titles import best_name
from ..graph.symbols import clip
from ..program.changes import TextChange
from ..recording.columns import Flags, columns_of
from ..recording.events import (
    NOTHING,
    Accumulated,
    GradSet,
    Named,
    OpRan,
    Raised,
    Site,
    Stepped,
    Warned,
)
from ..recording.index import Pass, Status, StepFunction, index_of, steps_by
from ..recording.levels import levels_of
from ..recording.operations import having, traits_in
from ..recording.recording import Recording
from .reason import Finding, Kind

Change: TypeAlias = Accumulated | GradSet
"""What can happen to a tensor's `.grad`."""

E = TypeVar("E")

INF, NAN = 1, 2
"""Bits of a fault: the array holds infinities, the array holds NaN."""

MAX_LINE = 1_000
"""Characters of a line, or of an expression, that rules look at; some of their patterns take the square of that."""
MAX_LABEL = 60
"""Characters of an expression that stands for a tensor's name."""
_LINES = 40
"""Lines of an expression that are read."""
_DEPTH = 8
"""Operations between a `.grad` and an update that is computed from it."""


class Run:
    """A read-only view of a recording. Everything here is linear in the log, and computed when first asked for."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.events = recording.events
        self.index = index_of(recording)
        self.tensors = self.index.tensors
        self.nodes = self.index.nodes
        self.texts = ArrayTexts(recording)
        self._formula = titles(recording)
        self._titles: dict[int, str] = {}

    def knows(self, what: str, first: int, last: int) -> bool:
        """Whether that something did not happen between two steps can be concluded from its not being recorded.

        Args:
            what: "operations" (and hooks, saved tensors, uses of a result) or "gradients" (what arrived, was cleared and was
                stepped with).
        """
        lowest = levels_of(self.recording).lowest(first, last)
        return lowest == "whole" or (lowest == "thin" and what == "gradients")

    def having(self, trait: str) -> frozenset[str]:
        """The names of the operations that have a trait."""
        return having(self.recording, trait)

    def traits(self, op: str) -> Collection[str]:
        """The traits of an operation."""
        return traits_in(self.recording.ops, op)

    # --- sites ------------------------------------------------------------------------------------------------------------

    def site(self, step: int) -> Site | None:
        """Where in the program a step happened."""
        return self.recording.site(self.events[step]) if step >= 0 else None

    def lines(self, cell: int) -> list[str]:
        """The lines of a cell's text."""
        return self._lines[cell] if cell < len(self._lines) else []

    @cached_property
    def _lines(self) -> list[list[str]]:
        return [text.splitlines() for text in self.recording.source]

    def line(self, site: Site | None) -> str:
        """The text of the line a site begins on, cut to the length of a line written by hand."""
        return self._line(site)[:MAX_LINE]

    def _line(self, site: Site | None) -> str:
        lines = self.lines(site.cell) if site is not None else []
        return lines[site.line - 1] if site is not None and 0 < site.line <= len(lines) else ""

    def segment(self, site: Site | None) -> str:
        """The piece of text a site spans, if it is on one line; else the whole of its first line."""
        if site is None or site.line != site.end_line:
            return self.line(site)
        line, end = self._line(site), min(site.end_column, site.column + MAX_LINE)
        # Columns count bytes, as in `ast`.
        return line[site.column : end] if line.isascii() else line.encode()[site.column : end].decode(errors="replace")

    @cached_property
    def words(self) -> Counter[str]:
        """How often each word stands in the program's text."""
        return Counter(chain.from_iterable(re.findall(r"\w+", text) for text in self.recording.source))

    @cached_property
    def named_tensors(self) -> dict[str, list[tuple[int, int]]]:
        """Name -> (step, tensor) of each time that a tensor was bound to it."""
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for step, event in self.namings:
            found[event.name].append((step, event.tensor))
        return found

    def where(self, step: int) -> str:
        """A step's line as text: "line 7", in notebooks "In [2], line 7"."""
        return self.site_text(self.site(step))

    def moment(self, step: int) -> str:
        """A step's line, and its iteration where there is a loop: "line 7, iteration 3"."""
        return ", ".join(part for part in (self.where(step), self.during(step)) if part)

    def during(self, step: int) -> str:
        """The iteration that a step is in: "iteration 3", "" outside of loops."""
        return iteration_text(self.recording, step, of=False)

    def site_text(self, site: Site | None) -> str:
        """A site as text."""
        return self.recording.site_text(site) or "an unknown line"

    # --- what things are called ---------------------------------------------------------------------------------------------

    def title(self, tensor: int) -> str:
        """The best of the program's names for a tensor, or the expression or module of the program that made it."""
        made = self._titles.get(tensor)
        if made is None:
            made = self._titles[tensor] = best_name(self.recording, tensor) or self._made_by(tensor)
        return made

    def _made_by(self, tensor: int) -> str:
        history = self.tensors[tensor]
        site, grad_of = self.site(history.born), history.info.grad_of
        if grad_of != NOTHING:
            return f"{self.title(grad_of)}.grad"
        within = self._consumed_at(tensor, history.op.site)
        if within is None and history.op.outputs and history.op.op != "grad" and (text := self.expression(site)):
            return clip(text, MAX_LABEL)
        if within is not None and within != history.op.scope and (module := self.module(history.born)):
            return f"the output of {module}"
        inputs = self.inputs(history.op)
        if within is not None and len(inputs) == 1 and history.op.op in self.having("same_values"):
            return self.title(inputs[0])
        return self._formula(tensor)

    def _consumed_at(self, tensor: int, site: int) -> int | None:
        """The scope of an operation at a site that takes a tensor which was made at that site: then the site's text is
        another's value. None if there is none."""
        for step in self.consumers.get(tensor, ())[:4]:
            event = self.events[step]
            if event.site == site:
                return event.scope
        return None

    def expression(self, site: Site | None) -> str:
        """The expression at a site, in one line; "" where there is none."""
        lines = self.lines(site.cell) if site is not None else []
        if site is None or not 0 < site.line <= site.end_line <= len(lines):
            return ""
        if site.line == site.end_line:
            return self.segment(site).strip()
        first, last = lines[site.line - 1].encode(), lines[site.end_line - 1].encode()
        parts = [
            first[site.column :],
            *(line.encode() for line in lines[site.line : site.end_line - 1]),
            last[: site.end_column],
        ]
        return " ".join(b" ".join(parts[:_LINES]).decode(errors="replace").split())[:MAX_LINE]

    def module(self, step: int, *, writes: bool = False) -> str:
        """The module of PyTorch's whose `forward` ran at a step, "net.2 (LeakyReLU, inplace=True)"; "" where none did, or
        one of the program's own."""
        scope = self.recording.scopes[self.events[step].scope] if self.events[step].scope >= 0 else None
        if scope is None or not scope.module or not scope.module_class or scope.module_class in self._classes:
            return ""
        name = "" if scope.module == scope.module_class else f"{scope.module} "
        inside = f"{scope.module_class}, inplace=True" if writes else scope.module_class
        return f"{name}({inside})" if name else f"the {inside}"

    @cached_property
    def _classes(self) -> frozenset[str]:
        """The names of the classes in the program's text."""
        return frozenset(
            name for text in self.recording.source for name in re.findall(r"^[ \t]*class[ \t]+(\w+)", text, re.MULTILINE)
        )

    def loops(self, step: int) -> tuple[tuple[int, int], ...]:
        """The loops and iterations a step belongs to."""
        scope = self.events[step].scope
        return self.recording.scopes[scope].loops if scope >= 0 else ()

    def names(self, tensors: Iterable[int], most: int = 4) -> str:
        """Tensors as text: "w, b and 3 more"."""
        found = [self.title(t) for t in tensors]
        if len(found) > most:
            return f"{', '.join(found[: most - 1])} and {len(found) - most + 1} more"
        return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}" if found else ""

    # --- kinds of events ----------------------------------------------------------------------------------------------------

    @cached_property
    def ops(self) -> list[tuple[int, OpRan]]:
        """The operations, with their steps."""
        return [(step, event) for step, event in enumerate(self.events) if isinstance(event, OpRan)]

    def ops_where(self, wanted: Flags) -> Iterator[tuple[int, OpRan]]:
        """Some of the operations, with their steps; `wanted` says of each of the columns' operations whether it is one."""
        for step in columns_of(self.recording).operations.step[wanted].tolist():
            event = self.events[step]
            assert isinstance(event, OpRan)
            yield step, event

    def ops_of(self, names: Collection[str]) -> Iterator[tuple[int, OpRan]]:
        """The operations by these names, with their steps."""
        return self.ops_where(columns_of(self.recording).op_is(names))

    def first_ops_of(self, names: Collection[str], most: int = 4) -> Iterator[tuple[int, OpRan]]:
        """The operations by these names, with their steps, no more than `most` for each site: for what shows in every one."""
        columns = columns_of(self.recording)
        steps = columns.operations.step[columns.op_is(names)]
        if not len(steps):
            return
        sites = columns.events.site[steps]
        order = np.argsort(sites, kind="stable")
        begins = np.flatnonzero(np.diff(sites[order], prepend=np.int64(NOTHING - 1)))
        rank = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
        for step in np.sort(steps[order[rank < most]]).tolist():
            event = self.events[step]
            assert isinstance(event, OpRan)
            yield step, event

    @cached_property
    def ran(self) -> frozenset[int]:
        """The nodes that backward passes went through."""
        return frozenset(self.index.runs.node.tolist())

    @cached_property
    def op_ran(self) -> Flags:
        """For each of the columns' operations whether a pass went through its node."""
        columns = columns_of(self.recording)
        found: Flags = np.isin(columns.made_node, self.index.runs.node) & (columns.made_node != NOTHING)
        return found

    @cached_property
    def optimizer_steps(self) -> list[tuple[int, Stepped]]:
        """The steps of optimizers."""
        return self._of_kind(Stepped)

    @cached_property
    def namings(self) -> list[tuple[int, Named]]:
        """The bindings of names."""
        return self._of_kind(Named)

    def introduced(self, tensor: int, other: int) -> int:
        """The step that made a tensor; where one line made another tensor, too, a class's line for each of two networks, the
        step at which the program gave it a name of its own."""
        born = self.tensors[tensor].born
        if self.site(born) != self.site(self.tensors[other].born):
            return born
        return next((step for step, event in self.namings if event.tensor == tensor and not event.function), born)

    @cached_property
    def warnings(self) -> list[tuple[int, Warned]]:
        """The warnings that were shown."""
        return self._of_kind(Warned)

    @cached_property
    def raised(self) -> tuple[int, Raised] | None:
        """The exception the program ended with."""
        found = self._of_kind(Raised)
        return found[-1] if found else None

    def _of_kind(self, kind: type[E]) -> list[tuple[int, E]]:
        """The events of a kind, with their steps."""
        return self.recording.tape.of_kind(kind)

    @cached_property
    def passes(self) -> list[Pass]:
        """The backward passes."""
        return list(self.index.passes.values())

    @cached_property
    def first_passes(self) -> list[Pass]:
        """The first backward pass of each call in the text, for what shows in every one."""
        return list({self.site(entry.began): entry for entry in reversed(self.passes)}.values())

    def fills(self, entry: Pass) -> Iterator[tuple[int, Accumulated]]:
        """What a pass added to tensors, in order."""
        for step in sorted(step for steps in entry.fills.values() for step in steps):
            event = self.events[step]
            if isinstance(event, Accumulated):
                yield step, event

    # --- tensors --------------------------------------------------------------------------------------------------------------

    @cached_property
    def consumers(self) -> Mapping[int, list[int]]:
        """The steps of the operations that take a tensor."""
        inputs = columns_of(self.recording).inputs
        return steps_by(inputs.tensor, inputs.step)

    @cached_property
    def writes(self) -> Mapping[int, list[int]]:
        """The steps of the operations that write a tensor in place."""
        written = columns_of(self.recording).writes
        return steps_by(written.tensor, written.step)

    def status(self, tensor: int, step: int) -> Status:
        """A tensor's flags, node and array after a step."""
        return self.tensors[tensor].status(step)

    def op_of(self, tensor: int) -> tuple[int, OpRan]:
        """The step and the operation that made a tensor."""
        history = self.tensors[tensor]
        return history.born, history.op

    def values(self, tensor: int, step: int) -> NDArray[Any] | None:
        """A tensor's values after a step, None where only a summary was kept."""
        return self.recording.array(self.status(tensor, step).array)

    def inputs(self, event: OpRan) -> list[int]:
        """The tensors an operation takes."""
        return [argument.tensor for argument in event.inputs if argument.tensor != NOTHING]

    def argument(self, event: OpRan, name: str) -> int:
        """The tensor given for a parameter, or NOTHING."""
        return next((argument.tensor for argument in event.inputs if argument.name == name), NOTHING)

    def setting(self, event: OpRan, name: str) -> str:
        """What is given for a parameter that is no tensor, as text: "-1", "'mean'"; "" where nothing is."""
        return next((argument.text for argument in event.inputs if argument.name == name), "")

    def number(self, event: OpRan) -> float:
        """The number that an operation takes beside a tensor, what it multiplies or divides by; 1 where it takes none."""
        try:
            return float(self.setting(event, "other"))
        except ValueError:
            return 1.0

    def beneath_views(self, tensor: int) -> int:
        """The tensor whose values `tensor` only rearranges."""
        views = self.having("same_values")
        for _ in range(64 if tensor != NOTHING else 0):
            event = self.tensors[tensor].op
            inputs = self.inputs(event)
            if event.op not in views or not inputs:
                break
            tensor = inputs[0]
        return tensor

    def behind(self, *tensors: int, most: int, learned: bool = False) -> Iterator[int]:
        """What tensors were computed from, they themselves first and then what is nearest, no more than `most`; if `learned`,
        only by way of what requires grad."""
        queue = list(dict.fromkeys(tensors))
        seen = set(queue)
        for tensor in queue:
            yield tensor
            for given in self.inputs(self.tensors[tensor].op) if len(queue) < most else ():
                if given not in seen and (not learned or self.tensors[given].info.requires_grad):
                    seen.add(given)
                    queue.append(given)

    def named_at(self, name: str, step: int) -> int:
        """The tensor a name stood for at a step, in whatever function it was bound last; NOTHING for none."""
        best, found = NOTHING, NOTHING
        for track in self._names.get(name, ()):
            position = bisect_right(track.steps, step)
            if position and track.steps[position - 1] > best:
                best, found = track.steps[position - 1], track.values[position - 1]
        return found

    @cached_property
    def _names(self) -> dict[str, list[StepFunction[int]]]:
        found: dict[str, list[StepFunction[int]]] = {}
        for (_, name), track in self.index.names.items():
            found.setdefault(name, []).append(track)
        return found

    # --- updates --------------------------------------------------------------------------------------------------------------

    @cached_property
    def updates(self) -> dict[int, list[int]]:
        """For each leaf that is trained: the steps at which its gradient is used to change it."""
        found: dict[int, list[int]] = {}
        optimizers = set()
        for step, stepped in self.optimizer_steps:
            optimizers.add(stepped.optimizer.lower())
            for tensor in stepped.parameters:
                found.setdefault(tensor, []).append(step)
        columns = columns_of(self.recording)
        written = columns.writes
        # What no operation of an optimizer's does, and only what changes a leaf with a ledger: asked of columns, once a write.
        own = columns.operations.step[columns.op_is({*optimizers, "zero", "accumulate"})]
        for row in np.flatnonzero(~np.isin(written.step, own)).tolist():
            step = written.step.item(row)
            leaf = self.owner(written.tensor.item(row))
            if self.tensors[leaf].ledger is not None and self.uses_gradient(step, leaf):
                found.setdefault(leaf, []).append(step)
        for steps in found.values():
            steps.sort()
        return found

    def owner(self, tensor: int) -> int:
        """The tensor whose memory a `.data` or `detach()` stands for."""
        for _ in range(8):
            event = self.tensors[tensor].op
            inputs = self.inputs(event)
            if event.op not in self.having("alias") or not inputs:
                break
            tensor = inputs[0]
        return tensor

    def uses_gradient(self, step: int, tensor: int) -> bool:
        """Whether the inputs of the operation at a step are computed from the tensor's `.grad`."""
        tensors = columns_of(self.recording).tensors
        row_of = columns_of(self.recording).row_of
        queue = [(t, 0) for t in self.inputs_at(step)]
        seen = set()
        while queue:
            t, depth = queue.pop()
            row = row_of.item(t)
            if tensors.grad_of.item(row) == tensor:
                return True
            if t in seen or depth > _DEPTH or t == tensor:
                continue
            if tensors.requires_grad.item(row) and not self._arithmetic(tensors.step.item(row)):
                continue  # what comes out of a model is no update
            seen.add(t)
            makers = [tensors.step.item(row), *[s for s in self.writes.get(t, ())[-3:] if s < step]]
            queue += [(i, depth + 1) for made in makers for i in self.inputs_at(made)]
        return False

    def _arithmetic(self, step: int) -> bool:
        """Whether the operation at a step takes elements to elements, as an update that is recorded by mistake does."""
        operations = columns_of(self.recording).operations
        row = int(operations.step.searchsorted(step))
        name = columns_of(self.recording).op_names[operations.op.item(row)]
        return bool(self.inputs_at(step)) and any(name in self.having(t) for t in ("elementwise", "alias", "same_values"))

    def inputs_at(self, step: int) -> list[int]:
        """The tensors that the operation at a step takes, read from columns."""
        inputs = columns_of(self.recording).inputs
        first, last = inputs.step.searchsorted((step, step + 1)).tolist()
        found: list[int] = inputs.tensor[first:last].tolist()
        return found

    @cached_property
    def optimized(self) -> frozenset[int]:
        """The tensors that the optimizers which step have, whether they update them or not."""
        return frozenset(np.unique(columns_of(self.recording).stepped.tensor).tolist())

    @cached_property
    def trained(self) -> set[int]:
        """The leaves that are updated with their gradients."""
        return set(self.updates)

    def history(self, tensor: int, after: int = NOTHING, before: int | None = None) -> list[tuple[int, Change]]:
        """What happened to a tensor's `.grad` between two steps, with the steps."""
        track = self.tensors[tensor].ledger
        if track is None:
            return []
        end = len(track.steps) if before is None else bisect_left(track.steps, before)
        steps = track.steps[bisect_right(track.steps, after) : end]
        return [(s, e) for s in steps if isinstance(e := self.events[s], Accumulated | GradSet)]

    def last_change(self, tensor: int, before: int) -> Change | None:
        """What happened last to a tensor's `.grad` before a step."""
        track = self.tensors[tensor].ledger
        position = 0 if track is None else bisect_left(track.steps, before)
        event = self.events[track.steps[position - 1]] if track is not None and position else None
        return event if isinstance(event, Accumulated | GradSet) else None

    # --- arrays ---------------------------------------------------------------------------------------------------------------

    def layer_behind(self, tensor: int) -> int:
        """The result of a layer, a product with a parameter, that a tensor is computed from element by element; NOTHING where
        it is computed otherwise."""
        for _ in range(_DEPTH):
            tensor = self.beneath_views(tensor)
            event = self.tensors[tensor].op
            given = self.inputs(event)
            if event.op in self.having("matrix_product") or event.op in self.having("convolution"):
                return tensor if any(self.tensors[self.beneath_views(t)].info.is_parameter for t in given) else NOTHING
            if len(given) != 1 or event.op not in self.having("elementwise"):
                return NOTHING
            (tensor,) = given
        return NOTHING

    @cached_property
    def faults(self) -> bytearray:
        """For every array whether it holds infinities (INF) or NaN (NAN)."""
        nan, inf = self.recording.stored.faults
        return bytearray((INF * (inf > 0) | NAN * (nan > 0)).astype(np.uint8))

    def fault(self, array: int) -> int:
        """The faults of an array, 0 for NOTHING."""
        return self.faults[array] if array >= 0 else 0

    @cached_property
    def unmeasured(self) -> frozenset[int]:
        """The arrays of which nothing but dtype and shape is known; several tensors may share one."""
        return frozenset(self.recording.stored.unmeasured.tolist())

    def same(self, a: int, b: int) -> bool:
        """Whether two arrays hold the same values, as far as they were kept; of arrays that were not measured nobody knows."""
        if a in self.unmeasured or b in self.unmeasured:
            return False
        if a == b:
            return True
        first, second = self.recording.arrays[a], self.recording.arrays[b]
        if first.data is not None and second.data is not None:
            return first.data == second.data or _equal(first.to_numpy(), second.to_numpy())
        return first.shape == second.shape and first.summary == second.summary

    def differ(self, a: int, b: int) -> bool:
        """Whether two arrays hold other values, as far as they were kept; of arrays that were not measured nobody knows."""
        return a not in self.unmeasured and b not in self.unmeasured and not self.same(a, b)

    def zero(self, array: int) -> bool:
        """Whether an array is known to be zero everywhere."""
        stored = self.recording.arrays[array]
        if stored.data is None:
            return stored.summary is not None and stored.summary.norm == 0
        values = stored.to_numpy()
        return values is not None and not values.any()

    def scalar(self, array: int) -> float | None:
        """The number an array of one element holds; None for any other, and where it was not measured."""
        values = self.recording.array(array)
        return None if values is None or values.size != 1 or values.dtype.kind == "c" else float(values.item())


def _equal(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    return a is not None and b is not None and bool(np.array_equal(a, b))


def finding(
    run: Run,
    kind: Kind,
    title: str,
    explanation: str,
    fix: str,
    *,
    step: int,
    site: Site | None = None,
    related: Iterable[Site | None] = (),
    evidence: Iterable[tuple[str, str]] = (),
    nodes: Iterable[str] = (),
    steps: Iterable[int] = (),
    severity: str = "",
    changes: Iterable[TextChange] = (),
    ends: bool = False,
) -> Finding:
    """A finding at a step; its line is the step's unless another site is given. `steps` are all at which it shows, where a rule
    has looked at more than the first. It is as severe as its kind unless `severity` says otherwise. `changes` of the
    text may mend it. It `ends` the program where it explains the exception that it ended with."""
    own_site = run.site(step) if site is None else site
    others = dict.fromkeys(other for other in related if other is not None and other != own_site)
    return Finding(
        rule=kind.id,
        severity=severity or kind.severity,
        title=title,
        explanation=explanation,
        fix=fix,
        evidence=tuple(evidence),
        site=own_site,
        related=tuple(others),
        step=step,
        nodes=tuple(dict.fromkeys(nodes)),
        steps=tuple(sorted(set(steps))),
        changes=tuple(changes),
        ends=ends,
    )


def said(run: Run) -> str:
    """The exception that the program ended with, once and whole; "" if it ended otherwise."""
    if run.raised is None:
        return ""
    event = run.raised[1]
    return f"{event.type}: {event.message.strip()}" if event.message.strip() else event.type


def key(tensor: int) -> str:
    """The node key of a tensor."""
    return f"t{tensor}"


def call(text: str) -> str:
    """The name of the function or method that a call's text calls last: `x.sum().backward()` gives "backward"."""
    found = re.match(r"(.*)\(", re.sub(r"\([^()]*\)$", "(", text.strip()))
    return found.group(1).rpartition(".")[2].strip() if found else ""
