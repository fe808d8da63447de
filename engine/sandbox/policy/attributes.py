"""What `vars(x)` and `x.__dict__` give a program: a copy whose changes reach the object, if it may be changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import PolicyError
from .names import instead, may_inject


class Attributes(dict[str, Any]):
    """A copy of an object's attributes, written through."""

    __slots__ = ("_allowed", "_real")

    def __init__(self, real: dict[str, Any], allowed: Callable[[str], Any]) -> None:
        super().__init__({k: v for k, v in real.items() if may_inject(k) or k == "__name__"})
        self._real, self._allowed = real, allowed

    def _check(self, name: Any) -> None:
        if not may_inject(name):
            raise PolicyError(f"the attribute {name!r} cannot be set in programs here", instead(str(name)))
        self._allowed(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._check(name)
        self._real[name] = value
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self._check(name)
        del self._real[name]
        super().__delitem__(name)

    def update(self, *others: Any, **more: Any) -> None:
        """As a dict's."""
        for name, value in dict(*others, **more).items():
            self[name] = value

    def __ior__(self, other: Any) -> Attributes:  # type: ignore[override, misc]
        self.update(other)
        return self

    def setdefault(self, name: str, default: Any = None) -> Any:
        """As a dict's."""
        if name not in self:
            self[name] = default
        return self[name]

    def pop(self, name: str, *default: Any) -> Any:
        """As a dict's."""
        if name in self:
            value = self[name]
            del self[name]
            return value
        return super().pop(name, *default)

    def popitem(self) -> tuple[str, Any]:
        """As a dict's."""
        name = next(reversed(self))
        return name, self.pop(name)

    def clear(self) -> None:
        """As a dict's."""
        for name in list(self):
            del self[name]

    def copy(self) -> dict[str, Any]:
        """A plain dict."""
        return dict(self)

    __copy__ = copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (dict(self),)
