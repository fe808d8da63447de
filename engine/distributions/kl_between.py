"""Divergences of two distributions of different kinds."""

from __future__ import annotations

import math
from typing import Any

from .binary_counts import Bernoulli, Binomial, Poisson
from .half_lines import Exponential, Gamma
from .kl import register_kl
from .location_scale import Laplace, Normal, Uniform
from .operations import T
from .relaxed import ContinuousBernoulli
from .simplices import Beta
from .transformed_families import Gumbel, Pareto
from .utils import euler_constant

LOG_2PI = math.log(2 * math.pi)

INFINITE: tuple[tuple[type, str, tuple[type, ...]], ...] = (
    (Beta, "concentration1", (Pareto,)),
    (ContinuousBernoulli, "probs", (Pareto,)),
    (Exponential, "rate", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    (Gamma, "concentration", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    (Gumbel, "loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Laplace, "loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Normal, "loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Pareto, "scale", (Beta, ContinuousBernoulli, Uniform)),
    (Poisson, "rate", (Bernoulli, Binomial)),
)
"""Kinds that reach where the others do not, and a parameter, whose shape and dtype the infinite divergences have."""


def _infinite(name: str) -> Any:
    return lambda p, q: T.full_like(getattr(p, name), math.inf)


for _p, _name, _others in INFINITE:
    for _q in _others:
        register_kl(_p, _q)(_infinite(_name))


def _x_log_x(x: Any) -> Any:
    return T.xlogy(x, x)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


# --- of shares -------------------------------------------------------------------------------------------------------------


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p: Any, q: Any) -> Any:
    return -p.entropy() - p.mean * q.logits - T.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _beta_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * (p.concentration1 / (p.concentration1 + p.concentration0))


@register_kl(Beta, Gamma)
def _beta_gamma(p: Any, q: Any) -> Any:
    t1 = -p.entropy()
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    t3 = (q.concentration - 1) * (p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma())
    t4 = q.rate * p.concentration1 / (p.concentration1 + p.concentration0)
    return t1 + t2 - t3 + t4


@register_kl(Beta, Normal)
def _beta_normal(p: Any, q: Any) -> Any:
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    var = q.scale.pow(2)
    t1 = -p.entropy()
    t2 = 0.5 * (var * 2 * math.pi).log()
    t3 = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    t4 = q.loc * mean
    t5 = q.loc.pow(2) * 0.5
    return t1 + t2 + (t3 - t4 + t5) / var


@register_kl(Beta, Uniform)
def _beta_uniform(p: Any, q: Any) -> Any:
    result = -p.entropy() + (q.high - q.low).log()
    result[(q.low > p.support.lower_bound) | (q.high < p.support.upper_bound)] = math.inf
    return result


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - T.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p: Any, q: Any) -> Any:
    t1 = -p.entropy()
    t2 = 0.5 * (LOG_2PI + T.square(q.loc / q.scale)) + T.log(q.scale)
    t3 = (p.variance + T.square(p.mean) - 2.0 * q.loc * p.mean) / (2.0 * T.square(q.scale))
    return t1 + t2 + t3


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p: Any, q: Any) -> Any:
    result = -p.entropy() + (q.high - q.low).log()
    # PyTorch takes a uniform distribution that reaches further for one that does not reach.
    outside = T.max(T.ge(q.low, p.support.lower_bound), T.le(q.high, p.support.upper_bound))
    return T.where(outside, T.ones_like(result) * math.inf, result)


# --- of half lines ---------------------------------------------------------------------------------------------------------


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    t1 = -q.concentration * T.log(ratio)
    return t1 + ratio + q.concentration.lgamma() + q.concentration * euler_constant - (1 + euler_constant)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Any, q: Any) -> Any:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    t1 = product.log() - 1
    t2 = T.exp(ratio) * product / (product + 1)
    t3 = product.reciprocal()
    return t1 - ratio + t2 + t3


@register_kl(Exponential, Normal)
def _exponential_normal(p: Any, q: Any) -> Any:
    var, rate_sq = q.scale.pow(2), p.rate.pow(2)
    t1 = 0.5 * T.log(rate_sq * var * 2 * math.pi)
    t2 = rate_sq.reciprocal()
    t3 = q.loc / p.rate
    t4 = q.loc.pow(2) * 0.5
    return t1 - 1 + (t2 - t3 + t4) / var


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Any, q: Any) -> Any:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    t1 = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
    t2 = product.log() + p.concentration / product
    t3 = T.exp(ratio) * (1 + product.reciprocal()).pow(-p.concentration) - ratio
    return t1 + t2 + t3


@register_kl(Gamma, Normal)
def _gamma_normal(p: Any, q: Any) -> Any:
    var, beta_sq = q.scale.pow(2), p.rate.pow(2)
    t1 = 0.5 * T.log(beta_sq * var * 2 * math.pi) - p.concentration - p.concentration.lgamma()
    t2 = 0.5 * (p.concentration.pow(2) + p.concentration) / beta_sq
    t3 = q.loc * p.concentration / p.rate
    t4 = 0.5 * q.loc.pow(2)
    return t1 + (p.concentration - 1) * p.concentration.digamma() + (t2 - t3 + t4) / var


