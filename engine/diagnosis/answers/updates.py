"""Why a parameter moved, or did not: which optimizer has it, whether that stepped, and what the step had to go by."""

from __future__ import annotations

import ast
from itertools import pairwise

import msgspec
import numpy as np

from ...graph.numbers import number, times
from ...recording.columns import columns_of
from ...recording.events import NOTHING, HookRan, Stepped
from ..optimizer_text import given, optimizers, schedules
from ..paths import Paths
from ..reason import Reason
from ..rounding import LOST, unmoved
from .absent import absent
from .grad_query import Question, listed
from .names import members, named, spelled
from .present import present
from .unowned import constructor, unowned

_SHOWN = 4
_HARDLY = 1e-4
"""A change of this share of the largest element is hardly one."""
_LAST = 3
"""Steps that change nothing, one after another, before that is told."""
_LOOKED = 32
"""Different values of a tensor among which those are looked for that are put back."""
_SMALL = (
    "Look at what a step adds: the learning rate, and the gradient that reaches step(), which clipping or a scale may have "
    "made small."
)
_SPACED = "Keep the parameters in float32, and compute within torch.autocast(…); or raise the learning rate."


def why_update(paths: Paths, name: str, step: int) -> Reason:
    """The answer for a parameter; for a module, of the first of its parameters that did not move.

    Raises:
        KeyError: for a name that never stood for a tensor or a module.
    """
    try:
        tensor = named(paths, name, step)
    except KeyError:
        held = members(paths, name, step)
        if not held:
            raise
        reasons = [updated(Question(paths, tensor, step, each)) for each, tensor in list(held.items())[:_SHOWN]]
        return next((reason for reason in reasons if reason.wrong), reasons[0])
    if tensor == NOTHING:
        raise KeyError(name)
    return updated(Question(paths, tensor, step, name))


def kept_statistic(paths: Paths, name: str, step: int) -> Reason | None:
    """The answer for a buffer of a module, asked for by its name alone: what writes its values, as no gradient comes to it."""
    if "." not in name:
        return None
    try:
        tensor = named(paths, name, step)
    except KeyError:
        return None
    info = paths.run.tensors[tensor].info if tensor != NOTHING else None
    if info is None or info.is_parameter or info.requires_grad or info.node != NOTHING:
        return None
    q = Question(paths, tensor, step, name)
    writes = written(q) if not q.status.requires_grad else []
    return _changed_in_place(q, writes) if writes else None


def updated(q: Question) -> Reason:
    """Why the tensor of a question moved or did not."""
    run = q.run
    table = columns_of(run.recording).stepped
    rows = np.flatnonzero((table.tensor == q.tensor) & (table.step <= q.step))
    idle = [int(table.step[row]) for row in rows if table.idle[row]]
    stepped = [s for s in run.updates.get(q.tensor, ()) if s <= q.step]
    if stepped:
        return _stepped(q, stepped)
    if idle:
        return _idle(q, idle)
    writes = written(q) if not q.status.requires_grad else []
    if writes:
        return _changed_in_place(q, writes)
    if not q.status.requires_grad:
        reason = absent(q) if q.history.grad(q.step) == NOTHING else present(q)
        return because_of(q, reason, f"{q.name} does not move because it does not require grad", "")
    return unowned(q)


