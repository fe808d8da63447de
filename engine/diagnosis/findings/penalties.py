"""A rule about penalties on parameters."""

from __future__ import annotations

from collections.abc import Iterator

from ...recording.events import AnyEvent, OpRan
from ..mending import receiver_at, wrapped
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

UNBOUNDED_PENALTY = Kind(
    "unbounded_penalty", "warning", "A plain sum of parameters is added to the loss: it has no minimum.", mechanical=True
)
_FAR, _MOST = 40, 400
"""Additions between the root of a pass and a sum, and tensors that are looked at."""


@rule(217, UNBOUNDED_PENALTY)
def unbounded_penalty(run: Run) -> Iterator[Finding]:
    """Beside another term the loss is made of the sum, or the mean, of a parameter that an optimizer moves."""
    for entry in run.first_passes if run.updates else ():
        queue, other, sums = [(tensor, 0) for tensor, _ in entry.event.roots], False, list[tuple[int, int]]()
        for tensor, far in queue:
            step, event = run.op_of(tensor)
            given = run.inputs(event)
            if "reduces" in run.traits(event.op) and len(given) == 1 and run.owner(run.beneath_views(given[0])) in run.updates:
                if all(_linear(run, run.events[at]) for at in _uses(run, tensor)):
                    sums.append((step, run.owner(run.beneath_views(given[0]))))
            elif _linear(run, event):
                if far < _FAR and len(queue) < _MOST:
                    queue += [(source, far + 1) for source in given]
            else:
                other = other or run.status(tensor, entry.began).requires_grad
        if not other or not any(_signed_weights(run, leaf) for _, leaf in sums):
            continue
        step = sums[-1][0]
        site = run.site(step)
        text = run.segment(site) or "the sum"
        yield finding(
            run, UNBOUNDED_PENALTY,
            f"{text} enters the loss as it is: the more negative {run.names(leaf for _, leaf in sums)}, the smaller the loss.",
            "A sum of signed numbers is no measure of size. Its gradient is the same everywhere, so each step moves all "
            "elements in one direction, without an end.",
            "Take the absolute values, p.abs().sum(), or the squares, p.pow(2).sum().",
            step=step, site=site, related=[run.site(entry.began)],
            evidence=[("parameters in the sum", str(len(sums)))], nodes=[key(leaf) for _, leaf in sums],
            changes=wrapped(run, receiver_at(run, site), "", ".abs()"),
        )  # fmt: skip


def _linear(run: Run, event: AnyEvent) -> bool:
    """Whether an operation adds, or multiplies by a number."""
    return isinstance(event, OpRan) and (
        "additive" in run.traits(event.op) or (event.op in ("mul", "div") and len(run.inputs(event)) == 1)
    )


def _uses(run: Run, tensor: int) -> Iterator[int]:
    """The steps that take a sum, or what additions and numbers make of it."""
    queue = [tensor]
    for source in queue:
        for step in run.consumers.get(source, ())[:_FAR]:
            event = run.events[step]
            yield step
            if isinstance(event, OpRan) and _linear(run, event) and event.outputs and len(queue) < _FAR:
                queue.append(event.outputs[0].id)


def _signed_weights(run: Run, leaf: int) -> bool:
    """Whether a parameter is the weight of a layer, with elements below zero: a scale has a term against it, and the sum of
    what is kept positive is a measure of size."""
    values = run.values(leaf, len(run.events) - 1)
    if values is None or values.ndim < 2 or not (values < 0).any():
        return False
    queue, layers = [leaf], run.having("matrix_product") | run.having("convolution")
    for tensor in queue:
        for step in run.consumers.get(tensor, ())[:_FAR]:
            event = run.events[step]
            if isinstance(event, OpRan) and event.op in layers:
                return True
            if isinstance(event, OpRan) and "same_values" in run.traits(event.op) and event.outputs and len(queue) < _FAR:
                queue.append(event.outputs[0].id)
    return False
