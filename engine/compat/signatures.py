"""PyTorch's words for arguments that fit none of a function's overloads."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_SECTION = re.compile(r"\[(.+?)\]\n([^\[]*)")


@functools.cache
def written() -> dict[str, dict[str, str]]:
    """What is written of functions, by namespace and name."""
    text = Path(__file__).with_name("arguments.txt").read_text(encoding="utf-8")
    return {
        owner: {name: said for name, _, said in [line.partition(" ") for line in lines.splitlines()]}
        for owner, lines in _SECTION.findall(text)
    }


def several(said: str) -> list[str]:
    """The name and the signatures of a function that has several, as they are written."""
    return re.findall(r"\((.*?)\)(?= \(|$)", said)


@functools.cache
def overloads() -> dict[str, list[str]]:
    """The signatures PyTorch 2.13 names in such an error, by function: those that it has told, and in `signatures.txt` those
    that it tells of nothing else."""
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("signatures.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            signatures = found[line[1:-1]] = []
        else:
            signatures.append(line)
    for owner, functions in written().items():
        for said in functions.values() if owner != "torch.Tensor" else ():
            if said.startswith("("):
                name, *texts = several(said)
                found.setdefault(name, texts)
    return found


_HEAP = 1 << 9
"""Types that are made at run time, as classes are; the name of others has their module in it."""


def type_name(value: Any) -> str:
    """How PyTorch's errors name a value's type: one of C's with its module, a class by its name alone."""
    kind = type(value)
    outside = kind.__module__ == "numpy" or (not kind.__flags__ & _HEAP and kind.__module__ != "builtins")
    return f"{kind.__module__}.{kind.__name__}" if outside else kind.__name__


def invalid_combination(name: str, *args: Any, signatures: Sequence[str] | None = None, **kwargs: Any) -> TypeError:
    """The error for arguments that fit none of the overloads of `name`, which are known here unless they are given."""
    got = ", ".join([type_name(a) for a in args] + [f"{k}={type_name(v)}" for k, v in kwargs.items()])
    lines = [f" * ({signature})\n" for signature in (overloads().get(name, ()) if signatures is None else signatures)]
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n{''.join(lines)}"
    )
