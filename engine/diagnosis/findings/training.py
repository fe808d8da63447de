"""Rules about the training loop: clearing, stepping in the right order, a loss that goes down."""

from __future__ import annotations

import ast
import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from statistics import fmean
from typing import NamedTuple

import numpy as np

from ...graph.numbers import norm, number
from ...recording.events import NOTHING, Accumulated, GradSet, NodeRan, OpRan, Site, Stepped
from ...recording.index import Pass
from ..mends import training as mends
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Change, Run, call, finding, key
from .registry import rule

NO_ZERO_GRAD = Kind(
    "no_zero_grad", "error", "Gradients of earlier iterations are still in .grad when parameters are updated again.", True
)
CLEARED_BEFORE_STEP = Kind(
    "cleared_before_step", "error", "Gradients are cleared between backward() and the optimizer's step.", True
)
CLOSURE_WITHOUT_BACKWARD = Kind(
    "closure_without_backward", "error", "The closure of an optimizer clears the gradients and does not call backward().",
    answers=("cleared_before_step",),
)  # fmt: skip
STEP_BEFORE_BACKWARD = Kind(
    "step_before_backward",
    "error",
    "The optimizer steps before backward() has filled any gradient.",
    mechanical=True,
    answers=("cleared_before_step", "not_yet"),
)
STEP_WITHOUT_BACKWARD = Kind("step_without_backward", "error", "The optimizer steps, and backward() is never called.", True)
DIVERGING = Kind("diverging", "error", "The loss grows without bound.", True)

_GROWTH = 1.2
"""The factor by which each of the last losses exceeds the one before, where a run diverges."""
_TOTAL = 10.0
_NEARLY = 0.3
"""The part of their size by which the parameters must have changed, where a run diverges."""
_SUMMED = 8
"""Numbers from which on a sum is worth a word."""
_RATE = re.compile(r"\b(?:lr|learning_rate|step_size|eta|alpha|rate)\s*=", re.IGNORECASE)


class Reuse(NamedTuple):
    """An update with a gradient of which a part had been used before."""

    tensor: int
    first: int
    """The update that used it first."""
    backward: int
    """The step at which the next pass added to it."""
    second: int


@rule(120, NO_ZERO_GRAD)
def no_zero_grad(run: Run) -> Iterator[Finding]:
    """Gradients of earlier iterations are still in `.grad` when the parameters are updated again."""
    reuses_at: dict[tuple[Site | None, Site | None], list[Reuse]] = {}
    for tensor in run.updates:
        for reuse in _reuses(run, tensor):
            reuses_at.setdefault((run.site(reuse.backward), run.site(reuse.second)), []).append(reuse)
    for (backward, update), reuses in reuses_at.items():
        first = min(reuses, key=lambda r: r.second)
        affected = list(dict.fromkeys(r.tensor for r in reuses))
        event = run.events[first.backward]
        assert isinstance(event, Accumulated)
        name = run.title(first.tensor)
        during = f" ({found})" if (found := run.during(first.backward)) else ""
        yield finding(
            run, NO_ZERO_GRAD,
            f"Gradients add up over iterations: {name}.grad is not cleared between updates.",
            f"The update at {run.site_text(update)} used {name}.grad, then backward pass {event.number}{during} added to it "
            f"instead of starting from zero, and the next update used the sum. This happened {len(reuses)} times"
            + (f", to {run.names(affected)}." if len(affected) > 1 else "."),
            "Call optimizer.zero_grad() (or set .grad to None) once per update, before backward().",
            step=first.backward,
            site=backward,
            related=[update],
            evidence=[
                (f"added by pass {event.number}", run.texts.describe(event.increment)),
                (f"{name}.grad afterwards", run.texts.describe(event.total)),
                ("updates with old gradients", str(len({r.second for r in reuses}))),
            ],
            nodes=[key(t) for t in affected],
            steps=[reuse.backward for reuse in reuses],
            changes=mends.cleared_each_time(run, first.first, first.second, backward),
        )  # fmt: skip
        return


