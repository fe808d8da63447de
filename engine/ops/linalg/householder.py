"""Products of Householder reflections, QR as LAPACK leaves it, LDL, and decompositions of low rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...context import outside, warn_once
from ...lazy import Late
from ...op.declare import FUNCTIONS, function, op
from ...tensor import Tensor, constant
from ..creation.random import randn
from ..indexing.slicing import narrow
from ..pointwise.unary import refused
from ..shape.joining import _take_slice, cat
from ..shape.reshaping import _reshape
from .factorizations import linalg_lu_factor, linalg_qr
from .matrices import _named, check, conjugated, joined, mH
from .spectral import linalg_svd

if TYPE_CHECKING:
    import scipy.linalg.lapack as lapack
else:
    lapack = Late("scipy.linalg.lapack")

# --- reflections -----------------------------------------------------------------------------------------------------------


@op(r"\mathrm{{tril}}({self})", self=lambda grad: _strictly_lower(grad))
def _strictly_lower(self):
    """What stands below the diagonal."""
    return np.tril(self, -1)


@op(r"\mathrm{{tril}}({self}) + I", self=lambda grad: _strictly_lower(grad))
def _unit_lower(self):
    """What stands below the diagonal, ones on it."""
    return np.tril(self, -1) + np.eye(*self.shape[-2:], dtype=self.dtype)


def column(x, i):
    """A column of matrices, as matrices of one column."""
    return _take_slice(x, x.ndim - 1, i, i + 1, 1)


def factor(tau, i):
    """The factor of a reflection, to be multiplied with matrices."""
    return _reshape(_take_slice(tau, tau.ndim - 1, i, i + 1, 1), (*tau.shape[:-1], 1, 1))


def reflected(x, v, t):
    """`(I - t v vᴴ) x`."""
    return x - t * (v @ (mH(v) @ x))


@op(
    r"\prod_i (I - \tau_i v_i v_i^\top)",
    input=lambda grad, input: grad,
    tau=lambda grad, tau: grad,
    joint_vjp=lambda grad, input, tau, needs: product_slopes(grad, input, tau),
    broadcast=(),
    node="LinalgHouseholderProductBackward0",
    holomorphic=False,
    name="linalg_householder_product",
)
def _householder_product(input, tau):
    """The first columns of a product of reflections whose vectors stand below the diagonal of `input`."""
    k = tau.shape[-1]
    v = np.tril(input, -1) + np.eye(*input.shape[-2:], dtype=input.dtype)
    out = np.broadcast_to(np.eye(*input.shape[-2:], dtype=input.dtype), input.shape).copy()
    for i in range(k - 1, -1, -1):
        out = reflected_array(out, v[..., i : i + 1], tau[..., i, None, None])
    return out


def reflected_array(x, v, t):
    """`(I - t v vᴴ) x`."""
    return x - t * (v @ (v.swapaxes(-1, -2).conj() @ x))


def product_slopes(grad, input, tau):
    """The derivative of a product of reflections: each reflection's, between what stands left and right of it."""
    k, n = tau.shape[-1], input.shape[-1]
    if 0 in (*input.shape, *tau.shape):
        return None, None
    v = _unit_lower(input)
    right = [_unit_lower(input * 0)]
    for i in range(k - 1, 0, -1):
        right.append(reflected(right[-1], column(v, i), factor(tau, i)))
    left, vectors, factors = grad, [], []
    for i in range(k):
        r, u, t = right[k - 1 - i], column(v, i), factor(tau, i)
        # The derivative in the reflection is left @ rᴴ.
        along, across = left @ (mH(r) @ u), r @ (mH(left) @ u)
        factors.append(_reshape(-(mH(u) @ along), (*tau.shape[:-1], 1)))
        vectors.append(-(conjugated(t) * along + t * across))
        left = reflected(left, u, conjugated(t))
    if n > k:
        vectors.append(_take_slice(input, input.ndim - 1, k, n, 1) * 0)
    return _strictly_lower(joined(vectors, input.ndim - 1)), joined(factors, tau.ndim - 1)


