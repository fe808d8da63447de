"""Windows along a dimension, and any pattern of offsets in memory, as views."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...bounded_strides import owner, row, strided
from ...op.declare import function, op
from ...tensor import Tensor
from ..shape.dimensions import sizes, wrap_dim


@op(
    r"\mathrm{{unfold}}({self})",
    view=True,
    self=lambda grad, self_sym_sizes, dimension, size, step: _fold_back(grad, tuple(self_sym_sizes), dimension, size, step),
    node="UnfoldBackward0",
    name="unfold",
)
def _unfold(self, dimension, size, step):
    """A view of all windows along a dimension; a window's elements come last."""
    if self.ndim == 0:
        return self.reshape(1)[:size]
    count, along = self.shape[dimension] - size + 1, self.strides[dimension]
    shape = (*self.shape[:dimension], count, *self.shape[dimension + 1 :], size)
    return strided(self, shape, (*self.strides, along))[(slice(None),) * dimension + (slice(None, None, step),)]


@op(
    r"{self}",
    self=lambda grad, dimension, size, step: _windows(grad, dimension, size, step),
    node="UnfoldBackwardBackward0",
    name="unfold_backward",
)
def _fold_back(self, shape, dimension, size, step):
    """Zeros of `shape` with each window added where it came from."""
    out = np.zeros(shape, self.dtype)
    if not shape:
        return self.sum()
    for k in range(size):
        stop = k + step * (self.shape[dimension] - 1) + 1
        out[(slice(None),) * dimension + (slice(k, stop, step),)] += self[..., k]
    return out


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, dimension, size, step: _fold_back(grad, tuple(self_sym_sizes), dimension, size, step),
    node="UnfoldBackward0",
    name="unfold",
)
def _windows(self, dimension, size, step):
    """All windows along a dimension; bookkeeping of views left aside."""
    return _unfold._op.forward(self, dimension, size, step)


@function
def method_unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of all windows of `size` along a dimension, `step` apart; a window's elements become the last dimension."""
    d = wrap_dim(dimension, input._array.ndim)
    n = input._array.shape[d] if input._array.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return _unfold(input, d, size, step)


@op(
    r"\mathrm{{as\_strided}}({self})",
    view=True,
    self=lambda grad, self, size, stride, storage_offset: _strided_zeros(grad, self, size, stride, storage_offset),
    node="AsStridedBackward0",
    name="as_strided",
)
def _as_strided(self, size, stride, storage_offset):
    """Any pattern of offsets in memory as a view."""
    memory, start, _ = _memory(self)
    first = start if storage_offset is None else storage_offset
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if first < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {first}")
    last = first + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if prod(size) else first
    if last >= max(memory.size, 1) and prod(size):
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {first}, and itemsize {self.itemsize} "
            f"requiring a storage size of {(last + 1) * self.itemsize} are out of bounds for storage of size {memory.nbytes}"
        )
    return strided(memory[first:], size, tuple(s * self.itemsize for s in stride))


def _memory(array):
    """The memory an array looks into, as a vector, where in it the array starts, and the array's strides there in elements."""
    memory = row(owner(array))
    if memory is None or memory.dtype != array.dtype or any([s < 0 for s in array.strides]):
        # Nothing of the same elements that could be counted from: what PyTorch would see is the array itself.
        array = np.ascontiguousarray(array)
        memory = array.reshape(-1)
    start = (array.__array_interface__["data"][0] - memory.__array_interface__["data"][0]) // array.itemsize
    return memory, start, [s // array.itemsize for s in array.strides]


@op(r"{self}", self=None, like=None, broadcast=(), name="as_strided_backward")
def _strided_zeros(self, like, size, stride, storage_offset):
    """Zeros of the shape of `like` with each element of `self` added where in memory it came from."""
    memory, start, steps = _memory(like)
    first = start if storage_offset is None else storage_offset
    flat = np.zeros(memory.size, self.dtype)
    offsets = first + sum(
        np.arange(n).reshape((-1,) + (1,) * (len(size) - i - 1)) * s for i, (n, s) in enumerate(zip(size, stride, strict=True))
    )
    np.add.at(flat, np.broadcast_to(offsets, self.shape), self)
    return strided(flat[start:], like.shape, [s * self.itemsize for s in steps]).copy()


@function
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of any pattern of offsets in memory."""
    size, stride = sizes((size,)), sizes((stride,))
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    return _as_strided(input, size, stride, storage_offset)


@op(
    r"\mathrm{{as\_strided\_scatter}}({self}, {src})",
    self=lambda grad, size, stride, storage_offset: _strided_alone(grad, size, stride, storage_offset),
    src=lambda grad, size, stride, storage_offset: _strided_copy(grad, size, stride, storage_offset),
    broadcast=(),
    node="AsStridedScatterBackward0",
    name="as_strided_scatter",
)
def _as_strided_scatter(self, src, size, stride, storage_offset):
    """A copy with `src` in a pattern of offsets in memory."""
    out = np.array(self, order="K")
    _as_strided._op.forward(out, size, stride, storage_offset)[...] = src
    return out


@op(
    r"{self}",
    self=lambda grad, size, stride, storage_offset: _strided_alone(grad, size, stride, storage_offset),
    name="as_strided_scatter",
)
def _strided_alone(self, size, stride, storage_offset):
    """Zeros but for a pattern of offsets, which is what PyTorch's rule gives; what is not written over would be right."""
    self = np.ascontiguousarray(self)
    out = np.zeros_like(self)
    part = _as_strided._op.forward(self, size, stride, storage_offset)
    _as_strided._op.forward(out, size, stride, storage_offset)[...] = part
    return out


@op(
    r"{self}",
    self=lambda grad, self, size, stride, storage_offset: _strided_zeros(grad, self, size, stride, storage_offset),
    node="AsStridedBackward0",
    name="as_strided",
)
def _strided_copy(self, size, stride, storage_offset):
    """A pattern of offsets in memory, copied."""
    return _as_strided._op.forward(np.ascontiguousarray(self), size, stride, storage_offset).copy()


@function
def as_strided_scatter(input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A copy with `src` in the part that `as_strided` gives."""
    size, stride = sizes((size,)), sizes((stride,))
    if tuple(size) != src._array.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._array.shape)}, slice size = "
            f"{list(size)}"
        )
    return _as_strided_scatter(input, src, size, stride, storage_offset)
