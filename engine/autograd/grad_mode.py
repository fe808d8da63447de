"""Switching gradient tracking on and off: context managers that are decorators, too."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from ..context import context
from ..safe_attributes import looked_at


def noted() -> Any:
    """Let the observer note where the mode is about to change; returns what was noted before."""
    before = context.opened
    if context.observer is not None:
        context.opened = context.observer.position()
    return before


class _GradMode:
    """Base of the context managers; used as a decorator it wraps each call of the function (or step of the generator)."""

    mode = False

    def __new__(cls, function: Callable[..., Any] | None = None, *args: Any) -> Any:
        self = object.__new__(cls)
        if callable(function) and not isinstance(function, bool):
            self.__init__()  # type: ignore[misc]
            return self(function)
        return self

    def __init__(self, *_: Any) -> None:
        self.before, self.opened = context.grad, context.opened

    def __enter__(self) -> None:
        self.before, self.opened = context.grad, noted()
        context.grad = self.mode and not context.inference

    def __exit__(self, *_: object) -> None:
        context.grad, context.opened = self.before, self.opened

    def clone(self) -> _GradMode:
        """A fresh one of the same mode."""
        made: _GradMode = type(self)()
        return made

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions "
                "or methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` "
                "method and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
            # A program may give its own classes another one, as it may set what else they have.
            kind = looked_at(function, "init")
            setattr(kind, "__init__", self(getattr(kind, "__init__")))  # noqa: B009, B010
            return function
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def generate(*args: Any, **kwargs: Any) -> Any:
                iterator = function(*args, **kwargs)
                step: Callable[..., Any] = iterator.send
                given: tuple[Any, ...] = (None,)
                while True:
                    try:
                        with self.clone():
                            item = step(*given)
                    except StopIteration as stop:
                        return stop.value
                    try:
                        step, given = iterator.send, ((yield item),)
                    except GeneratorExit:
                        with self.clone():
                            iterator.close()
                        raise
                    except BaseException as error:
                        step, given = iterator.throw, (error,)

            return generate

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return call


class no_grad(_GradMode):  # noqa: N801
    """Within the block, or the decorated function, results do not require grad."""


class enable_grad(_GradMode):  # noqa: N801
    """Within the block gradients are tracked, also inside `no_grad`."""

    mode = True


class inference_mode(_GradMode):  # noqa: N801
    """As `no_grad`, and what is made within is never taken up by autograd again; `inference_mode(False)` tracks."""

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls, mode if callable(mode) else None)

    def __init__(self, mode: Any = True) -> None:
        super().__init__()
        self.on = mode if isinstance(mode, bool) else True

    def clone(self) -> inference_mode:
        """A fresh one of the same mode."""
        made: inference_mode = inference_mode(self.on)
        return made

    def __enter__(self) -> None:
        self.before, self.inferring, self.opened = context.grad, context.inference, noted()
        context.grad, context.inference = (False, True) if self.on else (self.before or self.inferring, False)

    def __exit__(self, *_: object) -> None:
        context.grad, context.inference, context.opened = self.before, self.inferring, self.opened


class set_grad_enabled(_GradMode):  # noqa: N801
    """Switch tracking to `mode`: at once, and back at the end if used as a context manager."""

    def __new__(cls, mode: bool) -> Any:
        return object.__new__(cls)

    def __init__(self, mode: bool) -> None:
        self.before, self.opened = context.grad, noted()
        self.mode = bool(mode)
        context.grad = self.mode

    def clone(self) -> _GradMode:
        """A fresh one of the same mode."""
        return set_grad_enabled(self.mode)

    def __enter__(self) -> None:
        noted()
        context.grad = self.mode

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        context.grad, context.opened = self.before, self.opened
        return super().__call__(function)


for _class in (no_grad, enable_grad, inference_mode, set_grad_enabled):
    _class.__module__ = "torch.autograd.grad_mode"


def is_inference_mode_enabled() -> bool:
    """Whether results are inference tensors now."""
    return context.inference


def is_grad_enabled() -> bool:
    """Whether gradients are tracked now."""
    return context.grad
