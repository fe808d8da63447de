"""A module of the program's own, as the program sees it: its names can be read, and set as those of its objects can.

It does not say its own name, by which Python's `from a import b` would look for more among the modules of this process.
"""

from __future__ import annotations

from typing import Any

from ..policy.names import is_dunder, may_inject
from .facade import Facade, Missing

_NAMES: dict[int, dict[str, Any]] = {}
"""id() of a module, which lives as long as the process → its names."""
SHOWN = ("__author__", "__doc__", "__version__")
"""Names between double underscores that a module shows."""
_KEPT: list[Facade] = []


class Module(Facade):
    """One module."""

    def __init__(self, name: str, missing: Missing) -> None:
        super().__init__(name, {}, missing)
        _KEPT.append(self)
        _NAMES[id(self)] = {}

    def __getattr__(self, name: str) -> Any:
        names = _NAMES.get(id(self), {})
        if name in names and (not is_dunder(name) or name in SHOWN):
            return names[name]
        return super().__getattr__(name)

    @property
    def __all__(self) -> list[str]:
        names = names_in(self)
        listed: Any = names.get("__all__")
        wanted = list(listed) if type(listed) in (list, tuple) else [name for name in names if name[:1] != "_"]
        return [name for name in wanted if may_inject(name)]

    def __setattr__(self, name: str, value: Any) -> None:
        if not may_inject(name):
            raise AttributeError(f"the attribute '{name}' of a module cannot be set here")
        names_in(self)[name] = value

    def __delattr__(self, name: str) -> None:
        if not may_inject(name) or name not in names_in(self):
            raise AttributeError(f"a module has no attribute '{name}' here")
        del names_in(self)[name]

    def __dir__(self) -> list[str]:
        return sorted(name for name in names_in(self) if may_inject(name))


def names_in(module: Module) -> dict[str, Any]:
    """The names of a module, which its functions find as their globals."""
    return _NAMES[id(module)]
