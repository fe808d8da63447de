"""Products of matrices of the dtypes that BLAS does not know, which NumPy multiplies number by number, and that takes long."""

from __future__ import annotations

import numpy as np

BLAS = "fdFD"
"""The dtypes that BLAS multiplies, as NumPy's letters."""
SMALL = 2**15
"""Multiplications up to which it does not matter."""
EXACT = 2**53
"""Whole numbers up to this one are all held by float64."""
HALF = 16
"""Bits of the lower half of a whole number of 32."""


def product(a, b, out=None):
    """`a @ b` of matrices or batches of matrices of one dtype; the same numbers, whatever the dtype.

    Halves are added in float32 and rounded once, as in PyTorch; whole numbers go over the end of their dtype as they do there.
    """
    if a.dtype.char in BLAS or a.size * b.shape[-1] <= SMALL:
        return np.matmul(a, b, out=out)
    if a.dtype.kind == "f":
        found = np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)
    elif a.dtype.kind in "iu":
        found = _whole(a, b).astype(a.dtype)
    else:
        found = np.matmul(a, b)
    if out is None:
        return found
    out[...] = found
    return out


def _largest(array):
    """The largest distance from zero."""
    return max(int(array.max()), -int(array.min()), 1)


def _whole(a, b):
    """The product of whole numbers, right in as many bits as they have."""
    if _largest(a) * _largest(b) * a.shape[-1] <= EXACT:
        return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64)
    if a.dtype.itemsize > 4:
        return np.matmul(a, b)
    # The product of the upper halves is beyond the bits that are kept.
    (low, high), (low2, high2) = (_halves(m.astype(np.int64)) for m in (a, b))
    return _whole(low, low2) + ((_whole(low, high2) + _whole(high, low2)) << HALF)


def _halves(array):
    return array & (1 << HALF) - 1, array >> HALF
