"""The rules about several ranks of one training, which see what is known of each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..reason import Finding, Kind
from .world import World

Rule = Callable[[World], Iterator[Finding]]

_ORDER: dict[Rule, int] = {}
_KINDS: dict[Rule, tuple[Kind, ...]] = {}


def across(order: int, *kinds: Kind) -> Callable[[Rule], Rule]:
    """Declare a rule about several ranks, and what it may find; findings are read in the order of their rules' numbers."""

    def declare(function: Rule) -> Rule:
        _ORDER[function] = order
        _KINDS[function] = kinds
        return function

    return declare


def in_order() -> tuple[Rule, ...]:
    """All such rules."""
    return tuple(sorted(_ORDER, key=lambda each: (_ORDER[each], each.__name__)))


def places() -> dict[str, str]:
    """The module in which each of their kinds stands."""
    return {kind.id: rule.__module__ for rule in in_order() for kind in _KINDS[rule]}


def kinds() -> dict[str, Kind]:
    """All that they may find, by id."""
    return {kind.id: kind for rule in in_order() for kind in _KINDS[rule]}
