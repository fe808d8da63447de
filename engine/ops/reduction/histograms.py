"""Histograms of one and of several dimensions, and where elements stand."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...op.declare import function
from ...tensor import Tensor, constant
from ..linalg.matrices import _named
from ..shape.dimensions import sizes


def _even_edges(values: Any, bins: int, low: Any, high: Any) -> Any:
    """Edges of so many equal bins from `low` to `high`, by default around all values."""
    if low is None:
        low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    low, high = float(low), float(high)
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1).astype(values.dtype)


def _counted(points: Any, edges: list[Any], weight: Any, density: bool) -> Any:
    """How many points, (n, d), or how much weight of them, fall between the edges; the last bins hold their upper edge."""
    dtype, shape = points.dtype, tuple(len(e) - 1 for e in edges)
    inside = np.ones(len(points), bool)
    numbers = []
    for column, e in zip(points.T, edges):
        inside &= (column >= e[0]) & (column <= e[-1])
        numbers.append(np.minimum(np.searchsorted(e, column, side="right") - 1, len(e) - 2))
    flat = np.ravel_multi_index([p[inside] for p in numbers], shape) if inside.any() else np.zeros(0, np.int64)
    weights = None if weight is None else weight.reshape(-1)[inside]
    counts = np.bincount(flat, weights, prod(shape)).reshape(shape).astype(dtype)
    if density:
        volume = np.ones(())
        for e in edges:
            volume = np.multiply.outer(volume, np.diff(e))
        counts = (counts / counts.sum() / volume).astype(dtype)
    return counts


@function
def histogram(input: Tensor, bins: Any = 100, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """How many elements fall into each bin, and the edges of the bins."""
    a = input._array
    if isinstance(bins, Tensor):
        if bins._array.ndim != 1:
            raise RuntimeError(
                f"histogramdd(): bins tensor should have one dimension, but got {bins._array.ndim} dimensions in the bins "
                "tensor for dimension 0"
            )
        edges = bins._array
    else:
        if bins <= 0:
            raise RuntimeError(f"histogramdd(): bins must be > 0, but got {bins} for dimension 0")
        low, high = (None, None) if range is None else range
        edges = _even_edges(a, bins, low, high)
    counts = _counted(a.reshape(-1, 1), [edges], None if weight is None else weight._array, density)
    return _named("histogram", ("hist", "bin_edges"), constant(counts), constant(edges.copy()))


@function
def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """How many points, the rows along the last dimension, fall into each bin, and the edges of the bins by dimension."""
    a = input._array
    if a.ndim < 2:
        raise RuntimeError("histogramdd: input tensor should have at least 2 dimensions")
    d = a.shape[-1]
    if isinstance(bins, int):
        bins = (bins,) * d
    if len(bins) != d:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    points = a.reshape(-1, d)
    if isinstance(bins[0], Tensor):
        edges = [b._array for b in bins]
    else:
        limits = [(None, None)] * d if range is None else list(zip(range[::2], range[1::2]))
        edges = [_even_edges(points[:, k], n, *limits[k]) for k, n in enumerate(bins)]
    counts = _counted(points, edges, None if weight is None else weight._array, density)
    return _named("histogramdd", ("hist", "bin_edges"), constant(counts), tuple(constant(e.copy()) for e in edges))


@function
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Where the first `size` elements that are not zero stand, one to a row; missing ones are `fill_value`."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = np.argwhere(input._array)[:size]
    out = np.full((size, input._array.ndim), fill_value, np.int64)
    out[: len(found)] = found
    return constant(out)


@function
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates of elements of the flattened tensor of a shape."""
    if not isinstance(indices, Tensor):
        raise TypeError(f"expected 'indices' to be Tensor, but got {type(indices).__name__}")
    if indices._array.dtype.kind not in "iu":
        raise ValueError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    lengths = sizes((shape,)) if not isinstance(shape, int) else (shape,)
    if any(n < 0 for n in lengths):
        raise ValueError(f"'shape' cannot have negative values, but got {lengths}")
    rest, found = indices._array, []
    for n in reversed(lengths):
        found.append(constant(rest % max(n, 1)))
        rest = rest // max(n, 1)
    return tuple(reversed(found))
