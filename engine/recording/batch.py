"""Some of a log as it is written and sent: events as *rows* of numbers that fill the holes of *forms*.

A form is an event that has holes where events of its kind differ: ids of tensors, nodes and arrays, numbers of passes. A loop
does the same in every iteration, so its events have few forms, and to note one of them is to pack some numbers; nothing is
decoded event by event on the other side (`assembly`). What has no form of its own yet, or is said only once, is a form without
holes. Scopes are written in the same way, with holes for the iterations, and arrays as their kind (dtype and shape) and bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Annotated, Any, TypeVar

import msgspec

from .. import limits
from .events import AnyEvent, Scope, Site
from .op_info import OpInfo
from .store import GONE, Row, StoredArray

T = TypeVar("T")
HOLE = -(2**60)
"""A number of a form that stands for the first number of its rows after their place; the one before it for the second, …"""
TEXT_HOLE = -(2**61)
"""The same in place of the tensor of an argument or saved value that is none: its text is the one with this number."""
HOLES = 1_000
"""Holes of a form, at most; what would have more is a form without."""
FEW = msgspec.Meta(max_length=limits.BATCH.value())
WIDTH = struct.calcsize("<i")


class Batch(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What was recorded since the last batch. Rows name forms, and numbers in them name rows of tables, of this batch and of
    earlier ones."""

    forms: Annotated[list[AnyEvent], FEW] = []
    """New forms of events. Their own place says nothing."""
    rows: bytes = b""
    """The events, 32 bits a number: form, site, scope, then what fills the form's holes."""
    lengths: bytes = b""
    """How many numbers each row has, 16 bits each."""
    sites: Annotated[list[Site], FEW] = []
    nests: Annotated[list[Scope], FEW] = []
    """New forms of scopes."""
    scopes: bytes = b""
    """The scopes: form, then what fills its holes."""
    scope_lengths: bytes = b""
    texts: Annotated[list[str], FEW] = []
    """Texts of arguments and saved values that are not part of forms."""
    kinds: Annotated[list[Row], FEW] = []
    """New kinds of arrays. Of an array that was not kept the kind has the summary; where bytes begin it does not say."""
    arrays: bytes = b""
    """The kind of each array, 32 bits each."""
    data: bytes = b""
    """The arrays' bytes, one after another."""
    ops: Annotated[list[OpInfo], FEW] = []


EMPTY = Batch()
Pack = Callable[..., bytes]


@cache
def packer(count: int) -> Pack:
    """Packs a row of so many numbers. struct.error for a number of more than 32 bits."""
    return struct.Struct(f"<{count}i").pack


def numbers(values: Iterable[int], code: str = "i") -> bytes:
    """Numbers in a row."""
    several = list(values)
    return struct.pack(f"<{len(several)}{code}", *several)


def batch_of(
    events: Sequence[AnyEvent] = (),
    sites: Sequence[Site] = (),
    scopes: Sequence[Scope] = (),
    arrays: Sequence[StoredArray] = (),
    ops: Sequence[OpInfo] = (),
    forms: int = 0,
    nests: int = 0,
    kinds: int = 0,
) -> Batch:
    """Facts that are given as structs, each different one as a form without holes; `forms`, `nests` and `kinds` have gone
    before.

    Raises:
        struct.error: for a place of more than 32 bits.
    """
    made, form = _different(events, forms)
    heads = [(number, event.site, event.scope) for number, event in zip(form, events, strict=True)]
    some_nests, nest = _different(scopes, nests)
    rows = [Row(array.dtype, array.shape, GONE if array.data is None else 0, array.summary) for array in arrays]
    some_kinds, kind = _different(rows, kinds)
    return Batch(
        made,
        numbers(chain.from_iterable(heads)),
        numbers([3] * len(heads), "H"),
        [*sites],
        some_nests,
        numbers(nest),
        numbers([1] * len(nest), "H"),
        [],
        some_kinds,
        numbers(kind),
        b"".join([array.data for array in arrays if array.data is not None]),
        [*ops],
    )


def _different(things: Sequence[T], first: int) -> tuple[list[T], list[int]]:
    """The different ones of some things, counted from `first`, and the number of each; a summary is one of its own."""
    number: dict[Any, int] = {}
    made: list[T] = []
    found = []
    for thing in things:
        key = thing if isinstance(thing, Row) and thing.summary is None else id(thing)
        if key not in number:
            number[key] = first + len(made)
            made.append(thing)
        found.append(number[key])
    return made, found


def is_empty(batch: Batch) -> bool:
    """Whether there is nothing in a batch."""
    return not any([getattr(batch, name) for name in Batch.__struct_fields__])


def changed(batch: Batch, **fields: Any) -> Batch:
    """A batch with some of its fields changed."""
    made: Batch = msgspec.structs.replace(batch, **fields)
    return made
