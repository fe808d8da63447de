"""Vector norms, and the logarithm of a sum of exponentials, which is computed like one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...errors import UNIMPLEMENTED
from ...op.declare import function, op
from ...tensor import Tensor
from ..pointwise.comparison import where
from ..pointwise.unary import abs as absolute
from ..pointwise.unary import exp, sgn
from .sums import _sum_dim, axes_of, restored
from .variance import squared


def norm_backward(grad, self, result, ord, dim, keepdim):
    """The derivative of the vector norm; zero where the norm is."""
    g = restored(grad, self.shape, dim, keepdim)
    n = restored(result, self.shape, dim, keepdim)
    if ord == 0:
        return None
    if ord == 1:
        return g * sgn(self)
    if ord == 2:
        return g * where(n == 0, 0.0, self / where(n == 0, 1.0, n))
    if ord in (math.inf, -math.inf):
        mask = absolute(self) == n
        return sgn(self) * mask * (g / _sum_dim(mask, dim, True))
    safe = where(n == 0, 1.0, n)
    power = where(self == 0, 0.0, absolute(where(self == 0, 1.0, self)) ** (ord - 1))
    return g * where(n == 0, 0.0, sgn(self) * power / safe ** (ord - 1))


@op(
    r"\lVert {self} \rVert_{{ {ord} }}",
    self=lambda grad, self, result, ord, dim, keepdim: norm_backward(grad, self, result, ord, dim, keepdim),
    node="LinalgVectorNormBackward0",
    name="norm",
)
def _vector_norm(self, ord, dim, keepdim):
    """The vector norm of order `ord` over some dimensions."""
    magnitude = np.abs(self)
    if ord == 2:
        return np.sqrt(np.add.reduce(squared(self), axis=dim, keepdims=keepdim))
    if ord == 1:
        return np.add.reduce(magnitude, axis=dim, keepdims=keepdim)
    if ord == 0:
        return np.add.reduce((self != 0).astype(magnitude.dtype), axis=dim, keepdims=keepdim)
    if ord == math.inf:
        return magnitude.max(axis=dim, keepdims=keepdim)
    if ord == -math.inf:
        return magnitude.min(axis=dim, keepdims=keepdim)
    return np.add.reduce(magnitude**ord, axis=dim, keepdims=keepdim) ** magnitude.dtype.type(1 / ord)


def has_identity(shape: Any, ord: Any, axes: Any, whole: bool, name: str = "linalg.vector_norm") -> None:
    """See that there is a norm of so many elements.

    Raises:
        RuntimeError: for the largest or smallest of no elements, in PyTorch's words.
    """
    if ord < 0 or ord == math.inf:
        for d in axes:
            if shape[d] == 0:
                raise RuntimeError(
                    f"{name} cannot compute the {float(ord)} norm on an empty tensor because the operation does not have an "
                    "identity"
                    if whole
                    else f"{name} cannot compute the {float(ord)} norm on the dimension {d} because this dimension is empty "
                    "and the operation does not have an identity"
                )


def norm_of(input: Tensor, ord: Any, dim: Any, keepdim: bool, name: str = "linalg.vector_norm") -> Tensor:
    """The vector norm of order `ord` of all elements or over `dim`."""
    if input._array.dtype.kind not in dtypes.INEXACT:
        raise UNIMPLEMENTED.now(
            f"{name}: Expected a floating point or complex tensor as input. Got {dtypes.SCALAR_NAMES[input.dtype]}"
        )
    axes = axes_of(dim, input._array.ndim)
    has_identity(input._array.shape, ord, axes, dim is None, name)
    return _vector_norm(input, ord, axes, keepdim)


@function
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None) -> Tensor:
    """The vector norm of order `p` (2 by default; "fro" is the same) of all elements or over `dim`; "nuc" is a matrix's."""
    if dtype is not None:
        input = input.to(dtype)
    if p == "nuc":
        from ..linalg.matrix_norms import linalg_matrix_norm

        return linalg_matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim)
    return norm_of(input, 2 if p in ("fro", None) else float(p), dim, keepdim)


@op(
    r"\log\sum\exp {self}",
    self=lambda grad, self, result, dim, keepdim: (
        restored(grad, self.shape, dim, keepdim) * exp(self - restored(result, self.shape, dim, keepdim))
    ),
    node="LogsumexpBackward0",
    stepwise=True,
    name="logsumexp",
)
def _logsumexp(self, dim, keepdim):
    """The logarithm of the sum of exponentials."""
    top = self.real.max(axis=dim, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    out = np.log(np.add.reduce(np.exp(self - top), axis=dim, keepdims=True)) + top
    return (out if keepdim else out.squeeze(dim)).astype(self.dtype)


@function(traits="sized")
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials over `dim`, computed stably."""
    if input._array.dtype.kind not in dtypes.INEXACT:
        input = input.to(dtypes.get_default_dtype())
    return _logsumexp(input, axes_of(dim, input._array.ndim), keepdim)
