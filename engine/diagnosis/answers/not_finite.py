"""Why a value or a gradient is NaN or infinite: where that began, and the places through which it spread."""

from __future__ import annotations

from bisect import bisect_left

import msgspec
import numpy as np

from ...graph.structure.moments import iteration_of, iteration_text, main_of
from ...graph.structure.places import places_of
from ...graph.symbols import clip
from ...recording.columns import columns_of
from ...recording.events import NOTHING, NodeRan, OpRan
from ..fault_facts import Facts, of_derivative, of_operation
from ..fault_origin import Origin, Station, fault_word, origin_of
from ..paths import paths_of
from ..reason import Reason
from ..run import MAX_LABEL, Run
from .grad_query import Question

_HUGE = 1e4
"""How many times as large as at first a parameter is that has run away."""
_FEW = 32
"""Results that are looked at between where it began and a where that leaves it out."""
_LABELS = 9
"""Stations that are named; of a longer way those at its two ends."""


def value_not_finite(q: Question, grad: Reason) -> Reason | None:
    """The answer for a tensor whose own value is not finite, which matters more than what is said of its gradient."""
    found = origin_of(q.paths, q.tensor, q.step)
    return None if found is None else _answer(q, found, q.name, _beside(grad), [], _last_good(q))


def _beside(grad: Reason) -> str:
    """What is left to say of the gradient of what is not finite; of zeros nothing, which comparisons with NaN leave."""
    return f"{grad.title}." if grad.title and not grad.code.startswith("zero") else ""


def grad_not_finite(q: Question, evidence: list[tuple[str, str]], good: int) -> Reason | None:
    """The answer for a `.grad` that is not finite; `good` is the last iteration whose pass brought a finite one."""
    found = origin_of(q.paths, q.tensor, q.step, gradient=True)
    return None if found is None else _answer(q, found, f"{q.name}.grad", "", evidence, good)


def _last_good(q: Question) -> int:
    """The iteration before the first in which what is made at the tensor's place is not finite; where nothing says, a later one
    than there is."""
    recording = q.run.recording
    if main_of(recording) is None:
        return len(recording.events)
    places, tensors = places_of(recording), columns_of(recording).tensors
    alike = np.flatnonzero(places.tensor == places.place_of[q.tensor])
    faulty = alike[[q.run.fault(array) > 0 for array in tensors.array[alike].tolist()]]
    rows = [iteration_of(recording, step) for step in tensors.step[faulty].tolist() if step <= q.step]
    return min(rows, default=len(recording.events)) - 1


def _answer(q: Question, found: Origin, what: str, rest: str, evidence: list[tuple[str, str]], good: int) -> Reason:
    run, began = q.run, found.way[0]
    facts = _facts(run, found)
    step = found.step if facts is None else facts.step
    how, why, fix = _beginning(run, found, facts)
    grown = _grown(run, found) if found.kind in ("operation", "derivative") else None
    if grown is not None:
        why, fix = (
            f"{why} {grown}".strip(),
            "Make the learning rate smaller, or clip the gradients: torch.nn.utils.clip_grad_norm_.",
        )
    source = _tensor(run, began) if found.kind == "data" else facts.tensor if facts is not None else NOTHING
    hidden = _hidden(run, found, source) if found.kind in ("operation", "data") and source != NOTHING else None
    if hidden is not None:
        why, fix = f"{why} {hidden}", _SAFE
    total = iteration_text(run.recording, found.step)
    good = min(good, iteration_of(run.recording, found.step) - 1)
    told = [
        *(facts.evidence if facts is not None else ()),
        *([("began in", total)] if total else ()),
        *([("last good", f"iteration {good}")] if good >= 0 else ()),
        *evidence,
    ]
    loop = main_of(run.recording)
    nodes = [_tensor(run, one) for one in reversed(found.way)]
    if facts is not None:
        nodes += [facts.tensor, *facts.inputs]
    reason = q.because(
        "not_finite",
        f"{what} is {fault_word(found.way[-1].fault)}: {how}",
        " ".join(part for part in (why, _spread(run, found.way, began), _reach(run, found.way), rest) if part),
        fix,
        step=step,
        nodes=nodes,
        evidence=told,
    )
    return msgspec.structs.replace(reason, good=int(loop.ends[good])) if loop is not None and good >= 0 else reason


def _facts(run: Run, found: Origin) -> Facts | None:
    if found.kind == "operation":
        return of_operation(run, found.step)
    event = run.events[found.step]
    if found.kind == "derivative" and found.entry is not None and found.sent is not None and isinstance(event, NodeRan):
        return of_derivative(run, found.entry, found.step, event, found.sent)
    return None


def _beginning(run: Run, found: Origin, facts: Facts | None) -> tuple[str, str, str]:
    """How it began, why, and what to do."""
    began = found.way[0]
    name, where = run.title(_tensor(run, began)), run.moment(found.step)
    if facts is not None:
        part = "the derivative of " if found.kind == "derivative" else ""
        return f"it began with {part}{_operation(run, facts)} at {run.moment(facts.step)}", facts.why, facts.fix
    if found.kind == "data":
        fix = "Check what is put in: torch.isfinite(x).all(), or torch.nan_to_num."
        if not run.tensors[_tensor(run, began)].first_name and (text := paths_of(run.recording).statement(found.step)):
            name = clip(text, MAX_LABEL)
        return f"it came in with {name} at {where}", "The data that is given there is not finite.", fix
    if found.kind == "root" and found.entry is not None:
        fix = "Start the pass with a gradient that is finite."
        return f"backward pass {found.entry.number} was started with it at {run.moment(found.entry.began)}", "", fix
    if found.kind == "set":
        return f"{name}.grad was set to it at {where}", "", "Look at what is assigned there."
    if found.kind == "derivative":
        return f"it began with the sum of what reached {name} at {where}", "The gradients add up to what is too large.", _SCALE
    fix = "Record that iteration whole: then this says which operation it comes from."
    return f"it was first seen in {name} at {where}", "What led there was not recorded operation by operation.", fix


