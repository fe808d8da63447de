"""`torch.distributions.constraint_registry`: for a constraint the transform that leads from all numbers into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..compat.classes import known_as
from . import constraints, transforms
from .operations import NUMBERS

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Which transform belongs to which constraint."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Any]] = {}

    def register(self, constraint: Any, factory: Any = None) -> Any:
        """Let a function make the transforms for a class of constraints (or for that of a constraint); also as a decorator."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, constraints.Constraint)):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {kind}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """The transform for a constraint.

        Raises:
            NotImplementedError: if there is none.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()
"""To a transform that has an inverse, and to one that need not have one and is the better for optimizing."""


def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, NUMBERS) and isinstance(high, NUMBERS) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def _from(bound: Any, direction: int) -> Any:
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(bound, direction)])


def _parts(registry: ConstraintRegistry) -> dict[Any, Callable[[Any], Any]]:
    """What is made of the same registry's transforms of the parts."""
    return {
        constraints.independent: lambda c: transforms.IndependentTransform(
            registry(c.base_constraint), c.reinterpreted_batch_ndims
        ),
        constraints.cat: lambda c: transforms.CatTransform([registry(part) for part in c.cseq], c.dim, c.lengths),
        constraints.stack: lambda c: transforms.StackTransform([registry(part) for part in c.cseq], c.dim),
    }


_BOTH: dict[Any, Callable[[Any], Any]] = {
    constraints.real: lambda c: transforms.identity_transform,
    constraints.greater_than: lambda c: _from(c.lower_bound, 1),
    constraints.greater_than_eq: lambda c: _from(c.lower_bound, 1),
    constraints.less_than: lambda c: _from(c.upper_bound, -1),
    constraints.interval: _between,
    constraints.half_open_interval: _between,
    constraints.corr_cholesky: lambda c: transforms.CorrCholeskyTransform(),
}
_BIJECTIONS: dict[Any, Callable[[Any], Any]] = {constraints.simplex: lambda c: transforms.StickBreakingTransform()}
_OTHERS: dict[Any, Callable[[Any], Any]] = {
    constraints.simplex: lambda c: transforms.SoftmaxTransform(),
    constraints.lower_cholesky: lambda c: transforms.LowerCholeskyTransform(),
    constraints.positive_definite: lambda c: transforms.PositiveDefiniteTransform(),
    constraints.positive_semidefinite: lambda c: transforms.PositiveDefiniteTransform(),
}

for _registry, _own in ((biject_to, _BIJECTIONS), (transform_to, _OTHERS)):
    for _constraint, _factory in (_BOTH | _own | _parts(_registry)).items():
        _registry.register(_constraint, _factory)

known_as("torch.distributions.constraint_registry", ConstraintRegistry)
