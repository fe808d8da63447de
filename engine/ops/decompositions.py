"""Linear algebra: determinants, inverses, solutions, and the factorisations behind them. Derivatives after Giles (2008),
"Collected matrix derivative results for forward and reverse mode algorithmic differentiation"."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.linalg as sl

from engine import dtypes
from engine.errors import LinAlgError
from engine.op import function, op
from engine.ops.comparison import where
from engine.ops.indexing import _take_slice
from engine.ops.rearrange import _diag_embed, _diagonal_again, tril, triu
from engine.ops.reduction import amax, amin, axes_of, norm_of
from engine.ops.reduction import sum as total
from engine.ops.shape import _reshape, _transpose, cat, expand, movedim_last, reshape, unsqueeze
from engine.tensor import Tensor, constant


def mT(x):
    """The matrices transposed."""
    return _transpose(x, x.ndim - 2, x.ndim - 1)


def diag_of(x):
    """The diagonals of the matrices."""
    return _diagonal_again(x, 0, x.ndim - 2, x.ndim - 1)


def as_diag(x):
    """Diagonal matrices of the vectors."""
    return _diag_embed(x, 0, x.ndim - 1, x.ndim)


def check(name: str, A: Tensor, square: bool = True) -> None:  # noqa: N803
    """Refuse what is no (square) matrix of floating point numbers."""
    if A._array.ndim < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if square and A._array.shape[-1] != A._array.shape[-2]:
        raise RuntimeError(
            f"linalg.{name}: A must be batches of square matrices, but they are {A._array.shape[-2]} by {A._array.shape[-1]} "
            "matrices"
        )
    if A._array.dtype.name not in ("float32", "float64"):
        kind = dtypes.SCALAR_NAMES[A.dtype]
        if A._array.dtype.kind == "f":
            raise RuntimeError(f"linalg.{name}: Low precision dtypes not supported. Got {kind}")
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {kind}")


def _each(f: Any, *arrays: Any) -> list[Any]:
    """`f` for each matrix of a batch."""
    return [f(*(a[k] for a in arrays)) for k in np.ndindex(arrays[0].shape[:-2])]


def _stacked(results: list[Any], batch: tuple[int, ...], shape: tuple[int, ...], dtype: Any) -> Any:
    return np.array(results, dtype).reshape(batch + shape)


def _zero_pivot(A):
    """The first pivot that is zero, counted from one; 0 if there is none."""
    if not A.size:
        return 0
    for k in np.ndindex(A.shape[:-2]):
        u = np.diag(sl.lu(A[k], permute_l=True, check_finite=False)[1])
        if (u == 0).any():
            return int(np.argmax(u == 0)) + 1
    return 0


# --- determinant, inverse, solution ----------------------------------------------------------------------------------------


@op(r"\det {A}", A=lambda grad, A, result: det_backward(grad, A, result), node="LinalgDetBackward0", name="det")
def _det(A):
    """Determinants of the matrices."""
    return np.linalg.det(A).astype(A.dtype)


def det_backward(grad, A, result):
    """The cofactors; for singular matrices by singular values, as there is no inverse."""
    g = _reshape(grad, (*grad.shape, 1, 1))
    if not singular(A):
        return g * _reshape(result, (*result.shape, 1, 1)) * mT(_inv(A))
    u, s, vh = _svd_all(A)
    others = _reshape(_det(u) * _det(vh), (*result.shape, 1)) * products_of_others(s)
    return g * (u @ as_diag(others) @ vh)


def singular(A):
    """Whether one of the matrices has a determinant of (nearly) zero."""
    a = A if isinstance(A, np.ndarray) else A._array
    if not a.size:
        return False
    s = np.linalg.svd(a, compute_uv=False)
    return bool((s[..., -1] <= s[..., 0] * np.finfo(a.dtype).eps * a.shape[-1]).any())


def products_of_others(s):
    """For each element of the last dimension the product of the others."""
    n = s.shape[-1]
    d = s.ndim - 1
    before, after = [ones_like_part(s)], [ones_like_part(s)]
    for k in range(n - 1):
        before.append(before[-1] * _take_slice(s, d, k, k + 1, 1))
        after.append(after[-1] * _take_slice(s, d, n - 1 - k, n - k, 1))
    return joined([b * a for b, a in zip(before, after[::-1], strict=True)], d)


def ones_like_part(s):
    """Ones in the shape of one slice along the last dimension."""
    return _take_slice(s, s.ndim - 1, 0, 1, 1) * 0 + 1


def joined(pieces, dim):
    """The pieces one after another."""
    return cat(pieces, dim) if isinstance(pieces[0], Tensor) else np.concatenate(pieces, axis=dim)


@function
def det(A: Tensor) -> Tensor:  # noqa: N803
    """The determinants of square matrices, (…, n, n) to (…)."""
    check("det", A)
    return _det(A)


@op(
    r"\ln |\det {A}|",
    A=lambda grads, A: _reshape(grads[1], (*grads[1].shape, 1, 1)) * mT(_inv(A)),
    outputs=("sign", "logabsdet"),
    node="LinalgSlogdetBackward0",
    name="slogdet",
)
def _slogdet(A):
    """Signs and logarithms of the absolute values of determinants."""
    sign, value = np.linalg.slogdet(A)
    return sign.astype(A.dtype), value.astype(A.dtype)


@function
def slogdet(A: Tensor) -> Any:  # noqa: N803
    """The sign and the logarithm of the absolute value of the determinants."""
    check("slogdet", A)
    return _slogdet(A)


@function
def logdet(A: Tensor) -> Tensor:  # noqa: N803
    """The logarithm of the determinants; NaN where they are negative."""
    check("slogdet", A)
    sign, value = _slogdet(A)
    return where(sign == -1, math.nan, value)


@op(r"{A}^{{-1}}", A=lambda grad, result: -(mT(result) @ (grad @ mT(result))), node="LinalgInvExBackward0", name="inv")
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
def linalg_inv(A: Tensor) -> Tensor:  # noqa: N803
    """The inverses of square matrices."""
    check("inv", A)
    return _inv(A)


inverse = linalg_inv


@function
def linalg_inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:  # noqa: N803
    """The inverses of square matrices, and zero for each that could be inverted."""
    inverted = linalg_inv(A)
    return _named("linalg_inv_ex", ("inverse", "info"), inverted, _no_trouble(A))


def _no_trouble(A: Tensor) -> Tensor:  # noqa: N803
    return constant(np.zeros(A._array.shape[:-2], np.int32))


def _named(name: str, fields: tuple[str, ...], *values: Any) -> Any:
    from engine.codegen import named_result

    return named_result(name, fields)(*values)


@op(
    r"{A}^{{-1}} {B}",
    A=lambda grad, A, result: -(_solve(mT(A), grad) @ mT(result)),
    B=lambda grad, A: _solve(mT(A), grad),
    promote=(),
    node="LinalgSolveExBackward0",
    name="solve",
)
def _solve(A, B):
    """Solutions X of A X = B."""
    try:
        return np.linalg.solve(A, B).astype(A.dtype)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            f"torch.linalg.solve: The solver failed because the input matrix is singular."
        ) from None


@function
def linalg_solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:  # noqa: N803
    """The solution X of A X = B (of X A = B if not `left`); B may be a vector or a batch of them."""
    check("solve", A)
    if A._array.dtype != B._array.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {dtypes.SCALAR_NAMES[A.dtype]} and B of "
            f"type {dtypes.SCALAR_NAMES[B.dtype]} instead"
        )
    vector = B._array.ndim == 1 or B._array.shape == A._array.shape[:-1]
    if vector:
        right = unsqueeze(B, -1)
    else:
        right = B
    if not left:
        return mT(linalg_solve(mT(A), mT(right)))
    if A._array.shape[-1] != right._array.shape[-2]:
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({A._array.shape[-2]}x{A._array.shape[-1]} "
            f"and {right._array.shape[-2]}x{right._array.shape[-1]})"
        )
    batch = np.broadcast_shapes(A._array.shape[:-2], right._array.shape[:-2])
    wide_a, wide_b = expand(A, batch + A._array.shape[-2:]), expand(right, batch + right._array.shape[-2:])
    out = _solve(wide_a, wide_b)
    return out.squeeze(-1) if vector else out


@function
def linalg_solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:  # noqa: N803
    """The solution of A X = B, and zero for each that could be solved."""
    return _named("linalg_solve_ex", ("result", "info"), linalg_solve(A, B, left=left), _no_trouble(A))


@op(
    r"{A}^{{-1}} {B}",
    A=lambda grad, A, result, upper, unitriangular: triangle(
        -(_solve_triangular(mT(A), grad, not upper, unitriangular) @ mT(result)), upper, unitriangular
    ),
    B=lambda grad, A, upper, unitriangular: _solve_triangular(mT(A), grad, not upper, unitriangular),
    promote=(),
    node="LinalgSolveTriangularBackward0",
    name="solve_triangular",
)
def _solve_triangular(A, B, upper, unitriangular):
    """Solutions X of A X = B for triangular A."""
    if not B.size:
        return np.zeros_like(B)
    solved = _each(lambda a, b: sl.solve_triangular(a, b, lower=not upper, unit_diagonal=unitriangular, check_finite=False), A, B)
    return _stacked(solved, B.shape[:-2], B.shape[-2:], B.dtype)


def triangle(x, upper, unitriangular):
    """The triangle that counts, without the diagonal where that is fixed."""
    return triu(x, int(unitriangular)) if upper else tril(x, -int(unitriangular))


@function
def linalg_solve_triangular(
    A: Tensor,  # noqa: N803
    B: Tensor,  # noqa: N803
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
    return _solve_triangular(
        expand(A, batch + A._array.shape[-2:]), expand(B, batch + B._array.shape[-2:]), upper, unitriangular
    )


@function
def triangular_solve(b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:  # noqa: N803
    """The solution X of A X = b for triangular A, and A."""
    a = mT(A) if transpose else A
    solution = linalg_solve_triangular(a, b, upper=upper != transpose, unitriangular=unitriangular)
    return _named("triangular_solve", ("solution", "cloned_coefficient"), solution, A.clone())


# --- Cholesky --------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{chol}}({A})",
    A=lambda grad, result: cholesky_backward(grad, result),
    node="LinalgCholeskyExBackward0",
    name="cholesky",
)
def _cholesky(A):
    """Lower triangular L with L Lᵀ = A."""
    try:
        return np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            f"linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the leading "
            f"minor of order {_bad_minor(A)} is not positive-definite)."
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
    phi = tril(mT(L) @ grad, 0)
    phi = phi - as_diag(diag_of(phi)) * 0.5
    phi = (phi + mT(phi)) * 0.5
    g = _solve_triangular(mT(L), phi, True, False)
    return mT(_solve_triangular(mT(L), mT(g), True, False))


@function
def linalg_cholesky(A: Tensor, *, upper: bool = False) -> Tensor:  # noqa: N803
    """The lower (or upper) triangular factor of symmetric positive-definite matrices."""
    check("cholesky", A)
    out = _cholesky(A)
    return mT(out) if upper else out


@function
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The lower (or upper) triangular factor of symmetric positive-definite matrices."""
    return linalg_cholesky(mT(input) if upper else input, upper=upper)


