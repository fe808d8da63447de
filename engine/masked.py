"""`torch.masked`: reductions and normalisations of the elements where a mask holds.

An element that is masked out counts as the neutral element of the reduction; where all are, the result is that element (NaN for
means, medians and variances).
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import dtypes
from .dtypes import dtype as Dtype
from .dtypes import int64
from .ops import namespace
from .tensor import Tensor, constant

__all__ = [
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean", "median", "norm",
    "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
]  # fmt: skip

T = SimpleNamespace(**namespace("torch"))
F = SimpleNamespace(**namespace("torch.nn.functional"))
vector_norm = namespace("torch.linalg")["vector_norm"]


def _dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions that are reduced, in order."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    n = max(ndim, 1)
    found: list[int] = []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not -n <= d < n:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})")
        found.append(d % n)
    return tuple(sorted(found))


def _mask_of(input: Tensor, mask: Tensor) -> Any:
    """The mask in the input's shape, of bools."""
    if mask._array.ndim > input._array.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    return constant(np.broadcast_to(mask._array, input._array.shape).astype(bool))


def _least(input: Tensor, sign: int) -> float:
    """The smallest (or, with sign -1, the largest) number of a dtype."""
    if input._array.dtype.kind in dtypes.INEXACT:
        return -math.inf * sign
    limits = np.iinfo(input._array.dtype)
    return int(limits.min if sign > 0 else limits.max)


def _filled(input: Tensor, mask: Tensor | None, neutral: Any) -> Any:
    """The input with `neutral` where it is masked out."""
    if mask is None:
        return input
    return T.where(_mask_of(input, mask), input, constant(np.asarray(neutral, input._array.dtype)))


def _summed(dtype: Dtype | None, input: Tensor) -> Dtype:
    """The dtype of sums: int64 for integers and bools."""
    return dtype or (input.dtype if input._array.dtype.kind in dtypes.INEXACT else int64)


