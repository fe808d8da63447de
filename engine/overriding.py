"""The program's own classes of tensors: what stands between them and Tensor, and asks before it does what Tensor does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from types import FrameType, FunctionType
from typing import Any, ClassVar

from .asking import UNANSWERED, answer, begin, handed_out, kept, own_of, state
from .itself import OURS
from .tensor import Absent, Tensor

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
    while frame.f_back is not None and _module_of(frame).startswith(f"{OURS}sandbox.policy."):
        frame = frame.f_back
    name = _module_of(frame)
    return not name.startswith(OURS) or name.startswith(f"{OURS}nn.")


def _module_of(frame: FrameType) -> str:
    """The name of the module that runs; "" where a program has given its own another one than a text."""
    name = frame.f_globals.get("__name__")
    return name if type(name) is str else ""


def _method(name: str) -> Callable[..., Any]:
    """A method that asks before it does what Tensor's does; where the other side of a reflected operator is a tensor as well,
    PyTorch knows the operator itself only."""
    own = own_of(name)
    plain = (handed_out(OF_OPERATORS.get(name, name)), getattr(own, "_before", own))
    binary = name in _OPERATORS
    turned = None
    if binary and name.startswith("__r") and (forward := name.replace("__r", "__", 1)) in vars(Tensor):
        turned = (handed_out(OF_OPERATORS.get(forward, forward)), own_of(forward))

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
    own = own_of(name)

    def asked(access: Callable[..., Any], told: Callable[..., Any]) -> Callable[..., Any]:
        def reached(self: Any, *value: Any) -> Any:
            if not (state.asked or state.modes) or not _for_program():
                return access(self, *value)
            result = answer(told, (self, *value), {}, f"torch.Tensor.{name}.{access.__name__}")
            return access(self, *value) if result is UNANSWERED else result

        return reached

    told = handed_out(name)
    getter, setter = asked(own.__get__, told.__get__), asked(own.__set__, told.__set__)
    return property(getter, setter, asked(own.__delete__, told.__delete__), own.__doc__)


def _iterated(self: Any) -> Iterator[Any]:
    """The tensor's parts along its first dimension."""
    if self._array.ndim:
        result = answer(handed_out("unbind"), (self, 0), {}, "torch.Tensor.unbind")
        if result is not UNANSWERED:
            return iter(result)
    return iter(own_of("__iter__")(self))


def _asking() -> dict[str, Any]:
    """What asks before it does what Tensor's methods and attributes do, by name."""
    made: dict[str, Any] = {"__iter__": _iterated}
    for name in list(vars(Tensor)):
        own = own_of(name)
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
    begin()
    if not Overriding.made:
        asking = _asking()
        for name, value in asking.items():
            setattr(Overriding, name, value)
        for kind_of_ours in Tensor.__subclasses__():  # the left side of an operator, where Python does not turn to the right
            if kind_of_ours not in (Overriding, kind):
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


def tensor_asks(asks: bool) -> None:
    """Let Tensor itself ask, as long as there is a mode, or no longer."""
    if asks and not kept:
        asking = _asking()
        kept.update({name: own_of(name) for name in asking})
    else:
        asking = dict(kept)
        kept.clear()
    for name, value in asking.items():
        setattr(Tensor, name, value)
