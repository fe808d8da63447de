"""Distributions of a location and a scale: normal, Laplace, Cauchy, Student's t, von Mises, uniform."""

from __future__ import annotations

import math
from typing import Any

from ..autograd.grad_mode import no_grad
from ..dtypes import finfo
from . import constraints
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .half_lines import Chi2
from .operations import NUMBERS, Size, T, empty_like
from .utils import _standard_normal

LOCATION_SCALE = {"loc": constraints.real, "scale": constraints.positive}


class Normal(ExponentialFamily):
    """The normal distribution of a mean and a standard deviation."""

    arg_constraints = LOCATION_SCALE
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0
    _expanding = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._broadcast(loc=loc, scale=scale), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """The location."""
        return self.loc

    @property
    def mode(self) -> Any:
        """The location."""
        return self.loc

    @property
    def stddev(self) -> Any:
        """The scale."""
        return self.scale

    @property
    def variance(self) -> Any:
        """The scale's square."""
        return self.stddev.pow(2)

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Samples without gradients."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return T.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Standard normal noise, scaled and shifted."""
        eps = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + eps * self.scale

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        var = self.scale**2
        log_scale = math.log(self.scale) if isinstance(self.scale, NUMBERS) else self.scale.log()
        return -((value - self.loc) ** 2) / (2 * var) - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        """By the error function."""
        self._check(value)
        return 0.5 * (1 + T.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Any) -> Any:
        """By the inverse of the error function."""
        return self.loc + self.scale * T.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Any:
        r"""\((1 + \ln 2\pi) / 2 + \ln \sigma\)."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + T.log(self.scale)

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return -0.25 * x.pow(2) / y + 0.5 * T.log(-math.pi / y)


class Laplace(Distribution):
    """The double exponential distribution."""

    arg_constraints = LOCATION_SCALE
    support = constraints.real
    has_rsample = True
    _expanding = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._broadcast(loc=loc, scale=scale), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """The location."""
        return self.loc

    @property
    def mode(self) -> Any:
        """The location."""
        return self.loc

    @property
    def variance(self) -> Any:
        """Twice the scale's square."""
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Any:
        r"""\(\sqrt 2\) times the scale."""
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Uniform noise from (-1, 1), through the inverse of `cdf`."""
        u = empty_like(self.loc, self._extended_shape(sample_shape)).uniform_(finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * T.log1p(-u.abs())

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        return -T.log(2 * self.scale) - T.abs(value - self.loc) / self.scale

    def cdf(self, value: Any) -> Any:
        """An exponential function on either side."""
        self._check(value)
        return 0.5 - 0.5 * (value - self.loc).sign() * T.expm1(-(value - self.loc).abs() / self.scale)

    def icdf(self, value: Any) -> Any:
        """A logarithm on either side."""
        term = value - 0.5
        return self.loc - self.scale * term.sign() * T.log1p(-2 * term.abs())

    def entropy(self) -> Any:
        r"""\(1 + \ln 2b\)."""
        return 1 + T.log(2 * self.scale)


class Cauchy(Distribution):
    """The distribution of the ratio of two normal numbers; it has no mean."""

    arg_constraints = LOCATION_SCALE
    support = constraints.real
    has_rsample = True
    _expanding = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._broadcast(loc=loc, scale=scale), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """NaN."""
        return T.full(self._extended_shape(), math.nan, dtype=self.loc.dtype)

    @property
    def mode(self) -> Any:
        """The location."""
        return self.loc

    @property
    def variance(self) -> Any:
        """Infinite."""
        return T.full(self._extended_shape(), math.inf, dtype=self.loc.dtype)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Standard noise, scaled and shifted."""
        eps = empty_like(self.loc, self._extended_shape(sample_shape)).cauchy_()
        return self.loc + eps * self.scale

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Any) -> Any:
        """By the arc tangent."""
        self._check(value)
        return T.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        """By the tangent."""
        return T.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Any:
        r"""\(\ln 4 \pi \gamma\)."""
        return math.log(4 * math.pi) + self.scale.log()


class StudentT(Distribution):
    """Student's t distribution of `df` degrees of freedom, scaled and shifted."""

    arg_constraints = {"df": constraints.positive, **LOCATION_SCALE}
    support = constraints.real
    has_rsample = True
    _expanding = ("df", "loc", "scale", "_chi2")

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        shape = self._broadcast(df=df, loc=loc, scale=scale)
        self._chi2 = Chi2(self.df)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """The location, for more than one degree of freedom; else NaN."""
        m = self.loc.clone()
        m[self.df <= 1] = math.nan
        return m

    @property
    def mode(self) -> Any:
        """The location."""
        return self.loc

    @property
    def variance(self) -> Any:
        """Finite for more than two degrees of freedom."""
        m, finite = self.df.clone(), self.df > 2
        m[finite] = self.scale[finite].pow(2) * self.df[finite] / (self.df[finite] - 2)
        m[(self.df <= 2) & (self.df > 1)] = math.inf
        m[self.df <= 1] = math.nan
        return m

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Normal noise over the root of a chi-squared number, scaled and shifted."""
        x = _standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * T.rsqrt(z / self.df))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        y = (value - self.loc) / self.scale
        z = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        z = z + T.lgamma(0.5 * self.df) - T.lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * T.log1p(y**2.0 / self.df) - z

    def entropy(self) -> Any:
        """The entropy, in nats."""
        log_beta = T.lgamma(0.5 * self.df) + math.lgamma(0.5) - T.lgamma(0.5 * (self.df + 1))
        slope = T.digamma(0.5 * (self.df + 1)) - T.digamma(0.5 * self.df)
        return self.scale.log() + 0.5 * (self.df + 1) * slope + 0.5 * self.df.log() + log_beta


class Uniform(Distribution):
    """All numbers from `low` to `high` alike."""

    has_rsample = True
    _expanding = ("low", "high")

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._broadcast(low=low, high=high), validate_args=validate_args)

    @property
    def arg_constraints(self) -> Any:
        """Each bounds the other."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @property
    def mean(self) -> Any:
        """The middle."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Any:
        """NaN."""
        return math.nan * self.high

    @property
    def stddev(self) -> Any:
        r"""The width over \(\sqrt{12}\)."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Any:
        """The width's square over 12."""
        return (self.high - self.low).pow(2) / 12

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """Between the bounds."""
        return constraints.interval(self.low, self.high)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Noise from [0, 1), scaled and shifted."""
        rand = T.rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + rand * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, which is constant."""
        self._check(value)
        low, high = self.low.le(value).type_as(self.low), self.high.gt(value).type_as(self.low)
        return T.log(low.mul(high)) - T.log(self.high - self.low)

    def cdf(self, value: Any) -> Any:
        """A straight line."""
        self._check(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Any) -> Any:
        """A straight line."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        """The logarithm of the width."""
        return T.log(self.high - self.low)
