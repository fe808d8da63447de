"""Running sums, products and extremes, and differences: what depends on the order along a dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...errors import UNIMPLEMENTED
from ...memory_layout import by_rows
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..indexing.gather import _scatter_add_zeros
from ..indexing.slicing import _slice, narrow
from ..pointwise.binary import logaddexp
from ..pointwise.comparison import where
from ..pointwise.unary import exp, is_complex, log
from ..shape.dimensions import wrap_dim
from ..shape.flip_roll import flip
from ..shape.joining import cat
from ..shape.reshaping import unsqueeze
from .prod import has_zeros
from .sums import _sum_dim, kept


def _counting(array):
    """Integers and bools are added up in int64."""
    return array if array.dtype.kind in dtypes.INEXACT else array.astype(np.int64)


def _kept(f, self, dim):
    return f(self, axis=dim) if self.ndim else self.copy()


def _in_double(f, self, dim):
    """A running sum or product; of float32 carried on in float64 and rounded at each element, as in PyTorch."""
    if self.dtype == np.float32 and self.ndim:
        return f(self, axis=dim, dtype=np.float64).astype(np.float32)
    return _kept(f, self, dim)


@op(r"\mathrm{{cumsum}}({self})", self=lambda grad, dim: running_back(grad, dim), node="CumsumBackward0", name="cumsum")
def _cumsum(self, dim):
    """Running sum along one dimension."""
    return _in_double(np.cumsum, _counting(self), dim)


def running_back(grad, dim):
    """Running sum from the end."""
    return flip(_cumsum(flip(grad, (dim,)), dim), (dim,)) if grad.ndim else grad


@function(traits="sized")
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running sum along `dim`."""
    input = input if dtype is None else input.to(dtype)
    return kept(_cumsum(input, wrap_dim(dim, input._array.ndim)), dtype)


@op(
    r"\mathrm{{cumprod}}({self})",
    self=lambda grad, self, result, dim: cumprod_backward(grad, self, result, dim),
    node="CumprodBackward0",
    name="cumprod",
)
def _cumprod(self, dim):
    """Running product along one dimension."""
    return _in_double(np.cumprod, _counting(self), dim)


def cumprod_backward(grad, self, result, dim):
    """The derivative of a running product, without dividing where there are zeros."""
    if not self.ndim or self.shape[dim] == 1:
        return grad
    if not has_zeros(self):
        return running_back(grad * result, dim) / self
    # The derivative in element k is the sum over i >= k of grad_i times the product of all up to i but k.
    pieces = []
    n = self.shape[dim]
    for k in range(n):
        before = _cumprod(part(self, dim, 0, k), dim) if k else None
        rest = _cumprod(part(self, dim, k + 1, n), dim) if k + 1 < n else None
        lead = part(before, dim, k - 1, k) if before is not None else 1.0
        total = part(grad, dim, k, k + 1) * lead
        if rest is not None:
            total = total + _sum_dim(part(grad, dim, k + 1, n) * rest * lead, (dim,), True)
        pieces.append(total)
    return cat_all(pieces, dim)


def part(x, dim, start, end):
    """Entries from `start` to `end` along `dim`."""
    return _slice(x, dim, start, end, 1)


def cat_all(pieces, dim):
    """The pieces one after another."""
    return cat(pieces, dim) if isinstance(pieces[0], Tensor) else np.concatenate(pieces, axis=dim)


