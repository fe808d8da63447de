"""Rules about NaN and infinities: where the first one came from, in the forward or in the backward direction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...graph.numbers import number
from ...graph.structure.moments import iteration_of, iterations_text, main_of
from ...graph.structure.places import places_of
from ...recording.columns import columns_of
from ...recording.events import NOTHING, Accumulated, BackwardBegan, NodeRan, OpRan, Sent
from ...recording.index import Pass
from ...recording.levels import iterations_of
from ..failed_passes import failing_node
from ..reason import Finding
from ..run import NAN, Run, finding, key
from .reasons import backward_reason, forward_reason
from .registry import rule


class Symptom(NamedTuple):
    """The first event at which a NaN or an infinity does harm."""

    step: int
    what: str
    tensor: int = NOTHING
    """The tensor that is not finite; NOTHING if a gradient is."""
    entry: Pass | None = None


@rule(150, everywhere=True)
def not_finite(run: Run) -> Iterator[Finding]:
    """A loss, a gradient or a result is NaN or infinite; the finding is about the operation it began with."""
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
        run, "not_finite_unseen", "error",
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
    if run.passes:
        return None
    for step, event in run.ops:
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
        given = [m for m in literal if not turned or any(run.fault(i.array) & NAN for i in _outputs(run, m))]
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


def _outputs(run: Run, step: int) -> list[Any]:
    event = run.events[step]
    return [*event.outputs, *event.written] if isinstance(event, OpRan) else []


def _gives(run: Run, event: OpRan) -> bool:
    """Whether an operation may only have put an infinity where the program told it to."""
    return event.op in run.having("given") or event.op in run.having("creation")


def _forward(run: Run, symptom: Symptom, origin: int, nan: int) -> Finding:
    event = run.events[origin]
    assert isinstance(event, OpRan)
    result = _outputs(run, origin)[0]
    array = next((a for a in (r.array for r in _outputs(run, origin)) if run.fault(a)), result.array)
    values = run.recording.array(array)
    tensor = event.outputs[0].id if event.outputs else event.written[0].tensor
    index = _first_bad(values)
    inputs = [(a.name, a.tensor, _at(run.values(a.tensor, origin - 1), index, values)) for a in event.inputs if a.tensor >= 0]
    texts = {a.name: a.text for a in event.inputs if a.tensor < 0}
    why, fix = forward_reason(
        event.op, run.traits(event.op), [(n, v) for n, _, v in inputs], texts, None if values is None else values[index]
    )
    word = _word(run, array)
    evidence = [("operation", f"{event.op} at {run.where(origin)}")]
    for _, source, value in inputs[:3]:
        name = run.title(source)
        if value is None:
            evidence.append((name, run.texts.describe(run.status(source, origin - 1).array)))
        else:
            evidence.append((f"{name}{_index_text(run, source, index)}", number(value)))
    if values is not None:
        evidence.append((f"result{list(index) if index else ''}", number(values[index].item())))
        evidence.append(("elements", f"{int((~np.isfinite(values)).sum())} of {values.size}"))
    if nan not in (NOTHING, origin):
        later = run.events[nan]
        assert isinstance(later, OpRan)
        evidence.append(("first NaN", f"{later.op} at {run.where(nan)}"))
        why += f" {later.op} at {run.where(nan)} then makes NaN of it."
    evidence.append(("first harm", f"{symptom.what} ({run.where(symptom.step)})"))
    evidence += [*_not_finite_in(run, tensor), *_last_good(run, origin)]
    return finding(
        run, "nan" if run.fault(array) & NAN or nan != NOTHING else "inf", "error",
        f"The first {word} comes from {event.op} at {run.where(origin)}.",
        f"{why} From there it reaches {symptom.what}.",
        fix,
        step=origin,
        related=[run.site(nan), run.site(symptom.step)],
        evidence=evidence,
        nodes=[key(tensor), *(key(source) for _, source, _ in inputs), *([key(symptom.tensor)] if symptom.tensor >= 0 else [])],
    )  # fmt: skip


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


def _word(run: Run, array: int) -> str:
    return "NaN" if run.fault(array) & NAN else "infinity"


def _first_bad(values: NDArray[Any] | None) -> tuple[int, ...]:
    if values is None or not values.ndim:
        return ()
    bad = ~np.isfinite(values)
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), values.shape))


def _at(values: NDArray[Any] | None, index: tuple[int, ...], result: NDArray[Any] | None) -> Any:
    """The element of an input that belongs to an element of the result, if both are of one shape after broadcasting."""
    if values is None or result is None:
        return None
    try:
        element = np.broadcast_to(values, result.shape)[index]
    except ValueError:
        return None
    return element.item()


def _index_text(run: Run, tensor: int, index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]" if index and len(run.tensors[tensor].info.shape) == len(index) else ""


# --- backward ---------------------------------------------------------------------------------------------------------


def _backward(run: Run, symptom: Symptom, entry: Pass) -> Iterator[Finding]:
    for step in entry.ran.steps:
        event = run.events[step]
        if not isinstance(event, NodeRan) or any(run.fault(r) for r in event.received):
            continue
        bad = [s for s in event.sent if s is not None and run.fault(s.array)]
        if bad:
            yield _at_node(run, symptom, entry, step, event, bad[0])
            return
    if "returned nan" in getattr(run.events[entry.ended], "error", "") if entry.ended < len(run.events) else False:
        yield from _stopped_by_anomaly_mode(run)


def _at_node(run: Run, symptom: Symptom, entry: Pass, step: int, event: NodeRan, sent: Sent) -> Finding:
    history = run.nodes[event.node]
    maker = history.event
    born = history.born
    target = run.index.owners.get((sent.node, sent.input), NOTHING)
    array = sent.raw if sent.raw != NOTHING and run.fault(sent.raw) else sent.array
    values = run.recording.array(array)
    index = _first_bad(values)
    received = _at(run.recording.array(event.received[0]) if event.received else None, index, values)
    evidence = [("node", f"{history.info.name} ({run.where(born)})")]
    if received is not None:
        evidence.append(("gradient that arrives", number(received)))
    inputs: list[tuple[str, Any]] = []
    nodes = [f"n{event.node}"]
    op = history.info.name
    texts: dict[str, str] = {}
    if isinstance(maker, OpRan):
        op = maker.op
        texts = {a.name: a.text for a in maker.inputs if a.tensor < 0}
        for a in maker.inputs:
            if a.tensor == NOTHING:
                continue
            given = run.values(a.tensor, born - 1)
            value = _at(given, index, values)
            inputs.append((a.name, value))
            if value is not None and len(inputs) <= 3:
                evidence.append((f"{run.title(a.tensor)}{_index_text(run, a.tensor, index)}", number(value)))
            elif given is not None and given.size and not given.any():
                inputs[-1] = (a.name, 0.0)
                evidence.append((run.title(a.tensor), "zero everywhere"))
        nodes += [key(i.id) for i in maker.outputs]
    if values is not None:
        to = f" to {run.title(target)}" if target != NOTHING else ""
        evidence.append((f"gradient it sends{to}{list(index) if index else ''}", number(values[index].item())))
        evidence.append(("elements", f"{int((~np.isfinite(values)).sum())} of {values.size}"))
    evidence.append(("first harm", f"{symptom.what} ({run.where(symptom.step)})"))
    evidence += _last_good(run, step)
    mask = _mask_before(run, entry, step) if received == 0 else NOTHING
    why, fix = backward_reason(op, run.traits(op), inputs, texts, received, run.where(mask) if mask != NOTHING else "")
    if mask != NOTHING:
        evidence.insert(1, ("branch that was not taken", run.where(mask)))
    return finding(
        run, "nan_gradient" if run.fault(array) & NAN or _turns_nan(run, entry) else "inf_gradient", "error",
        f"The first {_word(run, array)} of {_pass(run, entry)} comes from the derivative of {op} ({run.where(born)}).",
        f"{why} From there it reaches {symptom.what}.",
        fix,
        step=step,
        site=run.site(born),
        related=[run.site(entry.began), run.site(mask)],
        evidence=evidence,
        nodes=[*nodes, *([key(target)] if target != NOTHING else [])],
    )  # fmt: skip


def _turns_nan(run: Run, entry: Pass) -> bool:
    return any(run.fault(e.total) & NAN for _, e in run.fills(entry))


def _mask_before(run: Run, entry: Pass, step: int) -> int:
    """The step of the where or mask through which the pass came before, or NOTHING."""
    for at in reversed([s for s in entry.ran.steps if s < step]):
        event = run.events[at]
        if isinstance(event, NodeRan):
            maker = run.nodes[event.node].event
            if isinstance(maker, OpRan) and maker.op in run.having("leaves_out"):
                return run.nodes[event.node].born
    return NOTHING


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
        run, "nan_gradient", "error",
        f"The derivative of {op} ({run.where(history.born)}) is NaN.",
        "Anomaly detection stopped the backward pass at the first NaN.",
        "Keep the inputs of this operation away from where its derivative does not exist.",
        step=entry.began,
        site=run.site(history.born),
        related=[run.site(entry.began)],
        evidence=[("error", run.raised[1].message)],
        nodes=[f"n{node}"],
    )  # fmt: skip
