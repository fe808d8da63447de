"""A gradient that is a sum which comes to nothing but rounding: what is computed from the tensor does not depend on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...recording.events import NOTHING, NodeRan, OpRan
from ...recording.index import LedgerRow, Pass
from ..reason import Reason
from ..run import Run
from .course import Course
from .grad_query import Question

_CENTRING = frozenset(("batch_norm", "instance_norm"))
"""Operations that subtract the mean of each channel."""
_ROUNDING = 16.0
"""How many times the rounding of as many random numbers a sum may be that is zero."""
_LARGE = 1e-7
"""Gradients below this are too small to say that their sum is smaller."""
_AHEAD = 40
"""Results that are looked at for what takes the tensor's part out again."""


def cancelled(q: Question, row: LedgerRow, entry: Pass, course: Course) -> Reason | None:
    """The answer where the gradients that a leaf is added to come to zero together; None where they do not."""
    values = q.run.recording.array(row.increment)
    stage = next(iter(course.stages), None)
    if values is None or values.ndim > 1 or values.dtype.kind != "f" or stage is None:
        return None
    event = q.run.events[entry.ran_at[stage.node]]
    came = q.run.recording.array(event.received[0]) if isinstance(event, NodeRan) and event.received else None
    if came is None or not _comes_to_nothing(came, values):
        return None
    run, made = q.run, q.run.nodes[stage.node]
    most = float(np.abs(came).max())
    result = run.index.owners.get((stage.node, 0), NOTHING)
    taken = _taken_out(run, result, entry.began)
    if taken is not None:
        step, how = taken
        text = run.module(step).partition(" ")[0] or run.events[step].op  # type: ignore[union-attr]
        so = f"what {q.name} adds is taken out again by {text} ({run.where(step)}), {how}"
    else:
        step, so = made.born, f"the parts that add up to it at {run.where(made.born)} cancel"
    return q.because(
        "cancelled",
        f"{q.name}.grad is zero but for rounding: {so}",
        f"Nothing is wrong with the pass. The gradients that reach {q.name} are as large as {most:.3g}, and their sum is "
        f"{q.grad_text()}: the loss does not depend on {q.name}.",
        "To do without a parameter that has no effect, make its layer with bias=False." if taken is not None else "",
        step=step,
        nodes=[q.tensor, result],
        evidence=[("backward pass", f"{row.number}, {run.moment(entry.began)}"), ("increment", q.grad_text())],
    )


def _comes_to_nothing(came: NDArray[Any], values: NDArray[Any]) -> bool:
    """Whether an increment is the sum of what came over all but one dimension, and that is zero but for rounding."""
    count = came.size // max(values.size, 1)
    most = float(np.abs(came).max()) if came.size else 0.0
    if count < 2 or not np.isfinite(most) or most < _LARGE:
        return False
    allowed = most * float(np.finfo(values.dtype).eps) * min(_ROUNDING * count**0.5, 4.0 * count)
    if float(np.abs(values).max()) > allowed:
        return False
    axes = [axis for axis in dict.fromkeys((1, came.ndim - 1)) if axis < came.ndim and came.shape[axis] == values.size]
    sums = [came.sum(axis=tuple(k for k in range(came.ndim) if k != axis), dtype=np.float64) for axis in axes]
    return any(bool((np.abs(each) <= allowed).all()) for each in sums)


def _taken_out(run: Run, tensor: int, before: int) -> tuple[int, str] | None:
    """The nearest operation ahead that gives the same whatever is added to all of a channel, or to all scores, and how."""
    queue, seen = [tensor], {tensor}
    for each in queue:
        for step in run.consumers.get(each, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or step > before:
                continue
            if event.op in _CENTRING:
                return step, "which subtracts the mean of each channel"
            if event.op in run.having("normalizes"):
                return step, "which gives the same whatever is added to all scores of a row"
            for info in event.outputs:
                if info.id not in seen and len(seen) < _AHEAD:
                    seen.add(info.id)
                    queue.append(info.id)
    return None
