"""`torch.overrides`: classes of the program's own that tensors may be of, or that stand where tensors do, and their word in
what is computed with them (`__torch_function__`).

PyTorch asks such a class before each of its functions. So that a program without such a class pays nothing, nobody is asked
until there is one: a class that inherits from Tensor gets `Overriding` between itself and Tensor, whose methods and attributes
ask; and the functions of `torch` ask from the first such class on (`ops.calling.ask`). Classes that do not inherit from Tensor
are asked where a function cannot do with them what it was called for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from types import FunctionType
from typing import Any, ClassVar

from .itself import OURS
from .tensor import Absent, Tensor

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


class _State:
    """Whether anybody is to be asked yet, whether classes are asked now, the modes that are, the innermost last, and how
    they get a method or an attribute of Tensor's."""

    __slots__ = ("asked", "begun", "handed", "modes")

    def __init__(self) -> None:
        self.handed: Callable[[Any, str], Any] = lambda found, name: found
        self.begun = False
        self.asked = True
        self.modes: list[TorchFunctionMode] = []


state = _State()
_when_begun: list[Callable[[], None]] = []


def when_begun(prepare: Callable[[], None]) -> None:
    """Call `prepare` as soon as there is somebody to ask."""
    _when_begun.append(prepare)


def _begin() -> None:
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


def _method_of(kind: type) -> Any:
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
            if kind in kinds or _method_of(kind) is None or (kind is Tensor and not plain):
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
        result = _method_of(kind)(function, types, args, given)
        if result is not NotImplemented:
            return result
    if not found and not state.modes:
        return UNANSWERED
    if plain:
        raise _unimplemented(name, types)
    said = "".join(f"  - tensor subclass {kind}\n" for kind in types)
    said += f"  - mode {state.modes[-1]}\n" if state.modes else ""
    raise TypeError(
        f"Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned NotImplemented:\n\n{said}\n"
        "For more information, try re-running with TORCH_LOGS=not_implemented"
    )


def _unimplemented(name: str, types: Iterable[type]) -> TypeError:
    return TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}")