@function
def linalg_cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:  # noqa: N803
    """The Cholesky factor, and zero for each matrix that has one."""
    return _named("linalg_cholesky_ex", ("L", "info"), linalg_cholesky(A, upper=upper), _no_trouble(A))


@op(
    r"{input2}^{{-1}} {self}",
    self=lambda grad, input2, upper: _cholesky_solve(grad, input2, upper),
    input2=lambda grad, input2, result, upper: factor_slope(_cholesky_solve(grad, input2, upper) @ mT(result), input2, upper),
    promote=(),
    node="CholeskySolveBackward0",
    name="cholesky_solve",
)
def _cholesky_solve(self, input2, upper):
    """Solutions X of A X = B from the Cholesky factor of A."""
    factor = input2.swapaxes(-1, -2) if upper else input2
    y = _solve_triangular.op.forward(np.tril(factor), self, False, False)
    return _solve_triangular.op.forward(np.tril(factor).swapaxes(-1, -2), y, True, False)


def factor_slope(common, L, upper):
    """The derivative in a Cholesky factor from that in the product of the factors."""
    both = common + mT(common)
    return -(L @ both) if upper else -(both @ L)


@function
def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:  # noqa: N803
    """The solution X of A X = B from the Cholesky factor of A."""
    batch = np.broadcast_shapes(B._array.shape[:-2], L._array.shape[:-2])
    return _cholesky_solve(expand(B, batch + B._array.shape[-2:]), expand(L, batch + L._array.shape[-2:]), upper)


