"""The largest and smallest elements, and where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compat.signatures import invalid_combination
from ...errors import UNIMPLEMENTED, refuses_complex
from ...op.declare import function, op
from ...tensor import Tensor
from ..shape.dimensions import wrap_dim
from .sums import _sum, _sum_dim, axes_of, restored


def shared_evenly(grad, self, result):
    """`grad` shared evenly among the elements equal to `result`."""
    mask = self == result
    return mask * (grad / _sum(mask))


@op(
    r"\max {self}",
    traits="chooses",
    self=lambda grad, self, result: shared_evenly(grad, self, result),
    node="MaxBackward1",
    name="max",
    real_only="max_all",
)
def _max(self):
    """The largest element."""
    return _not_empty("max", self).max()


@op(
    r"\min {self}",
    traits="chooses",
    self=lambda grad, self, result: shared_evenly(grad, self, result),
    node="MinBackward1",
    name="min",
    real_only="min_all",
)
def _min(self):
    """The smallest element."""
    return _not_empty("min", self).min()


def _reducible(name, array, dim):
    """The array, refused if one of the dimensions is empty: an empty set has no extreme."""
    if len(dim) == array.ndim and array.ndim > 1:
        _not_empty(name.strip("()"), array)
    for d in dim:
        if not array.shape[d]:
            raise IndexError(f"{name}: Expected reduction dim {d} to have non-zero size.")
    return array


def _has_extreme(name, array, dim):
    """The array, refused if there is nothing to choose from."""
    return array if dim is not None and array.ndim and array.shape[dim] else _not_empty(name, array)


def _not_empty(name, array):
    if array.size == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
            "'dim' argument."
        )
    return array


@op(r"{self}", self=lambda grad, dim, indices: take_along(grad, dim, indices), indices=None, broadcast=())
def scatter_zeros(self, shape, dim, indices):
    """Zeros of `shape` with `self` put at `indices` along `dim`."""
    out = np.zeros(shape, self.dtype)
    if out.ndim == 0:
        return self
    np.put_along_axis(out, indices, self, axis=dim)
    return out


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, dim, indices: scatter_zeros(grad, self_sym_sizes, dim, indices),
    indices=None,
    broadcast=(),
    node="GatherBackward0",
    name="gather",
)
def take_along(self, dim, indices):
    """The elements of `self` at `indices` along `dim`."""
    return np.take_along_axis(self, indices, axis=dim) if self.ndim else self


def chosen_backward(grad, sizes, dim, indices, keepdim):
    """`grad` at the positions of the chosen elements, zeros elsewhere."""
    return scatter_zeros(restored(grad, sizes, dim, keepdim), tuple(sizes), dim, restored(indices, sizes, dim, keepdim))


def _extreme_dim(name: str, node: str, index: Any) -> Any:
    def along(self, dim, keepdim):
        if self.ndim == 0:
            return self, np.asarray(0)
        indices = index(self, axis=dim, keepdims=True)
        values = np.take_along_axis(self, indices, axis=dim)
        return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))

    along.__name__ = f"_{name}_dim"
    along.__doc__ = f"The {name} along one dimension, and where it stands."
    return op(
        rf"\{name}_{{{{ {{dim}} }}}} {{self}}",
        self=lambda grad, self_sym_sizes, dim, indices, keepdim: chosen_backward(grad, self_sym_sizes, dim, indices, keepdim),
        outputs=("values", "indices"),
        node=node,
        name=name,
    )(along)


_max_dim = _extreme_dim("max", "MaxBackward0", np.argmax)


_min_dim = _extreme_dim("min", "MinBackward0", np.argmin)


@function
def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The largest element; with `dim` the largest along it and their indices; with a tensor, `maximum`."""
    other = dim if isinstance(dim, Tensor) else other
    if not isinstance(input, Tensor):
        raise invalid_combination("max", *[x for x in (input, dim) if x is not None])
    if other is not None:
        from ..pointwise.binary import maximum

        return maximum(input, other)
    return _max(input) if dim is None else _max_dim(input, wrap_dim(dim, input._array.ndim), keepdim)


