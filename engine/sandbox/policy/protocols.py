"""What NumPy asks any object for: memory, arrays, precedence. On objects of a program it finds nothing of that.

NumPy looks for most of these names on the object, where a name may arrive in many ways: through `__dict__`, a copy's state, a
C type's `__setstate__`. So the names are taken once for all objects: `object` itself gets an attribute that is never there. As
it cannot be set either, Python looks at it before it looks into an object's `__dict__`. What defines such a name in its class
(arrays, NumPy's scalars, tensors) keeps it; which classes of a program may, `classes` says.
"""

from __future__ import annotations

import builtins
import ctypes
import gc
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.lib._stride_tricks_impl import DummyArray

from ...itself import OURS
from ...tensor import Tensor
from .errors import PolicyError

NAMES = (
    "__array__", "__array_finalize__", "__array_function__", "__array_interface__", "__array_namespace__", "__array_priority__",
    "__array_struct__", "__array_ufunc__", "__array_wrap__", "__associated_array_dtype__", "__dlpack__", "__dlpack_device__",
    "__numpy_dtype__",
)  # fmt: skip
"""What NumPy looks for on an object or its class. `__buffer__` and `__release_buffer__` count in a class statement only."""


class Nothing:
    """An attribute that is never there and cannot be set."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, thing: object, owner: type | None = None) -> Any:
        if isinstance(thing, type):
            # Of a class Python asks its class first, which comes here as well: what the class itself has counts.
            for one in thing.__mro__[:-1]:
                if self._name in vars(one):
                    found = vars(one)[self._name]
                    return found.__get__(None, thing) if hasattr(type(found), "__get__") else found
        elif self._name == "__array_struct__" and not inside():
            refuse_sequence(type(thing))
        raise AttributeError(f"'{(owner or type(thing)).__name__}' object has no attribute '{self._name}'")

    def __set__(self, thing: object, value: object) -> NoReturn:
        raise AttributeError(f"'{type(thing).__name__}' object cannot have the attribute '{self._name}' here")

    def __delete__(self, thing: object) -> NoReturn:
        raise AttributeError(f"'{type(thing).__name__}' object has no attribute '{self._name}'")


watched: list[bool] = [False]
"""Whether NumPy may take sequences of the program apart only where nobody else can change the list that they are in."""
PRIVATE: set[types.CodeType] = set()
"""The code of functions that give NumPy nothing that anybody else can change."""


def inside() -> bool:
    """Whether NumPy has been called by one of these, and not by the program."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code in PRIVATE:
            return True
        if frame.f_builtins is not vars(builtins):
            return False
        frame = frame.f_back  # type: ignore[assignment]
    return False


def refuse_sequence(cls: type) -> None:
    """Refuse a sequence whose methods may be the program's, before NumPy takes it apart, and a list that it may be in.

    Raises:
        PolicyError: if the class is such a one.
    """
    if not watched[0]:
        return
    if cls not in _refused:
        definers = {name: next((c for c in cls.__mro__[:-1] if name in vars(c)), None) for name in TAKING_APART}
        sequence = definers["__len__"] and definers["__getitem__"]
        asked = definers.values() if sequence else (definers["__array__"],)
        _refused[cls] = any(c is not None and c.__flags__ & HEAP and not _is_trusted(c) for c in asked)
    if _refused[cls]:
        raise PolicyError(f"NumPy cannot take a '{cls.__name__}' apart here", "Make an array of it first: np.array(x).")


def _is_trusted(cls: type) -> bool:
    """Whether a class is one whose methods do not call the program back. A library's may: a dataset has transforms."""
    return cls is Tensor or (cls.__module__.startswith(TRUSTED) and not cls.__module__.startswith(f"{OURS}libraries."))


TAKING_APART = ("__array__", "__len__", "__getitem__", "__iter__")
TRUSTED = ("numpy", OURS)
"""What the modules begin with whose classes do not call the program back."""
HEAP = 1 << 9
_refused: dict[type, bool] = {}


def shut() -> None:
    """From here on no object has these attributes but those whose class defines them.

    Raises:
        RuntimeError: if an object has one nevertheless.
    """
    # NumPy has a class of its own whose objects carry memory; programs never get hold of one.
    DummyArray.__array_interface__ = {}
    _change(lambda names: names.update({name: Nothing(name) for name in NAMES}))
    if not holds():
        raise RuntimeError("this Python does not keep NumPy from looking for memory on the objects of a program")


def reopen() -> None:
    """Take that back, for tests of what else there is."""
    _change(lambda names: [names.pop(name, None) for name in NAMES])


def holds() -> bool:
    """Whether NumPy finds none of its names on an object that has them all among its attributes."""
    thing = _Asked()
    nothing = {"data": (0, True), "shape": (0,), "typestr": "|u1", "version": 3}
    for name in NAMES:
        vars(thing)[name] = nothing
    return not any(hasattr(thing, name) for name in NAMES) and np.asarray(thing).dtype == object


class _Asked:
    """Something to try it on."""


def _change(change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the attributes of `object`, which Python itself shows read-only."""
    (names,) = gc.get_referents(vars(object))
    change(names)
    # What Python has looked up before is to be looked up again.
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(object))
