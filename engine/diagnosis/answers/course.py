"""What became of a gradient on its way through a pass: how much each line multiplied it, the hooks that replaced it, and
where a part of it became zero."""

from __future__ import annotations

import ast
import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from numpy.typing import NDArray

from ...recording.events import NOTHING, HookRan, NodeRan, OpRan, Site, Stepped
from ...recording.index import Arrival, Pass
from .grad_query import Question
from .zeros import made_with_padding

_FAR = 600
"""Nodes of a way that are looked at, the nearest ones of a longer way."""
_LARGE, _SMALL = 1e5, 1e-6
"""From which factor on a gradient is very large, and below which very small."""
_TOLD = 1e3
"""The factor, up or down, from which on the way is told without being asked for."""
_LINES = 6
"""Lines of a way that are named."""
_NATURAL = ("distance", "reduces", "normalizes", "difference", "magnitude")
"""What makes a gradient small where a loss is small or of many elements: in order."""
_CANCELLED = 1e-5
"""The factor of one operation below which its contributions cancel but for rounding, if it is none that makes so small."""
_SMALLER = ("saturates", "squashes", "product", "matrix_product", "division", "exponential")
_PARTS = (
    ("flat_below", "passes none on where its input is below its bound"),
    ("flat_outside", "passes none on where its input is outside of its bounds"),
    ("chooses", "passes it on to the chosen elements only"),
    ("branches", "passes none on where it took the other branch"),
    ("masks", "passes none on where the mask is"),
    ("leaves_out", "passes none on to what it leaves out"),
    ("product", "multiplies by a factor that is zero in places"),
    ("matrix_product", "multiplies by a matrix that is zero in places"),
)
"""Trait → why a part of the gradient is zero behind an operation with it."""


class Stage(NamedTuple):
    """A node that the gradient went through."""

    node: int
    edge: int
    received: float
    """The largest entry of what came, by magnitude."""
    sent: float


class Line(NamedTuple):
    """What the nodes of one line did to the gradient together."""

    step: int
    """Where one of its operations ran, the one that changed the gradient most."""
    factor: float
    times: int
    natural: bool


@dataclass(slots=True)
class _Changed:
    """A line while its nodes are gone through."""

    step: int
    factor: float
    times: int
    most: float