def _reuses(run: Run, tensor: int) -> Iterator[Reuse]:
    updates: dict[int, int] = {step: step for step in run.updates[tensor]} | _within_steps(run, tensor)
    used = stale = NOTHING
    live = False
    moments: list[tuple[int, Change | None]] = [*run.history(tensor), *((step, None) for step in updates)]
    for step, event in sorted(moments, key=lambda m: m[0]):
        if isinstance(event, Accumulated):
            if not live or run.same(event.total, event.increment) or event.total in run.unmeasured:
                used = stale = NOTHING
            elif used != NOTHING and stale == NOTHING:
                stale = step
            live = True
        elif isinstance(event, GradSet):
            if event.array == NOTHING or event.how in ("zero_", "assign") or run.zero(event.array):
                used = stale = NOTHING
                live = event.array != NOTHING
            elif stale == NOTHING:
                # Scaled, say, before the next pass adds to it: momentum by hand.
                used = NOTHING
        else:
            if stale != NOTHING:
                yield Reuse(tensor, used, stale, updates[step])
                stale = NOTHING
            used = updates[step]


def _within_steps(run: Run, tensor: int) -> dict[int, int]:
    """What an optimizer that calls a closure several times in one step writes into a parameter before it calls it again, by the
    step that it belongs to."""
    written, ends = np.array(run.writes.get(tensor, ()), np.int64), np.array(run.updates[tensor], np.int64)
    began = np.array([entry.began for entry in run.passes], np.int64)
    place = np.searchsorted(ends, written)
    written, place = written[place < len(ends)], place[place < len(ends)]
    again = np.searchsorted(began, written) < np.searchsorted(began, ends[place])  # a pass comes before its step ends
    return {
        step: end
        for step, end in zip(written[again].tolist(), ends[place[again]].tolist(), strict=True)
        if run.site(step) == run.site(end) and isinstance(run.events[end], Stepped)
    }


@rule(130, CLEARED_BEFORE_STEP, CLOSURE_WITHOUT_BACKWARD, STEP_BEFORE_BACKWARD, STEP_WITHOUT_BACKWARD)
def idle_step(run: Run) -> Iterator[Finding]:
    """The optimizer steps while no parameter has a gradient."""
    offences: dict[tuple[Site | None, str], list[int]] = {}
    before = NOTHING
    for step, event in run.optimizer_steps:
        kind = _idleness(run, event, step, before)
        if kind:
            offences.setdefault((run.site(step), kind), []).append(step)
        before = step
    for (_, kind), steps in offences.items():
        event = next(e for s, e in run.optimizer_steps if s == steps[0])
        owned = event.owned
        count = f"{len(steps)} of {sum(run.site(s) == run.site(steps[0]) for s, _ in run.optimizer_steps)} steps"
        evidence = [("steps without gradients", count), ("parameters", run.names(owned))]
        nodes = [key(t) for t in owned]
        if kind == "cleared_before_step":
            clear = _clearing(run, owned, steps[0])
            if (closure := _closure(run, clear, steps[0])) is not None:
                cell, function = closure
                returned = next((each for each in reversed(function.body) if isinstance(each, ast.Return)), function)
                yield finding(
                    run, CLOSURE_WITHOUT_BACKWARD,
                    f"{function.name}(), which {event.optimizer}.step calls, clears the gradients and computes none.",
                    f"step({function.name}) at {run.where(steps[0])} calls it to have the loss and its gradients computed "
                    f"anew: what an earlier backward() computed is cleared at {run.where(clear)}, so nothing moves.",
                    f"Call backward() on the loss in {function.name}() before it returns that, and not outside.",
                    step=steps[0], site=site_of(cell, returned), related=[run.site(clear), run.site(steps[0])],
                    evidence=evidence, nodes=nodes, steps=steps,
                )  # fmt: skip
                continue
            yield finding(
                run, CLEARED_BEFORE_STEP,
                "The gradients are cleared between backward() and the optimizer's step.",
                f"At {run.where(steps[0])} {event.optimizer}.step has nothing to work with: the gradients that backward "
                f"computed were cleared at {run.where(clear)}, so the parameters do not move by them.",
                "Call zero_grad() before backward() (or after step()), not between them.",
                step=steps[0], site=run.site(clear), related=[run.site(steps[0])], evidence=evidence, nodes=nodes,
                steps=steps, changes=mends.clear_moved(run, clear, steps[0], _passes_before(run, owned, clear)),
            )  # fmt: skip
        elif kind == "step_before_backward":
            after = next((e.began for e in run.passes if e.began > steps[0]), NOTHING)
            yield finding(
                run, STEP_BEFORE_BACKWARD,
                f"{event.optimizer}.step runs before backward(): no parameter has a gradient yet.",
                f"At {run.where(steps[0])} every .grad is None, so the step changes nothing; the backward pass comes later, "
                f"at {run.where(after)}." if after != NOTHING else f"At {run.where(steps[0])} every .grad is None.",
                "Call them in the order optimizer.zero_grad(), loss.backward(), optimizer.step().",
                step=steps[0], related=[run.site(after)], evidence=evidence, nodes=nodes, steps=steps,
                severity="warning" if len(steps) == 1 else "", changes=mends.step_moved(run, steps[0], after),
            )  # fmt: skip
        else:
            yield finding(
                run, STEP_WITHOUT_BACKWARD,
                f"{event.optimizer}.step without any backward(): no parameter has a gradient.",
                f"The step at {run.where(steps[0])} changes nothing, because backward() is never called on a loss.",
                "Call loss.backward() before optimizer.step().",
                step=steps[0], evidence=evidence, nodes=nodes, steps=steps, changes=mends.backward_called(run, steps[0]),
            )  # fmt: skip


