"""`torch.distributions`: probability distributions, their transforms and divergences; gradients pass through samples."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ..compat.classes import known_as
from . import (  # noqa: F401  (PyTorch has these modules, too)
    binary_counts,
    categories,
    circular,
    composed,
    constraint_registry,
    constraints,
    distribution,
    exp_family,
    gaussians,
    half_lines,
    kl,
    kl_between,
    kl_same,
    location_scale,
    matrices,
    relaxed,
    simplices,
    transformed_families,
    transforms,
    utils,
)
from .constraint_registry import biject_to, transform_to
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .kl import kl_divergence, register_kl

FAMILIES = (
    binary_counts, categories, circular, composed, gaussians, half_lines, location_scale, matrices, relaxed, simplices,
    transformed_families,
)  # fmt: skip
"""The files of distributions here."""

FILES = {
    "bernoulli": "Bernoulli", "beta": "Beta", "binomial": "Binomial", "categorical": "Categorical", "cauchy": "Cauchy",
    "chi2": "Chi2", "continuous_bernoulli": "ContinuousBernoulli", "dirichlet": "Dirichlet", "exponential": "Exponential",
    "fishersnedecor": "FisherSnedecor", "gamma": "Gamma", "generalized_pareto": "GeneralizedPareto", "geometric": "Geometric",
    "gumbel": "Gumbel", "half_cauchy": "HalfCauchy", "half_normal": "HalfNormal", "independent": "Independent",
    "inverse_gamma": "InverseGamma", "kumaraswamy": "Kumaraswamy", "laplace": "Laplace", "lkj_cholesky": "LKJCholesky",
    "log_normal": "LogNormal", "logistic_normal": "LogisticNormal",
    "lowrank_multivariate_normal": "LowRankMultivariateNormal", "mixture_same_family": "MixtureSameFamily",
    "multinomial": "Multinomial", "multivariate_normal": "MultivariateNormal", "negative_binomial": "NegativeBinomial",
    "normal": "Normal", "one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough", "pareto": "Pareto",
    "poisson": "Poisson", "relaxed_bernoulli": "LogitRelaxedBernoulli RelaxedBernoulli",
    "relaxed_categorical": "ExpRelaxedCategorical RelaxedOneHotCategorical", "studentT": "StudentT",
    "transformed_distribution": "TransformedDistribution", "uniform": "Uniform", "von_mises": "VonMises",
    "weibull": "Weibull", "wishart": "Wishart",
}  # fmt: skip
"""PyTorch's files of distributions, as names for what stands elsewhere here."""

BY_NAME: dict[str, type[Distribution]] = {"Distribution": Distribution, "ExponentialFamily": ExponentialFamily}
"""The distributions that have a name in `torch.distributions`."""

ONLY_IN_FILES = ("ExpRelaxedCategorical", "LogitRelaxedBernoulli")


def _register() -> None:
    defined: dict[str, Any] = {name: kind for family in FAMILIES for name, kind in vars(family).items()}
    for file, names in FILES.items():
        module = sys.modules[f"{__name__}.{file}"] = globals()[file] = ModuleType(
            f"{__name__}.{file}", "Distributions, by the name of PyTorch's file."
        )
        vars(module)["__all__"] = names.split()
        for name in names.split():
            known_as(f"torch.distributions.{file}", defined[name])
            setattr(module, name, defined[name])
            if name not in ONLY_IN_FILES:
                BY_NAME[name] = defined[name]


_register()
globals().update(BY_NAME)
globals().update({name: getattr(transforms, name) for name in transforms.__all__})

__all__ = ["biject_to", "kl_divergence", "register_kl", "transform_to", *sorted(BY_NAME), *transforms.__all__]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from ..compat.names import missing

    raise missing("torch.distributions", name, __all__)
