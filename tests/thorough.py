"""How much is tried: everything in CI, and where `GRADTAPE_THOROUGH` is set; elsewhere a part of it, so that nobody waits.

A part of the examples that are made by chance or are many of a kind (`examples`, `some`); and of the whole suite (`make test`)
what is not marked `thorough`, which a test is that takes seconds and guards what a change seldom breaks, or what a quicker test
guards too, and which most cases are of a test that has very many (`mark_many`). Whoever names tests (`make test ARGS=…`,
`pytest …`) gets those as well.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

THOROUGH = bool(os.environ.get("GRADTAPE_THOROUGH"))
PART = 4
"""Of what is made by chance, or is one of many of a kind, one in so many is tried."""
FEWEST = 20
"""Examples that are tried at least."""
MANY = 16
"""Cases of one test above which the whole `make test` has a part of them."""


def examples(most: int) -> int:
    """How many examples Hypothesis makes of something that CI tries `most` of."""
    return most if THOROUGH else min(most, max(most // PART, FEWEST))


def some(things: Sequence[T]) -> Sequence[T]:
    """Those of many things of a kind that are tried."""
    return things if THOROUGH else things[::PART]


def mark_many(items: Iterable[pytest.Item]) -> None:
    """Mark as `thorough` all but one in `PART` of the cases of every test that has more than `MANY`.

    Which ones is drawn by chance, always the same: cases that come of several parameters stand in a pattern.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, of_one in cases.items():
        if len(of_one) > MANY:
            for item in random.Random(name).sample(of_one, len(of_one) - len(of_one) // PART):
                item.add_marker(pytest.mark.thorough)


def first_of(things: Iterable[Any], count: int = 1) -> list[Any]:
    """Values for `parametrize` (tuples for several arguments) of which the whole `make test` has the first, and CI all."""
    return [
        thing if at < count else pytest.param(*(thing if isinstance(thing, tuple) else (thing,)), marks=pytest.mark.thorough)
        for at, thing in enumerate(things)
    ]
