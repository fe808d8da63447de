"""Distributions of every kind, with parameters, a value for each, and what it cannot be made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

F32 = np.float32


def f32(*values: Any) -> np.ndarray[Any, Any]:
    return np.array(values, F32)


@dataclass(frozen=True)
class Case:
    """A distribution as a function of a module's `distributions` and of tensors."""

    make: Callable[..., Any]
    parameters: tuple[Any, ...]
    value: Any
    """Something that can be a sample."""
    wrong: tuple[Any, ...] = ()
    """Parameters that are refused."""
    outside: Any = None
    """Something that cannot be a sample."""

    def of(self, t: ModuleType) -> Any:
        """The distribution in a module."""
        return self.make(t.distributions, *(t.tensor(p) for p in self.parameters))


LOC, SCALE = f32(-0.5, 0.25, 2.0), f32(0.5, 1.5, 3.0)
REAL, ABOVE, SHARE = f32(-1.5, 0.3, 4.0), f32(0.2, 1.7, 5.0), f32(0.15, 0.5, 0.93)
PROBS = f32(0.2, 0.5, 0.85)
LOGITS = f32(-1.25, 0.0, 2.0)
ROWS = f32([0.1, 0.6, 0.3], [0.25, 0.25, 0.5])
ROW_LOGITS = f32([-1.0, 0.5, 0.2], [2.0, 0.0, -1.0])
COV = f32([2.0, 0.5, 0.1], [0.5, 1.5, -0.2], [0.1, -0.2, 0.8])
TRIL = f32([1.2, 0.0, 0.0], [0.4, 0.9, 0.0], [-0.3, 0.2, 1.1])
FACTOR, DIAG = f32([0.5, -0.2], [1.0, 0.3], [0.1, 0.7]), f32(0.6, 1.1, 0.9)
VECTORS = f32([0.3, -1.0, 0.5], [1.5, 0.2, -0.7])
SHARES = f32([0.2, 0.5, 0.3], [0.6, 0.3, 0.1])
CORR = np.linalg.cholesky(np.array([[1.0, 0.3, -0.2], [0.3, 1.0, 0.5], [-0.2, 0.5, 1.0]])).astype(F32)
WARM = f32(0.7).reshape(())
ONE_HOT = f32([0.0, 1.0, 0.0], [1.0, 0.0, 0.0])

