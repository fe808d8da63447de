"""Sampling images at the points of a grid, and affine grids."""

from __future__ import annotations

import warnings
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ... import dtypes
from ...context import beyond
from ...op.declare import function, op
from ...tensor import Tensor
from ...tensor_attributes import Size
from ..reduction.sums import _sum_dim
from ..shape.joining import _stack
from .resample_kernels import variant

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")

# --- where a point of the grid lies ----------------------------------------------------------------------------------------


def _clipped(x, size):
    """Places outside moved to the border, and the slope of doing so."""
    return np.clip(x, 0, size - 1), ((x > 0) & (x < size - 1)).astype(x.dtype)


def _reflected(x, size, align_corners):
    """Places outside mirrored at the border as often as it takes, and the slope of doing so."""
    low, high = (0, 2 * (size - 1)) if align_corners else (-1, 2 * size - 1)
    if low == high:
        return np.zeros_like(x), np.zeros_like(x)
    span = x.dtype.type((high - low) / 2)
    shifted = x - x.dtype.type(low / 2)
    slope = np.where(shifted < 0, -1, 1).astype(x.dtype)
    shifted = np.abs(shifted)
    extra, flips = np.fmod(shifted, span), np.floor(shifted / span)
    even = flips % 2 == 0
    return np.where(even, extra, span - extra) + x.dtype.type(low / 2), np.where(even, slope, -slope)


def _moved(x, size, padding_mode, align_corners):
    """Where a position outside counts as, and the slope."""
    if padding_mode == 0:
        return x, np.ones_like(x)
    slope: Any = 1
    if padding_mode == 2:
        x, slope = _reflected(x, size, align_corners)
    x, inside = _clipped(x, size)
    return x, slope * inside


def _whole(x):
    """Places as whole numbers; what is too far away or no number lies outside."""
    safe = np.isfinite(x) & (np.abs(x) < 2**31 - 2)
    return np.where(safe, x, -100).astype(np.int64)


_CUBIC = ((1.25, -2.25, 0.0, 1.0), (-0.75, 3.75, -6.0, 3.0))
"""The weight of cubic interpolation at a distance below one and below two, as polynomials (of sharpness -0.75)."""


def _weights(x, mode, order):
    """For each position to look at: its distance from the first, and its weight differentiated so many times."""
    if mode == 1:
        return np.rint(x), [(0, np.ones_like(x))]
    first = np.floor(x)
    t = x - first
    if mode == 0:
        ones = np.ones_like(x)
        return first, [(0, (1 - t, -ones)[order]), (1, (t, ones)[order])]
    found = []
    for k, distance, side in ((-1, t + 1, 1), (0, t, 1), (1, 1 - t, -1), (2, 2 - t, -1)):
        polynomial = np.polyder(np.array(_CUBIC[k in (-1, 2)]), order)
        found.append((k, (side**order * np.polyval(polynomial, distance)).astype(x.dtype)))
    return first, found


_ORDERS = {0: 1, 1: 0, 2: 3}
"""How many times the weights of each mode can be differentiated before they are zero."""


def _taps(x, size, modes, order):
    """For one coordinate of the grid the positions to look at and their weights, zero outside of the image."""
    mode, padding_mode, align_corners = modes
    factor = x.dtype.type((size - 1) / 2 if align_corners else size / 2)
    x = (x + 1) * factor - x.dtype.type(0 if align_corners else 0.5)
    slope: Any = 1
    if mode != 2:
        x, slope = _moved(x, size, padding_mode, align_corners)
    first, found = _weights(x, mode, order)
    taps = []
    for k, weight in found:
        position = first + k
        if mode == 2:
            position, _ = _moved(position, size, padding_mode, align_corners)
        index = _whole(position)
        inside = (index >= 0) & (index < size)
        taps.append((np.where(inside, index, 0), np.where(inside, weight * (slope * factor) ** order, 0)))
    return taps


