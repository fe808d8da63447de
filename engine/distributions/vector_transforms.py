"""Transforms of vectors and matrices: to the simplex, to Cholesky factors, to positive definite matrices, to other shapes."""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import finfo
from . import constraints
from .elementwise_transforms import _clipped_sigmoid, _Plain
from .operations import F, Size, T, linalg
from .transform import Transform
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


def _at_least(shape: Any, ndim: int) -> Any:
    """The shape, refused where it has fewer dimensions."""
    if len(shape) < ndim:
        raise ValueError("Too few dimensions on input")
    return shape


class ReshapeTransform(Transform):
    """Values of one shape in another one."""

    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        self.in_shape = Size(in_shape)
        self.out_shape = Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> Any:
        """Values of the one shape."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:
        """Values of the other shape."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same, with a cache or without."""
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x: Any) -> Any:
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Any) -> Any:
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Zero."""
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Any:
        """The other shape at its end."""
        return _with_end(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        """The one shape at its end."""
        return _with_end(shape, self.out_shape, self.in_shape)


def _with_end(shape: Any, end: Size, other: Size) -> Any:
    cut = len(_at_least(shape, len(end))) - len(end)
    if shape[cut:] != end:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {end}")
    return shape[:cut] + other


class CorrCholeskyTransform(Transform):
    """Vectors of n (n - 1) / 2 numbers to the Cholesky factors of correlation matrices: tanh, then sticks broken row by row."""

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        x = T.tanh(x)
        eps = finfo(x.dtype).eps
        x = x.clamp(min=-1 + eps, max=1 - eps)
        r = vec_to_tril_matrix(x, diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + T.eye(r.shape[-1], dtype=r.dtype)
        return r * F.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        left = 1 - T.cumsum(y * y, dim=-1)
        left = F.pad(left[..., :-1], [1, 0], value=1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        """The sum of those of breaking sticks and of tanh."""
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        sticks = 0.5 * left.log().sum(-1)
        return sticks + -2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(dim=-1)

    def forward_shape(self, shape: Any) -> Any:
        """(…, n (n - 1) / 2) to (…, n, n)."""
        length = _at_least(shape, 1)[-1]
        n = round((0.25 + 2 * length) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != length:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (n, n)

    def inverse_shape(self, shape: Any) -> Any:
        """(…, n, n) to (…, n (n - 1) / 2)."""
        if _at_least(shape, 2)[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class SoftmaxTransform(_Plain):
    """Vectors to the simplex by softmax, which forgets a common summand; logarithms stand for the inverse."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        """The same."""
        return _at_least(shape, 1)

    def inverse_shape(self, shape: Any) -> Any:
        """The same."""
        return _at_least(shape, 1)


def _offsets(like: Any, n: int, top: int) -> Any:
    """`top` less 1, 2, …, n, so that zeros break a stick into equal parts."""
    return top - like.new_ones(n).cumsum(-1)


class StickBreakingTransform(_Plain):
    """Vectors of n numbers to n + 1 shares: each number says how much is broken off what is left of a stick."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x: Any) -> Any:
        n = x.shape[-1]
        z = _clipped_sigmoid(x - _offsets(x, n, n + 1).log())
        left = (1 - z).cumprod(-1)
        return F.pad(z, [0, 1], value=1) * F.pad(left, [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        inner = y[..., :-1]
        offset = _offsets(y, inner.shape[-1], y.shape[-1])
        # What is left of the stick; no less than the smallest number, since its logarithm is taken.
        left = T.clamp(1 - inner.cumsum(-1), min=finfo(y.dtype).tiny)
        return inner.log() - left.log() + offset.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The logarithms of the shares, and of what is left of the stick each time."""
        n = x.shape[-1]
        x = x - _offsets(x, n, n + 1).log()
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        """(…, n) to (…, n + 1)."""
        return _at_least(shape, 1)[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape: Any) -> Any:
        """(…, n + 1) to (…, n)."""
        return _at_least(shape, 1)[:-1] + (shape[-1] - 1,)


class LowerCholeskyTransform(_Plain):
    """Matrices to lower triangular ones with a positive diagonal: what stands above is forgotten."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_Plain):
    """Matrices to positive definite ones, by their Cholesky factors."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        x = LowerCholeskyTransform()(x)
        return x @ x.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(linalg.cholesky(y))
