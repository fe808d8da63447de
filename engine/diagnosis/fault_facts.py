"""The facts about where NaN or an infinity began: the operation or derivative, the numbers it was given, and what to do."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..graph.numbers import number
from ..recording.events import NOTHING, NodeRan, OpRan, Sent
from ..recording.index import Pass
from .fault_reasons import backward_reason, forward_reason, telling, telling_of_derivative
from .run import NAN, Run, key

Telling: TypeAlias = Callable[[str, Collection[str], int, float, float], float | None]
"""Gives the number at which an operation, with these traits, fails, of an input's place and its least and largest number."""
_SQUARE_LOST = 5.4e-3
"""The size of a gradient below which a thousandth of its square, what an average begins with, is zero in float16."""


class Facts(NamedTuple):
    """What is known of one beginning."""

    op: str
    step: int
    """Where the operation ran."""
    why: str
    fix: str
    evidence: list[tuple[str, str]]
    array: int
    """What is not finite."""
    tensor: int
    """What the operation made."""
    inputs: list[int]
    given: str
    """The number that it was given, where it is one that tells: "-1"."""
    nodes: list[str]
    mask: int = NOTHING
    """For a derivative: the step of the branch that was not taken."""


def of_operation(run: Run, step: int) -> Facts:
    """An operation that makes what is not finite of what is."""
    event = run.events[step]
    assert isinstance(event, OpRan)
    made = outputs(run, step)
    result = made[0]
    array = next((a for a in (r.array for r in made) if run.fault(a)), result.array)
    values = run.recording.array(array)
    tensor = event.outputs[0].id if event.outputs else event.written[0].tensor
    index = _first_bad(values)
    taken = [(a.name, a.tensor, run.status(a.tensor, step - 1).array) for a in event.inputs if a.tensor >= 0]
    inputs = [(name, source, _at(run.recording.array(given), index, values)) for name, source, given in taken]
    if values is None:
        inputs = [(name, source, _extreme(run, event, telling, k, given)) for k, (name, source, given) in enumerate(taken)]
    texts = {a.name: a.text for a in event.inputs if a.tensor < 0}
    why, fix = forward_reason(
        event.op, run.traits(event.op), [(n, v) for n, _, v in inputs], texts,
        values[index] if values is not None else math.nan if run.fault(array) & NAN else math.inf,
    )  # fmt: skip
    if not event.outputs and (half := _step_in_half(run, step, tensor, index)):
        why, fix = half
    covering = covering_mask(run, step)
    if covering != NOTHING:
        text = run.segment(run.site(covering)) or "triu()"
        fix = f"{text} at {run.where(covering)} masks the diagonal, too, so that the first position sees nothing: diagonal=1."
    evidence = [("operation", f"{event.op} at {run.where(step)}")]
    for _, source, value in inputs[:3]:
        name = run.title(source)
        if value is None or values is None:
            evidence.append((name, run.texts.describe(run.status(source, step - 1).array)))
            evidence += [] if value is None else [(f"an element of {name}", number(value))]
        else:
            evidence.append((f"{name}{_index_text(run, source, index)}", number(value)))
    if values is not None:
        evidence.append((f"result{list(index) if index else ''}", number(values[index].item())))
        evidence.append(("elements", f"{int((~np.isfinite(values)).sum())} of {values.size}"))
    sources = [source for _, source, _ in inputs]
    given = next((number(value) for _, _, value in inputs if value is not None), "") if len(inputs) == 1 else ""
    nodes = [key(tensor), *(key(source) for source in sources)]
    return Facts(event.op, step, why, fix, evidence, array, tensor, sources, given, nodes)


def _step_in_half(run: Run, step: int, tensor: int, index: tuple[int, ...]) -> tuple[str, str] | None:
    """Why an optimizer's step leaves what is not finite in half precision, and the fix: its divisor, the root of averaged
    squares and an epsilon, has come to zero there. None where that is not so."""
    gradient = run.recording.array(run.tensors[tensor].grad(step))
    after = bisect_right(run.optimizer_steps, step, key=lambda entry: entry[0])
    if gradient is None or gradient.dtype != np.float16 or after == len(run.optimizer_steps):
        return None
    _, event = run.optimizer_steps[after]
    element = float(gradient[index])
    if tensor not in event.parameters or not abs(element) < _SQUARE_LOST:
        return None
    return (
        f"{event.optimizer} divides by the root of averaged squares of the gradient, plus eps. In float16 both are zero here: "
        f"the gradient is {number(element)}, its square too small a number, and so is the usual eps of 1e-8.",
        f"Give {event.optimizer} an eps that float16 holds, eps=1e-4; or better keep the parameters in float32, and compute in "
        "half precision with torch.autocast.",
    )


