"""Sorting, searching and counting."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ... import dtypes
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..pointwise.unary import ceil, floor
from ..pointwise.unary import round as round_
from ..shape.reshaping import reshape, transpose, wrap_dim
from .minmax import chosen_backward
from .scan import scattered
from .sums import _sum, axes_of


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
)
def _topk(self, k, dim, largest):
    """The `k` largest (or smallest) elements along one dimension, and where they stand."""
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


def _selecting(name: str, doc: str, place: Any) -> Any:
    """An operation that picks one element along a dimension; `place(array, dim, …)` says which, that dimension kept."""

    def pick(self, dim, keepdim, k=None):
        if self.ndim == 0:
            return self.copy(), np.asarray(0)
        indices = place(self, dim, k)
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
    nans = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, bool)
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
        if not self.size:
            return np.asarray(np.nan if self.dtype.kind == "f" else np.iinfo(self.dtype).min, self.dtype)
        flat = self.reshape(-1)
        return flat[middle(flat, 0, None)[0]]

    pick.__name__ = f"_{name}_all"
    pick.__doc__ = f"The {name} of all elements; of two middle ones the lower."
    return op(
        rf"\mathrm{{{{{name}}}}}({{self}})",
        self=lambda grad, self, result: equal_share(grad, self, result),
        node=f"{name.capitalize()}Backward0",
        name=name,
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


# --- quantiles -------------------------------------------------------------------------------------------------------------

ROUNDED = {"lower": floor, "higher": ceil, "nearest": round_}
INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, ignore: bool) -> Tensor:
    name = "nanquantile" if ignore else "quantile"
    if input._array.size == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    _only_float_or_double(name, input)
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    at = q if isinstance(q, Tensor) else constant(np.asarray(q, input._array.dtype))
    if at._array.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if at._array.dtype != input._array.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if ((at._array < 0) | (at._array > 1)).any():
        raise RuntimeError(
            f"{name}() q {'values' if isinstance(q, Tensor) else 'value'} must be in the range [0, 1]"
            + ("" if isinstance(q, Tensor) else f", but got {q}")
        )
    n = input._array.ndim
    shape: tuple[int, ...]
    if dim is None:
        flat, shape = reshape(input, -1), (1,) * n if keepdim else ()
    else:
        d = wrap_dim(dim, n)
        flat = transpose(input, d, -1) if n else reshape(input, 1)
        shape = (
            tuple(1 if i == d else m for i, m in enumerate(input._array.shape))
            if keepdim
            else (tuple(m for i, m in enumerate(input._array.shape) if i != d))
        )
    if flat._array.ndim == 0:
        flat = reshape(flat, 1)
    ordered = sort(flat, -1)[0]
    a = ordered._array
    counts = np.sum(a == a, axis=-1, keepdims=True)
    end = a.shape[-1] - 1
    last = constant((np.maximum(counts - 1, 0) if ignore else np.full(counts.shape, end)).astype(a.dtype))
    ranks = reshape(at, -1) * last
    if not ignore:
        ranks = ranks.masked_fill(constant(counts <= end), float(end))
    if interpolation in ROUNDED:
        ranks = ROUNDED[interpolation](ranks)
    below = np.floor(ranks._array).astype(np.int64)
    out = ordered.gather(-1, constant(below))
    if interpolation in ("linear", "midpoint"):
        weight = constant(np.full_like(ranks._array, 0.5)) if interpolation == "midpoint" else ranks - constant(below)
        above = ordered.gather(-1, constant(np.ceil(ranks._array).astype(np.int64)))
        out = out.lerp(above, weight)
    # The quantiles come last; they belong in front.
    if at._array.ndim == 0:
        out = out.squeeze(-1)
        if dim is not None and n > 1:
            # The reduced dimension changed places with the last one.
            out = _restore(out, n, wrap_dim(dim, n), 0)
        return reshape(out, shape)
    out = out.movedim(-1, 0)
    if dim is not None and n > 1:
        out = _restore(out, n, wrap_dim(dim, n), 1)
    return reshape(out, (at._array.size, *shape))


def _restore(out: Tensor, n: int, dim: int, lead: int) -> Tensor:
    """The dimensions that are left, in their order again: the last one stands where `dim` was."""
    order = [i for i in range(n) if i != dim]
    now = [n - 1 if i == dim else i for i in range(n - 1)]
    return out.permute(*range(lead), *(now.index(i) + lead for i in order))


def _only_float_or_double(name: str, input: Tensor) -> None:
    if input._array.dtype.name not in ("float32", "float64"):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")


@function(traits="chooses")
def quantile(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
    """The quantiles `q` of all elements or along `dim`, in front if `q` is a vector."""
    return _quantile(input, q, dim, keepdim, interpolation, ignore=False)


@function
def nanquantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The quantiles `q` of what is a number."""
    return _quantile(input, q, dim, keepdim, interpolation, ignore=True)


