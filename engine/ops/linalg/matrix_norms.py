"""Norms of vectors and matrices as `torch.linalg` names them, and condition numbers."""

from __future__ import annotations

import math
from typing import Any

from ...op.declare import function
from ...tensor import Tensor
from ..reduction.minmax import amax, amin
from ..reduction.norms import norm_of
from ..reduction.sums import axes_of
from ..reduction.sums import sum as total
from ..shape.permute import movedim_last
from ..shape.reshaping import unsqueeze
from .solving import linalg_inv
from .spectral import linalg_svdvals


@function
def linalg_vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The vector norm of order `ord` of all elements or over `dim`."""
    return norm_of(x if dtype is None else x.to(dtype), ord, dim, keepdim, "linalg.vector_norm")


@function
def linalg_matrix_norm(A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of matrices: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    if A._array.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    x = A if dtype is None else A.to(dtype)
    rows, columns = axes_of(tuple(dim), x._array.ndim)
    if ord == "fro":
        return norm_of(x, 2, (rows, columns), keepdim, "linalg.matrix_norm")
    if ord in ("nuc", 2, -2):
        s = linalg_svdvals(movedim_last(x, rows, columns))
        out = total(s, -1) if ord == "nuc" else (amax(s, -1) if ord == 2 else amin(s, -1))
        if keepdim:
            for d in sorted((rows, columns)):
                out = unsqueeze(out, d)
        return out
    if ord not in (1, -1, math.inf, -math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    first, second = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = norm_of(x, 1, first, True, "linalg.matrix_norm")
    out = (amax if ord > 0 else amin)(sums, second, True)
    return out if keepdim else out.squeeze((rows, columns))


@function
def linalg_norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """A vector norm, or a matrix norm where there are two dimensions and an order that is one."""
    x = A if dtype is None else A.to(dtype)
    several = isinstance(dim, tuple | list) and len(dim) == 2
    if ord is None:
        return norm_of(x, 2, dim, keepdim, "linalg.vector_norm")
    if dim is None and x._array.ndim not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got " + f"{x._array.ndim}D."
        )
    if several or (dim is None and x._array.ndim == 2):
        return linalg_matrix_norm(x, ord, dim if several else (-2, -1), keepdim)
    if isinstance(ord, str):
        raise RuntimeError(f"linalg.norm: Order '{ord}' expects a matrix")
    return norm_of(x, ord, dim, keepdim, "linalg.vector_norm")


@function
def linalg_cond(A: Tensor, p: Any = None) -> Tensor:
    """The condition number: the norm times the norm of the inverse."""
    if p in (None, 2, -2):
        s = linalg_svdvals(A)
        first, last = s.select(-1, 0), s.select(-1, -1)
        return last / first if p == -2 else first / last
    return linalg_matrix_norm(A, p) * linalg_matrix_norm(linalg_inv(A), p)