@register_kl(Pareto, Exponential)
def _pareto_exponential(p: Any, q: Any) -> Any:
    product = p.scale * q.rate
    t1 = (p.alpha / product).log()
    t2 = p.alpha.reciprocal()
    t3 = p.alpha * product / (p.alpha - 1)
    result = t1 - t2 + t3 - 1
    result[p.alpha <= 1] = math.inf
    return result


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Any, q: Any) -> Any:
    common = p.scale.log() + p.alpha.reciprocal()
    t1 = p.alpha.log() - common
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    t3 = (1 - q.concentration) * common
    t4 = q.rate * p.alpha * p.scale / (p.alpha - 1)
    result = t1 + t2 + t3 + t4 - 1
    result[p.alpha <= 1] = math.inf
    return result


@register_kl(Pareto, Normal)
def _pareto_normal(p: Any, q: Any) -> Any:
    twice_var = 2 * q.scale.pow(2)
    common = p.scale / (p.alpha - 1)
    t1 = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
    t2 = p.alpha.reciprocal()
    t3 = p.alpha * common.pow(2) / (p.alpha - 2)
    t4 = (p.alpha * common - q.loc).pow(2)
    result = t1 - t2 + (t3 + t4) / twice_var - 1
    result[p.alpha <= 2] = math.inf
    return result


# --- of the whole line -----------------------------------------------------------------------------------------------------


@register_kl(Gumbel, Normal)
def _gumbel_normal(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    t1 = (ratio / math.sqrt(2 * math.pi)).log()
    t2 = (math.pi * ratio * 0.5).pow(2) / 3
    t3 = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -t1 + t2 + t3 - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p: Any, q: Any) -> Any:
    var = q.scale.pow(2)
    ratio_sq = p.scale.pow(2) / var
    t1 = 0.5 * T.log(2 * ratio_sq / math.pi)
    t2 = 0.5 * p.loc.pow(2)
    t3 = p.loc * q.loc
    t4 = 0.5 * q.loc.pow(2)
    return -t1 + ratio_sq + (t2 - t3 + t4) / var - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Any, q: Any) -> Any:
    mean_ratio = p.loc / q.scale
    ratio_sq = (p.scale / q.scale).pow(2)
    loc_ratio = q.loc / q.scale
    t1 = ratio_sq.log() * 0.5
    t2 = mean_ratio - loc_ratio
    t3 = T.exp(-mean_ratio + 0.5 * ratio_sq + loc_ratio)
    return -t1 + t2 + t3 - (0.5 * (1 + LOG_2PI))


@register_kl(Normal, Laplace)
def _normal_laplace(p: Any, q: Any) -> Any:
    apart = p.loc - q.loc
    ratio = p.scale / q.scale
    standard = apart / p.scale
    t1 = T.log(ratio)
    t2 = math.sqrt(2 / math.pi) * p.scale * T.exp(-0.5 * standard.pow(2))
    t3 = apart * T.erf(math.sqrt(0.5) * standard)
    return -t1 + (t2 + t3) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))


# --- of an interval --------------------------------------------------------------------------------------------------------


@register_kl(Uniform, Beta)
def _uniform_beta(p: Any, q: Any) -> Any:
    width = p.high - p.low
    t1 = T.log(width)
    t2 = (q.concentration1 - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    t3 = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    t4 = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    result = t3 + t4 - t1 - t2
    result[(p.high > q.support.upper_bound) | (p.low < q.support.lower_bound)] = math.inf
    return result


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Any, q: Any) -> Any:
    result = -p.entropy() - p.mean * q.logits - T.log1p(-q.probs) - q._cont_bern_log_norm()
    outside = T.max(T.ge(p.high, q.support.upper_bound), T.le(p.low, q.support.lower_bound))
    return T.where(outside, T.ones_like(result) * math.inf, result)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Any, q: Any) -> Any:
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    result[p.low < q.support.lower_bound] = math.inf
    return result


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Any, q: Any) -> Any:
    width = p.high - p.low
    t1 = width.log()
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    t3 = (1 - q.concentration) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    t4 = q.rate * (p.high + p.low) / 2
    result = -t1 + t2 + t3 + t4
    result[p.low < q.support.lower_bound] = math.inf
    return result


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Any, q: Any) -> Any:
    common = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    t1 = common.log() + 0.5 * (high + low)
    t2 = common * (T.exp(-high) - T.exp(-low))
    return t1 - t2


@register_kl(Uniform, Normal)
def _uniform_normal(p: Any, q: Any) -> Any:
    width = p.high - p.low
    t1 = (math.sqrt(math.pi * 2) * q.scale / width).log()
    t2 = width.pow(2) / 12
    t3 = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return t1 + 0.5 * (t2 + t3) / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Any, q: Any) -> Any:
    width = p.high - p.low
    t1 = (q.alpha * q.scale.pow(q.alpha) * width).log()
    t2 = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    result = t2 * (q.alpha + 1) - t1
    result[p.low < q.support.lower_bound] = math.inf
    return result
