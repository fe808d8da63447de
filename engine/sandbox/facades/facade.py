"""A facade: what `import x` gives a program instead of the module, with the public names that are meant for programs only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

Missing = Callable[[str], AttributeError]
"""Makes the error for a name that is not there."""

_ABOUT: dict[int, tuple[str, Missing]] = {}
"""id() of a facade, which all live as long as the process → its name, and its error for missing names."""


class Facade:
    """A module as programs see it: read-only, and with no way back to the module."""

    def __init__(self, name: str, names: Mapping[str, Any], missing: Missing) -> None:
        if id(self) in _ABOUT:
            raise AttributeError("a module cannot be changed here")
        self.__dict__.update(names)
        _ABOUT[id(self)] = name, missing

    def __getattr__(self, name: str) -> NoReturn:
        if (name[:2] == "__" and name != "__version__") or id(self) not in _ABOUT:
            raise AttributeError(f"a module has no attribute '{name}' here")
        raise _ABOUT[id(self)][1](name)

    @property
    def __all__(self) -> list[str]:
        return [name for name in self.__dict__ if name[0] != "_"]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a module cannot be changed here")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a module cannot be changed here")

    def __repr__(self) -> str:
        return f"<module '{_ABOUT[id(self)][0]}'>" if id(self) in _ABOUT else "<module>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("cannot pickle 'module' object")


def name_of(facade: Facade) -> str:
    """What a program imports it by."""
    return _ABOUT[id(facade)][0]


def picked(module: Any, names: str) -> dict[str, Any]:
    """Names of a module, as far as this Python has them."""
    return {name: getattr(module, name) for name in names.split() if hasattr(module, name)}
