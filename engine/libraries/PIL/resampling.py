"""Pictures in another size, as Pillow computes them: two passes with weights, bytes with weights of 22 bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

Array = Any
BITS = 22
"""Of the weights, for bytes."""


class Resampling(IntEnum):
    """How a picture's pixels become those of another size."""

    NEAREST = 0
    BOX = 4
    BILINEAR = 2
    HAMMING = 5
    BICUBIC = 3
    LANCZOS = 1


def _box(x: float) -> float:
    return 1.0 if -0.5 < x <= 0.5 else 0.0


def _triangle(x: float) -> float:
    return max(1.0 - abs(x), 0.0)


def _hamming(x: float) -> float:
    x = abs(x)
    if x == 0:
        return 1.0
    return 0.0 if x >= 1 else math.sin(x * math.pi) / (x * math.pi) * (0.54 + 0.46 * math.cos(x * math.pi))


def _cubic(x: float, a: float = -0.5) -> float:
    x = abs(x)
    if x < 1:
        return ((a + 2.0) * x - (a + 3.0)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _sinc(x: float) -> float:
    return 1.0 if x == 0 else math.sin(x * math.pi) / (x * math.pi)


def _lanczos(x: float) -> float:
    return _sinc(x) * _sinc(x / 3) if -3 <= x < 3 else 0.0


FILTERS: dict[int, tuple[Callable[[float], float], float]] = {
    Resampling.BOX: (_box, 0.5),
    Resampling.BILINEAR: (_triangle, 1.0),
    Resampling.HAMMING: (_hamming, 1.0),
    Resampling.BICUBIC: (_cubic, 2.0),
    Resampling.LANCZOS: (_lanczos, 3.0),
}
"""Each filter with how far it reaches."""


def resized(pixels: Array, width: int, height: int, how: int) -> Array:
    """Pixels (H, W, …) in another size."""
    if how == Resampling.NEAREST:
        rows, columns = (_nearest(old, new) for old, new in zip(pixels.shape[:2], (height, width), strict=True))
        return np.ascontiguousarray(pixels[rows][:, columns])
    kind, support = FILTERS[how]
    if width != pixels.shape[1]:
        pixels = np.moveaxis(_along(np.moveaxis(pixels, 1, 0), width, kind, support), 0, 1)
    return np.ascontiguousarray(_along(pixels, height, kind, support) if height != pixels.shape[0] else pixels)


def _nearest(old: int, new: int) -> Array:
    """For each pixel the one that it comes from; the steps are added up, as Pillow does."""
    steps = np.full(new, old / new)
    steps[0] *= 0.5
    return np.minimum(np.add.accumulate(steps).astype(int), old - 1)


def _along(pixels: Array, size: int, kind: Callable[[float], float], support: float) -> Array:
    """Resample along the first dimension."""
    old = pixels.shape[0]
    scale = old / size
    stretch = max(scale, 1.0)
    reach = support * stretch
    made = np.empty((size, *pixels.shape[1:]), pixels.dtype)
    for k in range(size):
        center = (k + 0.5) * scale
        first, last = max(int(center - reach + 0.5), 0), min(int(center + reach + 0.5), old)
        weights = np.array([kind((x - center + 0.5) / stretch) for x in range(first, last)])
        weights /= weights.sum() or 1.0
        if pixels.dtype == np.uint8:
            whole = np.trunc(weights * (1 << BITS) + np.where(weights < 0, -0.5, 0.5)).astype(np.int64)
            total = np.tensordot(whole, pixels[first:last].astype(np.int64), 1) + (1 << (BITS - 1))
            made[k] = np.clip(total >> BITS, 0, 255)
        else:
            made[k] = np.tensordot(weights, pixels[first:last].astype(np.float64), 1)
    return made


def moved(pixels: Array, matrix: tuple[float, ...], width: int, height: int, how: int, fill: Any) -> Array:
    """Pixels (H, W, …) where each comes from (a x + b y + c, d x + e y + f) of those given; `fill` is what lies outside."""
    a, b, c, d, e, f = matrix
    y, x = np.mgrid[0:height, 0:width] + 0.5
    from_x, from_y = a * x + b * y + c, d * x + e * y + f
    high, wide = pixels.shape[:2]
    outside = (from_x < 0) | (from_x >= wide) | (from_y < 0) | (from_y >= high)
    if how == Resampling.NEAREST:
        made = pixels[np.clip(np.floor(from_y), 0, high - 1).astype(int), np.clip(np.floor(from_x), 0, wide - 1).astype(int)]
    else:
        left, top = np.floor(from_x - 0.5), np.floor(from_y - 0.5)
        across, down = from_x - 0.5 - left, from_y - 0.5 - top

        def at(rows: Array, columns: Array) -> Array:
            return pixels[np.clip(rows, 0, high - 1).astype(int), np.clip(columns, 0, wide - 1).astype(int)].astype(np.float64)

        extra = (...,) + (None,) * (pixels.ndim - 2)
        across, down = across[extra], down[extra]
        upper = at(top, left) * (1 - across) + at(top, left + 1) * across
        lower = at(top + 1, left) * (1 - across) + at(top + 1, left + 1) * across
        mixed = upper * (1 - down) + lower * down
        made = (np.floor(mixed) if pixels.dtype == np.uint8 else mixed).astype(pixels.dtype)
    made[outside] = 0 if fill is None else fill
    return made
