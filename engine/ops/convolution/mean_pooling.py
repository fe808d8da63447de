"""Pooling: the mean or the p-norm of each window."""

from __future__ import annotations

from math import prod
from typing import Any

from ... import dtypes
from ...bounded_strides import strided
from ...context import context
from ...memory_layout import suggested
from ...op.declare import family, function
from ...tensor import Tensor
from ...tensor_attributes import channels_last
from ..nn.activation import relu
from ..pointwise.unary import abs as absolute
from ..pointwise.unary import sign
from ..reduction.sums import mean
from ..shape.reshaping import _squeeze_dim, unsqueeze
from .max_pooling import _pool_max
from .pooling_windows import (
    ADAPTIVE_AVG,
    AVG,
    adaptive_sizes,
    check_adaptive,
    check_line,
    check_pool,
    each,
    lifted,
    windows_of,
)


def _pool_avg(dims, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None):
    name = f"avg_pool{dims}d"
    if dims == 1:
        check_line(name, input)
        input = unsqueeze(input, -2)
    windows: Any = windows_of(name, dims, kernel_size, stride, padding)
    if dims == 1:
        windows = lifted(*windows)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    check_pool(name, input._array, windows, ceil_mode)
    out = AVG[max(dims, 2)](input, *windows[:3], ceil_mode, count_include_pad, divisor_override)
    return _squeeze_dim(out, input._array.ndim - 2) if dims == 1 else out


def _pool_adaptive_avg(dims, input, output_size):
    name = f"adaptive_avg_pool{dims}d"
    if dims == 1:
        check_line(name, input)
    made = adaptive_sizes(name, dims, input, output_size)
    if dims == 1:
        input, made, name = unsqueeze(input, -2), (1, *made), "adaptive_avg_pool2d"
    check_adaptive(name, input._array, made)
    if input._array.dtype.kind not in dtypes.INEXACT:
        raise NotImplementedError(f"\"{name}\" not implemented for '{dtypes.SCALAR_NAMES[input.dtype]}'")
    whole = all(m == 1 for m in made)
    out = mean(input, list(range(-len(made), 0)), True) if whole else ADAPTIVE_AVG[len(made)](input, made)
    if whole and context.layouts is not None and dims == 2 and suggested(input._array) is channels_last:
        step, c = out._array.itemsize, out._array.shape[1]
        out._array = strided(out._array, out._array.shape, (c * step, step, c * step, c * step))
    return _squeeze_dim(out, input._array.ndim - 2) if dims == 1 else out


def _pool_lp(dims, input, norm_type, kernel_size, stride, ceil_mode):
    if norm_type in (float("inf"), -float("inf")):
        largest = absolute(input) if norm_type > 0 else -absolute(input)
        out = _pool_max(dims, largest, kernel_size, stride, 0, 1, ceil_mode, False)
        return out if norm_type > 0 else -out
    kernel = each(f"lp_pool{dims}d", "kernel_size", kernel_size, dims)
    out = _pool_avg(dims, input.pow(norm_type), kernel_size, stride, 0, ceil_mode, True)
    return (sign(out) * relu(absolute(out))).mul(prod(kernel)).pow(1.0 / norm_type)


@function
def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of (N, C, L) or (C, L)."""
    return _pool_avg(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@function
def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of (N, C, H, W) or (C, H, W)."""
    return _pool_avg(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@function
def avg_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W)."""
    return _pool_avg(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _adaptive_avg_pool(dims: int) -> Any:
    def adaptive_avg_pool(input: Tensor, output_size: Any) -> Tensor:
        """Means of {shape} over as many windows as `output_size` says."""
        return _pool_adaptive_avg(dims, input, output_size)

    return adaptive_avg_pool


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = family("adaptive_avg_pool{dims}d", _adaptive_avg_pool)


def _lp_pool(dims: int) -> Any:
    def lp_pool(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
        """The p-norm of each window of {shape}."""
        return _pool_lp(dims, input, norm_type, kernel_size, stride, ceil_mode)

    return lp_pool


lp_pool1d, lp_pool2d, lp_pool3d = family("lp_pool{dims}d", _lp_pool)
