"""Reductions: sums, means, products, extremes and norms over all or some dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import dtypes
from engine.op import function, op
from engine.ops.comparison import where
from engine.ops.pointwise import abs as absolute
from engine.ops.pointwise import exp, sign, zeros_like_grad
from engine.ops.shape import _reshape, spread, wrap_dim
from engine.overloads import invalid_combination
from engine.tensor import Tensor, constant


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
    if array.dtype.kind == "f":
        return np.add.reduce(array, axis=axis, keepdims=keepdims)
    return np.add.reduce(array, axis=axis, keepdims=keepdims, dtype=np.int64)


# --- sum and mean ----------------------------------------------------------------------------------------------------------


@op(r"\sum {self}", self=lambda grad, self_sym_sizes: spread(grad, self_sym_sizes), node="SumBackward0", name="sum")
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


@function
def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None) -> Tensor:
    """Sum of all elements, or over the dimensions `dim`."""
    if dtype is not None:
        input = input.to(dtype)
    dim = dim if axis is None else axis
    if dim is None:
        return _sum(input)
    return _sum_dim(input, axes_of(dim, input._array.ndim), keepdim)


@op(
    r"\mathrm{{mean}}({self})",
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
)
def _mean_dim(self, dim, keepdim):
    """Mean over some dimensions."""
    return np.add.reduce(self, axis=dim, keepdims=keepdim) / self.dtype.type(count(self.shape, dim))


def count(sizes, dim):
    """How many elements are reduced into one."""
    return math.prod([sizes[d] for d in dim])


@function
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None) -> Tensor:
    """Mean of all elements, or over the dimensions `dim`."""
    if dtype is not None:
        input = input.to(dtype)
    if input._array.dtype.kind != "f":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            f"{dtypes.SCALAR_NAMES[input.dtype]}"
        )
    dim = dim if axis is None else axis
    if dim is None:
        return _mean(input)
    return _mean_dim(input, axes_of(dim, input._array.ndim), keepdim)


# --- variance --------------------------------------------------------------------------------------------------------------


def var_backward(grad, self, dim, correction, keepdim):
    """The derivative of the variance."""
    n = count(self.shape, dim)
    g = restored(grad, self.shape, dim, keepdim)
    return (2.0 / (n - correction) if n > correction else math.nan) * g * (self - _mean_dim(self, dim, True))


@op(
    r"\mathrm{{var}}({self})",
    self=lambda grad, self, dim, correction, keepdim: var_backward(grad, self, dim, correction, keepdim),
    node="VarBackward0",
    name="var",
)
def _var(self, dim, correction, keepdim):
    """Variance over some dimensions; the sum of squares is divided by the count less `correction`."""
    centred = self - np.mean(self, axis=dim, keepdims=True, dtype=self.dtype)
    n = count(self.shape, dim) - correction
    return np.add.reduce(centred * centred, axis=dim, keepdims=keepdim) / self.dtype.type(n if n > 0 else 0)


@op(
    r"\mathrm{{std}}({self})",
    self=lambda grad, self, result, dim, correction, keepdim: var_backward(
        where(result == 0, 0.0, grad / (result * 2)), self, dim, correction, keepdim
    ),
    node="StdBackward0",
    name="std",
)
def _std(self, dim, correction, keepdim):
    """Standard deviation over some dimensions."""
    return np.sqrt(_var.op.forward(self, dim, correction, keepdim))


def _spread_arguments(dim: Any, unbiased: Any, correction: Any) -> tuple[Any, Any]:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    return dim, correction


@function
def var(
    input: Tensor,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
    axis: Any = None,
) -> Tensor:
    """Variance; by default the sum of squares is divided by the count less one."""
    dim, correction = _spread_arguments(dim if axis is None else axis, unbiased, correction)
    _only_floating("std and var", input)
    return _var(input, axes_of(dim, input._array.ndim), correction, keepdim)


@function
def std(
    input: Tensor,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
    axis: Any = None,
) -> Tensor:
    """Standard deviation: the square root of `var`."""
    dim, correction = _spread_arguments(dim if axis is None else axis, unbiased, correction)
    _only_floating("std and var", input)
    return _std(input, axes_of(dim, input._array.ndim), correction, keepdim)


def _only_floating(what: str, tensor: Tensor) -> None:
    if tensor._array.dtype.kind != "f":
        raise RuntimeError(f"{what} only support floating point and complex dtypes")


def weighed_sum(grad, self, dim, keepdim):
    """The upstream gradient at the elements that are numbers."""
    return restored(grad, self.shape, dim, keepdim) * (self == self)


@op(
    r"\sum {self}",
    self=lambda grad, self, dim, keepdim: weighed_sum(grad, self, dim, keepdim),
    node="NansumBackward0",
    name="nansum",
)
def _nansum(self, dim, keepdim):
    """Sum over some dimensions of what is a number."""
    clean = np.where(np.isnan(self), self.dtype.type(0), self) if self.dtype.kind == "f" else self
    return total(clean, dim, keepdim) if self.ndim else clean + 0


@function
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Sum of what is a number, of all elements or over `dim`."""
    input = input if dtype is None else input.to(dtype)
    return _nansum(input, axes_of(dim, input._array.ndim), keepdim)


