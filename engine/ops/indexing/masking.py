"""Elements selected, put and filled where a mask holds."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ... import dtypes
from ...op.declare import function, op
from ...tensor import Tensor
from ..pointwise.comparison import where
from ..reduction.sums import _sum
from ..shape.reshaping import _reshape


@op(
    r"{self}_{{ {mask} }}",
    traits="leaves_out",
    self=lambda grad, self_sym_sizes, mask: masked_select_backward(grad, tuple(self_sym_sizes), mask),
    mask=None,
    broadcast=(),
    node="MaskedSelectBackward0",
    name="masked_select",
)
def _masked_select(self, mask):
    """The elements where the mask holds, as a vector."""
    a, m = np.broadcast_arrays(self, mask)
    return a[m]


def masked_select_backward(grad, sizes, mask):
    """Zeros with `grad` where the mask holds; what was broadcast is summed by the pass."""
    return _masked_zeros(grad, tuple(np.broadcast_shapes(sizes, tuple(mask.shape))), mask)


@op(r"{self}", self=lambda grad, mask: _masked_select(grad, mask), mask=None, broadcast=(), name="masked_scatter")
def _masked_zeros(self, shape, mask):
    """Zeros of `shape` with the elements of `self` where the mask holds."""
    out = np.zeros(shape, self.dtype)
    out[np.broadcast_to(mask, shape)] = self
    return out


@function(traits="apart")
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask holds, as a vector."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    return _masked_select(input, mask)


@op(
    r"\mathrm{{masked\_scatter}}({self}, {source})",
    self=lambda grad, mask: where(mask, 0.0, grad),
    mask=None,
    source=lambda grad, source_sym_sizes, mask: _masked_source(grad, tuple(source_sym_sizes), mask),
    broadcast=(),
    node="MaskedScatterBackward0",
    name="masked_scatter",
)
def _masked_scatter(self, mask, source):
    """`self` with the elements of `source`, in order, where the mask holds."""
    out = np.broadcast_to(self, np.broadcast_shapes(self.shape, mask.shape)).copy()
    where_ = np.broadcast_to(mask, out.shape)
    out[where_] = source.reshape(-1)[: int(where_.sum())]
    return out


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, mask: _masked_zeros(_reshape(grad, (-1,)), tuple(self_sym_sizes), mask),
    mask=None,
    broadcast=(),
)
def _masked_source(self, shape, mask):
    """The elements where the mask holds, filled up with zeros to `shape`."""
    out = np.zeros(prod(shape), self.dtype)
    taken = self[np.broadcast_to(mask, self.shape)]
    out[: taken.size] = taken
    return out.reshape(shape)


@function(traits="reads_first")
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input` with the elements of `source`, in order, where the mask holds."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {dtypes.SCALAR_NAMES[mask.dtype]}"
        )
    if input._array.dtype != source._array.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got {_type(input)} and {_type(source)}"
        )
    wide = np.broadcast_to(mask._array, np.broadcast_shapes(input._array.shape, mask._array.shape))
    if wide.sum() > source._array.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return _masked_scatter(input, mask, source)


def _type(tensor: Tensor) -> str:
    return {"float32": "Float", "float64": "Double", "int64": "Long"}.get(tensor.dtype.name, tensor.dtype.name)


@op(
    r"\mathrm{{masked\_fill}}({self}, {mask}, {value})",
    traits="given leaves_out masks overlapping reads_first",
    self=lambda grad, mask: where(mask, 0.0, grad),
    mask=None,
    broadcast=(),
    node="MaskedFillBackward0",
    name="masked_fill",
)
def _masked_fill(self, mask, value):
    """A number where the mask holds."""
    return np.where(mask, self.dtype.type(dtypes.held_in(value, self.dtype)), self)


@op(
    r"\mathrm{{masked\_fill}}({self}, {mask}, {value})",
    self=lambda grad, mask: where(mask, 0.0, grad),
    mask=None,
    value=lambda grad, mask: _sum(where(mask, grad, 0.0)),
    broadcast=(),
    node="MaskedFillBackward1",
    name="masked_fill",
)
def _masked_fill_tensor(self, mask, value):
    """A 0-d tensor's element where the mask holds."""
    if value.dtype.kind == "c":
        value = np.asarray(dtypes.held_in(value.item(), self.dtype))
    return np.where(mask, value.astype(self.dtype), self)


@function(inplace=_masked_fill)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`value` where the mask holds, else the element."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {dtypes.CPP_NAMES[mask.dtype]}")
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value._array.ndim} dimension(s)."
            )
        return _masked_fill_tensor(input, mask, value)
    return _masked_fill(input, mask, value)
