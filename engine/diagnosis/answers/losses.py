"""Why the loss is NaN, stays the same, goes up or down: what was computed of it, and what it depends on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from ...graph.numbers import number, times
from ...recording.columns import columns_of
from ...recording.events import NOTHING, OpRan
from ...recording.index import Pass
from ..cuts import cuts_above, fact
from ..failures import code_of
from ..paths import Paths
from ..reason import Reason
from .absent import absent
from .grad_query import Question, listed
from .lines import why_line
from .names import named
from .not_finite import value_not_finite
from .present import present
from .slopes import first_update, is_input, overshoots
from .subject import LineSubject, is_loss
from .updates import standstill, updated

_SAME = 1e-6
"""Relative difference below which losses count as one and the same."""
_FELL, _ROSE = 0.95, 1.05
"""The last loss in relation to the first: below it went down, above it is higher."""
_STEADILY, _FAR = 1.5, 3.0
"""How much higher the last loss is that has risen each time, and the last third of losses that were to and fro: batches
differ, so one that is merely higher says nothing."""
_REFUSED = ("loss_not_connected", "backward_of_number", "backward_on_vector")
"""What backward() says of a loss from which it cannot begin."""
_ENOUGH = 5
"""Losses from which on it is said why they rise, where no update goes up the gradient."""
_LEAVES = 64
"""Parameters that are looked at."""


class Value(NamedTuple):
    """A loss as it was computed."""

    step: int
    tensor: int
    value: float


def why_loss(paths: Paths, name: str, step: int) -> Reason | None:
    """The answer about a loss by its name, or about what the last backward passes began with; None where that is no
    single number."""
    run = paths.run
    passes = [entry for entry in run.passes if entry.began <= step and entry.via == "backward"]
    tensor = NOTHING
    if name:
        try:
            tensor = named(paths, name, step)
        except KeyError:
            if run.raised is not None and run.raised[0] <= step:
                return why_line(paths, LineSubject(), step)
            if not passes:
                raise
    if tensor == NOTHING and passes:
        tensor = passes[-1].event.roots[0][0]
    made = _made(paths, tensor, name, step, passes)
    if not made:
        return None
    values = [Value(born, each, value) for born, each, value in made if value is not None]
    last = values[-1].tensor if values else made[-1][1]
    q = Question(paths, last, step, name or paths.label(last, step))
    roots = {each for _, each, _ in made}
    own = [entry for entry in passes if run.index.first_roots[entry.number] in roots]
    bad = next((value for value in values if not math.isfinite(value.value)), None)
    if bad is not None:
        return _not_finite(q, bad, values)
    if not own and run.raised is not None and run.raised[0] <= step and code_of(run.raised[1].message) in _REFUSED:
        return why_line(paths, LineSubject(), step)
    if own and (cut := _no_graph(q, own[-1])) is not None:
        return cut
    if not values:
        return _untold(q, own)
    leaves = _leaves(q, own[-1]) if own else []
    first = min((s for leaf in leaves for s in run.updates.get(leaf, ()) if s <= step), default=step + 1)
    again = sum(value.step > first for value in values)
    waited = first > step or again or any(entry.began > first for entry in own)
    if _alike(values) and len(own) + len(values) > 2 and waited:
        return _constant(q, values, own)
    if len(values) == 1 or not waited:
        return _once(q, values[0], own)
    return _moving(q, values, own)


def _made(paths: Paths, tensor: int, name: str, step: int, passes: Sequence[Pass]) -> list[tuple[int, int, float | None]]:
    """The losses, each with the step that made it and its number, None where that was not recorded: what the name came to
    stand for, or what passes from the same place began with."""
    run = paths.run
    found: dict[int, tuple[int, int, float | None]] = {}
    index, sites = run.index, columns_of(run.recording).events.site
    site = run.tensors[tensor].op.site if tensor != NOTHING else NOTHING
    candidates = [(entry.began, index.first_roots[entry.number]) for entry in passes]
    bound = [
        (at, each)
        for (_, called), track in index.names.items()
        if called == name and name
        for at, each in zip(track.steps, track.values, strict=True)
    ]
    ever = {each for _, each in bound}
    # A sum that grows in place is the loss when the pass begins, not when its name was bound.
    begun = {each: at for at, each in candidates}
    for at, each in sorted(candidates + bound):
        if each == NOTHING or at > step or each in found:
            continue
        born = index.born(each)
        if sites.item(born) != site and not (each in ever and run.tensors[each].name(at) == name):
            continue
        array = index.array(each, begun.get(each, at))
        value = run.scalar(array)
        if value is not None or (array in run.unmeasured and run.recording.stored.sizes[array] == 1):
            found[each] = born, each, value
    return list(found.values())


def _untold(q: Question, passes: Sequence[Pass]) -> Reason:
    """Nobody has measured it."""
    began = f"began from it {times(len(passes))}" if passes else "is never called from it"
    return q.because(
        "not_recorded",
        f"What {q.name} was, and how it went, is not in the recording, which holds no values of it",
        f"backward() {began}.",
        'Record the run with level="statistics" or level="values".',
        step=q.history.born,
        nodes=[q.tensor],
    )


def _is_score(q: Question) -> bool:
    """Whether the program calls it by a name that is none of a loss, as what is to rise has."""
    called = q.label(q.tensor)
    return called.isidentifier() and not is_loss(called)


def _alike(values: Sequence[Value]) -> bool:
    numbers = [value.value for value in values]
    return max(numbers) - min(numbers) <= _SAME * max(abs(numbers[0]), 1e-12)


def _course(q: Question, values: Sequence[Value]) -> list[tuple[str, str]]:
    """The losses as evidence."""
    shown = [*values[:4], *values[-2:]] if len(values) > 6 else list(values)
    return [(q.run.moment(value.step), number(value.value)) for value in shown]


# --- not finite ---------------------------------------------------------------------------------------------------------------


def _not_finite(q: Question, bad: Value, values: Sequence[Value]) -> Reason:
    """Where it began; of a loss that is finite again, where the first one that was not did."""
    plain = q.because("set", "")
    found = value_not_finite(q, plain) or value_not_finite(Question(q.paths, bad.tensor, bad.step, q.name), plain)
    reason = found if found is not None else plain
    rest = reason.explanation.removesuffix(".").strip()
    return msgspec.structs.replace(
        reason, step=q.step, explanation=f"{rest}." if rest else "", evidence=(*reason.evidence, *_course(q, values))
    )


def _no_graph(q: Question, entry: Pass) -> Reason | None:
    """A pass from the loss reaches nothing, because the loss is cut off from what it was computed from."""
    # What it reaches may be a leaf that was made of the values of what it was to reach: `torch.tensor(losses)`.
    leaves = _leaves(q, entry) or [entry.event.roots[0][0]]
    if any(_made_anew(q, leaf) for leaf in leaves):
        return None
    above = [next(cuts_above(q.paths, t, entry.began, q.label), None) for t in leaves]
    if not above or above[0] is None or not all(above):
        return None
    cut, way = above[0]
    return q.because(
        cut.code,
        f"{q.name} has no graph that leads to a parameter: {cut.what} cuts it off from {q.label(cut.source)}, so backward() "
        f"({q.run.where(entry.began)}) reaches nothing",
        cut.sentence,
        cut.fix,
        step=cut.step,
        site=cut.site,
        nodes=way,
        cut=[(cut.source, cut.result)],
        evidence=[fact(q.run, cut)],
    )


def _made_anew(q: Question, leaf: int) -> bool:
    """Whether a leaf takes the name of an earlier one, as an update does that makes a new leaf: `w = (w - …).detach()`."""
    run = q.run
    names = {(function, name) for function, name, _, _ in run.index.bindings(leaf)}
    others = {t for name in names for t in run.index.names[name].values if t not in (NOTHING, leaf) and t < leaf}
    return any(run.tensors[t].info.is_leaf and run.tensors[t].ledger is not None for t in others)


# --- the same all the time ----------------------------------------------------------------------------------------------------


def _constant(q: Question, values: Sequence[Value], passes: Sequence[Pass]) -> Reason:
    run, value = q.run, values[-1]
    leaves = _leaves(q, passes[-1]) if passes else []
    says = f"{q.name} stays at {number(value.value)}"
    if not passes:
        return q.because(
            "not_stepped", f"{says} because backward() is never called from it, so nothing can be updated", "",
            f"Call {q.name}.backward().",
            step=value.step, nodes=[q.tensor], evidence=_course(q, values), wrong=True,
        )  # fmt: skip
    if not leaves:
        reason = absent(q) if q.history.grad(q.step) == NOTHING else present(q)
        return msgspec.structs.replace(reason, title=f"{says} because no parameter is in its graph: {reason.title}", wrong=True)
    reasons = [updated(Question(q.paths, leaf, q.step, q.label(leaf))) for leaf in leaves[:_LEAVES]]
    moving = [reason for reason in reasons if reason.code == "moved"]
    if not moving:
        reason = reasons[0]
        return msgspec.structs.replace(
            reason, tensor=q.tensor, title=f"{says} because no parameter that it depends on moves: {reason.title}",
            evidence=(*_course(q, values), *reason.evidence), wrong=True,
        )  # fmt: skip
    updates = [reason.moment for reason in moving]
    stale = _stale(q, passes, leaves)
    if stale != NOTHING:
        what = run.title(stale)
        return q.because(
            "loss_stale",
            f"{says} because it is not computed anew: {what} is made once, before the loop "
            f"({run.where(run.tensors[stale].born)})",
            f"The parameters move ({run.where(updates[-1])}), and what was computed from them before does not follow.",
            "Move the forward computation and the loss into the loop.",
            step=run.tensors[stale].born,
            nodes=[stale, q.tensor],
            evidence=_course(q, values),
        )
    zero = next((r for leaf in leaves if (r := _zero(q, leaf)) is not None), None)
    if zero is not None:
        return msgspec.structs.replace(
            zero, tensor=q.tensor, step=q.step, title=f"{says}: {zero.title}", evidence=(*_course(q, values), *zero.evidence)
        )
    return q.because(
        "loss_constant",
        f"{says}, although {listed([run.title(r.tensor) for r in moving][:4])} move{'s' * (len(moving) == 1)}",
        "What the parameters change has no effect on it in these digits.",
        "Look at what lies between them: a step so small that it is lost, or a function that is flat there.",
        step=value.step,
        nodes=[q.tensor],
        evidence=_course(q, values),
    )


def _zero(q: Question, leaf: int) -> Reason | None:
    """Why a parameter's gradient is zero, or as good as that, in the pass."""
    own = Question(q.paths, leaf, q.step, q.label(leaf))
    for row in reversed(own.rows):
        if row.kind == "backward":
            at = Question(q.paths, leaf, row.step, q.label(leaf))
            reason = present(at)
            return reason if reason.code.startswith("zero") or reason.code == "shrunk" else None
    return None


