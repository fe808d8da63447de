"""Overloads that PyTorch takes with a warning: a factor stands before the tensor it belongs to, as in `p.add_(-lr, grad)`."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from ..compat.signatures import overloads
from ..context import outside
from ..op.slow_path import NUMBERS
from ..tensor import Tensor

_FACTORS = ("value", "beta", "alpha")


def factors_of(parameters: Iterable[inspect.Parameter]) -> tuple[str, ...]:
    """The factors among a function's parameters, which are given by name today."""
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in _FACTORS)


def reordered(
    name: str, method: bool, parameters: Sequence[inspect.Parameter], arguments: list[Any]
) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments as they are given today, the factors by name, with PyTorch's warning; None where it is no such call."""
    factors = factors_of(parameters)
    rest = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD][1:]
    numbers = [k for k, value in enumerate(arguments) if isinstance(value, NUMBERS)]
    tensors = [value for value in arguments if isinstance(value, Tensor)]
    if not factors or len(tensors) != len(rest) + 1 or len(numbers) + len(tensors) != len(arguments):
        return None
    # Of two factors the first stands before the first tensor, of a method behind it.
    first = int(method or len(factors) == 1)
    if numbers not in ([first], [1, 2] if method else [0, 2])[: len(factors)]:
        return None
    given = factors[: len(numbers)]
    _warn(name, method, given, factors, rest)
    return tensors, {factor: arguments[k] for factor, k in zip(given, numbers, strict=True)}


def _warn(name: str, method: bool, given: Sequence[str], factors: Sequence[str], rest: Sequence[str]) -> None:
    before = [f"Number {factor}" for factor in given]
    others = [f"Tensor {tensor}" for tensor in rest]
    if method:
        former = [*before, *others]
    elif len(factors) == 2:
        former = [before[0], "Tensor input", *before[1:], *others]
    else:
        former = ["Tensor input", *before, *others]
    out = [] if method else ["Tensor out = None"]
    named = [f"Number {factor} = 1" for factor in factors]
    current = [", ".join([*["Tensor input"] * (not method), *others, "*", *named, *out])]
    if not method:
        current = overloads().get(name, current)
    warnings.warn(
        f"This overload of {name} is deprecated:\n\t{name}({', '.join([*former, *(['*', *out] if out else [])])})\n"
        "Consider using one of the following signatures instead:\n" + "\n".join(f"\t{name}({text})" for text in current),
        stacklevel=outside(),
    )
