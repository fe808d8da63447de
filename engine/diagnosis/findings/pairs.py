"""A rule about samples and their targets: both were shuffled, each by itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING, OpRan, Site
from ..cadence import steps_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

SHUFFLED_APART = Kind("shuffled_apart", "warning", "Samples and targets are shuffled by two different permutations.")

_DEEP = 300
"""Tensors that are looked at on the way from a prediction back to the samples."""


@rule(247, SHUFFLED_APART)
def shuffled_apart(run: Run) -> Iterator[Finding]:
    """A loss compares predictions for samples in one random order with targets in another."""
    if not run.updates:
        return
    drawn = {}
    for step in steps_of(run, run.having("creation")):
        event = run.events[step]
        if isinstance(event, OpRan) and len(event.outputs) == 1 and permutes(run, step, event):
            drawn[event.outputs[0].id] = step
    if len(drawn) < 2:
        return
    seen: set[Site | None] = set()
    for step in steps_of(run, _losses(run)):
        event, site = run.events[step], run.site(step)
        if not isinstance(event, OpRan) or event.node is None or event.in_backward or site in seen:
            continue
        target = run.argument(event, "target")
        seen.add(site)  # what one line does once it does always
        inputs = run.inputs(event)
        if len(inputs) < 2:
            continue
        predicted, given = (inputs[0], target) if target != NOTHING else (inputs[0], inputs[1])
        if run.tensors[predicted].info.requires_grad == run.tensors[given].info.requires_grad:
            continue
        if not run.tensors[predicted].info.requires_grad:
            predicted, given = given, predicted
        of_target, of_samples = _orders(run, given, drawn), _orders(run, predicted, drawn)
        if len(of_target) != 1 or len(of_samples) != 1 or of_target == of_samples:
            continue
        (first,), (second,) = of_samples, of_target
        if run.tensors[first].info.shape != run.tensors[second].info.shape or not run.differ(
            run.tensors[first].info.array, run.tensors[second].info.array
        ):
            continue
        at, other = run.site(drawn[first]), run.site(drawn[second])
        yield finding(
            run, SHUFFLED_APART,
            "Samples and targets are shuffled apart: each has a permutation of its own.",
            f"The samples behind the prediction are in the order that was drawn at {run.site_text(at)}, the targets "
            "in the one that was "
            f"drawn at {run.site_text(other)}. The loss at {run.moment(step)} compares each prediction with the "
            "target of another sample, "
            "so it learns little more than the mean.",
            "Draw one permutation, perm = torch.randperm(n), and index both with it.",
            step=drawn[second],
            site=other,
            related=[at, site],
            evidence=[
                ("order of the samples", run.texts.describe(run.tensors[first].info.array)),
                ("order of the targets", run.texts.describe(run.tensors[second].info.array)),
            ],
            nodes=[key(first), key(second)],
        )  # fmt: skip


def permutes(run: Run, step: int, event: OpRan) -> bool:
    """Whether an operation drew a permutation."""
    info = event.outputs[0]
    if "creation" not in run.traits(event.op) or len(info.shape) != 1 or info.shape[0] < 4 or "int" not in info.dtype:
        return False
    values = run.values(info.id, step)
    return values is not None and values.ndim == 1 and sorted(values.tolist()) == list(range(len(values))) != values.tolist()


def _losses(run: Run) -> set[str]:
    """The operations that compare two tensors, and those that are given a target."""
    columns = columns_of(run.recording)
    numbers, firsts = np.unique(columns.operations.op, return_index=True)
    events = [run.events[step] for step in columns.operations.step[firsts].tolist()]
    aimed = {columns.op_names[n] for n, e in zip(numbers.tolist(), events, strict=True) if _has_target(e)}
    return aimed | run.having("difference") | run.having("distance")


def _has_target(event: object) -> bool:
    return isinstance(event, OpRan) and any(argument.name == "target" for argument in event.inputs)


def _orders(run: Run, tensor: int, drawn: dict[int, int]) -> set[int]:
    """The permutations by which what a tensor was computed from had been put in order; the last one of each way."""
    found: set[int] = set()
    queue, seen = [tensor], {tensor}
    for source in queue:
        if len(seen) > _DEEP:
            return set()
        event = run.tensors[source].op
        order = next((t for t in run.inputs(event) if run.beneath_views(t) in drawn), NOTHING)
        if order != NOTHING:
            found.add(run.beneath_views(order))
            continue
        for before in run.inputs(event):
            if before not in seen and not run.tensors[before].info.is_parameter:
                seen.add(before)
                queue.append(before)
    return found
