"""The three linear maps behind convolutions, on arrays.

A convolution ties three arrays together: the fine side x (N, C, *fine), the kernels w (O, C / groups, *kernel) and the coarse
side y (N, O, *coarse). Given two of them there is one natural third, linear in each:

    coarse_of(x, w)    what a convolution computes
    fine_of(y, w)      what a transposed convolution computes
    kernels_of(x, y)   what the gradient of the kernels is

and the derivatives of each of the three are the other two.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...bounded_strides import strided
from ..by_blas import product

CHUNK = 1 << 18
"""How many elements of windows are laid out at a time, so that they are still in the cache when they are multiplied."""


class Geometry(NamedTuple):
    """Which positions of the coarse side meet which positions of the fine side."""

    fine: tuple[int, ...]
    coarse: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int


# --- the three linear maps on arrays ---------------------------------------------------------------------------------------


def _padded(x, padding):
    """The array with zeros around its trailing dimensions."""
    if not any(padding):
        return x
    spatial = x.shape[2:]
    out = np.zeros((*x.shape[:2], *(n + 2 * p for n, p in zip(spatial, padding, strict=True))), x.dtype)
    inner: Any = (..., *[slice(p, p + n) for n, p in zip(spatial, padding, strict=True)])
    out[inner] = x
    return out


def _chunks(n, each) -> Iterator[slice]:
    """The samples a few at a time, each with so many elements of windows."""
    step = max(1, min(n, CHUNK // max(each, 1)))
    for k in range(0, n, step):
        yield slice(k, min(k + step, n))


def _columns(x, geometry) -> Iterator[tuple[slice, Any]]:
    """The windows of a padded x as matrices (n, groups, C / groups * kernel, positions), a few samples at a time."""
    _, coarse, kernel, stride, _, dilation, groups = geometry
    n, c = x.shape[:2]
    channels = c // groups
    rows, positions = channels * prod(kernel), prod(coarse)
    s = x.strides
    windows = strided(
        x,
        (n, groups, channels, *kernel, *coarse),
        (
            s[0],
            s[1] * channels,
            s[1],
            *[a * d for a, d in zip(s[2:], dilation, strict=True)],
            *[a * d for a, d in zip(s[2:], stride, strict=True)],
        ),
    )
    for some in _chunks(n, groups * rows * positions):
        yield some, windows[some].reshape(some.stop - some.start, groups, rows, positions)


def coarse_of(x, w, geometry):
    """The convolution of x with w."""
    n, o, groups = x.shape[0], w.shape[0], geometry.groups
    out = np.empty((n, groups, o // groups, prod(geometry.coarse)), np.result_type(x, w))
    matrix = w.reshape(groups, o // groups, prod(w.shape[1:]))
    for some, columns in _columns(_padded(x, geometry.padding), geometry):
        product(matrix, columns, out=out[some])
    return out.reshape(n, o, *geometry.coarse)


def fine_of(y, w, geometry):
    fine, coarse, kernel, stride, padding, dilation, groups = geometry
    n, o = y.shape[:2]
    channels = w.shape[1]
    margin = tuple([d * (k - 1) - p for d, k, p in zip(dilation, kernel, padding, strict=True)])
    ones = all(s == 1 for s in stride)
    if ones and min(margin) >= 0 and o <= 3 * channels * groups:
        # Without strides it is the convolution of y with the kernels turned around.
        turned = w.reshape(groups, o // groups, channels, *kernel).swapaxes(1, 2)
        turned = turned[(..., *[slice(None, None, -1)] * len(kernel))].reshape(groups * channels, o // groups, *kernel)
        if all(c + 2 * m - d * (k - 1) == f for f, c, m, d, k in zip(fine, coarse, margin, dilation, kernel, strict=True)):
            return coarse_of(y, turned, geometry._replace(fine=coarse, coarse=fine, padding=margin))
    positions = prod(coarse)
    out = np.zeros((n, groups * channels, *(f + 2 * p for f, p in zip(fine, padding, strict=True))), np.result_type(y, w))
    matrix = w.reshape(groups, o // groups, channels * prod(kernel)).swapaxes(1, 2)
    y = y.reshape(n, groups, o // groups, positions)
    for some in _chunks(n, groups * channels * prod(kernel) * positions):
        parts = product(matrix, y[some]).reshape(some.stop - some.start, groups * channels, *kernel, *coarse)
        for k in np.ndindex(*kernel):
            out[(some, *_positions(k, geometry))] += parts[(slice(None), slice(None), *k)]
    inner: Any = (..., *[slice(p, p + f) for f, p in zip(fine, padding, strict=True)])
    # Programs view the result in another shape.
    return np.ascontiguousarray(out[inner]) if any(padding) else out


def _positions(k, geometry):
    """The positions of the padded fine side that one element of the kernel meets."""
    return (
        ...,
        *[
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, d, s, n in zip(k, geometry.dilation, geometry.stride, geometry.coarse, strict=True)
        ],
    )


def kernels_of(x, y, geometry):
    """The products of x and y, summed for each element of the kernels."""
    n, o, groups = y.shape[0], y.shape[1], geometry.groups
    out = np.zeros((groups, o // groups, x.shape[1] // groups * prod(geometry.kernel)), np.result_type(x, y))
    y = y.reshape(n, groups, o // groups, prod(geometry.coarse))
    for some, columns in _columns(_padded(x, geometry.padding), geometry):
        out += np.add.reduce(product(y[some], columns.swapaxes(2, 3)), axis=0)
    return out.reshape(o, x.shape[1] // groups, *geometry.kernel)
