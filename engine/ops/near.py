"""Numbers of float32 computed in float64 and rounded once: what PyTorch's kernels give but for one number in many.

NumPy's own kernels for float32 are off by up to four units in the last place, and a product that is added is rounded twice
there; that stands in what `loss.item()` prints.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import float32, float64

FLOAT32 = np.dtype(float32)
FEW = 2**12
"""Elements up to which it does not matter what that takes; beyond, nobody reads single numbers."""


def near(function: Any, array: Any) -> Any:
    """A function of NumPy's of each element."""
    if array.dtype is FLOAT32 and array.size <= FEW:
        return function(array, dtype=float64).astype(float32)
    return function(array)


def near_power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`, of two arrays of one dtype, or of an array and a number."""
    if base.dtype is not FLOAT32 or base.size > FEW:
        return base**exponent
    if exponent.__class__ is not np.ndarray:
        if isinstance(exponent, complex):
            return base**exponent
        exponent = float32(exponent)
    if exponent.size > FEW or exponent.dtype is not FLOAT32:
        return base**exponent
    return np.power(base, exponent, dtype=float64).astype(float32)


def plus_product(a: Any, b: Any, factor: Any) -> Any:
    """`a + factor * b` for a number of their dtype, with one rounding as by the processor's own instruction for it."""
    if a.dtype is FLOAT32 and a.size <= FEW and b.dtype is FLOAT32 and b.size <= FEW:
        return np.add(a, np.multiply(b, float32(factor), dtype=float64), dtype=float64).astype(float32)
    return a + b * factor


def plus_products(a: Any, b: Any, c: Any) -> Any:
    """`a + b * c` with one rounding."""
    if a.dtype is FLOAT32 and b.dtype is FLOAT32 and c.dtype is FLOAT32 and max(a.size, b.size, c.size) <= FEW:
        return np.add(a, np.multiply(b, c, dtype=float64), dtype=float64).astype(float32)
    return a + b * c


def add_product(a: Any, b: Any, factor: Any) -> None:
    """`a += factor * b`, as `plus_product`; the factor a number or an array."""
    if a.dtype is FLOAT32 and a.size <= FEW:
        factor = factor if factor.__class__ is np.ndarray else float32(factor)
        np.add(a, np.multiply(b, factor, dtype=float64), a, dtype=float64, casting="same_kind")
    else:
        a += b * factor
