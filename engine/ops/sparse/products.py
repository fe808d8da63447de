"""Products and sums of sparse tensors: `torch.sparse.mm`, `torch.sparse.sum`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...op.declare import function, op
from ...tensor import Tensor
from ..linalg.matmul import mm
from ..reduction.sums import axes_of
from .coordinates import _kind, _masked, _whole


@op(
    r"{mat1} {mat2}",
    symbol="@",
    traits="product matrix_product infix",
    mat1=lambda grad, mat1, mat2: _masked(_times_sparse(grad, _flipped_over(mat2)), mat1),
    mat2=lambda grad, mat1: _times_sparse(_flipped_over(mat1), grad),
    broadcast=(),
    node="SparseAddmmBackward0",
    name="sparse_mm",
)
def _sparse_dense(mat1, mat2):
    """The product of a sparse and a dense matrix."""
    return mm._op.forward(mat1, mat2)


@op(
    r"{mat1} {mat2}",
    symbol="@",
    traits="product matrix_product infix",
    mat1=lambda grad, mat1, mat2: _masked(_times_sparse(_whole(grad), _flipped_over(mat2)), mat1),
    mat2=lambda grad, mat1, mat2: _masked(_times_sparse(_flipped_over(mat1), _whole(grad)), mat2),
    broadcast=(),
    node="SparseSparseMatmulBackward0",
    name="sparse_mm",
)
def _sparse_sparse(mat1, mat2):
    """The product of two sparse matrices."""
    return mm._op.forward(mat1, mat2)


@op(r"{a} {b}", a=None, b=None, broadcast=(), name="sparse_product")
def _times_sparse(a, b):
    """The product of two matrices, sparse or not, as a dense one."""
    return _whole._op.forward(np.matmul(a, b))


@op(r"{self}^T", self=None, name="sparse_transpose")
def _flipped_over(self):
    """The transpose of a matrix."""
    return self.T


def sparse_mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """The product of two matrices of which the first is sparse; sparse, where both are."""
    if reduce is not None:
        raise RuntimeError("torch.sparse.mm: reduce is for matrices in compressed rows, which Gradtape does not have")
    made: Tensor
    if mat1.is_sparse and mat2.is_sparse:
        made = _sparse_sparse(mat1, mat2)
    elif mat1.is_sparse:
        made = _sparse_dense(mat1, mat2)
    else:
        made = mm(mat1, mat2)
    return made


def sparse_addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """`beta * mat + alpha * mat1 @ mat2`, of which `mat1` is sparse."""
    product = sparse_mm(mat1, mat2)
    made: Any = (mat if beta == 1 else mat * beta) + (product if alpha == 1 else product * alpha)
    return made


@op(
    r"\sum_{{ {dim} }} {self}",
    traits="reduces",
    self=lambda grad, self, dim: _unsummed(grad, self, dim),
    node="SparseSumBackward0",
    name="sparse_sum",
)
def _sparse_sum(self, dim):
    """The sum over some dimensions."""
    return _kind().summed(self, dim)


@op(r"{self}", self=None, like=None, broadcast=(), name="sparse_sum_backward")
def _unsummed(self, like, dim):
    """The gradient of a sum, at the indices that were added up."""
    whole = _whole._op.forward(self)
    shape = [1 if d in dim else n for d, n in enumerate(like.shape)]
    return _kind().masked(np.broadcast_to(whole.reshape(shape), like.shape), like)


def sparse_sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """The sum of all elements, or over the dimensions `dim`: sparse, as long as one of those that are left is."""
    input = input if dtype is None else input.to(dtype)
    if dim is None:
        from .coordinates import _sparse_values

        made: Tensor = _sparse_values(input).sum()
        return made
    made = _sparse_sum(input, axes_of(dim, input._array.ndim))
    return made


@function
def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices of which the first may be sparse."""
    made: Tensor = mm(input, mat2)
    return made
