"""Who is asked before what a function of PyTorch's does: modes, and the classes of its arguments (`__torch_function__`).

A program's classes that inherit from Tensor are asked, and those that stand where tensors do. So that a program without such a
class pays nothing, nobody is asked until there is one: a class that inherits from Tensor gets `overriding.Overriding` between
itself and Tensor, whose methods and attributes ask; and the functions of `torch` ask from the first such class on
(`ops.calling.ask`). Classes that do not inherit from Tensor are asked where a function cannot do with them what it was called
for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from .tensor import Tensor


class _State:
    """Whether anybody is to be asked yet, whether classes are asked now, the modes that are, the innermost last, and how
    they get a method or an attribute of Tensor's."""

    __slots__ = ("asked", "begun", "handed", "modes")

    def __init__(self) -> None:
        self.handed: Callable[[Any, str], Any] = lambda found, name: found
        self.begun = False
        self.asked = True
        self.modes: list[Any] = []


state = _State()
_when_begun: list[Callable[[], None]] = []


def when_begun(prepare: Callable[[], None]) -> None:
    """Call `prepare` as soon as there is somebody to ask."""
    _when_begun.append(prepare)


def begin() -> None:
    """From now on there is somebody to ask."""
    if not state.begun:
        state.begun = True
        for prepare in _when_begun:
            prepare()


class _Unanswered:
    """Stands for an answer that nobody gave."""


UNANSWERED = _Unanswered()


class DisableTorchFunctionSubclass:
    """A block in which no class of the program is asked; modes are."""

    def __enter__(self) -> None:
        self._before, state.asked = state.asked, False

    def __exit__(self, *exc_info: object) -> None:
        state.asked = self._before


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A block in which nobody is asked."""

    def __enter__(self) -> None:
        super().__enter__()
        self._modes, state.modes = state.modes, []

    def __exit__(self, *exc_info: object) -> None:
        super().__exit__()
        state.modes = self._modes


def disabled_torch_function(
    cls: Any, func: Callable[..., Any], types: Any = (), args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """What a class says for itself by `__torch_function__` that wants nothing of its own: the function of its tensors."""
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


def method_of(kind: type) -> Any:
    """A class's `__torch_function__`; None where it has none, or wants nothing of its own."""
    found = getattr(kind, "__torch_function__", None)
    return None if found is None or getattr(found, "__func__", found) is disabled_torch_function else found


def overriding_in(arguments: Iterable[Any], plain: bool = False) -> list[Any]:
    """Those among some arguments, and in lists among them, whose classes are to be asked: one of each class, those that
    inherit before those that they inherit from.

    Args:
        arguments: what a function was called with.
        plain: whether tensors of no class of the program's are among them, where there are others.
    """
    found: list[Any] = []
    kinds: set[type] = set()
    for argument in arguments:
        for value in argument if isinstance(argument, (list, tuple)) else (argument,):
            kind = type(value)
            if kind in kinds or method_of(kind) is None or (kind is Tensor and not plain):
                continue
            kinds.add(kind)
            before = next((k for k, other in enumerate(found) if issubclass(kind, type(other))), len(found))
            found.insert(before, value)
    return [] if kinds == {Tensor} else found


def answer(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], name: str = "", plain: bool = False
) -> Any:
    """What modes and classes make of a call; `UNANSWERED` where there are none to ask.

    Args:
        function: what was called, as they are given it.
        args: what it was given.
        kwargs: what it was given by name.
        name: how PyTorch calls it, for the error.
        plain: whether PyTorch has written it in Python: its classes are then given Tensor among the types.

    Raises:
        TypeError: where all of them say NotImplemented.
    """
    if not state.modes and not state.asked:
        return UNANSWERED
    found = overriding_in((*args, *kwargs.values()), plain) if state.asked else []
    if not found and not state.modes:
        return UNANSWERED
    types, given = tuple(map(type, found)), kwargs if kwargs or plain else None
    if state.modes:
        mode = state.modes.pop()
        try:
            result = mode.__torch_function__(function, types, args, given)
        finally:
            state.modes.append(mode)
        if result is not NotImplemented:
            return result
    for kind in types:
        result = method_of(kind)(function, types, args, given)
        if result is not NotImplemented:
            return result
    if not found and not state.modes:
        return UNANSWERED
    if plain:
        raise unimplemented(name, types)
    said = "".join(f"  - tensor subclass {kind}\n" for kind in types)
    said += f"  - mode {state.modes[-1]}\n" if state.modes else ""
    raise TypeError(
        f"Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned NotImplemented:\n\n{said}\n"
        "For more information, try re-running with TORCH_LOGS=not_implemented"
    )


def unimplemented(name: str, types: Iterable[type]) -> TypeError:
    """PyTorch's words where all say NotImplemented."""
    return TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}")


def asks_first(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Around a function that PyTorch has written in Python, one that asks the classes of its arguments first, from the first
    such class on."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if state.begun and (result := answer(call, args, kwargs, name, plain=True)) is not UNANSWERED:
            return result
        return function(*args, **kwargs)

    return call


def converted(result: Any, kind: type[Tensor]) -> Any:
    """What a function of a class's tensors gave, as tensors of that class."""
    if kind is Tensor:
        return result
    if isinstance(result, Tensor) and not isinstance(result, kind):
        return result.as_subclass(kind)
    if type(result) in (tuple, list):
        return type(result)([converted(r, kind) for r in result])
    if isinstance(result, tuple) and any([isinstance(r, Tensor) for r in result]):
        return type(result)(*[converted(r, kind) for r in result])
    return result


def torch_function(
    cls: Any, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """What tensors of a class say for themselves where the class says nothing: the function's result, as tensors of it."""
    if not all([issubclass(cls, kind) for kind in types]):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
        return result if func in get_default_nowrap_functions() else converted(result, cls)


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """What gives tensors that are not made tensors of the class."""
    return {handed_out(name).__get__ for name in ("_base", "grad")}


kept: dict[str, Any] = {}
"""Tensor's own methods and attributes while it asks itself."""


def own_of(name: str) -> Any:
    """A method or an attribute of Tensor's as it is where it does not ask."""
    return kept.get(name) or vars(Tensor)[name]


def handed_out(name: str) -> Any:
    """A method or an attribute of Tensor's, as modes and classes are given it."""
    return state.handed(own_of(name), name)
