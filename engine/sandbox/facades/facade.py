"""A facade: what `import x` gives a program instead of the module, with the public names that are meant for programs only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, NoReturn

from ..policy.errors import PolicyError

Missing = Callable[[str], AttributeError]
"""Makes the error for a name that is not there."""

_ABOUT: dict[int, tuple[str, Missing]] = {}
"""id() of a facade, which all live as long as the process → its name, and its error for missing names."""
_ADDED: dict[tuple[int, str], dict[str, Any]] = {}
"""id() of a facade and a name that the program has added to it → all its names."""


class Facade:
    """A module as programs see it, with no way back to the module: its names stay, and a program may add others."""

    def __init__(self, name: str, names: Mapping[str, Any], missing: Missing) -> None:
        if id(self) in _ABOUT:
            raise AttributeError("a module cannot be changed here")
        self.__dict__.update(names)
        for key, value in names.items():
            if type(value) is FunctionType and "<locals>" in value.__qualname__:
                value.__qualname__ = key  # which an error about its arguments says
        _ABOUT[id(self)] = name, missing

    def __getattr__(self, name: str) -> NoReturn:
        if (name[:2] == "__" and name != "__version__") or id(self) not in _ABOUT:
            raise AttributeError(f"a module has no attribute '{name}' here")
        raise _ABOUT[id(self)][1](name)

    @property
    def __all__(self) -> list[str]:
        return [name for name in self.__dict__ if name[0] != "_"]

    def __setattr__(self, name: str, value: Any) -> None:
        names = self.__dict__
        if (id(self), name) not in _ADDED and (name[:1] == "_" or name in names or id(self) not in _ABOUT):
            raise PolicyError(
                f"'{name}' of {self!r} cannot be set in programs here",
                "What a module has stays as it is; names that it does not have can be added.",
            )
        _ADDED[id(self), name] = names
        names[name] = value

    def __delattr__(self, name: str) -> None:
        if (id(self), name) not in _ADDED:
            raise AttributeError("a module cannot be changed here")
        del _ADDED[id(self), name][name], _ADDED[id(self), name]

    def __repr__(self) -> str:
        return f"<module '{_ABOUT[id(self)][0]}'>" if id(self) in _ABOUT else "<module>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("cannot pickle 'module' object")


def renew() -> None:
    """Take away what a program has added to modules, before it runs anew."""
    for (_, name), names in _ADDED.items():
        del names[name]
    _ADDED.clear()


def name_of(facade: Facade) -> str:
    """What a program imports it by."""
    return _ABOUT[id(facade)][0]


def picked(module: Any, names: str) -> dict[str, Any]:
    """Names of a module, as far as this Python has them."""
    return {name: getattr(module, name) for name in names.split() if hasattr(module, name)}
