"""Parts of the standard library, written in C there, that go on with what a callback has freed: the same in Python.

As generators, iterators of `itertools` cannot be entered again, and keep what they go through until they have gone on.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import copy
import dataclasses
import encodings.unicode_escape
import enum
import functools
import inspect
import itertools
import json
import operator
import statistics
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..policy.iterators import OF_ITERTOOLS, tee
from ..policy.reentry import KEPT, settled
from ..policy.unbound import looking
from .system import Output


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


def chain(*iterables: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.chain`."""
    return _chained(iterables)


def _chained(iterables: Iterable[Iterable[Any]]) -> Iterator[Any]:
    for items in iterables:
        yield from items


chain.from_iterable = _chained  # type: ignore[attr-defined]


def cycle(iterable: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.cycle`."""
    return _cycled(iter(iterable))


def _cycled(items: Iterator[Any]) -> Iterator[Any]:
    saved = []
    for item in items:
        saved.append(item)
        yield item
    while saved:
        yield from saved


def islice(iterable: Iterable[Any], *bounds: Any) -> Iterator[Any]:
    """As `itertools.islice`."""
    # It says itself what is wrong with the bounds.
    steps = _steps(_numbers(), *bounds)
    return _sliced(iter(iterable), steps, _last(*bounds))


def _last(*bounds: Any) -> int | None:
    start, stop = (None, *bounds) if len(bounds) == 1 else bounds[:2]
    return None if stop is None else max(operator.index(start or 0), operator.index(stop))


def _sliced(items: Iterator[Any], steps: Iterator[int], stop: int | None) -> Iterator[Any]:
    at = 0
    for step in steps:
        while at < step:
            if next(items, _READ) is _READ:
                return
            at += 1
        item = next(items, _READ)
        if item is _READ:
            return
        at += 1
        yield item
    # What is skipped behind the last one is taken as well.
    while stop is not None and at < stop and next(items, _READ) is not _READ:
        at += 1


def zip_longest(*iterables: Iterable[Any], fillvalue: Any = None) -> Iterator[tuple[Any, ...]]:
    """As `itertools.zip_longest`."""
    return _zipped([iter(items) for items in iterables], fillvalue)


def _zipped(iterators: list[Iterator[Any]], fillvalue: Any) -> Iterator[tuple[Any, ...]]:
    ended: set[int] = set()
    while len(ended) < len(iterators):
        row = []
        for k, items in enumerate(iterators):
            item = fillvalue if k in ended else next(items, _READ)
            if item is _READ:
                ended.add(k)
                item = fillvalue
            row.append(item)
        if len(ended) < len(iterators):
            yield tuple(row)


class JSONEncoder(json.JSONEncoder):
    """As `json.JSONEncoder`; piece by piece it is written in Python."""

    __module__ = "json"

    def encode(self, o: Any) -> str:
        """The text of something."""
        return "".join(self.iterencode(o))

    def iterencode(self, o: Any) -> Iterator[str]:  # type: ignore[override]
        """That text in pieces."""
        return super().iterencode(o)


def dumps(obj: Any, *, skipkeys: bool = False, ensure_ascii: bool = True, check_circular: bool = True, allow_nan: bool = True,
          cls: Any = None, indent: Any = None, separators: Any = None, default: Any = None, sort_keys: bool = False,
          **more: Any) -> str:  # fmt: skip
    """As `json.dumps`."""
    kind = JSONEncoder if cls is None else cls
    if not (isinstance(kind, type) and issubclass(kind, JSONEncoder)):
        raise TypeError("cls must be a class that inherits from json.JSONEncoder")
    encoder = kind(
        skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular, allow_nan=allow_nan, indent=indent,
        separators=separators, default=default, sort_keys=sort_keys, **more,
    )  # fmt: skip
    return str(encoder.encode(obj))


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


class _Redirecting:
    """What both have in common: nothing else is entered, whose `_stream` could be another name of `sys`."""

    def __init__(self, new_target: Any) -> None:
        KEPT.append(new_target)
        super().__init__(new_target)  # type: ignore[call-arg]

    def __enter__(self) -> Any:
        return super().__enter__()  # type: ignore[misc]

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)  # type: ignore[misc]


class redirect_stdout(_Redirecting, contextlib.redirect_stdout[Any]):  # noqa: N801
    """As `contextlib.redirect_stdout`; what is printed to stays, since `print` does not hold it."""


class redirect_stderr(_Redirecting, contextlib.redirect_stderr[Any]):  # noqa: N801
    """As `contextlib.redirect_stderr`."""


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


_steps, _numbers = itertools.islice, itertools.count


_signature_of_text = vars(inspect)["_signature_fromstr"]


def signature_of_text(cls: Any, obj: Any, text: Any, skip_bound_arg: bool = True) -> Any:
    """As `inspect` reads the text that C has written about a function; a program's own would be looked up in modules."""
    own = getattr(obj, "__dict__", None)
    if type(text) is not str or (isinstance(own, dict) and dict.__contains__(own, "__text_signature__")):
        raise ValueError(f"no signature found for {obj!r}")
    return _signature_of_text(cls, obj, text, skip_bound_arg)


_update_wrapper: Any = functools.update_wrapper


def update_wrapper(
    wrapper: Any, wrapped: Any, assigned: Any = functools.WRAPPER_ASSIGNMENTS, updated: Any = functools.WRAPPER_UPDATES
) -> Any:
    """As `functools.update_wrapper`. What a class has is not copied: its methods would be attributes of the wrapper, which
    hands them out to anybody."""
    own = getattr(wrapped, "__dict__", None)
    return _update_wrapper(wrapper, wrapped, assigned, updated if type(own) is dict else ())


def _found(thing: Any, name: str, *default: Any) -> Any:
    """What `getattr` gives `dataclasses` for a field. It writes a field's name into it: one that stands in two classes, or that
    a descriptor gives to both, would have a name in the first that nobody has looked at there."""
    found = getattr(thing, name, *default)
    return copy.copy(found) if type(found) is dataclasses.Field else found


_field: Any = vars(dataclasses)["_get_field"]
field_of_class = types.FunctionType(_field.__code__, {**vars(dataclasses), "getattr": _found}, _field.__name__)
"""What `dataclasses` makes a field with: one that belongs to this class alone."""


class Sys:
    """What `argparse` finds by the name of `sys`: it hands the streams to methods that a program may have of its own."""

    stdout, stderr = Output("stdout"), Output("stderr")
    exit = staticmethod(sys.exit)
    argv = property(lambda self: sys.argv)


SYS = Sys()


_convert: Any = vars(statistics)["_convert"]


def convert(value: Any, T: Any) -> Any:  # noqa: N803
    """What `statistics` makes of a result: a number of the data's type; of classes that is `type` itself."""
    if issubclass(T, type):
        raise TypeError(f"can't convert type '{type(value).__name__}' to numerator/denominator")
    return _convert(value, T)


def _operators_of_flags() -> Iterator[tuple[Any, str, Any]]:
    """Those of Python's flags, which take members only: they call the class of what they are given, and that of a class is
    `type`."""
    for kind in (enum.Flag, enum.IntFlag):
        for name in ("and", "invert", "or", "rand", "ror", "rxor", "xor"):
            found = vars(kind).get(f"__{name}__")
            if isinstance(found, types.FunctionType):
                yield kind, f"__{name}__", looking(enum.Flag, found)


def mend() -> None:
    """Put into the standard library of this process what it calls by names of its own; before a codec is looked up."""
    replaced: tuple[tuple[Any, str, Any], ...] = (
        (argparse, "_sys", SYS),
        (collections, "_count_elements", count_elements),
        (dataclasses, "_get_field", field_of_class),
        (encodings.unicode_escape.Codec, "decode", staticmethod(decode_escapes)),
        *_operators_of_flags(),
        (functools, "update_wrapper", update_wrapper),
        (inspect, "_signature_fromstr", signature_of_text),
        (statistics, "_convert", convert),
        *((itertools, f.__name__, f) for f in (chain, cycle, groupby, islice, pairwise, tee, zip_longest)),
        *((itertools, name, kind) for name, kind in OF_ITERTOOLS.items()),
    )
    for holder, name, instead in replaced:
        setattr(holder, name, instead)