def _stepped(q: Question, steps: list[int]) -> Reason:
    run = q.run
    back, as_before = _puts_back(q, steps)
    if as_before:
        return _put_back(q, steps, back)
    first, last = ends(q, steps)
    by = _by(q, steps[-1])
    where = run.where(steps[-1])
    evidence = _evidence(q, steps)
    if run.differ(first, last):
        most, share = _change(q, first, last)
        little = share is not None and share < _HARDLY
        moving = _moving(q, first, steps)
        often = times(len(steps))
        if len(moving) < len(steps):
            often = f"in {len(moving)} of {len(steps)} steps"
            evidence[0] = ("updates that changed it", f"{len(moving)} of {len(steps)}, the last at {run.moment(moving[-1])}")
        still = _still(q, steps, moving)
        rounded = _rounded(q, steps)
        little, still = little or bool(rounded), rounded or still
        return q.because(
            "moved",
            f"{q.name} {'hardly ' if little else ''}moved: {by} ({where}) changed it {often}"
            + (f", by at most {number(most)} in all" if little else ""),
            f"It was {run.texts.describe(first)} and is {run.texts.describe(last)}.{still}{_by_hooks(q, steps)}",
            _SPACED if rounded else _SMALL if little or still else "",
            step=steps[-1],
            nodes=[q.tensor],
            evidence=[*evidence, *([] if share is None else [("largest change of an element", number(most))])],
        )
    if (none := _no_rate(q, steps)) is not None:
        return none
    if not run.same(first, last):
        return q.because(
            "not_recorded",
            f"How far {q.name} moved is not in the recording, which holds no values of it: {by} ({where}) updated it "
            f"{times(len(steps))}",
            "",
            'Record the run with level="statistics" or level="values".',
            step=steps[-1],
            nodes=[q.tensor],
        )
    now = Question(q.paths, q.tensor, steps[-1] - 1, q.name)
    if now.history.grad(now.step) != NOTHING and run.zero(now.history.grad(now.step)):
        return because_of(q, present(now), f"{q.name} does not move because {q.name}.grad is zero when {by} runs ({where})", "")
    grad = run.texts.describe(now.history.grad(now.step))
    return q.because(
        "rounded",
        f"{q.name} does not move because what {by} adds ({where}) is too small for {q.history.info.dtype}",
        f"{q.name} is {run.texts.describe(last)} and its gradient {grad or 'None'}: the sum is rounded to what was "
        "there before.",
        "Raise the learning rate, or keep the parameters in a dtype with more digits.",
        step=steps[-1],
        nodes=[q.tensor],
        evidence=[*evidence, ("gradient", grad)],
    )


def ends(q: Question, steps: list[int]) -> tuple[int, int]:
    """The arrays that the tensor held before the first of its updates, and holds now."""
    filled = next((row.step for row in q.rows if row.kind == "backward"), q.history.born)
    return q.run.status(q.tensor, min(filled, steps[0] - 1)).array, q.run.status(q.tensor, q.step).array


def _puts_back(q: Question, steps: list[int]) -> tuple[list[int], bool]:
    """The writes of the program that follow a step which changed it, and give it values again that it had before that step;
    and whether what it holds now is what it held before all steps."""
    run, changes = q.run, q.history.changes
    if changes is None:
        return [], False
    updates, stepping = {*steps}, run.index.stepping
    held = [q.history.info.array]
    found: list[int] = []
    first = fresh = NOTHING
    for at in changes.steps:
        if at > q.step:
            break
        array = changes.at(at, q.status).array
        if at in updates or stepping[at]:
            first = len(held) if first == NOTHING else first
            fresh = len(held) if fresh == NOTHING else fresh
        elif fresh != NOTHING:
            earlier = {*held[:fresh][-_LOOKED:]}
            if any(run.same(array, old) for old in earlier) and run.differ(array, held[-1]):
                found.append(at)
            fresh = NOTHING
        held.append(array)
    before = {*held[: max(first, 0)][-_LOOKED:]}
    return found, bool(found) and any(run.same(q.status.array, old) for old in before)


def _put_back(q: Question, steps: list[int], back: list[int]) -> Reason:
    """What the optimizer does is undone by the program: with each step, or in the end."""
    run, by = q.run, _by(q, steps[-1])
    text = q.paths.statement(back[-1])
    each = len(back) == len(steps)
    when = "after each of them" if each and len(steps) > 1 else "afterwards"
    undone = f"{by} ({run.where(steps[-1])}) changed it {times(len(steps))}"
    return q.because(
        "put_back",
        f"{q.name} is what it was because {undone}, and {run.where(back[-1])} put earlier values back {when}",
        f"{text} writes values into {q.name} that it had before the step, so nothing is left of what the step did.",
        f"Put them back before {by}, not after it." if each else f"Where what was learned is to stay, leave {text} out.",
        step=back[-1],
        nodes=[q.tensor],
        evidence=[
            ("updates", f"{len(steps)}, the last at {run.moment(steps[-1])}"),
            ("put back", f"{times(len(back))}, the last at {run.moment(back[-1])}"),
            ("now", run.texts.describe(q.status.array)),
        ],
        wrong=each and len(steps) > 1,
    )


def _evidence(q: Question, steps: list[int]) -> list[tuple[str, str]]:
    """How often it was updated, and what it was and is."""
    run, (first, last) = q.run, ends(q, steps)
    return [
        ("updates", f"{len(steps)}, the last at {run.moment(steps[-1])}"),
        ("before", run.texts.describe(first)),
        ("now", run.texts.describe(last)),
    ]


