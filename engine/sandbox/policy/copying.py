"""How things are copied for programs: as Python copies them, by the rules that hold for what a program itself writes.

Python's own `deepcopy` asks the memo it was given for everything, and hands it on. Who controls the memo decides what
a copy's state is, and that becomes attributes unseen. Here there are two memos. One belongs to the program: its `__deepcopy__`
gets it, it may bring it along, and what stands in it counts only where the program could have put the value itself: in
containers, in attributes that it may set. The other is never seen by the program. States and arguments are in neither.
"""

from __future__ import annotations

import copyreg
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ...nn.utils.parametrize import is_made_here
from ...tensor import Tensor
from .errors import PolicyError
from .guards import Guards
from .names import STORED, instead, may_inject
from .unbound import mro_of, names_of

ATOMIC = frozenset((
    type(None), type(Ellipsis), type(NotImplemented), int, float, bool, complex, bytes, str, types.CodeType, type, range,
    types.BuiltinFunctionType, types.FunctionType, weakref.ref, property,
))  # fmt: skip
"""What is its own deep copy."""
KEPT = STORED | {"__notes__", "__orig_class__"}
"""Names of Python's own among the attributes of objects, which lead nowhere in particular."""
NEW = (copyreg.__newobj__, copyreg.__newobj_ex__)  # type: ignore[attr-defined]
ABSENT: Any = object()


class Shallow:
    """Makes objects anew from their parts, which stay as they are."""

    __slots__ = ("guards",)
    deep = False

    def __init__(self, guards: Guards) -> None:
        self.guards = guards

    def copied(self, x: Any, visible: bool) -> Any:
        """A part of an object."""
        return x

    def remember(self, x: Any, y: Any, visible: bool) -> None:
        """Note that `y` is the copy of `x`."""

    def rebuilt(
        self, x: Any, visible: bool, func: Any, args: Any, state: Any = None, items: Any = None, pairs: Any = None
    ) -> Any:
        """An object from what `__reduce_ex__` says of it.

        Args:
            visible: whether the program could have put something else in its place.

        Raises:
            PolicyError: if its state has attributes that the program may not set on what its class made.
        """
        cls, guards = type(x), self.guards
        own = guards.is_own(cls)
        # Arguments that the program could give itself.
        free = (own and func in NEW) or (func is cls and (own or (state is None and cls in guards.known)))
        if func is getattr:
            func = guards.get
        if self.deep:
            given = []
            for a in args:
                given.append(self.copied(a, free))
            args = given
        y = func(*args)
        self.remember(x, y, visible)
        if state is not None:
            self._set_state(x, y, state)
        if items is not None:
            for item in items:
                y.append(self.copied(item, visible or own))
        if pairs is not None:
            for key, value in pairs:
                key = self.copied(key, visible or own)
                y[key] = self.copied(value, visible or own)
        return y

    def _set_state(self, x: Any, y: Any, state: Any) -> None:
        """Give `y` the state of `x`, by the rules for what a program sets itself.

        What is no business of the program's comes along only if `y` is what `x` is: a `__new__` may return anything.
        """
        same = type(y) is type(x)
        if same and hasattr(type(y), "__setstate__") and not isinstance(y, BaseException):
            type(y).__setstate__(y, self._shown_of(y, self._of_state(x, state)))
            return
        # No object is seen with half of its state.
        parts = []
        for part in state if isinstance(state, tuple) and len(state) == 2 else (state, None):
            copies = {}
            for name, value in (part or {}).items():
                copies[name] = self.copied(value, self._may_set(y, name, same))
            parts.append(copies)
        attributes, slots = parts
        # An exception has some attributes elsewhere.
        if not isinstance(y, BaseException):
            if attributes:
                y.__dict__.update(attributes)
            attributes = {}
        for name, value in (attributes | slots).items():
            setattr(y, name, value)

    def _shown_of(self, y: Any, state: Any) -> Any:
        """What a `__setstate__` is told of a state: a program's nothing of what the engine keeps, which `y` has by then."""
        owner = next(c for c in mro_of(type(y)) if "__setstate__" in names_of(c))
        if not self.guards.is_own(owner):
            return state
        if type(state) is tuple:
            return tuple([self._shown_of(y, part) for part in state])
        if type(state) is not dict:
            return state
        shown = {}
        for name, value in state.items():
            if self.guards.is_readable(y, name):
                shown[name] = value
            else:
                object.__setattr__(y, name, value)
        return shown

    def _of_state(self, x: Any, state: Any) -> Any:
        """The copy of a state that an object takes by itself."""
        if type(state) is dict:
            made = {}
            for name, value in state.items():
                made[name] = self.copied(value, self._may_set(x, name, True))
            return made
        if type(state) is list and self.guards.is_own(type(x)):
            # Of a frozen dataclass with slots: the values of its fields.
            return [self.copied(value, True) for value in state]
        return self.copied(state, False)

    def _may_set(self, y: Any, name: Any, same: bool) -> bool:
        """Whether the program itself may set an attribute; if not, it must have come from an object of the same class.

        Raises:
            PolicyError: if it has not, or if the name is one of Python's own.
        """
        if not may_inject(name) and not (type(name) is str and name in KEPT):
            raise PolicyError(f"the attribute {name!r} cannot be copied in programs here", instead(str(name)))
        try:
            self.guards.write(y, name)
        except PolicyError:
            if not same:
                raise
            return False
        return True


