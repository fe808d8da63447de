"""Rules about losses that measure how far a probability is from a class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...recording.events import NOTHING, OpRan, Site
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

DISTANCE_TO_CLASSES = Kind(
    "distance_to_classes",
    "hint",
    "A loss for numbers compares probabilities with classes, and is flat where they are wrong.",
)

_VIEWS = 6
"""Results of the same elements in another shape, between the probabilities and the loss."""


@rule(166, DISTANCE_TO_CLASSES)
def distance_to_classes(run: Run) -> Iterator[Finding]:
    """A distance (squared, absolute) is taken between the results of a sigmoid or softmax and zeros and ones."""
    distances = run.having("distance")
    at: dict[Site | None, list[tuple[int, OpRan, int, int]]] = {}
    for step, event in run.ops:
        if event.op not in distances or event.node is None or not event.outputs:
            continue
        inputs = run.inputs(event)
        if len(inputs) != 2:
            continue
        for given, target in (inputs, inputs[::-1]):
            maker = _probabilities(run, given)
            if maker != NOTHING and _are_classes(run.recording.array(run.tensors[target].info.array)):
                at.setdefault(run.site(step), []).append((step, event, given, maker))
                break
    for site, same in at.items():
        step, event, given, maker = same[0]
        made = run.tensors[maker].op
        loss = "cross_entropy of the scores" if run.tensors[maker].info.shape[-1:] > (1,) else (
            "binary_cross_entropy_with_logits of the scores"
        )  # fmt: skip
        yield finding(
            run, DISTANCE_TO_CLASSES,
            f"The loss takes the distance between {run.title(given)}, which are probabilities, and classes.",
            f"The targets are zeros and ones, and {run.title(given)} comes from {made.op} at "
            f"{run.where(run.tensors[maker].born)}. Where a probability is quite wrong, {made.op} is flat, and so is this "
            "loss: its gradient is the smaller the more wrong the answer is, so that learning may not begin.",
            f"Use {loss}, without {made.op}.",
            step=step,
            site=site,
            related=[run.site(run.tensors[maker].born)],
            evidence=[("loss", event.op), ("comparisons", str(len(same)))],
            nodes=[key(given), key(event.outputs[0].id)],
            steps=[step for step, *_ in same],
        )  # fmt: skip


def _probabilities(run: Run, tensor: int) -> int:
    """The result of a sigmoid or softmax whose elements a tensor has; NOTHING if it has not."""
    views, squashes = run.having("same_values"), run.having("squashes") & run.having("probabilities")
    for _ in range(_VIEWS):
        event = run.tensors[tensor].op
        if event.op in squashes:
            return tensor
        inputs = run.inputs(event) if event.op in views else ()
        if not inputs:
            break
        tensor = inputs[0]
    return NOTHING


def _are_classes(target: NDArray[Any] | None) -> bool:
    """Whether targets are two classes, or several written as ones among zeros."""
    if target is None or not target.size or not np.isin(target, (0, 1)).all() or target.min() == target.max():
        return False
    one_each = target.ndim == 2 and bool((target.sum(axis=1) == 1).all())
    return target.ndim == 1 or (target.ndim == 2 and (target.shape[1] == 1 or one_each))
