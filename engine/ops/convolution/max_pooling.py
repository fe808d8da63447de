"""Pooling: the largest element of each window; and putting the largest back in place."""

from __future__ import annotations

from math import prod
from operator import index
from typing import Any

import numpy as np

from ... import dtypes
from ...op.declare import family, function
from ...tensor import Tensor
from ..shape.reshaping import _squeeze_dim, unsqueeze
from .pooling_windows import (
    ADAPTIVE_MAX,
    FRACTIONAL,
    MAX,
    MAX_UNPOOL,
    adaptive_sizes,
    check_adaptive,
    check_line,
    check_max_line,
    check_pool,
    each,
    lifted,
    windows_of,
)


def _pool_max(dims, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    name = f"max_pool{dims}d"
    if dims == 1:
        if return_indices:
            check_line(name, input)
        else:
            check_max_line(input._array, kernel_size, stride, padding, dilation, ceil_mode)
        input = unsqueeze(input, -2)
    windows: Any = windows_of(name, dims, kernel_size, stride, padding, dilation)
    windows = lifted(*windows) if dims == 1 else windows
    check_pool(name, input._array, windows, ceil_mode)
    values, indices = MAX[max(dims, 2)](input, *windows, ceil_mode)
    if dims == 1:
        values = _squeeze_dim(values, input._array.ndim - 2)
        indices = _squeeze_dim(indices, input._array.ndim - 2) if return_indices else None
    return (values, indices) if return_indices else values


def _pool_adaptive_max(dims, input, output_size, return_indices):
    name = f"adaptive_max_pool{dims}d"
    if dims == 1:
        check_line(name, input)
    made = adaptive_sizes(name, dims, input, output_size)
    if dims == 1:
        input, made, name = unsqueeze(input, -2), (1, *made), "adaptive_max_pool2d"
    check_adaptive(name, input._array, made)
    values, indices = ADAPTIVE_MAX[len(made)](input, made)
    if dims == 1:
        values, indices = (_squeeze_dim(t, input._array.ndim - 2) for t in (values, indices))
    return (values, indices) if return_indices else values


def _unpool(dims, input, indices, kernel_size, stride, padding, output_size):
    kernel, stride, padding, _ = windows_of(f"max_unpool{dims}d", dims, kernel_size, stride, padding)
    if dims == 3 and min(stride) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(stride)}")
    x, positions = input._array, indices._array
    usual = [(n - 1) * s + k - 2 * p for n, s, k, p in zip(x.shape[-dims:], stride, kernel, padding, strict=True)]
    made: Any = usual
    if output_size is not None:
        made = output_size[2:] if len(output_size) == dims + 2 else output_size
        if len(made) != dims:
            raise ValueError(
                f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
                f"'{len(made)}'"
            )
        for d in range(dims):
            low, high = usual[d] - stride[d], usual[d] + stride[d]
            if not low < made[d] < high:
                raise ValueError(f'invalid output_size "{made}" (dim {d} must be between {low} and {high})')
    for d in range(dims):
        if made[d] < 0:
            raise ValueError(
                f"max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[{d}]={made[d]}"
            )
    made = tuple(index(n) for n in made)
    if dims == 1:
        input, indices, made = unsqueeze(input, -1), unsqueeze(indices, -1), (*made, 1)
        x, positions = input._array, indices._array
    n = len(made)
    if positions.dtype != np.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {dtypes.SCALAR_NAMES[indices.dtype]}")
    if x.ndim not in (n + 1, n + 2):
        ranks = "3d or 4d" if n == 2 else "4d or 5d"
        raise RuntimeError(f"Input to max_unpooling{n}d should be a {ranks} Tensor, but got a tensor with {x.ndim} dimensions.")
    if x.shape != positions.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(x.shape)}) but got indices tensor with "
            f"shape: {list(positions.shape)}"
        )
    wrong = positions[(positions < 0) | (positions >= prod(made))]
    if wrong.size:
        raise RuntimeError(f"Found an invalid max index: {wrong[0]} (output volumes are of size {'x'.join(map(str, made))})")
    out = MAX_UNPOOL[n](input, indices, made)
    return _squeeze_dim(out, out._array.ndim - 1) if dims == 1 else out