# --- sets, searching, counting: no gradient ---------------------------------------------------------------------------------


def _results(*arrays: Any) -> Any:
    tensors = tuple(constant(np.array(a, order="C")) for a in arrays)
    return tensors[0] if len(tensors) == 1 else tensors


@function
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The different elements (or slices along `dim`) in order, where each element went, and how often each occurs."""
    source = np.atleast_1d(input._array) if dim is None else input._array
    values, inverse, counts = np.unique(source, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    wanted = [values]
    if return_inverse:
        wanted.append(inverse.reshape(input._array.shape) if dim is None else inverse.reshape(-1))
    return _results(*wanted, *([counts] if return_counts else []))


@function
def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The elements (or slices along `dim`) without repetitions that follow each other."""
    a = input._array.reshape(-1) if dim is None else np.moveaxis(input._array, dim, 0)
    differs = np.ones(len(a), bool)
    if len(a) > 1:
        changes = a[1:] != a[:-1]
        differs[1:] = changes.reshape(len(a) - 1, -1).any(axis=1) if changes.size else False
    starts = np.flatnonzero(differs)
    values = a[starts] if dim is None else np.moveaxis(a[starts], 0, dim)
    inverse = np.cumsum(differs) - 1
    wanted = [values]
    if return_inverse:
        wanted.append(inverse.reshape(input._array.shape) if dim is None else inverse)
    return _results(*wanted, *([np.diff(np.append(starts, len(a)))] if return_counts else []))


@function
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where each value would go in a sorted sequence (row by row), before equal ones or behind them (`right`)."""
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    end: Literal["left", "right"] = "right" if (right if side is None else side == "right") else "left"
    edges, values = sorted_sequence._array, input._array if isinstance(input, Tensor) else np.asarray(input)
    if sorter is not None:
        edges = np.take_along_axis(edges, sorter._array, axis=-1)
    if edges.ndim == 1:
        found = np.searchsorted(edges, values, side=end)
    else:
        if edges.shape[:-1] != values.shape[:-1]:
            raise RuntimeError(
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
                f"tensor and input value tensor must match, but we got boundaries tensor {list(edges.shape)} and input value "
                f"tensor {list(values.shape)}"
            )
        if not values.size or not edges.size:
            return constant(np.zeros(values.shape, np.int32 if out_int32 else np.int64))
        rows = zip(edges.reshape(-1, edges.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
        found = np.stack([np.searchsorted(e, v, side=end) for e, v in rows]).reshape(values.shape)
    return constant(np.asarray(found).astype(np.int32 if out_int32 else np.int64))


@function(traits="steps")
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """Which bucket between sorted `boundaries` each value falls into."""
    if boundaries._array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@function
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` equal bins from `min` to `max`; elements outside are not counted."""
    if bins <= 0:
        raise RuntimeError("torch.histc(): bins must be > 0")
    a = input._array
    low, high = (float(a.min()), float(a.max())) if min == max and a.size else (float(min), float(max))
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    inside = a[(a >= low) & (a <= high)]
    place = np.minimum(((inside - a.dtype.type(low)) * bins / (high - low)).astype(np.int64), bins - 1)
    return constant(np.bincount(place.reshape(-1), minlength=bins).astype(a.dtype))


@function
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each non-negative integer occurs, or the sum of its weights."""
    a = input._array
    if a.ndim != 1 or (a.size and a.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if a.dtype.kind == "f":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{dtypes.SCALAR_NAMES[input.dtype]}'")
    counted = np.bincount(a.astype(np.int64), None if weights is None else weights._array, minlength)
    return constant(
        counted.astype(weights._array.dtype if weights is not None and weights._array.dtype == np.float32 else counted.dtype)
    )


@op(r"\mathrm{{count\_nonzero}}({self})", self=None)
def _count_nonzero(self, dim):
    """How many elements are not zero."""
    return np.asarray(np.count_nonzero(self, axis=dim), np.int64)


@function
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not zero, of all or along `dim`."""
    return _count_nonzero(input, axes_of(dim, input._array.ndim))


@function
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element is among `test_elements`."""
    a, b = (x._array if isinstance(x, Tensor) else np.asarray(x) for x in (elements, test_elements))
    return constant(np.isin(a, b, invert=invert))


@function
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero: (n, dimensions), or a tuple of vectors."""
    found = np.nonzero(np.atleast_1d(input._array) if as_tuple else input._array) if input._array.ndim or as_tuple else None
    if as_tuple:
        assert found is not None
        return tuple(constant(i) for i in found)
    if found is None:
        return constant(np.zeros((int(bool(input._array)), 0), np.int64))
    return constant(np.stack(found, axis=1) if found else np.zeros((0, 0), np.int64))


@function
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, (n, dimensions)."""
    indices: Tensor = nonzero(input)
    return indices
