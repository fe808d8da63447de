"""Some fields of an array's elements, `a[["x", "y"]]`: a view of them does not know what lies between them.

NumPy looks at nothing but the fields that there are where it copies whole elements, compares types, or shows memory as bytes,
and so objects and text in those that were left out could be written as numbers. Once a program has a type with such fields,
what it gets of some of them is a copy without the others. Other programs index arrays as before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .natives import replace

_KINDS: tuple[Any, ...] = (np.ndarray, np.void)
_REAL = {kind: kind.__getitem__ for kind in _KINDS}
_state = {"allowed": False, "watched": False}


def allow() -> None:
    """From here on indexing may be replaced in this process, which is one for programs."""
    _state["allowed"] = True


def watch() -> None:
    """There are elements with objects or text among their fields."""
    if _state["allowed"] and not _state["watched"]:
        for kind in _KINDS:
            replace(kind, "__getitem__", _indexed(_REAL[kind]))
        _state["watched"] = True  # now, since a program may have come here with no room for these calls


def _indexed(real: Any) -> Callable[[Any, Any], Any]:
    def __getitem__(self: Any, key: Any) -> Any:  # noqa: N807
        found = real(self, key)
        return found if type(key) in _PLAIN or not isinstance(found, _KINDS) else _packed(self.dtype, found)

    __getitem__.__qualname__, __getitem__.__doc__ = real.__qualname__, real.__doc__
    return __getitem__


_PLAIN = frozenset((int, slice, str, tuple))
"""Types of indices that name one field at most."""


def _packed(before: Any, found: Any) -> Any:
    """What was found in an array of this type, without what lies between its fields."""
    names = found.dtype.names
    if names is None or before.names is None or len(names) == len(before.names):
        return found
    packed = np.dtype([(name, found.dtype.fields[name][0]) for name in names])
    return np.array(found).astype(packed)[()]
