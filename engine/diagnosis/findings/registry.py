"""The rules that there are, and the order in which what they find is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..reason import Finding
from ..run import Run

Rule = Callable[[Run], Iterator[Finding]]

_ORDER: dict[Rule, int] = {}
_EVERYWHERE: set[Rule] = set()


def rule(order: int, *, everywhere: bool = False) -> Callable[[Rule], Rule]:
    """Declare a rule; findings that are equally severe are read in the order of their rules' numbers, the smallest first.

    What makes all gradients wrong comes before what spoils some, and a cause before what it leads to, which may show earlier in
    the run. The rules here stand ten apart, so that others find room between them.

    A rule sees what a recording holds whole from its beginning on, because most conclude from what did not happen. One that
    holds `everywhere` concludes from what is there (a value, an error): it sees all of a recording that has grown thinner,
    and asks (`run.knows`) where it needs to know that nothing else happened.
    """

    def declare(function: Rule) -> Rule:
        _ORDER[function] = order
        if everywhere:
            _EVERYWHERE.add(function)
        return function

    return declare


def everywhere(rule: Rule) -> bool:
    """Whether a rule holds where a recording has grown thinner, too."""
    return rule in _EVERYWHERE


def in_order() -> tuple[Rule, ...]:
    """All rules declared; those with the same number by module and name, so the order never hangs on chance."""
    return tuple(sorted(_ORDER, key=lambda each: (_ORDER[each], each.__module__, each.__name__)))
