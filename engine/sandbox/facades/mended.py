"""Parts of the standard library, written in C there, that go on with what a callback has freed: the same in Python."""

from __future__ import annotations

import collections
import contextlib
import encodings.unicode_escape
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..policy.reentry import KEPT, settled


def groupby(iterable: Iterable[Any], key: Callable[[Any], Any] | None = None) -> Iterator[tuple[Any, Iterator[Any]]]:
    """As `itertools.groupby`."""
    keyed = ((item if key is None else key(item), item) for item in iterable)
    ahead = next(keyed, None)
    """The next item with its key, `_READ` when it was handed out, None at the end."""
    latest = 0

    def group(shared: Any, number: int) -> Iterator[Any]:
        nonlocal ahead
        while number == latest:
            if ahead is _READ:
                ahead = next(keyed, None)
            if ahead is None or not _same(ahead[0], shared):
                return
            item, ahead = ahead[1], _READ
            yield item

    while ahead is not None:
        shared, latest = ahead[0], latest + 1
        yield shared, group(shared, latest)
        while ahead is _READ or (ahead is not None and _same(ahead[0], shared)):
            ahead = next(keyed, None)


_READ: tuple[Any, Any] = (None, None)


def _same(a: Any, b: Any) -> bool:
    return a is b or bool(a == b)


def pairwise(iterable: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """As `itertools.pairwise`."""
    items = iter(iterable)
    before = next(items, None)
    for item in items:
        yield before, item
        before = item


def dumps(obj: Any, *, skipkeys: bool = False, ensure_ascii: bool = True, check_circular: bool = True, allow_nan: bool = True,
          indent: Any = None, separators: Any = None, default: Any = None, sort_keys: bool = False) -> str:  # fmt: skip
    """As `json.dumps`."""
    encoder = json.JSONEncoder(
        skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular, allow_nan=allow_nan, indent=indent,
        separators=separators, default=default, sort_keys=sort_keys,
    )  # fmt: skip
    # Piece by piece it is written in Python.
    return "".join(encoder.iterencode(obj))


class deque(collections.deque[Any]):  # noqa: N801
    """As `collections.deque`."""

    __slots__ = ()
    __module__ = "collections"

    def index(self, value: Any, *between: Any) -> int:
        """Where a value is first."""
        return list(self).index(value, *between)


class defaultdict(collections.defaultdict[Any, Any]):  # noqa: N801
    """As `collections.defaultdict`; what makes an entry stays while it does."""

    __slots__ = ()
    __module__ = "collections"

    def __missing__(self, key: Any) -> Any:
        factory = self.default_factory
        if factory is None:
            raise KeyError(key)
        self[key] = made = factory()
        return made


class UserList(collections.UserList[Any]):
    """As `collections.UserList`."""

    __module__ = "collections"

    def __setitem__(self, i: Any, item: Any) -> None:
        super().__setitem__(i, settled(self.data, i, item))


class redirect_stdout(contextlib.redirect_stdout[Any]):  # noqa: N801
    """As `contextlib.redirect_stdout`; what is printed to stays, since `print` does not hold it."""

    def __init__(self, new_target: Any) -> None:
        KEPT.append(new_target)
        super().__init__(new_target)


class redirect_stderr(contextlib.redirect_stderr[Any]):  # noqa: N801
    """As `contextlib.redirect_stderr`."""

    def __init__(self, new_target: Any) -> None:
        KEPT.append(new_target)
        super().__init__(new_target)


def count_elements(mapping: Any, iterable: Iterable[Any]) -> None:
    """What `collections.Counter` counts with."""
    get = mapping.get
    for element in iterable:
        mapping[element] = get(element, 0) + 1


def decode_escapes(text: Any, errors: str = "strict") -> tuple[str, int]:
    """As the codec `unicode_escape`, with whom only errors that end it are safe."""
    if errors != "strict":
        raise LookupError(f"unknown error handler name {errors!r} for unicode_escape here")
    return _decode_escapes(text, errors)


_decode_escapes = encodings.unicode_escape.Codec.decode


def mend() -> None:
    """Put into the standard library of this process what it calls by names of its own; before a codec is looked up."""
    replaced: tuple[tuple[Any, str, Any], ...] = (
        (collections, "_count_elements", count_elements),
        (encodings.unicode_escape.Codec, "decode", staticmethod(decode_escapes)),
        (itertools, "groupby", groupby),
        (itertools, "pairwise", pairwise),
    )
    for holder, name, instead in replaced:
        setattr(holder, name, instead)
