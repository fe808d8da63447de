"""Types written in C whose methods go on with what a callback has freed: the same methods, given what nobody else can change.

A list shows an item without holding it, a bytearray looks through a buffer that its argument may give back, an ordered dict
follows links that go. All C code comes to these methods by way of the type, so they are replaced there: whoever calls them,
they work on copies that only they have.
"""

from __future__ import annotations

import collections
import ctypes
import decimal
import functools
import gc
import re
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

from .errors import PolicyError
from .names import PLACED

_WORD = ctypes.sizeof(ctypes.c_void_p)
_FLAGS = object.__basicsize__ + 19 * _WORD
"""Where a type has its flags; all versions of Python have the 19 words between them and the head of an object."""
_DICT = _FLAGS + 12 * _WORD
_MAKER = _FLAGS + 18 * _WORD
_IMMUTABLE, _VECTORCALL = 1 << 8, 1 << 11


def replace(cls: type, name: str, function: Any) -> Any:
    """Give a type written in C another method; what it had.

    Raises:
        RuntimeError: if this Python has its types laid out in another way.
    """
    (names,) = (found for found in gc.get_referents(vars(cls)) if isinstance(found, dict))
    flags, kept = ctypes.c_size_t.from_address(id(cls) + _FLAGS), ctypes.c_void_p.from_address(id(cls) + _DICT)
    if flags.value != cls.__flags__:
        raise RuntimeError(f"this Python does not let a method of '{cls.__name__}' be replaced")
    before, there = names.get(name), kept.value
    names[name] = function
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))
    locked = flags.value & _IMMUTABLE
    flags.value &= ~_IMMUTABLE
    try:
        # Python's own way to do it also finds the place in the type's table of functions.
        type.__setattr__(cls, name, function)
    finally:
        flags.value |= locked
        kept.value = there  # newer Pythons have the names elsewhere, and would make a second dict
    return before


def direct_calls(cls: type, allowed: bool) -> None:
    """Whether objects of a type written in C are called without a look at its `__call__`."""
    flags = ctypes.c_size_t.from_address(id(cls) + _FLAGS)
    flags.value = flags.value | _VECTORCALL if allowed else flags.value & ~_VECTORCALL


def set_maker(cls: type, of: type) -> None:
    """Let objects of a type written in C be made by what makes those of another.

    Raises:
        RuntimeError: if this Python has its types laid out in another way.
    """
    if ctypes.c_size_t.from_address(id(cls) + _FLAGS).value != cls.__flags__:
        raise RuntimeError(f"this Python does not let the maker of '{cls.__name__}' be replaced")
    there, other = (ctypes.c_void_p.from_address(id(kind) + _MAKER) for kind in (cls, of))
    there.value = other.value


def mend() -> None:
    """Replace them in this process."""
    replace(list, "__repr__", _repr_of_list)
    if sys.version_info < (3, 12, 5):
        for name in ("__ge__", "__gt__", "__le__", "__lt__"):
            replace(list, name, _of_copies(getattr(list, name), list))
    replace(types.GenericAlias, "__repr__", _repr_of_alias)
    for name in ("__eq__", "__ge__", "__gt__", "__le__", "__lt__", "__ne__", "__or__", "__ror__"):
        replace(types.MappingProxyType, name, _of_what_it_shows(getattr(types.MappingProxyType, name)))
    for name in READING.split():
        replace(bytearray, name, _of_copies(getattr(bytearray, name), bytearray))
    for kind in (bytes, str):
        replace(kind, "__mod__", _held(kind.__mod__))
    for name in ("cast", "__setitem__"):
        replace(memoryview, name, _of_numbers(getattr(memoryview, name)))
    for placed in PLACED:
        replace(placed, "__init__", _of_positions(placed.__init__, placed))
    for error, name, parts in _SAID:
        replace(error, name, _of_parts(getattr(error, name), error, parts))
    replace(bytearray, "extend", _extend)
    replace(memoryview, "hex", _hex_of_memory)
    replace(decimal.Context, "__getattribute__", _of_context)
    for name, function in (("copy", _copy_of_ordered), ("__eq__", _ordered_eq), ("__ne__", _ordered_ne)):
        replace(collections.OrderedDict, name, function)
    for name in ("__delitem__", "__setitem__", "move_to_end", "pop", "popitem", "setdefault"):
        replace(collections.OrderedDict, name, _of_keys_that_stay(getattr(collections.OrderedDict, name)))


