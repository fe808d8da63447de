"""Names that arrive as text and become attributes; Python's own, between double underscores, do not.

NumPy, for one, asks every object for `__array_interface__` and believes what it says about memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def is_special(name: object) -> bool:
    """Whether a name is between double underscores, or could pass for such a one, as a subclass of `str` with its own `==`."""
    return type(name) is not str or (name[:2] == "__" and name[-2:] == "__")


def plain(name: str) -> str:
    """A name that may become an attribute.

    Raises:
        AttributeError: for one of Python's own.
    """
    if is_special(name):
        raise AttributeError(f"'{name}' cannot be the name of an attribute: names between double underscores are Python's own")
    return name


def take_over(thing: Any, attributes: Mapping[str, Any]) -> None:
    """Give an object attributes, as loading a state does.

    Raises:
        AttributeError: for a name of Python's own, or a private one by which its class has a method, or a place in memory.
    """
    for name in attributes:
        if plain(name)[:1] == "_" and any(hasattr(vars(c).get(name), "__get__") for c in type(thing).__mro__):
            raise AttributeError(f"'{name}' is private to {type(thing).__name__}, and not for a state to give")
    thing.__dict__.update({plain(name): value for name, value in attributes.items()})
