"""Several transforms, each for a part of the value: one behind the other, or one upon the other."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from . import constraints
from .operations import T
from .transform import Transform
from .utils import _sum_rightmost, lazy_property


class _Joined(Transform):
    """Transforms for the parts of a value along a dimension."""

    dim: int

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms: list[Any] = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    def _expected(self) -> tuple[str, int]:
        """What the length along the dimension has to be, in words and as a number."""
        raise NotImplementedError

    def _fits(self, name: str, value: Any, called: str = "") -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {called or name} with {value.dim()} dimensions")
        words, length = self._expected()
        if value.size(self.dim) != length:
            raise AssertionError(f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {words} {length}")

    def _parts(self, value: Any) -> list[Any]:
        """The parts of a value."""
        raise NotImplementedError

    def _join(self, parts: list[Any]) -> Any:
        """A value of its parts."""
        raise NotImplementedError

    def _each(self, name: str, value: Any, apply: Callable[[Any, Any], Any]) -> Any:
        self._fits(name, value, "tensor")
        return self._join([apply(t, part) for t, part in zip(self.transforms, self._parts(value))])

    def _call(self, x: Any) -> Any:
        return self._each("x", x, lambda t, part: t(part))

    def _inverse(self, y: Any) -> Any:
        return self._each("y", y, lambda t, part: t.inv(part))

    def _volumes(self, x: Any, y: Any) -> list[Any]:
        self._fits("x", x)
        self._fits("y", y)
        return [t.log_abs_det_jacobian(a, b) for t, a, b in zip(self.transforms, self._parts(x), self._parts(y))]

    @property
    def bijective(self) -> Any:
        """Whether all parts are."""
        return all(t.bijective for t in self.transforms)


class CatTransform(_Joined):
    """Transforms of parts that stand one behind the other, of the given lengths."""

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @lazy_property
    def event_dim(self) -> Any:
        """The largest of the parts'."""
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self) -> Any:
        """Of all parts together."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same, with caches or without."""
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _expected(self) -> tuple[str, int]:
        return "length", self.length

    def _parts(self, value: Any) -> list[Any]:
        starts = [sum(self.lengths[:i]) for i in range(len(self.lengths))]
        return [value.narrow(self.dim, start, length) for start, length in zip(starts, self.lengths)]

    def _join(self, parts: list[Any]) -> Any:
        return T.cat(parts, dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The parts', one behind the other, or their sum where they are parts of one value."""
        found = [
            _sum_rightmost(volume, max(self.event_dim - t.event_dim, 0))
            for t, volume in zip(self.transforms, self._volumes(x, y))
        ]
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return T.cat(found, dim=dim) if dim < 0 else builtins.sum(found)

    @constraints.dependent_property
    def domain(self) -> Any:
        """The parts'."""
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """The parts'."""
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Joined):
    """Transforms of parts that lie one upon the other."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same, with caches or without."""
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _expected(self) -> tuple[str, int]:
        return "len(transforms)", len(self.transforms)

    def _parts(self, value: Any) -> list[Any]:
        return [value.select(self.dim, i) for i in range(value.size(self.dim))]

    def _join(self, parts: list[Any]) -> Any:
        return T.stack(parts, dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The parts', one upon the other."""
        return T.stack(self._volumes(x, y), dim=self.dim)

    @constraints.dependent_property
    def domain(self) -> Any:
        """The parts'."""
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """The parts'."""
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