@function(traits="sized")
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running product along `dim`."""
    input = input if dtype is None else input.to(dtype)
    return kept(_cumprod(input, wrap_dim(dim, input._array.ndim)), dtype)


@op(
    r"\log\mathrm{{cumsum}}\exp({self})",
    self=lambda grad, self, result, dim: logcumsumexp_backward(grad, self, result, dim),
    node="LogcumsumexpBackward0",
    name="logcumsumexp",
)
def _logcumsumexp(self, dim):
    """The logarithm of the running sum of exponentials."""
    return _kept(_log_sums if self.dtype.kind == "c" else np.logaddexp.accumulate, self, dim)


def _log_sums(array, axis):
    """The logarithms of the running sums of exponentials of complex numbers."""
    out = array.copy()
    along = np.moveaxis(out, axis, 0)
    for k in range(1, len(along)):
        along[k] = logaddexp._op.forward(along[k - 1], along[k])
    return out


def logcumsumexp_backward(grad, self, result, dim):
    """The derivative of logcumsumexp, positive and negative gradients apart, in logarithms."""
    if not grad.ndim:
        return grad
    if is_complex(self):
        # No gradient is positive or negative there: every element's share in the later sums, in logarithms.
        return exp(back_log(log(grad) - result, dim) + self)
    positive = where(grad > 0, grad, 0.0)
    negative = where(grad < 0, -grad, 0.0)
    return exp(back_log(log(positive) - result, dim) + self) - exp(back_log(log(negative) - result, dim) + self)


def back_log(x, dim):
    """logcumsumexp from the end."""
    return flip(_logcumsumexp(flip(x, (dim,)), dim), (dim,))


@function
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """The logarithm of the running sum of exponentials along `dim`."""
    if input._array.dtype.kind not in dtypes.INEXACT:
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{dtypes.SCALAR_NAMES[input.dtype]}'")
    return _logcumsumexp(input, wrap_dim(dim, input._array.ndim))


# --- running extremes ------------------------------------------------------------------------------------------------------


def _running(array, dim, better):
    """Running extreme and the last index it was met at; NaN wins and stays."""
    if array.ndim == 0:
        return array.copy(), np.asarray(0)
    rows = np.moveaxis(array, dim, 0)
    values, indices = np.empty_like(rows), np.empty(rows.shape, np.int64)
    best = rows[:1][0].copy() if len(rows) else None
    index = np.zeros(rows.shape[1:], np.int64)
    for i, row in enumerate(rows):
        wins = better(row, best) | (row != row)
        best = np.where(wins, row, best)
        index = np.where(wins, i, index)
        values[i], indices[i] = best, index
    return by_rows(np.moveaxis(values, 0, dim)), by_rows(np.moveaxis(indices, 0, dim))


def scattered(grad, sizes, dim, indices):
    """`grad` added at the positions of the chosen elements."""
    return _scatter_add_zeros(grad, tuple(sizes), dim, indices) if len(sizes) else grad


def _running_extreme(name: str, better: Any) -> Any:
    def along(self, dim):
        return _running(self, dim, better)

    along.__name__ = f"_{name}"
    along.__doc__ = f"The running extreme along one dimension ({name}), and where it stands."
    return op(
        rf"\mathrm{{{{{name}}}}}({{self}})",
        self=lambda grad, self_sym_sizes, dim, indices: scattered(grad, self_sym_sizes, dim, indices),
        outputs=("values", "indices"),
        node=f"{name.capitalize()}Backward0",
        name=name,
        real_only=f"{name}_cpu",
    )(along)


_cummax = _running_extreme("cummax", np.greater_equal)
_cummin = _running_extreme("cummin", np.less_equal)


@function(traits="chooses")
def cummax(input: Tensor, dim: int) -> Any:
    """Running maximum along `dim`, and where it stands."""
    return _cummax(input, wrap_dim(dim, input._array.ndim))


@function(traits="chooses")
def cummin(input: Tensor, dim: int) -> Any:
    """Running minimum along `dim`, and where it stands."""
    return _cummin(input, wrap_dim(dim, input._array.ndim))


# --- differences and integrals ---------------------------------------------------------------------------------------------


@function
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    """Differences of neighbours along `dim`, `n` times over."""
    if input._array.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    pieces = [t for t in (prepend, input, append) if t is not None]
    if n == 0:
        return input.clone()
    x = cat(pieces, dim) if len(pieces) > 1 else input
    d = wrap_dim(dim, x._array.ndim)
    for _ in range(min(n, x._array.shape[d])):
        length = x._array.shape[d]
        later, earlier = narrow(x, d, 1, length - 1), narrow(x, d, 0, length - 1)
        x = later.logical_xor(earlier) if x._array.dtype.kind == "b" else later - earlier
    return x


def _trapezoids(y: Tensor, x: Tensor | None, dx: Any, dim: int) -> Tensor:
    d = wrap_dim(dim, y._array.ndim)
    n = y._array.shape[d]
    left, right = narrow(y, d, 0, n - 1), narrow(y, d, 1, n - 1)
    if x is None:
        return (left + right) * (dx / 2.0)
    widths = diff(x, dim=0 if x._array.ndim == 1 else d)
    if x._array.ndim == 1 and y._array.ndim > 1:
        widths = widths.reshape([-1 if i == d else 1 for i in range(y._array.ndim)])
    return widths * (left + right) / 2.0


def _spacing(x: Any, dx: Any) -> tuple[Tensor | None, Any]:
    return (x, 1.0) if isinstance(x, Tensor) else (None, 1.0 if dx is None else dx)


def _no_truths(name: str, y: Tensor) -> None:
    if y._array.dtype.kind == "b":
        raise UNIMPLEMENTED.now(f"{name}: received a bool input for `y`, but bool is not supported")


@function
def trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integral of samples `y` along `dim` by the trapezoidal rule."""
    _no_truths("trapezoid", y)
    return _trapezoids(y, *_spacing(x, dx), dim).sum(dim)