def covering_mask(run: Run, step: int) -> int:
    """The step at which `triu` made the mask with which an entry and all behind it were filled before an operation, so that the
    diagonal is masked along; NOTHING where it is otherwise."""
    event = run.events[step]
    given = run.inputs(event) if isinstance(event, OpRan) and "normalizes" in run.traits(event.op) else []
    filled = run.tensors[given[0]].op if given else None
    mask = run.argument(filled, "mask") if filled is not None and "masks" in run.traits(filled.op) else NOTHING
    for _ in range(_FAR):
        if mask == NOTHING:
            break
        made, maker = run.op_of(mask)
        said = {argument.name: argument.text for argument in maker.inputs}
        if maker.op == "triu":
            return made if said.get("diagonal", "0") == "0" else NOTHING
        inputs = run.inputs(maker)
        kept = {"casts", "same_values", "alias"} & {*run.traits(maker.op)} or (maker.op, said.get("other")) == ("eq", "1")
        mask = inputs[0] if kept and len(inputs) == 1 else NOTHING
    return NOTHING


_FAR = 8
"""Operations between a mask and what it is made of."""


def of_derivative(run: Run, entry: Pass, step: int, event: NodeRan, sent: Sent) -> Facts:
    """A node of a pass that is given a gradient which is finite, and sends one that is not."""
    history = run.nodes[event.node]
    maker, born = history.event, history.born
    target = run.index.owners.get((sent.node, sent.input), NOTHING)
    array = sent.raw if sent.raw != NOTHING and run.fault(sent.raw) else sent.array
    values = run.recording.array(array)
    index = _first_bad(values)
    received = _at(run.recording.array(event.received[0]) if event.received else None, index, values)
    evidence = [("node", f"{history.info.name} ({run.where(born)})")]
    if received is not None:
        evidence.append(("gradient that arrives", number(received)))
    inputs: list[tuple[str, Any]] = []
    sources: list[int] = []
    nodes = [f"n{event.node}"]
    op = history.info.name
    texts: dict[str, str] = {}
    if isinstance(maker, OpRan):
        op = maker.op
        texts = {a.name: a.text for a in maker.inputs if a.tensor < 0}
        for a in maker.inputs:
            if a.tensor == NOTHING:
                continue
            stored = run.status(a.tensor, born - 1).array
            given = run.recording.array(stored)
            value = _at(given, index, values)
            extreme = _extreme(run, maker, telling_of_derivative, len(inputs), stored) if given is None else None
            sources.append(a.tensor)
            inputs.append((a.name, value if extreme is None else extreme))
            if extreme is not None:
                evidence.append((f"an element of {run.title(a.tensor)}", number(extreme)))
            elif value is not None and len(inputs) <= 3:
                evidence.append((f"{run.title(a.tensor)}{_index_text(run, a.tensor, index)}", number(value)))
            elif given is not None and given.size and not given.any():
                inputs[-1] = (a.name, 0.0)
                evidence.append((run.title(a.tensor), "zero everywhere"))
        nodes += [key(i.id) for i in maker.outputs]
    if values is not None:
        to = f" to {run.title(target)}" if target != NOTHING else ""
        evidence.append((f"gradient it sends{to}{list(index) if index else ''}", number(values[index].item())))
        evidence.append(("elements", f"{int((~np.isfinite(values)).sum())} of {values.size}"))
    mask = _mask_before(run, entry, step) if received == 0 else NOTHING
    why, fix = backward_reason(op, run.traits(op), inputs, texts, received, run.where(mask) if mask != NOTHING else "")
    if mask != NOTHING:
        evidence.insert(1, ("branch that was not taken", run.where(mask)))
    nodes += [key(target)] if target != NOTHING else []
    made = run.index.owners.get((event.node, 0), NOTHING)
    given_text = number(inputs[0][1]) if len(inputs) == 1 and inputs[0][1] is not None else ""
    return Facts(op, born, why, fix, evidence, array, made, sources, given_text, nodes, mask)


def outputs(run: Run, step: int) -> list[Any]:
    """What an operation made and wrote."""
    event = run.events[step]
    return [*event.outputs, *event.written] if isinstance(event, OpRan) else []


def word(run: Run, array: int) -> str:
    """What is in an array that is not finite."""
    return "NaN" if run.fault(array) & NAN else "infinity"


def _mask_before(run: Run, entry: Pass, step: int) -> int:
    """The step of the where or mask through which the pass came before, or NOTHING."""
    for at in reversed([s for s in entry.ran.steps if s < step]):
        event = run.events[at]
        if isinstance(event, NodeRan):
            maker = run.nodes[event.node].event
            if isinstance(maker, OpRan) and maker.op in run.having("leaves_out"):
                return run.nodes[event.node].born
    return NOTHING


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


def _extreme(run: Run, event: OpRan, telling: Telling, k: int, array: int) -> float | None:
    """The number of an operation's input, of which a summary was kept, at which what is not finite came about: its least or its
    largest, where that tells. None where it does not, or every number is there."""
    stored = run.recording.arrays[array] if array >= 0 else None
    summary = None if stored is None or stored.data is not None or stored.dtype.startswith("complex") else stored.summary
    return None if summary is None else telling(event.op, run.traits(event.op), k, summary.min, summary.max)


def _index_text(run: Run, tensor: int, index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]" if index and len(run.tensors[tensor].info.shape) == len(index) else ""
