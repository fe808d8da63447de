"""The built-in names of a program: Python's harmless ones, guarded stand-ins for some, and a word of help for the others."""

from __future__ import annotations

import abc
import builtins
import operator
import sys
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import Any

from . import iterators
from .attributes import Attributes
from .errors import PolicyError
from .guards import Guards
from .inert import refusal
from .names import PLACED, is_dunder, may_inject, named
from .reentry import calls, pin, target
from .syntax import CAUGHT, NAMED, OWN, PIN, READER, TARGET, WRITER
from .unbound import Super

PLAIN = """
abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter float format
frozenset hash hex id int isinstance issubclass len list map max memoryview min next object oct ord pow print property
range repr reversed round set slice sorted staticmethod str sum super tuple zip Ellipsis False None NotImplemented True
__debug__
"""
"""Built-ins that a program gets as they are, besides the exceptions."""

NOT_BASES = (Super, memoryview, slice, range)

ABSENT = {
    "input": "A program cannot ask; write the value into the text.",
    "eval": "Write the expression into the program, or choose from a dict of functions.",
    "exec": "Write the statements into the program, or choose from a dict of functions.",
    "compile": "Write the code into the program.",
    "breakpoint": "The timeline steps through the run; print() shows values.",
    "help": "The reference tells what each function does.",
    "__import__": "Write an import statement.",
}
"""Built-ins that are refused, with what to do instead."""


def make_builtins(guards: Guards, importer: Callable[..., Any], opener: Callable[..., Any]) -> dict[str, Any]:
    """The built-in names for programs; `guards` gets to know the types among them.

    Args:
        importer: what an `import` statement calls.
        opener: what `open` is.
    """
    found = {name: getattr(builtins, name) for name in PLAIN.split()}
    found |= iterators.PLAIN | {"super": Super}
    found |= {n: v for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException)}
    found |= {kind.__name__: guards.shown(kind, _placed(kind)) for kind in PLACED}
    plain = [v for v in found.values() if v not in NOT_BASES]
    guards.know(plain, bases=True)
    guards.know((type(None), type(...), type(NotImplemented), range, slice))
    found |= {name: refusal(f"{name}()", help) for name, help in ABSENT.items()}
    found["type"] = guards.shown(type, _type_or_class(guards))
    guards.shown(abc.ABCMeta)
    found |= {f.__name__: f for f in _guarded(guards)}
    found["exit"] = found["quit"] = leave
    found["open"] = opener
    found |= {READER: guards.read, WRITER: guards.assigned, OWN: guards.own}
    found |= {PIN: pin, TARGET: target, CAUGHT: guards.caught, NAMED: named}
    found |= {"__build_class__": guards.build, "__import__": importer}
    guards.builtins = found
    return found


def leave(code: Any = None) -> None:
    """End the program."""
    raise SystemExit(code)


def _placed(kind: type[UnicodeError]) -> Callable[..., UnicodeError]:
    """What makes an error with positions: Python shows what is there without looking whether that is within the object."""

    def make(*arguments: Any) -> UnicodeError:
        if len(arguments) > 3:
            arguments = (*arguments[:-3], *(int.__int__(operator.index(n)) for n in arguments[-3:-1]), arguments[-1])
        made: Any = kind(*arguments)
        length = (str if isinstance(made.object, str) else bytes).__len__(made.object)
        start, end = arguments[-3:-1]
        if not 0 <= start <= end <= length:
            raise ValueError(f"the positions of a {kind.__name__} lie within its object here")
        return made  # type: ignore[no-any-return]

    return make


def _type_or_class(guards: Guards) -> Callable[..., Any]:
    def type_(*arguments: Any) -> Any:
        if len(arguments) == 3:
            return guards.made(*arguments)
        if len(arguments) != 1:
            raise TypeError("type() takes 1 or 3 arguments")
        return guards.type_of(arguments[0])

    return type_


def _guarded(guards: Guards) -> tuple[FunctionType, ...]:
    """Built-ins that read and write attributes by name, and one that calls."""

    def program_frame() -> FrameType:
        frame = sys._getframe(2)
        if frame.f_builtins is not guards.builtins:
            # A library calls it for the program, and would show its own names.
            raise PolicyError("names can only be looked up by the program itself", "Call the function in the program.")
        return frame

    def getattr(object: Any, name: str, *default: Any) -> Any:
        if len(default) > 1:
            raise TypeError(f"getattr expected at most 3 arguments, got {2 + len(default)}")
        try:
            return guards.get(object, name)
        except AttributeError:
            if default:
                return default[0]
            raise

    def hasattr(object: Any, name: str) -> bool:
        try:
            guards.get(object, name)
        except (AttributeError, PolicyError):
            return False
        return True

    def setattr(object: Any, name: str, value: Any) -> None:
        guards.set(object, name, value)

    def delattr(object: Any, name: str) -> None:
        guards.delete(object, name)

    def vars(*object: Any) -> dict[str, Any]:
        if not object:
            return _local(program_frame().f_locals)
        return guards.attributes(*object)

    def locals() -> dict[str, Any]:
        return _local(program_frame().f_locals)

    def globals() -> dict[str, Any]:
        return Attributes(program_frame().f_globals, may_inject)

    def dir(*object: Any) -> list[str]:
        if not object:
            return sorted(_local(program_frame().f_locals))
        return [name for name in builtins.dir(*object) if guards.is_readable(object[0], name)]

    def iter(*arguments: Any) -> Any:
        if len(arguments) != 2:
            return builtins.iter(*arguments)
        if not callable(arguments[0]):
            raise TypeError("iter(v, w): v must be callable")
        return calls(*arguments)

    functions: Any = (getattr, hasattr, setattr, delattr, vars, locals, globals, dir, iter)
    for function in functions:
        function.__qualname__ = function.__name__
    return functions  # type: ignore[no-any-return]


def _local(names: Any) -> dict[str, Any]:
    return {name: value for name, value in dict(names).items() if not is_dunder(name)}
