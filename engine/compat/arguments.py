"""PyTorch's words for an argument of a kind that a function does not take, looked for when a call has failed.

Which kinds each function takes stands in `arguments.txt`, as PyTorch itself has told (`tests/engine/compat/argument_kinds.py`):
of a function with one signature what it says of each parameter, of one with several the signatures. What PyTorch does in Python
first (`F.mse_loss` asks its target for `size()`) stands there, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import CodeType, FunctionType, TracebackType
from typing import Any, NamedTuple

import numpy as np

from ..tensor import Tensor
from ..tensor_attributes import memory_format
from .signatures import invalid_combination, several, type_name, written

_PLAIN = re.compile(r"(\w+):\w+\.\w+:\d*:(int|bool|float|Number)\b")
_PARAMETER = re.compile(r"(.+?) (\w+)(?: = .*)?")


class Fact(NamedTuple):
    """What one parameter takes, and how PyTorch's error speaks of it."""

    parameter: str
    function: str
    argument: str
    place: str
    """The number of the argument, "" where it is given by its name."""
    kind: str
    none: bool = False
    """Whether None is taken, too."""


class Signature(NamedTuple):
    """One of several ways to call a function."""

    positional: tuple[Fact, ...]
    named: dict[str, Fact]
    """All of its parameters."""
    needed: int
    """Arguments that it takes at least, and"""
    most: int
    """at most, those that are given by name among them."""
    text: str


class Known(NamedTuple):
    """What is known of a function: of each of its parameters, or its name and its signatures."""

    facts: tuple[Fact, ...] = ()
    name: str = ""
    signatures: tuple[Signature, ...] = ()


@cache
def _known(owner: str, name: str) -> Known | None:
    """What is known of a function; None if that is nothing."""
    said = written().get(owner, {}).get(name)
    if said is None:
        return None
    if said.startswith("("):
        called, *signatures = several(said)
        return Known((), called, tuple([_signature(called, text) for text in signatures]))
    return Known(tuple(map(_fact, said.split())))


def plain_kinds(owner: str, name: str) -> dict[str, str]:
    """The parameters of a function that take a number, or a truth value, and of which kind."""
    return dict(_PLAIN.findall(written().get(owner, {}).get(name, "")))


def _fact(text: str) -> Fact:
    parameter, _, rest = text.partition(":")
    if rest.startswith("."):
        return Fact(parameter, "", "", "", rest)
    called, place, kind = rest.split(":")
    function, _, argument = called.partition(".")
    name = kind.removesuffix("?")
    name = name if name.startswith("torch.") else name.replace("_", " ")
    return Fact(parameter, function, argument, place, name, kind.endswith("?"))


def _signature(function: str, text: str) -> Signature:
    facts: list[Fact] = []
    every: dict[str, Fact] = {}
    needed = most = 0
    named = False
    for part in re.split(r", (?=\*|[\w.]+(?: of \w+)? \w+)", text) if text else ():
        found = _PARAMETER.fullmatch(part)
        named = named or part == "*"
        if found is None:
            continue
        kind, name = found.groups()
        needed += " = " not in part
        most += 1
        kind = f"{kind} or int" if kind == "tuple of ints" else kind
        every[name] = fact = Fact(name, function, name, "" if named else str(most), kind, part.endswith(" = None"))
        if not named:
            facts.append(fact)
    return Signature(tuple(facts), every, needed, most, text)


# --- what fits ----------------------------------------------------------------------------------------------------------------


def _is_number(value: Any, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, Tensor):
        array = value._array
        return not array.ndim and not value.requires_grad and (int not in kinds or float in kinds or array.dtype.kind in "iu")
    return isinstance(value, kinds)


_INT = (int, np.integer)
_FLOAT = (int, float, np.integer, np.floating, np.bool_)
_NUMBER = (*_FLOAT, complex, np.complexfloating)


def _is_int(value: Any) -> bool:
    if isinstance(value, bool | np.bool_):
        return False
    return _is_number(value, _INT) or (not isinstance(value, Tensor | float | str) and hasattr(type(value), "__index__"))


_FITS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda value: isinstance(value, Tensor),
    "Tensor or Number": lambda value: isinstance(value, Tensor) or _is_number(value, _NUMBER),
    "int": _is_int,
    "float": lambda value: _is_number(value, _FLOAT),
    "Number": lambda value: _is_number(value, _NUMBER),
    "bool": lambda value: isinstance(value, bool | np.bool_),
    "str": lambda value: isinstance(value, str),
    "torch.memory_format": lambda value: isinstance(value, memory_format),
    "tuple of Tensors": lambda value: isinstance(value, tuple | list),
    "tuple of ints": lambda value: isinstance(value, tuple | list) and all(map(_is_int, value)),
    "tuple of ints or int": lambda value: _is_int(value) or (isinstance(value, tuple | list) and all(map(_is_int, value))),
}
"""Whether a value is of a kind; of the kinds that do not stand here nothing is said."""


def _fits(fact: Fact, value: Any) -> bool:
    return fact.kind not in _FITS or (fact.none and value is None) or _FITS[fact.kind](value)


# --- what is said -------------------------------------------------------------------------------------------------------------


