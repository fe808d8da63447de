"""Elements taken from and put at places given by index tensors: select, scatter, take, put, masks."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from engine import dtypes
from engine.op import function, op
from engine.ops.comparison import where
from engine.ops.indexing import _gather, gather
from engine.ops.reduction import _sum
from engine.ops.shape import _reshape, expand, reshape, wrap_dim
from engine.tensor import Tensor, constant


def _places(array, dim, index):
    """Where along `dim`: a tuple that indexes with a vector along one dimension."""
    return (slice(None),) * dim + (index,)


def _grid(dim, index):
    """The index tuple that stands for `index` along `dim`, the other coordinates running."""
    grid = list(np.ogrid[tuple(slice(n) for n in index.shape)])
    if grid:
        grid[dim] = index
    return tuple(grid)


def check_index(name: str, index: Tensor) -> None:
    """Refuse indices that are not integers."""
    if index._array.dtype.name not in ("int64", "int32"):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {dtypes.SCALAR_NAMES[index.dtype]}")


# --- slices by a vector of indices -----------------------------------------------------------------------------------------


@op(
    r"{self}_{{ {index} }}",
    self=lambda grad, self_sym_sizes, dim, index: _index_add_zeros(grad, tuple(self_sym_sizes), dim, index),
    index=None,
    promote=(),
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
    promote=(),
    node="IndexAddBackward0",
    name="index_add",
)
def _index_add_zeros(self, shape, dim, index):
    """Zeros of `shape` with the slices of `self` added at `index` along `dim`."""
    out = np.zeros(shape, self.dtype)
    if not shape:
        return out + self.sum()
    np.add.at(out, _places(out, dim, index.reshape(-1)), self)
    return out


@function
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
    promote=(),
    node="IndexAddBackward0",
    name="index_add",
)
def _index_add(self, dim, index, source, alpha):
    """`self` with the slices of `source` added at `index`."""
    out = self.copy()
    if out.ndim == 0:
        return out + source.sum() * self.dtype.type(alpha)
    np.add.at(out, _places(out, dim, index.reshape(-1)), source if alpha == 1 else source * self.dtype.type(alpha))
    return out


def times(grad, alpha):
    """`grad * alpha`, without the multiplication by one."""
    return grad if alpha == 1 else grad * alpha


@function
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
    promote=(),
    node="IndexCopyBackward0",
    name="index_copy",
)
def _index_copy(self, dim, index, source):
    """`self` with the slices of `source` put at `index`."""
    out = self.copy()
    if out.ndim == 0:
        return source.reshape(()).copy() if index.size else out
    out[_places(out, dim, index.reshape(-1))] = source
    return out


@op(
    r"{self}",
    self=lambda grad, dim, index: _index_filled(grad, dim, index),
    index=None,
    promote=(),
    node="IndexFillBackward0",
    name="index_fill",
)
def _index_filled(self, dim, index):
    """`self` with zeros at `index` along `dim`."""
    out = self.copy()
    if out.ndim == 0:
        return np.zeros_like(out) if index.size else out
    out[_places(out, dim, index.reshape(-1))] = 0
    return out


@function
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`input` with the slices of `source` put at `index` along `dim`."""
    d = wrap_dim(dim, input._array.ndim)
    if index._array.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index._array.ndim})")
    if input._array.dtype != source._array.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{_words(input)} and (source) {_words(source)}"
        )
    n = input._array.shape[d] if input._array.ndim else 1
    if index._array.size and (index._array.min() < 0 or index._array.max() >= n):
        raise IndexError(f"index_copy_(): index {int(index._array.max())} is out of bounds for dimension {d} with size {n}")
    return _index_copy(input, d, index, source)


def _words(tensor: Tensor) -> str:
    return dtypes.SCALAR_NAMES[tensor.dtype]


