"""Methods that a program reads from a class, as `nn.Module.train`, and could call with anything for `self`.

Most methods read, set and call what their `self` names, private names among them, which the guards look after in objects of the
class only. So whoever reads a method from a class of the engine's is handed one that looks first whether it is given such an
object, as methods written in C do. What calls one on an object does not come this way, and the engine's own code gets what is
there.

A metaclass does it, and it comes later than its classes: they are what they are without a sandbox.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from ...itself import OURS
from .names import named
from .reentry import PINNING

MAIN = "__main__"
"""The module of a program's own classes; a program cannot give another class that module, as it cannot say `__module__`."""

names_of: Callable[[type], Any] = type.__dict__["__dict__"].__get__
"""The names that a class has itself."""
mro_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
_TYPE = object.__basicsize__ - ctypes.sizeof(ctypes.c_void_p)
"""Where an object has its type."""
_FOR_PROGRAMS = f"{OURS}sandbox.policy.", f"{OURS}sandbox.facades."
"""Rooms that read for programs what these name."""
_BUILTINS = vars(builtins)
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
_ABSTRACT = frozenset(("_collections_abc", "abc", "collections.abc", "enum", "typing"))
"""Modules of classes whose methods ask of others only what everybody may."""


class Watched(type):
    """The type of classes from which methods are handed out with a look."""

    __slots__ = ()

    def __getattribute__(cls, name: str) -> Any:
        found = type.__getattribute__(cls, name)
        if type(found) in _LOOKED_INTO and not _reads_for_itself(sys._getframe(1)):
            return handed_out(found, name, mro_of(cls))
        return found


Watched.__name__ = Watched.__qualname__ = "type"  # as Python's messages are to say


class Super(super):
    """`super` for programs: what it finds of a class is handed out with a look, too."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        found = _of_super(self, name)
        return handed_out(found, name, lines_of(self)) if type(found) in _LOOKED_INTO else found


Super.__name__ = Super.__qualname__ = "super"
_of_super = super.__getattribute__
_looked_up_in = super.__dict__["__self_class__"].__get__
_origin_of = super.__dict__["__thisclass__"].__get__


def lines_of(bound: Super) -> tuple[type, ...]:
    """The classes in which `super` looks something up."""
    lines = mro_of(_looked_up_in(bound))
    return lines[lines.index(_origin_of(bound)) + 1 :]


def _reads_for_itself(frame: types.FrameType) -> bool:
    """Whether code of the engine's reads something for itself, and not for a program."""
    name = frame.f_globals.get("__name__")
    return type(name) is str and name.startswith(OURS) and frame.f_builtins is _BUILTINS and not name.startswith(_FOR_PROGRAMS)


# --- methods ------------------------------------------------------------------------------------------------------------------


def handed_out(found: Any, name: str, lines: Iterable[type]) -> Any:
    """What a class has by a name, found in one of these `lines`, as a program gets it."""
    for cls in lines:
        names = names_of(cls)
        if name in names:
            if names.get("__module__") == MAIN:
                return looking(cls, found) if is_put_there(found) else found
            if name == "__new__":
                return making(cls, found)
            return found if isinstance(names[name], staticmethod | classmethod) else looking(cls, found)
    return found


def is_put_there(found: Any) -> bool:
    """Whether what a class of the program's has is a method of another one as it is, which is not how a program gets one:
    Python's library and the engine take some for the program, from where they stand."""
    return (
        type(found) is types.FunctionType
        and getattr(found, "__builtins__", None) is _BUILTINS
        and found.__code__ not in _LOOKING
        and found.__qualname__.rpartition(".")[0][-1:] not in ("", ">")
    )


def below(cls: type) -> list[type]:
    """The classes that inherit from one, directly or not."""
    found: list[type] = list(type.__subclasses__(cls))
    seen = set(found)
    for each in found:
        lower: list[type] = type.__subclasses__(each)
        found += [one for one in lower if one not in seen]
        seen.update(lower)
    return found


def is_engines(cls: type) -> bool:
    """Whether a class is one of the engine's own, which rely on its private names."""
    module = names_of(cls).get("__module__")
    return type(module) is str and (module == "torch" or module.startswith(("torch.", OURS)))


@functools.cache
def looking(cls: type, found: Any) -> Any:
    """A method or a property that takes objects of a class only."""
    return _LOOKED_INTO[type(found)](cls, found)


