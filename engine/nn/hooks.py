"""Hooks of modules: calling forward with what runs before and after it, and hooks on gradients at a module's ends."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from ..autograd.handle import Handle
from ..compat.classes import known_as

if TYPE_CHECKING:
    from .module import Module

Hooks = OrderedDict[int, Callable[..., Any]]


class RemovableHandle(Handle):
    """A handle of a module's hook."""

    any: ClassVar[bool] = False
    """Whether a module got a hook in this process; while none did, calls need not look for them."""
    replacing: ClassVar[set[int]] = set()
    """Hooks on `state_dict` that may return another dict."""


known_as(Handle.__module__, RemovableHandle)


FORWARD_PRE: Hooks = OrderedDict()
FORWARD: Hooks = OrderedDict()
FORWARD_ALWAYS: dict[int, bool] = {}
FORWARD_KWARGS: dict[int, bool] = {}
"""Hooks that run for every module, and which of them also want an error's call or the keyword arguments."""


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, args)` before the forward of every module."""
    return RemovableHandle(FORWARD_PRE, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after the forward of every module."""
    marks = [m for m, wanted in ((FORWARD_KWARGS, with_kwargs), (FORWARD_ALWAYS, always_call)) if wanted]
    return RemovableHandle(FORWARD, hook, *marks)


BACKWARD: Hooks = OrderedDict()
BACKWARD_PRE: Hooks = OrderedDict()
"""Hooks on the gradients at the ends of every module."""
REGISTERED: dict[str, Hooks] = {"buffer": OrderedDict(), "parameter": OrderedDict(), "module": OrderedDict()}
"""Hooks on what modules register, by kind."""


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_output)` when the gradients of the output of any module are known."""
    return RemovableHandle(BACKWARD_PRE, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs of any module are known."""
    return RemovableHandle(BACKWARD, hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, buffer)` when a module registers a buffer; what it returns takes the buffer's place."""
    return RemovableHandle(REGISTERED["buffer"], hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, parameter)` when a module registers a parameter; what it returns takes its place."""
    return RemovableHandle(REGISTERED["parameter"], hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, child)` when a module registers a child; what it returns takes the child's place."""
    return RemovableHandle(REGISTERED["module"], hook)


def registered(kind: str, module: Module, name: str, value: Any) -> Any:
    """What the hooks make of what a module is about to register."""
    for hook in REGISTERED[kind].values():
        replaced = hook(module, name, value)
        value = value if replaced is None else replaced
    return value


# --- what Module has as methods --------------------------------------------------------------------------------------------


def register_forward_pre_hook(
    self: Module, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
) -> RemovableHandle:
    """Call `hook(module, args)` before `forward`; what it returns replaces the arguments.

    With `with_kwargs` the call is `hook(module, args, kwargs)`, and the hook returns None or `(args, kwargs)`.
    """
    marks = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
    return RemovableHandle(self._forward_pre_hooks, hook, *marks, prepend=prepend)


def register_forward_hook(
    self: Module, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after `forward`; what it returns replaces the output.

    With `with_kwargs` the call is `hook(module, args, kwargs, output)`; with `always_call` the hook also runs, with None for
    the output, when `forward` raised.
    """
    choices = ((self._forward_hooks_with_kwargs, with_kwargs), (self._forward_hooks_always_called, always_call))
    return RemovableHandle(self._forward_hooks, hook, *[m for m, wanted in choices if wanted], prepend=prepend)


def register_full_backward_pre_hook(self: Module, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
    """Call `hook(module, grad_output)` when the gradients of the output are known; it may return others."""
    return RemovableHandle(self._backward_pre_hooks, hook, prepend=prepend)


def register_full_backward_hook(self: Module, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs are known; it may return others."""
    if self._is_full_backward_hook is False:
        raise RuntimeError(BOTH_KINDS)
    self._is_full_backward_hook = True
    return RemovableHandle(self._backward_hooks, hook, prepend=prepend)


BOTH_KINDS = "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."


def register_backward_hook(self: Module, hook: Callable[..., Any]) -> RemovableHandle:
    """Deprecated: call `hook(module, grad_input, grad_output)` at the last node of the output; it may return other inputs'."""
    if self._is_full_backward_hook is True:
        raise RuntimeError(BOTH_KINDS)
    self._is_full_backward_hook = False
    return RemovableHandle(self._backward_hooks, hook)


def _at_last_node(module: Module, args: tuple[Any, ...], result: Any) -> None:
    """Put the deprecated backward hooks on the node of the first tensor of the output."""
    first = result
    while not hasattr(first, "grad_fn"):
        first = next(v for v in first.values() if hasattr(v, "grad_fn")) if isinstance(first, dict) else first[0]
    if first.grad_fn is None:
        return
    for hook in module._backward_hooks.values():
        first.grad_fn.register_hook(functools.partial(hook, module))
    behind = {a.grad_fn for a in args if getattr(a, "grad_fn", None) is not None}
    if behind != {node for node, _ in first.grad_fn.next_functions}:
        warnings.warn(
            "Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated and will be "
            "removed in future versions. This hook will be missing some grad_input. Please use register_full_backward_hook "
            "to get the documented behavior.",
            FutureWarning,
            stacklevel=4,
        )


# --- the call --------------------------------------------------------------------------------------------------------------


def call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`module(*args, **kwargs)` where there may be hooks."""
    old = module._is_full_backward_hook is False
    backward = (module._backward_hooks and not old) or module._backward_pre_hooks or BACKWARD or BACKWARD_PRE
    if not (old or backward or module._forward_hooks or module._forward_pre_hooks or FORWARD_PRE or FORWARD):
        return module.forward(*args, **kwargs)
    called: set[int] = set()
    try:
        args, kwargs = _before(module, args, kwargs)
        ends = None
        if backward:
            from .backward_hooks import BackwardHook

            own = [] if old else [*module._backward_hooks.values()]
            before = [*BACKWARD_PRE.values(), *module._backward_pre_hooks.values()]
            ends = BackwardHook(module, [*BACKWARD.values(), *own], before)
            args = ends.inputs(args)
        result = module.forward(*args, **kwargs)
        for id, hook in [*FORWARD.items(), *module._forward_hooks.items()]:
            called.add(id)
            replaced = _after(module, id, hook, args, kwargs, result)
            if replaced is not None:
                result = replaced
        if ends is not None:
            result = ends.outputs(result)
        if old:
            _at_last_node(module, args, result)
        return result
    except Exception:
        for id, hook in [*FORWARD.items(), *module._forward_hooks.items()]:
            if id not in called and (id in FORWARD_ALWAYS or id in module._forward_hooks_always_called):
                try:
                    _after(module, id, hook, args, kwargs, None)
                except Exception as error:
                    kind = "global module forward hook" if id in FORWARD else "module forward hook"
                    warnings.warn(
                        f"{kind} with ``always_call=True`` raised an exception that was silenced as another error was "
                        f"raised in forward: {error!s}",
                        stacklevel=3,
                    )
        raise


def _before(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    for id, hook in [*FORWARD_PRE.items(), *module._forward_pre_hooks.items()]:
        if id in module._forward_pre_hooks_with_kwargs:
            both = hook(module, args, kwargs)
            if both is None:
                continue
            if not isinstance(both, tuple) or len(both) != 2:
                raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {both}.")
            args, kwargs = both
        else:
            replaced = hook(module, args)
            if replaced is not None:
                args = replaced if isinstance(replaced, tuple) else (replaced,)
    return args, kwargs


def _after(module: Module, id: int, hook: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    if id in module._forward_hooks_with_kwargs or id in FORWARD_KWARGS:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)