def _idleness(run: Run, event: Stepped, step: int, before: int) -> str:
    """Why an optimizer's step has nothing to do; "" if it has, or if nothing shows that it is meant to."""
    owned = event.owned
    if any((last := run.last_change(t, step)) is not None and not _cleared(run, last) for t in owned):
        return ""
    filled = [(s, t) for t in owned for s, e in run.history(t, before, step) if isinstance(e, Accumulated)]
    if filled:
        # A step of another optimizer may have used them; then clearing them was right.
        if any(s < used < step for s, t in filled for used in run.updates.get(t, ())):
            return ""
        # Where backward belongs to the iteration before, it comes after the step: clearing is not what is wrong.
        return "cleared_before_step" if run.loops(max(filled)[0]) == run.loops(step) else "step_before_backward"
    ledgers = [track.steps for t in owned if (track := run.tensors[t].ledger) is not None]
    if ledgers:
        return "step_before_backward" if all(step < steps[0] for steps in ledgers) else ""
    if run.passes or not any(_leads_on(run, t) for t in owned):
        return ""  # the loss is not connected, or the optimizer holds other tensors: rules of their own
    return "step_without_backward"


def _cleared(run: Run, event: Change) -> bool:
    return isinstance(event, GradSet) and (event.array == NOTHING or (event.how == "zero_" and run.zero(event.array)))


def _clearing(run: Run, owned: tuple[int, ...], step: int) -> int:
    return max((s for t in owned for s, e in run.history(t, before=step) if _cleared(run, e)), default=step)


def _closure(run: Run, clear: int, step: int) -> tuple[int, ast.FunctionDef] | None:
    """The function that a step is given and that cleared the gradients, if no backward() stands in it."""
    source, name = paths_of(run.recording).source, run.recording.scopes[run.events[clear].scope].function
    stepping, known = source.at(run.site(step)), source.functions.get(name, ())
    if len(known) != 1 or not isinstance(stepping, ast.Call):
        return None
    ((cell, function),) = known
    given = [each.id for each in (*stepping.args, *(k.value for k in stepping.keywords)) if isinstance(each, ast.Name)]
    inside = any(function in source.around(called) for _, called in source.calls.get("backward", ()))
    return (cell, function) if isinstance(function, ast.FunctionDef) and name in given and not inside else None


