"""Inverses and solutions of linear equations. Derivatives after Giles (2008), "Collected matrix derivative results for
forward and reverse mode algorithmic differentiation", as everywhere among the matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import dtypes
from ...errors import LinAlgError
from ...lazy import Late
from ...op.declare import function, op
from ...tensor import Tensor
from ..shape.broadcasting import expand
from ..shape.diagonals import tril, triu
from ..shape.reshaping import reshape, unsqueeze
from .matrices import _each, _named, _no_trouble, _stacked, check, mT

if TYPE_CHECKING:
    import scipy.linalg as sl
else:
    sl = Late("scipy.linalg")


def _zero_pivot(A):
    """The first pivot that is zero, counted from one; 0 if there is none."""
    if not A.size:
        return 0
    for k in np.ndindex(A.shape[:-2]):
        u = np.diag(sl.lu(A[k], permute_l=True, check_finite=False)[1])
        if (u == 0).any():
            return int(np.argmax(u == 0)) + 1
    return 0


@op(
    r"{A}^{{-1}}",
    A=lambda grad, result: -(mT(result) @ (grad @ mT(result))),
    node="LinalgInvExBackward0",
    name="inv",
    shows={"result": None, "inverse": lambda get: get("result")},
)
def _inv(A):
    """Inverses of the matrices."""
    try:
        return np.linalg.inv(A)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            f"linalg.inv: The diagonal element {_zero_pivot(A)} is zero, the inversion could not be completed because the "
            "input matrix is singular."
        ) from None


@function
def linalg_inv(A: Tensor) -> Tensor:
    """The inverses of square matrices."""
    check("inv", A)
    return _inv(A)


inverse = linalg_inv


@function
def linalg_inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverses of square matrices, and zero for each that could be inverted."""
    inverted = linalg_inv(A)
    return _named("linalg_inv_ex", ("inverse", "info"), inverted, _no_trouble(A))


@op(
    r"{A}^{{-1}} {B}",
    A=lambda grad, A, result: -(_solve(mT(A), grad) @ mT(result)),
    B=lambda grad, A: _solve(mT(A), grad),
    broadcast=(),
    node="LinalgSolveExBackward0",
    name="solve",
)
def _solve(A, B):
    """Solutions X of A X = B."""
    try:
        return np.linalg.solve(A, B).astype(A.dtype)
    except np.linalg.LinAlgError:
        raise LinAlgError("torch.linalg.solve: The solver failed because the input matrix is singular.") from None


@function
def linalg_solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The solution X of A X = B (of X A = B if not `left`); B may be a vector or a batch of them."""
    check("solve", A)
    if A._array.dtype != B._array.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {dtypes.SCALAR_NAMES[A.dtype]} and B "
            f"of type {dtypes.SCALAR_NAMES[B.dtype]} instead"
        )
    vector = B._array.ndim == 1 or B._array.shape == A._array.shape[:-1]
    right = unsqueeze(B, -1) if vector else B
    if not left:
        return mT(linalg_solve(mT(A), mT(right)))
    if A._array.shape[-1] != right._array.shape[-2]:
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({A._array.shape[-2]}x{A._array.shape[-1]} "
            f"and {right._array.shape[-2]}x{right._array.shape[-1]})"
        )
    batch = np.broadcast_shapes(A._array.shape[:-2], right._array.shape[:-2])
    wide_a, wide_b = widened(A, batch), widened(right, batch)
    out = _solve(wide_a, wide_b)
    return out.squeeze(-1) if vector else out


@function
def linalg_solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solution of A X = B, and zero for each that could be solved."""
    return _named("linalg_solve_ex", ("result", "info"), linalg_solve(A, B, left=left), _no_trouble(A))


@op(
    r"{A}^{{-1}} {B}",
    A=lambda grad, A, result, upper, unitriangular: triangle(
        -(_solve_triangular(mT(A), grad, not upper, unitriangular) @ mT(result)), upper, unitriangular
    ),
    B=lambda grad, A, upper, unitriangular: _solve_triangular(mT(A), grad, not upper, unitriangular),
    broadcast=(),
    node="LinalgSolveTriangularBackward0",
    name="solve_triangular",
)
def _solve_triangular(A, B, upper, unitriangular):
    """Solutions X of A X = B for triangular A."""
    if not B.size:
        return np.zeros_like(B)
    solved = _each(
        lambda a, b: sl.solve_triangular(a, b, lower=not upper, unit_diagonal=unitriangular, check_finite=False), A, B
    )
    return _stacked(solved, B.shape[:-2], B.shape[-2:], B.dtype)


def triangle(x, upper, unitriangular):
    """The triangle that counts, without the diagonal where that is fixed."""
    return triu(x, int(unitriangular)) if upper else tril(x, -int(unitriangular))


@function
def linalg_solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Tensor:
    """The solution X of A X = B (of X A = B if not `left`) for triangular A."""
    check("solve_triangular", A)
    if not left:
        return mT(linalg_solve_triangular(mT(A), mT(B), upper=not upper, unitriangular=unitriangular))
    batch = np.broadcast_shapes(A._array.shape[:-2], B._array.shape[:-2])
    return _solve_triangular(widened(A, batch), widened(B, batch), upper, unitriangular)


def widened(matrices: Tensor, batch: tuple[int, ...]) -> Tensor:
    """Matrices expanded to a batch; those that have it stay what they are."""
    shape = batch + matrices._array.shape[-2:]
    return matrices if matrices._array.shape == shape else expand(matrices, shape)


@function
def triangular_solve(b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    """The solution X of A X = b for triangular A, and A."""
    a = mT(A) if transpose else A
    solution = linalg_solve_triangular(a, b, upper=upper != transpose, unitriangular=unitriangular)
    return _named("triangular_solve", ("solution", "cloned_coefficient"), solution, A.clone())


@function
def linalg_tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of a tensor whose first `ind` dimensions are rows."""
    shape = A._array.shape
    rows = math.prod(shape[:ind])
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    if rows != math.prod(shape[ind:]):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{math.prod(shape[ind:])} != {rows}"
        )
    return reshape(linalg_inv(reshape(A, (rows, rows))), (*shape[ind:], *shape[:ind]))


@function
def linalg_tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """The tensor X whose product with A over all of X's dimensions is B."""
    if dims is not None:
        n = A._array.ndim
        moved = [d % n for d in dims]
        A = A.permute(*[d for d in range(n) if d not in moved], *moved)
    shape = A._array.shape[B._array.ndim :]
    n = math.prod(shape)
    if n != B._array.size:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got "
            f"{n} != {B._array.size}"
        )
    return reshape(linalg_solve(reshape(A, (n, n)), reshape(B, -1)), shape)
