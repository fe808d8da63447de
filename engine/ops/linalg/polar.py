"""Square roots of positive matrices, and the polar decomposition that is made of them (PyTorch has both since 2.15)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...op.declare import function, op
from ...tensor import Tensor
from .matrices import _named, check, mH
from .solving import _solve


def turned(array):
    """The conjugate transposes, of arrays."""
    return array.swapaxes(-1, -2).conj()


@op(
    r"{H} X + X {H} = {M}",
    H=lambda grad, H, result: -both(_lyapunov(H, grad), mH(result)),
    M=lambda grad, H: _lyapunov(H, grad),
    broadcast=(),
    holomorphic=False,
)
def _lyapunov(H, M):
    """The solution X of H X + X H = M for positive matrices H."""
    values, vectors = np.linalg.eigh(H)
    sums = values[..., :, None] + values[..., None, :]
    return vectors @ ((turned(vectors) @ M @ vectors) / sums) @ turned(vectors)


def both(a, b):
    """Both products of two matrices."""
    return a @ b + b @ a


@op(
    r"\sqrt{{ {A} }}",
    A=lambda grad, result: _lyapunov(result, grad + mH(grad)) / 2,
    node="LinalgMatrixSqrthBackward0",
    name="linalg_matrix_sqrth",
    holomorphic=False,
)
def _matrix_sqrth(A):
    """Square roots of symmetric or Hermitian matrices; eigenvalues below zero count as zero."""
    values, vectors = np.linalg.eigh(A)
    return (vectors * np.sqrt(np.maximum(values, 0))[..., None, :]) @ turned(vectors)


@function
def linalg_matrix_sqrth(A: Tensor) -> Tensor:
    """The symmetric (Hermitian) positive matrix whose square is `A`."""
    check("matrix_sqrth", A, square=True)
    return _matrix_sqrth(A)


def polar_backward(grads, A, U, H):
    """The gradient in A = U H, from those in the factors."""
    gU, gH = grads
    inner, direct = gH, 0
    if gU is not None:
        direct = mH(_solve(H, mH(gU)))
        inner = -(mH(U) @ direct) if gH is None else gH - mH(U) @ direct
    k = _lyapunov(H, inner)
    return direct + A @ (k + mH(k))


@op(
    r"\mathrm{{polar}}({A})",
    A=lambda grads, A, U, H: polar_backward(grads, A, U, H),
    outputs=("U", "H"),
    node="LinalgPolarBackward0",
    name="linalg_polar",
    holomorphic=False,
)
def _polar_factors(A):
    """A matrix with orthonormal columns U and a positive one H with A = U H."""
    u, s, vh = np.linalg.svd(A, full_matrices=False)
    return u @ vh, (turned(vh) * s[..., None, :]) @ vh


@function
def linalg_polar(A: Tensor) -> Any:
    """A matrix with orthonormal columns U and a symmetric (Hermitian) positive one H with A = U H."""
    check("polar", A, square=False)
    if A._array.shape[-2] < A._array.shape[-1]:
        raise RuntimeError(
            f"linalg.polar: input must have at least as many rows as columns, but got {A._array.shape[-2]} by "
            f"{A._array.shape[-1]} matrices"
        )
    return _named("linalg_polar", ("U", "H"), *_polar_factors(A))
