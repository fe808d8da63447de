"""`torch.jit`: what is scripted or traced is itself, so that every operation can be seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .context import outside, warn_once
from .errors import Unsupported

__all__ = ["export", "ignore", "is_scripting", "is_tracing", "load", "save", "script", "script_if_tracing", "trace", "unused"]
AS_WRITTEN = (
    "torch.jit: Gradtape runs programs as they are written; what is scripted or traced is the function or module itself."
)
NO_FILE = (
    "torch.jit.{0}() is not supported by Gradtape: there is no TorchScript here. Use torch.{0} with the module's state_dict()."
)


def script(obj: Any, *_: Any, **__: Any) -> Any:
    """A function, a class or a module as it is."""
    warn_once(AS_WRITTEN, outside())
    return obj


def trace(func: Any, example_inputs: Any = None, *_: Any, **__: Any) -> Any:
    """A function or a module as it is; nothing is recorded of the inputs."""
    warn_once(AS_WRITTEN, outside())
    return func


def export(fn: Any) -> Any:
    """A function as it is."""
    return fn


script_if_tracing: Callable[[Any], Any] = export


def ignore(drop: Any = False, **_: Any) -> Any:
    """A function as it is; as a decorator with or without arguments."""
    return drop if callable(drop) else export


unused: Callable[[Any], Any] = export


def is_scripting() -> bool:
    """Always False."""
    return False


is_tracing = is_scripting


def save(*_: Any, **__: Any) -> NoReturn:
    """Refused.

    Raises:
        Unsupported: always.
    """
    raise Unsupported(NO_FILE.format("save"))


def load(*_: Any, **__: Any) -> NoReturn:
    """Refused, likewise.

    Raises:
        Unsupported: always.
    """
    raise Unsupported(NO_FILE.format("load"))


def __getattr__(name: str) -> Any:
    from .compat.names import missing

    raise missing("torch.jit", name, __all__)
