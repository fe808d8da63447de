"""Iterators written in C that ask one another: how many may stand one behind the other.

Each calls the next one's C code directly, without Python's look at how deep that goes, so a million of them run over the C
stack. Generators, calls, comparisons and texts of what is nested are looked at by Python itself, and end with a RecursionError.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Iterator
from typing import Any

LEVELS = 5000
"""One behind the other; Python's own stack has room for ten times as many. A sieve of primes has a filter for each."""


def _bounded(real: Any, first: int = 0, last: int | None = None) -> Any:
    """A type of iterators that knows how many stand behind it.

    Args:
        real: what it is otherwise.
        first: where among its arguments what it goes through begins.
        last: where that ends.
    """

    make = real.__new__

    def __new__(cls: Any, *given: Any, **options: Any) -> Any:  # noqa: N807
        for thing in given[first:last]:
            if type(thing) not in _CONTAINERS:
                break
        else:
            if not options:
                return make(cls, *given)
        others = [*given]
        others[first:last] = map(iter, given[first:last])
        for name in _NAMES & options.keys():
            options[name] = iter(options[name])
        made = make(cls, *others, **options)
        behind = [other for other in (*others[first:last], *map(options.get, _NAMES)) if type(other) in _KINDS]
        if behind:
            made._levels = levels = 1 + max([getattr(other, "_levels", 1) for other in behind])
            if levels > LEVELS:
                raise RecursionError(f"more than {LEVELS} iterators stand one behind the other")
        return made

    names = {"__new__": __new__, "__slots__": ("_levels",), "__doc__": real.__doc__, "__module__": real.__module__}
    made = type(real.__name__, (real,), names)
    _KINDS.add(made)
    return made


_CONTAINERS = frozenset((dict, list, range, set, str, tuple))
"""What no iterator stands behind."""
_KINDS: set[type] = set()
_NAMES = frozenset(("data", "iterable", "selectors"))

PLAIN = {
    "enumerate": _bounded(builtins.enumerate, 0, 1),
    "filter": _bounded(builtins.filter, 1),
    "map": _bounded(builtins.map, 1),
    "zip": _bounded(builtins.zip),
}
"""Built-in ones, by name."""

OF_ITERTOOLS = {
    name: _bounded(getattr(itertools, name), *places)
    for name, places in {
        "accumulate": (0, 1), "batched": (0, 1), "compress": (), "dropwhile": (1,), "filterfalse": (1,), "starmap": (1,),
        "takewhile": (1,),
    }.items()
    if hasattr(itertools, name)
}  # fmt: skip
"""Those of `itertools` that are no generators in the sandbox."""


def tee(iterable: Any, n: int = 2) -> tuple[Iterator[Any], ...]:
    """As `itertools.tee`; the iterators that it gives are generators."""
    if n < 0:
        raise ValueError("n must be >= 0")
    items = iter(iterable)
    link: list[Any] = [None, None]
    return tuple(_teed(items, link) for _ in range(n))


def _teed(items: Iterator[Any], link: list[Any]) -> Iterator[Any]:
    while True:
        if link[1] is None:
            for item in items:
                link[:] = item, [None, None]
                break
            else:
                return
        item, link = link
        yield item
