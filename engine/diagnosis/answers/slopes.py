"""What the updates of parameters make of a loss, as far as its slope says: down, up, or past the lowest point."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...recording.events import Stepped
from .grad_query import Question

_OVERSHOOTS = 0.5
"""The share of the loss that a step is to take away, by the slope, below which it does not go past the lowest point."""
_STEPS, _SLOPES = 6, 16
"""Updates and parameters of which that is looked at."""


def first_update(q: Question, leaf: int) -> tuple[int, bool, float] | None:
    """The step of a leaf's last update, whether the first one went up the gradient, and the learning rate if it is known."""
    run = q.run
    steps = [s for s in run.updates.get(leaf, ()) if s <= q.step]
    if not steps:
        return None
    along = _along(q, leaf, steps[0])
    event = run.events[steps[-1]]
    rate = event.rates[0] if isinstance(event, Stepped) and event.rates else 0.0
    return (steps[-1], along > 0, rate) if along else None


def overshoots(q: Question, leaves: Sequence[int], values: Sequence[tuple[int, float]]) -> bool:
    """Whether a step is so long that the loss would fall by much of what it is, were its slope the same all the way; where
    none is, the loss is higher because of what it is computed of. True where that was not kept.

    Args:
        values: the loss as it was computed: (step, value).
    """
    run = q.run
    found: dict[int, float] = {}
    for leaf in leaves[:_SLOPES]:
        steps = [s for s in run.updates.get(leaf, ()) if s <= q.step]
        for step in steps[:: max(1, len(steps) // _STEPS)]:
            along = _along(q, leaf, step)
            if along is None:
                return True
            before = _begins(q, step)
            found[before] = found.get(before, 0.0) + along
    for step, along in found.items():
        value = next((abs(value) for at, value in reversed(values) if at < step), None)
        if value is None or not math.isfinite(along) or -along > _OVERSHOOTS * value:
            return True
    return False


def is_input(q: Question, leaf: int, leaves: Sequence[int]) -> bool:
    """Whether it is changed beside a network's parameters without being one, as what is to deceive a network is."""
    info = q.run.tensors
    return not info[leaf].info.is_parameter and any(info[other].info.is_parameter for other in leaves)


def _begins(q: Question, step: int) -> int:
    """The first step of what the optimizer does when it updates a parameter at a step."""
    while step > 0 and q.run.index.stepping[step - 1]:
        step -= 1
    return step


def _along(q: Question, leaf: int, step: int) -> float | None:
    """By how much an update changes the loss, were its slope the same all the way; None where the values were not kept."""
    run, before = q.run, _begins(q, step) - 1
    old, new = run.values(leaf, before), run.values(leaf, step)
    grad = run.recording.array(run.tensors[leaf].grad(before))
    if old is None or new is None or grad is None or old.shape != grad.shape:
        return None
    with np.errstate(all="ignore"):
        return float(((new - old) * grad).sum())
