"""Elements in order, and those that an order singles out: the k-th, the largest k, the median, the mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import INEXACT
from ...errors import UNIMPLEMENTED, refuses_complex
from ...op.declare import function, op
from ...tensor import Tensor
from ..shape.dimensions import wrap_dim
from .minmax import chosen_backward
from .scan import scattered
from .sums import _sum


def _order(array, dim, descending):
    """Indices that sort along a dimension; equal elements keep their order, NaN counts as the largest."""
    if not descending:
        return np.argsort(array, axis=dim, kind="stable")
    # Sorting the reversed array backwards keeps the order of equal elements.
    n = array.shape[dim]
    return n - 1 - np.flip(np.argsort(np.flip(array, dim), axis=dim, kind="stable"), dim)


def _taken(array, indices, dim):
    return np.take_along_axis(array, indices, axis=dim)


@op(
    r"\mathrm{{sort}}({self})",
    traits="chooses",
    self=lambda grad, self_sym_sizes, dim, indices: scattered(grad, self_sym_sizes, dim, indices),
    outputs=("values", "indices"),
    node="SortBackward0",
    name="sort",
    layout="first",
    real_only=refuses_complex(" Sort does not support complex dtypes on CPU"),
)
def _sort(self, dim, descending):
    """The elements in order along one dimension, and where they stood."""
    if self.ndim == 0:
        return self.copy(), np.asarray(0)
    indices = _order(self, dim, descending)
    return _taken(self, indices, dim), indices


@function
def sort(input: Tensor, dim: Any = -1, descending: bool = False, stable: bool = False) -> Any:
    """The elements in ascending (or descending) order along `dim`, and where they stood; equal ones keep their order."""
    return _sort(input, wrap_dim(dim, input._array.ndim), bool(descending))


@function
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """The indices that sort `input` along `dim`."""
    indices: Tensor = sort(input, dim, descending)[1]
    return indices


@function
def msort(input: Tensor) -> Tensor:
    """The elements in ascending order along the first dimension."""
    values: Tensor = sort(input, 0)[0]
    return values


@op(
    r"\mathrm{{topk}}({self})",
    traits="chooses",
    self=lambda grad, self_sym_sizes, dim, indices: scattered(grad, self_sym_sizes, dim, indices),
    outputs=("values", "indices"),
    node="TopkBackward0",
    name="topk",
    real_only=refuses_complex(" topk does not support complex dtypes on CPU"),
)
def _topk(self, k, dim, largest):
    """The `k` largest (or smallest) elements along one dimension, and where they stand."""
    if self.dtype.kind == "b":
        raise UNIMPLEMENTED.now("topk does not support bool dtypes on CPU")
    if self.ndim == 0:
        return (self.copy(), np.asarray(0)) if k else (np.zeros(0, self.dtype), np.zeros(0, np.int64))
    indices = np.take(_order(self, dim, largest), range(k), axis=dim)
    return _taken(self, indices, dim), indices


@function(traits="sized")
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The `k` largest (or smallest) elements along `dim` in order, and where they stand."""
    d = wrap_dim(dim, input._array.ndim)
    if not 0 <= k <= (input._array.shape[d] if input._array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return _topk(input, int(k), d, largest)


def no_truths(name, array):
    """Refuse truth values, which PyTorch's kernels that choose by rank do not take."""
    if array.dtype.kind == "b":
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")


def _selecting(name: str, doc: str, rank: Any) -> Any:
    """An operation that picks one element along a dimension; `rank(array, dim, …)` says which, that dimension kept."""

    def pick(self, dim, keepdim, k=None):
        if name != "mode":
            no_truths("kthvalue_cpu" if name == "kthvalue" else "median_out", self)
        if self.ndim == 0:
            return self.copy(), np.asarray(0)
        indices = rank(self, dim, k)
        values = _taken(self, indices, dim)
        return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))

    pick.__name__, pick.__doc__ = f"_{name}", doc
    return op(
        rf"\mathrm{{{{{name}}}}}({{self}})",
        self=lambda grad, self_sym_sizes, dim, indices, keepdim: chosen_backward(grad, self_sym_sizes, dim, indices, keepdim),
        outputs=("values", "indices"),
        node=f"{name.capitalize()}Backward0",
        name=name,
    )(pick)