comparing: list[bool] = []
"""Holds something once the program has a class of which C code may call methods."""


def _of_keys_that_stay(real: Any) -> Callable[..., Any]:
    """A method of an OrderedDict, which finds a key's place and then goes there: a comparison of the program's could change the
    places meanwhile."""

    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        if comparing and any(map(_compares_by_itself, (*arguments[:1], *_ordered_keys(self)))):
            raise PolicyError(
                "an OrderedDict cannot have keys that compare themselves here", "Use a dict, which keeps its order as well."
            )
        return real(self, *arguments, **options)

    method.__name__, method.__doc__ = real.__name__, real.__doc__
    return method


def _compares_by_itself(key: Any) -> bool:
    """Whether a method of the program's may be called where a key is compared."""
    if type(key) in (str, int, float, bool, bytes, type(None)):
        return False
    if isinstance(key, tuple | frozenset):
        return any(map(_compares_by_itself, key))
    return isinstance(key, _COMPARING) or isinstance(getattr(type(key), "__eq__", None), types.FunctionType)


_COMPARING = (types.GenericAlias, types.MethodType, types.UnionType, weakref.ref)
"""What compares something else that it holds."""


READING = """
__contains__ __mod__ __mul__ __rmul__ center count decode endswith expandtabs find hex index join ljust lstrip partition replace
rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip translate zfill
"""
"""Methods of a bytearray that do not change it."""


def _of_copies(real: Any, kind: Any) -> Callable[..., Any]:
    """A method of a container, called with copies of all containers of its kind; a subclass's copy is a plain one."""
    copy = kind.copy

    def method(self: Any, *others: Any, **options: Any) -> Any:
        # Of something else it says itself what is wrong.
        own = copy(self) if isinstance(self, kind) else self
        return real(own, *[copy(o) if isinstance(o, kind) else o for o in others], **options)

    method.__name__, method.__qualname__, method.__doc__ = real.__name__, real.__qualname__, real.__doc__
    return method


def _of_what_it_shows(real: Any) -> Callable[..., Any]:
    """A comparison of a read-only view of a dict, which hands the dict itself to the other side: a copy."""
    view: Any = types.MappingProxyType

    def method(self: Any, other: Any) -> Any:
        return real(view(self.copy()) if isinstance(self, view) else self, other)

    method.__name__, method.__qualname__, method.__doc__ = real.__name__, real.__qualname__, real.__doc__
    return method


_real_cast: Any = memoryview.cast


def _of_numbers(real: Any) -> Callable[..., Any]:
    """A method of a view of memory, refused where objects are in it: as bytes, their addresses could be written.

    Text of NumPy's can be read as bytes only: written, it might have something in it that is no character.
    """

    def method(self: Any, *others: Any, **options: Any) -> Any:
        if isinstance(self, memoryview):
            held = re.sub(":[^:]*:", "", self.format)
            if "O" in held:
                raise PolicyError("memory that holds objects cannot be looked at as bytes here", "Write into the array.")
            if "w" in held and real is _real_cast:
                self = self.toreadonly()
        return real(self, *others, **options)

    method.__name__, method.__qualname__, method.__doc__ = real.__name__, real.__qualname__, real.__doc__
    return method


_real_extend: Any = bytearray.extend


def _extend(self: Any, iterable_of_ints: Any, /) -> None:
    """Append all the items from the iterator or sequence to the end of the bytearray."""
    # What says that it has no items, and has some, would be written behind the end: a list says how many.
    if isinstance(self, bytearray) and type(iterable_of_ints) not in (bytearray, bytes, memoryview):
        try:
            memoryview(iterable_of_ints)
        except TypeError:
            if hasattr(type(iterable_of_ints), "__iter__"):
                iterable_of_ints = list(iterable_of_ints)
    _real_extend(self, iterable_of_ints)


_real_hex: Any = memoryview.hex


def _hex_of_memory(self: Any, *others: Any, **options: Any) -> str:
    """Return the data in the buffer as a str of hexadecimal numbers."""
    # The length of a separator may be the program's, which gives the memory back.
    real = self.tobytes().hex if isinstance(self, memoryview) else functools.partial(_real_hex, self)
    return real(*others, **options)


_real_of_context: Any = decimal.Context.__getattribute__
_contexts: dict[int, Any] = {}
"""Contexts of which somebody has the flags or traps, which lie in the context's own memory: they stay."""


