"""Tensors joined along a dimension, an existing or a new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...op.declare import function, op
from ...tensor import Tensor
from .dimensions import wrap_dim


@op(
    r"\mathrm{{cat}}({tensors})",
    traits="joins",
    tensor_lists=("tensors",),
    tensors=lambda grad, tensors_sym_sizes, dim: split_sizes(
        grad, [s[dim] if s != (0,) else 0 for s in tensors_sym_sizes], dim
    ),
    node="CatBackward0",
    name="cat",
    layout="all_channels",
    shows={"tensors_sym_sizes": None},
)
def _cat(tensors, dim):
    """The tensors one after another along `dim`."""
    return np.concatenate([a for a in tensors if a.shape != (0,)] or tensors, axis=dim)


def split_sizes(grad, lengths, dim):
    """`grad` cut along `dim` into pieces of the given lengths."""
    pieces = []
    start = 0
    for n in lengths:
        pieces.append(_take_slice(grad, dim, start, start + n, 1))
        start += n
    return pieces


@op(
    r"{self}",
    self=lambda grad, dim, start, end, step: _take_slice(grad, dim, start, end, step),
    node="SliceBackwardBackward0",
    name="slice_backward",
)
def _put_slice(self, shape, dim, start, end, step):
    """Zeros of `shape` with `self` at a slice along `dim`."""
    out = np.zeros(shape, self.dtype)
    out[(slice(None),) * dim + (slice(start, end, step),)] = self
    return out


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, dim, start, end, step: _put_slice(grad, self_sym_sizes, dim, start, end, step),
    node="SliceBackward0",
    name="slice",
)
def _take_slice(self, dim, start, end, step):
    """A slice along `dim`; bookkeeping of views left aside."""
    return self[(slice(None),) * dim + (slice(start, end, step),)]


@function(traits="sized apart")
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors joined along an existing dimension."""
    items = _listed("cat", tensors)
    if not items:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [t._array.shape for t in items if t._array.shape != (0,)]
    for i, t in enumerate(items):
        if t._array.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    if not shapes:
        return _cat(items, 0)
    first = shapes[0]
    d = wrap_dim(dim, len(first))
    for i, s in enumerate(shapes):
        if len(s) != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(s)}")
        if any(a != b for k, (a, b) in enumerate(zip(first, s, strict=True)) if k != d):
            n, m = next((a, b) for k, (a, b) in enumerate(zip(first, s, strict=True)) if k != d and a != b)
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {d}. Expected size {n} but got size {m} for tensor number "
                f"{i} in the list."
            )
    return _cat(items, d)


def _listed(name: str, tensors: Any) -> list[Tensor]:
    if isinstance(tensors, Tensor) or not isinstance(tensors, list | tuple):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}")
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    return list(tensors)


@op(
    r"\mathrm{{stack}}({tensors})",
    traits="joins",
    tensor_lists=("tensors",),
    tensors=lambda grad, dim: unbound(grad, dim),
    node="StackBackward0",
    name="stack",
    layout="stacked",
)
def _stack(tensors, dim):
    """The tensors side by side along a new dimension."""
    return np.stack(tensors, axis=dim)


def unbound(grad, dim):
    """The slices of `grad` along `dim`."""
    return [_pick(grad, dim, i) for i in range(grad.shape[dim])]


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, dim, index: _put_entry(grad, self_sym_sizes, dim, index),
    node="SelectBackward0",
    name="select",
)
def _pick(self, dim, index):
    """Entry `index` along `dim`; bookkeeping of views left aside."""
    return self[(slice(None),) * dim + (index,)]


@op(
    r"{self}",
    self=lambda grad, dim, index: _pick(grad, dim, index),
    node="SelectBackwardBackward0",
    name="select_backward",
)
def _put_entry(self, shape, dim, index):
    """Zeros of `shape` with `self` at entry `index` along `dim`."""
    out = np.zeros(shape, self.dtype)
    out[(slice(None),) * dim + (index,)] = self
    return out


@function(traits="sized apart")
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors, all of one shape, joined along a new dimension."""
    items = _listed("stack", tensors)
    if not items:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = items[0]._array.shape
    for i, t in enumerate(items):
        if t._array.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and {list(t._array.shape)} "
                f"at entry {i}"
            )
    n = len(first) + 1
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return _stack(items, wrap_dim(dim, n))


concat = concatenate = cat
