"""Distributions of single trials and of counts: Bernoulli, binomial, geometric, negative binomial, Poisson."""

from __future__ import annotations

import math
from typing import Any

from ..autograd.grad_mode import no_grad
from ..dtypes import finfo
from . import constraints
from .exp_family import ExponentialFamily
from .half_lines import Gamma
from .odds import Odds
from .operations import F, Size, T, empty_like
from .utils import broadcast_all, lazy_property

BY_ODDS = {"probs": constraints.unit_interval, "logits": constraints.real}


class Bernoulli(Odds, ExponentialFamily):
    """One with a probability, else zero."""

    arg_constraints = BY_ODDS
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._one_of(probs, logits), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """The probability of a one."""
        return self.probs

    @property
    def mode(self) -> Any:
        """The more probable of the two; NaN where neither is."""
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = math.nan
        return mode

    @property
    def variance(self) -> Any:
        r"""\(p (1 - p)\)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Zeros and ones."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return T.bernoulli(self.probs.expand(shape))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability."""
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Any:
        """The entropy, in nats."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Any:
        """Zero and one."""
        return self._enumerated(T.arange(2, dtype=self._param.dtype), expand)

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (T.logit(self.probs),)

    def _log_normalizer(self, x: Any) -> Any:
        return T.log1p(T.exp(x))


class Binomial(Odds):
    """How many of `total_count` trials succeed."""

    arg_constraints = {"total_count": constraints.nonnegative_integer, **BY_ODDS}
    has_enumerate_support = True
    _expanding = ("total_count", "probs", "logits")
    total_count: Any

    def __init__(self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        shape = self._one_of(probs, logits, total_count=total_count)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The integers up to the number of trials."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Any:
        r"""\(n p\)."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Any:
        """The most probable number."""
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Any:
        r"""\(n p (1 - p)\)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Numbers of successes."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return T.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability."""
        self._check(value)
        n, logits = self.total_count, self.logits
        n_factorial, k_factorial, rest_factorial = T.lgamma(n + 1), T.lgamma(value + 1), T.lgamma(n - value + 1)
        # The positive part, of which autograd's derivative at zero is one half.
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        normalizer = n * positive + n * T.log1p(T.exp(-T.abs(logits))) - n_factorial
        return value * logits - k_factorial - rest_factorial - normalizer

    def _same_count(self, asked: str) -> int:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{asked}`.")
        return count

    def entropy(self) -> Any:
        """The entropy, summed over all numbers."""
        self._same_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(T.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Any:
        """All numbers, where the distributions of the batch have the same trials."""
        count = self._same_count("enumerate_support")
        return self._enumerated(T.arange(1 + count, dtype=self._param.dtype), expand)


class Geometric(Odds):
    """How many trials fail before the first success."""

    arg_constraints = BY_ODDS
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._one_of(probs, logits), validate_args=validate_args)
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            value = self.probs
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {self!r} to "
                f"be positive but found invalid values:\n{value.data[~(value > 0)]}"
            )

    @property
    def mean(self) -> Any:
        r"""\(1 / p - 1\)."""
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Any:
        """Zero."""
        return T.zeros_like(self.probs)

    @property
    def variance(self) -> Any:
        r"""\((1 / p - 1) / p\)."""
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Numbers of failures."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            u = empty_like(self.probs, shape).uniform_(finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability."""
        self._check(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Any:
        """The entropy of one trial, times how many there are in the mean."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class NegativeBinomial(Odds):
    """How many trials succeed before `total_count` have failed."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    _expanding = ("total_count", "probs", "logits")
    total_count: Any

    def __init__(self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        shape = self._one_of(probs, logits, total_count=total_count)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """The failures times the odds."""
        return self.total_count * T.exp(self.logits)

    @property
    def mode(self) -> Any:
        """The most probable number."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Any:
        """The mean over the probability of failing."""
        return self.mean / T.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self) -> Any:
        return Gamma(concentration=self.total_count, rate=T.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Poisson numbers of a rate that is a gamma number."""
        with no_grad():
            return T.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability."""
        self._check(value)
        n = self.total_count
        unnormalized = n * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        normalizer = -T.lgamma(n + value) + T.lgamma(1.0 + value) + T.lgamma(n)
        return unnormalized - normalizer.masked_fill(n + value == 0.0, 0.0)


class Poisson(ExponentialFamily):
    """How many events happen where `rate` are expected."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    _expanding = ("rate",)

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._broadcast(rate=rate), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """The rate."""
        return self.rate

    @property
    def mode(self) -> Any:
        """The rate without its fraction."""
        return self.rate.floor()

    @property
    def variance(self) -> Any:
        """The rate."""
        return self.rate

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Numbers of events."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return T.poisson(self.rate.expand(shape))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability."""
        self._check(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (T.log(self.rate),)

    def _log_normalizer(self, x: Any) -> Any:
        return T.exp(x)
