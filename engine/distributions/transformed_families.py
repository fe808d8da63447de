"""Families that are transformed ones of others: Gumbel, half-Cauchy, half-normal, inverse gamma, Kumaraswamy, log-normal, …"""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import finfo
from . import constraints
from .composed import TransformedDistribution
from .elementwise_transforms import AbsTransform, AffineTransform, ExpTransform, PowerTransform
from .half_lines import Exponential, Gamma
from .location_scale import LOCATION_SCALE, Cauchy, Normal, Uniform
from .operations import Size, T, are_numbers
from .utils import euler_constant
from .vector_transforms import StickBreakingTransform


class Gumbel(TransformedDistribution):
    """The distribution of the largest of many numbers: two logarithms of a uniform one."""

    arg_constraints = LOCATION_SCALE
    support = constraints.real
    _expanding = ("loc", "scale")
    loc: Any
    scale: Any

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._broadcast(loc=loc, scale=scale)
        limits = finfo(self.loc.dtype)
        bounds: list[Any] = [limits.tiny, 1 - limits.eps]
        if not are_numbers(loc, scale):
            bounds = [T.full_like(self.loc, bound) for bound in bounds]
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-T.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(Uniform(bounds[0], bounds[1], validate_args=validate_args), transforms, validate_args=validate_args)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Any:
        """The location, and Euler's constant times the scale."""
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Any:
        """The location."""
        return self.loc

    @property
    def stddev(self) -> Any:
        r"""\(\pi / \sqrt 6\) times the scale."""
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Any:
        """The standard deviation's square."""
        return self.stddev.pow(2)

    def entropy(self) -> Any:
        r"""\(\ln \beta + \gamma + 1\)."""
        return self.scale.log() + (1 + euler_constant)


class _Half(TransformedDistribution):
    """The absolute value of a number that is symmetric around zero."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    @property
    def scale(self) -> Any:
        """The scale."""
        return self.base_dist.scale

    @property
    def mode(self) -> Any:
        """Zero."""
        return T.zeros_like(self.scale)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of twice the density, below zero of none."""
        self._check(value)
        return T.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Any) -> Any:
        """Both sides together."""
        self._check(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Any) -> Any:
        """That of the upper half."""
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Any:
        r"""\(\ln 2\) less."""
        return self.base_dist.entropy() - math.log(2)


class HalfCauchy(_Half):
    """The absolute value of a Cauchy number."""

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """Infinite."""
        return T.full(self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def variance(self) -> Any:
        """Infinite."""
        return self.base_dist.variance

    def log_prob(self, value: Any) -> Any:
        """The logarithm of twice the density, below zero of none."""
        self._check(value)
        value = T.as_tensor(value, dtype=self.base_dist.scale.dtype)
        return T.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)


class HalfNormal(_Half):
    """The absolute value of a normal number of mean zero."""

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        r"""\(\sqrt{2 / \pi}\) times the scale."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        r"""\(1 - 2 / \pi\) times the scale's square."""
        return self.scale.pow(2) * (1 - 2 / math.pi)


class LogNormal(TransformedDistribution):
    """The exponential of a normal number."""

    arg_constraints = LOCATION_SCALE
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Any:
        """The mean of the logarithm."""
        return self.base_dist.loc

    @property
    def scale(self) -> Any:
        """The standard deviation of the logarithm."""
        return self.base_dist.scale

    @property
    def mean(self) -> Any:
        r"""\(e^{\mu + \sigma^2 / 2}\)."""
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Any:
        r"""\(e^{\mu - \sigma^2}\)."""
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Any:
        """The variance."""
        scale_sq = self.scale.pow(2)
        return scale_sq.expm1() * (2 * self.loc + scale_sq).exp()

    def entropy(self) -> Any:
        """The normal number's, and the location."""
        return self.base_dist.entropy() + self.loc


class LogisticNormal(TransformedDistribution):
    """Shares of a stick, broken where normal numbers say."""

    arg_constraints = LOCATION_SCALE
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base: Any = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Any:
        """The means of the normal numbers."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Any:
        """The standard deviations of the normal numbers."""
        return self.base_dist.base_dist.scale


class InverseGamma(TransformedDistribution):
    """One over a gamma number."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self) -> Any:
        """The gamma number's."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Any:
        """The gamma number's."""
        return self.base_dist.rate

    @property
    def mean(self) -> Any:
        """Finite for a concentration above one."""
        result = self.rate / (self.concentration - 1)
        return T.where(self.concentration > 1, result, math.inf)

    @property
    def mode(self) -> Any:
        r"""\(\beta / (\alpha + 1)\)."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Any:
        """Finite for a concentration above two."""
        result = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return T.where(self.concentration > 2, result, math.inf)

    def entropy(self) -> Any:
        """The entropy, in nats."""
        alpha = self.concentration
        return alpha + self.rate.log() + alpha.lgamma() - (1 + alpha) * alpha.digamma()


class Kumaraswamy(TransformedDistribution):
    """Numbers between 0 and 1, by powers of a uniform number; much like a beta distribution."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    _expanding = ("concentration1", "concentration0")
    concentration1: Any
    concentration0: Any

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self._broadcast(concentration1=concentration1, concentration0=concentration0)
        like = self.concentration0
        base = Uniform(T.full_like(like, 0), T.full_like(like, 1), validate_args=validate_args)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def _moment(self, n: int) -> Any:
        a, b = self.concentration1, self.concentration0
        first = 1 + n / a
        return b * T.exp(T.lgamma(first) + T.lgamma(b) - T.lgamma(first + b))

    @property
    def mean(self) -> Any:
        """The first moment."""
        return self._moment(1)

    @property
    def mode(self) -> Any:
        """Where both concentrations are at least one; else NaN."""
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        log_mode[(b < 1) | (a < 1)] = math.nan
        return log_mode.exp()

    @property
    def variance(self) -> Any:
        """The second moment less the first one's square."""
        return self._moment(2) - T.pow(self.mean, 2)

    def entropy(self) -> Any:
        """The entropy, in nats."""
        t1 = 1 - self.concentration1.reciprocal()
        t0 = 1 - self.concentration0.reciprocal()
        harmonic = T.digamma(self.concentration0 + 1) + euler_constant
        return t0 + t1 * harmonic - T.log(self.concentration1) - T.log(self.concentration0)


class Pareto(TransformedDistribution):
    """What lies above a smallest value, `scale`, with a density that falls by a power."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}
    _expanding = ("scale", "alpha")
    scale: Any
    alpha: Any

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self._broadcast(scale=scale, alpha=alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """Finite for a power above one."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Any:
        """The smallest value."""
        return self.scale

    @property
    def variance(self) -> Any:
        """Finite for a power above two."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From the smallest value on."""
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Any:
        """The entropy, in nats."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(TransformedDistribution):
    """A power of an exponential number, scaled."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    _expanding = ("scale", "concentration")
    scale: Any
    concentration: Any

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._broadcast(scale=scale, concentration=concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(T.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._maps(), validate_args=validate_args)

    def _maps(self) -> list[Any]:
        return [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        new.concentration_reciprocal = new.concentration.reciprocal()
        new.base_dist = self.base_dist.expand(batch_shape)
        new.transforms = new._maps()
        return self._event_shape

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.scale * T.exp(T.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Any:
        """The most probable value."""
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> Any:
        """The variance."""
        inverse = self.concentration_reciprocal
        return self.scale.pow(2) * (T.exp(T.lgamma(1 + 2 * inverse)) - T.exp(2 * T.lgamma(1 + inverse)))

    def entropy(self) -> Any:
        """The entropy, in nats."""
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + T.log(self.scale * inverse) + 1
