"""What pooling and resampling have in common: along a dimension, each element of the result looks at a few of the input.

Sums with weights (average pooling, interpolation) and maxima are taken one dimension after the other, a tap at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from types import FunctionType
from typing import Any

import numpy as np

from ...dtypes import INEXACT
from ...op.declare import op


def variant(forward: Callable[..., Any], template: str, name: str, node: str, **options: Any) -> Any:
    """Declare an operation that is one of several with the same formula, say for as many dimensions."""
    assert isinstance(forward, FunctionType)
    same = FunctionType(forward.__code__, forward.__globals__, "_" + name, forward.__defaults__, forward.__closure__)
    same.__doc__ = forward.__doc__
    return op(template, name=name, node=node, **options)(same)


class Taps:
    """The positions that each result along one dimension looks at, (results, taps), and their weights."""

    def __init__(self, size: int, index: Any, weight: Any = None) -> None:
        self.size = size
        """How long the input's dimension is."""
        self.index = index
        self.weight = weight
        """One number for all, or (results, taps)."""
        self.selectors = [_selector(column) for column in index.T]
        self.slices = all(isinstance(s, slice) for s in self.selectors)
        self.identity = index.shape == (size, 1) and self.slices and np.ndim(weight) == 0 and weight in (None, 1)

    @property
    def length(self) -> int:
        """How long the result's dimension is."""
        return int(self.index.shape[0])

    def matrix(self, dtype: Any) -> Any:
        """The sum with weights as a matrix (results, size)."""
        m = np.zeros((self.length, self.size), dtype)
        np.add.at(m, (np.arange(self.length)[:, None], self.index), self.weight)
        return m


def _selector(column: Any) -> Any:
    """A slice that selects the positions, or the positions themselves."""
    if len(column) == 0:
        return slice(0, 0)
    step = int(column[1] - column[0]) if len(column) > 1 else 1
    if step > 0 and (np.diff(column) == step).all():
        return slice(int(column[0]), int(column[-1]) + 1, step)
    return column


def _select(array, axis, selector):
    if isinstance(selector, slice):
        return array[(slice(None),) * axis + (selector,)]
    return np.take(array, selector, axis)


def _along(values, axis, ndim):
    """A vector that lies along one dimension."""
    return values.reshape((-1,) + (1,) * (ndim - axis - 1))


def weighted(x, axis, taps):
    """Sums with weights along one dimension."""
    if taps.identity:
        return x
    even = np.ndim(taps.weight) == 0
    out = None
    for t, selector in enumerate(taps.selectors):
        part = _select(x, axis, selector)
        if not even:
            part = part * _along(taps.weight[:, t].astype(x.dtype), axis, x.ndim)
        if out is None:
            out = part.copy() if part.base is not None or part is x else part
        else:
            out += part
    if even and taps.weight != 1:
        out *= x.dtype.type(taps.weight)
    return out


def spread_back(grad, axis, taps):
    """Each result's gradient back to the positions it looked at."""
    if taps.identity:
        return grad
    even = np.ndim(taps.weight) == 0
    if taps.slices and taps.index.shape[1] <= 16:
        out = np.zeros((*grad.shape[:axis], taps.size, *grad.shape[axis + 1 :]), grad.dtype)
        if even and taps.weight != 1:
            grad = grad * grad.dtype.type(taps.weight)
        for t, selector in enumerate(taps.selectors):
            part = grad if even else grad * _along(taps.weight[:, t].astype(grad.dtype), axis, grad.ndim)
            out[(slice(None),) * axis + (selector,)] += part
        return out
    m = taps.matrix(grad.dtype)
    if axis == grad.ndim - 1:
        return grad @ m
    inner = grad.shape[axis + 1 :]
    out = np.matmul(m.T, grad.reshape(*grad.shape[: axis + 1], prod(inner)))
    return out.reshape(*grad.shape[:axis], taps.size, *inner)


@op(r"{self}", self=lambda grad, plan: _unresampled(grad, plan), node="ResampleBackward0", name="resample")
def _resampled(self, plan):
    """Sums with weights along the trailing dimensions; `plan` has the taps of each."""
    for k, taps in enumerate(reversed(plan), 1):
        self = weighted(self, self.ndim - k, taps)
    return self


@op(r"{self}", self=lambda grad, plan: _resampled(grad, plan), node="ResampleBackwardBackward0", name="resample_backward")
def _unresampled(self, plan):
    """The transpose of `_resampled`."""
    for k, taps in enumerate(plan):
        self = spread_back(self, self.ndim - len(plan) + k, taps)
    return self


# --- maxima ----------------------------------------------------------------------------------------------------------------


def maxima(x, plan):
    """The largest of each window over the trailing dimensions, and where in the flattened dimensions it stands.

    Of several equal ones it is the first, of several NaN the last.
    """
    nan = x.dtype.kind in INEXACT and x.size > 0 and bool(np.isnan(np.max(x)))
    positions = None
    pitch = 1
    for k, taps in enumerate(reversed(plan), 1):
        axis = x.ndim - k
        if positions is None or taps.size != 1 or not taps.identity:
            x, positions = _largest(x, positions, axis, taps, pitch, nan)
        pitch *= taps.size
    return x, positions


def _largest(x, positions, axis, taps, pitch, nan):
    best: Any = None
    where: Any = None
    for t, selector in enumerate(taps.selectors):
        values = _select(x, axis, selector)
        rows = _along(taps.index[:, t] * pitch, axis, x.ndim)
        here = rows if positions is None else _select(positions, axis, selector) + rows
        if best is None:
            best = values.copy() if values.base is not None or values is x else values
            where = np.empty(best.shape, np.int64)
            where[...] = here
            continue
        better = values > best
        if nan:
            better |= np.isnan(values)
        np.copyto(best, values, where=better)
        np.copyto(where, here, where=better)
    return best, where


def _planes(indices, sizes, dims):
    """Flat positions in an array of shape `sizes` of what `indices` say for each plane."""
    area = prod(sizes[len(sizes) - dims :])
    planes = prod(sizes[: len(sizes) - dims])
    return indices.reshape(planes, prod(indices.shape[len(sizes) - dims :])) + (np.arange(planes) * area)[:, None]


@op(
    r"{self}",
    self=lambda grad, indices, dims: _picked(grad, indices, dims),
    indices=None,
    broadcast=(),
    node="MaxPoolBackwardBackward0",
    name="max_pool_backward",
)
def _put_back(self, indices, sizes, dims, apart):
    """Zeros of shape `sizes` with each element added where `indices` say; `apart` if no position is named twice."""
    flat = _planes(indices, sizes, dims).reshape(-1)
    n = prod(sizes)
    if apart:
        out = np.zeros(n, self.dtype)
        out[flat] = self.reshape(-1)
    else:
        out = np.bincount(flat, self.reshape(-1), n).astype(self.dtype)
    return out.reshape(sizes)


@op(
    r"{self}",
    self=lambda grad, indices, self_sym_sizes, dims: _put_back(grad, indices, tuple(self_sym_sizes), dims, False),
    indices=None,
    broadcast=(),
    node="MaxUnpoolBackwardBackward0",
    name="max_unpool_backward",
)
def _picked(self, indices, dims):
    """The elements at the positions that `indices` say."""
    return self.reshape(-1)[_planes(indices, self.shape, dims)].reshape(indices.shape)
