"""`torch.overrides`: modes, and what programs ask about those who override PyTorch's functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from types import FunctionType
from typing import Any

from .asking import (
    begin,
    get_default_nowrap_functions,
    handed_out,
    method_of,
    overriding_in,
    own_of,
    state,
    unimplemented,
)
from .overriding import tensor_asks
from .tensor import Tensor

__all__ = [
    "TorchFunctionMode",
    "get_default_nowrap_functions",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]


class TorchFunctionMode:
    """A block in which every function of PyTorch's that the program calls is given to `__torch_function__` first."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """What becomes of a call; a mode says it.

        Raises:
            NotImplementedError: where it does not.
        """
        raise NotImplementedError

    def __enter__(self) -> Any:
        begin()
        if not state.modes:
            tensor_asks(True)
        state.modes.append(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        last = next((k for k in reversed(range(len(state.modes))) if state.modes[k] is self), None)
        if last is not None:
            del state.modes[last]
        if not state.modes:
            tensor_asks(False)


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether there is somebody to ask about these arguments."""
    return bool(state.modes) or (state.asked and bool(overriding_in(relevant_args)))


def has_torch_function_unary(argument: Any) -> bool:
    """Whether there is somebody to ask about this argument."""
    return has_torch_function((argument,))


def has_torch_function_variadic(*arguments: Any) -> bool:
    """Whether there is somebody to ask about these arguments."""
    return has_torch_function(arguments)


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """What the classes of the relevant arguments make of a call of `public_api`.

    Raises:
        TypeError: where none of them implements it.
    """
    found = overriding_in(relevant_args, plain=True)
    types = tuple(map(type, found))
    for kind in types:
        result = method_of(kind)(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise unimplemented(f"{public_api.__module__}.{public_api.__name__}", types)


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator for functions that are to ask; `dispatcher` gives, of what they are called with, what is relevant."""

    def around(func: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return around


def is_tensor_like(inp: Any) -> bool:
    """Whether something is a tensor, or says what functions of tensors make of it."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def _names() -> dict[Any, str]:
    """Tensor's own methods, and what reads and sets its attributes, with their names."""
    found: dict[Any, str] = {}
    for name in vars(Tensor):
        own = own_of(name)
        if isinstance(own, property):
            told = handed_out(name)
            found |= {told.__get__: f"{name}.__get__", told.__set__: f"{name}.__set__"}
        elif isinstance(own, FunctionType):
            found |= {handed_out(name): name}
    return found


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function is a method of Tensor, or reads or sets one of its attributes."""
    return func in _names()


def resolve_name(f: Callable[..., Any]) -> str | None:
    """The name of one of PyTorch's functions, with what it is found in; None for any other."""
    if (name := _names().get(f)) is not None:
        return f"torch.Tensor.{name}"
    called = vars(f).get("_called") if isinstance(f, FunctionType) else None
    return None if called is None else f"{called.owner}.{called.known_as}"