@op(
    r"\mathrm{{index\_fill}}({self})",
    self=lambda grad, dim, index: _index_filled(grad, dim, index),
    index=None,
    value=lambda grad, dim, index: _sum(grad - _index_filled(grad, dim, index)),
    promote=(),
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
    promote=(),
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
    out[_places(out, dim, index.reshape(-1))] = value
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


# --- scatter: a place for each element -------------------------------------------------------------------------------------


def _scattered(self, dim, index, src):
    """`self` with the elements of `src` put at `index`."""
    out = self.copy()
    if out.ndim == 0:
        return np.asarray(src, out.dtype).reshape(()).copy() if index.size else out
    values = np.asarray(src, out.dtype)
    if values.ndim:
        values = values[tuple(slice(n) for n in index.shape)]
    out[_grid(dim, index)] = values
    return out


@op(
    r"\mathrm{{scatter}}({self}, {src})",
    self=lambda grad, dim, index: _scatter_number(grad, dim, index, 0),
    index=None,
    src=lambda grad, src_sym_sizes, dim, index: widened(_gather(grad, dim, index), src_sym_sizes),
    promote=(),
    node="ScatterBackward0",
    name="scatter",
)
def _scatter_tensor(self, dim, index, src):
    """`self` with the elements of `src` put at `index` along `dim`."""
    return _scattered(self, dim, index, src)


@op(
    r"\mathrm{{scatter}}({self}, {value})",
    self=lambda grad, dim, index: _scatter_number(grad, dim, index, 0),
    index=None,
    promote=(),
    node="ScatterBackward1",
    name="scatter",
)
def _scatter_number(self, dim, index, value):
    """`self` with a number put at `index` along `dim`."""
    return _scattered(self, dim, index, value)


@op(r"{self}", self=lambda grad, self_sym_sizes: _narrowed(grad, tuple(self_sym_sizes)))
def _widened(self, shape):
    """`self` in the corner of zeros of `shape`."""
    out = np.zeros(shape, self.dtype)
    out[tuple(slice(n) for n in self.shape)] = self
    return out


@op(r"{self}", self=lambda grad, self_sym_sizes: _widened(grad, tuple(self_sym_sizes)))
def _narrowed(self, shape):
    """The corner of `shape`."""
    return self[tuple(slice(n) for n in shape)]


def widened(grad, sizes):
    """`grad` with zeros for the part of `sizes` that no index reached."""
    return grad if tuple(grad.shape) == tuple(sizes) else _widened(grad, tuple(sizes))


def _check_scatter(name: str, input: Tensor, dim: int, index: Tensor, src: Any) -> int:
    a, i = input._array, index._array
    d = wrap_dim(dim, a.ndim)
    if i.dtype.name not in ("int64", "int32"):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if isinstance(src, Tensor) and src._array.dtype != a.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if max(i.ndim, 1) != max(a.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if isinstance(src, Tensor) and max(i.ndim, 1) != max(src._array.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    for k in range(a.ndim if i.size else 0):
        if k != d and i.shape[k] > a.shape[k] or (isinstance(src, Tensor) and i.shape[k] > src._array.shape[k]):
            against = f" and to be no larger than src {list(src._array.shape)}" if isinstance(src, Tensor) else ""
            raise RuntimeError(
                f"Expected index {list(i.shape)} to be no larger than self {list(a.shape)} apart from dimension {d}" + against
            )
    n = a.shape[d] if a.ndim else 1
    if i.size and (i.max() >= n or i.min() < 0):
        wrong = int(i.max()) if i.max() >= n else int(i.min())
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {d} with size {n}")
    return d


@function
def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Tensor:
    """`input` with the elements of `src`, or one number, put (added, multiplied in) at `index` along `dim`."""
    source = value if src is None else src
    d = _check_scatter("scatter", input, dim, index, source)
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        full = source if isinstance(source, Tensor) else constant(np.full(index._array.shape, source, input._array.dtype))
        return scatter_reduce(input, d, index, full, "sum" if reduce == "add" else "prod")
    if isinstance(source, Tensor):
        return _scatter_tensor(input, d, index, source)
    return _scatter_number(input, d, index, source)


@op(
    r"\mathrm{{scatter\_add}}({self}, {src})",
    self=lambda grad: grad,
    index=None,
    src=lambda grad, src_sym_sizes, dim, index: widened(_gather(grad, dim, index), src_sym_sizes),
    promote=(),
    node="ScatterAddBackward0",
    name="scatter_add",
)
def _scatter_add(self, dim, index, src):
    """`self` with the elements of `src` added at `index` along `dim`."""
    out = self.copy()
    if out.ndim == 0:
        return out + src.reshape(()) if index.size else out
    np.add.at(out, _grid(dim, index), src[tuple(slice(n) for n in index.shape)])
    return out


@function
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`input` with the elements of `src` added at `index` along `dim`."""
    return _scatter_add(input, _check_scatter("scatter", input, dim, index, src), index, src)


REDUCERS = {"prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def _reduced_at(self, places, src, reduce, include_self):
    """`self` with the elements of `src` reduced into it at `places`."""
    out = self.copy()
    if not include_self:
        start = {"prod": 1, "sum": 0, "mean": 0}.get(reduce)
        if start is None:
            start = _lowest(out.dtype) if reduce == "amax" else _highest(out.dtype)
        out[places] = start
    if reduce in ("sum", "mean"):
        np.add.at(out, places, src)
    else:
        REDUCERS[reduce].at(out, places, src)
    if reduce == "mean":
        count = np.ones(out.shape, out.dtype) if include_self else np.zeros(out.shape, out.dtype)
        np.add.at(count, places, np.ones(src.shape, out.dtype))
        count[count == 0] = 1
        out = np.floor_divide(out, count) if out.dtype.kind != "f" else out / count
    return out


def _lowest(d):
    return -np.inf if d.kind == "f" else (False if d.kind == "b" else np.iinfo(d).min)


def _highest(d):
    return np.inf if d.kind == "f" else (True if d.kind == "b" else np.iinfo(d).max)


def _at_least_one(array):
    return array.reshape(1) if array.ndim == 0 else array


@op(
    r"\mathrm{{scatter\_reduce}}({self}, {src})",
    self=lambda grad, self, dim, index, src, reduce, include_self, result: reduce_slopes(
        grad, self, dim, index, src, reduce, include_self, result
    )[0],
    index=None,
    src=lambda grad, self, dim, index, src, reduce, include_self, result: widened(
        reduce_slopes(grad, self, dim, index, src, reduce, include_self, result)[1], src.shape
    ),
    promote=(),
    node="ScatterReduceBackward0",
    name="scatter_reduce",
)
def _scatter_reduce(self, dim, index, src, reduce, include_self):
    """`self` with the elements of `src` reduced into it at `index` along `dim`."""
    out, where_, values = _at_least_one(self), _at_least_one(index), _at_least_one(src)
    values = values[tuple(slice(n) for n in where_.shape)]
    return _reduced_at(out, _grid(dim, where_), values, reduce, include_self).reshape(self.shape)


def reduce_slopes(grad, self, dim, index, src, reduce, include_self, result):
    """The gradients of `self` and of the used part of `src`."""
    if self.ndim == 0 or index.ndim == 0:
        mine, other = reduce_slopes(
            *[flat(x) for x in (grad, self)], dim, flat(index), flat(src), reduce, include_self, flat(result)
        )
        return _reshape(mine, self.shape), _reshape(other, index.shape)
    used = _narrowed(src, tuple(index.shape)) if tuple(src.shape) != tuple(index.shape) else src
    ones = ones_of(used)
    if reduce == "sum":
        mine, other = grad, _gather(grad, dim, index)
    elif reduce == "mean":
        count = _scatter_add(ones_of(self) if include_self else ones_of(self) * 0, dim, index, ones)
        count = where(count == 0, 1.0, count)
        mine, other = grad / count, _gather(grad / count, dim, index)
    elif reduce == "prod":
        mine, other = product_slopes(grad, self, dim, index, used, include_self, result)
    else:
        value = _gather(result, dim, index)
        mask_self, mask_src = self == result, used == value
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
    zeros = _scatter_add(zero_self * ones_of(self) if include_self else ones_of(self) * 0, dim, index, (src == 0) * ones_of(src))
    mine = grad * where(zero_self, where(zeros == 1, without, 0.0), where(zeros == 0, result / safe_self, 0.0))
    number = _gather(zeros, dim, index)
    safe = where(src == 0, 1.0, src)
    other = _gather(grad, dim, index) * where(
        src == 0, where(number == 1, _gather(without, dim, index), 0.0), where(number == 0, _gather(result, dim, index) / safe, 0.0)
    )
    return mine, other


@op(r"{self}", self=None, index=None, src=None, promote=(), name="scatter_reduce")
def _scatter_product(self, dim, index, src):
    """`self` with the elements of `src` multiplied in at `index`."""
    return _scatter_reduce.op.forward(self, dim, index, src, "prod", True)


@op("1", self=None)
def ones_of(self):
    """Ones in the shape of `self`."""
    return np.ones_like(self)


@function
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`input` with the elements of `src` reduced into it ("sum", "prod", "mean", "amax", "amin") at `index` along `dim`."""
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError("reduce argument must be either sum, prod, mean, amax or amin, got " + str(reduce))
    d = _check_scatter("scatter", input, dim, index, src)
    return _scatter_reduce(input, d, index, src, reduce, include_self)


@function
def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
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
    return gather(wide, d, spread if not (spread._array < 0).any() else constant(np.where(spread._array < 0, spread._array + n, spread._array)))


@function
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements of the flattened tensor at `index`."""
    if index._array.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {dtypes.SCALAR_NAMES[index.dtype]}")
    n = input._array.size
    i = index._array
    if i.size and (i.max() >= n or i.min() < -n):
        raise IndexError(f"out of range: tried to access index {int(i.max() if i.max() >= n else i.min())} on a tensor of {n} elements.")
    return _take(input, index)


@op(
    r"{self}_{{ {index} }}",
    self=lambda grad, self_sym_sizes, index: _reshape(_take_zeros(grad, prod_of(self_sym_sizes), index), tuple(self_sym_sizes)),
    index=None,
    promote=(),
    node="TakeBackward0",
    name="take",
)
def _take(self, index):
    """The elements of the flattened tensor at `index`."""
    return self.reshape(-1)[index]


def prod_of(sizes):
    """How many elements a shape has."""
    return prod(sizes)


@op(r"{self}", self=lambda grad, index: _take(grad, index), index=None, promote=(), node="PutBackward0", name="put")
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
    promote=(),
    node="PutBackward0",
    name="put",
)
def _put(self, index, source, accumulate):
    """`self` with the elements of `source` put (or added) at places of the flattened tensor."""
    out = self.copy()
    flat = out.reshape(-1)
    if accumulate:
        np.add.at(flat, index.reshape(-1), source.reshape(-1))
    else:
        flat[index.reshape(-1)] = source.reshape(-1)
    return out


@op(r"{self}", self=lambda grad, index: _put_zero(grad, index), index=None, promote=(), node="PutBackward0", name="put")
def _put_zero(self, index):
    """`self` with zeros at places of the flattened tensor."""
    out = self.copy()
    out.reshape(-1)[index.reshape(-1)] = 0
    return out


@function
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`input` with the elements of `source` put (or added) at places of the flattened tensor."""
    if index._array.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {dtypes.SCALAR_NAMES[index.dtype]}")
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{_words(input)} and source.dtype = {_words(source)}"
        )
    if index._array.size != source._array.size:
        raise RuntimeError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source._array.size}, index.numel() = {index._array.size}"
        )
    if index._array.size and not input._array.size:
        raise IndexError("put_(): Expected elements on self when writing")
    return _put(input, index, source, accumulate)