def _hidden(run: Run, found: Origin, source: int) -> str | None:
    """That the value does not show in the pass's root, because a where or a mask leaves it out; None where it does show."""
    number = next((one.number for one in found.way if one.number), 0)
    entry = run.index.passes.get(number)
    if found.kind == "data":
        # It comes anew with each iteration; what tells is the first pass that it did harm to.
        later = (each for each in run.passes if each.began > found.step)
        entry = next((each for each in later if any(run.fault(event.total) for _, event in run.fills(each))), None)
    if entry is None or any(run.fault(run.status(root, entry.began).array) for root, _ in entry.event.roots):
        return None
    leaving = run.having("leaves_out") | run.having("branches") | run.having("masks")
    queue, seen = [source], {source}
    for tensor in queue:
        for step in run.consumers.get(tensor, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or len(queue) > _FEW:
                continue
            if event.op in leaving:
                return (
                    f"Its result is left out at {run.where(step)}; that hides a value, not its derivative: the gradient of 0 "
                    "that comes back is multiplied by that, and 0 times NaN or infinity is NaN."
                )
            made = [info.id for info in event.outputs if run.fault(info.array) and info.id not in seen]
            made += [write.tensor for write in event.written if run.fault(write.array) and write.tensor not in seen]
            seen.update(made)
            queue += made
    return None


_SAFE = (
    "Make the input safe before the operation, not its result after it: torch.where(ok, x, 1.0) inside, and where() again "
    "outside."
)
_SCALE = "Scale the loss or the values down."


def _operation(run: Run, facts: Facts) -> str:
    """The operation with the number it was given, "log(0)"; one that is not written by its name as the program writes it."""
    written = run.expression(run.site(facts.step))
    if facts.op.strip("_") in written or not written or len(written) > MAX_LABEL:
        return f"{facts.op}({facts.given})" if facts.given else facts.op
    return f"{written}, given {facts.given}," if facts.given else written


def _grown(run: Run, found: Origin) -> str | None:
    """That updates had made a parameter very large by then: the steps were too large; None where none had grown so."""
    sizes = run.recording.stored.statistics
    worst: tuple[float, int, float, float] | None = None
    for leaf, steps in run.updates.items():
        if not steps or steps[0] >= found.step:
            continue
        first, last = (run.status(leaf, step).array for step in (steps[0] - 1, found.step - 1))
        before, after = (max(abs(float(sizes.min[array])), abs(float(sizes.max[array]))) for array in (first, last))
        if after >= _HUGE * max(before, 1.0) and (worst is None or after > worst[0]):
            worst = after, leaf, before, after
    if worst is None:
        return None
    _, leaf, before, after = worst
    count = sum(step < found.step for step in run.updates[leaf])
    step = next((event for at, event in reversed(run.optimizer_steps) if at < found.step and leaf in event.parameters), None)
    rate = f" with a learning rate of {step.rates[0]:.3g}" if step is not None and step.rates else ""
    return f"Before that, {count} updates{rate} had made {run.title(leaf)} grow from {before:.3g} to {after:.3g}."


def _tensor(run: Run, station: Station) -> int:
    return run.index.owners.get((station.id, 0), NOTHING) if station.kind == "node" else station.id


# --- the way ------------------------------------------------------------------------------------------------------------------


def _spread(run: Run, way: tuple[Station, ...], began: Station) -> str:
    """The places that it went through, in order: "From there it spread: loss (line 36) → backward pass 138 → …"."""
    labels: list[str] = []
    during = run.during(began.step)
    for station in way[1:]:
        now = run.during(station.step)
        where = run.where(station.step) + (f", {now}" if now and now != during else "")
        for label in _labels(run, station, where):
            if not labels or labels[-1].partition(" (")[0] != label.partition(" (")[0]:
                labels.append(label)
                during = now or during
    if not labels:
        return ""
    if len(labels) > _LABELS:
        half = _LABELS // 2
        labels = [*labels[: half + 1], f"… {len(labels) - 2 * half - 1} more …", *labels[-half:]]
    return f"From there it spread: {' → '.join(labels)}."


def _labels(run: Run, station: Station, where: str) -> list[str]:
    if station.kind == "node":
        return [f"backward pass {station.number} ({run.moment(run.index.passes[station.number].began)})"]
    name = run.title(station.id)
    if station.kind == "grad":
        return [f"{name}.grad"]
    history = run.tensors[station.id]
    if run.index.stepping[station.step]:
        return [f"{_optimizer(run, station.step)} ({where})", name]
    return [f"{name} ({where})"] if history.first_name or history.info.is_parameter else []


def _optimizer(run: Run, step: int) -> str:
    steps = run.optimizer_steps
    at = bisect_left(steps, step, key=lambda pair: pair[0])
    return f"{steps[at][1].optimizer}.step" if at < len(steps) else "the update"


def _reach(run: Run, way: tuple[Station, ...]) -> str:
    """How much of a pass it took, where it went through one."""
    number = next((one.number for one in way if one.number and one.kind == "grad"), 0)
    if not number:
        return ""
    fills = [bool(run.fault(event.total)) for _, event in run.fills(run.index.passes[number])]
    return f"Backward pass {number} brings it to {sum(fills)} of {len(fills)} gradients." if len(fills) > 1 else ""
