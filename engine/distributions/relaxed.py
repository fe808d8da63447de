"""Distributions between the discrete and the continuous: relaxed Bernoulli and categorical ones, the continuous Bernoulli."""

from __future__ import annotations

import math
from typing import Any

from ..autograd.grad_mode import no_grad
from . import constraints
from .binary_counts import BY_ODDS
from .categories import BY_SHARES, Categorical, _OfCategories
from .composed import TransformedDistribution
from .elementwise_transforms import ExpTransform, SigmoidTransform
from .exp_family import ExponentialFamily
from .odds import EITHER, Odds
from .operations import F, Size, T
from .utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs


class LogitRelaxedBernoulli(Odds):
    """The log odds of a relaxed Bernoulli number: those of the probability, and logistic noise, over a temperature."""

    arg_constraints = BY_ODDS
    support = constraints.real
    _kept = ("temperature",)

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self.temperature = temperature
        super().__init__(self._one_of(probs, logits), validate_args=validate_args)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Log odds, and logistic noise."""
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        uniforms = clamp_probs(T.rand(shape, dtype=probs.dtype))
        return (uniforms.log() - (-uniforms).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        diff = logits - value.mul(self.temperature)
        return self.temperature.log() + diff - 2 * diff.exp().log1p()


class _Relaxed(TransformedDistribution):
    """A relaxed distribution, made of its logarithms or log odds."""

    @property
    def temperature(self) -> Any:
        """How far from discrete it is."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Any:
        """The log odds, or logarithms, of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self) -> Any:
        """The probabilities."""
        return self.base_dist.probs


class RelaxedBernoulli(_Relaxed):
    """A number between 0 and 1 that comes near a Bernoulli number as the temperature falls."""

    arg_constraints = BY_ODDS
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)


class ExpRelaxedCategorical(_OfCategories):
    """The logarithms of a relaxed one-hot vector: those of the probabilities, and Gumbel noise, over a temperature."""

    arg_constraints = BY_SHARES
    support = constraints.real_vector
    has_rsample = True
    _kept = ("temperature",)

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Logits, and Gumbel noise, normalised."""
        uniforms = clamp_probs(T.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        gumbels = -((-(uniforms.log())).log())
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        n = self._categorical._num_events
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        scale = T.full_like(self.temperature, float(n)).lgamma() - self.temperature.log().mul(-(n - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(_Relaxed):
    """A point of the simplex that comes near a one-hot vector as the temperature falls."""

    arg_constraints = BY_SHARES
    support = constraints.simplex
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)


class ContinuousBernoulli(Odds, ExponentialFamily):
    r"""Numbers between 0 and 1 with a density of \(p^x (1 - p)^{1 - x}\), normalised.

    The formulas divide by zero at one half; between the limits `lims` their expansions stand for them.
    """

    arg_constraints = BY_ODDS
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True
    _kept = ("_lims",)

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: Any = (0.499, 0.501), validate_args: bool | None = None
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError(EITHER)
        shape = self._one_of(probs, logits)
        if probs is not None:
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Any:
        """The parameter between 0 and 1, which is not the mean."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _outside_unstable_region(self) -> Any:
        return T.max(T.le(self.probs, self._lims[0]), T.gt(self.probs, self._lims[1]))

    def _cut_probs(self) -> Any:
        return T.where(self._outside_unstable_region(), self.probs, self._lims[0] * T.ones_like(self.probs))

    def _cont_bern_log_norm(self) -> Any:
        """The logarithm of what the density is normalised by."""
        cut = self._cut_probs()
        below = T.where(T.le(cut, 0.5), cut, T.zeros_like(cut))
        above = T.where(T.ge(cut, 0.5), cut, T.ones_like(cut))
        log_norm = T.log(T.abs(T.log1p(-cut) - T.log(cut))) - T.where(
            T.le(cut, 0.5), T.log1p(-2.0 * below), T.log(2.0 * above - 1.0)
        )
        x = T.pow(self.probs - 0.5, 2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return T.where(self._outside_unstable_region(), log_norm, taylor)

    @property
    def mean(self) -> Any:
        """The mean."""
        cut = self._cut_probs()
        mus = cut / (2.0 * cut - 1.0) + 1.0 / (T.log1p(-cut) - T.log(cut))
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * T.pow(x, 2)) * x
        return T.where(self._outside_unstable_region(), mus, taylor)

    @property
    def stddev(self) -> Any:
        """The root of the variance."""
        return T.sqrt(self.variance)

    @property
    def variance(self) -> Any:
        """The variance."""
        cut = self._cut_probs()
        found = cut * (cut - 1.0) / T.pow(1.0 - 2.0 * cut, 2) + 1.0 / T.pow(T.log1p(-cut) - T.log(cut), 2)
        x = T.pow(self.probs - 0.5, 2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return T.where(self._outside_unstable_region(), found, taylor)

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Samples without gradients."""
        u = T.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype)
        with no_grad():
            return self.icdf(u)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Uniform noise, through the inverse of `cdf`."""
        return self.icdf(T.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Any) -> Any:
        """The probability of at most the value."""
        self._check(value)
        cut = self._cut_probs()
        inside = (T.pow(cut, value) * T.pow(1.0 - cut, 1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        inside = T.where(self._outside_unstable_region(), inside, value)
        below_one = T.where(T.ge(value, 1.0), T.ones_like(value), inside)
        return T.where(T.le(value, 0.0), T.zeros_like(value), below_one)

    def icdf(self, value: Any) -> Any:
        """The value of which `cdf` is the given one."""
        cut = self._cut_probs()
        inside = (T.log1p(-cut + value * (2.0 * cut - 1.0)) - T.log1p(-cut)) / (T.log(cut) - T.log1p(-cut))
        return T.where(self._outside_unstable_region(), inside, value)

    def entropy(self) -> Any:
        """The entropy, in nats."""
        failure, success = T.log1p(-self.probs), T.log(self.probs)
        return self.mean * (failure - success) - self._cont_bern_log_norm() - failure

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Any) -> Any:
        stable = T.max(T.le(x, self._lims[0] - 0.5), T.gt(x, self._lims[1] - 0.5))
        cut = T.where(stable, x, (self._lims[0] - 0.5) * T.ones_like(x))
        log_norm = T.log(T.abs(T.expm1(cut))) - T.log(T.abs(cut))
        taylor = 0.5 * x + T.pow(x, 2) / 24.0 - T.pow(x, 4) / 2880.0
        return T.where(stable, log_norm, taylor)