@op(
    r"({self} {self}^T)^{{-1}}",
    self=lambda grad, self, result, upper: factor_slope((result @ grad) @ result, self, upper),
    node="CholeskyInverseBackward0",
)
def cholesky_inverse(self, upper=False):
    """The inverses of matrices from their Cholesky factors."""
    eye = np.broadcast_to(np.eye(self.shape[-1], dtype=self.dtype), self.shape)
    return _cholesky_solve.op.forward(eye, self, upper)


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
    name="linalg_eigh",
)
def _eigh(A, lower):
    """Eigenvalues in ascending order and eigenvectors of symmetric matrices."""
    values, vectors = np.linalg.eigh(A, "L" if lower else "U")
    return values, vectors


def eigh_backward(known, values, vectors):
    """The derivative of a symmetric eigendecomposition."""
    if known[1] is None:
        return vectors @ as_diag(known[0]) @ mT(vectors)
    turn = mT(vectors) @ known[1]
    inner = (turn - mT(turn)) * 0.5 / gaps(values)
    inner = inner if known[0] is None else inner + as_diag(known[0])
    return vectors @ inner @ mT(vectors)


@function
def linalg_eigh(A: Tensor, UPLO: str = "L") -> Any:  # noqa: N803
    """Eigenvalues in ascending order and eigenvectors of symmetric matrices, of which one triangle counts."""
    check("eigh", A)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return _eigh(A, UPLO.upper() == "L")


