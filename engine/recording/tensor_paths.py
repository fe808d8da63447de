"""Where tensors stand in a value of the program: in lists, dicts, modules and objects, found without running its code."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..tensor import Tensor

IN_CONTAINERS = 64
"""How many items of a list, dict or object are looked at."""
_DEEP = 3
"""How far a list in an object in a list is followed."""
_KEYS = frozenset((str, int))


def tensor_paths(value: Any, depth: int = 0) -> Iterator[tuple[str, Tensor, bool]]:
    """The tensors in a value: what to write behind the value's name to get there, the tensor, and whether it stands in a
    container or is a module's parameter or buffer (else it is an attribute)."""
    kind = type(value)
    if kind is list or kind is tuple:
        for k, item in enumerate(islice(value, IN_CONTAINERS)):
            yield from _within(f"[{k}]", item, True, depth)
    elif kind is dict:
        for key, item in islice(value.items(), IN_CONTAINERS):
            if key.__class__ in _KEYS:
                yield from _within(f"[{key!r}]", item, True, depth)
    elif walks := _walks_of(value):
        for walk in walks:
            for path, tensor in walk(value):
                yield f".{path}", tensor, True
        yield from _attributes(value, depth)
    elif kind.__module__ == "__main__":
        yield from _attributes(value, depth)


def _within(path: str, item: Any, held: bool, depth: int) -> Iterator[tuple[str, Tensor, bool]]:
    if isinstance(item, Tensor):
        yield path, item, held
    elif depth < _DEEP:
        for further, tensor, inner in tensor_paths(item, depth + 1):
            yield path + further, tensor, held and inner


def _attributes(value: Any, depth: int) -> Iterator[tuple[str, Tensor, bool]]:
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return
    for name, item in islice(list(own.items()) if own.__class__ is dict else (), IN_CONTAINERS):
        if name.__class__ is str and not name.startswith("_"):
            yield from _within(f".{name}", item, False, depth)


def _walks_of(value: Any) -> tuple[Any, ...]:
    """How to walk the parameters and the buffers of a module: the engine's own ways, so that no code of the value's runs;
    () for what is no module, or not one yet (within its `__init__`)."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return ()
    if "_parameters" not in own:
        return ()
    for c in type(value).__mro__:
        if getattr(c, "__engine__", False) and "named_parameters" in vars(c):
            return vars(c)["named_parameters"], vars(c)["named_buffers"]
    return ()
