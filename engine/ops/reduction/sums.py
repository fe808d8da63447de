"""Reductions over all or some dimensions: sums, means, whether all or any elements are non-zero."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...compat.version import since
from ...errors import UNIMPLEMENTED
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..shape.broadcasting import spread
from ..shape.dimensions import wrap_dim
from ..shape.reshaping import _reshape


def axes_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """`dim` (None, a number or several) as dimensions counted from the start."""
    if dim is None:
        return tuple(range(ndim))
    dims = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    if not dims:
        return tuple(range(ndim))
    wrapped = tuple(wrap_dim(d, ndim) for d in dims)
    if len(set(wrapped)) != len(wrapped):
        twice = next(d for d in wrapped if wrapped.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return wrapped if ndim else ()


def restored(grad, sizes, dim, keepdim):
    """`grad` with the reduced dimensions put back with length one."""
    if keepdim or not sizes:
        return grad
    axes = {d % len(sizes) for d in (dim if isinstance(dim, tuple) else (dim,))}
    return _reshape(grad, tuple([1 if i in axes else n for i, n in enumerate(sizes)]))


def unreduced(grad, sizes, dim, keepdim):
    """`grad` repeated along the dimensions that were reduced."""
    return spread(restored(grad, sizes, dim, keepdim), sizes)


def total(array, axis=None, keepdims=False):
    """Sum of an array as PyTorch sums: bools and integers in int64."""
    if array.dtype.kind in dtypes.INEXACT:
        return np.add.reduce(array, axis=axis, keepdims=keepdims)
    return np.add.reduce(array, axis=axis, keepdims=keepdims, dtype=np.int64)


# --- sum and mean ----------------------------------------------------------------------------------------------------------


@op(
    r"\sum {self}",
    traits="reduces",
    self=lambda grad, self_sym_sizes: spread(grad, self_sym_sizes),
    node="SumBackward0",
    name="sum",
)
def _sum(self):
    """Sum of all elements."""
    return total(self)


@op(
    r"\sum_{{ {dim} }} {self}",
    self=lambda grad, self_sym_sizes, dim, keepdim: unreduced(grad, self_sym_sizes, dim, keepdim),
    node="SumBackward1",
    name="sum",
)
def _sum_dim(self, dim, keepdim):
    """Sum over some dimensions."""
    return total(self, dim, keepdim) if self.ndim else self + 0


@function(traits="sized")
def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Sum of all elements, or over the dimensions `dim`."""
    if dtype is not None:
        input = input.to(dtype)
    return kept(_sum(input) if dim is None else _sum_dim(input, axes_of(dim, input._array.ndim), keepdim), dtype)


def kept(result: Tensor, dtype: Any) -> Tensor:
    """A result of integers in the dtype that was asked for: they are added up in int64, and the last bits are the same."""
    return result if dtype is None or result._array.dtype.kind in dtypes.INEXACT else result.to(dtype)


@op(
    r"\mathrm{{mean}}({self})",
    traits="reduces",
    self=lambda grad, self_sym_sizes, self_sym_numel: spread(grad, self_sym_sizes) / self_sym_numel,
    node="MeanBackward0",
    name="mean",
)
def _mean(self):
    """Mean of all elements."""
    return np.add.reduce(self, axis=None) / self.dtype.type(self.size)


@op(
    r"\mathrm{{mean}}_{{ {dim} }}({self})",
    self=lambda grad, self_sym_sizes, dim, keepdim: unreduced(grad, self_sym_sizes, dim, keepdim) / count(self_sym_sizes, dim),
    node="MeanBackward1",
    name="mean",
    shows={"self_sym_numel": lambda get: math.prod(get("self_sym_sizes"))},
)
def _mean_dim(self, dim, keepdim):
    """Mean over some dimensions."""
    return np.add.reduce(self, axis=dim, keepdims=keepdim) / self.dtype.type(count(self.shape, dim))


def count(sizes, dim):
    """How many elements are reduced into one."""
    return math.prod([sizes[d] for d in dim])


@function(traits="sized")
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Mean of all elements, or over the dimensions `dim`."""
    if dtype is not None:
        input = input.to(dtype)
    if input._array.dtype.kind not in dtypes.INEXACT:
        what = "Input" if dtype is None else "Optional"
        raise UNIMPLEMENTED.now(
            f"mean(): could not infer output dtype. {what} dtype must be either a floating point or complex dtype. Got: "
            f"{dtypes.SCALAR_NAMES[input.dtype]}"
        )
    if dim is None:
        return _mean(input)
    return _mean_dim(input, axes_of(dim, input._array.ndim), keepdim)


def weighed_sum(grad, self, dim, keepdim):
    """The upstream gradient at the elements that are numbers."""
    return restored(grad, self.shape, dim, keepdim) * (self == self)


NO_NANSUM = "nansum on CPU does not support complex inputs"


@op(
    r"\sum {self}",
    self=lambda grad, self, dim, keepdim: weighed_sum(grad, self, dim, keepdim),
    node="NansumBackward0",
    name="nansum",
    real_only=since("2.15", NotImplementedError(NO_NANSUM), before=RuntimeError(NO_NANSUM)),
)
def _nansum(self, dim, keepdim):
    """Sum over some dimensions of what is a number."""
    clean = np.where(np.isnan(self), self.dtype.type(0), self) if self.dtype.kind in dtypes.INEXACT else self
    return total(clean, dim, keepdim) if self.ndim else clean + 0


@function
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Sum of what is a number, of all elements or over `dim`."""
    input = input if dtype is None else input.to(dtype)
    found = _nansum(input, axes_of(dim, input._array.ndim), keepdim)
    return found if dtype is None else found.to(dtype)  # whole numbers are added up as int64


@function(traits="reduces")
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Mean of what is a number, of all elements or over `dim`."""
    if input._array.dtype.kind not in dtypes.INEXACT:
        raise UNIMPLEMENTED.now(
            f"nanmean(): expected input to have floating point or complex dtype but got {dtypes.SCALAR_NAMES[input.dtype]}"
        )
    input = input if dtype is None else input.to(dtype)
    axes = axes_of(dim, input._array.ndim)
    numbers = constant(np.sum(~np.isnan(input._array), axis=axes, keepdims=keepdim))
    return nansum(input, dim, keepdim) / numbers


# --- truth -----------------------------------------------------------------------------------------------------------------


@op(r"\forall {self}", self=None)
def _all(self, dim, keepdim):
    """Whether all elements are non-zero."""
    return np.all(self, axis=dim, keepdims=keepdim)


@op(r"\exists {self}", self=None)
def _any(self, dim, keepdim):
    """Whether any element is non-zero."""
    return np.any(self, axis=dim, keepdims=keepdim)


@function
def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether all elements (along `dim`) are non-zero."""
    return _all(input, axes_of(dim, input._array.ndim), keepdim)


@function
def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether any element (along `dim`) is non-zero."""
    return _any(input, axes_of(dim, input._array.ndim), keepdim)
