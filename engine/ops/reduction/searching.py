"""Sets, searching and counting: what has no gradient."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ... import dtypes
from ...op.declare import function, op
from ...tensor import Tensor, constant
from .sums import axes_of


def _results(*arrays: Any) -> Any:
    tensors = tuple(constant(np.array(a, order="C")) for a in arrays)
    return tensors[0] if len(tensors) == 1 else tensors


@function
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The different elements (or slices along `dim`) in order, where each element went, and how often each occurs."""
    source = np.atleast_1d(input._array) if dim is None else input._array
    values, inverse, counts = np.unique(source, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    wanted = [values]
    if return_inverse:
        wanted.append(inverse.reshape(input._array.shape) if dim is None else inverse.reshape(-1))
    return _results(*wanted, *([counts] if return_counts else []))


@function
def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The elements (or slices along `dim`) without repetitions that follow each other."""
    a = input._array.reshape(-1) if dim is None else np.moveaxis(input._array, dim, 0)
    differs = np.ones(len(a), bool)
    if len(a) > 1:
        changes = a[1:] != a[:-1]
        differs[1:] = changes.reshape(len(a) - 1, -1).any(axis=1) if changes.size else False
    starts = np.flatnonzero(differs)
    values = a[starts] if dim is None else np.moveaxis(a[starts], 0, dim)
    inverse = np.cumsum(differs) - 1
    wanted = [values]
    if return_inverse:
        wanted.append(inverse.reshape(input._array.shape) if dim is None else inverse)
    return _results(*wanted, *([np.diff(np.append(starts, len(a)))] if return_counts else []))


@function
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where each value would go in a sorted sequence (row by row), before equal ones or behind them (`right`)."""
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    end: Literal["left", "right"] = "right" if (right if side is None else side == "right") else "left"
    edges, values = sorted_sequence._array, input._array if isinstance(input, Tensor) else np.asarray(input)
    if sorter is not None:
        edges = np.take_along_axis(edges, sorter._array, axis=-1)
    if edges.ndim == 1:
        found = np.searchsorted(edges, values, side=end)
    else:
        if edges.shape[:-1] != values.shape[:-1]:
            raise RuntimeError(
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
                f"tensor and input value tensor must match, but we got boundaries tensor {list(edges.shape)} and input value "
                f"tensor {list(values.shape)}"
            )
        if not values.size or not edges.size:
            return constant(np.zeros(values.shape, np.int32 if out_int32 else np.int64))
        rows = zip(edges.reshape(-1, edges.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
        found = np.stack([np.searchsorted(e, v, side=end) for e, v in rows]).reshape(values.shape)
    return constant(np.asarray(found).astype(np.int32 if out_int32 else np.int64))


@function(traits="steps")
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """Which bucket between sorted `boundaries` each value falls into."""
    if boundaries._array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@function
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` equal bins from `min` to `max`; elements outside are not counted."""
    if bins <= 0:
        raise RuntimeError("torch.histc(): bins must be > 0")
    a = input._array
    low, high = (float(a.min()), float(a.max())) if min == max and a.size else (float(min), float(max))
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    inside = a[(a >= low) & (a <= high)]
    slot = np.minimum(((inside - a.dtype.type(low)) * bins / (high - low)).astype(np.int64), bins - 1)
    return constant(np.bincount(slot.reshape(-1), minlength=bins).astype(a.dtype))


@function
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each non-negative integer occurs, or the sum of its weights."""
    a = input._array
    if a.ndim != 1 or (a.size and a.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if a.dtype.kind in dtypes.INEXACT:
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{dtypes.SCALAR_NAMES[input.dtype]}'")
    counted = np.bincount(a.astype(np.int64), None if weights is None else weights._array, minlength)
    return constant(
        counted.astype(weights._array.dtype if weights is not None and weights._array.dtype == np.float32 else counted.dtype)
    )


@op(r"\mathrm{{count\_nonzero}}({self})", self=None)
def _count_nonzero(self, dim):
    """How many elements are not zero."""
    return np.asarray(np.count_nonzero(self, axis=dim), np.int64)


@function
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not zero, of all or along `dim`."""
    return _count_nonzero(input, axes_of(dim, input._array.ndim))


@function
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element is among `test_elements`."""
    a, b = (x._array if isinstance(x, Tensor) else np.asarray(x) for x in (elements, test_elements))
    return constant(np.isin(a, b, invert=invert))


@function
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero: (n, dimensions), or a tuple of vectors."""
    found = np.nonzero(np.atleast_1d(input._array) if as_tuple else input._array) if input._array.ndim or as_tuple else None
    if as_tuple:
        assert found is not None
        return tuple(constant(i) for i in found)
    if found is None:
        return constant(np.zeros((int(bool(input._array)), 0), np.int64))
    return constant(np.stack(found, axis=1) if found else np.zeros((0, 0), np.int64))


@function
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, (n, dimensions)."""
    indices: Tensor = nonzero(input)
    return indices