def _checked(name: str, conditions: dict[str, bool]) -> None:
    for message, holds in conditions.items():
        if not holds:
            raise RuntimeError(f"{name}: {message}")


@function
def linalg_householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the orthogonal matrix that reflections (as `geqrf` gives them) make up."""
    shape, k = input._array.shape, tau._array.shape
    name = "torch.linalg.householder_product"
    _checked(name, {"input must have at least 2 dimensions.": len(shape) >= 2})
    conditions = {
        "input.shape[-2] must be greater than or equal to input.shape[-1]": shape[-2] >= shape[-1],
        "input.shape[-1] must be greater than or equal to tau.shape[-1]": shape[-1] >= k[-1],
    }
    _checked(name, conditions)
    return _householder_product(input, tau)


orgqr = linalg_householder_product


@function
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """`other` multiplied with the orthogonal matrix that reflections make up, or with its transpose."""
    a, side = input._array, -2 if left else -1
    _checked("torch.ormqr", {"input must have at least 2 dimensions.": a.ndim >= 2})
    _checked("torch.ormqr", {"other must have at least 2 dimensions.": other._array.ndim >= 2})
    m, k = other._array.shape[side], tau._array.shape[-1]
    least = f"tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])"
    conditions = {
        f"other.shape[{side}] must be greater than or equal to tau.shape[-1]": m >= k,
        f"other.shape[{side}] must be equal to input.shape[-2]": m == a.shape[-2],
        least: k == min(m, a.shape[-1]),
    }
    _checked("torch.ormqr", conditions)
    if a.shape[-1] > m:
        input = narrow(input, -1, 0, m)
    elif a.shape[-1] < m:
        input = cat([input, constant(np.zeros((*a.shape[:-1], m - a.shape[-1]), a.dtype))], -1)
    q: Any = _householder_product(input, tau)
    q = mH(q) if transpose else q
    return q @ other if left else other @ q


@op(r"\mathrm{{geqrf}}({input})", input=lambda grads: refused("geqrf"), outputs=("a", "tau"))
def geqrf(input):
    """R above the diagonal, and below it the reflections that make up Q, with their factors."""
    a = input
    if a.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    m, n = a.shape[-2:]
    if not a.size:
        found, tau = np.zeros_like(a), np.zeros((*a.shape[:-2], min(m, n)), a.dtype)
    else:
        raw, tau = np.linalg.qr(a, mode="raw")
        found = np.ascontiguousarray(raw.swapaxes(-1, -2))
    return found, tau


# --- LDL -------------------------------------------------------------------------------------------------------------------


def _by_matrix(f: Any, *arrays: Any) -> list[Any]:
    batch = np.broadcast_shapes(*[a.shape[:-d] for a, d in zip(arrays, (2, 1, 2)[: len(arrays)])])
    wide = [np.broadcast_to(a, batch + a.shape[-d:]) for a, d in zip(arrays, (2, 1, 2)[: len(arrays)])]
    results = [f(*[w[i] for w in wide]) for i in np.ndindex(batch)]
    return [np.array(column).reshape(batch + np.shape(column[0])) for column in zip(*results)]


@function
def linalg_ldl_factor(A: Tensor, *, hermitian: bool = False) -> Any:
    """L and D of symmetric matrices, A = L D Lᵀ, in one matrix, and the rows that were exchanged."""
    check("ldl_factor", A)
    a = A._array
    kind = "hetrf" if hermitian and a.dtype.kind == "c" else "sytrf"
    if not a.size:
        packed, pivots = a.copy(), np.zeros(a.shape[:-1], np.int32)
    else:
        f = getattr(lapack, {"f": "s", "d": "d", "F": "c", "D": "z"}[a.dtype.char] + kind)
        packed, pivots = _by_matrix(lambda x: f(x, lower=1)[:2], a)
        packed = np.tril(packed)
    factors = (constant(packed.astype(a.dtype)), constant(pivots.astype(np.int32)))
    return _named("linalg_ldl_factor", ("LD", "pivots"), *factors)


@function
def linalg_ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """L and D of symmetric matrices, and zero for each matrix that could be factored."""
    factors = linalg_ldl_factor(A, hermitian=hermitian)
    info = constant(np.zeros(A._array.shape[:-2], np.int32))
    return _named("linalg_ldl_factor_ex", ("LD", "pivots", "info"), *factors, info)


@function
def linalg_ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """The solution of A X = B from what `ldl_factor` gives of A."""
    a, b = LD._array, B._array
    if not a.size or not b.size:
        shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        return constant(np.zeros(shape + b.shape[-2:], b.dtype))
    (x,) = _by_matrix(lambda x, p, y: (_ldl_solved(x, p, y, hermitian),), a, pivots._array, b)
    return constant(x.astype(b.dtype))


def _ldl_solved(a: Any, pivots: Any, b: Any, hermitian: bool) -> Any:
    """Substitution with LAPACK's packed factors: exchanges and columns of L downwards, blocks of D, and L upwards."""
    turned = np.conj if hermitian else np.asarray
    x, n, k = b.astype(np.result_type(np.float64, b.dtype)), len(a), 0
    steps = []
    while k < n:
        single = pivots[k] > 0
        to = (pivots[k] if single else -pivots[k]) - 1
        width = 1 if single else 2
        at = k if single else k + 1
        steps.append((k, width, at, int(to)))
        x[[at, to]] = x[[to, at]]
        x[k + width :] -= a[k + width :, k : k + width] @ x[k : k + width]
        block = a[k : k + width, k : k + width]
        block = np.tril(block) + turned(np.tril(block, -1).T)
        x[k : k + width] = np.linalg.solve(block, x[k : k + width])
        k += width
    for k, width, at, to in reversed(steps):
        x[k : k + width] -= turned(a[k + width :, k : k + width].T) @ x[k + width :]
        x[[at, to]] = x[[to, at]]
    return x