def _leaves(q: Question, entry: Pass) -> list[int]:
    """The leaves that a pass can reach."""
    found = sorted({*q.paths.variables(q.paths.reached(entry)).values()} - {NOTHING})
    return [leaf for leaf in found if leaf != entry.event.roots[0][0]]


def _stale(q: Question, passes: Sequence[Pass], leaves: Sequence[int]) -> int:
    """A result that all passes go through and that was computed before the first update; NOTHING if there is none."""
    run = q.run
    first = min((s for leaf in leaves for s in run.updates.get(leaf, ())), default=len(run.events))
    entry = passes[-1]
    if entry.began < first:
        return NOTHING
    for leaf in leaves:
        for step in reversed(run.consumers.get(leaf, [])):
            event = run.events[step]
            if isinstance(event, OpRan) and event.node is not None and step < entry.began:
                if step > first:
                    return NOTHING
                break
    born = [t for t in (entry.event.roots[0][0],) if run.tensors[t].born < first]
    if born:
        return born[0]
    owners = run.index.owners
    fills = q.paths.variables(q.paths.reached(entry))
    made = [owners.get((node, 0), NOTHING) for node, variable in fills.items() if variable == NOTHING]
    old = [t for t in made if t != NOTHING and run.tensors[t].born < first]
    return max(old, key=lambda t: run.tensors[t].born, default=NOTHING)


