"""Rules about shares: along which dimension a softmax makes them, and among how many."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...graph.numbers import number, shape_text
from ...recording.events import NOTHING, OpRan, Site
from ..cadence import steps_of
from ..mends import owners
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule
from .sequences import is_for_each

SOFTMAX_OVER_BATCH = Kind(
    "softmax_over_batch", "error", "A softmax runs over the samples of the batch, not over the classes.", mechanical=True
)
SINGLE_SCORE = Kind(
    "single_score",
    "warning",
    "A softmax shares out among a single score of a layer with one output: it is 1, whatever comes.",
    answers=("zero_saturated",),
)

_FAR = 16
"""Tensors that are computed from shares, element by element, and looked at."""


@rule(166, SOFTMAX_OVER_BATCH)
def softmax_over_batch(run: Run) -> Iterator[Finding]:
    """Classes are chosen along dimension 1, but the shares add up to 1 along dimension 0."""
    at: dict[Site | None, list[tuple[int, int]]] = {}
    shares = run.having("normalizes")
    for step in steps_of(run, shares):
        event = run.events[step]
        if not isinstance(event, OpRan) or len(event.outputs) != 1 or event.in_backward:
            continue
        made = event.outputs[0]
        dim = run.setting(event, "dim")
        if len(made.shape) == 2 and min(made.shape) > 1 and dim in ("0", "-2"):
            chosen = _classes_of(run, made.id, made.shape)
            if chosen != NOTHING:
                at.setdefault(run.site(step), []).append((step, chosen))
    for site, found in at.items():
        step, chosen = found[0]
        ran = run.events[step]
        assert isinstance(ran, OpRan)
        made = ran.outputs[0]
        samples, classes = made.shape
        yield finding(
            run, SOFTMAX_OVER_BATCH,
            f"{run.segment(site) or ran.op} shares out each class among the {samples} samples, not each sample among the "
            "classes.",
            f"With dim=0 the {samples} rows of a column add up to 1. At {run.where(chosen)} a class is chosen for each row, "
            "among "
            f"{classes} values that do not add up to 1: the samples compete with each other, and the loss cannot come to zero.",
            "Use dim=1 (or dim=-1), the dimension of the classes.",
            step=step,
            site=site,
            related=[run.site(chosen)],
            evidence=[("shape", str(list(made.shape))), ("dim", "0"), *_sums(run, made.array)],
            nodes=[key(made.id)],
            steps=[s for s, _ in found],
            changes=owners.along_classes(run, site),
        )  # fmt: skip


@rule(166, SOFTMAX_OVER_BATCH)
def parts_weighed(run: Run) -> Iterator[Finding]:
    """Shares of more than two dimensions weigh parts that are then added up along another dimension, and what comes out has a
    target for each of those that the shares are divided among: these are the samples."""
    for step, event in run.first_ops_of(run.having("normalizes"), 1):
        shape, dim = event.outputs[0].shape if len(event.outputs) == 1 else (), run.setting(event, "dim")
        if len(shape) < 3 or dim not in ("0", "1") or shape[int(dim)] < 2 or event.in_backward:
            continue
        samples = shape[int(dim)]
        added = _added_up(run, event.outputs[0].id, int(dim), samples)
        if added is None:
            continue
        later, along = added
        site = run.site(step)
        yield finding(
            run, SOFTMAX_OVER_BATCH,
            f"{run.segment(site) or event.op} shares out each part among {samples} samples, not each sample among its parts.",
            f"The weights {shape_text(shape)} add up to 1 along dimension {dim}, and what they weigh is added up along "
            f"dimension {along} at {run.where(later)}, whose result has a target for each of {samples}: these are the samples. "
            "Each takes from the others, and its own weights add up to anything.",
            f"Let the softmax go along what is added up: dim={along}.",
            step=step, site=site, related=[run.site(later)],
            evidence=[("shape", str(list(shape))), ("dim", dim)], nodes=[key(event.outputs[0].id)],
        )  # fmt: skip


def _added_up(run: Run, tensor: int, place: int, samples: int) -> tuple[int, int] | None:
    """The step and the dimension in which what a tensor weighs is added up, where that is not its dimension `place`, which is
    the first of the result, with a target for each."""
    queue = [tensor]
    for source in queue:
        for step in run.consumers.get(source, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or len(event.outputs) != 1:
                continue
            made, traits = event.outputs[0], run.traits(event.op)
            before = run.tensors[source].info.shape
            kept = made.shape[place : place + 1] == (samples,)
            follows = "elementwise" in traits or ("transposes" in traits and before.count(samples) == 1)
            if follows and kept and len(queue) < _FAR:
                queue.append(made.id)
            given = run.inputs(event)
            times = "matrix_product" in traits and place == 0 and kept and len(before) == 3 and len(given) == 2
            if times and is_for_each(run, made.id, samples):
                return step, 2 if source == given[0] else 1
            along = run.setting(event, "dim").strip("(),[]")
            if "reduces" not in traits or source == tensor or not along.isdigit():
                continue
            left = place - (int(along) < place and len(made.shape) < len(before))
            if int(along) != place and left == 0 and is_for_each(run, made.id, samples):
                return step, int(along)
    return None


def _sums(run: Run, array: int) -> list[tuple[str, str]]:
    values = run.recording.array(array)
    if values is None:
        return []
    row = values[0].sum() if (values >= 0).all() else np.exp(values[0]).sum()
    return [("sum over the classes of the first sample", number(float(row)))]


def _classes_of(run: Run, tensor: int, shape: tuple[int, ...]) -> int:
    """The step at which one of the second dimension's elements is chosen for each row, NOTHING if that is not seen."""
    elementwise = run.having("elementwise")
    queue = [tensor]
    for source in queue:
        for step in run.consumers.get(source, ()):
            event = run.events[step]
            if not isinstance(event, OpRan):
                continue
            target = run.argument(event, "target")
            if target != NOTHING and run.tensors[target].info.shape == shape[:1] and "int" in run.tensors[target].info.dtype:
                return step
            if _picks(run, event, shape) or _mixes(run, event, source):
                return step
            if event.op in elementwise and event.outputs and event.outputs[0].shape == shape and len(queue) < 16:
                queue.append(event.outputs[0].id)
    return NOTHING


