"""Diagonals, triangles and traces of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...bounded_strides import strided
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..creation.factories import meta, on_meta
from .dimensions import wrap_dim
from .reshaping import _reshape, reshape


@op(
    r"\mathrm{{diagonal}}({self})",
    view=True,
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: _diagonal_zeros(grad, tuple(self_sym_sizes), offset, dim1, dim2),
    node="DiagonalBackward0",
    name="diagonal",
)
def _diagonal(self, offset, dim1, dim2):
    """A view of a diagonal, which becomes the last dimension."""
    # NumPy marks diagonals read-only; PyTorch lets them be written through.
    down, right = max(-offset, 0), max(offset, 0)
    n = max(min(self.shape[dim1] - down, self.shape[dim2] - right), 0)
    corner = [slice(None)] * self.ndim
    corner[dim1], corner[dim2] = slice(down, down + n), slice(right, right + n)
    part = self[tuple(corner)]
    rest = [i for i in range(self.ndim) if i not in (dim1, dim2)]
    strides = (*(self.strides[i] for i in rest), self.strides[dim1] + self.strides[dim2])
    return strided(part, (*(self.shape[i] for i in rest), n), strides)


@op(
    r"{self}",
    self=lambda grad, offset, dim1, dim2: _diagonal_again(grad, offset, dim1, dim2),
    node="DiagonalBackwardBackward0",
    name="diagonal_backward",
)
def _diagonal_zeros(self, shape, offset, dim1, dim2):
    """Zeros of `shape` with `self` on a diagonal."""
    out = np.zeros(shape, self.dtype)
    _diagonal._op.forward(out, offset, dim1, dim2)[...] = self
    return out


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: _diagonal_zeros(grad, tuple(self_sym_sizes), offset, dim1, dim2),
    node="DiagonalBackward0",
    name="diagonal",
)
def _diagonal_again(self, offset, dim1, dim2):
    """A diagonal; bookkeeping of views left aside."""
    return self.diagonal(offset, dim1, dim2)


@op(
    r"\mathrm{{diag}}({self})",
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: _diagonal_zeros(grad, tuple(self_sym_sizes), offset, dim1, dim2),
    node="DiagonalBackward0_copy",
    name="diagonal_copy",
)
def _diagonal_copy(self, offset, dim1, dim2):
    """A copy of a diagonal, which becomes the last dimension."""
    return _diagonal._op.forward(self, offset, dim1, dim2).copy()


@function(traits="sized")
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of the diagonal of the matrices in two dimensions; it becomes the last dimension."""
    n = input._array.ndim
    d1, d2 = wrap_dim(dim1, n), wrap_dim(dim2, n)
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return _diagonal(input, offset, d1, d2)


@function
def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A view of the diagonal of each matrix of a batch."""
    return diagonal(A, offset, dim1, dim2)


@op(
    r"\mathrm{{diag}}({self})",
    self=lambda grad, offset, dim1, dim2: _diagonal_again(grad, offset, dim1, dim2),
    node="DiagEmbedBackward0",
    name="diag_embed",
)
def _diag_embed(self, offset, dim1, dim2):
    """Matrices with the last dimension of `self` on a diagonal."""
    n = self.shape[-1] + abs(offset)
    shape = list(self.shape[:-1])
    for d in sorted((dim1, dim2)):
        shape.insert(d, n)
    return _diagonal_zeros._op.forward(self, tuple(shape), offset, dim1, dim2)


@function
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices in two new dimensions with the last dimension of `input` on a diagonal."""
    n = input._array.ndim + 1
    d1, d2 = wrap_dim(dim1, n), wrap_dim(dim2, n)
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return _diag_embed(input, offset, d1, d2)


@function
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A vector as a diagonal matrix, or a copy of a matrix's diagonal."""
    if input._array.ndim == 1:
        return diag_embed(input, diagonal)
    if input._array.ndim == 2:
        return _diagonal_copy(input, diagonal, 0, 1)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._array.ndim}D")


@function
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All elements as a diagonal matrix."""
    return diag_embed(reshape(input, -1), offset)


@op(r"\mathrm{{tril}}({self})", traits="given sized overlapping", self=lambda grad, diagonal: tril(grad, diagonal))
def tril(self, diagonal=0):
    """The lower triangle of the matrices, zeros above the diagonal."""
    if self.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    return np.tril(self, diagonal)


@op(r"\mathrm{{triu}}({self})", traits="given sized overlapping", self=lambda grad, diagonal: triu(grad, diagonal))
def triu(self, diagonal=0):
    """The upper triangle of the matrices, zeros below the diagonal."""
    if self.ndim < 2:
        raise RuntimeError("triu: input tensor must have at least 2 dimensions")
    return np.triu(self, diagonal)


def _indices(found: Any, dtype: Any, device: Any) -> Tensor:
    made = np.stack(found).astype(np.int64 if dtype is None else dtype._numpy)
    return meta(made.shape, made.dtype) if on_meta(device) else constant(made)


@function
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None) -> Tensor:
    """Row and column indices of a lower triangle, (2, n)."""
    return _indices(np.tril_indices(row, offset, col), dtype, device)


@function
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None) -> Tensor:
    """Row and column indices of an upper triangle, (2, n)."""
    return _indices(np.triu_indices(row, offset, col), dtype, device)


@function
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
    if input._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    return _trace(input)


@op(
    r"\mathrm{{tr}}({self})",
    self=lambda grad, self_sym_sizes: _diagonal_zeros(_unit(grad), tuple(self_sym_sizes), 0, 0, 1),
    node="TraceBackward0",
    name="trace",
)
def _trace(self):
    """The sum of a matrix's diagonal."""
    return np.trace(self)


def _unit(grad):
    return _reshape(grad, (1,))