def _neighbours(sizes, grid, modes, orders):
    """For each combination of positions to look at: their indices in the flattened image, and their weights, (N, 1, points)."""
    dims = len(sizes) - 2
    if any(order > _ORDERS[modes[0]] for order in orders):
        return
    by_dim = [_taps(grid[..., dims - 1 - d], sizes[2 + d], modes, orders[d]) for d in range(dims)]
    points = (sizes[0], 1, prod(grid.shape[1:-1]))
    for combination in product(*by_dim):
        flat, weight = combination[0]
        for (index, w), n in zip(combination[1:], sizes[3:], strict=True):
            flat, weight = flat * n + index, weight * w
        yield flat.reshape(points), weight.reshape(points)


# --- operations ------------------------------------------------------------------------------------------------------------


def _sampled(input, grid, modes, orders):
    n, c = input.shape[:2]
    flat = input.reshape(n, c, prod(input.shape[2:]))
    out = np.zeros((n, c, prod(grid.shape[1:-1])), input.dtype)
    for positions, weights in _neighbours(input.shape, grid, modes, orders):
        out += np.take_along_axis(flat, np.broadcast_to(positions, out.shape), 2) * weights
    return out.reshape(n, c, *grid.shape[1:-1])


def along_grid(grad, image, grid, modes, orders):
    """The gradient with respect to the grid: for each coordinate the sample differentiated once more along it."""
    dims = len(orders)
    parts = []
    for d in reversed(range(dims)):
        more = tuple([o + (i == d) for i, o in enumerate(orders)])
        parts.append(_sum_dim(grad * _sample(image, grid, modes, more), (1,), False))
    return _stack(parts, dims + 1)


@op(
    r"\mathrm{{sample}}({self}, {grid})",
    self=lambda grad, self_sym_sizes, grid, modes, orders: _unsample(grad, grid, tuple(self_sym_sizes), modes, orders),
    grid=lambda grad, self, grid, modes, orders: along_grid(grad, self, grid, modes, orders),
    broadcast=(),
    name="grid_sampler_backward",
)
def _sample(self, grid, modes, orders):
    """The image at the points of a grid, differentiated so many times along each of its dimensions."""
    return _sampled(self, grid, modes, orders)


@op(
    r"{self}",
    self=lambda grad, grid, modes, orders: _sample(grad, grid, modes, orders),
    grid=lambda grad, self, grid, modes, orders: along_grid(self, grad, grid, modes, orders),
    broadcast=(),
    name="grid_sampler_backward",
)
def _unsample(self, grid, sizes, modes, orders):
    """The transpose of `_sample`: each point's number added to the positions it looked at."""
    n, c = sizes[:2]
    area = prod(sizes[2:])
    grad = self.reshape(n, c, prod(grid.shape[1:-1]))
    total = np.zeros(n * c * area)
    planes = (np.arange(n * c) * area).reshape(n, c, 1)
    for positions, weights in _neighbours(sizes, grid, modes, orders):
        total += np.bincount((positions + planes).ravel(), (grad * weights).ravel(), n * c * area)
    return total.astype(self.dtype).reshape(sizes)


def _grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """The image (N, C, *spatial) at the points of a grid (N, *out, dims), each coordinate between -1 and 1."""
    modes = (interpolation_mode, padding_mode, align_corners)
    return _sampled(input, grid, modes, (0,) * (input.ndim - 2))


_SAMPLER = {
    d: variant(
        _grid_sampler, r"\mathrm{{sample}}({input}, {grid})", f"grid_sampler_{d}d", f"GridSampler{d}DBackward0",
        input=lambda grad, grid, input_sym_sizes, interpolation_mode, padding_mode, align_corners: _unsample(
            grad, grid, tuple(input_sym_sizes), (interpolation_mode, padding_mode, align_corners), (0,) * (grad.ndim - 2)
        ),
        grid=lambda grad, input, grid, interpolation_mode, padding_mode, align_corners: along_grid(
            grad, input, grid, (interpolation_mode, padding_mode, align_corners), (0,) * (grad.ndim - 2)
        ),
        broadcast=(),
    )
    for d in (2, 3)
}  # fmt: skip


