"""Elements multiplied into, averaged with or compared with those at the positions that an index tensor gives."""

from __future__ import annotations

import numpy as np

from ...dtypes import INEXACT
from ...errors import sizes_mismatch
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..pointwise.comparison import where
from ..shape.broadcasting import expand
from ..shape.dimensions import wrap_dim
from ..shape.reshaping import _reshape, reshape
from .gather import _gather
from .scatter import _check_scatter, _grid, _scatter_add, _scatter_number, fitting

REDUCERS = {"prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def _reduced_at(self, positions, src, reduce, include_self):
    """`self` with the elements of `src` reduced into it at `positions`."""
    out = self.copy()
    if not include_self:
        start = {"prod": 1, "sum": 0, "mean": 0}.get(reduce)
        if start is None:
            start = _lowest(out.dtype) if reduce == "amax" else _highest(out.dtype)
        out[positions] = start
    if reduce in ("sum", "mean"):
        np.add.at(out, positions, src)
    else:
        REDUCERS[reduce].at(out, positions, src)
    if reduce == "mean":
        count = np.ones(out.shape, out.dtype) if include_self else np.zeros(out.shape, out.dtype)
        np.add.at(count, positions, np.ones(src.shape, out.dtype))
        count[count == 0] = 1
        out = np.floor_divide(out, count) if out.dtype.kind not in INEXACT else out / count
    return out


def _lowest(d):
    return -np.inf if d.kind in INEXACT else (False if d.kind == "b" else np.iinfo(d).min)


def _highest(d):
    return np.inf if d.kind in INEXACT else (True if d.kind == "b" else np.iinfo(d).max)


def _at_least_one(array):
    return array.reshape(1) if array.ndim == 0 else array


@op(
    r"\mathrm{{scatter\_reduce}}({self}, {src})",
    self=lambda grad, self, dim, index, src, reduce, include_self, result: reduce_slopes(
        grad, self, dim, index, src, reduce, include_self, result
    )[0],
    index=None,
    src=lambda grad, self, dim, index, src, reduce, include_self, result: fitting(
        reduce_slopes(grad, self, dim, index, src, reduce, include_self, result)[1], src.shape, "ScatterReduceBackward0"
    ),
    broadcast=(),
    node="ScatterReduceBackward0",
    name="scatter_reduce",
    real_only="index_func_",
)
def _scatter_reduce(self, dim, index, src, reduce, include_self):
    """`self` with the elements of `src` reduced into it at `index` along `dim`."""
    out, where_, values = _at_least_one(self), _at_least_one(index), _at_least_one(src)
    values = values[tuple(slice(n) for n in where_.shape)]
    return _reduced_at(out, _grid(dim, where_), values, reduce, include_self).reshape(self.shape)


def reduce_slopes(grad, self, dim, index, src, reduce, include_self, result):
    """The gradients of `self` and `src`."""
    if self.ndim == 0 or index.ndim == 0:
        mine, other = reduce_slopes(flat(grad), flat(self), dim, flat(index), flat(src), reduce, include_self, flat(result))
        return _reshape(mine, self.shape), _reshape(other, index.shape)
    if reduce not in ("sum", "mean") and tuple(src.shape) != tuple(index.shape):
        raise sizes_mismatch(tuple(src.shape), tuple(index.shape))
    ones = ones_of(src)
    if reduce == "sum":
        mine, other = grad, _gather(grad, dim, index)
    elif reduce == "mean":
        count = _scatter_add(ones_of(self) if include_self else ones_of(self) * 0, dim, index, ones)
        count = where(count == 0, 1.0, count)
        mine, other = grad / count, _gather(grad / count, dim, index)
    elif reduce == "prod":
        mine, other = product_slopes(grad, self, dim, index, src, include_self, result)
    else:
        value = _gather(result, dim, index)
        mask_self, mask_src = self == result, src == value
        count = _scatter_add(mask_self * ones_of(self) if include_self else ones_of(self) * 0, dim, index, mask_src * ones)
        share = grad / where(count == 0, 1.0, count)
        mine, other = mask_self * share, mask_src * _gather(share, dim, index)
        if include_self:
            return mine, other
    if not include_self:
        mine = _scatter_number(mine if reduce in ("sum", "mean", "prod") else grad, dim, index, 0)
    return mine, other


def flat(x):
    """A vector of the elements."""
    return _reshape(x, (-1,))


def product_slopes(grad, self, dim, index, src, include_self, result):
    """The gradients of a product: the result divided by each factor, without dividing where there is one zero."""
    zero_self = self == 0
    safe_self = where(zero_self, 1.0, self)
    without = _scatter_product(safe_self if include_self else ones_of(self), dim, index, where(src == 0, 1.0, src))
    zeros = _scatter_add(
        zero_self * ones_of(self) if include_self else ones_of(self) * 0, dim, index, (src == 0) * ones_of(src)
    )
    mine = grad * where(zero_self, where(zeros == 1, without, 0.0), where(zeros == 0, result / safe_self, 0.0))
    number = _gather(zeros, dim, index)
    safe = where(src == 0, 1.0, src)
    other = _gather(grad, dim, index) * where(
        src == 0,
        where(number == 1, _gather(without, dim, index), 0.0),
        where(number == 0, _gather(result, dim, index) / safe, 0.0),
    )
    return mine, other


@op(r"{self}", self=None, index=None, src=None, broadcast=(), name="scatter_reduce")
def _scatter_product(self, dim, index, src):
    """`self` with the elements of `src` multiplied in at `index`."""
    return _scatter_reduce._op.forward(self, dim, index, src, "prod", True)


@op("1", self=None)
def ones_of(self):
    """Ones in the shape of `self`."""
    return np.ones_like(self)


@function(traits="apart")
def scatter_reduce(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True) -> Tensor:
    """`input` with the elements of `src` reduced into it ("sum", "prod", "mean", "amax", "amin") at `index` along `dim`."""
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError("reduce argument must be either sum, prod, mean, amax or amin, got " + str(reduce))
    d = _check_scatter("scatter", input, dim, index, src)
    return _scatter_reduce(input, d, index, src, reduce, include_self)


@function(traits="apart")
def index_reduce(input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True) -> Tensor:
    """`input` with the slices of `source` reduced into it at `index` along `dim`."""
    d = wrap_dim(dim, input._array.ndim)
    shape = [1] * source._array.ndim
    if shape:
        shape[d] = -1
    if not shape:
        # A 0-d source goes with a 0-d or one-element index.
        return _scatter_reduce(reshape(input, -1), 0, reshape(index, -1), reshape(source, -1), reduce, include_self).reshape(
            input._array.shape
        )
    full = expand(reshape(index, shape), source._array.shape)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    return _scatter_reduce(input, d, constant(np.ascontiguousarray(full._array)), source, reduce, include_self)