def _pool_fractional(dims, input, kernel_size, output_size, output_ratio, return_indices, samples):
    from ..creation.random import rand

    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    shape = input._array.shape
    if len(shape) < dims + 1:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got {-dims - 1})"
        )
    if output_size is None:
        ratios = (output_ratio,) * dims if isinstance(output_ratio, int | float) else output_ratio
        output_size = [int(n * r) for n, r in zip(shape[-dims:], ratios, strict=True)]
    kernel, made = each(name, "kernel_size", kernel_size, dims), each(name, "output_size", output_size, dims)
    for n, k, m, side in zip(shape[-dims:], kernel, made, ("time", "height", "width")[3 - dims :], strict=True):
        if m + k - 1 > n:
            raise RuntimeError(f"{name}(): pool {side} {k} too large relative to input {side} {n}")
    if samples is None:
        samples = rand(1 if len(shape) == dims + 1 else shape[0], shape[-dims - 1], dims, dtype=input.dtype)
    values, indices = FRACTIONAL[dims](input, kernel, made, samples)
    return (values, indices) if return_indices else values


# --- the public functions --------------------------------------------------------------------------------------------------


def _max_pool(dims: int) -> Any:
    def max_pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        """The largest of each window of {shape}; with `return_indices` also where it stands."""
        return _pool_max(dims, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)

    return max_pool


def _max_pool_with_indices(dims: int) -> Any:
    def max_pool_with_indices(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """The largest of each window of {shape}, and where it stands."""
        values, indices = _pool_max(dims, input, kernel_size, stride, padding, dilation, ceil_mode, True)
        return values, indices

    return max_pool_with_indices


max_pool1d, max_pool2d, max_pool3d = family("max_pool{dims}d", _max_pool, traits="chooses")
max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = family(
    "max_pool{dims}d_with_indices", _max_pool_with_indices, traits="chooses"
)


def _adaptive_max_pool(dims: int) -> Any:
    def adaptive_max_pool(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        """The largest of {shape} over as many windows as `output_size` says; with `return_indices` also where."""
        return _pool_adaptive_max(dims, input, output_size, return_indices)

    return adaptive_max_pool


def _adaptive_max_pool_with_indices(dims: int) -> Any:
    def adaptive_max_pool_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
        """The largest of {shape} over as many windows as `output_size` says, and where they stand."""
        values, indices = _pool_adaptive_max(dims, input, output_size, True)
        return values, indices

    return adaptive_max_pool_with_indices


(functional_adaptive_max_pool1d,) = family("functional_adaptive_max_pool{dims}d", _adaptive_max_pool, (1,))
adaptive_max_pool2d, adaptive_max_pool3d = family("adaptive_max_pool{dims}d", _adaptive_max_pool, (2, 3), traits="chooses")
adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices, adaptive_max_pool3d_with_indices = family(
    "adaptive_max_pool{dims}d_with_indices", _adaptive_max_pool_with_indices
)


@function
def torch_adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """The largest of (N, C, L) or (C, L) over `output_size` windows, and where they stand."""
    values, indices = _pool_adaptive_max(1, input, output_size, True)
    return values, indices


def _max_unpool(dims: int) -> Any:
    def max_unpool(
        input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Tensor:
        """What `max_pool{dims}d` returned put back where it stood, zeros elsewhere."""
        return _unpool(dims, input, indices, kernel_size, stride, padding, output_size)

    return max_unpool


max_unpool1d, max_unpool2d, max_unpool3d = family("max_unpool{dims}d", _max_unpool)


def _fractional_max_pool(dims: int) -> Any:
    def fractional_max_pool(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:
        """The largest of each window of {shape}, the windows at random distances."""
        return _pool_fractional(dims, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)

    return fractional_max_pool


def _fractional_max_pool_with_indices(dims: int) -> Any:
    def fractional_max_pool_with_indices(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The largest of each window of {shape}, the windows at random distances; also where it stands."""
        values, indices = _pool_fractional(dims, input, kernel_size, output_size, output_ratio, True, _random_samples)
        return values, indices

    return fractional_max_pool_with_indices


fractional_max_pool2d, fractional_max_pool3d = family("fractional_max_pool{dims}d", _fractional_max_pool, (2, 3))
fractional_max_pool2d_with_indices, fractional_max_pool3d_with_indices = family(
    "fractional_max_pool{dims}d_with_indices", _fractional_max_pool_with_indices, (2, 3)
)
