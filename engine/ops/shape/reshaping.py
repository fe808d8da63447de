"""The same elements in another shape: views where they can be, and dimensions of length one put in and taken out."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...bounded_strides import strided
from ...context import context
from ...dtypes import SCALAR_NAMES, dtype
from ...errors import too_many_dims
from ...memory_layout import strides_of, viewed
from ...op.declare import function, op
from ...tensor import Tensor
from ..creation.copies import clone, contiguous
from .dimensions import from_end, infer, sizes, wrap_dim


@op(
    r"{self}",
    traits="same_values shapes",
    self=lambda grad, self_sym_sizes: _reshape(grad, self_sym_sizes),
    node="UnsafeViewBackward0",
    name="reshape",
)
def _reshape(self, shape):
    """The elements in another shape; bookkeeping of views left aside."""
    return self.reshape(shape)


@op(
    r"\mathrm{{view}}({self}, {shape})",
    traits="same_values shapes",
    view=True,
    self=lambda grad, self_sym_sizes: _reshape(grad, self_sym_sizes),
    node="ViewBackward0",
    name="view",
)
def _view(self, shape):
    """The same elements in another shape, without copying."""
    if self.__class__ is not np.ndarray and getattr(self, "kind", "") == "SparseCPU":
        raise self.refused("view")
    out = _seen(self, shape)
    if out.size and not np.may_share_memory(out, self):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return out


def _seen(array, shape):
    """The array in another shape: a view with PyTorch's strides where there is one, else a copy."""
    if context.layouts is None or array.__class__ is not np.ndarray or not array.size:
        return array.reshape(shape)
    strides = viewed(array.shape, strides_of(array), shape)
    return array.reshape(shape) if strides is None else strided(array, shape, [s * array.itemsize for s in strides])


@op(
    r"{self}",
    traits="same_values shapes",
    view=True,
    self=lambda grad, self_sym_sizes: _reshape(grad, self_sym_sizes),
    node="ReshapeAliasBackward0",
    name="reshape",
)
def _reshape_alias(self, shape):
    """The same elements in another shape, of a tensor whose elements do not lie one behind the other."""
    return _seen(self, shape)


@op(r"{self}", traits="casts", view=True, self=None, name="view_dtype")
def _view_dtype(self, dtype):
    """The same bytes as elements of another dtype."""
    return self.view(dtype._numpy)


def _in_dtype(input: Tensor, target: dtype) -> Tensor:
    """The same bytes as elements of another dtype; wider or narrower ones change the length of the last dimension."""
    a, size = input._array, target.itemsize
    if size != a.itemsize:
        if not a.ndim:
            raise RuntimeError(
                f"self.dim() cannot be 0 to view {SCALAR_NAMES[input.dtype]} as {SCALAR_NAMES[target]} (different element "
                "sizes)"
            )
        if a.strides[-1] != a.itemsize and a.shape[-1] != 1:
            raise RuntimeError(
                f"self.stride(-1) must be 1 to view {SCALAR_NAMES[input.dtype]} as {SCALAR_NAMES[target]} (different element "
                f"sizes), but got {a.strides[-1] // a.itemsize}"
            )
        if a.shape[-1] * a.itemsize % size:
            times = size // a.itemsize
            raise RuntimeError(
                f"self.size(-1) must be divisible by {times} to view {SCALAR_NAMES[input.dtype]} as {SCALAR_NAMES[target]} "
                f"(different element sizes), but got {a.shape[-1]}"
            )
    made: Tensor = _view_dtype(input, target)
    return made


@function(traits="sized")
def view(input: Tensor, *size: Any) -> Tensor:
    """The same elements in another shape, sharing memory.

    Raises:
        RuntimeError: if the shape does not fit, or only a copy could have it.
    """
    if len(size) == 1 and isinstance(size[0], dtype):
        return _in_dtype(input, size[0])
    return _view(input, infer(sizes(size), input._array.size))