CASES: dict[str, Case] = {
    "Bernoulli": Case(lambda d, p: d.Bernoulli(p), (PROBS,), f32(0, 1, 1), (f32(0.5, 1.5),), f32(0, 2, 1)),
    "Bernoulli of logits": Case(lambda d, x: d.Bernoulli(logits=x), (LOGITS,), f32(0, 1, 1), (f32(float("nan")),)),
    "Beta": Case(lambda d, a, b: d.Beta(a, b), (ABOVE, SCALE), SHARE, (f32(0.5), f32(-1.0)), f32(0.5, 1.5, 0.2)),
    "Binomial": Case(lambda d, p: d.Binomial(7, p), (PROBS,), f32(0, 3, 7), (f32(2.0),), f32(0, 8, 1)),
    "Binomial of logits": Case(lambda d, x: d.Binomial(4, logits=x), (LOGITS,), f32(0, 3, 4)),
    "Binomial of counts": Case(lambda d, n, p: d.Binomial(n, p), (f32(30, 100, 2), PROBS), f32(4, 50, 1), (f32(-1), f32(0.5))),
    "Categorical": Case(lambda d, p: d.Categorical(p), (ROWS,), np.array([2, 0]), (f32(0.5, -0.5),), np.array([3, 0])),
    "Categorical of logits": Case(lambda d, x: d.Categorical(logits=x), (ROW_LOGITS,), np.array([1, 2])),
    "Categorical of one row": Case(lambda d, p: d.Categorical(p), (f32(1, 2, 3, 4),), np.array([1, 2, 0])),
    "Cauchy": Case(lambda d, m, s: d.Cauchy(m, s), (LOC, SCALE), REAL, (f32(0.0), f32(0.0)), f32(0, float("nan"), 0)),
    "Chi2": Case(lambda d, n: d.Chi2(n), (f32(0.7, 3.0, 12.0),), ABOVE, (f32(-1.0),), f32(1, -1, 1)),
    "ContinuousBernoulli": Case(lambda d, p: d.ContinuousBernoulli(p), (PROBS,), SHARE, (f32(1.5),), f32(0.5, 1.5, 0)),
    "ContinuousBernoulli of logits": Case(lambda d, x: d.ContinuousBernoulli(logits=x), (LOGITS,), SHARE),
    "Dirichlet": Case(lambda d, c: d.Dirichlet(c), (f32([0.5, 2, 3], [8, 0.9, 1]),), SHARES, (f32(1.0, -1.0),), f32(0.5, 0.6, 0.1)),
    "Exponential": Case(lambda d, r: d.Exponential(r), (SCALE,), ABOVE, (f32(-1.0),), f32(1, -1, 1)),
    "FisherSnedecor": Case(lambda d, a, b: d.FisherSnedecor(a, b), (f32(1.5, 3, 8), f32(3, 5, 9)), ABOVE, (f32(1), f32(-1)), f32(0, 1, 1)),
    "Gamma": Case(lambda d, a, b: d.Gamma(a, b), (f32(0.3, 2.0, 15.0), SCALE), ABOVE, (f32(1.0), f32(0.0)), f32(1, -1, 1)),
    "GeneralizedPareto": Case(
        lambda d, m, s, c: d.GeneralizedPareto(m, s, c), (f32(0.1, 0.2, 0.3), SCALE, f32(0.3, 0.0, -0.2)), ABOVE,
        (f32(0.0), f32(-1.0), f32(0.1)), f32(0, 0, 0),
    ),
    "Geometric": Case(lambda d, p: d.Geometric(p), (PROBS,), f32(0, 3, 1), (f32(0.5, 0.0),), f32(0, 0.5, 1)),
    "Geometric of logits": Case(lambda d, x: d.Geometric(logits=x), (LOGITS,), f32(0, 3, 1)),
    "Gumbel": Case(lambda d, m, s: d.Gumbel(m, s), (LOC, SCALE), REAL, (f32(0.0), f32(-1.0))),
    "HalfCauchy": Case(lambda d, s: d.HalfCauchy(s), (SCALE,), ABOVE, (f32(-1.0),), f32(-1, 1, 1)),
    "HalfNormal": Case(lambda d, s: d.HalfNormal(s), (SCALE,), ABOVE, (f32(-1.0),), f32(-1, 1, 1)),
    "Independent": Case(lambda d, m, s: d.Independent(d.Normal(m, s), 1), (ROWS, ROWS), VECTORS, (), f32(1, 2)),
    "InverseGamma": Case(lambda d, a, b: d.InverseGamma(a, b), (f32(0.8, 2.5, 4), SCALE), ABOVE, (f32(1), f32(-1)), f32(1, -1, 1)),
    "Kumaraswamy": Case(lambda d, a, b: d.Kumaraswamy(a, b), (f32(0.8, 2, 3), SCALE), SHARE, (f32(1), f32(-1)), f32(0, 2, 1)),
    "LKJCholesky": Case(lambda d, c: d.LKJCholesky(3, c), (f32(0.7, 2.0),), CORR, (f32(-1.0),), TRIL),
    "Laplace": Case(lambda d, m, s: d.Laplace(m, s), (LOC, SCALE), REAL, (f32(0.0), f32(-1.0))),
    "LogNormal": Case(lambda d, m, s: d.LogNormal(m, s), (LOC, SCALE), ABOVE, (f32(0.0), f32(-1.0)), f32(0, 1, 1)),
    "LogisticNormal": Case(lambda d, m, s: d.LogisticNormal(m, s), (VECTORS[:, :2], ROWS[:, :2]), SHARES, (f32(0, 0), f32(1, -1)), ROWS + 1),
    "LowRankMultivariateNormal": Case(
        lambda d, m, w, s: d.LowRankMultivariateNormal(m, w, s), (LOC, FACTOR, DIAG), VECTORS, (LOC, FACTOR, -DIAG), f32(1, 2)
    ),
    "MixtureSameFamily": Case(
        lambda d, p, m, s: d.MixtureSameFamily(d.Categorical(p), d.Normal(m, s)), (PROBS, LOC, SCALE), REAL, (), f32(float("nan"))
    ),
    "MixtureSameFamily of vectors": Case(
        lambda d, x, m, s: d.MixtureSameFamily(d.Categorical(logits=x), d.Independent(d.Normal(m, s), 1)),
        (f32(0.3, -0.2), VECTORS, ROWS), VECTORS,
    ),
    "Multinomial": Case(lambda d, p: d.Multinomial(5, p), (ROWS,), f32([1, 3, 1], [0, 0, 5]), (f32(0.5, -0.5),), f32(6, 0, 0)),
    "Multinomial of logits": Case(lambda d, x: d.Multinomial(5, logits=x), (ROW_LOGITS,), f32([1, 3, 1], [0, 0, 5])),
    "MultivariateNormal": Case(lambda d, m, c: d.MultivariateNormal(m, c), (LOC, COV), VECTORS, (LOC, -COV), f32(1, 2)),
    "MultivariateNormal of a factor": Case(
        lambda d, m, c: d.MultivariateNormal(m, scale_tril=c), (VECTORS, TRIL), VECTORS, (LOC, COV), f32(1, 2, float("nan"))
    ),
    "MultivariateNormal of a precision": Case(
        lambda d, m, c: d.MultivariateNormal(m, precision_matrix=c), (LOC, np.stack([COV, COV * 2])), VECTORS
    ),
    "NegativeBinomial": Case(lambda d, p: d.NegativeBinomial(5, p), (PROBS,), f32(0, 3, 9), (f32(1.0),), f32(0, 0.5, 1)),
    "NegativeBinomial of logits": Case(lambda d, n, x: d.NegativeBinomial(n, logits=x), (SCALE, LOGITS), f32(0, 3, 9)),
    "Normal": Case(lambda d, m, s: d.Normal(m, s), (LOC, SCALE), REAL, (f32(0.0), f32(-1.0)), f32(0, float("nan"), 0)),
    "OneHotCategorical": Case(lambda d, p: d.OneHotCategorical(p), (ROWS,), ONE_HOT, (f32(0.5, -0.5),), f32(1, 1, 0)),
    "OneHotCategoricalStraightThrough": Case(
        lambda d, x: d.OneHotCategoricalStraightThrough(logits=x), (ROW_LOGITS,), ONE_HOT
    ),
    "Pareto": Case(lambda d, s, a: d.Pareto(s, a), (SCALE, f32(0.8, 1.5, 3)), SCALE + ABOVE, (f32(1.0), f32(-1.0)), f32(0, 0, 0)),
    "Poisson": Case(lambda d, r: d.Poisson(r), (f32(0.3, 4.0, 25.0),), f32(0, 3, 30), (f32(-1.0),), f32(0.5, 1, 1)),
    "RelaxedBernoulli": Case(lambda d, t, p: d.RelaxedBernoulli(t, p), (WARM, PROBS), SHARE, (f32(1), f32(2)), f32(2, 0, 0)),
    "RelaxedBernoulli of logits": Case(lambda d, t, x: d.RelaxedBernoulli(t, logits=x), (WARM, LOGITS), SHARE),
    "RelaxedOneHotCategorical": Case(
        lambda d, t, p: d.RelaxedOneHotCategorical(t, p), (WARM, ROWS), SHARES, (f32(1), f32(0.5, -0.5)), f32(1, 1, 1)
    ),
    "RelaxedOneHotCategorical of logits": Case(
        lambda d, t, x: d.RelaxedOneHotCategorical(t, logits=x), (WARM, ROW_LOGITS), SHARES
    ),
    "StudentT": Case(lambda d, n, m, s: d.StudentT(n, m, s), (f32(0.9, 1.5, 6), LOC, SCALE), REAL, (f32(-1), f32(0), f32(1))),
    "TransformedDistribution": Case(
        lambda d, m, s: d.TransformedDistribution(d.Normal(m, s), [d.SigmoidTransform(), d.AffineTransform(1.0, -2.0)]),
        (LOC, SCALE), f32(-0.9, 0.1, 0.8),
    ),
    "Uniform": Case(lambda d, a, b: d.Uniform(a, b), (LOC, LOC + SCALE), LOC + SCALE / 3, (f32(1.0), f32(0.5)), f32(9, 9, 9)),
    "VonMises": Case(lambda d, m, c: d.VonMises(m, c), (LOC, f32(0.5, 3.0, 8.0)), REAL, (f32(0.0), f32(-1.0))),
    "Weibull": Case(lambda d, s, c: d.Weibull(s, c), (SCALE, f32(0.7, 1.5, 3)), ABOVE, (f32(1.0), f32(-1.0)), f32(0, 1, 1)),
    "Wishart": Case(lambda d, n, c: d.Wishart(n, c), (f32(4.5).reshape(()), COV), COV * 3, (f32(4.5).reshape(()), -COV), -COV),
    "Wishart of a factor": Case(lambda d, n, c: d.Wishart(n, scale_tril=c), (f32(4.5, 7), TRIL), COV * 3),
    "Wishart of a precision": Case(lambda d, n, c: d.Wishart(n, precision_matrix=c), (f32(5.5).reshape(()), COV), COV * 3),
}  # fmt: skip
"""By name."""