@function
def linalg_eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:  # noqa: N803
    """Eigenvalues of symmetric matrices in ascending order."""
    values: Tensor = linalg_eigh(A, UPLO)[0]
    return values


# --- singular values -------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{svd}}({A})",
    A=lambda known, U, S, Vh: svd_backward(known, U, S, Vh),
    outputs=("U", "S", "Vh"),
    node="LinalgSvdBackward0",
    name="linalg_svd",
)
def _svd(A, full_matrices):
    """Singular value decomposition, A = U diag(S) Vh."""
    u, s, vh = np.linalg.svd(A, full_matrices=full_matrices)
    return u, s, vh


@op(r"\mathrm{{svd}}({A})", A=lambda known, U, S, Vh: svd_backward(known, U, S, Vh), outputs=("U", "S", "Vh"), name="linalg_svd")
def _svd_all(A):
    """Singular value decomposition of square matrices."""
    u, s, vh = np.linalg.svd(A)
    return u, s, vh


def corner(x, rows, columns):
    """The first rows and columns."""
    return _take_slice(_take_slice(x, x.ndim - 2, 0, rows, 1), x.ndim - 1, 0, columns, 1)


def svd_backward(known, U, S, Vh):
    """The derivative of the singular value decomposition (Townsend, 2016)."""
    k = S.shape[-1]
    m, n = U.shape[-2], Vh.shape[-1]
    U, Vh = corner(U, m, k), corner(Vh, k, n)
    if known[0] is None and known[2] is None:
        return U @ as_diag(known[1]) @ Vh
    gU = U * 0 if known[0] is None else corner(known[0], m, k)
    gS = S * 0 if known[1] is None else known[1]
    gVh = Vh * 0 if known[2] is None else corner(known[2], k, n)
    skew_u, skew_v = mT(U) @ gU, Vh @ mT(gVh)
    skew_u, skew_v = (skew_u - mT(skew_u)), (skew_v - mT(skew_v))
    row, col = _reshape(S, (*S.shape[:-1], 1, k)), _reshape(S, (*S.shape, 1))
    E = row * row - col * col + as_diag(S * 0 + 1)
    inner = (skew_u * row + col * skew_v) / E
    inner = inner - as_diag(diag_of(inner)) + as_diag(gS)
    out = U @ inner @ Vh
    safe = where(S == 0, 1.0, S)
    if m > k:
        scaled = gU / _reshape(safe, (*S.shape[:-1], 1, k))
        out = out + (scaled - U @ (mT(U) @ scaled)) @ Vh
    if n > k:
        scaled = gVh / _reshape(safe, (*S.shape, 1))
        out = out + U @ (scaled - (scaled @ mT(Vh)) @ Vh)
    return out


@function
def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:  # noqa: N803
    """Singular value decomposition of matrices, A = U diag(S) Vh."""
    check("svd", A, square=False)
    return _svd(A, full_matrices)


@function
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """Singular value decomposition of matrices, input = U diag(S) Vᵀ."""
    u, s, vh = linalg_svd(input, not some)
    return _named("svd", ("U", "S", "V"), u, s, mT(vh))


@function
def linalg_svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:  # noqa: N803
    """Singular values in descending order."""
    values: Tensor = linalg_svd(A, full_matrices=False)[1]
    return values


# --- QR and LU -------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{qr}}({A})",
    A=lambda grads, Q, R: qr_backward(grads, Q, R),
    outputs=("Q", "R"),
    node="LinalgQrBackward0",
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
    first = qr_tall(gQ + A2 @ mT(gR2), gR1, Q, R1)
    return joined([first, Q @ gR2], d)


