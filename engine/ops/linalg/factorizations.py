"""Matrices as products of triangular and orthogonal ones: Cholesky, QR and LU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...compat.version import since
from ...context import outside, warn_once
from ...errors import LinAlgError
from ...lazy import Late
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..shape.diagonals import tril, triu
from ..shape.joining import _take_slice, cat
from .matrices import _each, _named, _no_trouble, _stacked, as_diag, check, conjugated, diag_of, joined, mH, mT
from .removed import GONE
from .solving import _solve_triangular, linalg_solve_triangular, widened

if TYPE_CHECKING:
    import scipy.linalg as sl
else:
    sl = Late("scipy.linalg")

# --- Cholesky --------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{chol}}({A})",
    A=lambda grad, result: cholesky_backward(grad, result),
    node="LinalgCholeskyExBackward0",
    name="cholesky",
    holomorphic=False,
    shows={"result": None, "L": lambda get: get("result"), "upper": lambda get: False},
)
def _cholesky(A):
    """Lower triangular L with L Lᵀ = A."""
    try:
        return np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the "
            f"leading minor of order {_bad_minor(A)} is not positive-definite)."
        ) from None


def _bad_minor(A):
    for k in np.ndindex(A.shape[:-2]):
        for n in range(1, A.shape[-1] + 1):
            try:
                np.linalg.cholesky(A[k][:n, :n])
            except np.linalg.LinAlgError:
                return n
    return A.shape[-1]


def cholesky_backward(grad, L):
    """The derivative of the Cholesky factor, symmetric."""
    phi = tril(mH(L) @ grad, 0)
    phi = (phi + mH(tril(phi, -1))) * 0.5
    g = _solve_triangular(mH(L), phi, True, False)
    return mH(_solve_triangular(mH(L), mH(g), True, False))


@function
def linalg_cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower (or upper) triangular factor of symmetric positive-definite matrices."""
    check("cholesky", A)
    out = _cholesky(A)
    return mH(out) if upper else out


REMOVED = since("2.15", GONE, before="")
"""How PyTorch begins when it refuses a function that it no longer has; "" where it still has it."""


@function
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The lower (or upper) triangular factor of symmetric positive-definite matrices."""
    if REMOVED.now:
        raise RuntimeError(
            f"{REMOVED.now} `torch.cholesky` is deprecated in favor of `torch.linalg.cholesky`.\n"
            "L = torch.cholesky(A) should be replaced with:\nL = torch.linalg.cholesky(A)\n"
            "U = torch.cholesky(A, upper=True) should be replaced with:\nU = torch.linalg.cholesky(A).mH"
        )
    warn_once(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch release.\n"
        "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
        "U = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\n"
        "This transform will produce equivalent results for all valid (symmetric positive definite) inputs.",
        outside(),
    )
    # Of complex matrices, PyTorch's gradient is that of the lower triangle in either case.
    return linalg_cholesky(mT(input) if upper and not input.is_complex() else input, upper=upper)


@function
def linalg_cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The Cholesky factor, and zero for each matrix that has one."""
    return _named("linalg_cholesky_ex", ("L", "info"), linalg_cholesky(A, upper=upper), _no_trouble(A))


@op(
    r"{input2}^{{-1}} {self}",
    self=lambda grad, input2, upper: _cholesky_solve(grad, input2, upper),
    input2=lambda grad, input2, result, upper: factor_slope(_cholesky_solve(grad, input2, upper) @ mH(result), input2, upper),
    broadcast=(),
    holomorphic=False,
    node="CholeskySolveBackward0",
    name="cholesky_solve",
)
def _cholesky_solve(self, input2, upper):
    """Solutions X of A X = B from the Cholesky factor of A."""
    factor = np.tril(input2.swapaxes(-1, -2).conj() if upper else input2)
    y = _solve_triangular._op.forward(factor, self, False, False)
    return _solve_triangular._op.forward(factor.swapaxes(-1, -2).conj(), y, True, False)


def factor_slope(common, L, upper):
    """The derivative in a Cholesky factor from that in the product of the factors."""
    both = common + mH(common)
    return -(L @ both) if upper else -(both @ L)


@function
def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """The solution X of A X = B from the Cholesky factor of A."""
    batch = np.broadcast_shapes(B._array.shape[:-2], L._array.shape[:-2])
    return _cholesky_solve(widened(B, batch), widened(L, batch), upper)


