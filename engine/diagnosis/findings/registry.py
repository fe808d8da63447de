"""The rules that there are, and the order in which what they find is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..reason import Finding
from ..run import Run

Rule = Callable[[Run], Iterator[Finding]]

_ORDER: dict[Rule, int] = {}


def rule(order: int) -> Callable[[Rule], Rule]:
    """Declare a rule; findings that are equally severe are read in the order of their rules' numbers, the smallest first.

    What makes all gradients wrong comes before what spoils some, and a cause before what it leads to, which may show earlier in
    the run. The rules here stand ten apart, so that others find room between them.
    """

    def declare(function: Rule) -> Rule:
        _ORDER[function] = order
        return function

    return declare


def in_order() -> tuple[Rule, ...]:
    """All rules declared; those with the same number by module and name, so the order never hangs on chance."""
    return tuple(sorted(_ORDER, key=lambda each: (_ORDER[each], each.__module__, each.__name__)))
