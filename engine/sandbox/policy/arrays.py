"""Arrays of objects, with which NumPy computes without holding them: it is given copies, which nobody else can change.

NumPy's loops read an object from an array, call its methods, and go on with it and its neighbours; what is a list they take
apart where it lies. A method of the program that writes into the array, or empties the list, leaves them with freed memory. All
operators and reductions come to these loops by way of a ufunc, whoever asks for them. So once a program has arrays, and what C
code may call back (`arm`), calls of ufuncs are looked at: where there are objects or lists among the operands, they work on
private copies. Numbers go on as they were, and before that nothing is changed at all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from . import protocols
from .names import named
from .natives import direct_calls, replace
from .objects import private as private_list

ARRAY, FLAT, UFUNC = np.ndarray, np.flatiter, np.ufunc
_NUMBERS = frozenset((bool, complex, float, int, type(None))) | {
    kind for kind in np.sctypeDict.values() if not issubclass(kind, np.object_ | np.void | np.flexible)
}
_LISTS, _CONTAINERS = frozenset((list, tuple)), frozenset((dict, list, tuple))

UFUNCS = ("__call__", "accumulate", "at", "outer", "reduce", "reduceat")
COMPUTING = ("argmax", "argmin", "astype", "choose", "compress", "dot", "nonzero", "repeat", "take")
"""Methods of arrays that go through objects or lists without a ufunc, and change nothing but what is given as `out`."""
CHANGING = ("fill", "partition", "put", "sort")
"""Methods that change the array."""


def is_plain(thing: Any) -> bool:
    """Whether nothing of the program's can be reached by way of an operand."""
    kind = type(thing)
    return not thing.dtype.hasobject if kind is ARRAY else kind in _NUMBERS


def private(thing: Any) -> Any:
    """An operand as NumPy may compute with it; an array of numbers, and what is no container, as they are."""
    if isinstance(thing, ARRAY):
        return thing.copy() if thing.dtype.hasobject else thing
    if type(thing) is FLAT:
        return thing.copy() if thing.base.dtype.hasobject else thing
    if isinstance(thing, list | tuple) and type(thing) not in _LISTS:
        return thing
    return private_list(thing)


def specified(dtype: Any) -> Any:
    """What a type of elements is made from, with no list that anybody else has."""
    return {key: private(value) for key, value in dtype.items()} if type(dtype) is dict else private(dtype)