def _passes_before(run: Run, owned: tuple[int, ...], step: int) -> list[int]:
    """Where the passes of the same iteration began that filled gradients before a step, the first of them first."""
    loops = run.loops(step)
    filled = {e.number for t in owned for s, e in run.history(t, before=step) if isinstance(e, Accumulated)}
    return [entry.began for entry in run.passes if entry.number in filled and run.loops(entry.began) == loops]


def _leads_on(run: Run, tensor: int) -> bool:
    """Whether something that requires grad was computed from a tensor."""
    for step in run.consumers.get(tensor, ()):
        event = run.events[step]
        if any(info.requires_grad for info in getattr(event, "outputs", ())):
            return True
    return False


@rule(140, DIVERGING, everywhere=True)
def diverging(run: Run) -> Iterator[Finding]:
    """The loss grows from update to update until it leaves all bounds."""
    if not run.updates:
        return
    moments = moments_of_updates(run)
    for points in losses_by_update(run):
        found = growing([value for _, value in points])
        if found is None:
            continue
        began, ended = points[found[0]], points[found[1]]
        between = [m for m in moments if began[0] < m < points[-1][0]]
        if len(between) < 2 or _stays(run, began[0], ended[0]):
            continue
        update = between[0]
        tensor = next(t for t, steps in run.updates.items() if update in steps)
        uphill = goes_uphill(run, tensor, update)
        rate = rate_site(run)
        last = points[-1][1]
        count = summed(run, next(entry for entry in run.passes if entry.began == began[0]))
        size = next((n for s, e in run.history(tensor)[::-1] if s < update and isinstance(e, Accumulated)
                     and (n := norm(run.recording.arrays[e.total])) is not None), None)  # fmt: skip
        evidence = [
            ("loss", series_text([value for _, value in points])),
            ("updates", str(len(between))),
        ]
        if size is not None:
            evidence.append((f"norm of {run.title(tensor)}.grad at the first update", number(size)))
        yield finding(
            run, DIVERGING,
            "The updates go uphill: the loss grows without bound." if uphill else
            "The loss diverges: the learning rate is too large.",
            f"From {number(began[1])} the loss grew to {number(ended[1])}"
            + ("" if math.isfinite(last) else f" and then to {number(last)}")
            + (f": the update at {run.where(update)} adds the gradient instead of subtracting it." if uphill else
               f" in {len(between)} updates. Each step overshoots the minimum by more than the one before."
               + sum_text(count)),
            "Subtract the gradient: w -= lr * w.grad." if uphill else
            "Average instead of summing (.mean()), or divide the learning rate by that number." if count else
            "Use a learning rate ten times smaller (and again, if that is not enough), or scale the data.",
            step=update,
            site=run.site(update) if uphill or rate is None else rate,
            related=[run.site(update), run.site(began[0]), rate],
            evidence=evidence,
            nodes=[key(t) for t, steps in run.updates.items() if update in steps],
            steps=[step for step, _ in points[found[0] :]],
            changes=mends.downhill(run, update) if uphill else
            mends.smaller_steps(run, rate, update, [value for _, value in points]),
        )  # fmt: skip
        return


def _stays(run: Run, begin: int, end: int) -> bool:
    """Whether the parameters are nearly what they were, so that a loss that has grown has its reason in the data."""
    change = size = 0.0
    for tensor in run.updates:
        old, new = run.values(tensor, begin), run.values(tensor, end)
        if old is None or new is None or old.shape != new.shape:
            return False
        with np.errstate(all="ignore"):
            change, size = math.hypot(change, np.linalg.norm(new - old)), math.hypot(size, np.linalg.norm(old))
    return change < _NEARLY * size


