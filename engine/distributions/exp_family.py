"""`torch.distributions.ExponentialFamily`: distributions whose entropy follows from their log normalizer."""

from __future__ import annotations

from typing import Any

from ..autograd.passes import grad
from ..compat.classes import known_as
from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    r"""A density \(e^{\langle t(x), \theta\rangle - F(\theta) + k(x)}\), of natural parameters and a log normalizer F."""

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        """The mean of k(x)."""
        raise NotImplementedError

    def entropy(self) -> Any:
        r"""The entropy, \(F(\theta) - \langle\theta, \nabla F(\theta)\rangle\) less the mean of k."""
        result: Any = -self._mean_carrier_measure
        parameters = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*parameters)
        slopes = grad(normalizer.sum(), parameters, create_graph=True)
        result += normalizer
        for parameter, slope in zip(parameters, slopes):
            result -= (parameter * slope).reshape(self._batch_shape + (-1,)).sum(-1)
        return result


known_as("torch.distributions.exp_family", ExponentialFamily)
