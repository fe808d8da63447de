"""Putting something around a function of Streamlit's, where it has one of that name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def put_around(owner: Any, name: str, around: Callable[[Any], Any]) -> None:
    """Have a class or a module call `around(plain)` in the place of what it calls by this name; once, however often this is
    asked for, and without effect on a Streamlit that has nothing of this name.

    Args:
        around: keeps what it is given as `__wrapped__` of what it makes, as `functools.wraps` does.
    """
    plain = getattr(owner, name, None)
    if plain is not None and not hasattr(plain, "__wrapped__"):
        setattr(owner, name, around(plain))