class Deep(Shallow):
    """One deep copy."""

    __slots__ = ("_closed", "_kept", "_shown", "open")
    deep = True

    def __init__(self, guards: Guards, open: dict[Any, Any]) -> None:
        super().__init__(guards)
        self.open = open
        """What the program sees and may change: id() -> copy."""
        self._closed: dict[int, Any] = {}
        self._kept: list[Any] = []
        """The originals, so that nothing else gets their id()."""
        self._shown: list[Any] | None = None
        """The originals whose copies are in `open`; the list is kept in `open` as well."""

    def copied(self, x: Any, visible: bool) -> Any:
        """The copy of something.

        Args:
            visible: whether the program could have put something else in its place.
        """
        cls = type(x)
        if cls in ATOMIC or issubclass(cls, (type, np.dtype)):
            return x
        y = self._known(x, visible)
        if y is ABSENT:
            y = self._made(x, visible)
            if y is not x:
                self.remember(x, y, visible)
        if not visible and cls not in mro_of(type(y)) and any(map(self.guards.is_own, mro_of(cls))):
            raise PolicyError(
                f"the copy of a '{cls.__name__}' is a '{type(y).__name__}', which cannot take its place in another object here",
                "Return an object of the class from __deepcopy__.",
            )
        return y

    def _made(self, x: Any, visible: bool) -> Any:
        """The copy of what has none yet."""
        cls = type(x)
        y: Any
        if cls is list:
            y = self._list(x, visible)
        elif cls is dict:
            y = self._dict(x, visible)
        elif cls is tuple:
            y = self._tuple(x, visible)
        elif cls is types.MethodType:
            y = types.MethodType(x.__func__, self.copied(x.__self__, False))
        else:
            copier = getattr(cls, "__deepcopy__", None)
            if copier is None:
                reduced = reduced_of(x)
                y = x if isinstance(reduced, str) else self.rebuilt(x, visible, *reduced)
            else:
                owner = next(c for c in cls.__mro__ if "__deepcopy__" in names_of(c))
                y = copier(x, self.open) if self.guards.is_own(owner) else self._by_library(x, owner)
        return y

    def copied_as(self, owner: type, x: Any) -> Any:
        """The copy of something as a class of its copies it, which is not the program's, whatever its own has to say."""
        y = self._known(x, True)
        if y is ABSENT:
            y = self._by_library(x, owner)
            if y is not x:
                self.remember(x, y, True)
        return y

    def _known(self, x: Any, visible: bool) -> Any:
        # Of an object of its own the program could say in `__deepcopy__` what its copy is.
        if visible or self.guards.is_own(type(x)):
            y = self.open.get(id(x), ABSENT)
            if y is not ABSENT:
                return y
        return self._closed.get(id(x), ABSENT)

    def remember(self, x: Any, y: Any, visible: bool) -> None:
        """Note that `y` is the copy of `x`."""
        self._closed[id(x)] = y
        self._kept.append(x)
        if visible:
            self.open[id(x)] = y
            if self._shown is None:
                # As in Python, and where others look for it as well.
                shown = self.open.setdefault(id(self.open), [])
                self._shown = shown if type(shown) is list else []
            self._shown.append(x)

    def _list(self, x: list[Any], visible: bool) -> list[Any]:
        y: list[Any] = []
        self.remember(x, y, visible)
        for item in x:
            y.append(self.copied(item, visible))
        return y

    def _dict(self, x: dict[Any, Any], visible: bool) -> dict[Any, Any]:
        y: dict[Any, Any] = {}
        self.remember(x, y, visible)
        for key, value in x.items():
            key = self.copied(key, visible)
            y[key] = self.copied(value, visible)
        return y

    def _tuple(self, x: tuple[Any, ...], visible: bool) -> tuple[Any, ...]:
        y = []
        for item in x:
            y.append(self.copied(item, visible))
        # One that contains itself, by way of something else, has been copied meanwhile.
        found = self._known(x, visible)
        if found is not ABSENT:
            return found  # type: ignore[no-any-return]
        return x if all(map(_is, x, y)) else tuple(y)

    # --- what copies itself ---------------------------------------------------------------------------------------------

    def _by_library(self, x: Any, owner: type) -> Any:
        """The copy of something whose class has a `__deepcopy__` that is not the program's."""
        for kind, copier in BY_LIBRARY:
            if issubclass(owner, kind):
                return copier(self, x, owner)
        if is_made_here(owner):  # of a module of the program's
            return self.rebuilt(x, True, copyreg.__newobj__, (type(x),), dict(vars(x)))  # type: ignore[attr-defined]
        return names_of(owner)["__deepcopy__"].__get__(x, type(x))({})

    def _array(self, x: Any, owner: type) -> Any:
        y = x.copy(order="K")
        self._copy_objects(y)
        return y

    def _copy_objects(self, array: Any) -> None:
        """Put copies in the place of the objects in an array."""
        dtype = array.dtype
        if dtype.names is not None:
            for name in dtype.names if dtype.hasobject else ():
                self._copy_objects(array[name])
        elif dtype.hasobject:
            flat = array.reshape(1) if array.ndim == 0 else array
            for index in np.ndindex(flat.shape):
                flat[index] = self.copied(flat[index], True)

    def _scalar(self, x: Any, owner: type) -> Any:
        if not x.dtype.hasobject:
            return names_of(owner)["__deepcopy__"].__get__(x, type(x))({})
        y = np.array(x)
        self._copy_objects(y)
        return y[()]

    def _tensor(self, x: Any, owner: type) -> Any:
        grad = x._grad
        memo = {id(grad): self._closed[id(grad)]} if id(grad) in self._closed else {}
        y = names_of(owner)["__deepcopy__"](x, memo)
        if id(grad) in memo:
            self.remember(grad, memo[id(grad)], True)
        return y

    def _weak_keys(self, x: Any, owner: type) -> Any:
        y = type(x)()
        for key, value in list(x.items()):
            y[key] = self.copied(value, True)
        return y

    def _weak_values(self, x: Any, owner: type) -> Any:
        y = type(x)()
        for key, value in list(x.items()):
            y[self.copied(key, True)] = value
        return y


BY_LIBRARY: tuple[tuple[type, Callable[[Deep, Any, type], Any]], ...] = (
    (np.ndarray, Deep._array),
    (np.generic, Deep._scalar),
    (Tensor, Deep._tensor),
    (weakref.WeakKeyDictionary, Deep._weak_keys),
    (weakref.WeakValueDictionary, Deep._weak_values),
)
"""What copies parts that may be the program's, and how it is done here."""


def _is(a: Any, b: Any) -> bool:
    return a is b


def reduced_of(x: Any) -> Any:
    """What an object is made of, as its class says: a program's class has nothing to say about it.

    Of exceptions the table of `copyreg` is not asked: other libraries of the process (tblib, with Dask) put functions of their
    own there, for all classes of exceptions that they find.
    """
    cls: Any = type(x)
    reducer = None if issubclass(cls, BaseException) else copyreg.dispatch_table.get(cls)
    return cls.__reduce_ex__(x, 4) if reducer is None else reducer(x)
