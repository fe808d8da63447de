"""Rules about NaN and infinities: where the first one came from, in the forward or in the backward direction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ...graph.structure.moments import iteration_of, iterations_text, main_of
from ...graph.structure.places import places_of
from ...recording.columns import columns_of
from ...recording.events import NOTHING, Accumulated, BackwardBegan, NodeRan, OpRan, Sent
from ...recording.index import Pass
from ...recording.levels import iterations_of
from ..failed_passes import failing_node
from ..fault_facts import covering_mask, of_derivative, of_operation, outputs, word
from ..mending import keyword
from ..mends.numbers import kept_inside
from ..reason import Finding, Kind
from ..run import NAN, Run, finding, key, said
from .refusals import refused_nan
from .registry import rule

NAN_VALUE = Kind("nan", "error", "A result is NaN, and it, or the loss, is used.", True)
INF_VALUE = Kind("inf", "error", "A result is infinite, and it, or the loss, is used.", True)
NAN_GRADIENT = Kind("nan_gradient", "error", "A gradient is NaN though the forward pass was finite.", True)
INF_GRADIENT = Kind("inf_gradient", "error", "A gradient is infinite though the forward pass was finite.", True)
NOT_FINITE_UNSEEN = Kind("not_finite_unseen", "error", "NaN or an infinity came about where the recording is thin.")


class Symptom(NamedTuple):
    """The first event at which a NaN or an infinity does harm."""

    step: int
    what: str
    tensor: int = NOTHING
    """The tensor that is not finite; NOTHING if a gradient is."""
    entry: Pass | None = None


@rule(150, NAN_VALUE, INF_VALUE, NAN_GRADIENT, INF_GRADIENT, NOT_FINITE_UNSEEN, everywhere=True)
def not_finite(run: Run) -> Iterator[Finding]:
    """A loss, a gradient or a result is NaN or infinite; the finding is about the operation it began with, which is what ended
    the program where a function has refused the NaN."""
    refused = refused_nan(run)
    for found in _not_finite(run):
        yield replace(found, ends=True, evidence=(("error", said(run)), *found.evidence)) if refused is not None else found


def _not_finite(run: Run) -> Iterator[Finding]:
    if not any(run.faults):
        yield from _stopped_by_anomaly_mode(run)
        return
    symptom = _first_symptom(run)
    if symptom is None:
        return
    before = max([entry.began for entry in run.passes if entry.began < symptom.step - 1], default=0)
    if not run.knows("operations", before, symptom.step):
        yield _unseen(run, symptom)
        return
    if symptom.tensor != NOTHING:
        origin = _forward_origin(run, symptom.tensor, symptom.step)
        if origin is not None:
            yield _forward(run, symptom, *origin)
    elif symptom.entry is not None:
        yield from _backward(run, symptom, symptom.entry)


def _unseen(run: Run, symptom: Symptom) -> Finding:
    """It came about where the recording is thin or silent, so it is not known how."""
    iteration = iterations_of(run.recording).at(symptom.step)
    title = f"NaN or an infinity is in {symptom.what}"
    return finding(
        run, NOT_FINITE_UNSEEN,
        f"{title}, for the first time in iteration {iteration:,} or just before." if iteration >= 0 else f"{title}.",
        "What led there was not recorded operation by operation, because there was no room for all of the run.",
        f"Record iteration {iteration:,} whole: then this says which operation it comes from."
        if iteration >= 0 else "Raise the limit of events, or shorten the program.",
        step=symptom.step,
        evidence=[("first seen at", run.where(symptom.step))],
        nodes=[key(symptom.tensor)] if symptom.tensor != NOTHING else [],
    )  # fmt: skip


def _first_symptom(run: Run) -> Symptom | None:
    for entry in run.passes:
        for step in range(entry.began, min(entry.ended + 1, len(run.events))):
            event = run.events[step]
            if isinstance(event, BackwardBegan) and step == entry.began:
                for tensor, _ in event.roots:
                    if run.fault(run.status(tensor, step).array):
                        return Symptom(step, f"{run.title(tensor)}, the root of {_pass(run, entry)}", tensor)
            elif isinstance(event, Accumulated) and event.number == entry.number and run.fault(event.total):
                return Symptom(step, f"{run.title(event.tensor)}.grad", entry=entry)
        if entry.event.via == "grad" and _ends_faulty(run, entry):
            return Symptom(entry.began, f"the result of grad at {run.where(entry.began)}", entry=entry)
        failed = getattr(run.events[entry.ended], "error", "") if entry.ended < len(run.events) else ""
        if "returned nan values" in failed:
            return Symptom(entry.began, _pass(run, entry), entry=entry)
    refused = refused_nan(run)
    if refused is not None:
        return Symptom(refused[0], refused[1].text, refused[1].tensor)
    for step, event in run.ops if not run.passes else ():
        for info in event.outputs:
            if info.requires_grad and info.id not in run.consumers and run.fault(info.array) & NAN:
                return Symptom(step, run.title(info.id), info.id)
    return None


def _ends_faulty(run: Run, entry: Pass) -> bool:
    """Whether a NaN or an infinity is among the gradients that a pass sends to where it does not go on."""
    for step in entry.ran.steps:
        event = run.events[step]
        if isinstance(event, NodeRan):
            for sent in event.sent:
                if sent is not None and sent.node not in entry.ran_at and run.fault(sent.array):
                    return True
    return False


# --- forward ----------------------------------------------------------------------------------------------------------


def _forward_origin(run: Run, tensor: int, step: int) -> tuple[int, int] | None:
    """The operation with which the trouble began, and the one that first made NaN (NOTHING if none did)."""
    queue = [(tensor, step)]
    seen: set[tuple[int, int]] = set()
    makers: dict[int, int] = {}
    origins: list[int] = []
    literal: list[int] = []
    turned: list[int] = []
    while queue:
        t, at = queue.pop()
        maker = makers[t] if t in makers else makers.setdefault(t, _maker(run, t, at))
        if (t, maker) in seen:
            continue
        seen.add((t, maker))
        event = run.events[maker]
        if not isinstance(event, OpRan):
            continue
        bad = [(i, run.fault(run.status(i, maker - 1).array)) for i in run.inputs(event)]
        bad = [(i, fault) for i, fault in bad if fault]
        result = _fault_after(run, event, t)
        if result & NAN and not any(fault & NAN for _, fault in bad):
            turned.append(maker)
        if bad:
            queue += [(i, maker - 1) for i, fault in bad if not result & NAN or fault & NAN or not any(f & NAN for _, f in bad)]
        elif not run.inputs(event) or (_gives(run, event) and not result & NAN):
            literal.append(maker)
        else:
            origins.append(maker)
    if not origins:
        # An infinity that the program wrote itself, as in a mask, is no trouble until something makes NaN of it.
        given = [m for m in literal if not turned or any(run.fault(i.array) & NAN for i in outputs(run, m))]
        origins = given or turned
    return (min(origins), min(turned, default=NOTHING)) if origins else None


def _maker(run: Run, tensor: int, step: int) -> int:
    """The step that gave a tensor the faulty values it has at `step`: its birth or a write."""
    history = run.tensors[tensor]
    if run.fault(history.info.array) or history.changes is None:
        return history.born
    for at, status in zip(history.changes.steps, history.changes.values, strict=True):
        if at <= step and run.fault(status.array):
            return at
    return history.born


def _fault_after(run: Run, event: OpRan, tensor: int) -> int:
    arrays = [i.array for i in event.outputs if i.id == tensor] + [w.array for w in event.written if w.tensor == tensor]
    return max((run.fault(a) for a in arrays), default=0)


def _gives(run: Run, event: OpRan) -> bool:
    """Whether an operation may only have put an infinity where the program told it to."""
    return event.op in run.having("given") or event.op in run.having("creation")


def _forward(run: Run, symptom: Symptom, origin: int, nan: int) -> Finding:
    facts = of_operation(run, origin)
    evidence, why = facts.evidence, facts.why
    if nan not in (NOTHING, origin):
        later = run.events[nan]
        assert isinstance(later, OpRan)
        evidence.append(("first NaN", f"{later.op} at {run.where(nan)}"))
        why += f" {later.op} at {run.where(nan)} then makes NaN of it."
    evidence.append(("first harm", f"{symptom.what} ({run.where(symptom.step)})"))
    evidence += [*_not_finite_in(run, facts.tensor), *_last_good(run, origin)]
    evidence = list(dict.fromkeys(evidence))  # an operation may be given one tensor twice
    fix, source = facts.fix, facts.op
    changes = kept_inside(run, origin, backward=False)
    if (covering := covering_mask(run, origin)) != NOTHING:
        changes = keyword(run, run.site(covering), "diagonal", "1")
    elif _logarithms_as_target(run, origin):
        source = f"kl_div, from its {facts.op},"
        why += " kl_div takes its target for probabilities, and these are their logarithms."
        fix = "Say log_target=True, or give it probabilities: softmax instead of log_softmax."
        changes = keyword(run, run.site(origin), "log_target", "True")
    return finding(
        run, NAN_VALUE if run.fault(facts.array) & NAN or nan != NOTHING else INF_VALUE,
        f"The first {word(run, facts.array)} comes from {source} at {run.where(origin)}.",
        f"{why} From there it reaches {symptom.what}.",
        fix,
        step=origin,
        related=[run.site(nan), run.site(symptom.step)],
        evidence=evidence,
        nodes=[*facts.nodes, *([key(symptom.tensor)] if symptom.tensor >= 0 else [])],
        steps=_from_then_on(run, symptom.step),
        changes=changes,
    )  # fmt: skip


def _logarithms_as_target(run: Run, step: int) -> bool:
    """Whether it is the part of kl_div that takes the logarithm of the target, and the target has no positive element."""
    event = run.events[step]
    assert isinstance(event, OpRan)
    if event.op != "xlogy" or "kl" not in run.expression(run.site(step)).partition("(")[0].lower():
        return False
    target = run.values(run.argument(event, "self"), step - 1)
    return target is not None and target.size > 0 and bool((target <= 0).all())


def _from_then_on(run: Run, step: int) -> list[int]:
    """The passes from a step on that begin with or bring what is not finite."""
    found = []
    for entry in run.passes:
        if entry.ended < step:
            continue
        roots = any(run.fault(run.status(tensor, entry.began).array) for tensor, _ in entry.event.roots)
        if roots or any(run.fault(event.total) for _, event in run.fills(entry)):
            found.append(entry.began)
    return found


def _pass(run: Run, entry: Pass) -> str:
    during = run.during(entry.began)
    return f"backward pass {entry.number}" + (f" in {during}" if during else "")


def _not_finite_in(run: Run, tensor: int) -> list[tuple[str, str]]:
    """In which iterations what is made at a tensor's place is not finite."""
    recording = run.recording
    if main_of(recording) is None:
        return []
    places, tensors = places_of(recording), columns_of(recording).tensors
    alike = np.flatnonzero(places.tensor == places.place_of[tensor])
    faulty = alike[[run.fault(array) > 0 for array in tensors.array[alike].tolist()]]
    found = iterations_text(recording, tensors.step[faulty].tolist())
    return [("not finite in", found)] if found else []