def calling(function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What a function of NumPy's makes of private copies; where it is to write its result is written when it is done."""
    options = named(options)
    outs = options.pop("out", None)
    given = [*arguments]
    mine = [private(a) for a in given]
    for name, value in options.items():
        options[name] = specified(value) if name == "dtype" else private(value)
    if outs is not None:
        several = type(outs) is tuple
        wanted = outs if several else (outs,)
        given += wanted
        made = tuple(map(private, wanted))
        mine += made
        options["out"] = made if several else made[0]
    found = function(*mine[: len(arguments)], **options)
    if type(found) is tuple:
        return tuple(_written(f, given, mine) for f in found)
    return _written(found, given, mine)


def storing(function: Callable[..., Any], array: Any, *others: Any, **options: Any) -> Any:
    """What a function of NumPy's does that writes into its first argument; objects are written into a copy first."""
    if not isinstance(array, ARRAY) or not array.dtype.hasobject:
        return calling(lambda *mine, **named: function(array, *mine, **named), others, options)
    copy = array.copy()
    found = calling(lambda *mine, **named: function(copy, *mine, **named), others, options)
    _write(array, copy)
    return array if found is copy else found


def _written(found: Any, given: list[Any], mine: list[Any]) -> Any:
    """A result, in the array that was given for it, if one was."""
    for original, copy in zip(given, mine, strict=True):
        if found is copy and original is not copy and isinstance(original, ARRAY):
            _write(original, copy)
            return original
    return found


def _write(array: Any, values: Any) -> None:
    """Write values into an array of objects; what was there goes when all is written."""
    before = array.copy()
    _real[ARRAY, "__setitem__"](array, ..., values)
    del before


# --- methods ----------------------------------------------------------------------------------------------------------------


def _ufunc(real: Any, name: str) -> Callable[..., Any]:
    def method(self: Any, *others: Any, **options: Any) -> Any:
        options = options and named(options)
        if not options:
            for other in others:
                kind = type(other)
                if (kind is not ARRAY or other.dtype.hasobject) and kind not in _NUMBERS:
                    break
            else:
                return real(self, *others)
        elif all(map(is_plain, others)) and all(
            is_plain(v) or (k in _HARMLESS and type(v) not in _CONTAINERS) for k, v in options.items()
        ):
            return real(self, *others, **options)
        if name != "at":
            return calling(lambda *mine, **named: real(self, *mine, **named), others, options)
        return storing(lambda *mine, **named: real(self, *mine, **named), *others, **options)

    return method


_HARMLESS = frozenset(("axis", "axes", "casting", "dtype", "keepdims", "order", "sig", "signature", "subok"))
"""Options that reach nothing of the program's, unless they are containers."""


def _computing(real: Any, name: str) -> Callable[..., Any]:
    def method(self: Any, *others: Any, **options: Any) -> Any:
        if not self.dtype.hasobject and not options and all(map(is_plain, others)):
            return real(self, *others)
        if name == "astype":
            others = tuple(map(specified, others))
        return calling(real, (self, *others), options)

    return method


def _changing(real: Any, name: str) -> Callable[..., Any]:
    def method(self: Any, *others: Any, **options: Any) -> Any:
        if not self.dtype.hasobject and not options and all(map(is_plain, others)):
            return real(self, *others)
        return storing(real, self, *others, **options)

    return method


def _setitem(real: Any, name: str) -> Callable[..., Any]:
    """A store, of which an array of objects keeps what was there until it is done."""

    def method(self: Any, key: Any, value: Any) -> None:
        objects = self.dtype.hasobject
        if not objects and type(key) not in _LISTS and is_plain(value):
            real(self, key, value)
            return
        key, value = private(key), private(value)
        before = (self[key] if type(key) is int else self.copy()) if objects else None
        real(self, key, value)
        del before

    return method


def _flat_set(real: Any, name: str) -> Callable[..., Any]:
    def method(self: Any, key: Any, value: Any) -> None:
        before = self.base.copy() if self.base.dtype.hasobject else None
        real(self, private(key), private(value))
        del before

    return method


_real: dict[tuple[type, str], Any] = {(ARRAY, "__setitem__"): ARRAY.__setitem__}
_state = {"allowed": False, "armed": False}


_bound: list[tuple[dict[str, Any], str, Any]] = []
"""Names in NumPy's modules that hold a method of a ufunc, as it was when they were loaded."""


def allow() -> None:
    """From here on ufuncs may be replaced in this process, which is one for programs."""
    _state["allowed"] = protocols.watched[0] = True
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] == "numpy":
            names = vars(module)
            _bound.extend((names, n, v) for n, v in names.items() if isinstance(getattr(v, "__self__", None), UFUNC))


def armed() -> bool:
    """Whether they have been."""
    return _state["armed"]


def arm() -> None:
    """C code may call the program back from here on."""
    if _state["armed"] or not _state["allowed"]:
        return
    made: list[tuple[type, str, Callable[[Any, str], Callable[..., Any]]]] = [
        *((UFUNC, name, _ufunc) for name in UFUNCS),
        *((ARRAY, name, _computing) for name in COMPUTING),
        *((ARRAY, name, _changing) for name in CHANGING),
        (ARRAY, "__setitem__", _setitem),
        (FLAT, "__setitem__", _flat_set),
    ]
    for cls, name, maker in made:
        real = _real.setdefault((cls, name), vars(cls)[name])
        method = maker(real, name)
        method.__name__, method.__qualname__, method.__doc__ = name, f"{cls.__name__}.{name}", real.__doc__
        protocols.PRIVATE.add(method.__code__)
        replace(cls, name, method)
    protocols.PRIVATE.add(calling.__code__)
    for names, name, method in _bound:
        names[name] = getattr(method.__self__, method.__name__)
    direct_calls(UFUNC, False)
    _state["armed"] = True  # now, since a program may have come here with no room for all these calls


def disarm() -> None:
    """Take that back, for tests."""
    for (cls, name), real in _real.items():
        replace(cls, name, real)
    for names, name, method in _bound:
        names[name] = method
    _bound.clear()
    direct_calls(UFUNC, True)
    _state.update(allowed=False, armed=False)
    protocols.watched[0] = False