def _unlike(fact: Fact, value: Any) -> Exception | None:
    """The error for a value that a parameter does not take."""
    if fact.kind.startswith("."):
        asked = fact.kind[1:]
        return None if hasattr(value, asked) else AttributeError(f"'{type(value).__name__}' object has no attribute '{asked}'")
    if _fits(fact, value):
        return None
    argument = f"{fact.function}(): argument '{fact.argument}'"
    place = f" (position {fact.place})" if fact.place else ""
    kind = fact.kind.removesuffix(" or int").removesuffix(" or Number")
    if kind == "tuple of ints" and isinstance(value, tuple | list):
        at = next(k for k, each in enumerate(value) if not _is_int(each))
        if not at:
            return TypeError(f"{argument}{place} must be {kind}, but found element of type {type_name(value[0])} at pos 0")
        return _unpacked(argument, value, at)
    return TypeError(f"{argument}{place} must be {kind}, not {type_name(value)}")


def _unpacked(argument: str, values: Sequence[Any], at: int) -> TypeError:
    """The error for a size that is no whole number, behind one that is."""
    return TypeError(
        f'{argument} failed to unpack the object at pos {at + 1} with error "type must be tuple of ints,but got '
        f'{type_name(values[at])}"'
    )


def refused(
    owner: str, name: str, given: Mapping[str, Any], named: Mapping[str, Any], rest: str = "", more: Sequence[Any] = ()
) -> Exception | None:
    """PyTorch's error for what a function was given, None where all of it is of the kinds that it takes.

    Args:
        owner: the namespace, "torch.Tensor" for a method.
        given: what its parameters were given, in their order; those that were given nothing are left out. `named` is the same
            of those that are only given by their names.
        rest: the parameter that takes any number of arguments, and `more` what it was given.
    """
    known = _known(owner, name)
    if known is None:
        return None
    if known.signatures:
        return _of_several(known, [*list(given.values())[owner == "torch.Tensor" :], *more], named)
    given = {**given, **named}
    for fact in known.facts:
        number = fact.parameter.removeprefix(f"{rest}_") if rest else ""
        if fact.parameter == rest and more:
            error = _of_rest(fact, more)
        elif number.isdigit():
            error = _unlike(fact, more[int(number)]) if int(number) < len(more) else None
        elif fact.parameter in given:
            error = _unlike(fact, given[fact.parameter])
        else:
            continue
        if error is not None:
            return error
    return None


def _of_rest(fact: Fact, more: Sequence[Any]) -> Exception | None:
    """The error for sizes that are given one by one."""
    if len(more) == 1:
        return _unlike(fact, more[0])
    at = next((k for k, each in enumerate(more) if not _is_int(each)), None)
    if at is None:
        return None
    if not at:
        return TypeError(f"{fact.function}() takes 1 positional argument but {len(more)} were given")
    return _unpacked(f"{fact.function}(): argument '{fact.argument}'", more, at)


def _takes_sizes(signature: Signature) -> bool:
    """Whether whole numbers can be given one by one, for the only list of them that a signature takes."""
    return len(signature.positional) == 1 and signature.positional[0].kind == "tuple of ints or int"


def _of_several(known: Known, values: Sequence[Any], named: Mapping[str, Any]) -> Exception | None:
    """The error where none of several signatures takes some values."""
    if len(values) > 1 and _is_int(values[0]) and not all(map(_is_int, values)):
        # Sizes, one by one: the only list of whole numbers that a signature takes.
        for signature in known.signatures:
            if _takes_sizes(signature):
                at = next(k for k, each in enumerate(values) if not _is_int(each))
                return _unpacked(f"{known.name}(): argument '{signature.positional[0].argument}'", values, at)
    elif len(values) > 1 and all(map(_is_int, values)) and any(_takes_sizes(s) for s in known.signatures):
        values = (tuple(values),)
    count = len(values) + len(named)
    counted = [s for s in known.signatures if s.needed <= count <= s.most]
    pairs = []
    for signature in counted:
        found = [*zip(signature.positional, values, strict=False)]
        found += [(signature.named[name], value) for name, value in named.items() if name in signature.named]
        if len(found) == count and all(_fits(fact, value) for fact, value in found):
            return None
        pairs.append(found)
    if len(pairs) == 1:
        return next((error for fact, value in pairs[0] if (error := _unlike(fact, value)) is not None), None)
    if not counted:
        return None
    return invalid_combination(known.name, *values, signatures=[s.text for s in known.signatures], **named)


# --- where it is looked for ---------------------------------------------------------------------------------------------------


@cache
def _functions() -> dict[CodeType, tuple[str, str]]:
    """The functions that PyTorch has written in Python, by their code: namespace and name."""
    from ..ops import namespace
    from ..ops.calling import declared_as

    owner = "torch.nn.functional"
    there = {name: declared_as(f) for name, f in namespace(owner).items() if name in written()[owner]}
    return {f.__code__: (owner, name) for name, f in there.items() if isinstance(f, FunctionType)}


def in_pytorchs_words(error: BaseException) -> Exception | None:
    """What PyTorch raises where this engine has raised an error because a function of PyTorch's, written in Python, was given
    what it does not take, or a module a size; None where that is not so."""
    from ..ops.shape.dimensions import sizes

    for code, values in _calls(error.__traceback__):
        if code is sizes.__code__:
            return refused("torch", "empty", {}, {}, "args", values["args"])
        function = _functions().get(code)
        if function is not None:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            given = {name: values[name] for name in names if name in values and values[name] is not None}
            found = refused(*function, given, {})
            if found is not None:
                return found
    return None


def _calls(trace: TracebackType | None) -> Iterator[tuple[CodeType, Mapping[str, Any]]]:
    while trace is not None:
        yield trace.tb_frame.f_code, trace.tb_frame.f_locals
        trace = trace.tb_next
