"""How far a piece of work is, told to what shows it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Tell: TypeAlias = Callable[[float], None]
"""Takes how far the work is, from 0 to 1."""
OFTEN = 100
"""Times that a loop tells how far it is."""


def untold(_: float) -> None:
    """What is told where progress is not shown: nothing happens."""


def part(tell: Tell, begin: float, end: float) -> Tell:
    """For one part of the work, which tells how far it is itself."""
    return lambda share: tell(begin + (end - begin) * share)


def told(things: Collection[T], tell: Tell) -> Iterator[T]:
    """Go through things and tell how far that is."""
    every = max(1, len(things) // OFTEN)
    for number, thing in enumerate(things):
        if number % every == 0:
            tell(number / len(things))
        yield thing
    tell(1.0)
