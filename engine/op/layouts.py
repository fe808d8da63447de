"""Where results stand in memory once operands do not stand row by row: the rules by which operations differ.

As long as all tensors of a program are contiguous, so are all results, and nothing here is called. From the first tensor on
that is not (a view that was transposed or sliced, a tensor in a memory format), each operation's result is looked at after it
has been computed, and copied where PyTorch's stands otherwise (`Context.layouts`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd.saved_variable import Result
from ..context import context
from ..memory_layout import (
    broadcast,
    copied,
    elementwise,
    in_format,
    innermost_first,
    kept,
    packed,
    placed,
    pointed_to,
    row_by_row,
    strides_of,
    suggested,
)
from ..stand_ins import tensors_in
from ..tensor import Tensor
from ..tensor_attributes import contiguous_format, memory_format, preserve_format

Array = np.ndarray[Any, Any]
Rule = Callable[[Sequence[Array], Array, tuple[Any, ...]], tuple[int, ...]]
"""Operands, the result, and the operation's arguments -> the strides that the result has, in elements."""


def _as_first(arrays: Sequence[Array], out: Array, values: tuple[Any, ...]) -> tuple[int, ...]:
    """Like the first operand, where it has the result's shape."""
    return kept(arrays[0]) if arrays[0].shape == out.shape else row_by_row(out.shape)


def _channels(arrays: Sequence[Array], out: Array, values: tuple[Any, ...]) -> tuple[int, ...]:
    """In the memory format that the first operand's strides point to."""
    if arrays[0].ndim != out.ndim:
        return row_by_row(out.shape)
    return in_format(out.shape, suggested(arrays[0]))


def _any_channels(arrays: Sequence[Array], out: Array, values: tuple[Any, ...]) -> tuple[int, ...]:
    """In the memory format that the strides of one of the first two operands point to."""
    lifted = out.ndim == 3  # what convolves lines sees them as images of one row, and copies those that are not contiguous
    shapes = [_lifted(arrays[1])] if lifted else [(a.shape, strides_of(a)) for a in arrays[:2]]
    found = [f for f in itertools.starmap(pointed_to, shapes) if f is not contiguous_format]
    if not found:
        return row_by_row(out.shape)
    if not lifted:
        return in_format(out.shape, found[0])
    strides = in_format(_lifted(out)[0], found[0])
    return (*strides[:2], strides[3])


