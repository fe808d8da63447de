"""Iterators written in C that ask one another, of which no more than some stand directly one behind the other.

Each calls the next one's C code, without Python's look at how deep that goes, so a million of them run over the C stack. So
after some of them a generator stands in between, which hands on what comes: at these, as at those of the program, Python itself
looks how deep they are, and ends with a RecursionError.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Iterator
from typing import Any

LEVELS = 50
"""Directly one behind the other. A sieve of primes, which has a filter for each, may go on for that many times a thousand."""


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
        others[first:last] = map(_asked, given[first:last])
        for name in _NAMES & options.keys():
            options[name] = _asked(options[name])
        made = make(cls, *others, **options)
        levels = [
            getattr(other, "_levels", 1) for other in (*others[first:last], *map(options.get, _NAMES)) if type(other) in _KINDS
        ]
        if levels:
            made._levels = 1 + max(levels)
        return made

    names = {"__new__": __new__, "__slots__": ("_levels",), "__doc__": real.__doc__, "__module__": real.__module__}
    made = type(real.__name__, (real,), names)
    _KINDS.add(made)
    return made


def _asked(thing: Any) -> Iterator[Any]:
    """The iterator that one of these asks for what a thing has."""
    found = iter(thing)
    return _handed_on(found) if type(found) in _KINDS and getattr(found, "_levels", 1) >= LEVELS else found


def _handed_on(items: Iterator[Any]) -> Iterator[Any]:
    yield from items


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