trapz = trapezoid


@function
def cumulative_trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The running integral of samples `y` along `dim` by the trapezoidal rule."""
    _no_truths("cumulative_trapezoid", y)
    return cumsum(_trapezoids(y, *_spacing(x, dx), dim), dim)


@function
def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """Slopes of samples along each dimension, of second order inside and of order `edge_order` at the edges."""
    n = input._array.ndim
    dims = tuple(range(n)) if dim is None else tuple(wrap_dim(d, n) for d in (dim if isinstance(dim, tuple | list) else (dim,)))
    spacings = list(spacing) if isinstance(spacing, tuple | list) else [spacing] * len(dims)
    if len(spacings) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same "
            f"length, but got a spacing argument of length {len(spacings)} and a dim argument of length {len(dims)}."
        )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if len(set(dims)) < len(dims):
        twice = next(d for d in dims if dims.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return tuple(_slope(input, d, s, edge_order) for d, s in zip(dims, spacings, strict=True))


def _slope(x: Tensor, dim: int, spacing: Any, order: int) -> Tensor:
    n = x._array.shape[dim]
    if n < order + 1:
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    if isinstance(spacing, Tensor) and spacing._array.ndim:
        widths: Any = spacing._array[1:] - spacing._array[:-1]
    else:
        step = 1.0 if spacing is None else (spacing.item() if isinstance(spacing, Tensor) else spacing)
        widths = np.full(n - 1, step, dtype=x._array.dtype if x._array.dtype.kind in dtypes.INEXACT else np.float32)
    shape = [-1 if i == dim else 1 for i in range(x._array.ndim)]
    left, right = (constant(w.reshape(shape)) for w in (widths[:-1], widths[1:]))
    a, b, c = (narrow(x, dim, i, n - 2) for i in (0, 1, 2)) if n > 2 else (None, None, None)
    pieces = []
    edge = _first_order if order == 1 else _second_order
    pieces.append(edge(x, dim, widths, 0))
    if n > 2:
        inner = (
            (-right / (left * (left + right))) * a
            + ((right - left) / (left * right)) * b
            + (left / (right * (left + right))) * c
        )
        pieces.append(inner)
    pieces.append(edge(x, dim, widths, -1))
    return cat(pieces, dim)


def _first_order(x: Tensor, dim: int, widths: Any, end: int) -> Tensor:
    i = 0 if end == 0 else x._array.shape[dim] - 2
    return (narrow(x, dim, i + 1, 1) - narrow(x, dim, i, 1)) / float(widths[end])


def _second_order(x: Tensor, dim: int, widths: Any, end: int) -> Tensor:
    n = x._array.shape[dim]
    if end == 0:
        p, q = float(widths[0]), float(widths[1])
        weights = (-(2 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q)))
        offsets = (0, 1, 2)
    else:
        p, q = float(widths[-2]), float(widths[-1])
        weights = (q / (p * (p + q)), -(p + q) / (p * q), (2 * q + p) / (q * (p + q)))
        offsets = (n - 3, n - 2, n - 1)
    terms = [narrow(x, dim, i, 1) * w for i, w in zip(offsets, weights, strict=True)]
    return terms[0] + terms[1] + terms[2]


@function
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """The sub-tensors along `dim` scaled down so that their `p`-norms are at most `maxnorm`."""
    from .norms import norm

    if input._array.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input._array.ndim} dimensions")
    d = wrap_dim(dim, input._array.ndim)
    others = tuple(i for i in range(input._array.ndim) if i != d)
    norms = norm(input, p, others, True)
    return input * where(norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)


@function
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The Vandermonde matrix: powers of the elements of a vector, the highest first."""
    x = x if x._array.ndim else x.reshape(1)
    n = x._array.shape[-1] if N is None else N
    if n == 0:
        return x.new_zeros((*x.shape, 0))
    ones = constant(np.ones((*x._array.shape, 1), x._array.dtype))
    columns = [ones]
    for _ in range(n - 1):
        columns.append(columns[-1] * unsqueeze(x, -1))
    return cat(columns if increasing else columns[::-1], -1)


@function
def linalg_vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The Vandermonde matrix with increasing powers."""
    return vander(x, N, increasing=True)
