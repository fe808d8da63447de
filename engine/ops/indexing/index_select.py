"""Slices along a dimension selected, added, copied and filled by a vector of indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...op.declare import function, op
from ...tensor import Tensor
from ..reduction.sums import _sum
from ..shape.dimensions import wrap_dim


def _along(array, dim, index):
    """Where along `dim`: a tuple that indexes with a vector along one dimension."""
    return (slice(None),) * dim + (index,)


@op(
    r"{self}_{{ {index} }}",
    self=lambda grad, self_sym_sizes, dim, index: _index_add_zeros(grad, tuple(self_sym_sizes), dim, index),
    index=None,
    broadcast=(),
    node="IndexSelectBackward0",
    name="index_select",
)
def _index_select(self, dim, index):
    """The slices at `index` along `dim`."""
    if self.ndim == 0:
        return self.copy() if index.ndim == 0 else self.reshape(1)[index].reshape(())
    return np.take(self, index.reshape(-1), axis=dim)


@op(
    r"{self}",
    self=lambda grad, dim, index: _index_select(grad, dim, index),
    index=None,
    broadcast=(),
    node="IndexAddBackward0",
    name="index_add",
)
def _index_add_zeros(self, shape, dim, index):
    """Zeros of `shape` with the slices of `self` added at `index` along `dim`."""
    out = np.zeros(shape, self.dtype)
    if not shape:
        return out + self.sum()
    np.add.at(out, _along(out, dim, index.reshape(-1)), self)
    return out


@function(traits="sized apart")
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices at a vector of indices along `dim`, copied."""
    a, i = input._array, index._array
    d = wrap_dim(dim, a.ndim)
    if i.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if i.dtype.name not in ("int64", "int32"):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    n = a.shape[d] if a.ndim else 1
    if i.size and (i.min() < 0 or i.max() >= n):
        raise IndexError("index out of range in self")
    return _index_select(input, d, index)


@op(
    r"\mathrm{{index\_add}}({self}, {source})",
    self=lambda grad: grad,
    index=None,
    source=lambda grad, dim, index, alpha: times(_index_select(grad, dim, index), alpha),
    broadcast=(),
    node="IndexAddBackward0",
    name="index_add",
)
def _index_add(self, dim, index, source, alpha):
    """`self` with the slices of `source` added at `index`."""
    out = self.copy()
    if out.ndim == 0:
        return out + source.sum() * self.dtype.type(alpha)
    np.add.at(out, _along(out, dim, index.reshape(-1)), source if alpha == 1 else source * self.dtype.type(alpha))
    return out


def times(grad, alpha):
    """`grad * alpha`, without the multiplication by one."""
    return grad if alpha == 1 else grad * alpha


@function(traits="apart")
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """`input` with the slices of `source` (times `alpha`) added at `index` along `dim`."""
    d = wrap_dim(dim, input._array.ndim)
    if index._array.ndim > 1:
        raise IndexError("index_add_(): Index is supposed to be a vector")
    if input._array.dtype != source._array.dtype:
        raise RuntimeError("index_add_(): self and source must have the same scalar type")
    if input._array.ndim and source._array.ndim:
        mine, others = ([n for i, n in enumerate(x._array.shape) if i != d] for x in (input, source))
        if mine != others:
            raise RuntimeError(
                "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
                f"{list(input._array.shape)} source.shape = {list(source._array.shape)}"
            )
    n = input._array.shape[d] if input._array.ndim else 1
    if index._array.size and (index._array.min() < 0 or index._array.max() >= n):
        raise IndexError("index out of range in self")
    return _index_add(input, d, index, source, alpha)


@op(
    r"\mathrm{{index\_copy}}({self}, {source})",
    self=lambda grad, dim, index: _index_filled(grad, dim, index),
    index=None,
    source=lambda grad, dim, index: _index_select(grad, dim, index),
    broadcast=(),
    node="IndexCopyBackward0",
    name="index_copy",
)
def _index_copy(self, dim, index, source):
    """`self` with the slices of `source` put at `index`."""
    out = self.copy()
    if out.ndim == 0:
        return source.reshape(()).copy() if index.size else out
    out[_along(out, dim, index.reshape(-1))] = source
    return out


@op(
    r"{self}",
    traits="masks overlapping reads_first",
    self=lambda grad, dim, index: _index_filled(grad, dim, index),
    index=None,
    broadcast=(),
    node="IndexFillBackward0",
    name="index_fill",
)
def _index_filled(self, dim, index):
    """`self` with zeros at `index` along `dim`."""
    out = self.copy()
    if out.ndim == 0:
        return np.zeros_like(out) if index.size else out
    out[_along(out, dim, index.reshape(-1))] = 0
    return out


@function(traits="apart")
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`input` with the slices of `source` put at `index` along `dim`."""
    d = wrap_dim(dim, input._array.ndim)
    if index._array.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index._array.ndim})")
    if input._array.dtype != source._array.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{dtypes.SCALAR_NAMES[input.dtype]} and (source) {dtypes.SCALAR_NAMES[source.dtype]}"
        )
    n = input._array.shape[d] if input._array.ndim else 1
    if index._array.size and (index._array.min() < 0 or index._array.max() >= n):
        raise IndexError(f"index_copy_(): index {int(index._array.max())} is out of bounds for dimension {d} with size {n}")
    return _index_copy(input, d, index, source)


@op(
    r"\mathrm{{index\_fill}}({self})",
    self=lambda grad, dim, index: _index_filled(grad, dim, index),
    index=None,
    value=lambda grad, dim, index: _sum(grad - _index_filled(grad, dim, index)),
    broadcast=(),
    node="IndexFillBackward1",
    name="index_fill",
)
def _index_fill_tensor(self, dim, index, value):
    """`self` with a 0-d tensor's element at `index`."""
    return _index_fill_with(self, dim, index, value)


@op(
    r"\mathrm{{index\_fill}}({self})",
    self=lambda grad, dim, index: _index_filled(grad, dim, index),
    index=None,
    broadcast=(),
    node="IndexFillBackward0",
    name="index_fill",
)
def _index_fill_number(self, dim, index, value):
    """`self` with a number at `index`."""
    return _index_fill_with(self, dim, index, value)


def _index_fill_with(self, dim, index, value):
    out = self.copy()
    if out.ndim == 0:
        return np.full_like(out, value) if index.size else out
    out[_along(out, dim, index.reshape(-1))] = value
    return out


@function
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """`input` with `value` in the slices at `index` along `dim`."""
    d = wrap_dim(dim, input._array.ndim)
    if index._array.dtype.kind != "i":
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError(
                f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._array.ndim} dimension(s)."
            )
        return _index_fill_tensor(input, d, index, value)
    return _index_fill_number(input, d, index, value)
