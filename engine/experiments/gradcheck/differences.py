"""Differences: how large their steps are, and when two derivatives agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

STEP = 1e-5
"""A step relative to the size of an element: with differences on both sides, error and rounding are far below the tolerance."""
FINER = 16.0
"""How much smaller the second step is, taken where the first result does not agree."""
STEPS = 3
AGREES = 1e-6


def agrees(numeric: float, analytic: float, noise: float) -> bool:
    """Whether two derivatives are so close that finer steps are not worth a run."""
    return bool(abs(numeric - analytic) <= AGREES * max(abs(numeric), abs(analytic)) + 4 * noise)


def differences(
    value: np.ndarray[Any, Any],
    direction: np.ndarray[Any, Any],
    moved: Callable[[np.ndarray[Any, Any]], float],
    base: float,
    size: float,
    analytic: float,
    over: Callable[[], bool] = lambda: False,
) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """The derivative along a direction, with finer steps while it does not agree with the analytic one.

    Args:
        value: where it is taken.
        moved: the function's value where that is moved by so much.
        base: the function's value where it is not.
        size: how large the numbers are that are added up in it.
        over: whether there is no time for finer steps.

    Returns:
        The one-sided differences forwards and backwards, for ever smaller steps, and how far rounding alone may move the first.
    """
    h = STEP * max(1.0, float(np.max(np.abs(value * direction), initial=0.0)))
    noise = 4e-16 * size / h * 8
    forward: list[float] = []
    backward: list[float] = []
    for _ in range(STEPS):
        up, down = moved(h * direction), moved(-h * direction)
        forward.append((up - base) / h)
        backward.append((base - down) / h)
        if agrees((forward[-1] + backward[-1]) / 2, analytic, noise) or over():
            break
        h /= FINER
    return tuple(forward), tuple(backward), noise
