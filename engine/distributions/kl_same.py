"""Divergences of two distributions of one kind."""

from __future__ import annotations

import math
from typing import Any

from ..autograd.passes import grad
from .binary_counts import Bernoulli, Binomial, Geometric, Poisson
from .categories import Categorical, OneHotCategorical
from .composed import Independent, TransformedDistribution
from .exp_family import ExponentialFamily
from .gaussians import (
    LowRankMultivariateNormal,
    MultivariateNormal,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
    _batch_mahalanobis,
    _log_diagonal,
)
from .half_lines import Exponential, Gamma
from .kl import kl_divergence, register_kl
from .location_scale import Cauchy, Laplace, Normal, Uniform
from .operations import F, T, linalg
from .relaxed import ContinuousBernoulli
from .simplices import Beta, Dirichlet
from .transformed_families import Gumbel, HalfNormal, Pareto
from .utils import _sum_rightmost, euler_constant


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    t1 = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    t1[q.probs == 0] = math.inf
    t1[p.probs == 0] = 0
    t2 = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    t2[q.probs == 1] = math.inf
    t2[p.probs == 1] = 0
    return t1 + t2


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Any:
    p_total, q_total = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    t1 = q.concentration1.lgamma() + q.concentration0.lgamma() + p_total.lgamma()
    t2 = p.concentration1.lgamma() + p.concentration0.lgamma() + q_total.lgamma()
    t3 = (p.concentration1 - q.concentration1) * T.digamma(p.concentration1)
    t4 = (p.concentration0 - q.concentration0) * T.digamma(p.concentration0)
    t5 = (q_total - p_total) * T.digamma(p_total)
    return t1 - t2 + t3 + t4 + t5


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    impossible = p.total_count > q.total_count
    kl[impossible] = T.full_like(kl[impossible], math.inf)
    return kl


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    t = p.probs * (p.logits - q.logits)
    t[(q.probs == 0).expand_as(t)] = math.inf
    t[(p.probs == 0).expand_as(t)] = 0
    return t.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p: Any, q: Any) -> Any:
    return _categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Any:
    t1 = p.mean * (p.logits - q.logits)
    t2 = p._cont_bern_log_norm() + T.log1p(-p.probs)
    t3 = -q._cont_bern_log_norm() - T.log1p(-q.probs)
    return t1 + t2 + t3


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    p_total, q_total = p.concentration.sum(-1), q.concentration.sum(-1)
    t1 = p_total.lgamma() - q_total.lgamma()
    t2 = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    t3 = p.concentration - q.concentration
    t4 = p.concentration.digamma() - p_total.digamma().unsqueeze(-1)
    return t1 - t2 + (t3 * t4).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    t1 = -ratio.log()
    return t1 + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: Any, q: Any) -> Any:
    """Bregman's divergence of the log normalizer."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             be computed "
            "using Bregman divergences"
        )
    p_params = [param.detach().requires_grad_() for param in p._natural_params]
    q_params = q._natural_params
    normalizer = p._log_normalizer(*p_params)
    slopes = grad(normalizer.sum(), p_params, create_graph=True)
    result = q._log_normalizer(*q_params) - normalizer
    for of_p, of_q, slope in zip(p_params, q_params, slopes):
        result -= _sum_rightmost((of_q - of_p) * slope, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Any:
    t1 = q.concentration * (p.rate / q.rate).log()
    t2 = T.lgamma(q.concentration) - T.lgamma(p.concentration)
    t3 = (p.concentration - q.concentration) * T.digamma(p.concentration)
    t4 = (q.rate - p.rate) * (p.concentration / p.rate)
    return t1 + t2 + t3 + t4


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Any:
    ct1, ct2, ct3 = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    t1 = -ct1.log() - ct2 + ct3
    t2 = ct1 * euler_constant
    t3 = T.exp(ct2 + (1 + ct1).lgamma() - ct3)
    return t1 + t2 + t3 - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - T.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Any:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    t1 = -ratio.log()
    t2 = apart / q.scale
    t3 = ratio * T.exp(-apart / p.scale)
    return t1 + t2 + t3 - 1


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    t1 = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + t1 - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Any:
    scale_ratio, alpha_ratio = p.scale / q.scale, q.alpha / p.alpha
    t1 = q.alpha * scale_ratio.log()
    t2 = -alpha_ratio.log()
    result = t1 + t2 + alpha_ratio - 1
    result[p.support.lower_bound < q.support.lower_bound] = math.inf
    return result


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = math.inf
    return result


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    t1 = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return t1 - (4 * p.scale * q.scale).log()


# --- normal distributions of vectors ---------------------------------------------------------------------------------------


def _trace_of_square(matrices: Any) -> Any:
    r"""The trace of \(X X^T\)."""
    n, m = matrices.size(-1), matrices.size(-2)
    return matrices.reshape(-1, m * n).pow(2).sum(-1).reshape(matrices.shape[:-2])


def _of_one_shape(p: Any, q: Any, kinds: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {kinds} Normals with                          different event shapes cannot be computed"
        )


def _projected(q: Any) -> Any:
    """What Woodbury's formula takes from the inverse of the diagonal."""
    factor, diagonal = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag
    return linalg.solve_triangular(q._capacitance_tril, factor.mT / diagonal.unsqueeze(-2), upper=False)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p: Any, q: Any) -> Any:
    _of_one_shape(p, q, "Low Rank Multivariate")
    t1 = _batch_lowrank_logdet(*q._covariance) - _batch_lowrank_logdet(*p._covariance)
    q_factor, q_diagonal, q_capacitance = q._covariance
    t3 = _batch_lowrank_mahalanobis(q_factor, q_diagonal, q.loc - p.loc, q_capacitance)
    a = _projected(q)
    t21 = (p._unbroadcasted_cov_diag / q_diagonal).sum(-1)
    t22 = _trace_of_square(p._unbroadcasted_cov_factor * q_diagonal.rsqrt().unsqueeze(-1))
    t23 = _trace_of_square(a * p._unbroadcasted_cov_diag.sqrt().unsqueeze(-2))
    t24 = _trace_of_square(a.matmul(p._unbroadcasted_cov_factor))
    t2 = t21 + t22 - t23 - t24
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _full_low_rank(p: Any, q: Any) -> Any:
    _of_one_shape(p, q, "(Low Rank) Multivariate")
    t1 = _batch_lowrank_logdet(*q._covariance) - 2 * _log_diagonal(p._unbroadcasted_scale_tril)
    q_factor, q_diagonal, q_capacitance = q._covariance
    t3 = _batch_lowrank_mahalanobis(q_factor, q_diagonal, q.loc - p.loc, q_capacitance)
    a = _projected(q)
    t21 = _trace_of_square(p._unbroadcasted_scale_tril * q_diagonal.rsqrt().unsqueeze(-1))
    t22 = _trace_of_square(a.matmul(p._unbroadcasted_scale_tril))
    t2 = t21 - t22
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_full(p: Any, q: Any) -> Any:
    _of_one_shape(p, q, "(Low Rank) Multivariate")
    t1 = 2 * _log_diagonal(q._unbroadcasted_scale_tril) - _batch_lowrank_logdet(*p._covariance)
    t3 = _batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)
    batch = T.broadcast_shapes(q._unbroadcasted_scale_tril.shape[:-2], p._unbroadcasted_cov_factor.shape[:-2])
    n = p.event_shape[0]
    q_factor = q._unbroadcasted_scale_tril.expand((*batch, n, n))
    p_factor = p._unbroadcasted_cov_factor.expand((*batch, n, p.cov_factor.size(-1)))
    p_diagonal = T.diag_embed(p._unbroadcasted_cov_diag.sqrt()).expand((*batch, n, n))
    t21 = _trace_of_square(linalg.solve_triangular(q_factor, p_factor, upper=False))
    t22 = _trace_of_square(linalg.solve_triangular(q_factor, p_diagonal, upper=False))
    t2 = t21 + t22
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


@register_kl(MultivariateNormal, MultivariateNormal)
def _full(p: Any, q: Any) -> Any:
    _of_one_shape(p, q, "Multivariate")
    half = _log_diagonal(q._unbroadcasted_scale_tril) - _log_diagonal(p._unbroadcasted_scale_tril)
    batch = T.broadcast_shapes(q._unbroadcasted_scale_tril.shape[:-2], p._unbroadcasted_scale_tril.shape[:-2])
    n = p.event_shape[0]
    q_factor = q._unbroadcasted_scale_tril.expand((*batch, n, n))
    p_factor = p._unbroadcasted_scale_tril.expand((*batch, n, n))
    t2 = _trace_of_square(linalg.solve_triangular(q_factor, p_factor, upper=False))
    t3 = _batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)
    return half + 0.5 * (t2 + t3 - n)