@op(
    r"({self} {self}^T)^{{-1}}",
    self=lambda grad, self, result, upper: factor_slope((result @ grad) @ result, self, upper),
    node="CholeskyInverseBackward0",
    holomorphic=False,
)
def cholesky_inverse(self, upper=False):
    """The inverses of matrices from their Cholesky factors."""
    eye = np.broadcast_to(np.eye(self.shape[-1], dtype=self.dtype), self.shape)
    return _cholesky_solve._op.forward(eye, self, upper)


# --- QR and LU -------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{qr}}({A})",
    A=lambda grads, Q, R: qr_backward(grads, Q, R),
    outputs=("Q", "R"),
    node="LinalgQrBackward0",
    holomorphic=False,
    name="linalg_qr",
)
def _qr(A, mode):
    """Orthogonal Q and upper triangular R with A = Q R."""
    q, r = np.linalg.qr(A, "complete" if mode == "complete" else "reduced")
    return q, r


def qr_backward(grads, Q, R):
    """The derivative of the QR decomposition (Roberts and Roberts, 2020)."""
    m, n = Q.shape[-2], R.shape[-1]
    gQ, gR = grads
    if m >= n:
        return qr_tall(gQ, gR, Q, R)
    # Wide: A = Q [R1 R2]; what belongs to R2 goes through Q as well.
    d = R.ndim - 1
    R1, R2 = _take_slice(R, d, 0, m, 1), _take_slice(R, d, m, n, 1)
    gR1, gR2 = _take_slice(gR, d, 0, m, 1), _take_slice(gR, d, m, n, 1)
    A2 = Q @ R2
    first = qr_tall(gQ + A2 @ mH(gR2), gR1, Q, R1)
    return joined([first, Q @ gR2], d)


def qr_tall(gQ, gR, Q, R):
    """The derivative where there are at least as many rows as columns."""
    inner = R @ mH(gR) - mH(gQ) @ Q
    low = tril(inner, -1)
    middle = diag_of(inner)
    sym = low + mH(low) + as_diag((middle + conjugated(middle)) * 0.5)
    b = gQ + Q @ sym
    return mH(_solve_triangular(R, mH(b), True, False))


@function
def linalg_qr(A: Tensor, mode: str = "reduced") -> Any:
    """Orthogonal Q and upper triangular R with A = Q R."""
    check("qr", A, square=False)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    q, r = _qr(A, mode)
    return _named("linalg_qr", ("Q", "R"), q if mode != "r" else constant(np.zeros(0, A._array.dtype)), r)


@function
def qr(input: Tensor, some: bool = True) -> Any:
    """Orthogonal Q and upper triangular R with input = Q R."""
    if REMOVED.now:
        raise RuntimeError(
            f"{REMOVED.now} `torch.qr` is deprecated in favor of `torch.linalg.qr` and the boolean parameter `some` has been "
            "replaced with a string parameter `mode`.\n\n"
            "Q, R = torch.qr(A) should be replaced with:\nQ, R = torch.linalg.qr(A, mode='reduced')\n\nand\n\n"
            "Q, R = torch.qr(A, some=False) should be replaced with:\nQ, R = torch.linalg.qr(A, mode='complete')\n\n"
            f"Since `some` was set to {some}, use mode='{'reduced' if some else 'complete'}'."
        )
    warn_once(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\n"
        "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\n"
        "Q, R = torch.qr(A, some)\nshould be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
        outside(),
    )
    q, r = linalg_qr(input, "reduced" if some else "complete")
    return _named("qr", ("Q", "R"), q, r)


@op(
    r"\mathrm{{lu}}({A})",
    A=lambda grads, P, L, U: lu_backward(grads, P, L, U),
    outputs=("P", "L", "U"),
    node="LinalgLuBackward0",
    name="linalg_lu",
)
def _lu(A):
    """Permutation P, unit lower triangular L and upper triangular U with A = P L U."""
    m, n = A.shape[-2:]
    k = min(m, n)
    found = _each(lambda a: sl.lu(a, check_finite=False), A)
    batch = A.shape[:-2]
    shapes = ((m, m), (m, k), (k, n))
    return tuple(_stacked([f[i] for f in found], batch, s, A.dtype) for i, s in enumerate(shapes))