@function
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """The image (N, C, *spatial) at the points of a grid (N, *out, dims); the modes are numbers."""
    x, g = input._array, grid._array
    if x.shape[0] != g.shape[0]:
        raise RuntimeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got input with sizes {list(x.shape)} and "
            f"grid with sizes {list(g.shape)}"
        )
    if g.shape[-1] != x.ndim - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {x.ndim - 2} in last dimension, but got grid with sizes "
            f"{list(g.shape)}"
        )
    for i, n in enumerate(x.shape[2:], 2):
        if n == 0:
            raise RuntimeError(
                f"grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {list(x.shape)} "
                f"with dimension {i} being empty"
            )
    if x.ndim not in (4, 5) or x.ndim != g.ndim:
        raise RuntimeError(
            f"grid_sampler(): expected {x.ndim if x.ndim == 5 else 4}D input and grid with same number of dimensions, but got "
            f"input with sizes {list(x.shape)} and grid with sizes {list(g.shape)}"
        )
    if x.ndim == 5 and interpolation_mode == 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if x.dtype != g.dtype:
        names = [dtypes.SCALAR_NAMES[t.dtype] for t in (input, grid)]
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")
    return _SAMPLER[x.ndim - 2](input, grid, interpolation_mode, padding_mode, align_corners)


grid_sampler_2d = grid_sampler
grid_sampler_3d = grid_sampler


@function
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """The image (N, C, *spatial) at the points of a grid (N, *out, dims), each coordinate between -1 and 1."""
    if mode not in MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        _warn_of_corners()
    return grid_sampler(input, grid, MODES.index(mode), PADDINGS.index(padding_mode), bool(align_corners))


def _warn_of_corners() -> None:
    warnings.warn(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
        "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.",
        UserWarning,
        stacklevel=beyond(3),
    )


# --- affine grids ----------------------------------------------------------------------------------------------------------


def _base_grid(size, align_corners, dtype):
    """The points of an untransformed grid with a one appended, (positions, dims + 1)."""
    lines = []
    for n in size[2:]:
        line = np.linspace(-1, 1, n, dtype=dtype) if n > 1 else np.zeros(1, dtype)
        lines.append(line if align_corners else line * dtype.type((n - 1) / n))
    points = np.meshgrid(*lines, indexing="ij")
    return np.stack([*[p.ravel() for p in reversed(points)], np.ones(points[0].size, dtype)], 1)


@op(
    r"\mathrm{{grid}}({theta})",
    theta=lambda grad, size, align_corners: _affine_grid_back(grad, size, align_corners),
    node="AffineGridGeneratorBackward0",
    name="affine_grid_generator",
)
def _affine_grid(theta, size, align_corners):
    """The grid of points that the affine maps (N, dims, dims + 1) make of the usual one, (N, *spatial, dims)."""
    points = _base_grid(size, align_corners, theta.dtype) @ theta.swapaxes(1, 2)
    return points.reshape(size[0], *size[2:], len(size) - 2)


@op(
    r"{self}",
    self=lambda grad, size, align_corners: _affine_grid(grad, size, align_corners),
    name="affine_grid_generator_backward",
)
def _affine_grid_back(self, size, align_corners):
    """The transpose of `_affine_grid`."""
    points = self.reshape(size[0], prod(size[2:]), len(size) - 2)
    return points.swapaxes(1, 2) @ _base_grid(size, align_corners, self.dtype)


@function
def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """The grid of points that the affine maps (N, dims, dims + 1) make of the usual one."""
    return _affine_grid(theta, tuple(size), align_corners)


@function
def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """The grid for `grid_sample` of affine maps (N, 2, 3) or (N, 3, 4), for an image of `size`."""
    if align_corners is None:
        _warn_of_corners()
    shape = theta._array.shape
    if theta._array.dtype.kind not in dtypes.INEXACT:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            f"affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {size}."
        )
    d = len(size) - 2
    if len(shape) != 3 or shape[1:] != (d, d + 1):
        raise ValueError(f"Expected a batch of {d}D affine matrices of shape Nx{d}x{d + 1} for size {size}. Got {Size(shape)}.")
    if align_corners and min(size[2:]) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not "
            "an intended use case of affine_grid. See the documentation of affine_grid for details.",
            UserWarning,
            stacklevel=beyond(2),
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return _affine_grid(theta, tuple(size), bool(align_corners))