def sum(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Sum of the elements where the mask holds."""
    return T.sum(_filled(input, mask, 0), _dims(dim, input.ndim), keepdim, dtype=_summed(dtype, input))


def prod(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Product of the elements where the mask holds."""
    result = _filled(input, mask, 1).to(_summed(dtype, input))
    for d in reversed(_dims(dim, input.ndim)):
        result = result.prod(dim=d, keepdim=keepdim)
    return result


def cumsum(input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Running sums of the elements where the mask holds."""
    dtype = dtype or input.dtype
    return T.cumsum(_filled(input, mask, 0), _dims(dim, input.ndim)[0], dtype=dtype).to(dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Running products of the elements where the mask holds."""
    dtype = dtype or input.dtype
    return T.cumprod(_filled(input, mask, 1), _dims(dim, input.ndim)[0], dtype=dtype).to(dtype)


def amax(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """The largest of the elements where the mask holds."""
    filled = _filled(input, mask, _least(input, 1))
    return T.amax(filled, _dims(dim, input.ndim), keepdim).to(dtype or input.dtype)


def amin(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """The smallest of the elements where the mask holds."""
    filled = _filled(input, mask, _least(input, -1))
    return T.amin(filled, _dims(dim, input.ndim), keepdim).to(dtype or input.dtype)


def argmax(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Where the largest of the elements stands where the mask holds."""
    return T.argmax(_filled(input, mask, _least(input, 1)), dim, keepdim).to(dtype or input.dtype)


def argmin(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Where the smallest of the elements stands where the mask holds."""
    return T.argmin(_filled(input, mask, _least(input, -1)), dim, keepdim).to(dtype or input.dtype)


def _counted(input: Tensor, dim: Any, keepdim: bool, mask: Any) -> Any:
    """How many elements are reduced into each."""
    held = T.ones(input.shape, dtype=int64) if mask is None else _mask_of(input, mask)
    return T.sum(held, _dims(dim, input.ndim), keepdim, dtype=int64)


def mean(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Mean of the elements where the mask holds."""
    source = "Input" if dtype is None else "Optional"
    dtype = dtype or input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or complex dtype. Got: "
            f"{dtype}"
        )
    return sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask) / _counted(input, dim, keepdim, mask)


def median(input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """The lower median of the elements where the mask holds."""
    floating = input.dtype.is_floating_point
    numbers = input if floating else input.to(dtypes.float32)
    output = T.nanmedian(_filled(numbers, mask, math.nan), _dims(dim, input.ndim)[0], keepdim)[0]
    if floating:
        return output
    if np.isnan(output._array).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return output.to(dtype or input.dtype)


def logsumexp(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """The logarithm of the sum of exponentials of the elements where the mask holds."""
    filled = _filled(input, mask, _least(input, 1))
    return T.logsumexp(filled, _dims(dim, input.ndim), keepdim=keepdim).to(dtype or input.dtype)


def logaddexp(
    input: Tensor, other: Tensor, *, dtype: Dtype | None = None, input_mask: Any = None, other_mask: Any = None
) -> Any:
    """`log(exp(x) + exp(y))` of the elements where the masks hold."""
    x, y = _filled(input, input_mask, _least(input, 1)), _filled(other, other_mask, _least(other, 1))
    return T.logaddexp(x, y).to(dtype or input.dtype)


def norm(
    input: Tensor, ord: float = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Any = None
) -> Any:
    """The vector norm of the elements where the mask holds."""
    filled = _filled(input, mask, math.inf if ord == -math.inf else 0)
    return vector_norm(filled, ord, _dims(dim, input.ndim), keepdim, dtype=dtype or input.dtype)


def _variance(input: Tensor, dim: Any, unbiased: Any, correction: Any, keepdim: bool, dtype: Dtype | None, mask: Any) -> Any:
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    less = float(correction if correction is not None else 1.0 if unbiased is None or unbiased else 0.0)
    dtype = dtype or (input.dtype if input._array.dtype.kind in dtypes.INEXACT else dtypes.float32)
    compute = dtype if dtype.is_floating_point or dtype.is_complex else dtypes.float32
    number = _counted(input, dim, True, mask)
    centred = input - sum(input, dim, keepdim=True, dtype=dtype, mask=mask) / number
    total = sum(centred * T.conj(centred), dim, keepdim=keepdim, dtype=compute, mask=mask)
    number = number if keepdim else number.reshape(total.shape)
    if less:
        number = T.clamp(number.to(compute.to_real()) - less, min=0)
    return (total / number).to(dtype)


def var(
    input: Tensor,
    dim: Any = None,
    unbiased: Any = None,
    *,
    correction: Any = None,
    keepdim: bool = False,
    dtype: Dtype | None = None,
    mask: Any = None,
) -> Any:
    """Variance of the elements where the mask holds."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(
    input: Tensor,
    dim: Any = None,
    unbiased: Any = None,
    *,
    correction: Any = None,
    keepdim: bool = False,
    dtype: Dtype | None = None,
    mask: Any = None,
) -> Any:
    """Standard deviation of the elements where the mask holds."""
    return T.sqrt(_variance(input, dim, unbiased, correction, keepdim, dtype, mask))


def softmax(input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Softmax of the elements where the mask holds; zero elsewhere."""
    filled = _filled(input, mask, _least(input, 1))
    return F.softmax(filled, _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """The logarithm of the softmax of the elements where the mask holds."""
    filled = _filled(input, mask, _least(input, 1))
    return F.log_softmax(filled, _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def softmin(input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """Softmax of the negative elements where the mask holds."""
    filled = _filled(input, mask, _least(input, -1))
    return F.softmin(filled, _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def normalize(input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Dtype | None = None, mask: Any = None) -> Any:
    """The elements where the mask holds, divided by their norm along `dim`."""
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _filled(input, mask, 0) / T.maximum(length, length.new_full((), eps))
