"""Reading and writing parts of a tensor by indices: `x[...]`."""

from __future__ import annotations

import builtins
import operator
import warnings
from typing import Any

import numpy as np

from ...compat.version import since
from ...context import outside
from ...dtypes import INEXACT, held_in
from ...errors import expands
from ...memory_layout import by_rows
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..creation.factories import as_array
from ..shape.dimensions import from_end
from ..shape.reshaping import alias, unsqueeze
from .slicing import _select, _slice


def _raw(indices):
    """Index tensors as arrays."""
    return tuple([i._array if isinstance(i, Tensor) else i for i in indices])


@op(
    r"{self}_{{ {indices} }}",
    traits="shapes leaves_out",
    self=lambda grad, self_sym_sizes, indices: _index_zeros(grad, self_sym_sizes, indices),
    node="IndexBackward0",
    name="index",
    layout="indexed",
)
def _index(self, indices):
    """The elements at index arrays or a mask, copied."""
    return by_rows(self[_raw(indices)])


@op(
    r"{self}",
    self=lambda grad, indices: _index_again(grad, indices),
    node="IndexPutBackward0",
    name="index_put",
)
def _index_zeros(self, shape, indices):
    """Zeros of `shape` with `self` added at the indices; an index that occurs twice gets both."""
    out = np.zeros(shape, self.dtype)
    where = _raw(indices)
    if len(where) == 1 and isinstance(where[0], np.ndarray) and where[0].dtype.kind == "b":
        out[where] = self
    else:
        np.add.at(out, where, self)
    return out


@op(
    r"{self}_{{ {indices} }}",
    self=lambda grad, self_sym_sizes, indices: _index_zeros(grad, self_sym_sizes, indices),
    node="IndexBackward0",
    name="index",
)
def _index_again(self, indices):
    """The elements at the indices."""
    return self[_raw(indices)]


@op(
    r"\mathrm{{index\_put_entry}}({self}, {values})",
    traits="joins given overlapping reads_first",
    self=lambda grad, indices, accumulate: grad if accumulate else _index_cleared(grad, indices),
    values=lambda grad, indices: _index_again(grad, indices),
    broadcast=(),
    node="IndexPutBackward0",
    name="index_put",
    layout="first",
)
def _index_put(self, indices, values, accumulate):
    """`self` with `values` put (or added) at the indices."""
    out = self.copy()
    where = _raw(indices)
    values = values.astype(self.dtype, copy=False)
    if accumulate:
        np.add.at(out, where, values)
    else:
        out[where] = values
    return out


@op(r"{self}", self=lambda grad, indices: _index_cleared(grad, indices))
def _index_cleared(self, indices):
    """`self` with zeros at the indices."""
    out = self.copy()
    out[_raw(indices)] = 0
    return out


Index = Any
"""What may stand between the brackets: numbers, slices, None, Ellipsis, masks, index arrays, and tuples of them."""


def _is_advanced(item: Any) -> bool:
    return isinstance(item, list | tuple | range | np.ndarray) or (
        isinstance(item, Tensor) and not (item._array.ndim == 0 and item._array.dtype.kind in "iu")
    )


_FEW = 32
"""Items of a list from which on it is an index array, whatever is in it, as it once was in NumPy."""


def _items(index: Index) -> list[Any]:
    """The indices of the dimensions: of a tuple its items, and, as in NumPy long ago, of a list in which there are more than
    numbers."""
    if isinstance(index, tuple):
        return list(index)
    if isinstance(index, list) and len(index) < _FEW:
        several = (Tensor, np.ndarray, list, tuple, range, builtins.slice)
        if any([item is None or item is Ellipsis or isinstance(item, several) for item in index]):
            warnings.warn(
                "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; "
                "use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
                "x[torch.tensor(seq)], which will result either in an error or a different result",
                stacklevel=outside(),
            )
            return index
    return [index]


def getitem(input: Tensor, index: Index) -> Tensor:
    """`input[index]`: a view for numbers, slices, None and Ellipsis; a copy for masks and index arrays."""
    view, advanced = _basic(input, index)
    if advanced is None:
        return alias(input) if view is input else view
    return _index(view, advanced)


