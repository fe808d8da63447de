"""Where tensors stand in a value of the program: in lists, dicts, modules and objects, found without running its code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..tensor import Tensor
from .module_paths import MAX_SEARCHED

IN_CONTAINERS = 64
"""How many items of a list, dict or object are looked at."""
_SHORT = 8
"""How many items a list has that is looked through whenever something is appended to it."""
_DEEP = 3
"""How far a list in an object in a list is followed."""
_KEYS = frozenset((str, int))
PLAIN = frozenset((bool, bytes, complex, float, int, str, type(None), np.ndarray, *np.sctypeDict.values()))
"""Types of values in which nothing stands."""


_NO_MODULES = frozenset((list, tuple, dict, set, FunctionType))
"""Types of values that are no modules, and get names often."""


def is_module(value: Any) -> bool:
    """Whether a value is a module whose `__init__` has begun, as far as can be told without running code of its own."""
    if type(value) in _NO_MODULES:
        return False
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False
    return "_parameters" in own and any(getattr(c, "__engine__", False) for c in type(value).__mro__)


class Kinds(NamedTuple):
    """What counts as a tensor and as a module: the engine's, or PyTorch's."""

    tensor: type
    is_module: Callable[[Any], bool]


ENGINE = Kinds(Tensor, is_module)


def tensor_paths(value: Any, depth: int = 0, kinds: Kinds = ENGINE) -> Iterator[tuple[str, Any, bool]]:
    """The tensors in a value: what to write behind the value's name to get there, the tensor, and whether it stands in a
    container or is a module's parameter or buffer (else it is an attribute)."""
    kind = type(value)
    if kind is list or kind is tuple:
        for k, item in enumerate(islice(value, IN_CONTAINERS)):
            if item.__class__ not in PLAIN:
                yield from _within(f"[{k}]", item, True, depth, kinds)
    elif kind is dict:
        for key, item in islice(value.items(), IN_CONTAINERS):
            if key.__class__ in _KEYS and item.__class__ not in PLAIN:
                yield from _within(f"[{key!r}]", item, True, depth, kinds)
    elif kinds.is_module(value):
        for members in ("_parameters", "_buffers"):
            for path, module in _modules(value, kinds):
                for name, tensor in _held(module, members):
                    if isinstance(tensor, kinds.tensor):
                        yield f"{path}.{name}", tensor, True
        yield from _attributes(value, depth, kinds)
    elif kind.__module__ == "__main__":
        yield from _attributes(value, depth, kinds)


def holds(value: Any, depth: int = 0, kinds: Kinds = ENGINE) -> bool:
    """Whether `tensor_paths` may find anything in a value: asked, mostly in vain, of all that gets a name, so it is quick."""
    kind = type(value)
    items: Any
    if kind is list or kind is tuple:
        items = value if len(value) <= IN_CONTAINERS else value[:IN_CONTAINERS]
        if PLAIN.issuperset(map(type, items)):
            return False
    elif kind is dict:
        items = [item for key, item in islice(value.items(), IN_CONTAINERS) if type(key) in _KEYS]
    elif kind.__module__ == "__main__":
        try:
            own = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return False
        if type(own) is not dict:
            return False
        if "_parameters" in own:
            return True
        first = own if len(own) <= IN_CONTAINERS else dict(islice(own.items(), IN_CONTAINERS))
        items = [item for name, item in first.items() if type(item) not in PLAIN and type(name) is str and name[:1] != "_"]
    else:
        return kind.__module__ != "builtins" and kinds.is_module(value)
    for item in items:
        if type(item) not in PLAIN and (isinstance(item, kinds.tensor) or (depth < _DEEP and holds(item, depth + 1, kinds))):
            return True
    return False


def nothing_came(value: Any, kinds: Kinds = ENGINE) -> bool:
    """Whether nothing new is found in a value to which something was appended. Of a list that alone is looked at; all of it, as
    it may have changed otherwise, as long as it is short and whenever it has doubled."""
    if type(value) is not list:
        return False
    n = len(value)
    return n > IN_CONTAINERS or (n > _SHORT and bool(n & (n - 1)) and not holds([value[-1]], kinds=kinds))


def _within(path: str, item: Any, held: bool, depth: int, kinds: Kinds) -> Iterator[tuple[str, Any, bool]]:
    if isinstance(item, kinds.tensor):
        yield path, item, held
    elif depth < _DEEP:
        for further, tensor, inner in tensor_paths(item, depth + 1, kinds):
            yield path + further, tensor, held and inner


def _attributes(value: Any, depth: int, kinds: Kinds) -> Iterator[tuple[str, Any, bool]]:
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return
    for name, item in islice(list(own.items()) if own.__class__ is dict else (), IN_CONTAINERS):
        if item.__class__ not in PLAIN and name.__class__ is str and not name.startswith("_"):
            yield from _within(f".{name}", item, False, depth, kinds)


def _modules(head: Any, kinds: Kinds) -> Iterator[tuple[str, Any]]:
    """A module and those within, in the order of `named_modules`, each under every path that leads to it."""
    stack: list[tuple[str, Any, tuple[int, ...]]] = [("", head, ())]
    for _ in range(MAX_SEARCHED):
        if not stack:
            return
        path, module, above = stack.pop()
        yield path, module
        inside = (*above, id(module))
        for name, child in reversed(list(_held(module, "_modules"))):
            if id(child) not in inside and kinds.is_module(child):
                stack.append((f"{path}.{name}", child, inside))


def _held(module: Any, members: str) -> Iterator[tuple[str, Any]]:
    """The parameters, buffers or modules that a module has registered, without running code of its own."""
    found = object.__getattribute__(module, "__dict__").get(members)
    yield from list(found.items()) if found.__class__ is dict else ()