def _rank(array, dim, k):
    """Where the k-th smallest stands (k from 0; a number or an array that fits)."""
    order = np.argsort(array, axis=dim, kind="stable")
    if not isinstance(k, np.ndarray):
        return np.take(order, [k], axis=dim)
    return np.take_along_axis(order, k, axis=dim)


def _middle(array, dim, _):
    n = array.shape[dim]
    nans = np.isnan(array) if array.dtype.kind in INEXACT else np.zeros(array.shape, bool)
    found = _rank(array, dim, (n - 1) // 2)
    return np.where(nans.any(axis=dim, keepdims=True), nans.argmax(axis=dim, keepdims=True), found)


def _middle_of_numbers(array, dim, _):
    count = np.sum(array == array, axis=dim, keepdims=True)
    return _rank(array, dim, np.maximum(count - 1, 0) // 2)


def _most_frequent(array, dim, _):
    def one(row):
        _, inverse, counts = np.unique(row, return_inverse=True, return_counts=True)
        return np.flatnonzero(inverse.reshape(-1) == counts.argmax())[-1]

    return np.expand_dims(np.apply_along_axis(one, dim, array), dim)


_kthvalue = _selecting("kthvalue", "The k-th smallest element along one dimension.", lambda a, dim, k: _rank(a, dim, k - 1))
_median_dim = _selecting("median", "The median along one dimension; of two middle ones the lower.", _middle)
_nanmedian_dim = _selecting("nanmedian", "The median of what is a number along one dimension.", _middle_of_numbers)
_mode = _selecting("mode", "The most frequent element along one dimension, the smallest of several.", _most_frequent)


@function(traits="chooses")
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The `k`-th smallest element along `dim`, and where it stands."""
    d = wrap_dim(dim, input._array.ndim)
    if not 1 <= k <= (input._array.shape[d] if input._array.ndim else 1):
        raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(d))
    return _kthvalue(input, d, keepdim, int(k))


@function(traits="chooses")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along `dim`, and where it stands last."""
    return _mode(input, wrap_dim(dim, input._array.ndim), keepdim)


def _whole(name: str, middle: Any) -> Any:
    def pick(self):
        no_truths("median_cpu", self)
        if not self.size:
            return np.asarray(np.nan if self.dtype.kind in INEXACT else np.iinfo(self.dtype).min, self.dtype)
        flat = self.reshape(-1)
        return flat[middle(flat, 0, None)[0]]

    pick.__name__ = f"_{name}_all"
    pick.__doc__ = f"The {name} of all elements; of two middle ones the lower."
    return op(
        rf"\mathrm{{{{{name}}}}}({{self}})",
        self=lambda grad, self, result: equal_share(grad, self, result),
        node=f"{name.capitalize()}Backward0",
        name=name,
        real_only="median_cpu",
    )(pick)


def equal_share(grad, self, result):
    """`grad` shared evenly among the elements equal to `result`."""
    mask = (self == result) | ((self != self) & (result != result))
    return mask * (grad / _sum(mask))


_median_all = _whole("median", _middle)
_nanmedian_all = _whole("nanmedian", _middle_of_numbers)


@function(traits="chooses")
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of all elements, or along `dim` with where it stands; of two middle ones the lower."""
    return _median_all(input) if dim is None else _median_dim(input, wrap_dim(dim, input._array.ndim), keepdim)


@function(traits="chooses")
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of what is a number: of all elements, or along `dim` with where it stands."""
    return _nanmedian_all(input) if dim is None else _nanmedian_dim(input, wrap_dim(dim, input._array.ndim), keepdim)
