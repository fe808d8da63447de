"""`torch.compile` and `torch.compiler`: programs run as they are written, so that every operation can be seen; what is compiled
is itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .compat.classes import known_as
from .errors import unsupported
from .nn import Module
from .safe_attributes import read
from .tensor import Tensor

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "list_backends", "nested_compile_region", "reset", "set_stance",
    "substitute_in_graph", "wrap_numpy",
]  # fmt: skip

MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


class OptimizedModule(Module):
    """A module that was compiled: the module itself, one level down, as its parameters' names show."""

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._orig_mod = mod
        self.training = mod.training

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module."""
        return self._orig_mod(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module."""
        return self._orig_mod(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return super().__getattr__(name)
        return read(self._orig_mod, name)


known_as("torch._dynamo.eval_frame", OptimizedModule)


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Any:
    """A function or a module as it is; without one, a decorator.

    Raises:
        RuntimeError: for a mode that PyTorch does not have, or a mode and options.
        NotImplementedError: for a backend that is a function, which would get a graph of PyTorch's.
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if not isinstance(backend, str) and not disable:
        raise unsupported("torch.compile", "backend as a function", ())
    if model is None:
        return functools.partial(compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options)
    if not callable(model):
        raise RuntimeError("Model can't be None" if model is None else "torch.compile takes a function or a module")
    return OptimizedModule(model) if isinstance(model, Module) and not disable else model


def cond(pred: Any, true_fn: Any, false_fn: Any, operands: Any = ()) -> Any:
    """`torch.cond`: one of two functions of the same operands.

    Raises:
        RuntimeError: for a condition that is no single truth value, or operands that are no tuple.
    """
    if not isinstance(pred, bool) and not (isinstance(pred, Tensor) and pred.numel() == 1):
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    return (true_fn if pred else false_fn)(*operands)


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """A function as it is; without one, a decorator."""
    return fn if fn is not None else (lambda function: function)


def allow_in_graph(fn: Any) -> Any:
    """A function as it is."""
    return fn


assume_constant_result: Callable[[Any], Any] = allow_in_graph
wrap_numpy: Callable[[Any], Any] = allow_in_graph


def nested_compile_region(fn: Any = None, options: Any = None) -> Any:
    """A function as it is; without one, a decorator."""
    return disable(fn)


def substitute_in_graph(original_fn: Any, **_: Any) -> Any:
    """A decorator that leaves its function as it is, and the original, too."""
    return allow_in_graph


class set_stance:  # PyTorch's name  # noqa: N801
    """When functions would be compiled anew: as a call, with `with` and as a decorator, and without effect.

    Raises:
        RuntimeError: for a backend in a stance that has none.
    """

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None) -> None:
        if force_backend is not None and stance != "default":
            raise RuntimeError("non-default stance cannot have force_backend set")

    def __call__(self, fn: Any) -> Any:
        """A function as it is."""
        return fn

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: Any) -> None:
        return None


known_as("torch._dynamo.decorators", set_stance)


def reset() -> None:
    """Nothing to forget."""


def cudagraph_mark_step_begin() -> None:
    """Nothing to mark."""


def is_compiling() -> bool:
    """Always False."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """What PyTorch's builds for the CPU have."""
    return ["cudagraphs", "inductor", "openxla", "tvm"]