def _last_good(run: Run, step: int) -> list[tuple[str, str]]:
    """The iteration before the one in which the trouble began."""
    row = iteration_of(run.recording, step)
    return [("last good", f"iteration {row - 1}")] if row > 0 else []


# --- backward ---------------------------------------------------------------------------------------------------------


def _backward(run: Run, symptom: Symptom, entry: Pass) -> Iterator[Finding]:
    for step in entry.ran.steps:
        event = run.events[step]
        if not isinstance(event, NodeRan) or any(run.fault(r) for r in event.received):
            continue
        bad = [s for s in event.sent if s is not None and run.fault(s.array)]
        if bad:
            # What a where leaves out of the loss is NaN all the same: then the derivative only hands on what it was given.
            given = _given_nan(run, event.node)
            hidden = _forward_origin(run, given, entry.began) if given != NOTHING else None
            if hidden is None or not run.inputs_at(hidden[0]):
                # Data with NaN that a where takes out of the loss are known of: it comes too late for the derivative.
                yield _at_node(run, symptom, entry, step, event, bad[0])
            else:
                yield _forward(run, symptom, *hidden)
            return
    if "returned nan" in getattr(run.events[entry.ended], "error", "") if entry.ended < len(run.events) else False:
        yield from _stopped_by_anomaly_mode(run)