# --- masks -----------------------------------------------------------------------------------------------------------------


@op(
    r"{self}_{{ {mask} }}",
    self=lambda grad, self_sym_sizes, mask: masked_select_backward(grad, tuple(self_sym_sizes), mask),
    mask=None,
    promote=(),
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


@op(r"{self}", self=lambda grad, mask: _masked_select(grad, mask), mask=None, promote=(), name="masked_scatter")
def _masked_zeros(self, shape, mask):
    """Zeros of `shape` with the elements of `self` where the mask holds."""
    out = np.zeros(shape, self.dtype)
    out[np.broadcast_to(mask, shape)] = self
    return out


@function
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
    promote=(),
    node="MaskedScatterBackward0",
    name="masked_scatter",
)
def _masked_scatter(self, mask, source):
    """`self` with the elements of `source`, in order, where the mask holds."""
    out = np.broadcast_to(self, np.broadcast_shapes(self.shape, mask.shape)).copy()
    where_ = np.broadcast_to(mask, out.shape)
    out[where_] = source.reshape(-1)[: int(where_.sum())]
    return out


@op(r"{self}", self=lambda grad, self_sym_sizes, mask: _masked_zeros(_reshape(grad, (-1,)), tuple(self_sym_sizes), mask), mask=None, promote=())
def _masked_source(self, shape, mask):
    """The elements where the mask holds, filled up with zeros to `shape`."""
    out = np.zeros(prod(shape), self.dtype)
    taken = self[np.broadcast_to(mask, self.shape)]
    out[: taken.size] = taken
    return out.reshape(shape)


