"""Distances between points."""

from __future__ import annotations

import numpy as np

from ...dtypes import INEXACT, OF_NUMPY, SCALAR_NAMES, result_dtype
from ...errors import UNIMPLEMENTED
from ...op.declare import function, op
from ...op.slow_path import real
from ...tensor import Tensor
from ..creation.conversions import to
from ..pointwise.comparison import where
from ..reduction.norms import _vector_norm, has_identity, norm_backward
from ..reduction.sums import _sum_dim
from ..shape.broadcasting import expand
from ..shape.reshaping import _reshape, reshape


@op(
    r"\lVert {x1} - {x2} \rVert_{{ {p} }}",
    x1=lambda grad, x1, x2, p, result: _sum_dim(pair_slopes(grad, x1, x2, p, result), (-2,), False),
    x2=lambda grad, x1, x2, p, result: -_sum_dim(pair_slopes(grad, x1, x2, p, result), (-3,), False),
    broadcast=(),
    node="CdistBackward0",
    traits="raised",
    name="cdist",
    real_only=RuntimeError("cdist only supports floating-point dtypes, X1 got: ComplexFloat"),
)
def _cdist(x1, x2, p):
    """Distances between the rows of two (batches of) matrices."""
    d = np.abs(x1[..., :, None, :] - x2[..., None, :, :])
    if p == 0:
        return (d != 0).sum(-1).astype(x1.dtype)
    if p == 1:
        return d.sum(-1)
    if p == 2:
        return np.sqrt((d * d).sum(-1))
    if p == np.inf:
        return d.max(-1) if d.shape[-1] else np.zeros(d.shape[:-1], d.dtype)
    return ((d**p).sum(-1)) ** d.dtype.type(1 / p)


def pair_slopes(grad, x1, x2, p, result):
    """The slopes of the distances in the differences of coordinates."""
    d = unsqueezed(x1, -2) - unsqueezed(x2, -3)
    g, r = unsqueezed(grad, -1), unsqueezed(result, -1)
    safe = where(r == 0, 1.0, r)
    if p == 0:
        return d * 0.0 * g
    if p == 1:
        return g * signs(d)
    if p == 2:
        return where(r == 0, 0.0, g * d / safe)
    if p == np.inf:
        return g * signs(d) * (magnitudes(d) == r)
    size = magnitudes(d)
    positive = where(size == 0, 1.0, size)
    return where((r == 0) | (size == 0), 0.0, g * signs(d) * positive ** (p - 1) / safe ** (p - 1))


def unsqueezed(x, dim):
    """A dimension of length one at `dim`, counted from the end."""
    k = x.ndim + 1 + dim
    return _reshape(x, (*x.shape[:k], 1, *x.shape[k:]))


def signs(x):
    """The signs of the elements."""
    return (x > 0) * 1.0 - (x < 0) * 1.0


def magnitudes(x):
    """The elements without their signs."""
    return where(x < 0, -x, x)


@function
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """Distances of order `p` between the rows of two (batches of) matrices, (…, n, m) from (…, n, k) and (…, m, k)."""
    for k, x in ((1, x1), (2, x2)):
        if x._array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{k} got: {x._array.ndim}D")
    if x1._array.shape[-1] != x2._array.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1._array.shape[-1]} X2: {x2._array.shape[-1]}"
        )
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    batch = np.broadcast_shapes(x1._array.shape[:-2], x2._array.shape[:-2])
    a, b = expand(x1, (*batch, *x1._array.shape[-2:])), expand(x2, (*batch, *x2._array.shape[-2:]))
    return _cdist(a, b, real(p))


@function
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Distances between all pairs of rows of a matrix, as a vector."""
    from ...tensor import constant

    if input._array.ndim != 2:
        raise RuntimeError("pdist only supports 2D tensors, got: " + f"{input._array.ndim}D")
    n = input._array.shape[0]
    i, j = np.triu_indices(n, 1)
    full = _cdist(input, input, real(p))
    return reshape(full, -1).index_select(0, constant(i * n + j))


def _apart_slope(grad, self, other, p, result):
    """The derivative of a distance in the first of two points."""
    apart = self - other
    return norm_backward(grad, apart, result, p, tuple(range(apart.ndim)), False)


def _turned_slope(grad, self, other, p, result):
    slope = _apart_slope(grad, self, other, p, result)
    return None if slope is None else -slope


@op(
    r"\lVert {self} - {other} \rVert_{{ {p} }}",
    self=lambda grad, self, other, p, result: _apart_slope(grad, self, other, p, result),
    other=lambda grad, self, other, p, result: _turned_slope(grad, self, other, p, result),
    broadcast=("self", "other"),
    node="DistBackward0",
    name="dist",
)
def _dist(self, other, p):
    """The norm of order `p` of the difference."""
    apart = self - other
    return _vector_norm._op.forward(apart, p, tuple(range(apart.ndim)), False)


@function
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of order `p` of the difference."""
    a, b = input._array, other._array
    dtype = result_dtype((a, b))
    if dtype.kind not in INEXACT:
        raise UNIMPLEMENTED.now(
            f"norm(): input dtype should be either floating point or complex. Got {SCALAR_NAMES[OF_NUMPY[dtype]]} instead."
        )
    if not a.size or not b.size:
        has_identity((0,), p, (0,), True)
    input, other = (to(side, OF_NUMPY[dtype]) for side in (input, other))
    return _dist(input, other, float(p))
