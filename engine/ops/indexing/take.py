"""Elements taken from and put at positions of the flattened tensor, or along a dimension with broadcasting."""

from __future__ import annotations

from math import prod

import numpy as np

from ... import dtypes
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..shape.broadcasting import expand
from ..shape.dimensions import wrap_dim
from ..shape.reshaping import _reshape, reshape
from .gather import gather


@function
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The elements at `indices` along `dim`, the other dimensions broadcasting; without `dim`, of the flattened tensor."""
    if indices._array.dtype != np.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {dtypes.SCALAR_NAMES[indices.dtype]}"
        )
    if dim is None:
        return gather(reshape(input, -1), 0, reshape(indices, -1))
    if input._array.ndim != indices._array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    d = wrap_dim(dim, input._array.ndim)
    a, i = list(input._array.shape), list(indices._array.shape)
    a[d] = i[d] = 1
    shape = list(np.broadcast_shapes(tuple(a), tuple(i)))
    shape[d] = input._array.shape[d]
    wide = expand(input, tuple(shape))
    shape[d] = indices._array.shape[d]
    spread = expand(indices, tuple(shape))
    n = wide._array.shape[d]
    return gather(
        wide,
        d,
        spread if not (spread._array < 0).any() else constant(np.where(spread._array < 0, spread._array + n, spread._array)),
    )


@function(traits="apart")
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements of the flattened tensor at `index`."""
    if index._array.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {dtypes.SCALAR_NAMES[index.dtype]}")
    n = input._array.size
    i = index._array
    if i.size and (i.max() >= n or i.min() < -n):
        raise IndexError(
            f"out of range: tried to access index {int(i.max() if i.max() >= n else i.min())} on a tensor of {n} elements."
        )
    return _take(input, index)


@op(
    r"{self}_{{ {index} }}",
    self=lambda grad, self_sym_sizes, index: _reshape(_take_zeros(grad, prod_of(self_sym_sizes), index), tuple(self_sym_sizes)),
    index=None,
    broadcast=(),
    node="TakeBackward0",
    name="take",
)
def _take(self, index):
    """The elements of the flattened tensor at `index`."""
    return self.reshape(-1)[index]


def prod_of(sizes):
    """How many elements a shape has."""
    return prod(sizes)


@op(r"{self}", self=lambda grad, index: _take(grad, index), index=None, broadcast=(), node="PutBackward0", name="put")
def _take_zeros(self, length, index):
    """Zeros with the elements of `self` added at `index`."""
    out = np.zeros(length, self.dtype)
    np.add.at(out, index, self)
    return out


@op(
    r"\mathrm{{put}}({self}, {source})",
    self=lambda grad, index, accumulate: grad if accumulate else _put_zero(grad, index),
    index=None,
    source=lambda grad, source_sym_sizes, index: _reshape(_take(grad, index), tuple(source_sym_sizes)),
    broadcast=(),
    node="PutBackward0",
    name="put",
)
def _put(self, index, source, accumulate):
    """`self` with the elements of `source` put (or added) at positions of the flattened tensor."""
    out = self.copy()
    flat = out.reshape(-1)
    if accumulate:
        np.add.at(flat, index.reshape(-1), source.reshape(-1))
    else:
        flat[index.reshape(-1)] = source.reshape(-1)
    return out


@op(r"{self}", self=lambda grad, index: _put_zero(grad, index), index=None, broadcast=(), node="PutBackward0", name="put")
def _put_zero(self, index):
    """`self` with zeros at positions of the flattened tensor."""
    out = self.copy()
    out.reshape(-1)[index.reshape(-1)] = 0
    return out


@function(traits="apart")
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`input` with the elements of `source` put (or added) at positions of the flattened tensor."""
    if index._array.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {dtypes.SCALAR_NAMES[index.dtype]}")
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{dtypes.SCALAR_NAMES[input.dtype]} and source.dtype = {dtypes.SCALAR_NAMES[source.dtype]}"
        )
    if index._array.size != source._array.size:
        raise RuntimeError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source._array.size}, index.numel() = {index._array.size}"
        )
    if index._array.size and not input._array.size:
        raise IndexError("put_(): Expected elements on self when writing")
    return _put(input, index, source, accumulate)