def _given_nan(run: Run, node: int) -> int:
    """A tensor with NaN among what the operation of a node was given; NOTHING where none has any."""
    history = run.nodes[node]
    inputs = run.inputs(history.event) if isinstance(history.event, OpRan) else []
    return next((t for t in inputs if run.fault(run.status(t, history.born).array) & NAN), NOTHING)


def _at_node(run: Run, symptom: Symptom, entry: Pass, step: int, event: NodeRan, sent: Sent) -> Finding:
    facts = of_derivative(run, entry, step, event, sent)
    evidence = [*facts.evidence, ("first harm", f"{symptom.what} ({run.where(symptom.step)})"), *_last_good(run, step)]
    return finding(
        run, NAN_GRADIENT if run.fault(facts.array) & NAN or _turns_nan(run, entry) else INF_GRADIENT,
        f"The first {word(run, facts.array)} of {_pass(run, entry)} comes from the derivative of {facts.op} "
        f"({run.where(facts.step)}).",
        f"{facts.why} From there it reaches {symptom.what}.",
        facts.fix,
        step=step,
        site=run.site(facts.step),
        related=[run.site(entry.began), run.site(facts.mask)],
        evidence=evidence,
        nodes=facts.nodes,
        steps=_from_then_on(run, symptom.step),
        ends=run.raised is not None and "returned nan values" in run.raised[1].message,
        changes=kept_inside(run, facts.step, backward=True),
    )  # fmt: skip


def _turns_nan(run: Run, entry: Pass) -> bool:
    return any(run.fault(e.total) & NAN for _, e in run.fills(entry))


def _stopped_by_anomaly_mode(run: Run) -> Iterator[Finding]:
    if run.raised is None or "returned nan values" not in run.raised[1].message or not run.passes:
        return
    entry = run.passes[-1]
    node = failing_node(run, entry)
    if node == NOTHING:
        return
    history = run.nodes[node]
    op = history.event.op if isinstance(history.event, OpRan) else history.info.name
    yield finding(
        run, NAN_GRADIENT,
        f"The derivative of {op} ({run.where(history.born)}) is NaN.",
        "Anomaly detection stopped the backward pass at the first NaN.",
        "Keep the inputs of this operation away from where its derivative does not exist.",
        step=entry.began,
        site=run.site(history.born),
        related=[run.site(entry.began)],
        evidence=[("error", said(run))],
        nodes=[f"n{node}"],
        ends=True,
    )  # fmt: skip