@function
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Mean of what is a number, of all elements or over `dim`."""
    if input._array.dtype.kind != "f":
        raise RuntimeError(f"nanmean(): expected input to have floating point or complex dtype but got {dtypes.SCALAR_NAMES[input.dtype]}")
    input = input if dtype is None else input.to(dtype)
    axes = axes_of(dim, input._array.ndim)
    numbers = constant(np.sum(~np.isnan(input._array), axis=axes, keepdims=keepdim))
    return nansum(input, dim, keepdim) / numbers


def both_slopes(grads, self, dim, correction, keepdim):
    """The derivative of variance and mean."""
    n = count(self.shape, dim)
    return var_backward(grads[0], self, dim, correction, keepdim) + unreduced(grads[1], self.shape, dim, keepdim) / n


@op(
    r"\mathrm{{var}}({self}), \mathrm{{mean}}({self})",
    self=lambda grads, self, dim, correction, keepdim: both_slopes(grads, self, dim, correction, keepdim),
    outputs=("result0", "result1"),
    node="VarMeanBackward0",
    name="var_mean",
)
def _var_mean(self, dim, correction, keepdim):
    """Variance and mean over some dimensions."""
    return _var.op.forward(self, dim, correction, keepdim), np.mean(self, axis=dim, keepdims=keepdim, dtype=self.dtype)


def deviation_slopes(grads, self, result0, dim, correction, keepdim):
    """The derivative of standard deviation and mean."""
    g = where(result0 == 0, 0.0, grads[0] / (result0 * 2))
    return both_slopes([g, grads[1]], self, dim, correction, keepdim)


@op(
    r"\mathrm{{std}}({self}), \mathrm{{mean}}({self})",
    self=lambda grads, self, result0, dim, correction, keepdim: deviation_slopes(
        grads, self, result0, dim, correction, keepdim
    ),
    outputs=("result0", "result1"),
    node="StdMeanBackward0",
    name="std_mean",
)
def _std_mean(self, dim, correction, keepdim):
    """Standard deviation and mean over some dimensions."""
    return _std.op.forward(self, dim, correction, keepdim), np.mean(self, axis=dim, keepdims=keepdim, dtype=self.dtype)


def _together(both: Any, name: str) -> Any:
    def reduce(
        input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
    ) -> tuple[Tensor, Tensor]:
        dim, correction = _spread_arguments(dim, unbiased, correction)
        _only_floating(name, input)
        spread, centre = both(input, axes_of(dim, input._array.ndim), correction, keepdim)
        return spread, centre

    return reduce


@function
def var_mean(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    """Variance and mean, of all elements or over `dim`."""
    pair: tuple[Tensor, Tensor] = _together(_var_mean, "var_mean")(input, dim, unbiased, keepdim, correction=correction)
    return pair


@function
def std_mean(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean, of all elements or over `dim`."""
    pair: tuple[Tensor, Tensor] = _together(_std_mean, "std_mean")(input, dim, unbiased, keepdim, correction=correction)
    return pair


