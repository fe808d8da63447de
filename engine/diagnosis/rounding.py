"""How much of a parameter in half precision an optimizer's step leaves bit for bit as it was, though there is a gradient."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from ..recording.events import NOTHING, Stepped
from .run import Run

HALF = ("bfloat16", "float16")
"""Dtypes whose numbers stand so far apart that updates of usual size are lost between them."""
LOST = 0.8
"""The share of elements without change from which on most of an update is lost."""
_FLOAT32 = 1e-7
"""An update this small beside its element would be lost in float32, too."""


class Unmoved(NamedTuple):
    """Elements that have a gradient and keep their value."""

    share: float
    elements: int
    """Elements with a gradient."""
    dtype: str


def unmoved(run: Run, tensor: int, step: int) -> Unmoved | None:
    """What the update at an optimizer's step leaves as it was of a parameter in half precision; None where that is not known,
    or where the gradient is as good as zero."""
    event, writes = run.events[step], run.writes.get(tensor, [])
    place, grad = bisect_right(writes, step), run.tensors[tensor].grad(step - 1)
    if not place or grad == NOTHING or not isinstance(event, Stepped) or not event.rates:
        return None
    stored = run.recording.arrays[run.status(tensor, step).array]
    if stored.dtype not in HALF:
        return None
    before, after, slope = run.values(tensor, writes[place - 1] - 1), stored.to_numpy(), run.recording.array(grad)
    if before is None or after is None or slope is None or not before.shape == after.shape == slope.shape:
        return None
    has = slope != 0
    least = max(event.rates) * np.abs(slope[has].astype(np.float64)) > _FLOAT32 * np.abs(before[has].astype(np.float64))
    if not has.any() or least.mean() < LOST:
        return None
    return Unmoved(float((before[has] == after[has]).mean()), int(has.sum()), stored.dtype)