def _function(cls: type, function: types.FunctionType) -> Any:
    """A function that takes an object of the class first, or by its name."""
    code = function.__code__
    first = code.co_varnames[0] if code.co_argcount else ""

    def method(*arguments: Any, **options: Any) -> Any:
        options = options and named(options)
        if arguments or first in options:
            thing = arguments[0] if arguments else options[first]
            if cls not in mro_of(type(thing)):
                kind = type(thing).__name__
                raise TypeError(
                    f"descriptor '{function.__name__}' for '{cls.__name__}' objects doesn't apply to a '{kind}' object"
                )
        return function(*arguments, **options)

    return _named(method, function)


@functools.cache
def making(cls: type, function: types.FunctionType) -> Any:
    """A `__new__` that makes objects of a class only, and of those that inherit from it, as one written in C does."""

    def __new__(*arguments: Any, **options: Any) -> Any:  # noqa: N807
        kind: Any = arguments[0] if arguments else None
        if not issubclass(type(kind), type) or cls not in mro_of(kind):
            said = getattr(kind, "__name__", kind)
            raise TypeError(f"{cls.__name__}.__new__({said}): {said} is not a subtype of {cls.__name__}")
        return function(*arguments, **options)

    return _named(__new__, function)


def _named(method: Any, function: types.FunctionType) -> Any:
    """A method, called as the function that it stands for."""
    functools.update_wrapper(method, function)
    del method.__dict__["__wrapped__"]
    setattr(method, "__signature__", inspect.signature(function))  # noqa: B010
    return method


_ANY: Any = below
_LOOKING = {_function(object, _ANY).__code__, making(object, _ANY).__code__, PINNING}
"""The code of what looks at its object already, and of methods of the program's."""


def _property(cls: type, found: property) -> Any:
    parts: list[Any] = [found.fget, found.fset, found.fdel]
    getter, setter, deleter = (_function(cls, part) if type(part) is types.FunctionType else part for part in parts)
    kind: Any = type(found)
    made = kind.__new__(kind)
    if kind is not property:
        made.__dict__.update(found.__dict__)
    property.__init__(made, getter, setter, deleter, found.__doc__)
    return made


_LOOKED_INTO: dict[type, Callable[[type, Any], Any]] = {types.FunctionType: _function, property: _property}
"""What a program could call with anything, by its type, and what it is given instead. The engine's own kinds of properties are
among it when its classes are watched."""


# --- classes ------------------------------------------------------------------------------------------------------------------

_armed: list[bool] = []
_hold = ctypes.pythonapi.Py_IncRef
_hold.argtypes, _hold.restype = [ctypes.py_object], None


def arm() -> None:
    """Watch the engine's classes, and from here on those that programs get to know."""
    _armed[:] = [True]
    _LOOKED_INTO.update(dict.fromkeys(filter(is_engines, below(property)), _property))
    for cls in below(object):
        if is_engines(cls):
            watch(cls)


def is_written(cls: type) -> bool:
    """Whether a class is written in Python, with methods that may rely on what their object is."""
    return cls.__flags__ & (_HEAP | _IMMUTABLE) == _HEAP and names_of(cls).get("__module__") not in _ABSTRACT


def watch(cls: type) -> None:
    """Watch a class, if it is written in Python.

    Raises:
        RuntimeError: if this Python has its types laid out in another way.
    """
    before: Any = type(cls)
    # The types of look-alikes, which are watched otherwise, are the sandbox's.
    if not _armed or not is_written(cls) or issubclass(before, Watched) or before.__module__.startswith(_FOR_PROGRAMS):
        return
    meta: Any = watching(before)
    place = ctypes.c_void_p.from_address(id(cls) + _TYPE)
    if place.value != id(before) or meta.__basicsize__ != before.__basicsize__:
        raise RuntimeError(f"this Python does not let the methods of '{cls.__name__}' be watched")
    _hold(meta)
    place.value = id(meta)


@functools.cache
def watching(meta: type) -> type:
    """The type of classes that are watched, and else of another type."""
    return Watched if meta is type else type(meta.__name__, (Watched, meta), {"__slots__": (), "__module__": __name__})


def plain(meta: type) -> type:
    """The type of a class as a program sees it."""
    return next(kind for kind in mro_of(meta) if kind.__module__ != __name__) if issubclass(meta, Watched) else meta


def type_for(bases: Iterable[Any], given: type | None) -> type | None:
    """The type that a program gives to a class with these bases, where one of them is watched: that of the others, watched."""
    kinds = [type(base) for base in bases] + [given or type]
    if any(issubclass(kind, Watched) for kind in kinds):
        plains = [plain(kind) for kind in kinds]
        for kind in plains:
            if all(issubclass(kind, other) for other in plains):
                return watching(kind)
    return given
