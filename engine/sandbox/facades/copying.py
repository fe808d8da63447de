"""`copy` for programs, and what else of Python's library copies their objects."""

from __future__ import annotations

import copy as python
import dataclasses
import types
from collections import UserDict, UserList
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..policy.attributes import settable
from ..policy.copying import ATOMIC, Deep, Shallow, reduced_of
from ..policy.guards import Guards, mro_before
from ..policy.names import is_dunder
from ..policy.unbound import names_of

IMMUTABLE = ATOMIC | {tuple, frozenset, slice}
"""What is its own copy."""
COPIED: dict[type, Any] = {list: list.copy, dict: dict.copy, set: set.copy, bytearray: bytearray.copy}


class Copying:
    """`copy` and `deepcopy` under the guards of one world."""

    def __init__(self, guards: Guards) -> None:
        self._guards = guards
        self._shallow = Shallow(guards)
        self._under_way: list[Deep] = []

    def copy(self, x: Any) -> Any:
        """Shallow copy operation on arbitrary Python objects."""
        cls = type(x)
        if cls in IMMUTABLE or issubclass(cls, (type, np.dtype)):
            return x
        if cls in COPIED:
            return COPIED[cls](x)
        copier = getattr(cls, "__copy__", None)
        return self.plainly(x) if copier is None else copier(x)

    def plainly(self, x: Any) -> Any:
        """A shallow copy of something whose class has no `__copy__`."""
        reduced = reduced_of(x)
        return x if isinstance(reduced, str) else self._shallow.rebuilt(x, True, *reduced)

    def deepcopy(self, x: Any, memo: Any = None) -> Any:
        """Deep copy operation on arbitrary Python objects."""
        with self._deep(memo) as deep:
            return deep.copied(x, True)

    @contextmanager
    def _deep(self, memo: Any) -> Iterator[Deep]:
        """The deep copy under way that a memo belongs to, or a new one."""
        for deep in self._under_way:
            if deep.open is memo:
                yield deep
                return
        if memo is not None and not isinstance(memo, dict):
            raise TypeError(f"the memo of a deepcopy must be a dict, not '{type(memo).__name__}'")
        # A subclass could answer for itself.
        deep = Deep(self._guards, {} if memo is None else memo if type(memo) is dict else dict(dict.items(memo)))
        self._under_way.append(deep)
        self._guards.memos.append(deep.open)
        try:
            yield deep
        finally:
            self._under_way.pop()
            self._guards.memos.pop()

    def field(self, thing: Any, name: str, *default: Any) -> Any:
        """What `getattr` gives the functions of dataclasses."""
        if default or is_dunder(name) or not self._guards.is_own(type(thing)):
            return getattr(thing, name, *default)
        return self._guards.get(thing, name)

    def replace(self, obj: Any, /, **changes: Any) -> Any:
        """A copy of an object with other values in some of its fields."""
        for name in changes:
            settable(name)
        replacer = getattr(type(obj), "__replace__", None)
        if replacer is None:
            raise TypeError(f"replace() does not support {type(obj).__name__} objects")
        return replacer(obj, **changes)

    def method(self, thing: Any) -> Any:
        """What `x.__deepcopy__` gives a program: its own method, or a function that copies as `deepcopy` does."""
        found = getattr(thing, "__deepcopy__")  # noqa: B009
        subject, mro = mro_before(thing)
        owner = next(c for c in mro if "__deepcopy__" in names_of(c))
        if self._guards.is_own(owner) or found is None:
            return found

        def deepcopy(*arguments: Any) -> Any:
            *first, memo = arguments
            x = first[0] if isinstance(subject, type) and first else subject
            if len(first) != isinstance(subject, type) or not isinstance(x, owner):
                raise TypeError("__deepcopy__ takes a memo")
            with self._deep(memo) as deep:
                return deep.copied_as(owner, x)

        return deepcopy


# --- what programs get -------------------------------------------------------------------------------------------------


def functions(copying: Copying) -> dict[str, Any]:
    """The names of `copy`, as functions: of a method a program could copy what it is bound to."""

    def copy(x: Any) -> Any:
        return copying.copy(x)

    def deepcopy(x: Any, memo: Any = None) -> Any:
        return copying.deepcopy(x, memo)

    def replace(obj: Any, /, **changes: Any) -> Any:
        return copying.replace(obj, **changes)

    made: dict[str, Any] = {"copy": copy, "deepcopy": deepcopy}
    return made | {"replace": replace} if hasattr(python, "replace") else made


def dictionaries(copying: Copying) -> dict[str, Any]:
    """`UserDict` and `UserList`, whose own copies would give any object any attributes."""

    def __copy__(self: Any) -> Any:  # noqa: N807
        if not isinstance(self, UserDict | UserList):
            raise TypeError(f"__copy__ takes a UserDict or UserList, not '{type(self).__name__}'")
        made = copying.plainly(self)
        if type(made) is type(self):
            made.data = self.data.copy()
        return made

    names = {"__module__": "collections", "__copy__": __copy__}
    return {kind.__name__: type(kind.__name__, (kind,), dict(names)) for kind in (UserDict, UserList)}


def conversions(copying: Copying) -> dict[str, Any]:
    """What reads the fields of dataclasses: Python's own functions, which find another module by the name of `copy`, and
    read as a program does: a field may have the name of anything that its class inherits."""
    module = types.SimpleNamespace(copy=copying.copy, deepcopy=copying.deepcopy)
    names = {**vars(dataclasses), "copy": module, "getattr": copying.field}
    found = {}
    for name in ("_asdict_inner", "_astuple_inner", "_replace", "asdict", "astuple", "replace"):
        original: Any = getattr(dataclasses, name, None)
        if original is not None:
            names[name] = found[name] = types.FunctionType(original.__code__, names, name, original.__defaults__)
            names[name].__kwdefaults__ = original.__kwdefaults__
            names[name].__doc__ = original.__doc__
    return found