def losses(run: Run) -> list[list[tuple[int, float]]]:
    """The values that backward passes began with, for each call of backward in order: pairs (step, value)."""
    series: dict[tuple[Site | None, str], list[tuple[int, float]]] = {}
    for entry in run.passes:
        if len(entry.event.roots) == 1 and entry.event.via == "backward":
            tensor = entry.event.roots[0][0]
            value = run.scalar(run.status(tensor, entry.began).array)
            if value is not None:
                series.setdefault((run.site(entry.began), call(run.segment(run.site(entry.began)))), []).append(
                    (entry.began, value)
                )
    return list(series.values())


def moments_of_updates(run: Run) -> list[int]:
    """The steps at which parameters are updated, in order."""
    return sorted({step for steps in run.updates.values() for step in steps})


def losses_by_update(run: Run) -> list[list[tuple[int, float]]]:
    """The same, of what belongs to one update, as micro-batches do, the mean, with the step of the first."""
    moments, averaged = moments_of_updates(run), []
    for points in losses(run):
        found: dict[int, list[tuple[int, float]]] = {}
        for step, value in points:
            found.setdefault(bisect_right(moments, step), []).append((step, value))
        averaged.append([(group[0][0], fmean(value for _, value in group)) for group in found.values()])
    return averaged


def summed(run: Run, entry: Pass) -> int:
    """Over how many numbers the root of a pass is a plain sum, as the gradients show: each gets the one that arrives; 0 if it
    is none, or one of a few."""
    for node, step in list(entry.ran_at.items())[:4]:
        event, maker = run.events[step], run.nodes[node].event
        if not isinstance(event, NodeRan) or not isinstance(maker, OpRan) or maker.op not in run.having("reduces"):
            continue
        sent = event.sent[0] if event.sent else None
        given = run.recording.array(event.received[0]) if event.received and event.received[0] != NOTHING else None
        values = run.recording.array(sent.array) if sent is not None else None
        if given is not None and values is not None and given.size == 1 and values.size >= _SUMMED:
            return int(values.size) if bool((values == given.item()).all()) else 0
    return 0


def sum_text(count: int) -> str:
    """What it means that a loss is a sum over so many numbers, as a sentence to be added; "" for 0."""
    return f" The loss is a sum over {count:,} numbers, and its gradient as many times that of their mean." if count else ""


def growing(values: list[float]) -> tuple[int, int] | None:
    """Where a series begins to grow geometrically and where its last finite value is, if it ends that way."""
    finite = next((i for i, v in enumerate(values) if not math.isfinite(v)), len(values))
    last = finite - 1
    if last < 2 or (finite == len(values) and len(values) < 4):
        return None
    first = last
    while first > 0 and values[first] > _GROWTH * values[first - 1] > 0:
        first -= 1
    grown = values[last] > _TOTAL * max(values[first], abs(values[0]))
    return (first, last) if last - first >= 3 - (finite < len(values)) and grown else None


def goes_uphill(run: Run, tensor: int, update: int) -> bool:
    """Whether an update by hand moved a tensor along its gradient."""
    if isinstance(run.events[update], Stepped):
        return False
    before, after = run.values(tensor, update - 1), run.values(tensor, update)
    grad = run.recording.array(run.tensors[tensor].grad(update - 1))
    if before is None or after is None or grad is None:
        return False
    return float(((after - before) * grad).sum()) > 0


def rate_site(run: Run) -> Site | None:
    """The first line that gives a learning rate."""
    for cell, text in enumerate(run.recording.source):
        for line, content in enumerate(text.splitlines(), 1):
            found = _RATE.search(content.partition("#")[0])
            if found:
                column = len(content[: found.start()].encode())
                return Site(cell, line, column, line, len(content.encode()))
    return None


def series_text(values: list[float]) -> str:
    shown = list(map(number, values))
    return " → ".join(shown if len(shown) <= 6 else [*shown[:3], "…", *shown[-3:]])
