"""Where the elements of results stand in memory: PyTorch's rules, on shapes and strides counted in elements.

NumPy has rules of its own for most of this (order "K"), which agree where operands stand row by row and differ where strides
are ambiguous, where operands contradict each other, and for dimensions of length one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .bounded_strides import span, strided
from .tensor_attributes import channels_last, channels_last_3d, contiguous_format, memory_format

Array = np.ndarray[Any, Any]
Strides = tuple[int, ...]

LAST = {channels_last: (1, 3, 2, 0), channels_last_3d: (1, 4, 3, 2, 0)}
"""The dimensions of the formats that have channels last, the innermost first."""
NOT_UNIQUE = "The tensor does not have unique dim order"


def strides_of(array: Array) -> Strides:
    """The strides of an array; of one without elements, whose strides NumPy does not keep, those that it has row by row."""
    if not array.size:
        return row_by_row(array.shape)
    return tuple([step // array.itemsize for step in array.strides])


def row_by_row(shape: Sequence[int]) -> Strides:
    """The strides of a contiguous array."""
    return packed(shape, range(len(shape) - 1, -1, -1))


def packed(shape: Sequence[int], order: Sequence[int]) -> Strides:
    """The strides of an array without gaps whose dimensions follow upon each other in `order`, the innermost first."""
    found, step = [0] * len(shape), 1
    for d in order:
        found[d] = step
        step *= max(shape[d], 1)
    return tuple(found)


def in_format(shape: Sequence[int], wanted: memory_format) -> Strides:
    """The strides of an array without gaps in a memory format.

    Raises:
        RuntimeError: if the format is for another number of dimensions.
        TypeError: if it is none.
    """
    order = _order(wanted)
    if order is None:
        return row_by_row(shape)
    if len(order) != len(shape):
        raise RuntimeError(f"required rank {len(order)} tensor to use {wanted._name} format")
    return packed(shape, order)


def _order(wanted: Any) -> tuple[int, ...] | None:
    """The dimensions of a format, the innermost first; None where they stand row by row."""
    if not isinstance(wanted, memory_format):
        raise TypeError(f"argument 'memory_format' must be torch.memory_format, not {type(wanted).__name__}")
    return LAST.get(wanted)


def stands_in(array: Array, wanted: memory_format | None) -> bool:
    """Whether the elements stand in the order of a memory format, without gaps; row by row for other formats than LAST.

    Raises:
        TypeError: if it is none.
    """
    order = None if wanted is None else _order(wanted)
    if order is None:
        return bool(array.flags.c_contiguous)
    if len(order) != array.ndim:
        return False
    expected = packed(array.shape, order)
    return not array.size or all(n == 1 or have == want for n, have, want in zip(array.shape, strides_of(array), expected))


def suggested(array: Array) -> memory_format:
    """The memory format that the strides point to (`suggest_memory_format`): the usual one where they are ambiguous."""
    return pointed_to(array.shape, strides_of(array))


def pointed_to(shape: Sequence[int], strides: Strides) -> memory_format:
    """The same of a shape and strides."""
    for wanted, order in LAST.items():
        if len(order) == len(shape) and _points_to(shape, strides, order):
            return wanted
    return contiguous_format


def _points_to(shape: Sequence[int], strides: Strides, order: Sequence[int]) -> bool:
    """As `is_channels_last_strides_2d` in c10/core/MemoryFormat.h."""
    least = 0
    if strides[1] == 0:
        return False
    for d in order:
        if shape[d] == 0 or strides[d] < least or (d == 0 and least == strides[1]):
            return False
        least = strides[d] * max(shape[d], 1)
    return True


def is_dense(shape: Sequence[int], strides: Strides) -> bool:
    """Whether the elements stand in memory without gaps and each on its own, in whatever order of dimensions."""
    if 0 in shape:
        return True
    step = 1
    for have, n in sorted([(have, n) for have, n in zip(strides, shape) if n > 1]):
        if have != step:
            return False
        step *= n
    return True


def innermost_first(shape: Sequence[int], operands: Sequence[Strides]) -> list[int]:
    """The order in which PyTorch's TensorIterator runs through dimensions (`reorder_dimensions` in TensorIterator.cpp).

    Args:
        shape: that of the result.
        operands: the strides of each operand, broadcast dimensions having 0; the first that decides between two counts.
    """
    n = len(shape)
    order = list(range(n - 1, -1, -1))

    def exchange(inner: int, outer: int) -> int:
        for strides in operands:
            a, b = strides[inner], strides[outer]
            if a == 0 or b == 0:
                continue
            if a != b:
                return -1 if a < b else 1
            if shape[inner] > shape[outer]:
                return 1
        return 0

    for i in range(1, n):
        moved = i
        for place in range(i - 1, -1, -1):
            sign = exchange(order[place], order[moved])
            if sign < 0:
                break
            if sign > 0:
                order[place], order[moved] = order[moved], order[place]
                moved = place
    return order


def kept(array: Array) -> Strides:
    """What `preserve_format` makes of an array's strides: themselves if it is dense, else an order alike without gaps."""
    strides = strides_of(array)
    return strides if is_dense(array.shape, strides) else packed(array.shape, innermost_first(array.shape, [strides]))


