"""What a constraint is, and constraints made of others or decided by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .operations import T


class Constraint:
    """A set of values; `check` says which lie in it."""

    is_discrete: Any = False
    event_dim: Any = 0
    """How many of the last dimensions make one value."""
    _shown: tuple[str, ...] = ()
    """Attributes that its text names."""

    def check(self, value: Any) -> Any:
        """For each value whether it lies in the set."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({', '.join(f'{name}={getattr(self, name)}' for name in self._shown)})"


# --- sets that depend on other variables -----------------------------------------------------------------------------------


class _Dependent(Constraint):
    """Stands for a set that other variables decide upon."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    @property
    def is_discrete(self) -> Any:
        """Whether it consists of single points, where that is known beforehand."""
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> Any:
        """How many dimensions make one value, where that is known beforehand."""
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> Any:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x: Any) -> Any:
        """Nothing can be said without the other variables."""
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> bool:
    """Whether other variables decide upon a constraint."""
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property of objects that is a dependent constraint of their class."""

    def __init__(
        self,
        fn: Callable[..., Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn: Callable[..., Any]) -> Any:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


# --- sets made of others ---------------------------------------------------------------------------------------------------


def _constraint(base: Any) -> None:
    if not isinstance(base, Constraint):
        raise AssertionError(f"base_constraint must be a Constraint, got {type(base).__name__}")


def _all_last(result: Any, kept: int) -> Any:
    """Whether all hold, of what lies beyond the first `kept` dimensions."""
    return result.reshape(result.shape[:kept] + (-1,)).all(-1)


class _IndependentConstraint(Constraint):
    """A value is valid if all of its entries are, over so many more dimensions."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        _constraint(base_constraint)
        if not isinstance(reinterpreted_batch_ndims, int):
            kind = type(reinterpreted_batch_ndims).__name__
            raise AssertionError(f"reinterpreted_batch_ndims must be an int, got {kind}")
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> Any:
        """As the entries'."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """So many dimensions more than the entries'."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        """Whether all entries are valid."""
        result = self.base_constraint.check(value)
        kept = result.dim() - self.reinterpreted_batch_ndims
        if kept < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_last(result, kept)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The support of a mixture: a value has to lie in that of every component."""

    def __init__(self, base_constraint: Any) -> None:
        _constraint(base_constraint)
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> Any:
        """As the components'."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """As the components'."""
        return self.base_constraint.event_dim

    def check(self, value: Any) -> Any:
        """Whether a value is valid for all components."""
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_last(result, value.dim() - self.event_dim)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Parts(Constraint):
    """Several constraints, each for a part of the value along a dimension."""

    def __init__(self, cseq: Iterable[Any], dim: int = 0) -> None:
        self.cseq = list(cseq)
        if not all(isinstance(c, Constraint) for c in self.cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.dim = dim

    @property
    def is_discrete(self) -> Any:
        """Whether one of the parts is."""
        return any(c.is_discrete for c in self.cseq)

    def _in_range(self, value: Any) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Parts):
    """Parts that stand one behind the other, as `torch.cat` puts them."""

    def __init__(self, cseq: Iterable[Any], dim: int = 0, lengths: Iterable[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    @property
    def event_dim(self) -> Any:
        """The largest of the parts'."""
        return max(c.event_dim for c in self.cseq)

    def check(self, value: Any) -> Any:
        """Which parts are valid, one behind the other."""
        self._in_range(value)
        checks, start = [], 0
        for part, length in zip(self.cseq, self.lengths):
            checks.append(part.check(value.narrow(self.dim, start, length)))
            start += length
        return T.cat(checks, self.dim)


class _Stack(_Parts):
    """Parts that lie one upon the other, as `torch.stack` puts them."""

    @property
    def event_dim(self) -> Any:
        """The largest of the parts', and one more where they are stacked within a value."""
        dim = max(c.event_dim for c in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Any) -> Any:
        """Which parts are valid, one upon the other."""
        self._in_range(value)
        parts = [value.select(self.dim, i) for i in range(value.size(self.dim))]
        return T.stack([c.check(v) for v, c in zip(parts, self.cseq)], self.dim)
