"""`torch.jit`: what is scripted or traced is itself, so that every operation can be seen."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, get_origin

from .compat.classes import known_as
from .context import outside, warn_once
from .errors import Unsupported
from .nn import Module

__all__ = [
    "Attribute", "Future", "ScriptModule", "annotate", "enable_onednn_fusion", "export", "fork", "freeze", "ignore",
    "is_scripting", "is_tracing", "isinstance", "load", "onednn_fusion_enabled", "optimize_for_inference", "save", "script",
    "script_if_tracing", "script_method", "set_fusion_strategy", "trace", "trace_module", "unused", "wait",
]  # fmt: skip
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
script_method: Callable[[Any], Any] = export


class ScriptModule(Module):
    """A module, whose methods are as they are written."""


known_as("torch.jit", ScriptModule)


def trace_module(mod: Any, inputs: Any, *_: Any, **__: Any) -> Any:
    """A module as it is."""
    return trace(mod)


def freeze(mod: Any, preserved_attrs: Any = None, optimize_numerics: bool = True) -> Any:
    """A module as it is.

    Raises:
        RuntimeError: for what is no module, or one that is training.
    """
    if not builtins.isinstance(mod, Module):
        raise RuntimeError(
            "Freezing expects a ScriptModule as input. "
            "Please use torch.jit.script or torch.jit.trace to script your 'nn.Module'."
        )
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. "
            "Please call .eval() on your module before freezing."
        )
    return mod


def optimize_for_inference(mod: Any, other_methods: Any = None) -> Any:
    """A module as it is."""
    return mod


def annotate(the_type: Any, the_value: Any) -> Any:
    """A value as it is."""
    return the_value


class Attribute(NamedTuple):
    """A value and its type."""

    value: Any
    type: Any


def isinstance(obj: Any, target_type: Any) -> bool:  # PyTorch's name
    """Whether something is of a type, of which only the outermost is looked at."""
    kinds: tuple[Any, ...] = target_type if builtins.isinstance(target_type, tuple) else (target_type,)
    outermost: tuple[Any, ...] = tuple(get_origin(kind) or kind for kind in kinds)
    return builtins.isinstance(obj, outermost)


class Future:
    """What a function has given that was called at once."""

    def __init__(self, value: Any = None) -> None:
        self._value = value

    def wait(self) -> Any:
        """The value."""
        return self._value

    value = wait

    def done(self) -> bool:
        """Always True."""
        return True


def fork(func: Any, *args: Any, **kwargs: Any) -> Future:
    """Call a function; it does not run beside the program, which has one thread."""
    return Future(func(*args, **kwargs))


def wait(future: Future) -> Any:
    """What it has given."""
    return future.wait()


def set_fusion_strategy(strategy: Any) -> list[Any]:
    """Taken, without effect."""
    return []


def enable_onednn_fusion(enabled: bool) -> None:
    """Taken, without effect."""


def onednn_fusion_enabled() -> bool:
    """Always False."""
    return False


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
