"""Repetition: a whole tensor repeated along its dimensions, and each element a number of times."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..creation.copies import clone
from .broadcasting import _sum_axes, expand
from .dimensions import sizes, wrap_dim
from .reshaping import _reshape, reshape, unsqueeze, view


@op(
    r"\mathrm{{repeat}}({self})",
    traits="joins",
    self=lambda grad, self_sym_sizes, repeats: repeat_backward(grad, self_sym_sizes, repeats),
    node="RepeatBackward0",
    name="repeat",
)
def _repeat(self, repeats):
    """The whole tensor repeated along each dimension."""
    return np.tile(self, repeats)


def repeat_backward(grad, shape, repeats):
    """The sum of the gradients of all copies."""
    if 0 in repeats:
        return _zeros(grad, tuple(shape))
    full = (1,) * (len(repeats) - len(shape)) + tuple(shape)
    split = [n for r, s in zip(repeats, full, strict=True) for n in (r, s)]
    return _reshape(_sum_axes(_reshape(grad, tuple(split)), tuple(range(0, len(split), 2)), False), tuple(shape))


@op("0", self=lambda grad, self_sym_sizes: _zeros(grad, self_sym_sizes))
def _zeros(self, shape):
    """Zeros of a shape in the dtype of `self`."""
    return np.zeros(shape, self.dtype)


@function(traits="sized")
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """The whole tensor repeated along each dimension, new ones in front."""
    times = sizes(repeats) if repeats else ()
    if len(times) < input._array.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if any(r < 0 for r in times):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(times)}: {list(times)}")
    return _repeat(input, times)


@function(traits="sized")
def tile(input: Tensor, *dims: Any) -> Tensor:
    """The whole tensor repeated along each dimension, as `numpy.tile`."""
    times = sizes(dims)
    return repeat(input, *((1,) * (input._array.ndim - len(times)) + times))


@function
def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Each element (or slice along `dim`) repeated in place."""
    if repeats is None:
        return constant(np.repeat(np.arange(input._array.size), input._array))
    x, d = (reshape(input, -1), 0) if dim is None else (input, wrap_dim(dim, input._array.ndim))
    counts = repeats._array if isinstance(repeats, Tensor) else np.asarray(repeats)
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    length = x._array.shape[d] if x._array.ndim else 1
    if counts.ndim == 1 and counts.size not in (1, length):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{counts.size} and input.size({d}) = {length}"
        )
    if not isinstance(repeats, Tensor) and counts.ndim == 0 and x._array.ndim:
        shape = x._array.shape
        copies = expand(unsqueeze(x, d + 1), *shape[: d + 1], int(counts), *shape[d + 1 :])
        return view(clone(copies), *shape[:d], shape[d] * int(counts), *shape[d + 1 :])
    where = np.repeat(np.arange(length), counts.reshape(-1) if counts.ndim else counts)
    return x.index_select(d, constant(where))
