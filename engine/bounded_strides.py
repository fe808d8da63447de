"""Arrays that look into another array's memory, and never beside it: NumPy's `as_strided` believes whatever it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Array = np.ndarray[Any, Any]


def strided(array: Array, shape: Sequence[int], strides: Sequence[int]) -> Array:
    """A view of the array's memory from its first element on, with other sizes and strides (in bytes).

    Raises:
        RuntimeError: if an element would lie outside of what the array itself spans.
    """
    shape, strides = tuple([int(n) for n in shape]), tuple([int(s) for s in strides])
    if any([n < 0 for n in shape]):
        raise RuntimeError(f"a view cannot have the negative size {min(shape)}")
    if 0 not in shape:
        low, high = span(shape, strides)
        lowest, highest = span(array.shape, array.strides)
        if 0 in array.shape or low < lowest or high > highest:
            raise RuntimeError(f"sizes {list(shape)} with strides {list(strides)} (in bytes) are out of bounds for the memory")
    return as_strided(array, shape, strides)


def span(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, int]:
    """Where the first bytes of the lowest and the highest element lie, seen from the first element."""
    low = high = 0
    for n, step in zip(shape, strides, strict=True):
        if step < 0:
            low += (n - 1) * step
        else:
            high += (n - 1) * step
    return low, high


def row(array: Array) -> Array | None:
    """An array's memory as a row, if its elements fill it; in whatever order its dimensions stand there."""
    if not array.flags.c_contiguous:
        array = array.transpose(sorted(range(array.ndim), key=lambda d: -array.strides[d]))
    return array.reshape(-1) if array.flags.c_contiguous else None


def owner(array: Array) -> Array:
    """The array at whose memory another one looks, through however many views; itself, where it is no view."""
    while array.base is not None:
        # NumPy's `as_strided` puts an object of its own between a view and the array that it looks at.
        below = array.base if isinstance(array.base, np.ndarray) else getattr(array.base, "base", None)
        if not isinstance(below, np.ndarray):
            break
        array = below
    return array