class Course:
    """The way of the gradient that a pass brought to a node, along the largest contribution at each node, nearest first."""

    def __init__(self, q: Question, entry: Pass, node: int) -> None:
        self.q, self.run, self.entry, self.node = q, q.run, entry, node
        self._known: dict[int, float] = {}

    def size(self, array: int) -> float:
        """The largest entry of an array by magnitude; NaN where that is not known."""
        return self._sizes([array])[array]

    def _sizes(self, arrays: Iterable[int]) -> dict[int, float]:
        """The sizes of some arrays and of those that were asked for before: a call costs as much as many arrays do."""
        new = [array for array in set(arrays) if array not in self._known]
        if new:
            self._known.update(zip(new, self.run.recording.stored.largest(new).tolist(), strict=True))
        return self._known

    @cached_property
    def stages(self) -> list[Stage]:
        """The nodes of the way, from the target to the root."""
        found: list[tuple[Arrival, list[int], int]] = []
        node, events = self.node, self.run.events
        while len(found) < _FAR:
            track = self.entry.arrivals.get(node)
            coming = [a for a in track.values if a.array >= 0] if track is not None else []
            if not coming:
                break
            largest = self._largest(coming)
            ran = self.entry.ran_at.get(largest.source) if largest.source != NOTHING else None
            event = events[ran] if ran is not None else None
            if not isinstance(event, NodeRan):
                break
            sent = event.sent[largest.edge] if 0 <= largest.edge < len(event.sent) else None
            # What is summed up to undo a broadcast may cancel.
            found.append((largest, [a for a in event.received if a >= 0], sent.raw if sent is not None else NOTHING))
            node = largest.source
        asked = {a for arrival, received, raw in found for a in (arrival.array, *received, raw)}
        size = {NOTHING: 0.0, **self._sizes(asked - {NOTHING})}
        return [
            Stage(
                arrival.source,
                arrival.edge,
                max((size[a] for a in received), default=math.nan),
                max(size[arrival.array], size[raw]),
            )
            for arrival, received, raw in found
        ]

    def _largest(self, coming: list[Arrival]) -> Arrival:
        """The largest contribution; of some that are about as large the one that came last, over the longest way."""
        if len(coming) == 1:
            return coming[0]
        size = self._sizes(a.array for a in coming)
        most = max(size[a.array] for a in coming)
        return next((a for a in reversed(coming) if size[a.array] >= 0.5 * most), coming[0])

    # --- how much it was multiplied -----------------------------------------------------------------------------------------

    @cached_property
    def lines(self) -> list[Line]:
        """What each line did, in the order of the pass."""
        nodes = self.run.nodes
        lines: dict[tuple[int, str, bool], _Changed] = {}
        for stage in reversed(self.stages):
            if not (stage.received > 0 and stage.sent > 0):
                continue
            history = nodes[stage.node]
            site, factor = history.event.site, stage.sent / stage.received
            module = self.run.module(history.born)
            traits = self.run.traits(history.event.op) if isinstance(history.event, OpRan) else ()
            natural = any(trait in traits for trait in _NATURAL) or (
                factor < _CANCELLED and not any(t in traits for t in _SMALLER)
            )
            before = lines.get((site, module, natural))
            if before is None:
                lines[site, module, natural] = _Changed(history.born, factor, 1, math.log(factor))
            else:
                far = math.log(factor)
                if abs(far) > abs(before.most):
                    before.step, before.most = history.born, far
                before.factor *= factor
                before.times += 1
        return [Line(line.step, line.factor, line.times, natural) for (*_, natural), line in lines.items()]

    @property
    def factor(self) -> float:
        """By how much the lines multiplied it together, without what is natural in a loss."""
        return math.prod(line.factor for line in self.lines if not line.natural)

    @property
    def kind(self) -> str:
        """Whether it is "magnified" or "shrunk" by very much; "" where it is in order."""
        factor = self.factor
        return "magnified" if factor >= _LARGE else "shrunk" if 0 < factor <= _SMALL else ""

    @property
    def main(self) -> Line | None:
        """The line that changed it most, in the direction in which all of them together did."""
        up = math.log(self.factor) >= 0 if self.factor > 0 else True
        of_own = [line for line in self.lines if not line.natural] if self.kind else self.lines
        return max(of_own, key=lambda line: math.log(line.factor) * (1 if up else -1), default=None)

    def told(self) -> str:
        """The line that changed it most as a sentence, where that is much; else ""."""
        lines = [line for line in self.lines if not line.natural or line.factor > 1]
        strong = max(lines, key=lambda line: abs(math.log(line.factor)), default=None)
        if strong is None or not (strong.factor >= _TOLD or strong.factor <= 1 / _TOLD):
            return ""
        return f"On its way {self.said(strong)}."

    def said(self, line: Line) -> str:
        """What a line did, as a clause."""
        run = self.run
        text = run.module(line.step) or run.expression(run.site(line.step))
        what = (
            f", {text}," if text.endswith(")") and run.module(line.step) else f" ({text})" if text and len(text) <= 80 else ""
        )
        times = f" in {line.times} steps" if line.times > 1 else ""
        return f"{run.where(line.step)}{what} multiplies it by about {line.factor:.3g}{times}"

    def evidence(self) -> list[tuple[str, str]]:
        """The factors of the lines that changed it, in the order of the pass."""
        changed = [line for line in self.lines if not 0.999 < line.factor < 1.001]
        chosen = sorted(sorted(changed, key=lambda line: -abs(math.log(line.factor)))[:_LINES], key=changed.index)
        run = self.run
        return [
            (
                f"factor at {run.where(line.step)}",
                f"× {line.factor:.3g}" + (f" in {line.times} steps" if line.times > 1 else ""),
            )
            for line in chosen
        ]

    def remedy(self) -> str:
        """What to do about the line that changed it most."""
        line = self.main
        event = self.run.events[line.step] if line is not None else None
        if line is None or not isinstance(event, OpRan):
            return ""
        traits = self.run.traits(event.op)
        if self.kind == "shrunk":
            if "saturates" in traits or "squashes" in traits:
                return (
                    "Use relu or another function that does not flatten out, normalise between the layers, or add a way around "
                    "(x + f(x))."
                )
            return (
                "Look at the factor; where many small ones are multiplied, normalise between them or add a way around "
                "(x + f(x))."
            )
        if "division" in traits:
            return "Keep the divisor away from zero: add an epsilon that is not small beside its usual values."
        if line.times > 1:
            return (
                "Make the factor smaller than 1 (smaller weights, normalisation), go back over fewer steps, or clip the "
                "gradient: torch.nn.utils.clip_grad_norm_."
            )
        return "Look at the factor, and scale the values down."

    # --- hooks ----------------------------------------------------------------------------------------------------------------

    def hook(self) -> tuple[int, HookRan] | None:
        """The hook that replaced the gradient last on its way, with its step."""
        found = self.hooks()
        return found[-1] if found else None

    def hooks(self) -> list[tuple[int, HookRan]]:
        """The hooks that replaced the gradient one after another at the last of the places of its way that have any, with their
        steps."""
        steps = [s for s in self.q.paths.hooks if self.entry.began < s < self.entry.ended]
        if not steps:
            return []
        found: list[tuple[int, HookRan]] = []
        nodes = {self.node, *(stage.node for stage in self.stages)}
        for step in reversed(steps):
            event = self.run.events[step]
            if not isinstance(event, HookRan) or event.node not in nodes or event.before < 0 or event.after < 0:
                continue
            if self.run.differ(event.before, event.after):
                if found and (found[-1][1].node, found[-1][1].tensor) != (event.node, event.tensor):
                    break
                found.append((step, event))
        return found[::-1]

    # --- zeros in a part ------------------------------------------------------------------------------------------------------

    def part(self, array: int) -> str:
        """Where zeros in a part of the gradient come from, as a sentence; "" where that is not clear."""
        values = self.run.recording.array(array)
        if values is None or values.size < 2:
            return ""
        zeros = int((values == 0).sum())
        if not 0 < zeros < values.size:
            return ""
        count = f"{zeros} of {values.size} entries are zero"
        for stage in self.stages:
            event = self.run.events[self.entry.ran_at[stage.node]]
            assert isinstance(event, NodeRan)
            sent = event.sent[stage.edge] if stage.edge < len(event.sent) else None
            after = self.run.recording.array(sent.array) if sent is not None else None
            before = next((a for g in event.received if g >= 0 and (a := self.run.recording.array(g)) is not None), None)
            if after is None or before is None or not (after == 0).any():
                break
            if (before == 0).any() and (before.size >= after.size or self._multiplies(stage)):
                continue
            reason = self._reason(stage, before, after)
            return f"{count}: {reason}." if reason else f"{count}."
        return f"{count}."

    def shared(self) -> str:
        """That several entries are equally the largest, or the smallest, and share the gradient, as a sentence; else ""."""
        run, arrays = self.run, self.run.recording
        for stage in self.stages:
            history = run.nodes[stage.node]
            event, ran = history.event, run.events[self.entry.ran_at[stage.node]]
            if not isinstance(event, OpRan) or event.op not in run.having("chooses") or not isinstance(ran, NodeRan):
                continue
            sent = ran.sent[stage.edge] if stage.edge < len(ran.sent) else None
            after = arrays.array(sent.array) if sent is not None else None
            before = next((a for g in ran.received if g >= 0 and (a := arrays.array(g)) is not None), None)
            if after is None or before is None or int((after != 0).sum()) <= int((before != 0).sum()):
                return ""
            text = run.expression(run.site(history.born)) or event.op
            ties = int((after != 0).sum())
            each = f", 1/{ties} of it each" if before.size == 1 else ""
            where = run.where(history.born)
            return f"{ties} entries are equally what {text} ({where}) chooses, and share the gradient evenly{each}."
        return ""

    def _multiplies(self, stage: Stage) -> bool:
        """Whether the gradient by a weight is made of all that comes to a product, however large the two are."""
        event = self.run.nodes[stage.node].event
        traits = self.run.traits(event.op) if isinstance(event, OpRan) else ()
        return "matrix_product" in traits or "convolution" in traits

    def _reason(self, stage: Stage, before: NDArray[Any], after: NDArray[Any]) -> str:
        run, history = self.run, self.run.nodes[stage.node]
        where, text = run.where(history.born), run.expression(run.site(history.born))
        named = f"{where} ({text})" if text and len(text) <= 80 else where
        event = history.event
        traits = run.traits(event.op) if isinstance(event, OpRan) else ()
        if isinstance(event, OpRan) and (padding := self._padding(event, history.born)):
            return f"{named} {padding}"
        if after.size > before.size and not self._multiplies(stage):
            return f"only what {named} takes gets a gradient"
        why = next((why for trait, why in _PARTS if trait in traits), "")
        return f"{named} {why}" if why else ""

    def _padding(self, event: OpRan, step: int) -> str:
        """That the padding of an embedding gets no gradient, where its index is among those that are looked up."""
        run, padding = self.run, self.run.setting(event, "padding_idx")
        index = run.values(run.argument(event, "indices"), step) if padding.isdigit() else None
        if index is None or not (index == int(padding)).any():
            return ""
        row = f"row {padding}, its padding{made_with_padding(self.q.paths)}"
        return f"passes none on to {row}, nor to rows that it does not look up"