def _of_context(self: Any, name: str, /) -> Any:
    """Return getattr(self, name)."""
    found = _real_of_context(self, name)
    if name in ("flags", "traps"):
        _contexts[id(self)] = self
    return found


for _mine, _place in (
    (_extend, "bytearray.extend"), (_hex_of_memory, "memoryview.hex"), (_of_context, "Context.__getattribute__"),
):  # fmt: skip
    _mine.__name__, _mine.__qualname__ = _place.partition(".")[2], _place


_SAID: tuple[tuple[type[BaseException], str, str], ...] = (
    (BaseException, "__repr__", "args"),
    (BaseException, "__str__", "args"),
    (KeyError, "__str__", "args"),
    (OSError, "__str__", "args errno filename filename2 strerror"),
)
"""How exceptions are written, and what of them is, whose own methods may put something else there meanwhile."""


def _of_parts(real: Any, kind: type, parts: str) -> Callable[[Any], Any]:
    """A method that writes attributes of an object, which are held until it is done."""
    getters = [getattr(kind, name).__get__ for name in parts.split()]

    def method(self: Any) -> Any:
        held = [get(self) for get in getters] if isinstance(self, kind) else []
        said = real(self)
        held.clear()
        return said

    method.__name__, method.__qualname__, method.__doc__ = real.__name__, real.__qualname__, real.__doc__
    return method


def _of_positions(real: Any, kind: Any) -> Callable[..., None]:
    """What makes an error about characters: its positions lie within what it is about, since Python shows what is there.

    A program that says the name of such a type gets a look-alike; to `__exit__` an error comes with its real type.
    """
    parts = [getattr(kind, name).__get__ for name in ("object", "start", "end")]

    def method(self: Any, *arguments: Any, **options: Any) -> None:
        real(self, *arguments, **options)
        of, start, end = (part(self) for part in parts)
        if not 0 <= start <= end <= (str if isinstance(of, str) else bytes).__len__(of):
            raise ValueError(f"the positions of a {kind.__name__} lie within its object here")

    method.__name__, method.__qualname__, method.__doc__ = real.__name__, real.__qualname__, real.__doc__
    return method


def _held(real: Any) -> Callable[..., Any]:
    """The same method, with its operands held until it is done."""

    def method(self: Any, other: Any) -> Any:
        return real(self, other)

    method.__name__, method.__qualname__, method.__doc__ = real.__name__, real.__qualname__, real.__doc__
    return method


_shown: set[int] = set()
_real_list_repr: Any = list.__repr__
_items: Any = list.__iter__
_real_alias_repr: Any = types.GenericAlias.__repr__
_ordered_keys: Any = collections.OrderedDict.__iter__


def _repr_of_list(self: list[Any]) -> str:
    """Return repr(self)."""
    if not isinstance(self, list):
        return str(_real_list_repr(self))
    if id(self) in _shown:
        return "[...]"
    _shown.add(id(self))
    try:
        return f"[{', '.join(map(repr, _items(self)))}]"
    finally:
        _shown.discard(id(self))


_repr_of_list.__name__, _repr_of_list.__qualname__ = "__repr__", "list.__repr__"


def _repr_of_alias(self: Any) -> str:
    """Return repr(self)."""
    make: Any = types.GenericAlias
    if type(self) is make and any(type(a) is list for a in self.__args__):
        made = make(self.__origin__, tuple(list(a) if type(a) is list else a for a in self.__args__))
        self = next(iter(made)) if getattr(self, "__unpacked__", False) else made
    return _real_alias_repr(self)  # type: ignore[no-any-return]


def _copy_of_ordered(self: Any) -> Any:
    """od.copy() -> a shallow copy of od"""
    made = type(self)()
    for key in list(_ordered_keys(self)):
        made[key] = self[key]
    return made


def _ordered_eq(self: Any, other: Any) -> Any:
    """Return self==value."""
    same = dict.__eq__(self, other)
    if same is not True or not isinstance(other, collections.OrderedDict):
        return same
    ours, others = list(_ordered_keys(self)), list(_ordered_keys(other))
    return len(ours) == len(others) and all(a is b or a == b for a, b in zip(ours, others, strict=True))


def _ordered_ne(self: Any, other: Any) -> Any:
    """Return self!=value."""
    same = _ordered_eq(self, other)
    return same if same is NotImplemented else not same
