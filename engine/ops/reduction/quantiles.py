"""Quantiles: elements between which a share of the others lies, interpolated."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...op.declare import function
from ...tensor import Tensor, constant
from ..pointwise.unary import ceil, floor
from ..pointwise.unary import round as round_
from ..shape.dimensions import wrap_dim
from ..shape.permute import transpose
from ..shape.reshaping import reshape
from .sorting import sort

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
            # The reduced dimension changed positions with the last one.
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
