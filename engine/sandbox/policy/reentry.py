"""What keeps memory in use while C code has called back into a program: it may hold the last reference to an object.

NumPy's loops over objects, a comparison of lists and others call a special method with what stands in a container, without a
reference of their own, and go on with it afterwards. A method that empties the container would leave them with freed memory.
"""

from __future__ import annotations

import builtins
import ctypes
import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from ...itself import OURS
from ...safe_attributes import meant_for
from .errors import PolicyError
from .names import PINNED

KEPT: list[Any] = []
"""Objects whose last other reference went while C was at work with them: they stay until the run ends."""


def pin(method: Any) -> Any:
    """A special method that keeps its operands alive if nothing else does when it is over.

    Raises:
        PolicyError: for what cannot be one.
    """
    if method is None:
        return None
    if type(method) is FunctionType:
        return method if method.__code__ is _CODE else _pinned(method, method)
    # What is written in C calls back as well: `next`, `{}.pop`, `dict.pop`; a bound method has an operand of its own.
    if hasattr(type(method), "__get__"):  # a property, a staticmethod: what it gives is called
        return _pinned(method, lambda self, *others: type(method).__get__(method, self, type(self))(*others))
    if callable(method):
        return _pinned(method, lambda self, *others: method(*others))
    raise PolicyError(f"a special method cannot be a '{type(method).__name__}' here", "Write it with def.")


def _pinned(method: Any, call: Callable[..., Any]) -> Any:
    def pinned(self: Any, *others: Any, **options: Any) -> Any:
        try:
            result = call(self, *_not_ours(others), **options)
        except IndexError:
            _end_of_sequence(self)
            raise
        if not others:
            if getrefcount(self) <= FIRST:
                KEPT.append(self)
        else:
            same = self is others[0]
            if getrefcount(self) <= FIRST + same or getrefcount(others[0]) <= SECOND + same:
                KEPT.append((self, others))
        return result

    for name in ("__name__", "__qualname__", "__doc__"):
        value = getattr(method, name, None)
        if isinstance(value, str):
            setattr(pinned, name, value)
    return pinned


def _not_ours(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a method is given: of an array with which the engine computes, and that nothing of the program's may have, a copy.

    NumPy leaves a computation to what stands for a number and has operators of its own.
    """
    if not any([isinstance(operand, np.ndarray) for operand in operands]):
        return operands
    frame: Any = sys._getframe(2)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_BETWEEN):
        frame = frame.f_back
    if frame is None or frame.f_builtins is not vars(builtins):
        return operands
    return tuple([np.array(operand) if isinstance(operand, np.ndarray) else operand for operand in operands])


_BETWEEN = ("numpy.", f"{OURS}sandbox.")
"""What the modules begin with that go between the program, or the engine, and a method."""


def _end_of_sequence(thing: Any) -> None:
    """Python's iteration over a sequence lets it go at its end: once for each time that it was entered."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        if frame.f_code is _CODE and frame.f_locals["self"] is thing:
            _hold(thing)
            return
        frame = frame.f_back


_hold = ctypes.pythonapi.Py_IncRef
_hold.argtypes, _hold.restype = [ctypes.py_object], None


def pin_class(cls: type) -> type:
    """Pin the special methods of a class that were made by others for the program, and those it was given by other ways."""
    for name in PINNED & vars(cls).keys():
        found = vars(cls)[name]
        if type(found) is FunctionType and found.__code__ is not _CODE:
            type.__setattr__(cls, name, _pinned(found, _of_its_own(cls, found)))
    return cls


def _of_its_own(cls: type, method: Any) -> Callable[..., Any]:
    """A method that was made for a class, and is called with objects of it only: it looks into them unguarded."""

    def called(self: Any, *others: Any) -> Any:
        return method(meant_for(self, cls), *others)

    return called


# --- stores into lists ------------------------------------------------------------------------------------------------------


class Store:
    """A list as the target of an assignment: what comes in is made a list before Python looks how long the target is."""

    __slots__ = ("_list",)

    def __init__(self, target: list[Any]) -> None:
        self._list = target

    def __getitem__(self, key: Any) -> Any:
        return self._list[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._list[key] = settled(self._list, key, value)


def target(thing: Any) -> Any:
    """What `thing[key] = value` stores into."""
    return Store(thing) if isinstance(thing, list) else thing


def settled(thing: Any, key: Any, value: Any) -> Any:
    """The value of such a store, with no code of the program left to run when it is stored."""
    if type(key) is slice and isinstance(thing, list) and type(thing).__setitem__ is list.__setitem__:
        return value if type(value) in (list, tuple) else list(value)
    return value


def setitem(thing: Any, key: Any, value: Any, /) -> None:
    """As `operator.setitem`."""
    thing[key] = settled(thing, key, value)


def bound_setitem(thing: Any) -> Any:
    """`x.__setitem__`, bound or not, of a list or of anything else."""
    real = getattr(thing, "__setitem__")  # noqa: B009
    if isinstance(getattr(real, "__self__", None), list):
        return lambda key, value, /: real(key, _listed(key, value))
    if getattr(real, "__objclass__", None) is list:
        return lambda self, key, value, /: real(self, key, _listed(key, value))
    return real


def _listed(key: Any, value: Any) -> Any:
    return list(value) if type(key) is slice and type(value) not in (list, tuple) else value


# --- calls ------------------------------------------------------------------------------------------------------------------


def calls(function: Callable[[], Any], sentinel: Any) -> Iterator[Any]:
    """As `iter` of a function and a sentinel; the function stays while it is called."""
    while True:
        try:
            found = function()
        except StopIteration:
            return
        if found is sentinel or sentinel == found:
            return
        yield found


# --- how many references an operand has of its own ----------------------------------------------------------------------------

getrefcount = sys.getrefcount
FIRST = SECOND = 0
PINNING = _CODE = _pinned(None, print).__code__
"""The code in which special methods run."""


def _count_alone() -> tuple[int, int]:
    """The counts that `pinned` sees of operands to which nothing else refers; they differ between versions of Python."""
    import numpy as np

    seen: list[int] = []

    def shaped(self: Any, *others: Any, **options: Any) -> Any:
        seen.extend((getrefcount(self), getrefcount(others[0])))
        return 0

    class Operand:
        __add__ = shaped

    # Each array holds one reference, and NumPy's loop none.
    arrays = np.empty((2, 1), object)
    arrays[0, 0], arrays[1, 0] = Operand(), Operand()
    np.add(arrays[0], arrays[1])
    return seen[0] - 1, seen[1] - 1


FIRST, SECOND = _count_alone()
