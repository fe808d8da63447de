"""PyTorch's words for arguments that fit none of a function's overloads."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any


@functools.cache
def overloads() -> dict[str, list[str]]:
    """The signatures PyTorch 2.13 names in such an error, by function."""
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("signatures.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            signatures = found[line[1:-1]] = []
        else:
            signatures.append(line)
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
