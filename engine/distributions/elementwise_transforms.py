"""Transforms of single numbers: exponential, powers, sigmoid, softplus, tanh, absolute value, affine maps, and any `cdf`."""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import finfo
from . import constraints
from .operations import NUMBERS, F, T, are_numbers
from .transform import Transform
from .utils import broadcast_all, lazy_property


class _Plain(Transform):
    """A transform without parameters: all of one class are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))


class ExpTransform(_Plain):
    r"""\(y = e^x\)."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        r"""\(x\)."""
        return x


class PowerTransform(Transform):
    r"""\(y = x^{exponent}\) of positive numbers."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same, with a cache or without."""
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @lazy_property
    def sign(self) -> Any:
        """The exponent's sign."""
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all().item())

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        r"""\(\ln \lvert exponent \cdot y / x \rvert\)."""
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        """Broadcast with the exponent's."""
        return T.broadcast_shapes(shape, self.exponent.shape)

    def inverse_shape(self, shape: Any) -> Any:
        """Broadcast with the exponent's."""
        return T.broadcast_shapes(shape, self.exponent.shape)


def _clipped_sigmoid(x: Any) -> Any:
    limits = finfo(x.dtype)
    return T.clamp(T.sigmoid(x), min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(_Plain):
    r"""\(y = \sigma(x)\)."""

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        limits = finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        r"""\(\ln \sigma(x) (1 - \sigma(x))\)."""
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(_Plain):
    r"""\(y = \ln(1 + e^x)\)."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return F.softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        r"""\(\ln \sigma(x)\)."""
        return -F.softplus(-x)


class TanhTransform(_Plain):
    r"""\(y = \tanh x\)."""

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return T.atanh(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        r"""\(\ln(1 - \tanh^2 x)\), as it is exact for large x."""
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AbsTransform(_Plain):
    r"""\(y = \lvert x \rvert\), which has no inverse; the number itself stands for it."""

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


def _same(a: Any, b: Any) -> bool:
    """Whether two numbers or tensors are equal."""
    return bool(a == b if are_numbers(a, b) else (a == b).all().item())


class AffineTransform(Transform):
    r"""\(y = loc + scale \cdot x\), of numbers, or of values of `event_dim` dimensions."""

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        """How many dimensions make one value."""
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """All numbers."""
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """All numbers."""
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same, with a cache or without."""
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineTransform) and _same(self.loc, other.loc) and _same(self.scale, other.scale)

    @property
    def sign(self) -> Any:
        """The sign of the scale."""
        if isinstance(self.scale, NUMBERS):
            return (self.scale > 0) - (self.scale < 0)
        return self.scale.sign()

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        r"""\(\ln \lvert scale \rvert\), in the shape of the values."""
        shape = x.shape
        scale = self.scale
        result = T.full_like(x, math.log(abs(scale))) if isinstance(scale, NUMBERS) else T.abs(scale).log()
        if self.event_dim:
            result = result.view(result.size()[: -self.event_dim] + (-1,)).sum(-1)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def _shape(self, shape: Any) -> Any:
        return T.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    def forward_shape(self, shape: Any) -> Any:
        """Broadcast with the parameters'."""
        return self._shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        """Broadcast with the parameters'."""
        return self._shape(shape)


class CumulativeDistributionTransform(Transform):
    """A distribution's `cdf`, and `icdf` back: its samples become uniform numbers."""

    bijective = True
    codomain = constraints.unit_interval
    sign = 1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        """Where the distribution's samples lie."""
        return self.distribution.support

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The logarithm of the density."""
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same, with a cache or without."""
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