def qr_tall(gQ, gR, Q, R):
    """The derivative where there are at least as many rows as columns."""
    inner = R @ mT(gR) - mT(gQ) @ Q
    low = tril(inner, -1)
    sym = low + mT(low) + as_diag(diag_of(inner))
    b = gQ + Q @ sym
    return mT(_solve_triangular(R, mT(b), True, False))


@function
def linalg_qr(A: Tensor, mode: str = "reduced") -> Any:  # noqa: N803
    """Orthogonal Q and upper triangular R with A = Q R."""
    check("qr", A, square=False)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'")
    q, r = _qr(A, mode)
    return _named("linalg_qr", ("Q", "R"), q if mode != "r" else constant(np.zeros(0, A._array.dtype)), r)


@function
def qr(input: Tensor, some: bool = True) -> Any:
    """Orthogonal Q and upper triangular R with input = Q R."""
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
def linalg_lu(A: Tensor, *, pivot: bool = True) -> Any:  # noqa: N803
    """Permutation P, unit lower triangular L and upper triangular U with A = P L U."""
    check("lu", A, square=False)
    return _named("linalg_lu", ("P", "L", "U"), *_lu(A))


def _pivots(A: Any) -> Any:
    k = min(A.shape[-2:])
    found = _each(lambda a: sl.lu_factor(a, check_finite=False)[1] + 1, A) if A.size else []
    return constant(np.array(found, np.int32).reshape((*A.shape[:-2], k)))


@function
def linalg_lu_factor(A: Tensor, *, pivot: bool = True) -> Any:  # noqa: N803
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
def linalg_lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:  # noqa: N803
    """L and U in one matrix, the rows that were exchanged, and zero for each matrix that could be factored."""
    factors, pivots = linalg_lu_factor(A)
    return _named("linalg_lu_factor_ex", ("LU", "pivots", "info"), factors, pivots, _no_trouble(A))


@function
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:  # noqa: N803
    """P, L and U from what `lu_factor` gives."""
    a = LU_data._array
    m, n = a.shape[-2:]
    k = min(m, n)
    eye = constant(np.broadcast_to(np.eye(m, k, dtype=a.dtype), (*a.shape[:-2], m, k)).copy())
    low = tril(LU_data.narrow(-1, 0, k), -1) + eye
    up = triu(LU_data.narrow(-2, 0, k), 0)
    empty = constant(np.zeros(0, a.dtype))
    P = constant(_permutation(LU_pivots._array, m, a.dtype)) if unpack_pivots else empty  # noqa: N806
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
def linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:  # noqa: N803
    """The solution of A X = B (or with Aᵀ; or of X A = B) from what `lu_factor` gives of A."""
    if not left:
        return mT(linalg_lu_solve(LU, pivots, mT(B), adjoint=not adjoint))
    P, low, up = lu_unpack(LU, pivots)  # noqa: N806
    if adjoint:
        y = linalg_solve_triangular(mT(up), B, upper=False)
        z = linalg_solve_triangular(mT(low), y, upper=True, unitriangular=True)
        return P @ z
    y = linalg_solve_triangular(low, mT(P) @ B, upper=False, unitriangular=True)
    return linalg_solve_triangular(up, y, upper=True)


@function
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:  # noqa: N803
    """The solution of A X = b from what `lu_factor` gives of A."""
    return linalg_lu_solve(LU_data, LU_pivots, b)


# --- pseudo-inverse and least squares --------------------------------------------------------------------------------------


@op(
    r"{A}^{{+}}",
    A=lambda grad, A, result: pinv_backward(grad, A, result),
    node="LinalgPinvBackward0",
    name="pinv",
)
def _pinv(A, rcond, hermitian=False):
    """Moore–Penrose inverses."""
    if hermitian:
        values, vectors = np.linalg.eigh(A)
        keep = np.abs(values) > rcond[..., None] * np.abs(values).max(-1, keepdims=True, initial=0)
        return (vectors * np.where(keep, 1 / np.where(keep, values, 1), 0)[..., None, :]) @ vectors.swapaxes(-1, -2)
    return np.linalg.pinv(A, rcond).astype(A.dtype)


def pinv_backward(grad, A, P):
    """The derivative of the pseudo-inverse (Golub and Pereyra, 1973)."""
    g, Pt = mT(grad), mT(P)
    if A.shape[-2] <= A.shape[-1]:
        K = g @ P
        KP = K @ Pt
        return -mT(P @ K) + KP - (A @ P) @ KP + (Pt @ P) @ (g - K @ A)
    K = P @ g
    PK = Pt @ K
    return -mT(K @ P) + (g - A @ K) @ P @ Pt + PK - (PK @ P) @ A


