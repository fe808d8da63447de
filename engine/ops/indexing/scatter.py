"""Scatter: elements put at, or added to, the positions that an index tensor gives along a dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..shape.dimensions import wrap_dim
from .gather import _gather


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
    src=lambda grad, src_sym_sizes, dim, index: fitting(_gather(grad, dim, index), src_sym_sizes, "ScatterBackward0"),
    broadcast=(),
    node="ScatterBackward0",
    name="scatter",
    shows={"src_sym_sizes": None},
)
def _scatter_tensor(self, dim, index, src):
    """`self` with the elements of `src` put at `index` along `dim`."""
    return _scattered(self, dim, index, src)


@op(
    r"\mathrm{{scatter}}({self}, {value})",
    self=lambda grad, dim, index: _scatter_number(grad, dim, index, 0),
    index=None,
    broadcast=(),
    node="ScatterBackward1",
    name="scatter",
)
def _scatter_number(self, dim, index, value):
    """`self` with a number put at `index` along `dim`."""
    return _scattered(self, dim, index, value)


def fitting(grad, sizes, node):
    """`grad`, refused where the source was larger than the index: PyTorch has no derivative for that."""
    if sizes and tuple(grad.shape) != tuple(sizes):
        raise RuntimeError(
            f"Function {node} returned an invalid gradient at index 1 - got {list(grad.shape)} but expected shape compatible "
            f"with {list(sizes)}"
        )
    return grad


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
        if (k != d and i.shape[k] > a.shape[k]) or (isinstance(src, Tensor) and i.shape[k] > src._array.shape[k]):
            against = f" and to be no larger than src {list(src._array.shape)}" if isinstance(src, Tensor) else ""
            raise RuntimeError(
                f"Expected index {list(i.shape)} to be no larger than self {list(a.shape)} apart from dimension {d}" + against
            )
    n = a.shape[d] if a.ndim else 1
    if i.size and (i.max() >= n or i.min() < 0):
        wrong = int(i.max()) if i.max() >= n else int(i.min())
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {d} with size {n}")
    return d


@function(traits="apart")
def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Tensor:
    """`input` with the elements of `src`, or one number, put (added, multiplied in) at `index` along `dim`."""
    source = value if src is None else src
    d = _check_scatter("scatter", input, dim, index, source)
    if reduce is not None:
        from .scatter_reduce import scatter_reduce

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
    src=lambda grad, src_sym_sizes, dim, index: fitting(_gather(grad, dim, index), src_sym_sizes, "ScatterAddBackward0"),
    broadcast=(),
    node="ScatterAddBackward0",
    name="scatter_add",
    shows={"src_sym_sizes": None},
)
def _scatter_add(self, dim, index, src):
    """`self` with the elements of `src` added at `index` along `dim`."""
    out = self.copy()
    if out.ndim == 0:
        return out + src.reshape(()) if index.size else out
    np.add.at(out, _grid(dim, index), src[tuple(slice(n) for n in index.shape)])
    return out


@function(traits="apart")
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`input` with the elements of `src` added at `index` along `dim`."""
    return _scatter_add(input, _check_scatter("scatter", input, dim, index, src), index, src)