def _no_rate(q: Question, steps: list[int]) -> Reason | None:
    """The answer where every step had a learning rate of 0, in all groups of the optimizer or in some."""
    run, last = q.run, q.run.events[steps[-1]]
    rates = [event.rates for s in steps if isinstance(event := run.events[s], Stepped) and event.rates]
    if not isinstance(last, Stepped) or len(rates) < len(steps) or not all(0 in each for each in rates):
        return None
    whose = "its group" if any(map(any, rates)) else ""
    given_rate = [given(made.call, 1, "lr") for made in optimizers(run) if made.kind == last.optimizer]
    schedule = schedules(run)
    set_by = ""
    if len(schedule) == 1 and not any(isinstance(rate, ast.Constant) and not rate.value for rate in given_rate):
        set_by = f": {schedule[0].kind} ({run.site_text(schedule[0].site)}) has set it to that"
    elif (made := constructor(q, last.optimizer)) is not None:
        set_by = f": {last.optimizer} is made at {run.site_text(made)}"
    shown = f" The groups have the rates {listed([f'{rate:.3g}' for rate in rates[-1]])}." if whose else ""
    return q.because(
        "rate_zero",
        f"{q.name} does not move because the learning rate{' of ' * bool(whose)}{whose} is 0 "
        f"{'whenever' if len(steps) > 1 else 'when'} {_by(q, steps[-1])} runs ({run.where(steps[-1])}){set_by}",
        f"What a step adds is the learning rate times what follows from the gradient.{shown}",
        "Look at lr=… and at the scheduler: print(opt.param_groups[0]['lr']) shows what it has come to.",
        step=steps[-1],
        nodes=[q.tensor],
        evidence=_evidence(q, steps),
        wrong=not whose,  # a group that is to stay as it is has a rate of its own
    )


def _moving(q: Question, first: int, steps: list[int]) -> list[int]:
    """The updates after which it holds other values than before, `first` before all; all of them where values were not kept."""
    run, arrays = q.run, q.run.recording.arrays
    known = [first, *(run.status(q.tensor, step).array for step in steps)]
    if any(array == NOTHING or arrays[array].data is None for array in known):
        return steps
    found = [step for step, (old, new) in zip(steps, pairwise(known), strict=True) if not run.same(old, new)]
    return found or steps


def _still(q: Question, steps: list[int], moving: list[int]) -> str:
    """What is to be said where the last steps changed nothing any more, and of the learning rate that they had."""
    run, after = q.run, [step for step in steps if step > moving[-1]]
    if len(after) < _LAST:
        return ""
    rates = [event.rates if isinstance(event := run.events[step], Stepped) else () for step in (steps[0], steps[-1])]
    alone = all(len({*each}) == 1 for each in rates)
    fell = f" The learning rate went from {rates[0][0]:.3g} to {rates[1][0]:.3g}." if alone and rates[0] != rates[1] else ""
    return (
        f" The last {len(after)} steps, those after {run.moment(moving[-1])}, left it as it was: what they add is 0, or too "
        f"small for {q.history.info.dtype}.{fell}"
    )


def standstill(q: Question) -> str:
    """That the last updates of a tensor changed nothing any more, and what became of the learning rate; "" where they did."""
    steps = [step for step in q.run.updates.get(q.tensor, ()) if step <= q.step]
    return _still(q, steps, _moving(q, ends(q, steps)[0], steps)).strip() if steps else ""


