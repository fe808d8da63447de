"""The distribution of angles: von Mises."""

from __future__ import annotations

import math
from typing import Any

from ..autograd.grad_mode import no_grad
from ..dtypes import float64
from . import constraints
from .distribution import Distribution
from .operations import Size, T
from .utils import lazy_property

SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411),
)
LARGE = (
    (
        0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537, -0.01647633, 0.00392377,
    ),
    (
        0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555, 0.02282967, -0.02895312, 0.01787654, -0.00420059,
    ),
)  # fmt: skip
"""Coefficients for the modified Bessel functions of order 0 and 1 (Abramowitz and Stegun, 9.8.1 to 9.8.4)."""


def _polynomial(y: Any, coefficients: tuple[float, ...]) -> Any:
    result: Any = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        result = c + y * result
    return result


def _log_bessel(x: Any, order: int) -> Any:
    """The logarithm of the modified Bessel function of order 0 or 1, for positive numbers."""
    y = x / 3.75
    y = y * y
    small = _polynomial(y, SMALL[order])
    if order == 1:
        small = x.abs() * small
    small = small.log()
    y = 3.75 / x
    large = x - 0.5 * x.log() + _polynomial(y, LARGE[order]).log()
    return T.where(x < 3.75, small, large)


def _rejection_sample(loc: Any, concentration: Any, proposal_r: Any, x: Any) -> Any:
    """Angles by rejection from a wrapped Cauchy distribution (Best and Fisher, 1979)."""
    done = T.zeros(x.shape, dtype=(x == x).dtype)
    while not done.all():
        u1, u2, u3 = T.rand((3, *x.shape), dtype=loc.dtype).unbind()
        z = T.cos(math.pi * u1)
        f = (1 + proposal_r * z) / (proposal_r + z)
        c = concentration * (proposal_r - f)
        accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
        if accept.any():
            x = T.where(accept, (u3 - 0.5).sign() * f.acos(), x)
            done = done | accept
    return (x + math.pi + loc) % (2 * math.pi) - math.pi


class VonMises(Distribution):
    """Angles around a location, the closer the larger the concentration; samples are drawn in double precision."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._broadcast(loc=loc, concentration=concentration), Size(), validate_args)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        cosine = self.concentration * T.cos(value - self.loc)
        return cosine - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)

    @lazy_property
    def _loc(self) -> Any:
        return self.loc.to(float64)

    @lazy_property
    def _concentration(self) -> Any:
        return self.concentration.to(float64)

    @lazy_property
    def _proposal_r(self) -> Any:
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        proposal = (1 + rho**2) / (2 * rho)
        return T.where(kappa < 1e-5, 1 / kappa + kappa, proposal)

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Angles from -π to π."""
        with no_grad():
            x = T.empty(self._extended_shape(sample_shape), dtype=self._loc.dtype)
            return _rejection_sample(self._loc, self._concentration, self._proposal_r, x).to(self.loc.dtype)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Made anew of expanded parameters."""
        loc, concentration = self.loc.expand(batch_shape), self.concentration.expand(batch_shape)
        return type(self)(loc, concentration, validate_args=self.__dict__.get("_validate_args"))

    @property
    def mean(self) -> Any:
        """The location."""
        return self.loc

    @property
    def mode(self) -> Any:
        """The location."""
        return self.loc

    @lazy_property
    def variance(self) -> Any:
        """The circular variance."""
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()