# --- up and down --------------------------------------------------------------------------------------------------------------


def _once(q: Question, value: Value, passes: Sequence[Pass]) -> Reason:
    return q.because(
        "loss_once",
        f"{q.name} was computed {'once' if len(passes) < 2 else 'before any update'}: {number(value.value)}",
        "Whether it goes down shows after an update, when it is computed anew.",
        step=value.step,
        nodes=[q.tensor],
    )


def _moving(q: Question, values: Sequence[Value], passes: Sequence[Pass]) -> Reason:
    run = q.run
    first, last = values[0].value, values[-1].value
    between, over = f"from {number(first)} to {number(last)}", f"over {len(values)} times that it was computed"
    course = f"{between} {over}"
    scale = abs(first) if first else 1.0
    numbers = [value.value for value in values]
    if last < first - (1 - _FELL) * scale or all(b < a for a, b in pairwise(numbers)):
        flat = next((k for k in range(len(values)) if _alike(values[k:])), len(values))
        stays, why_flat = "", ""
        if len(values) - flat > max(_ENOUGH - 1, len(values) // 2):
            leaves = _leaves(q, passes[-1]) if passes else []
            stays = f", and stays there from {run.moment(values[flat].step)} on,"
            why_flat = next(
                (
                    f"{q.label(leaf)}: {said}"
                    for leaf in leaves[:_LEAVES]
                    if (said := standstill(Question(q.paths, leaf, q.step)))
                ),
                "",
            )
        return q.because(
            "loss_falls",
            f"{q.name} goes down {between}{stays} {over}",
            why_flat,
            step=values[-1].step,
            nodes=[q.tensor],
            evidence=_course(q, values),
        )
    third = max(len(numbers) // 3, 1)
    risen = sum(numbers[-third:]) - sum(numbers[:third]) > (_FAR - 1) * abs(sum(numbers[:third]))
    steadily = len(numbers) > 2 and all(a < b for a, b in pairwise(numbers)) and last > first + (_STEADILY - 1) * scale
    if last > first + (_ROSE - 1) * scale:
        leaves = _leaves(q, passes[-1])[:_LEAVES] if passes else []
        leaf, found = next(((leaf, one) for leaf in leaves if (one := first_update(q, leaf)) is not None), (NOTHING, None))
        past = found is not None and (found[1] or overshoots(q, leaves, [(value.step, value.value) for value in values]))
        if found is not None and past and (((risen or steadily) and len(numbers) >= _ENOUGH) or found[1]):
            step, uphill, rate = found
            size = f" The learning rate is {number(rate)}." if rate else ""
            if uphill:
                why, fix = (
                    "The update goes up the gradient, which makes the loss larger.",
                    "Subtract the gradient (and leave out maximize=True).",
                )
            else:
                why = (
                    "The update goes down the gradient, and so far that it overshoots: the learning rate is too large, or the "
                    "gradients are."
                )
                fix = "Make the learning rate smaller, or clip the gradients."
            return q.because(
                "loss_rises",
                f"{q.name} goes up {course}",
                f"{why}{size}",
                fix,
                step=step,
                nodes=[q.tensor],
                evidence=_course(q, values),
                wrong=not (uphill and ("maximize" in run.words or _is_score(q) or is_input(q, leaf, leaves))),
            )
    return q.because(
        "loss_wanders", f"{q.name} goes neither clearly up nor down: {course}",
        f"The lowest was {number(min(value.value for value in values))}, the highest "
        f"{number(max(value.value for value in values))}.",
        step=values[-1].step, nodes=[q.tensor], evidence=_course(q, values),
    )  # fmt: skip
