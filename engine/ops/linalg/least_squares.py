"""Pseudo-inverses, least squares and ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import real_of
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..shape.reshaping import _reshape, unsqueeze
from .matrices import _named, check, mH


@op(
    r"{A}^{{+}}",
    A=lambda grad, A, result: pinv_backward(grad, A, result),
    node="LinalgPinvBackward0",
    holomorphic=False,
    name="pinv",
    shows={"A": None, "self": lambda get: get("A")},
)
def _pinv(A, rcond, hermitian=False):
    """Moore–Penrose inverses."""
    if hermitian:
        values, vectors = np.linalg.eigh(A)
        keep = np.abs(values) > rcond[..., None] * np.abs(values).max(-1, keepdims=True, initial=0)
        return (vectors * np.where(keep, 1 / np.where(keep, values, 1), 0)[..., None, :]) @ vectors.swapaxes(-1, -2).conj()
    return np.linalg.pinv(A, rcond).astype(A.dtype)


def pinv_backward(grad, A, P):
    """The derivative of the pseudo-inverse (Golub and Pereyra, 1973)."""
    g, Pt = mH(grad), mH(P)
    if A.shape[-2] <= A.shape[-1]:
        K = g @ P
        KP = K @ Pt
        return -mH(P @ K) + KP - (A @ P) @ KP + (Pt @ P) @ (g - K @ A)
    K = P @ g
    PK = Pt @ K
    return -mH(K @ P) + (g - A @ K) @ P @ Pt + PK - (PK @ P) @ A


@function
def linalg_pinv(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False, rcond: Any = None) -> Tensor:
    """The Moore–Penrose inverse of matrices; singular values below the tolerance count as zero."""
    check("pinv", A, square=hermitian)
    a = A._array
    tolerance = rtol if rtol is not None else rcond
    tolerance = tolerance._array if isinstance(tolerance, Tensor) else tolerance
    if tolerance is None:
        tolerance = 0.0 if atol is not None else max(a.shape[-2:]) * np.finfo(a.dtype).eps
    if atol is not None and a.size:
        least = atol._array if isinstance(atol, Tensor) else np.asarray(atol)
        top = np.linalg.svd(a, compute_uv=False)[..., 0]
        tolerance = np.maximum(tolerance, least / np.where(top == 0, 1, top))
    return _pinv(A, np.asarray(tolerance, real_of(a.dtype)), hermitian)


@function
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The Moore–Penrose inverse of matrices."""
    return linalg_pinv(input, rcond=rcond)


@op(
    r"{A}^{{+}} {B}",
    A=lambda grads, A: grads[0],
    B=lambda grads, B: grads[0],
    joint_vjp=lambda grads, A, B, solution, needs: least_squares_slopes(grads, A, B, solution, needs),
    outputs=("solution", "residuals", "rank", "singular_values"),
    broadcast=(),
    node="LinalgLstsqBackward0",
    holomorphic=False,
    name="linalg_lstsq",
)
def _lstsq(A, B, rcond, driver):
    """Solutions X that make A X - B smallest, the squares that are left, the rank, and singular values."""
    m, n = A.shape[-2:]
    solution = np.linalg.pinv(A, rcond) @ B
    rank = np.asarray(np.linalg.matrix_rank(A), np.int64) if A.size else np.zeros(A.shape[:-2], np.int64)
    residuals = np.zeros(0, real_of(A.dtype))
    if m > n and (driver == "gels" or (driver != "gelsy" and (rank == n).all())):
        residuals = (np.abs(A @ solution - B) ** 2).sum(-2)
    values = np.linalg.svd(A, compute_uv=False) if driver in ("gelsd", "gelss") else np.zeros(0, real_of(A.dtype))
    return solution, residuals, np.zeros(0, np.int64) if driver == "gels" else rank, values


def least_squares_slopes(grads, A, B, X, needs):
    """The derivatives of solution and residuals; the solution's share of the residuals' is zero, as they are smallest."""
    P = _pinv(A, 1e-15)
    gA = pinv_backward(grads[0] @ mH(B), A, P) if needs[0] else None
    gB = mH(P) @ grads[0] if needs[1] else None
    if grads[1].shape != (0,):
        left = (A @ X - B) * 2.0 * _reshape(grads[1], (*X.shape[:-2], 1, X.shape[-1]))
        gA = gA + left @ mH(X) if needs[0] else None
        gB = gB - left if needs[1] else None
    return gA, gB


@function
def linalg_lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: str | None = None) -> Any:
    """The solution X that makes A X - B smallest, the squares that are left, the rank, and singular values."""
    if A._array.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    vector = B._array.ndim == 1 or (B._array.ndim + 1 == A._array.ndim and B._array.shape == A._array.shape[:-1])
    right = unsqueeze(B, -1) if vector else B
    tolerance = max(A._array.shape[-2:]) * np.finfo(A._array.dtype).eps if rcond is None else rcond
    solution, residuals, rank, values = _lstsq(A, right, tolerance, driver or "gelsy")
    return _named(
        "linalg_lstsq",
        ("solution", "residuals", "rank", "singular_values"),
        solution.squeeze(-1) if vector else solution,
        residuals,
        rank,
        constant(values._array),
    )


@function
def linalg_matrix_rank(
    A: Tensor,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Tensor:
    """How many singular values are above the tolerance."""
    a = A._array
    s = np.abs(np.linalg.eigvalsh(a)) if hermitian else np.linalg.svd(a, compute_uv=False)
    least = [x._array if isinstance(x, Tensor) else x for x in (tol if tol is not None else atol, rtol)]
    relative = (
        least[1] if least[1] is not None else (0.0 if least[0] is not None else max(a.shape[-2:]) * np.finfo(a.dtype).eps)
    )
    if not s.shape[-1]:
        return constant(np.zeros(a.shape[:-2], np.int64))
    bound = np.maximum(0.0 if least[0] is None else least[0], np.asarray(relative) * s.max(-1))
    return constant(np.asarray((s > np.asarray(bound)[..., None]).sum(-1), np.int64))
