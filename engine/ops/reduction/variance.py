"""Variance and standard deviation, alone and with the mean."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...context import outside
from ...dtypes import INEXACT
from ...errors import UNIMPLEMENTED
from ...op.declare import function, op
from ...tensor import Tensor
from ..pointwise.comparison import where
from .sums import _mean_dim, axes_of, count, restored, unreduced


def var_backward(grad, self, dim, correction, keepdim):
    """The derivative of the variance."""
    n = count(self.shape, dim)
    g = restored(grad, self.shape, dim, keepdim)
    return (2.0 / (n - correction) if n > correction else math.nan) * g * (self - _mean_dim(self, dim, True))


def squared(array):
    """The squares of numbers; of complex ones, of their magnitudes."""
    if array.dtype.kind == "c":
        return array.real * array.real + array.imag * array.imag
    return array * array


@op(
    r"\mathrm{{var}}({self})",
    self=lambda grad, self, dim, correction, keepdim: var_backward(grad, self, dim, correction, keepdim),
    node="VarBackward0",
    name="var",
)
def _var(self, dim, correction, keepdim):
    """Variance over some dimensions; the sum of squares is divided by the count less `correction`."""
    if self.dtype == np.float32:
        return _var._op.forward(self.astype(np.float64), dim, correction, keepdim).astype(np.float32)
    centred = self - np.mean(self, axis=dim, keepdims=True, dtype=self.dtype)
    n = count(self.shape, dim) - correction
    squares = squared(centred)
    return np.add.reduce(squares, axis=dim, keepdims=keepdim) / squares.dtype.type(n if n > 0 else 0)


@op(
    r"\mathrm{{std}}({self})",
    self=lambda grad, self, result, dim, correction, keepdim: var_backward(
        where(result == 0, 0.0, grad / (result * 2)), self, dim, correction, keepdim
    ),
    node="StdBackward0",
    name="std",
)
def _std(self, dim, correction, keepdim):
    """Standard deviation over some dimensions; of float32, as the variance, from float64 rounded once, as in PyTorch."""
    if self.dtype == np.float32:
        self = self.astype(np.float64)
        return np.sqrt(_var._op.forward(self, dim, correction, keepdim)).astype(np.float32)
    return np.sqrt(_var._op.forward(self, dim, correction, keepdim))


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
) -> Tensor:
    """Variance; by default the sum of squares is divided by the count less one."""
    dim, correction = _spread_arguments(dim, unbiased, correction)
    _only_floating("std and var", input)
    axes = axes_of(dim, input._array.ndim)
    _enough("var", input, axes, correction)
    return _var(input, axes, correction, keepdim)


@function
def std(
    input: Tensor,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Tensor:
    """Standard deviation: the square root of `var`."""
    dim, correction = _spread_arguments(dim, unbiased, correction)
    _only_floating("std and var", input)
    axes = axes_of(dim, input._array.ndim)
    _enough("std", input, axes, correction)
    return _std(input, axes, correction, keepdim)


def _only_floating(what: str, tensor: Tensor) -> None:
    if tensor._array.dtype.kind not in INEXACT:
        raise UNIMPLEMENTED.now(f"{what} only support floating point and complex dtypes")


def _enough(what: str, tensor: Tensor, dim: Any, correction: Any) -> None:
    """Warn, as PyTorch does, where there are too few values for the correction: the result is NaN, or infinite."""
    if tensor._array.size and count(tensor._array.shape, dim) <= correction:
        warnings.warn(
            f"{what}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
            "divided by output numel).",
            UserWarning,
            stacklevel=outside(),
        )


def both_slopes(grads, self, dim, correction, keepdim):
    """The derivative of variance and mean."""
    n = count(self.shape, dim)
    return var_backward(grads[0], self, dim, correction, keepdim) + unreduced(grads[1], self.shape, dim, keepdim) / n


@op(
    r"\mathrm{{var}}({self}), \mathrm{{mean}}({self})",
    self=lambda grads, self, dim, correction, keepdim: both_slopes(grads, self, dim, correction, keepdim),
    outputs=("result0", "result1"),
    node="VarMeanBackward0",
    holomorphic=False,
    name="var_mean",
)
def _var_mean(self, dim, correction, keepdim):
    """Variance and mean over some dimensions."""
    return _var._op.forward(self, dim, correction, keepdim), np.mean(self, axis=dim, keepdims=keepdim, dtype=self.dtype)


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
    holomorphic=False,
    name="std_mean",
)
def _std_mean(self, dim, correction, keepdim):
    """Standard deviation and mean over some dimensions."""
    return _std._op.forward(self, dim, correction, keepdim), np.mean(self, axis=dim, keepdims=keepdim, dtype=self.dtype)


def _together(both: Any, name: str) -> Any:
    def reduce(
        input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
    ) -> tuple[Tensor, Tensor]:
        dim, correction = _spread_arguments(dim, unbiased, correction)
        _only_floating(name, input)
        axes = axes_of(dim, input._array.ndim)
        _enough(name, input, axes, correction)
        spread, centre = both(input, axes, correction, keepdim)
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