def lu_backward(grads, P, L, U):
    """The derivative of the LU decomposition, of square matrices and of the square part of others."""
    _, gL, gU = grads
    m, n = L.shape[-2], U.shape[-1]
    k = L.shape[-1]
    dim_r, dim_c = L.ndim - 2, L.ndim - 1
    L1, U1 = _take_slice(L, dim_r, 0, k, 1), _take_slice(U, dim_c, 0, k, 1)
    gL1, gU1 = _take_slice(gL, dim_r, 0, k, 1), _take_slice(gU, dim_c, 0, k, 1)
    inner_l, inner_u = mT(L1) @ gL1, gU1 @ mT(U1)
    if n > k:
        U2, gU2 = _take_slice(U, dim_c, k, n, 1), _take_slice(gU, dim_c, k, n, 1)
        inner_l = inner_l - gU2 @ mT(U2)
    if m > k:
        L2, gL2 = _take_slice(L, dim_r, k, m, 1), _take_slice(gL, dim_r, k, m, 1)
        inner_u = inner_u - mT(L2) @ gL2
    phi = tril(inner_l, -1) + triu(inner_u, 0)
    square = _solve_triangular(mT(L1), phi, True, True)
    square = mT(_solve_triangular(U1, mT(square), True, False))
    if n > k:
        right = _solve_triangular(mT(L1), gU2, True, True)
        square = joined([square, right], dim_c)
    if m > k:
        below = mT(_solve_triangular(U1, mT(gL2), True, False))
        square = joined([square, below], dim_r)
    return P @ square


@function
def linalg_lu(A: Tensor, *, pivot: bool = True) -> Any:
    """Permutation P, unit lower triangular L and upper triangular U with A = P L U."""
    check("lu", A, square=False)
    return _named("linalg_lu", ("P", "L", "U"), *_lu(A))


def _pivots(A: Any) -> Any:
    k = min(A.shape[-2:])
    found = _each(lambda a: sl.lu_factor(a, check_finite=False)[1] + 1, A) if A.size else []
    return constant(np.array(found, np.int32).reshape((*A.shape[:-2], k)))


@function
def linalg_lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """L and U in one matrix, and the rows that were exchanged."""
    check("lu_factor", A, square=False)
    _, low, up = _lu(A)
    m, n = A._array.shape[-2:]
    k = min(m, n)
    low = tril(low, -1)
    if n > k:
        low = cat([low, constant(np.zeros((*A._array.shape[:-1], n - k), A._array.dtype))], -1)
    if m > k:
        up = cat([up, constant(np.zeros((*A._array.shape[:-2], m - k, n), A._array.dtype))], -2)
    return _named("linalg_lu_factor", ("LU", "pivots"), low + up, _pivots(A._array))


@function
def linalg_lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """L and U in one matrix, the rows that were exchanged, and zero for each matrix that could be factored."""
    factors, pivots = linalg_lu_factor(A)
    return _named("linalg_lu_factor_ex", ("LU", "pivots", "info"), factors, pivots, _no_trouble(A))


@function
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """P, L and U from what `lu_factor` gives."""
    a = LU_data._array
    m, n = a.shape[-2:]
    k = min(m, n)
    eye = constant(np.broadcast_to(np.eye(m, k, dtype=a.dtype), (*a.shape[:-2], m, k)).copy())
    low = tril(LU_data.narrow(-1, 0, k), -1) + eye
    up = triu(LU_data.narrow(-2, 0, k), 0)
    empty = constant(np.zeros(0, a.dtype))
    P = constant(_permutation(LU_pivots._array, m, a.dtype)) if unpack_pivots else empty
    return _named("lu_unpack", ("P", "L", "U"), P, *((low, up) if unpack_data else (empty, empty)))


def _permutation(pivots: Any, m: int, dtype: Any) -> Any:
    out = np.zeros((*pivots.shape[:-1], m, m), dtype)
    for k in np.ndindex(pivots.shape[:-1]):
        order = list(range(m))
        for i, p in enumerate(pivots[k]):
            order[i], order[p - 1] = order[p - 1], order[i]
        out[k][order, range(m)] = 1
    return out


@function
def linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """The solution of A X = B (or with Aᵀ; or of X A = B) from what `lu_factor` gives of A."""
    if not left:
        return mH(linalg_lu_solve(LU, pivots, mH(B), adjoint=not adjoint))
    P, low, up = lu_unpack(LU, pivots)
    if adjoint:
        y = linalg_solve_triangular(mH(up), B, upper=False)
        z = linalg_solve_triangular(mH(low), y, upper=True, unitriangular=True)
        return P @ z
    y = linalg_solve_triangular(low, mT(P) @ B, upper=False, unitriangular=True)
    return linalg_solve_triangular(up, y, upper=True)


@function
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """The solution of A X = b from what `lu_factor` gives of A."""
    return linalg_lu_solve(LU_data, LU_pivots, b)
