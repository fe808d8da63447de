"""The rules that there are, and the order in which what they find is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..reason import Finding
from ..run import Run

Rule = Callable[[Run], Iterator[Finding]]

_PLACES: dict[Rule, int] = {}


def rule(place: int) -> Callable[[Rule], Rule]:
    """Declare a rule; findings that are equally severe are read in the order of their rules' places, the smallest first.

    What makes all gradients wrong comes before what spoils some, and a cause before what it leads to, which may show earlier in
    the run. The rules here stand ten apart, so that others find room between them.
    """

    def declare(function: Rule) -> Rule:
        _PLACES[function] = place
        return function

    return declare


def in_order() -> tuple[Rule, ...]:
    """All rules that have been declared; those with one place by module and name, so that the order never hangs on chance."""
    return tuple(sorted(_PLACES, key=lambda each: (_PLACES[each], each.__module__, each.__name__)))
