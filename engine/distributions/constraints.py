"""`torch.distributions.constraints`: the sets in which parameters and samples lie."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ..compat.classes import known_as
from ..dtypes import bool8, finfo
from ..tensor import constant
from .constraint import (
    Constraint,
    MixtureSameFamilyConstraint,
    _Cat,
    _Dependent,
    _DependentProperty,
    _IndependentConstraint,
    _Stack,
    is_dependent,
)
from .operations import T, linalg

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property",
    "greater_than", "greater_than_eq", "half_open_interval", "independent", "integer_interval", "interval", "is_dependent",
    "less_than", "lower_cholesky", "lower_triangular", "multinomial", "nonnegative", "nonnegative_integer", "one_hot",
    "positive", "positive_definite", "positive_integer", "positive_semidefinite", "real", "real_vector", "simplex", "square",
    "stack", "symmetric", "unit_interval",
]  # fmt: skip


class _Boolean(Constraint):
    """Zero and one."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return (value == 0) | (value == 1)


class _Real(Constraint):
    """All numbers, infinities among them."""

    def check(self, value: Any) -> Any:
        """Whether it is no NaN."""
        return value == value


class _Below(Constraint):
    """Numbers up to a bound."""

    _shown = ("upper_bound",)

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound


class _Above(Constraint):
    """Numbers from a bound on."""

    _shown = ("lower_bound",)

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound


class _Between(Constraint):
    """Numbers between two bounds."""

    _shown = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound


class _IntegerInterval(_Between):
    """Integers, both bounds among them."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_Below):
    """Integers up to a bound."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Above):
    """Integers from a bound on."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return (value % 1 == 0) & (value >= self.lower_bound)


class _GreaterThan(_Above):
    """Numbers above a bound."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return self.lower_bound < value


class _GreaterThanEq(_Above):
    """Numbers from a bound on."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return self.lower_bound <= value


class _LessThan(_Below):
    """Numbers below a bound."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return value < self.upper_bound


class _Interval(_Between):
    """Numbers between two bounds, both among them."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """Numbers between two bounds, the lower one among them."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return (self.lower_bound <= value) & (value < self.upper_bound)


# --- sets of vectors and matrices ------------------------------------------------------------------------------------------


class _OneHot(Constraint):
    """Vectors of a single one among zeros."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        is_boolean = (value == 0) | (value == 1)
        is_normalized = value.sum(-1).eq(1)
        return is_boolean.all(-1) & is_normalized


class _Simplex(Constraint):
    """Vectors of shares, which are not negative and sum to one."""

    event_dim = 1

    def check(self, value: Any) -> Any:
        """Whether it is one of them, but for rounding."""
        return T.all(value >= 0, dim=-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    """Vectors of counts that are at most so many together."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Any) -> Any:
        """Whether it is one of them."""
        return (x >= 0).all(dim=-1) & (x.sum(dim=-1) <= self.upper_bound)


class _Matrices(Constraint):
    """Matrices of some kind."""

    event_dim = 2


class _LowerTriangular(_Matrices):
    """Matrices with zeros above the diagonal."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return (value.tril() == value).view(value.shape[:-2] + (-1,)).min(-1)[0]


class _LowerCholesky(_Matrices):
    """Lower triangular matrices with a positive diagonal."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return lower_triangular.check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).min(-1)[0]


class _CorrCholesky(_Matrices):
    """Lower Cholesky factors of correlation matrices: their rows have length one."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them, but for rounding."""
        tolerance = finfo(value.dtype).eps * value.size(-1) * 10
        lengths = linalg.norm(value.detach(), dim=-1)
        return lower_cholesky.check(value) & (lengths - 1.0).abs().le(tolerance).all(dim=-1)


class _Square(_Matrices):
    """Square matrices."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        return T.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=bool8)


class _Symmetric(_Square):
    """Symmetric matrices."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them, but for rounding."""
        is_square = super().check(value)
        return T.isclose(value, value.mT, atol=1e-6).all(-2).all(-1) if is_square.all() else is_square


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without a negative eigenvalue."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        is_symmetric = super().check(value)
        return linalg.eigvalsh(value).ge(0).all(-1) if is_symmetric.all() else is_symmetric


def _has_factor(value: Any) -> Any:
    """For each matrix whether it has a Cholesky factor."""
    found = np.zeros(value.shape[:-2], bool)
    for index in np.ndindex(found.shape):
        with suppress(np.linalg.LinAlgError):
            np.linalg.cholesky(value._array[index])
            found[index] = True
    return constant(found)


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices that have a Cholesky factor."""

    def check(self, value: Any) -> Any:
        """Whether it is one of them."""
        is_symmetric = super().check(value)
        return _has_factor(value) if is_symmetric.all() else is_symmetric


# --- their public names ----------------------------------------------------------------------------------------------------

known_as(
    "torch.distributions.constraints",
    *(kind for kind in list(vars().values()) if isinstance(kind, type) and issubclass(kind, Constraint)),
)

dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean, one_hot = _Boolean(), _OneHot()
nonnegative_integer, positive_integer, integer_interval = _IntegerGreaterThan(0), _IntegerGreaterThan(1), _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive, nonnegative, unit_interval = _GreaterThan(0.0), _GreaterThanEq(0.0), _Interval(0.0, 1.0)
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval = _Interval, _HalfOpenInterval
multinomial, simplex = _Multinomial, _Simplex()
lower_triangular, lower_cholesky, corr_cholesky = _LowerTriangular(), _LowerCholesky(), _CorrCholesky()
square, symmetric = _Square(), _Symmetric()
positive_semidefinite, positive_definite = _PositiveSemidefinite(), _PositiveDefinite()
cat, stack = _Cat, _Stack