@function
def linalg_pinv(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False, rcond: Any = None) -> Tensor:  # noqa: N803
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
    return _pinv(A, np.asarray(tolerance, a.dtype), hermitian)


@function
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The Moore–Penrose inverse of matrices."""
    return linalg_pinv(input, rcond=rcond)


@op(
    r"{A}^{{+}} {B}",
    A=lambda grads, A: grads[0],
    B=lambda grads, B: grads[0],
    together=lambda grads, A, B, solution, needs: least_squares_slopes(grads, A, B, solution, needs),
    outputs=("solution", "residuals", "rank", "singular_values"),
    promote=(),
    node="LinalgLstsqBackward0",
    name="linalg_lstsq",
)
def _lstsq(A, B, rcond, driver):
    """Solutions X that make A X - B smallest, the squares that are left, the rank, and singular values."""
    m, n = A.shape[-2:]
    solution = np.linalg.pinv(A, rcond) @ B
    rank = np.asarray(np.linalg.matrix_rank(A), np.int64) if A.size else np.zeros(A.shape[:-2], np.int64)
    residuals = np.zeros(0, A.dtype)
    if m > n and (driver == "gels" or (driver != "gelsy" and (rank == n).all())):
        residuals = ((A @ solution - B) ** 2).sum(-2)
    values = np.linalg.svd(A, compute_uv=False) if driver in ("gelsd", "gelss") else np.zeros(0, A.dtype)
    return solution, residuals, np.zeros(0, np.int64) if driver == "gels" else rank, values


def least_squares_slopes(grads, A, B, X, needs):
    """The derivatives of solution and residuals; the solution's share of the residuals' is zero, as they are smallest."""
    P = _pinv(A, 1e-15)
    gA = pinv_backward(grads[0] @ mT(B), A, P) if needs[0] else None
    gB = mT(P) @ grads[0] if needs[1] else None
    if grads[1].shape != (0,):
        left = (A @ X - B) * 2.0 * _reshape(grads[1], (*X.shape[:-2], 1, X.shape[-1]))
        gA = gA + left @ mT(X) if needs[0] else None
        gB = gB - left if needs[1] else None
    return gA, gB


@function
def linalg_lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: str | None = None) -> Any:  # noqa: N803
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
    A: Tensor,  # noqa: N803
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
    relative = least[1] if least[1] is not None else (0.0 if least[0] is not None else max(a.shape[-2:]) * np.finfo(a.dtype).eps)
    if not s.shape[-1]:
        return constant(np.zeros(a.shape[:-2], np.int64))
    bound = np.maximum(0.0 if least[0] is None else least[0], np.asarray(relative) * s.max(-1))
    return constant(np.asarray((s > np.asarray(bound)[..., None]).sum(-1), np.int64))


# --- powers and exponentials -----------------------------------------------------------------------------------------------


@function
def matrix_power(A: Tensor, n: int) -> Tensor:  # noqa: N803
    """The matrices multiplied with themselves; negative powers are those of the inverse."""
    check("matrix_power", A)
    if n == 0:
        return A * 0 + constant(np.eye(A._array.shape[-1], dtype=A._array.dtype))
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
    return sl.expm(self.astype(np.float64)).astype(self.dtype) if self.size else self.copy()


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


# --- tensors as matrices ---------------------------------------------------------------------------------------------------


@function
def linalg_tensorinv(A: Tensor, ind: int = 2) -> Tensor:  # noqa: N803
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
def linalg_tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:  # noqa: N803
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


# --- norms of matrices -----------------------------------------------------------------------------------------------------


@function
def linalg_vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The vector norm of order `ord` of all elements or over `dim`."""
    return norm_of(x if dtype is None else x.to(dtype), ord, dim, keepdim, "linalg.vector_norm")


@function
def linalg_matrix_norm(A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Tensor:  # noqa: N803
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
def linalg_norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:  # noqa: N803
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
def linalg_cond(A: Tensor, p: Any = None) -> Tensor:  # noqa: N803
    """The condition number: the norm times the norm of the inverse."""
    if p in (None, 2, -2):
        s = linalg_svdvals(A)
        first, last = s.select(-1, 0), s.select(-1, -1)
        return last / first if p == -2 else first / last
    return linalg_matrix_norm(A, p) * linalg_matrix_norm(linalg_inv(A), p)

