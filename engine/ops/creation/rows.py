"""Numbers that are evenly apart, to the last digit as PyTorch computes them: by instructions that multiply and add at once and
round once, several numbers at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

_FINER: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.float32): np.dtype(np.float64),
    np.dtype(np.float64): np.dtype(np.longdouble),
}
"""What holds a product of a number of a dtype and a place in a row with all its digits."""
LANES = 32
"""Bytes that are computed at a time (AVX2)."""

Array = np.ndarray[Any, Any]


def between(start: Any, end: Any, steps: int, target: np.dtype[Any]) -> Array:
    """`steps` numbers from `start` to `end`, counted from the nearer end in the dtype's precision, whole ones in float64."""
    counted: np.dtype[Any] = np.dtype(np.float64) if target.kind in "iu" else target
    return _row(start, end, steps, target, counted, _FINER.get(counted, counted)).astype(target)


def powers(base: Any, start: Any, end: Any, steps: int, target: np.dtype[Any]) -> Array:
    """`base` to the power of numbers that are evenly apart, in float64."""
    if steps == 1:
        return np.asarray([base**start]).astype(target)
    fine = np.result_type(target, np.float64)
    exponents = _row(start, end, steps, target, fine, fine)
    # One by one, as PyTorch does it: for many at once NumPy has other ways on some machines, whose last digits differ.
    with np.errstate(all="ignore"):
        found = [fine.type(base) ** exponent for exponent in exponents]
    return np.asarray(found, fine).astype(target)


def _row(start: Any, end: Any, steps: int, ends: Any, counted: np.dtype[Any], rounded: np.dtype[Any]) -> Array:
    """Numbers from end to end.

    Args:
        ends: the dtype of both ends and their difference, `counted`: that of the numbers, `rounded`: of their products.
    """
    first, last = ends.type(start), ends.type(end)
    by = counted.type(last - first) / counted.type(max(steps - 1, 1))
    exact, k = rounded.type, np.arange(steps).astype(int if counted.kind == "c" else counted)
    low = exact(first) + exact(by) * k
    high = exact(last) - exact(by) * k[::-1]
    return np.where(np.arange(steps) < steps // 2 if steps > 1 else True, low, high).astype(counted)


def from_on(start: Any, by: Any, count: int, target: np.dtype[Any]) -> Array:
    """`count` numbers from `start` on, `by` apart, counted in float64."""
    if target not in _FINER:
        return (start + by * np.arange(count, dtype=np.float64)).astype(target)
    width = LANES // target.itemsize
    many = count - count % (2 * width)
    found = _counted(start, by, np.arange(count)).astype(target)
    # A register begins at a rounded number, and counts on from there.
    first = found[:many:width].astype(np.float64)[:, None]
    found[:many] = _counted(first, by, np.arange(width)).astype(target).reshape(-1)
    return found


def _counted(start: Any, by: Any, k: Array) -> Array:
    return (np.asarray(start, np.longdouble) + np.longdouble(by) * k).astype(np.float64)