# --- products --------------------------------------------------------------------------------------------------------------


def products_of_others(self, dim):
    """Along `dim`, the product of all elements but each one, without dividing, so that zeros do no harm."""
    before = self * 0 + 1
    after = before
    for shift in range(1, self.shape[dim]):
        before = before * _shifted(self, dim, shift)
        after = after * _shifted(self, dim, -shift)
    return before * after


@op(r"{self}", self=lambda grad, dim, by: _shifted_zeros(grad, dim, -by))
def _shifted(self, dim, by):
    """Moved by `by` along `dim`, ones moving in."""
    return _moved(self, dim, by, 1)


@op(r"{self}", self=lambda grad, dim, by: _shifted_zeros(grad, dim, -by))
def _shifted_zeros(self, dim, by):
    """Moved by `by` along `dim`, zeros moving in."""
    return _moved(self, dim, by, 0)


def _moved(array, dim, by, fill):
    out = np.full_like(array, fill)
    source, target = (slice(None, -by), slice(by, None)) if by > 0 else (slice(-by, None), slice(None, by))
    lead = (slice(None),) * dim
    out[(*lead, target)] = array[(*lead, source)]
    return out


def prod_backward(grad, self, result, dim):
    """The derivative of a product along one dimension."""
    if has_zeros(self):
        return grad * products_of_others(self, dim)
    return grad * result / self


def has_zeros(self):
    """Whether any element is zero."""
    array = self if isinstance(self, np.ndarray) else self._array
    return bool((array == 0).any())


@op(
    r"\prod {self}",
    self=lambda grad, self, result: _reshape(prod_backward(grad, _reshape(self, (-1,)), result, 0), tuple(self.shape)),
    node="ProdBackward0",
    name="prod",
)
def _prod(self):
    """Product of all elements."""
    return np.multiply.reduce(self, axis=None, dtype=np.int64 if self.dtype.kind != "f" else None)


@op(
    r"\prod_{{ {dim} }} {self}",
    self=lambda grad, self, result, dim, keepdim: prod_backward(
        restored(grad, self.shape, dim, keepdim), self, restored(result, self.shape, dim, keepdim), dim
    ),
    node="ProdBackward1",
    name="prod",
)
def _prod_dim(self, dim, keepdim):
    """Product along one dimension."""
    return np.multiply.reduce(self, axis=dim, keepdims=keepdim, dtype=np.int64 if self.dtype.kind != "f" else None)