# --- LU, and low rank ------------------------------------------------------------------------------------------------------


@function
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """L and U in one matrix, and the rows that were exchanged; with `get_infos` zeros for what could be factored."""
    warn_once(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a future "
        "PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\n"
        "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
        "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
        "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
        outside(),
    )
    factors, pivots = linalg_lu_factor(A, pivot=pivot)
    if not get_infos:
        return factors, pivots
    return factors, pivots, constant(np.zeros(A._array.shape[:-2], np.int32))


def _basis(A: Any, q: int, niter: int, M: Any) -> Any:
    """Orthonormal columns that nearly span what A (less M) does. Halko, Martinsson and Tropp (2011), algorithm 4.4."""

    def times(matrix: Any, less: Any, right: Any) -> Any:
        product = matrix @ right
        return product if less is None else product - less @ right

    random = randn(A.shape[-1], q, dtype=A.dtype)
    turned, less = mH(A), None if M is None else mH(M)
    found = linalg_qr(times(A, M, random))[0]
    for _ in range(niter):
        found = linalg_qr(times(turned, less, found))[0]
        found = linalg_qr(times(A, M, found))[0]
    return found


@function
def svd_lowrank(A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None) -> Any:
    """The largest singular values of A (less M) and their vectors, nearly: U, S, V. Halko et al. (2011), algorithm 5.1."""
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    M = None if M is None else FUNCTIONS["broadcast_to"](M, A.shape)
    wide = A.shape[-2] < A.shape[-1]
    if wide:
        A, M = mH(A), None if M is None else mH(M)
    basis = _basis(A, q, niter, M)
    small = mH(basis) @ A
    if M is not None:
        small = small - mH(basis) @ M
    left, values, right = linalg_svd(small, full_matrices=False)
    left, right = basis @ left, mH(right)
    return (right, values, left) if wide else (left, values, right)


@function
def pca_lowrank(A: Any, q: int | None = None, center: bool = True, niter: int = 2) -> Any:
    """The principal components of the rows of A, nearly: U, S, V."""
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if not center:
        return svd_lowrank(A, q, niter)
    return svd_lowrank(A - A.mean(dim=(-2,), keepdim=True), q, niter)
