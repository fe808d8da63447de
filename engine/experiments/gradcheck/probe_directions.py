"""Which elements a numerical check moves; parent and child choose alike, so that no message needs to say."""

from __future__ import annotations

from typing import Any

import numpy as np


def chosen(shape: tuple[int, ...], most: int, seed: int) -> list[tuple[int, ...] | None]:
    """All elements of a small shape; of a large one all at once (None), then some, the same ones each time."""
    size = int(np.prod(shape, dtype=np.int64)) if shape else 1
    if size == 0:
        return []
    if size <= most:
        return [tuple(int(i) for i in p) for p in np.ndindex(shape)]
    picked = np.random.default_rng(seed).choice(size, most, replace=False)
    return [None, *(tuple(int(i) for i in np.unravel_index(int(p), shape)) for p in sorted(picked))]


def directed(shape: tuple[int, ...], element: tuple[int, ...] | None, seed: int) -> np.ndarray[Any, Any]:
    """A unit vector along one element; for None a random ±1 (Rademacher) vector."""
    if element is None:
        return np.random.default_rng(seed + 1).choice([-1.0, 1.0], shape)
    direction = np.zeros(shape)
    direction[element] = 1.0
    return direction