@function
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Product of all elements, or along `dim`."""
    if dtype is not None:
        input = input.to(dtype)
    if dim is None or input._array.ndim == 0:
        return _prod(input)
    return _prod_dim(input, wrap_dim(dim, input._array.ndim), keepdim)


# --- extremes --------------------------------------------------------------------------------------------------------------


def shared_evenly(grad, self, result):
    """`grad` shared evenly among the elements equal to `result`."""
    mask = self == result
    return mask * (grad / _sum(mask))


@op(r"\max {self}", self=lambda grad, self, result: shared_evenly(grad, self, result), node="MaxBackward1", name="max")
def _max(self):
    """The largest element."""
    return _not_empty("max", self).max()


@op(r"\min {self}", self=lambda grad, self, result: shared_evenly(grad, self, result), node="MinBackward1", name="min")
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


def _not_empty(name, array):
    if array.size == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
            "'dim' argument."
        )
    return array


@op(r"{self}", self=lambda grad, dim, indices: take_along(grad, dim, indices), indices=None, promote=())
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
    promote=(),
    node="GatherBackward0",
    name="gather",
)
def take_along(self, dim, indices):
    """The elements of `self` at `indices` along `dim`."""
    return np.take_along_axis(self, indices, axis=dim) if self.ndim else self


def chosen_backward(grad, sizes, dim, indices, keepdim):
    """`grad` at the places of the chosen elements, zeros elsewhere."""
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
        from engine.ops.pairs import maximum

        return maximum(input, other)
    return _max(input) if dim is None else _max_dim(input, wrap_dim(dim, input._array.ndim), keepdim)


@function
def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The smallest element; with `dim` the smallest along it and their indices; with a tensor, `minimum`."""
    other = dim if isinstance(dim, Tensor) else other
    if not isinstance(input, Tensor):
        raise invalid_combination("min", *[x for x in (input, dim) if x is not None])
    if other is not None:
        from engine.ops.pairs import minimum

        return minimum(input, other)
    return _min(input) if dim is None else _min_dim(input, wrap_dim(dim, input._array.ndim), keepdim)


def shared_evenly_dim(grad, self, result, dim, keepdim):
    """`grad` shared evenly among the elements equal to `result` along `dim`."""
    mask = self == restored(result, self.shape, dim, keepdim)
    return mask * (restored(grad, self.shape, dim, keepdim) / _sum_dim(mask, dim, True))


@op(
    r"\max {self}",
    self=lambda grad, self, result, dim, keepdim: shared_evenly_dim(grad, self, result, dim, keepdim),
    node="AmaxBackward0",
    name="amax",
)
def _amax(self, dim, keepdim):
    """The largest elements; equal ones share the gradient."""
    return (self if self.size else _reducible("amax()", self, dim)).max(axis=dim, keepdims=keepdim)


@op(
    r"\min {self}",
    self=lambda grad, self, result, dim, keepdim: shared_evenly_dim(grad, self, result, dim, keepdim),
    node="AminBackward0",
    name="amin",
)
def _amin(self, dim, keepdim):
    """The smallest elements; equal ones share the gradient."""
    return (self if self.size else _reducible("amin()", self, dim)).min(axis=dim, keepdims=keepdim)


@function
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The largest elements over the dimensions `dim`; equal ones share the gradient."""
    return _amax(input, axes_of(dim, input._array.ndim), keepdim)


@function
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The smallest elements over the dimensions `dim`; equal ones share the gradient."""
    return _amin(input, axes_of(dim, input._array.ndim), keepdim)


