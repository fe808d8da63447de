"""Hooks of modules: calling forward with what runs before and after it, and hooks on gradients at a module's ends."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from engine.nn.module import Module

Hooks = OrderedDict[int, Callable[..., Any]]


class RemovableHandle:
    """What registering a hook returns; `remove()` takes the hook away again, as does leaving a `with` block."""

    _next: ClassVar[int] = 0
    any: ClassVar[bool] = False
    """Whether a module got a hook in this process; while none did, calls need not look for them."""

    def __init__(self, hooks: Hooks, hook: Any, *marks: dict[int, bool], prepend: bool = False) -> None:
        self.id = RemovableHandle._next
        RemovableHandle._next += 1
        RemovableHandle.any = True
        self._places: tuple[dict[int, Any], ...] = (hooks, *marks)
        hooks[self.id] = hook
        for mark in marks:
            mark[self.id] = True
        if prepend:
            hooks.move_to_end(self.id, last=False)

    def remove(self) -> None:
        """Take the hook away."""
        for place in self._places:
            place.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


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
    self._is_full_backward_hook = True
    return RemovableHandle(self._backward_hooks, hook, prepend=prepend)


# --- the call --------------------------------------------------------------------------------------------------------------


def call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`module(*args, **kwargs)` where there may be hooks."""
    backward = module._backward_hooks or module._backward_pre_hooks
    if not (backward or module._forward_hooks or module._forward_pre_hooks or FORWARD_PRE or FORWARD):
        return module.forward(*args, **kwargs)
    called: set[int] = set()
    try:
        args, kwargs = _before(module, args, kwargs)
        ends = None
        if backward:
            from engine.nn.backward_hooks import BackwardHook

            ends = BackwardHook(module, [*module._backward_hooks.values()], [*module._backward_pre_hooks.values()])
            args = ends.inputs(args)
        result = module.forward(*args, **kwargs)
        for id, hook in [*FORWARD.items(), *module._forward_hooks.items()]:
            called.add(id)
            replaced = _after(module, id, hook, args, kwargs, result)
            if replaced is not None:
                result = replaced
        return result if ends is None else ends.outputs(result)
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