@function
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input` with the elements of `source`, in order, where the mask holds."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {dtypes.SCALAR_NAMES[mask.dtype]}")
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
    self=lambda grad, mask: where(mask, 0.0, grad),
    mask=None,
    promote=(),
    node="MaskedFillBackward0",
    name="masked_fill",
)
def _masked_fill(self, mask, value):
    """A number where the mask holds."""
    return np.where(mask, self.dtype.type(value), self)


@op(
    r"\mathrm{{masked\_fill}}({self}, {mask}, {value})",
    self=lambda grad, mask: where(mask, 0.0, grad),
    mask=None,
    value=lambda grad, mask: _sum(where(mask, grad, 0.0)),
    promote=(),
    node="MaskedFillBackward1",
    name="masked_fill",
)
def _masked_fill_tensor(self, mask, value):
    """A 0-d tensor's element where the mask holds."""
    return np.where(mask, value.astype(self.dtype), self)


@function
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`value` where the mask holds, else the element."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {_mask_words(mask)}")
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError(
                f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._array.ndim} dimension(s)."
            )
        return _masked_fill_tensor(input, mask, value)
    return _masked_fill(input, mask, value)


def _mask_words(tensor: Tensor) -> str:
    return {"int64": "long int", "uint8": "unsigned char", "float32": "float", "float64": "double"}.get(
        tensor.dtype.name, tensor.dtype.name
    )

