"""Distributions of shares: Dirichlet, and of one share: beta."""

from __future__ import annotations

from typing import Any

from ..autograd.function import Function, once_differentiable
from ..ops.creation.sampling import _dirichlet_grad
from . import constraints
from .exp_family import ExponentialFamily
from .operations import F, Size, T, are_numbers, sample_dirichlet
from .utils import broadcast_all


class _Dirichlet(Function):
    """Samples of the simplex, with the derivative by their concentrations."""

    @staticmethod
    def forward(ctx: Any, concentration: Any) -> Any:
        """Draw them."""
        x = sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Any) -> Any:
        """Each share as one number of a beta distribution, projected on the simplex."""
        x, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        return _dirichlet_grad(x, concentration, total) * (grad_output - (x * grad_output).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution of vectors of shares."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _expanding = ()

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        new.concentration = self.concentration.expand(batch_shape + self._event_shape)
        return self._event_shape

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Gamma numbers over their sum."""
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        powers = T.xlogy(self.concentration - 1.0, value).sum(-1)
        return powers + T.lgamma(self.concentration.sum(-1)) - T.lgamma(self.concentration).sum(-1)

    @property
    def mean(self) -> Any:
        """The concentrations over their sum."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Any:
        """Within the simplex, or at the corner of the largest concentration where all are below one."""
        less = (self.concentration - 1).clamp(min=0.0)
        mode = less / less.sum(-1, True)
        corner = (self.concentration < 1).all(dim=-1)
        mode[corner] = F.one_hot(mode[corner].argmax(dim=-1), less.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Any:
        """The variances of the shares."""
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Any:
        """The entropy, in nats."""
        alpha = self.concentration
        k, total = alpha.size(-1), alpha.sum(-1)
        return (
            T.lgamma(alpha).sum(-1)
            - T.lgamma(total)
            - (k - total) * T.digamma(total)
            - ((alpha - 1.0) * T.digamma(alpha)).sum(-1)
        )

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: Any) -> Any:
        return x.lgamma().sum(-1) - T.lgamma(x.sum(-1))


class Beta(ExponentialFamily):
    """The beta distribution of one share, a Dirichlet distribution of two."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    _expanding = ("_dirichlet",)

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if are_numbers(concentration1, concentration0):
            both = T.tensor([float(concentration1), float(concentration0)])
        else:
            both = T.stack(list(broadcast_all(concentration1, concentration0)), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        r"""\(\alpha / (\alpha + \beta)\)."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Any:
        """The Dirichlet distribution's."""
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Any:
        """The variance."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """The first of two shares."""
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        return self._dirichlet.log_prob(T.stack([value, 1.0 - value], -1))

    def entropy(self) -> Any:
        """The entropy, in nats."""
        return self._dirichlet.entropy()

    @property
    def concentration1(self) -> Any:
        r"""\(\alpha\)."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Any:
        r"""\(\beta\)."""
        return self._dirichlet.concentration[..., 1]

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return T.lgamma(x) + T.lgamma(y) - T.lgamma(x + y)
