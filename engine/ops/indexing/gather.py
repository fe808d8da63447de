"""An element for each index: those that an index tensor names along a dimension."""

from __future__ import annotations

import builtins

import numpy as np

from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..shape.dimensions import wrap_dim


@function(traits="sized apart")
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """The elements at `index` along `dim`."""
    a, i = input._array, index._array
    if i.dtype.name not in ("int64", "int32") and i.size:
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    d = wrap_dim(dim, a.ndim)
    if not i.size:
        return _gather(input, d, constant(np.zeros(i.shape, np.int64)))
    if max(a.ndim, 1) != max(i.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for k in range(a.ndim if i.ndim else 0):
        if k != d and i.shape[k] > a.shape[k]:
            raise RuntimeError(
                f"Size does not match at dimension {k} expected index {list(i.shape)} to be no larger than self "
                f"{list(a.shape)} apart from dimension {d}"
            )
    if i.size and (i.max() >= (a.shape[d] if a.ndim else 1) or i.min() < 0):
        n = a.shape[d] if a.ndim else 1
        wrong = int(i.max()) if i.max() >= n else int(i.min())
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {d} with size {n}")
    return _gather(input, d, index)


@op(
    r"{self}_{{ {index} }}",
    self=lambda grad, self_sym_sizes, dim, index: _scatter_add_zeros(grad, self_sym_sizes, dim, index),
    index=None,
    broadcast=(),
    node="GatherBackward0",
    name="gather",
)
def _gather(self, dim, index):
    """The elements at `index` along `dim`."""
    if not index.size:
        return np.zeros(index.shape, self.dtype)
    if self.ndim == 0:
        return np.broadcast_to(self, index.shape).copy()
    if index.ndim == 0:
        return self[index]
    trimmed = self[tuple(builtins.slice(None) if k == dim else builtins.slice(n) for k, n in enumerate(index.shape))]
    return np.take_along_axis(trimmed, index, axis=dim)


@op(
    r"{self}",
    self=lambda grad, dim, index: _gather(grad, dim, index),
    index=None,
    broadcast=(),
    node="ScatterAddBackward0",
    name="scatter_add",
)
def _scatter_add_zeros(self, shape, dim, index):
    """Zeros of `shape` with `self` added at `index` along `dim`."""
    if tuple(shape) == ():
        return np.asarray(self.sum())
    out = np.zeros(shape, self.dtype)
    if not index.size:
        return out
    grid = list(np.ogrid[tuple(builtins.slice(n) for n in index.shape)])
    grid[dim] = index
    np.add.at(out, tuple(grid), self)
    return out