@op(
    r"\min {self}, \max {self}",
    self=lambda grads, self, min, max, dim, keepdim: (
        shared_evenly_dim(grads[0], self, min, dim, keepdim) + shared_evenly_dim(grads[1], self, max, dim, keepdim)
    ),
    outputs=("min", "max"),
    node="AminmaxBackward0",
    name="aminmax",
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


@op(r"\mathrm{{argmax}}({self})", self=None)
def _argmax(self, dim, keepdim):
    """Where the largest element stands."""
    return np.argmax(_not_empty("argmax", self), axis=dim, keepdims=keepdim)


@op(r"\mathrm{{argmin}}({self})", self=None)
def _argmin(self, dim, keepdim):
    """Where the smallest element stands."""
    return np.argmin(_not_empty("argmin", self), axis=dim, keepdims=keepdim)


@function
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element, of the flattened tensor or along `dim`."""
    return _argmax(input, None if dim is None or not input._array.ndim else wrap_dim(dim, input._array.ndim), keepdim)


@function
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element, of the flattened tensor or along `dim`."""
    return _argmin(input, None if dim is None or not input._array.ndim else wrap_dim(dim, input._array.ndim), keepdim)


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


# --- norms -----------------------------------------------------------------------------------------------------------------


def norm_backward(grad, self, result, ord, dim, keepdim):
    """The derivative of the vector norm; zero where the norm is."""
    g = restored(grad, self.shape, dim, keepdim)
    n = restored(result, self.shape, dim, keepdim)
    if ord == 0:
        return None
    if ord == 1:
        return g * sign(self)
    if ord == 2:
        return g * where(n == 0, 0.0, self / where(n == 0, 1.0, n))
    if ord in (math.inf, -math.inf):
        mask = absolute(self) == n
        return sign(self) * mask * (g / _sum_dim(mask, dim, True))
    safe = where(n == 0, 1.0, n)
    power = where(self == 0, 0.0, absolute(where(self == 0, 1.0, self)) ** (ord - 1))
    return g * where(n == 0, 0.0, sign(self) * power / safe ** (ord - 1))


@op(
    r"\lVert {self} \rVert_{{ {ord} }}",
    self=lambda grad, self, result, ord, dim, keepdim: norm_backward(grad, self, result, ord, dim, keepdim),
    node="LinalgVectorNormBackward0",
    name="norm",
)
def _vector_norm(self, ord, dim, keepdim):
    """The vector norm of order `ord` over some dimensions."""
    magnitude = np.abs(self)
    if ord == 2:
        return np.sqrt(np.add.reduce(self * self, axis=dim, keepdims=keepdim))
    if ord == 1:
        return np.add.reduce(magnitude, axis=dim, keepdims=keepdim)
    if ord == 0:
        return np.add.reduce((self != 0).astype(self.dtype), axis=dim, keepdims=keepdim)
    if ord == math.inf:
        return magnitude.max(axis=dim, keepdims=keepdim)
    if ord == -math.inf:
        return magnitude.min(axis=dim, keepdims=keepdim)
    return np.add.reduce(magnitude**ord, axis=dim, keepdims=keepdim) ** self.dtype.type(1 / ord)


def norm_of(input: Tensor, ord: Any, dim: Any, keepdim: bool, name: str = "linalg.vector_norm") -> Tensor:
    """The vector norm of order `ord` of all elements or over `dim`."""
    if input._array.dtype.kind != "f":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {dtypes.SCALAR_NAMES[input.dtype]}"
        )
    axes = axes_of(dim, input._array.ndim)
    if ord < 0 or ord == math.inf:
        for d in axes:
            if input._array.shape[d] == 0:
                raise RuntimeError(
                    f"{name} cannot compute the {float(ord)} norm on an empty tensor because the operation does not have an "
                    "identity"
                    if dim is None
                    else f"{name} cannot compute the {float(ord)} norm on the dimension {d} because this dimension is empty "
                    "and the operation does not have an identity"
                )
    return _vector_norm(input, ord, axes, keepdim)


@function
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None) -> Tensor:
    """The vector norm of order `p` (2 by default; "fro" is the same) of all elements or over `dim`; "nuc" is a matrix's."""
    if dtype is not None:
        input = input.to(dtype)
    if p == "nuc":
        from engine.ops.decompositions import linalg_matrix_norm

        return linalg_matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim)
    return norm_of(input, 2 if p in ("fro", None) else float(p), dim, keepdim)


@op(
    r"\log\sum\exp {self}",
    self=lambda grad, self, result, dim, keepdim: (
        restored(grad, self.shape, dim, keepdim) * exp(self - restored(result, self.shape, dim, keepdim))
    ),
    node="LogsumexpBackward0",
    name="logsumexp",
)
def _logsumexp(self, dim, keepdim):
    """The logarithm of the sum of exponentials."""
    top = self.max(axis=dim, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    out = np.log(np.add.reduce(np.exp(self - top), axis=dim, keepdims=True)) + top
    return (out if keepdim else out.squeeze(dim)).astype(self.dtype)


@function
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials over `dim`, computed stably."""
    if input._array.dtype.kind != "f":
        input = input.to(dtypes.get_default_dtype())
    return _logsumexp(input, axes_of(dim, input._array.ndim), keepdim)
