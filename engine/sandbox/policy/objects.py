"""Arrays of objects, sorted where the program cannot get at them: comparing may run code of its own, which could empty them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

METHODS = ("argpartition", "argsort", "partition", "searchsorted", "sort")
"""Methods of arrays that compare what they only look at."""
IN_PLACE = ("partition", "sort")


def private(thing: Any) -> Any:
    """An argument as C may use it while it calls back: objects in an array or a list to which nothing else refers.

    Numbers are left where they are, since they have no code.
    """
    if isinstance(thing, np.ndarray):
        return thing.copy() if thing.dtype.hasobject else thing
    return _private_list(thing, 0) if type(thing) in (list, tuple) else thing


def _private_list(thing: Any, deep: int) -> Any:
    if _PLAIN.issuperset(map(type, thing)) or deep > np.iinfo(np.int8).max:
        return thing
    return type(thing)([_private_list(part, deep + 1) if type(part) in (list, tuple) else part for part in thing])


_PLAIN = frozenset((bool, bytes, complex, float, int, str, type(None)))


def method(name: str) -> Callable[[Any], Any]:
    """What reads one of these methods of anything."""

    def read(thing: Any) -> Any:
        real = getattr(thing, name)
        if not isinstance(thing, np.ndarray):
            return real

        def compared(*arguments: Any, **options: Any) -> Any:
            if not thing.dtype.hasobject:
                return real(*map(private, arguments), **options)
            copied = thing.copy()
            found = getattr(copied, name)(*map(private, arguments), **options)
            if name in IN_PLACE:
                thing[...] = copied
            return found

        compared.__name__ = compared.__qualname__ = name
        return compared

    return read