@function
def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The smallest element; with `dim` the smallest along it and their indices; with a tensor, `minimum`."""
    other = dim if isinstance(dim, Tensor) else other
    if not isinstance(input, Tensor):
        raise invalid_combination("min", *[x for x in (input, dim) if x is not None])
    if other is not None:
        from ..pointwise.binary import minimum

        return minimum(input, other)
    return _min(input) if dim is None else _min_dim(input, wrap_dim(dim, input._array.ndim), keepdim)


def shared_evenly_dim(grad, self, result, dim, keepdim):
    """`grad` shared evenly among the elements equal to `result` along `dim`."""
    mask = self == restored(result, self.shape, dim, keepdim)
    return mask * (restored(grad, self.shape, dim, keepdim) / _sum_dim(mask, dim, True))


@op(
    r"\max {self}",
    traits="chooses",
    self=lambda grad, self, result, dim, keepdim: shared_evenly_dim(grad, self, result, dim, keepdim),
    node="AmaxBackward0",
    name="amax",
    real_only="max_values_cpu",
)
def _amax(self, dim, keepdim):
    """The largest elements; equal ones share the gradient."""
    return (self if self.size else _reducible("amax()", self, dim)).max(axis=dim, keepdims=keepdim)


@op(
    r"\min {self}",
    traits="chooses",
    self=lambda grad, self, result, dim, keepdim: shared_evenly_dim(grad, self, result, dim, keepdim),
    node="AminBackward0",
    name="amin",
    real_only="min_values_cpu",
)
def _amin(self, dim, keepdim):
    """The smallest elements; equal ones share the gradient."""
    return (self if self.size else _reducible("amin()", self, dim)).min(axis=dim, keepdims=keepdim)


@function(traits="sized")
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The largest elements over the dimensions `dim`; equal ones share the gradient."""
    return _amax(input, axes_of(dim, input._array.ndim), keepdim)


@function(traits="sized")
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The smallest elements over the dimensions `dim`; equal ones share the gradient."""
    return _amin(input, axes_of(dim, input._array.ndim), keepdim)


@op(
    r"\min {self}, \max {self}",
    traits="chooses",
    self=lambda grads, self, min, max, dim, keepdim: (
        shared_evenly_dim(grads[0], self, min, dim, keepdim) + shared_evenly_dim(grads[1], self, max, dim, keepdim)
    ),
    outputs=("min", "max"),
    node="AminmaxBackward0",
    name="aminmax",
    real_only="aminmax_cpu",
)
def _aminmax(self, dim, keepdim):
    """The smallest and the largest elements."""
    if not self.size:
        _reducible("aminmax", self, dim)
    return self.min(axis=dim, keepdims=keepdim), self.max(axis=dim, keepdims=keepdim)


@function
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """The smallest and the largest element, of all or along `dim`; equal ones share the gradient."""
    if dim is None and not input._array.size:
        raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.")
    return _aminmax(input, axes_of(dim, input._array.ndim), keepdim)


def _no_bool(name, array):
    if array.dtype.kind == "b":
        raise UNIMPLEMENTED.now(f"{name}(): does not support bool input")


@op(r"\mathrm{{argmax}}({self})", self=None, real_only=refuses_complex("argmax(): does not support complex input"))
def _argmax(self, dim, keepdim):
    """Where the largest element stands."""
    _no_bool("argmax", self)
    return np.argmax(_has_extreme("argmax", self, dim), axis=dim, keepdims=keepdim)


@op(r"\mathrm{{argmin}}({self})", self=None, real_only=refuses_complex("argmin(): does not support complex input"))
def _argmin(self, dim, keepdim):
    """Where the smallest element stands."""
    _no_bool("argmin", self)
    return np.argmin(_has_extreme("argmin", self, dim), axis=dim, keepdims=keepdim)


@function(traits="sized")
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element, of the flattened tensor or along `dim`."""
    return _argmax(input, None if dim is None or not input._array.ndim else wrap_dim(dim, input._array.ndim), keepdim)


@function(traits="sized")
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element, of the flattened tensor or along `dim`."""
    return _argmin(input, None if dim is None or not input._array.ndim else wrap_dim(dim, input._array.ndim), keepdim)
