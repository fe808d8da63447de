"""What `vars(x)` and `x.__dict__` give a program: a copy whose changes reach the object, if it may be changed.

`self.__dict__ = self` is what a dictionary says whose entries are to be its attributes as well. Its class gets methods that
look into the dictionary; Python's own attributes stay where they are, so that no entry is ever one of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .errors import PolicyError
from .names import instead, may_inject


def settable(name: Any) -> str:
    """A name that becomes an attribute by way of a string.

    Raises:
        PolicyError: for one of Python's own.
    """
    if not may_inject(name):
        raise PolicyError(f"the attribute {name!r} cannot be set in programs here", instead(str(name)))
    return str(name)


class Attributes(dict[str, Any]):
    """A copy of an object's attributes, written through."""

    __slots__ = ("_allowed", "_real")

    def __init__(self, real: dict[str, Any], allowed: Callable[[str], Any], shown: Callable[[str], bool] = may_inject) -> None:
        super().__init__({k: v for k, v in real.items() if (may_inject(k) and shown(k)) or k == "__name__"})
        self._real, self._allowed = real, allowed

    def _check(self, name: Any) -> None:
        self._allowed(settable(name))

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


class Own:
    """What `x.__dict__ = value` assigns to: `x`, or None where that is no object whose attributes may be anything else."""

    __slots__ = ("_thing",)

    def __init__(self, thing: Any) -> None:
        self._thing = thing

    @property
    def value(self) -> Any:
        """What is assigned: the object itself, if its class is the program's and it is a dictionary."""
        raise AttributeError("it can only be set")

    @value.setter
    def value(self, value: Any) -> None:
        thing, cls = self._thing, type(self._thing)
        if value is not thing or not isinstance(thing, dict):
            raise PolicyError(
                "'__dict__' can only be set to the object itself, where that is a dictionary", "Write vars(x).update(values)."
            )
        if has_entries_for_attributes(cls):
            return
        for name in ("__setattr__", "__delattr__"):
            if getattr(cls, name) is not getattr(object, name):
                raise PolicyError(f"a class with a {name} cannot set '__dict__' here", "Write self[name] = value in it.")
        # What was there before is gone, as with Python.
        object.__getattribute__(thing, "__dict__").clear()
        for name, method in _METHODS.items():
            setattr(cls, name, method)


def has_entries_for_attributes(cls: type) -> bool:
    """Whether the attributes of a class's objects are their entries, as `self.__dict__ = self` makes them."""
    return cls.__getattribute__ is _METHODS["__getattribute__"]


def _may_be_entry(thing: Any, name: str) -> bool:
    """Whether an attribute of that name is an entry: none of Python's own, and no property of the class."""
    of_class = next((vars(cls)[name] for cls in type(thing).__mro__ if name in vars(cls)), None)
    return may_inject(name) and not hasattr(type(of_class), "__set__")


def _is_entry(thing: Any, name: str) -> bool:
    return dict.__contains__(thing, name) and _may_be_entry(thing, name)


def _kind(thing: Any) -> type[dict[str, Any]]:
    """Whose methods change the entries: an ordered dictionary keeps their order beside them."""
    return OrderedDict if isinstance(thing, OrderedDict) else dict


def _getattribute(self: Any, name: str) -> Any:
    if name == "__dict__":
        return self
    return dict.__getitem__(self, name) if _is_entry(self, name) else object.__getattribute__(self, name)


def _setattr(self: Any, name: str, value: Any) -> None:
    if _may_be_entry(self, name):
        _kind(self).__setitem__(self, name, value)
    else:
        object.__setattr__(self, name, value)


def _delattr(self: Any, name: str) -> None:
    if _is_entry(self, name):
        _kind(self).__delitem__(self, name)
    else:
        object.__delattr__(self, name)


_METHODS: dict[str, Any] = {"__getattribute__": _getattribute, "__setattr__": _setattr, "__delattr__": _delattr}