def asks_first(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Around a function of autograd's, one that asks the classes of its arguments first, from the first such class on."""

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
    return {_given(name).__get__ for name in ("_base", "grad")}


_kept: dict[str, Any] = {}
"""Tensor's own methods and attributes while it asks itself."""


def _own(name: str) -> Any:
    """A method or an attribute of Tensor's as it is where it does not ask."""
    return _kept.get(name) or vars(Tensor)[name]


def _given(name: str) -> Any:
    """A method or an attribute of Tensor's, as modes and classes are given it."""
    return state.handed(_own(name), name)


# --- methods and attributes -------------------------------------------------------------------------------------------------

_OWN = (
    "array array_priority array_wrap class deepcopy dict dir doc getattribute getstate hash init init_subclass iter module new "
    "reduce reduce_ex setattr sizeof slots subclasshook torch_function weakref"
)
_NOT_ASKED = frozenset([*(f"__{name}__" for name in _OWN.split()), "as_subclass"])
"""What of a tensor's is its own affair, of whatever class it is."""
_SEEN = ("_base", "_version")
"""Attributes that PyTorch has although their names begin with an underscore."""
_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_OPERATORS = frozenset(f"__{kind}{name}__" for name in _BINARY.split() for kind in ("", "r"))
"""Operators that give the other side a try."""
_IN_PLACE = frozenset(f"__i{name}__" for name in _BINARY.split())
OF_OPERATORS = {
    "__mod__": "remainder", "__abs__": "abs", "__add__": "add", "__radd__": "add", "__iadd__": "add_", "__isub__": "sub_",
    "__imul__": "mul_", "__itruediv__": "div_", "__ipow__": "pow_", "__ifloordiv__": "floor_divide_", "__imod__": "remainder_",
    "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul", "__truediv__": "div", "__pow__": "pow", "__matmul__": "matmul",
    "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__neg__": "neg", "__pos__": "positive",
    "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor",
}  # fmt: skip
"""The methods that operators are in PyTorch; the others are methods of their own."""


def _for_program() -> bool:
    """Whether it is the program that reads or calls something of a tensor's, or one of the modules that it is made of."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(f"{OURS}sandbox.policy."):
        frame = frame.f_back
    name: str = frame.f_globals.get("__name__", "")
    return not name.startswith(OURS) or name.startswith(f"{OURS}nn.")


def _method(name: str) -> Callable[..., Any]:
    """A method that asks before it does what Tensor's does; where the other side of a reflected operator is a tensor as well,
    PyTorch knows the operator itself only."""
    own = _own(name)
    plain = (_given(OF_OPERATORS.get(name, name)), getattr(own, "_before", own))
    binary = name in _OPERATORS
    turned = None
    if binary and name.startswith("__r") and (forward := name.replace("__r", "__", 1)) in vars(Tensor):
        turned = (_given(OF_OPERATORS.get(forward, forward)), _own(forward))

    @wraps(own)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        (function, straight), given = plain, (self, *args)
        if turned is not None and args and isinstance(args[0], Tensor):
            (function, straight), given = turned, (args[0], self)
        if not (state.asked or state.modes) or not _for_program():
            return straight(*given, **kwargs)
        try:
            result = answer(function, given, kwargs, f"torch.Tensor.{getattr(function, '__name__', name)}")
        except TypeError:
            if binary:
                return NotImplemented
            raise
        return straight(*given, **kwargs) if result is UNANSWERED else result

    return call


def _attribute(name: str) -> property:
    own = _own(name)

    def asked(access: Callable[..., Any], given: Callable[..., Any]) -> Callable[..., Any]:
        def reached(self: Any, *value: Any) -> Any:
            if not (state.asked or state.modes) or not _for_program():
                return access(self, *value)
            result = answer(given, (self, *value), {}, f"torch.Tensor.{name}.{access.__name__}")
            return access(self, *value) if result is UNANSWERED else result

        return reached

    given = _given(name)
    getter, setter = asked(own.__get__, given.__get__), asked(own.__set__, given.__set__)
    return property(getter, setter, asked(own.__delete__, given.__delete__), own.__doc__)


def _iterated(self: Any) -> Iterator[Any]:
    """The tensor's parts along its first dimension."""
    if self._array.ndim:
        result = answer(_given("unbind"), (self, 0), {}, "torch.Tensor.unbind")
        if result is not UNANSWERED:
            return iter(result)
    return iter(_own("__iter__")(self))


def _asking() -> dict[str, Any]:
    """What asks before it does what Tensor's methods and attributes do, by name."""
    made: dict[str, Any] = {"__iter__": _iterated}
    for name in list(vars(Tensor)):
        own = _own(name)
        if name in _NOT_ASKED or isinstance(own, Absent) or (name[0] == "_" and name[:2] != "__" and name not in _SEEN):
            continue
        if isinstance(own, property):
            made[name] = _attribute(name)
        elif isinstance(own, FunctionType):
            made[name] = _method(name)
    return made


def inherited(kind: type[Tensor]) -> None:
    """Let a class that inherits from Tensor be asked.

    It is called with each class once it has been made. What stands between it and Tensor is put there now: what the class
    defines itself comes before, and `super()` within it asks, too.
    """
    if "__torch_dispatch__" in vars(kind):
        raise NotImplementedError(NO_DISPATCH)
    _begin()
    if not Overriding.made:
        asking = _asking()
        for name, value in asking.items():
            setattr(Overriding, name, value)
        for kind_of_ours in Tensor.__subclasses__():  # the left side of an operator, where Python does not turn to the right
            if kind_of_ours is not Overriding:
                for name in _OPERATORS & asking.keys():
                    setattr(kind_of_ours, name, asking[name])
        for name in asking:  # what writes to a tensor of no such class, given one
            if name in _IN_PLACE or (name[0] != "_" and name[-1] == "_"):
                setattr(Tensor, name, asking[name])
        Overriding.made = True
    kind.__bases__ = tuple(Overriding if base is Tensor else base for base in kind.__bases__)


NO_DISPATCH = (
    "__torch_dispatch__ is not supported: there is nothing below autograd that could call it. Use __torch_function__, which is "
    "asked before every function."
)


class Overriding(Tensor):
    """What stands between Tensor and the program's own classes of tensors."""

    __slots__ = ()
    __hash__ = Tensor.__hash__
    made: ClassVar[bool] = False


Overriding.__module__ = "torch"


# --- modes ------------------------------------------------------------------------------------------------------------------


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
        _begin()
        if not state.modes:
            _tensor_asks(True)
        state.modes.append(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        last = next((k for k in reversed(range(len(state.modes))) if state.modes[k] is self), None)
        if last is not None:
            del state.modes[last]
        if not state.modes:
            _tensor_asks(False)


def _tensor_asks(asks: bool) -> None:
    """Let Tensor itself ask, as long as there is a mode, or no longer."""
    if asks and not _kept:
        asking = _asking()
        _kept.update({name: _own(name) for name in asking})
    else:
        asking = dict(_kept)
        _kept.clear()
    for name, value in asking.items():
        setattr(Tensor, name, value)


# --- for those who write functions of their own ------------------------------------------------------------------------------


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
        result = _method_of(kind)(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise _unimplemented(f"{public_api.__module__}.{public_api.__name__}", types)


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
        own = _own(name)
        if isinstance(own, property):
            given = _given(name)
            found |= {given.__get__: f"{name}.__get__", given.__set__: f"{name}.__set__"}
        elif isinstance(own, FunctionType):
            found |= {_given(name): name}
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
