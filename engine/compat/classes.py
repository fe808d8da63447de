"""Classes under the names that PyTorch has for them: a program that prints one reads what PyTorch prints."""

from __future__ import annotations

import copyreg
from contextlib import suppress
from importlib import import_module
from types import FunctionType
from typing import Any

from ..itself import OURS
from ..tensor import Tensor

KNOWN: dict[str, type] = {}
"""The classes here by PyTorch's dotted names."""


def known_as(module: str, *kinds: type) -> None:
    """Let classes say that they stand in `module`, as PyTorch's do.

    A pickle finds a class where it says it stands, a module of PyTorch's or none. So a pickle of an instance says how one is
    made here of the class that PyTorch calls so.
    """
    for kind in kinds:
        kind.__module__ = module
        KNOWN[f"{module}.{kind.__qualname__}"] = kind
        if not issubclass(kind, Tensor):  # which has a way of its own
            copyreg.pickle(kind, _reduced)


def own(kind: type, name: str) -> None:
    """Give a class that inherits a method one of its own: in an error about arguments Python names the class that has it."""
    shared: Any = getattr(kind, name)
    copy = FunctionType(shared.__code__, shared.__globals__, name, shared.__defaults__, shared.__closure__)
    copy.__kwdefaults__, copy.__annotations__, copy.__doc__ = shared.__kwdefaults__, shared.__annotations__, shared.__doc__
    copy.__module__, copy.__qualname__ = shared.__module__, f"{kind.__qualname__}.{name}"
    setattr(kind, name, copy)


def name_of(kind: type) -> str | None:
    """PyTorch's dotted name of a class of ours."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    return name if KNOWN.get(name) is kind else None


def named(name: str) -> type:
    """The class that PyTorch calls so.

    Raises:
        KeyError: if there is none here.
    """
    above = name.split(".")[1:-1]
    for n in range(1, len(above) + 1):
        if name not in KNOWN:
            with suppress(ModuleNotFoundError):
                import_module(OURS + ".".join(above[:n]))
    return KNOWN[name]


def made(name: str, *given: Any) -> Any:
    """An instance of the class that PyTorch calls `name`, without its attributes, as a pickle begins one."""
    kind: Any = named(name)
    return kind.__new__(kind, *given)


def _reduced(thing: Any) -> tuple[Any, ...]:
    reduced: Any = object.__reduce_ex__(thing, 4)
    _, (kind, *given), *state = reduced
    return made, (f"{kind.__module__}.{kind.__qualname__}", *given), *state


def typename(thing: Any) -> str:
    """The full name of a thing or of its type, as PyTorch's errors give it: "torch.FloatTensor", "list"."""
    if isinstance(thing, Tensor):
        return str(thing.type())
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    module = getattr(named, "__module__", None) or ""
    return str(named.__qualname__) if module in ("", "builtins") else f"{module}.{named.__qualname__}"
