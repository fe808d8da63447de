"""Pictures that are made up: a shape for each class, moved, lit and blurred by chance, the same in every run."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np

from ...digits import DIGITS
from ...PIL.resampling import Resampling, resized

Array = Any


def made(name: str, train: bool, count: int, classes: int, size: int, channels: int, digits: bool) -> tuple[Array, Array]:
    """Pictures (N, size, size, channels) of bytes, and their classes (N,)."""
    shapes = np.random.default_rng(crc32(name.encode()))
    chance = np.random.default_rng(crc32(f"{name} {train}".encode()))
    outlines = _digits(size) if digits else _patterns(shapes, classes, size, channels)
    targets = chance.permutation(np.arange(count) % classes)
    pictures = np.empty((count, size, size, channels), np.uint8)
    reach = max(size // 12, 1)
    for k, target in enumerate(targets):
        moved = np.roll(outlines[target], tuple(chance.integers(-reach, reach + 1, 2)), (0, 1))
        pictures[k] = _drawn(chance, moved, channels, digits)
    return pictures, targets.astype(np.int64)


def _digits(size: int) -> Array:
    """The ten digits (10, size, size, 1), between 0 and 1."""
    found = np.zeros((10, size, size, 1))
    high, wide = round(size * 0.7), round(size * 0.46)
    top, left = (size - high) // 2, (size - wide) // 2
    for k, rows in enumerate(DIGITS):
        dots = np.array([[float(dot) for dot in row] for row in rows.split()])
        found[k, top : top + high, left : left + wide, 0] = np.clip(resized(dots, wide, high, Resampling.BICUBIC), 0, 1)
    return found


def _patterns(chance: np.random.Generator, classes: int, size: int, channels: int) -> Array:
    """A smooth pattern (classes, size, size, channels) for each class, between 0 and 1."""
    found = np.empty((classes, size, size, channels))
    for k in range(classes):
        found[k] = np.clip(resized(chance.random((5, 5, channels)), size, size, Resampling.BICUBIC), 0, 1)
    return found


def _drawn(chance: np.random.Generator, outline: Array, channels: int, digits: bool) -> Array:
    """One picture of a class."""
    if digits and channels == 1:
        ink = outline * chance.uniform(0.7, 1.0) * 255
        return (ink + (ink > 20) * chance.normal(0, 12, ink.shape)).clip(0, 255).astype(np.uint8)
    if digits:
        front, back = chance.uniform(0.55, 1.0, channels), chance.uniform(0.0, 0.45, channels)
        outline = back + outline * (front - back)
    lit = (outline - 0.5) * chance.uniform(0.7, 1.1) + 0.5 + chance.uniform(-0.08, 0.08)
    return ((lit + chance.normal(0, 0.06, lit.shape)) * 255).clip(0, 255).astype(np.uint8)