def _rounded(q: Question, steps: list[int]) -> str:
    """What is to be said where steps leave most elements as they were, by the rounding of half precision."""
    found = [unmoved(q.run, q.tensor, step) for step in steps[:: max(1, len(steps) // _SHOWN)]]
    shares = [each.share for each in found if each is not None]
    if not shares or len(shares) < len(found) or min(shares) < LOST:
        return ""
    dtype = next(each.dtype for each in found if each is not None)
    return (
        f" At each step {min(shares):.0%} of its elements, or more, stay bit for bit as they were although their gradient is "
        f"not zero: what is added to them is less than half the spacing of {dtype} there."
    )


def _by_hooks(q: Question, steps: list[int]) -> str:
    """What hooks made of its gradient in the last pass that an update used."""
    run = q.run
    filled = [row for row in q.rows if row.kind == "backward" and row.step < steps[-1]]
    entry = run.index.passes.get(filled[-1].number) if filled else None
    if entry is None:
        return ""
    within = [
        event
        for at in q.paths.hooks
        if entry.began < at < entry.ended
        and isinstance(event := run.events[at], HookRan)
        and event.tensor == q.tensor
        and NOTHING not in (event.before, event.after)
    ]
    if not within or not run.differ(within[0].before, within[-1].after):
        return ""
    count = "a hook on it" if len(within) == 1 else f"{len(within)} hooks on it"
    before, after = (run.texts.describe(array) for array in (within[0].before, within[-1].after))
    return f" In the last pass {count} made {after} of the gradient {before}."


def _change(q: Question, first: int, last: int) -> tuple[float, float | None]:
    """The largest change of an element, and which share of the largest element that is; None where the values are not kept."""
    before, after = q.run.recording.array(first), q.run.recording.array(last)
    if before is None or after is None or not before.size or before.shape != after.shape or before.dtype.kind != "f":
        return 0.0, None
    most = float(np.abs(after.astype(np.float64) - before).max())
    largest = float(np.abs(before.astype(np.float64)).max())
    return most, most / largest if largest and np.isfinite(most) else None


def written(q: Question) -> list[int]:
    """The steps at which the program wrote into it and changed it, its views among what wrote."""
    changes = q.history.changes
    if changes is None:
        return []
    found, before = [], q.history.info.array
    for step in changes.steps:
        if step > q.step:
            break
        array = changes.at(step, q.status).array
        if not q.run.same(array, before):  # what was not measured, a write has written all the same
            found.append(step)
        before = array
    return found


def _changed_in_place(q: Question, steps: list[int]) -> Reason:
    """No optimizer has it, and lines of the program write into it."""
    run = q.run
    lines = list(dict.fromkeys([run.where(s) for s in steps]))
    text = run.segment(run.site(steps[-1])) or run.line(run.site(steps[-1])).strip()
    scope = run.recording.scopes[run.events[steps[-1]].scope]
    if scope.module_class and spelled(q.name).rpartition(".")[0] == spelled(scope.module):
        mode = " in training mode" if scope.mode == "train" else ""
        explanation = f"{scope.module} ({scope.module_class}) is called{mode}, and each such call updates what it keeps of its "
        explanation += "batches, whether its parameters learn or are frozen."
        module = q.name.rpartition(".")[0]
        fix = f"Where {q.name} is to stay as it is, call {module}.eval(), again after each train() of what holds it."
    else:
        explanation = f"{text} writes in place. A slice is a view: what is written into it is written into {q.name}."
        fix = f"Where {q.name} is to stay as it is, write into a copy: .clone() of the part."
    return q.because(
        "changed_in_place",
        f"{q.name} changes because {listed(lines[:_SHOWN])} {'writes' if len(lines) == 1 else 'write'} into it, "
        f"{times(len(steps))}",
        explanation if q.history.changes is not None else "",
        fix,
        step=steps[-1],
        nodes=[q.tensor],
        evidence=[
            ("writes", f"{len(steps)}, the last at {run.moment(steps[-1])}"),
            ("before", run.texts.describe(q.history.info.array)),
            ("now", run.texts.describe(q.status.array)),
        ],
    )


def _idle(q: Question, steps: list[int]) -> Reason:
    """Optimizers have it and pass over it: `.grad` is None whenever they step."""
    run = q.run
    by, where = _by(q, steps[-1]), run.where(steps[-1])
    now = Question(q.paths, q.tensor, steps[-1] - 1, q.name)
    reason = absent(now)
    if reason.code == "cleared":
        return q.because(
            "cleared_before_step",
            f"{q.name} does not move because {q.name}.grad is cleared at {run.where(reason.moment)}, before {by} "
            f"uses it at {where}",
            f"{reason.explanation} A parameter whose .grad is None is passed over.",
            "Call zero_grad() before backward(), or after step().",
            step=reason.moment,
            nodes=[q.tensor],
            evidence=reason.evidence,
        )
    so = f"{q.name} does not move because {by} ({where}) skips it, as {q.name}.grad is None"
    return because_of(q, reason, so, "Call step() after backward()." if reason.code == "not_yet" else "")


def because_of(q: Question, reason: Reason, so: str, fix: str) -> Reason:
    """A reason of the gradient as that of the parameter."""
    return msgspec.structs.replace(
        reason,
        step=q.step,
        title=f"{so}: {reason.title.partition(' because ')[2] or reason.title}",
        fix=fix or reason.fix,
        wrong=reason.wrong or reason.code not in ("frozen", "needs_none"),
        requires_grad="",
    )


def _by(q: Question, step: int) -> str:
    event = q.run.events[step]
    return f"{event.optimizer}.step()" if isinstance(event, Stepped) else "the update"