def registered(q: Question, name: str, otherwise: Site | None) -> Site | None:
    """Where a hook was put on a tensor of that name, as far as the text says so; else another site."""
    source = q.paths.source
    for cell, call in source.calls.get("register_hook", ()):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == name:
            return source.site_of(call, Site(cell))
    return otherwise


def thrown_away(q: Question, number: int, *, elsewhere: bool = False) -> tuple[list[int], int]:
    """The earlier passes from the same line (or, `elsewhere`, from other lines) whose gradient was cleared before anything used
    it, and the step of the last such clearing."""
    run = q.run
    entry = run.index.passes[number]
    written = q.history.changes.steps if q.history.changes is not None else []
    first = next((row.step for row in q.rows if row.kind == "backward"), q.step)
    used = [step for step in written if step > first]
    if not used or _within_step(q, entry):
        return [], NOTHING
    since = max((step for step in used if step < entry.began), default=NOTHING)
    waiting: list[int] = []
    lost: list[int] = []
    cleared = NOTHING
    filled = NOTHING
    stepped = run.recording.tape.steps(Stepped).tolist()
    for row in q.rows:
        if row.step <= since:
            continue
        if row.kind == "backward":
            if row.number == number:
                break
            if (run.site(run.index.passes[row.number].began) != run.site(entry.began)) == elsewhere:
                waiting.append(row.number)
                filled = row.step
        elif _clears(q, row.total) and waiting:
            # Where another optimizer has stepped meanwhile, the gradient was not meant for this one.
            if bisect_left(stepped, row.step) == bisect_left(stepped, filled):
                lost, cleared = [*lost, *waiting], row.step
            waiting = []
    return list(dict.fromkeys(lost)), cleared


def _within_step(q: Question, entry: Pass) -> bool:
    """Whether a pass runs in a closure that an optimizer calls."""
    run = q.run
    calls = run.recording.scopes[entry.event.scope].calls if entry.event.scope >= 0 else ()
    sites = {event.site for _, event in run.optimizer_steps} if calls else set()
    return any(site in sites for site, _ in calls)


def _clears(q: Question, total: int) -> bool:
    return total == NOTHING or q.run.zero(total)
