"""The rules that there are, and the order in which what they find is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..reason import Finding, Kind
from ..run import Run

Rule = Callable[[Run], Iterator[Finding]]

_ORDER: dict[Rule, int] = {}
_EVERYWHERE: set[Rule] = set()
_KINDS: dict[Rule, tuple[Kind, ...]] = {}


def rule(order: int, *kinds: Kind, everywhere: bool = False) -> Callable[[Rule], Rule]:
    """Declare a rule and the kinds of findings that it may have. Equally severe findings are read in the order of their rules'
    numbers, the smallest first.

    What makes all gradients wrong comes before what spoils some, and a cause before what it leads to, which may show earlier in
    the run. Two may have the same number: then their files' order decides.

    A rule sees what a recording holds whole from its beginning on, because most conclude from what did not happen. One that
    holds `everywhere` concludes from what is there (a value, an error): it sees all of a recording that has grown thinner,
    and asks (`run.knows`) where it needs to know that nothing else happened.
    """

    def declare(function: Rule) -> Rule:
        if not kinds:
            raise TypeError(f"{function.__name__} says nothing of what it may find: @rule({order}, Kind(…))")
        _ORDER[function] = order
        _KINDS[function] = kinds
        if everywhere:
            _EVERYWHERE.add(function)
        return function

    return declare


def everywhere(rule: Rule) -> bool:
    """Whether a rule holds where a recording has grown thinner, too."""
    return rule in _EVERYWHERE


def kinds_of(rule: Rule) -> tuple[Kind, ...]:
    """What a rule may find."""
    return _KINDS[rule]


def in_order() -> tuple[Rule, ...]:
    """All rules declared; those with the same number by module and name, so the order never hangs on chance."""
    return tuple(sorted(_ORDER, key=lambda each: (_ORDER[each], each.__module__, each.__name__)))