@function
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.view(other.size())`."""
    return _view(input, infer(other._array.shape, input._array.size))


@function(traits="sized")
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape; a view where that is possible, else a copy."""
    target = infer(sizes(shape), input._array.size)
    try:
        there = input._array.reshape(target)
    except ValueError as error:
        raise too_many_dims(error) or error from None
    if np.may_share_memory(there, input._array) or not input._array.size:
        return _view(input, target) if input._array.flags.c_contiguous or input.is_meta else _reshape_alias(input, target)
    return _reshape(clone(input), target)


@function
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.reshape(other.size())`."""
    return reshape(input, other.shape)


@function(traits="same_values sized")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` made one."""
    a = input._array
    start, end = wrap_dim(start_dim, a.ndim), wrap_dim(end_dim, a.ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if a.ndim == 0:
        return reshape(input, 1)
    if start == end:
        return input
    return reshape(input, (*a.shape[:start], prod(a.shape[start : end + 1]), *a.shape[end + 1 :]))


@function
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension."""
    return reshape(contiguous(input), -1)


@function(traits="same_values sized")
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension made several."""
    d = wrap_dim(dim, input._array.ndim)
    shape = input._array.shape
    return view(input, (*shape[:d], *infer(sizes, shape[d]), *shape[d + 1 :]))


@op(r"{self}", traits="same_values alias", view=True, self=lambda grad: grad)
def alias(self):
    """A view of everything."""
    return self.view()


@op(r"{self}", traits="same_values shapes", view=True, self=lambda grad, dim: _squeeze_dim(grad, dim))
def _unsqueeze(self, dim):
    """A dimension of length one put in at `dim`."""
    shape = (*self.shape[:dim], 1, *self.shape[dim:])
    if context.layouts is None or self.__class__ is not np.ndarray:
        return self.reshape(shape)
    step = self.shape[dim] * self.strides[dim] if dim < self.ndim else self.itemsize
    return strided(self, shape, (*self.strides[:dim], step, *self.strides[dim:]))


@function(traits="sized", turned=1)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A view with a dimension of length one at `dim`."""
    n = input._array.ndim + 1
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return _unsqueeze(input, dim if dim >= 0 else from_end(dim, n))


@op(
    r"{self}",
    traits="same_values",
    view=True,
    self=lambda grad, self_sym_sizes: _reshape(grad, self_sym_sizes),
    node="SqueezeBackward0",
    name="squeeze",
)
def _squeeze_all(self):
    """Without the dimensions of length one."""
    return _without(self, [i for i, n in enumerate(self.shape) if n == 1])


def _without(array, dims):
    """The array without some of its dimensions of length one; what is left has the strides it had."""
    if context.layouts is None or array.__class__ is not np.ndarray:
        return array.reshape(tuple([n for i, n in enumerate(array.shape) if i not in dims]))
    return array[(*[0 if i in dims else slice(None) for i in range(array.ndim)], ...)]


@op(
    r"{self}",
    view=True,
    self=lambda grad, self_sym_sizes, dim: _reshape(grad, self_sym_sizes),
    node="SqueezeBackward1",
    name="squeeze",
)
def _squeeze_dim(self, dim):
    """Without dimension `dim` if its length is one."""
    if self.ndim == 0 or self.shape[dim] != 1:
        return self.view()
    return _without(self, [dim])


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, dim: _reshape(grad, self_sym_sizes),
    node="SqueezeBackward4",
    name="squeeze",
)
def _squeeze_product(self, dim):
    """The dimension that a vector was given for a matrix product taken away again."""
    return self.reshape(self.shape[:dim] + self.shape[dim + 1 :])


@op(
    r"{self}",
    view=True,
    self=lambda grad, self_sym_sizes, dim: _reshape(grad, self_sym_sizes),
    node="SqueezeBackward2",
    name="squeeze",
)
def _squeeze_dims(self, dim):
    """Without those of the dimensions `dim` whose length is one."""
    return _without(self, [i for i, n in enumerate(self.shape) if n == 1 and i in dim])


@function(traits="sized", turned=3)
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """A view without dimensions of length one: all of them, or only `dim`."""
    n = input._array.ndim
    if dim is None:
        return _squeeze_all(input)
    if isinstance(dim, tuple | list):
        return _squeeze_dims(input, tuple(wrap_dim(d, n) for d in dim))
    return _squeeze_dim(input, wrap_dim(dim, n))
