"""Trees of tuples, lists and dicts: taken apart into their leaves and put together again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any


def is_named(tree: Any) -> bool:
    """Whether `tree` is a named tuple."""
    return isinstance(tree, tuple) and hasattr(tree, "_fields")


def children(tree: Any) -> list[Any] | None:
    """The entries of a tuple, list or dict; None for a leaf."""
    if type(tree) in (tuple, list) or is_named(tree):
        return list(tree)
    if type(tree) in (dict, OrderedDict):
        return list(tree.values())
    return None


def rebuilt(tree: Any, entries: list[Any]) -> Any:
    """A tree of the kind of `tree` with other entries."""
    if is_named(tree):
        return type(tree)(*entries)
    if isinstance(tree, tuple | list):
        return type(tree)(entries)
    return type(tree)(zip(tree, entries, strict=True))


def leaves(tree: Any) -> list[Any]:
    """The leaves from left to right."""
    entries = children(tree)
    return [tree] if entries is None else [leaf for entry in entries for leaf in leaves(entry)]


def mapped(f: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with `f` applied to each leaf."""
    entries = children(tree)
    return f(tree) if entries is None else rebuilt(tree, [mapped(f, entry) for entry in entries])


def filled(tree: Any, values: Any) -> Any:
    """The tree with `values`, an iterable, in place of its leaves from left to right."""
    rest: Iterator[Any] = iter(values)
    return mapped(lambda _: next(rest), tree)


def same_structure(a: Any, b: Any) -> bool:
    """Whether two trees differ in their leaves only."""
    x, y = children(a), children(b)
    if x is None or y is None:
        return x is None and y is None
    if type(a) is not type(b) or len(x) != len(y) or (isinstance(a, dict) and set(a) != set(b)):
        return False
    return all(same_structure(p, q) for p, q in zip(x, y, strict=True))


def spread(prefix: Any, tree: Any) -> list[Any] | None:
    """One value of `prefix` per leaf of `tree`, None if it does not fit: a leaf of `prefix` stands for a whole branch."""
    entries, wanted = children(prefix), children(tree)
    if entries is None:
        return [prefix] * len(leaves(tree))
    if wanted is None or type(prefix) is not type(tree) or len(entries) != len(wanted):
        return None
    if isinstance(prefix, dict) and list(prefix) != list(tree):
        return None
    found = []
    for entry, branch in zip(entries, wanted, strict=True):
        part = spread(entry, branch)
        if part is None:
            return None
        found += part
    return found


def drawn(tree: Any) -> str:
    """The structure as text, `*` standing for a leaf."""
    entries = children(tree)
    if entries is None:
        return "*"
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key!r}: {drawn(entry)}" for key, entry in tree.items()) + "}"
    inner = ", ".join(drawn(entry) for entry in entries)
    if isinstance(tree, list):
        return f"[{inner}]"
    return f"({inner},)" if len(entries) == 1 else f"({inner})"
