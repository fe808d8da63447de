"""Eigenvalues, and singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import complex_of
from ...op.declare import function, op
from ...tensor import Tensor
from ..pointwise.comparison import where
from ..pointwise.unary import is_complex
from ..shape.reshaping import _reshape
from .matrices import _named, as_diag, check, conjugated, corner, diag_of, mH
from .solving import _solve

# --- eigenvalues -----------------------------------------------------------------------------------------------------------


def gaps(values):
    """Differences of eigenvalues, `L_j - L_i`, ones on the diagonal."""
    n = values.shape[-1]
    d = _reshape(values, (*values.shape[:-1], 1, n)) - _reshape(values, (*values.shape, 1))
    return d + as_diag(values * 0 + 1)


@op(
    r"\mathrm{{eigh}}({A})",
    A=lambda known, eigenvalues, eigenvectors: eigh_backward(known, eigenvalues, eigenvectors),
    outputs=("eigenvalues", "eigenvectors"),
    node="LinalgEighBackward0",
    holomorphic=False,
    name="linalg_eigh",
    traits="spectral",
)
def _eigh(A, lower):
    """Eigenvalues in ascending order and eigenvectors of symmetric matrices."""
    values, vectors = np.linalg.eigh(A, "L" if lower else "U")
    return values, vectors


def eigh_backward(known, values, vectors):
    """The derivative of a symmetric eigendecomposition."""
    if known[1] is None:
        return (vectors * _reshape(known[0], (*known[0].shape[:-1], 1, known[0].shape[-1]))) @ mH(vectors)
    turn = mH(vectors) @ known[1]
    inner = (turn - mH(turn)) * 0.5 / gaps(values)
    inner = inner if known[0] is None else inner + as_diag(known[0])
    return vectors @ inner @ mH(vectors)


@function
def linalg_eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues in ascending order and eigenvectors of symmetric matrices, of which one triangle counts."""
    check("eigh", A)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return _eigh(A, UPLO.upper() == "L")


@function
def linalg_eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Eigenvalues of symmetric matrices in ascending order."""
    values: Tensor = linalg_eigh(A, UPLO)[0]
    return values


@op(
    r"\mathrm{{eig}}({A})",
    A=lambda known, eigenvalues, eigenvectors: eig_backward(known, eigenvalues, eigenvectors),
    outputs=("eigenvalues", "eigenvectors"),
    node="LinalgEigBackward0",
    name="linalg_eig",
    holomorphic=False,
)
def _eig(A):
    """Eigenvalues and eigenvectors of any square matrices, complex numbers all of them."""
    values, vectors = np.linalg.eig(A) if A.size else (np.zeros(A.shape[:-1]), A)
    target = complex_of(A.dtype)
    return values.astype(target), vectors.astype(target)


def eig_backward(known, values, vectors):
    """The derivative of an eigendecomposition, whose vectors have norm one."""
    adjoint = mH(vectors)
    if known[1] is None:
        return _solve(adjoint, _reshape(known[0], (*known[0].shape, 1)) * adjoint)
    turn = adjoint @ known[1]
    along = diag_of(turn)
    along = (along + conjugated(along)) * 0.5
    inner = (turn - adjoint @ (vectors * _reshape(along, (*along.shape[:-1], 1, along.shape[-1])))) / conjugated(gaps(values))
    inner = inner - as_diag(diag_of(inner))
    inner = inner if known[0] is None else inner + as_diag(known[0])
    return _solve(adjoint, inner @ adjoint)


@function
def linalg_eig(A: Tensor) -> Any:
    """Eigenvalues and eigenvectors of square matrices: complex numbers, in no particular order."""
    check("eig", A)
    return _eig(A)


@function
def linalg_eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of square matrices, complex numbers."""
    check("eigvals", A)
    values: Tensor = _eig(A)[0]
    return values


# --- singular values -------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{svd}}({A})",
    A=lambda known, U, S, Vh: svd_backward(known, U, S, Vh),
    outputs=("U", "S", "Vh"),
    node="LinalgSvdBackward0",
    name="linalg_svd",
    traits="spectral",
    holomorphic=False,
)
def _svd(A, full_matrices):
    """Singular value decomposition, A = U diag(S) Vh."""
    u, s, vh = np.linalg.svd(A, full_matrices=full_matrices)
    return u, s, vh


@op(
    r"\mathrm{{svd}}({A})",
    A=lambda known, U, S, Vh: svd_backward(known, U, S, Vh),
    outputs=("U", "S", "Vh"),
    name="linalg_svd",
    holomorphic=False,
)
def _svd_all(A):
    """Singular value decomposition of square matrices."""
    u, s, vh = np.linalg.svd(A)
    return u, s, vh


def svd_backward(known, U, S, Vh):
    """The derivative of the singular value decomposition (Townsend, 2016)."""
    k = S.shape[-1]
    m, n = U.shape[-2], Vh.shape[-1]
    U, Vh = corner(U, m, k), corner(Vh, k, n)
    if known[0] is None and known[2] is None:
        return (U * _reshape(known[1], (*known[1].shape[:-1], 1, k))) @ Vh
    gU = U * 0 if known[0] is None else corner(known[0], m, k)
    gS = S * 0 if known[1] is None else known[1]
    gVh = Vh * 0 if known[2] is None else corner(known[2], k, n)
    skew_u, skew_v = mH(U) @ gU, Vh @ mH(gVh)
    skew_u, skew_v = (skew_u - mH(skew_u)), (skew_v - mH(skew_v))
    row, col = _reshape(S, (*S.shape[:-1], 1, k)), _reshape(S, (*S.shape, 1))
    E = row * row - col * col + as_diag(S * 0 + 1)
    inner = (skew_u * row + col * skew_v) / E
    inner = inner - as_diag(diag_of(inner)) + as_diag(gS)
    if is_complex(U) and known[0] is not None and known[2] is not None:
        inner = inner + as_diag(diag_of(skew_u) / (2 * S))
    out = U @ inner @ Vh
    safe = where(S == 0, 1.0, S)
    if m > k:
        scaled = gU / _reshape(safe, (*S.shape[:-1], 1, k))
        out = out + (scaled - U @ (mH(U) @ scaled)) @ Vh
    if n > k:
        scaled = gVh / _reshape(safe, (*S.shape, 1))
        out = out + U @ (scaled - (scaled @ mH(Vh)) @ Vh)
    return out


@function
def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """Singular value decomposition of matrices, A = U diag(S) Vh."""
    check("svd", A, square=False)
    return _svd(A, full_matrices)


@function
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """Singular value decomposition of matrices, input = U diag(S) Vᵀ."""
    u, s, vh = linalg_svd(input, not some)
    return _named("svd", ("U", "S", "V"), u, s, mH(vh))


@function
def linalg_svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """Singular values in descending order."""
    values: Tensor = linalg_svd(A, full_matrices=False)[1]
    return values