def _lifted(array: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shape and strides of (N, C, L) as (N, C, 1, L)."""
    (n, c, length), (a, b, step) = array.shape, strides_of(array)
    return (n, c, 1, length), (a, b, length * step, step)


def _all_channels(arrays: Sequence[Array], out: Array, values: tuple[Any, ...]) -> tuple[int, ...]:
    """In the memory format that the strides of all operands point to."""
    first, *rest = map(suggested, arrays)
    return in_format(out.shape, first) if all([f is first for f in rest]) else row_by_row(out.shape)


def _stacked(arrays: Sequence[Array], out: Array, values: tuple[Any, ...]) -> tuple[int, ...]:
    """As a view of what joining along an existing dimension gives; a new last dimension is no such view."""
    dim, shape = values[1], arrays[0].shape
    if dim == len(shape):
        return row_by_row(out.shape)
    joined = np.broadcast_to(out.reshape(-1)[:1], (*shape[:dim], shape[dim] * len(arrays), *shape[dim + 1 :]))
    strides = _all_channels(arrays, joined, values)
    return (*strides[:dim], strides[dim] * shape[dim], *strides[dim:])


def _rolled(arrays: Sequence[Array], out: Array, values: tuple[Any, ...]) -> tuple[int, ...]:
    """As what joins two parts of the operand; where no dimension is named, all are one."""
    return _channels(arrays, out, values) if values[2] else row_by_row(out.shape)


def _in_order(arrays: Sequence[Array], out: Array, values: tuple[Any, ...]) -> tuple[int, ...]:
    """Without gaps, the dimensions in the order of the first operand's."""
    return packed(out.shape, innermost_first(out.shape, [strides_of(arrays[0])]))


def _indexed(arrays: Sequence[Array], out: Array, values: tuple[Any, ...]) -> tuple[int, ...]:
    """As TensorIterator lays out what it takes at indices: an indexed dimension of the operand does not move in its memory."""
    strides = list(strides_of(arrays[0]))
    places: list[int] = []
    indices: list[Array] = []
    d = 0
    for item in values[1]:
        if isinstance(item, slice):
            d += 1
            continue
        index = np.asarray(getattr(item, "_array", item))
        mask = index.dtype.kind == "b"
        taken = index.ndim if mask else 1
        places += range(d, d + taken)
        indices.append(np.zeros(np.count_nonzero(index), np.int64) if mask else index)
        d += taken
    shape = np.broadcast_shapes(*[i.shape for i in indices])
    adjacent = places == [*range(places[0], places[-1] + 1)]
    start = places[0] if adjacent else 0
    rest = [step for k, step in enumerate(strides) if k not in places]
    operands = [(*rest[:start], *[0] * len(shape), *rest[start:])]
    behind = len(rest) - start
    for index in indices:
        operands.append((*[0] * start, *broadcast(shape, index), *[0] * behind))
    return packed(out.shape, innermost_first(out.shape, operands))


RULES: dict[str, Rule] = {
    "rows": lambda arrays, out, values: row_by_row(out.shape),
    "elementwise": lambda arrays, out, values: elementwise(out.shape, arrays),
    "first": _as_first,
    "channels": _channels,
    "any_channels": _any_channels,
    "all_channels": _all_channels,
    "stacked": _stacked,
    "rolled": _rolled,
    "order": _in_order,
    "indexed": _indexed,
}
"""What a declaration can say of its result, by name; besides, `own`: as the formula makes it."""


def watch() -> None:
    """From now on, look where results stand."""
    if context.layouts is None:
        context.layouts = arrange


def arrange(op: Any, values: tuple[Any, ...], result: Any) -> None:
    """Lay out what an operation has made as PyTorch does."""
    if op.view or op.layout == "own":
        return
    if op.layout in _AS_OPERANDS:
        # Mostly they stand row by row, and so does the result; this is asked of every operation.
        for value in values:
            if value.__class__ is Tensor or isinstance(value, Tensor):
                if not value._array.flags.c_contiguous:
                    break
            elif value.__class__ is list or value.__class__ is tuple:
                break
        else:
            return
    _arrange(op, values, result)


_AS_OPERANDS = frozenset(("elementwise", "rows"))
"""The rules by which results stand row by row where all operands do."""


def _arrange(op: Any, values: tuple[Any, ...], result: Any) -> None:
    arrays = [t._array for t in tensors_in(values)]
    if not arrays or any([a.__class__ is not np.ndarray for a in arrays]):
        return
    if op.layout in _AS_OPERANDS and all([a.flags.c_contiguous for a in arrays]):
        return
    rule = RULES[op.layout]
    for made in result if isinstance(result, list) else (result,):
        out = made._array
        if out.__class__ is not np.ndarray or out.ndim < 2 or not out.size:
            continue
        made._array = placed(out, rule(arrays, out, values))
        if made._counter.__class__ is Result:
            made._counter.array = made._array


def in_memory(array: Array, wanted: memory_format | None, dtype: Any = None) -> Array:
    """A copy of an array in a memory format; None, and `preserve_format`, keep its layout where it has no gaps.

    Raises:
        RuntimeError: if the format is for another number of dimensions.
    """
    strides = strides_in(array, wanted)
    if array.__class__ is not np.ndarray:
        return array.astype(dtype or array.dtype)
    return copied(array, strides, dtype)


def strides_in(array: Array, wanted: memory_format | None) -> tuple[int, ...]:
    """The strides of something like an array, in elements, in a memory format; None, and `preserve_format`, keep its layout.

    Raises:
        RuntimeError: if the format is for another number of dimensions.
    """
    if wanted is None or wanted is preserve_format:
        return kept(array) if array.__class__ is np.ndarray else row_by_row(array.shape)
    strides = in_format(array.shape, wanted)
    if strides != row_by_row(array.shape):
        watch()
    return strides
