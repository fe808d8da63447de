"""PyTorch's words for arguments that fit none of a function's overloads."""

from __future__ import annotations

import functools
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


def kind(value: Any) -> str:
    """How the error writes an argument's type."""
    if isinstance(value, tuple | list) and type(value) in (tuple, list) and value:
        opening, closing = "()" if isinstance(value, tuple) else "[]"
        inner = ", ".join([type(v).__name__ for v in value]) + ("," if isinstance(value, tuple) and len(value) == 1 else "")
        return f"{type(value).__name__} of {opening}{inner}{closing}"
    return type(value).__name__


def invalid_combination(name: str, *args: Any, **kwargs: Any) -> TypeError:
    """The error for arguments that fit none of the overloads of `name`."""
    got = ", ".join([kind(a) for a in args] + [f"{k}={kind(v)}" for k, v in kwargs.items()])
    lines = [f" * ({signature})\n" for signature in overloads().get(name, ())]
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n{''.join(lines)}"
    )