def _basic(input: Tensor, index: Index) -> tuple[Tensor, tuple[Any, ...] | None]:
    """Apply the basic part of an index as views, as PyTorch does; the rest is index arrays, one per dimension they take."""
    items = list(map(_as_mask, _items(index)))
    consumed = 0
    for item in items:
        if isinstance(item, Tensor | np.ndarray) and getattr(item, "_array", item).dtype.kind == "b":
            consumed += getattr(item, "_array", item).ndim
        elif item is not None and item is not Ellipsis and not isinstance(item, bool):
            consumed += 1
    n = input._array.ndim
    if consumed > n == 0 and len(items) == 1 and isinstance(items[0], int):
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
            "tensor to a number"
        )
    if consumed > n:
        raise IndexError(f"too many indices for tensor of dimension {n}")
    position = next((i for i, item in enumerate(items) if item is Ellipsis), None)
    if position is not None:
        items[position : position + 1] = [builtins.slice(None)] * (n - consumed)
    view, dim, selected = input, 0, 0
    advanced: dict[int, Any] = {}
    for item in items:
        if item is None:
            view = unsqueeze(view, dim)
            dim += 1
        elif isinstance(item, bool):
            view = unsqueeze(view, dim)
            advanced[dim] = constant(np.array([0] if item else [], dtype=np.int64))
            dim += 1
        elif isinstance(item, builtins.slice):
            view = _sliced(view, dim, item)
            dim += 1
        elif _is_advanced(item):
            tensor = item if isinstance(item, Tensor) else constant(_index_array(item))
            advanced[dim] = _checked(tensor, view, dim)
            dim += _taken(tensor)
        else:
            view = _entry(view, dim, item, n, dim + selected)
            selected += 1
    if not advanced:
        return view, None
    full: list[Any] = []
    d = 0
    while d <= max(advanced):
        full.append(advanced.get(d, builtins.slice(None)))
        d += _taken(full[-1])
    return view, tuple(full)


_AS_THEY_ARE = frozenset((int, builtins.slice, type(None), type(Ellipsis), bool, list, tuple, range))
_KNOWN = (int, np.integer, np.ndarray, Tensor, builtins.slice, list, tuple, range)
_NO_ROW = (*_KNOWN, str, bytes, dict)


def _as_mask(item: Any) -> Any:
    """An index of bytes is a mask; an object that stands for a number is asked for it, before anything else is looked at, and
    one that is a row of numbers, like a column of a table, is a tensor of them."""
    if item.__class__ in _AS_THEY_ARE:
        return item
    if not isinstance(item, _KNOWN) and hasattr(type(item), "__index__"):
        return operator.index(item)
    if not isinstance(item, _NO_ROW) and hasattr(type(item), "__getitem__") and hasattr(type(item), "__len__"):
        row = as_array(item)
        return constant(row if row.dtype.kind == "b" else row.astype(np.int64))
    array = getattr(item, "_array", item) if isinstance(item, Tensor | np.ndarray) else None
    if array is not None and array.ndim == 0 and array.dtype.kind == "b":
        return bool(array)
    if array is None or array.dtype != np.uint8 or (array.ndim == 0 and isinstance(item, Tensor)):
        return item
    warnings.warn(
        "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.", stacklevel=outside()
    )
    return constant(array != 0)


def _taken(item: Any) -> int:
    """How many dimensions an index item takes: a mask as many as it has."""
    return item._array.ndim if isinstance(item, Tensor) and item._array.dtype.kind == "b" else 1


def _index_array(item: Any) -> np.ndarray[Any, Any]:
    if isinstance(item, list | tuple):
        item = [i.item() if isinstance(i, Tensor) else i for i in item]
        array = np.asarray(item)
        return array.astype(np.int64) if array.size == 0 or array.dtype.kind == "f" else array
    return np.asarray(item)


def _checked(index: Tensor, view: Tensor, dim: int) -> Tensor:
    array, shape = index._array, view._array.shape
    if array.dtype.kind in INEXACT:
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if array.dtype.kind == "b":
        for k, n in enumerate(array.shape):
            if n != shape[dim + k]:
                raise IndexError(
                    f"The shape of the mask {list(array.shape)} at index {k} does not match the shape of the indexed tensor "
                    f"{list(shape)} at index {dim + k}"
                )
    elif array.size:
        low, high, n = int(array.min()), int(array.max()), shape[dim]
        if low < -n or high >= n:
            wrong = low if low < -n else high
            raise IndexError(f"index {wrong} is out of bounds for dimension {dim} with size {n}")
    return index


