"""Distributions of positive numbers: exponential, gamma, chi-squared, Fisher–Snedecor, generalized Pareto."""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import finfo
from . import constraints
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .operations import Size, T, empty_like, standard_gamma


class Exponential(ExponentialFamily):
    """The time to the next event, where `rate` are expected in a unit of time."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _expanding = ("rate",)

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._broadcast(rate=rate), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """One over the rate."""
        return self.rate.reciprocal()

    @property
    def mode(self) -> Any:
        """Zero."""
        return T.zeros_like(self.rate)

    @property
    def stddev(self) -> Any:
        """One over the rate."""
        return self.rate.reciprocal()

    @property
    def variance(self) -> Any:
        """One over the rate's square."""
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Standard noise over the rate."""
        return empty_like(self.rate, self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Any) -> Any:
        r"""\(1 - e^{-\lambda x}\)."""
        self._check(value)
        return 1 - T.exp(-self.rate * value)

    def icdf(self, value: Any) -> Any:
        r"""\(-\ln(1 - u) / \lambda\)."""
        return -T.log1p(-value) / self.rate

    def entropy(self) -> Any:
        r"""\(1 - \ln \lambda\)."""
        return 1.0 - T.log(self.rate)

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (-self.rate,)

    def _log_normalizer(self, x: Any) -> Any:
        return -T.log(-x)


class Gamma(ExponentialFamily):
    """The gamma distribution of a shape, called `concentration`, and a rate."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _expanding = ("concentration", "rate")

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._broadcast(concentration=concentration, rate=rate), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        r"""\(\alpha / \beta\)."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Any:
        r"""\((\alpha - 1) / \beta\), or zero."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Any:
        r"""\(\alpha / \beta^2\)."""
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Numbers of rate 1, over the rate; never zero."""
        shape = self._extended_shape(sample_shape)
        value = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=finfo(value.dtype).tiny)
        return value

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        value = T.as_tensor(value, dtype=self.rate.dtype)
        self._check(value)
        alpha, beta = self.concentration, self.rate
        return T.xlogy(alpha, beta) + T.xlogy(alpha - 1, value) - beta * value - T.lgamma(alpha)

    def entropy(self) -> Any:
        """The entropy, in nats."""
        alpha = self.concentration
        return alpha - T.log(self.rate) + T.lgamma(alpha) + (1.0 - alpha) * T.digamma(alpha)

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return T.lgamma(x + 1) + (x + 1) * T.log(-y.reciprocal())

    def cdf(self, value: Any) -> Any:
        """The incomplete gamma function."""
        self._check(value)
        return T.igamma(self.concentration, self.rate * value)


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self.concentration * 2


class FisherSnedecor(Distribution):
    """The ratio of two chi-squared numbers, each over its degrees of freedom."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _expanding = ("df1", "df2", "_gamma1", "_gamma2")

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        shape = self._broadcast(df1=df1, df2=df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """Finite for more than two degrees of freedom below the line; else NaN."""
        df2 = self.df2.clone()
        df2[df2 <= 2] = math.nan
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Any:
        """For more than two degrees of freedom above the line; else NaN."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> Any:
        """Finite for more than four degrees of freedom below the line; else NaN."""
        df2 = self.df2.clone()
        df2[df2 <= 4] = math.nan
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """The ratio of two gamma numbers, neither of them zero."""
        shape = self._extended_shape(sample_shape)
        x1 = self._gamma1.rsample(sample_shape).view(shape)
        x2 = self._gamma2.rsample(sample_shape).view(shape)
        tiny = finfo(x2.dtype).tiny
        x2.clamp_(min=tiny)
        y = x1 / x2
        y.clamp_(min=tiny)
        return y

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        t1 = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        t2 = half1 * ratio.log() + (half1 - 1) * T.log(value)
        t3 = (half1 + half2) * T.log1p(ratio * value)
        return t1 + t2 - t3


class GeneralizedPareto(Distribution):
    """What exceeds a threshold `loc`, where tails fall by a power, exponentially, or end."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    _expanding = ("loc", "scale", "concentration")

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        shape = self._broadcast(loc=loc, scale=scale, concentration=concentration)
        super().__init__(shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Uniform noise, through the inverse of `cdf`."""
        return self.icdf(T.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def _exponential(self, zero: Any) -> tuple[Any, Any]:
        """Where the tail falls exponentially, and the concentration with ones there."""
        is_zero = T.isclose(self.concentration, zero)
        return is_zero, T.where(is_zero, T.ones_like(self.concentration), self.concentration)

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        z = self._z(value)
        is_zero, safe = self._exponential(T.tensor(0.0))
        y = 1 / safe + T.ones_like(z)
        power = T.where(y == 0, y, y * T.log1p(safe * z))
        return -self.scale.log() - T.where(is_zero, z, power)

    def log_survival_function(self, value: Any) -> Any:
        """The logarithm of the probability of more than the value."""
        self._check(value)
        z = self._z(value)
        is_zero, safe = self._exponential(T.tensor(0.0))
        return T.where(is_zero, -z, -T.log1p(safe * z) / safe)

    def log_cdf(self, value: Any) -> Any:
        """The logarithm of `cdf`."""
        return T.log1p(-T.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Any:
        """The probability of at most the value."""
        return T.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Any:
        """The value of which `cdf` is the given one."""
        is_zero, safe = self._exponential(T.zeros_like(self.concentration))
        log_left = T.log1p(-value)
        power = self.loc + self.scale / safe * T.expm1(-safe * log_left)
        return T.where(is_zero, self.loc - self.scale * log_left, power)

    @property
    def mean(self) -> Any:
        """Finite for a concentration below 1; else NaN."""
        valid = self.concentration < 1
        safe = T.where(valid, self.concentration, 0.5)
        return T.where(valid, self.loc + self.scale / (1 - safe), math.nan)

    @property
    def variance(self) -> Any:
        """Finite for a concentration below one half; else NaN."""
        valid = self.concentration < 0.5
        safe = T.where(valid, self.concentration, 0.25)
        return T.where(valid, self.scale**2 / ((1 - safe) ** 2 * (1 - 2 * safe)), math.nan)

    def entropy(self) -> Any:
        r"""\(\ln \sigma + \xi + 1\)."""
        return T.broadcast_to(T.log(self.scale) + self.concentration + 1, self._batch_shape)

    @property
    def mode(self) -> Any:
        """The threshold."""
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From the threshold on, up to an end for negative concentrations."""
        end = T.where(self.concentration < 0, self.loc - self.scale / self.concentration, math.inf)
        return constraints.interval(self.loc, end)
