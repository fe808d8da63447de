"""`tyro`: a data class or a function gets what it takes from the arguments of the run."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import PurePath
from typing import Any

from ...safe_attributes import read

__all__ = ["MISSING", "cli"]
__version__ = "0.9.2"

MISSING = dataclasses.MISSING
SIMPLE: dict[Any, Callable[[str], Any]] = {int: int, float: float, str: str, "int": int, "float": float, "str": str}
TRUTHS = (bool, "bool")


def cli(
    f: Any, *, prog: str | None = None, description: str | None = None, args: Sequence[str] | None = None, default: Any = None,
    **_: Any,
) -> Any:  # fmt: skip
    """Call a function, or make an object of a data class, with the arguments of the run.

    Args:
        f: the function or the class.
        prog, description: what the help says.
        args: the arguments, where they are not those of the run.
        default: an object of the class, whose values are those of which nothing is said.
    """
    parser = argparse.ArgumentParser(prog, description=description)
    places = _add(parser, f, default, "")
    found = vars(parser.parse_args(args))
    return _made(f, places, found)


class _Place:
    """One parameter: where its value is found among the arguments, or the parameters of a class of its own."""

    def __init__(self, name: str, argument: str, inner: Any = None, below: list[_Place] | None = None) -> None:
        self.name, self.argument, self.inner, self.below = name, argument, inner, below


def _add(parser: argparse.ArgumentParser, f: Any, default: Any, before: str) -> list[_Place]:
    places = []
    for name, kind, given in _parameters(f, default):
        argument = f"{before}{name}"
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            of_its_own = None if given is MISSING else given
            places.append(_Place(name, argument, kind, _add(parser, kind, of_its_own, f"{argument}.")))
            continue
        flag = f"--{argument.replace('_', '-')}"
        flags = [flag] if flag == f"--{argument}" else [flag, f"--{argument}"]
        if kind in TRUTHS or (kind is None and isinstance(given, bool)):
            parser.add_argument(
                *flags, dest=argument, action=argparse.BooleanOptionalAction, required=given is MISSING, default=given
            )
        else:
            options = _options(kind, given)
            parser.add_argument(*flags, dest=argument, required=given is MISSING, default=given, **options)
        places.append(_Place(name, argument))
    return places


def _parameters(f: Any, default: Any) -> list[tuple[str, Any, Any]]:
    """Names, annotations and values where nothing is said: MISSING where there is none."""
    if isinstance(f, type) and dataclasses.is_dataclass(f):
        found = []
        for field in dataclasses.fields(f):
            value: Any = field.default
            factory: Any = field.default_factory
            if value is MISSING and factory is not MISSING:
                value = factory()
            if default is not None:
                value = read(default, field.name)
            if field.init:
                found.append((field.name, field.type, value))
        return found
    if not isinstance(f, type | types.FunctionType | types.MethodType):
        raise TypeError(f"tyro takes a function or a data class here, and not {type(f).__name__}")
    empty = inspect.Parameter.empty
    return [
        (p.name, None if p.annotation is empty else p.annotation, MISSING if p.default is empty else p.default)
        for p in inspect.signature(f, follow_wrapped=False).parameters.values()
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]


def _options(kind: Any, given: Any) -> dict[str, Any]:
    """How a value is read, as `argparse` takes it.

    Raises:
        TypeError: for a type of values that cannot be read here.
    """
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return _options(parts[0], given)
    if origin in (typing.Union, types.UnionType):
        some = [part for part in parts if part is not type(None)]
        return _options(some[0], given) if some else {"type": str}
    if origin is typing.Literal:
        return {"type": type(parts[0]), "choices": list(parts)}
    if origin in (list, tuple) or kind in (list, tuple):
        one = parts[0] if parts else str
        fixed = origin is tuple and ... not in parts
        return {"type": _options(one, MISSING)["type"], "nargs": len(parts) if fixed and parts else "*"}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": lambda name: kind[name]}
    if isinstance(kind, type) and issubclass(kind, PurePath):
        return {"type": kind}
    if kind in SIMPLE:
        return {"type": SIMPLE[kind]}
    if given is None or given is MISSING:
        return {"type": str}
    if type(given) in SIMPLE:
        return {"type": type(given)}
    raise TypeError(f"tyro reads numbers, texts, choices, lists and data classes here, and no {kind}")


def _made(f: Any, places: list[_Place], found: dict[str, Any]) -> Any:
    kind_of_list = {
        name: typing.get_origin(kind) or kind for name, kind, _ in _parameters(f, None) if not isinstance(kind, str)
    }
    values = {}
    for place in places:
        value = _made(place.inner, place.below, found) if place.below is not None else found[place.argument]
        values[place.name] = tuple(value) if kind_of_list.get(place.name) is tuple and isinstance(value, list) else value
    return f(**values)