def _mixes(run: Run, event: OpRan, source: int) -> bool:
    """Whether an operation takes each row as a sample's features: it multiplies them with a weight."""
    if event.op not in run.having("matrix_product"):
        return False
    matrices = [t for t in run.inputs(event) if len(run.tensors[t].info.shape) == 2]
    return len(matrices) == 2 and matrices[0] == source and run.tensors[run.beneath_views(matrices[1])].info.is_parameter


def _picks(run: Run, event: OpRan, shape: tuple[int, ...]) -> bool:
    """Whether an operation picks one element of each row, by an index of classes."""
    index = run.argument(event, "index")
    if index != NOTHING:
        dim = run.setting(event, "dim")
        return dim in ("1", "-1") and run.tensors[index].info.shape == (shape[0], 1)
    rows, columns = run.argument(event, "indices[0]"), run.argument(event, "indices[1]")
    if NOTHING in (rows, columns) or run.tensors[columns].info.shape != shape[:1]:
        return False
    values = run.values(rows, run.tensors[rows].born)
    return values is not None and np.array_equal(values, np.arange(shape[0]))


@rule(244, SINGLE_SCORE)
def single_score(run: Run) -> Iterator[Finding]:
    """Where a layer has a single output, the softmax over its outputs is 1 for every sample, and passes no gradient on."""
    seen: dict[Site | None, int] = {}
    at: dict[Site | None, list[tuple[int, int, int]]] = {}
    for step, event in run.ops_of(run.having("normalizes")):
        if event.node is None or event.in_backward or not event.outputs:
            continue
        site, made = run.site(step), event.outputs[0]
        seen[site] = seen.get(site, 0) + 1
        dim = run.setting(event, "dim")
        rank = len(made.shape)
        last = dim in ("-1", str(rank - 1))
        layer = run.beneath_views(run.argument(event, "self")) if last and rank and made.shape[-1] == 1 else NOTHING
        if layer != NOTHING and _of_layer(run, layer) and run.tensors[layer].info.shape == made.shape:
            at.setdefault(site, []).append((step, made.id, layer))
    for site, found in at.items():
        if len(found) < seen[site]:
            continue
        step, result, layer = found[0]
        yield finding(
            run, SINGLE_SCORE,
            f"{run.segment(site) or run.title(result)} is 1 everywhere: it shares out among a single score.",
            f"The layer at {run.where(run.tensors[layer].born)} has one output, and the softmax goes over the outputs. What is "
            "alone gets all, so the result is 1 for every input, and its slope is zero.",
            "Let it go over the dimension among whose elements it is to choose, or use sigmoid for a single score.",
            step=step, site=site, related=[run.site(run.tensors[layer].born)],
            evidence=[("shape", str(list(run.tensors[result].info.shape)))], nodes=[key(result), key(layer)],
            steps=[one[0] for one in found],
        )  # fmt: skip


def _of_layer(run: Run, tensor: int) -> bool:
    """Whether a tensor is what a layer gives: a product with a parameter."""
    event = run.tensors[tensor].op
    given = [run.beneath_views(t) for t in run.inputs(event)]
    return event.op in run.having("matrix_product") and any(run.tensors[t].info.is_parameter for t in given)