def _sliced(view: Tensor, dim: int, item: builtins.slice) -> Tensor:
    n = view._array.shape[dim]
    step = 1 if item.step is None else int(item.step)
    if step <= 0:
        raise ValueError("step must be greater than zero")
    start, end, _ = builtins.slice(_number(item.start), _number(item.stop), step).indices(n)
    if start == 0 and end == n and step == 1:
        return view
    return _slice(view, dim, start, max(end, start), step)


def _number(x: Any) -> int | None:
    try:
        return None if x is None else operator.index(x)
    except TypeError:
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None


def _entry(view: Tensor, dim: int, item: Any, ndim: int, said: int) -> Tensor:
    """One entry along a dimension, which an error calls `said`: those that are selected before it count, too."""
    if isinstance(item, Tensor):
        item = int(item.item())
    if isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    if not isinstance(item, int | np.integer):
        raise IndexError(
            f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{type(item).__name__})"
        )
    if ndim == 0:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
            "tensor to a number"
        )
    n = view._array.shape[dim]
    if not -n <= item < n:
        raise IndexError(f"index {item} is out of bounds for dimension {said} with size {n}")
    return _select(view, dim, int(item) if item >= 0 else from_end(int(item), n))


def setitem(input: Tensor, index: Index, value: Any) -> None:
    """`input[index] = value`, in place."""
    from ..memory.inplace import copy_, index_put_

    if not isinstance(value, Tensor | int | float | complex):
        kind = type(value).__name__
        kind = f"numpy.{kind}" if type(value).__module__ == "numpy" else kind
        raise TypeError(f"can't assign a {kind} to a {input.type()}")
    source = (
        value
        if isinstance(value, Tensor)
        else constant(np.asarray(held_in(value, input._array.dtype), dtype=input._array.dtype))
    )
    view, advanced = _basic(input, index)
    if FILLS.now and not isinstance(value, Tensor) and _filled(view, advanced, value):
        return
    shape = source._array.shape
    if advanced is None:
        while len(shape) > view._array.ndim and shape[0] == 1:
            source, shape = source.squeeze(0), shape[1:]
        if shape and shape != view._array.shape:
            _check_expands(source, view._array.shape)
        copy_(view, source)
        return
    try:
        index_put_(view, advanced, source)
    except RuntimeError as error:
        if not str(error).startswith("index_put"):
            raise
        target = list(view._array[tuple(getattr(i, "_array", i) for i in advanced)].shape)
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(shape)} cannot be broadcast to indexing result of shape {target}"
        ) from None


FILLS = since("2.15", True, before=False)
"""Whether a number is filled in where an index says, rather than copied out of a tensor that is made of it."""


def _filled(view: Tensor, advanced: Any, value: Any) -> bool:
    """Fill a number in, as PyTorch does where nothing or one tensor chooses; returns whether it has."""
    from ..memory.inplace import INPLACE

    if advanced is None:
        INPLACE["fill_"](view, value)
        return True
    chosen = [(d, i) for d, i in enumerate(advanced) if isinstance(i, Tensor)]
    if len(chosen) != 1:
        return False
    value = getattr(held_in(value, view._array.dtype), "item", lambda: value)()
    dim, index = chosen[0]  # what stands before it takes one dimension each
    if index._array.dtype.kind == "b":
        rest = view._array.ndim - dim - index._array.ndim
        mask = constant(index._array.reshape((1,) * dim + index._array.shape + (1,) * rest))
        INPLACE["masked_fill_"](view, mask, value)
        return True
    if index._array.dtype != np.int64:
        return False
    INPLACE["index_fill_"](view, dim, constant(index._array.reshape(-1)), value)
    return True


def _check_expands(source: Tensor, target: tuple[int, ...]) -> None:
    shape = source._array.shape
    if len(shape) > len(target):
        raise RuntimeError(
            f"expand({source.type()}{{{list(shape)}}}, size={list(target)}): the number of sizes provided ({len(target)}) must "
            f"be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    expands(shape, target)


@function
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """`input` with `values` put (or added) at the index tensors."""
    return _index_put(input, tuple(indices), values, accumulate)