def elementwise(shape: Sequence[int], arrays: Sequence[Array]) -> Strides:
    """The strides of what an operation by element makes of operands that are broadcast to `shape`.

    TensorIterator's rule: row by row or channels last if all operands are; the strides of the operands if they have the same
    and are dense; else an order of dimensions that follows the first operand where it decides.
    """
    shape = tuple(shape)
    if all([a.shape == shape for a in arrays]):
        if all([a.flags.c_contiguous for a in arrays]):
            return row_by_row(shape)
        if len(shape) == 4 and all([stands_in(a, channels_last) for a in arrays]):
            return in_format(shape, channels_last)
        found = [strides_of(a) for a in arrays]
        if all([strides == found[0] for strides in found]) and is_dense(shape, found[0]):
            return found[0]
    else:
        found = [broadcast(shape, a) for a in arrays]
    return packed(shape, innermost_first(shape, found))


def broadcast(shape: Strides, array: Array) -> Strides:
    """The strides of an array broadcast to a shape."""
    lead = len(shape) - array.ndim
    own = [0 if n == 1 != m else step for n, m, step in zip(array.shape, shape[lead:], strides_of(array))]
    return (*[0] * lead, *own)


def by_rows(array: Array) -> Array:
    """The array itself if it stands row by row, else a copy that does."""
    return array if array.flags.c_contiguous or array.__class__ is not np.ndarray else array.copy()


def viewed(shape: Sequence[int], strides: Strides, wanted: Sequence[int]) -> Strides | None:
    """The strides of a view in another shape of as many elements (at least one), None where only a copy could have it; as
    `computeStride` in ATen/TensorUtils.cpp."""
    found, d = [1] * len(wanted), len(wanted) - 1
    base, held, seen = strides[-1] if strides else 1, 1, 1
    for k in range(len(shape) - 1, -1, -1):
        held *= shape[k]
        if k and (shape[k - 1] == 1 or strides[k - 1] == held * base):
            continue
        while d >= 0 and (seen < held or wanted[d] == 1):
            found[d] = seen * base
            seen *= wanted[d]
            d -= 1
        if seen != held:
            return None
        base, held, seen = strides[k - 1], 1, 1
    return tuple(found)


def empty(shape: Sequence[int], strides: Strides, dtype: Any) -> Array:
    """An array of strides without gaps whose elements are of no account."""
    memory = np.empty(int(np.prod(shape, dtype=np.int64)), dtype)
    return np.ndarray(tuple(shape), memory.dtype, memory, 0, tuple([step * memory.itemsize for step in strides]))


def copied(array: Array, strides: Strides, dtype: Any = None) -> Array:
    """A copy with other strides, and perhaps of another dtype."""
    if not array.size:
        return array.astype(dtype or array.dtype)
    made = empty(array.shape, strides, dtype or array.dtype)
    np.copyto(made, array, casting="unsafe")
    return made


def placed(array: Array, strides: Strides) -> Array:
    """The array itself if it has these strides, else a copy that does."""
    return array if not array.size or strides_of(array) == strides else copied(array, strides)


def dimension_order(array: Array, check: Any = False) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost, as `Tensor.dim_order` tells them.

    Args:
        check: whether an ambiguous order is an error; or the formats of which exactly one has to fit then.

    Raises:
        RuntimeError: for an ambiguous order.
    """
    strides = strides_of(array)
    formats = check if isinstance(check, list) else []
    ambiguous = any([a == b for a, b in pairwise(strides)]) or 1 in array.shape
    if check is not False and ambiguous and sum([stands_in(array, f) for f in formats]) != 1:
        raise RuntimeError(f"{NOT_UNIQUE}, or cannot map to exact one of the given memory formats.")
    rows, last = stands_in(array, contiguous_format), stands_in(array, channels_last)
    if array.ndim < 2 or (rows and not last):
        return tuple(range(array.ndim))
    if last and not rows:
        return (0, 2, 3, 1)
    order = innermost_first(array.shape, [strides])
    if check and any([not 0 < strides[a] < strides[b] for a, b in pairwise(order)]):
        raise RuntimeError(f"{NOT_UNIQUE}.")
    return tuple(order[::-1])


def duplicated(array: Array) -> Array:
    """A copy in memory of its own with the same strides, gaps and repetitions included."""
    if array.flags.c_contiguous or array.__class__ is not np.ndarray:
        return array.copy()
    memory = np.zeros(span(array.shape, array.strides)[1] // array.itemsize + 1, array.dtype)
    made = strided(memory, array.shape, array.strides)
    made[...] = array
    return made


def run_through(values: Array, strides: Strides) -> Array:
    """What is computed element after element, in the order in which PyTorch runs through memory of these strides.

    Args:
        values: in the shape of the result, the first to be computed first.
    """
    order = innermost_first(values.shape, [strides])[::-1]
    return values.reshape([values.shape[d] for d in order]).transpose(np.argsort(order))
