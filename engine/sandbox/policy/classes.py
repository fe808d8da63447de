"""The classes that a program makes: what they may inherit from, and what may stand in them, however it got there.

The syntax check looks at every way of binding a name; here the names of a class are looked at once more, as they are when its
body has run and before there is a class.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .errors import PolicyError
from .names import CONSTANTS, DEFINED, instead, is_dunder, may_inject, normal
from .protocols import inside, refuse_sequence
from .unbound import MAIN, mro_of, names_of, type_for

PYTHONS = frozenset((
    "__annotate__", "__annotate_func__", "__annotations__", "__classcell__", "__classdict__", "__classdictcell__",
    "__conditional_annotations__", "__doc__", "__firstlineno__", "__module__", "__orig_bases__", "__qualname__",
    "__static_attributes__", "__type_params__",
))  # fmt: skip
"""Names that Python itself puts into a class."""
ALLOWED = DEFINED | CONSTANTS | PYTHONS

build_class: Callable[..., Any] = vars(__import__("builtins"))["__build_class__"]

Look = Callable[[str, tuple[Any, ...]], None]
Closed = Callable[[type, str], bool]
"""Says of a class and a name whether the engine alone reads and sets the attribute of that name."""
OwnMemo = Callable[[Any, types.FrameType], Any]
LookAgain = Callable[[str, tuple[Any, ...], dict[str, Any]], None]


class Maker:
    """Stands in for the metaclass of one class statement: looks at bases and names, and then makes the class with it.

    All looks come before there is a class: while Python makes it, it calls `__set_name__` and `__init_subclass__` of the
    program's, which keep the class even where it is refused afterwards.
    """

    def __init__(
        self, look_at_bases: Look, look_at_all: LookAgain, own_memo: OwnMemo, closed: Closed, metaclass: type | None
    ) -> None:
        self._look_at_bases, self._look_at_all, self._closed = look_at_bases, look_at_all, closed
        self._own_memo, self._given = own_memo, metaclass
        self._kind: Any = type

    def __prepare__(self, name: str, bases: tuple[Any, ...], **options: Any) -> Any:
        self._look_at_bases(name, bases)
        kind = type_for(bases, self._given)
        given = options if kind is None else options | {"metaclass": kind}
        self._kind, namespace, _ = types.prepare_class(name, bases, given)
        return namespace

    def __call__(self, name: str, bases: tuple[Any, ...], namespace: dict[str, Any], **options: Any) -> Any:
        look_at_names(namespace, self._own_memo, self._closed)
        self._look_at_all(name, bases, namespace)
        return self._kind(name, bases, namespace, **options)


def look_at_names(namespace: dict[str, Any], own_memo: OwnMemo, closed: Closed) -> None:
    """Check the names of a class that is about to be made; what others call in the program's class is put behind a guard.

    Args:
        own_memo: the memo that a `__deepcopy__` of the program gets instead of one, by the frame that calls it.
        closed: by which names its objects have attributes that are the engine's alone.

    Raises:
        PolicyError: if there is something that a program's class may not have.
    """
    stand_ins: dict[str, Callable[[Any], Any]] = {
        "__array__": array_of,
        "__deepcopy__": lambda function: copied(function, own_memo),
        "__getattr__": lambda function: shield(function, closed),
        "__setattr__": lambda function: setter(function, closed),
        "__slots__": slots,
    }
    for name, value in list(namespace.items()):
        if type(name) is not str or (is_dunder(normal(name)) and name not in ALLOWED):
            raise PolicyError(f"'{name}' cannot be defined in programs here", instead(str(name)))
        if name == "__array_ufunc__" and value is not None:
            raise PolicyError("'__array_ufunc__' can only be None here", "Define the operators, such as __radd__.")
        if name == "__array_priority__" and type(value) not in (int, float, bool):
            raise PolicyError("'__array_priority__' can only be a number here", "Write the number.")
        if name in stand_ins and (value is not None or name == "__slots__"):
            # An enumeration's own dict would take it for a member that comes a second time.
            dict.__setitem__(namespace, name, stand_ins[name](value))


def slots(value: Any) -> Sequence[str]:
    """The names in `__slots__`, which cannot be changed any more.

    Raises:
        PolicyError: if they are no plain texts, or there is one of Python's own.
    """
    names = (value,) if type(value) is str else tuple(value) if type(value) in (dict, list, tuple) else (None,)
    if not all(map(may_inject, names)):
        raise PolicyError("__slots__ can only list plain names here", "Write its names as plain texts.")
    return names


# --- what others call ----------------------------------------------------------------------------------------------------


def _bound(function: Any, thing: Any) -> Any:
    """What a class attribute is on an object, as Python binds it."""
    get = getattr(type(function), "__get__", None)
    return function if get is None else get(function, thing, type(thing))


def shield(function: Any, closed: Closed) -> Any:
    """A program's `__getattr__` that is never asked for Python's own names, which NumPy takes memory from, nor for what the
    engine keeps in its object."""

    def __getattr__(self: Any, name: str) -> Any:  # noqa: N807
        if is_dunder(name) or closed(type(self), name):
            beyond = None if is_dunder(name) else _beyond(type(self), "__getattr__")
            if beyond is None:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            return beyond(self, name)
        return _bound(function, self)(name)

    return __getattr__


def setter(function: Any, closed: Closed) -> Any:
    """A program's `__setattr__` that is not told what the engine keeps in its object."""

    def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807
        if type(name) is str and closed(type(self), name):
            _beyond(type(self), "__setattr__")(self, name, value)
        else:
            _bound(function, self)(name, value)

    return __setattr__


def _beyond(cls: type, name: str) -> Any:
    """The method of a class, as it would be without the program's own; None where it has none."""
    return next((names_of(c)[name] for c in mro_of(cls) if name in names_of(c) and names_of(c).get("__module__") != MAIN), None)


def array_of(function: Any) -> Any:
    """A program's `__array__`: NumPy gets an array object to which nothing else refers, so it cannot change meanwhile."""

    def __array__(self: Any, *arguments: Any, **options: Any) -> Any:  # noqa: N807
        if not inside():
            refuse_sequence(type(self))
        found = _bound(function, self)(*arguments, **options)
        if type(found) is not np.ndarray:
            raise ValueError("object __array__ method not producing an array")
        return found.view()

    return __array__


def copied(function: Any, own_memo: Callable[[Any, types.FrameType], Any]) -> Any:
    """A program's `__deepcopy__`, which gets no memo but its own: others rely on what stands in theirs."""

    def __deepcopy__(self: Any, *memo: Any) -> Any:  # noqa: N807
        caller = sys._getframe(1)
        return _bound(function, self)(*[own_memo(m, caller) for m in memo])

    return __deepcopy__
