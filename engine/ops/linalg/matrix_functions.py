"""Powers and exponentials of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...lazy import Late
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..shape.joining import _take_slice
from .matrices import check, joined, mT
from .solving import linalg_inv

if TYPE_CHECKING:
    import scipy.linalg as sl
else:
    sl = Late("scipy.linalg")


@function
def matrix_power(A: Tensor, n: int) -> Tensor:
    """The matrices multiplied with themselves; negative powers are those of the inverse."""
    check("matrix_power", A)
    if n == 0:
        return A.mul(0).add(constant(np.eye(A._array.shape[-1], dtype=A._array.dtype)))
    if n < 0:
        return matrix_power(linalg_inv(A), -n)
    if n == 1:
        return A.clone()
    result, square = None, A
    while n:
        if n & 1:
            result = square if result is None else result @ square
        n >>= 1
        if n:
            square = square @ square
    assert result is not None
    return result


@op(
    r"e^{{ {self} }}",
    self=lambda grad, self: exponential_slope(mT(self), grad),
    node="LinalgMatrixExpBackward0",
    name="matrix_exp",
)
def _matrix_exp(self):
    """Matrix exponentials."""
    return sl.expm(self.astype(np.result_type(np.float64, self.dtype))).astype(self.dtype) if self.size else self.copy()


def exponential_slope(A, E):
    """The derivative of the exponential at A in the direction E: a corner of the exponential of a matrix of blocks
    (Mathias, 1996)."""
    n, d = A.shape[-1], A.ndim - 1
    top = joined([A, E], d)
    bottom = joined([A * 0, A], d)
    whole = _matrix_exp(joined([top, bottom], d - 1))
    return _take_slice(_take_slice(whole, d - 1, 0, n, 1), d, n, 2 * n, 1)


@function
def matrix_exp(input: Tensor) -> Tensor:
    """The exponentials of square matrices."""
    check("matrix_exp", input)
    return _matrix_exp(input)
