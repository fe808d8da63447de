"""What is kept of an array where there is little room: extremes, mean, deviation, norm, and how much of it is no number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .store import CAP, SMALL, StoredArray, Summary, name_of_dtype, outline, store, summarize, untold


def brief(array: NDArray[Any]) -> StoredArray:
    """A small array whole, of a larger one the statistics: a few looks at it instead of the forty of a whole summary."""
    if array.__class__ is not np.ndarray and hasattr(array, "told"):
        whole = array.told()
        if whole is None:
            return StoredArray(name_of_dtype(array.dtype), array.shape, None, untold())
        array = whole
    if array.nbytes <= SMALL:
        return store(array, CAP)
    name = name_of_dtype(array.dtype)
    if array.dtype.kind != "f" or array.itemsize < 4:
        return _from_whole(array, name)
    flat = array.reshape(-1)
    square = float(np.dot(flat, flat))
    if not math.isfinite(square):
        # NaN, infinities, or numbers whose squares are too large: the slow way tells them apart.
        return _from_whole(array, name)
    # The methods of arrays do the same and take twice as long.
    mean = float(np.add.reduce(flat)) / flat.size
    spread = math.sqrt(max(square / flat.size - mean * mean, 0.0))
    statistics = float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat)), mean, spread, math.sqrt(square)
    return StoredArray(name, array.shape, None, outline(*statistics))


def _from_whole(array: NDArray[Any], name: str) -> StoredArray:
    s = summarize(array)
    return StoredArray(name, array.shape, None, Summary(s.min, s.max, s.mean, s.std, s.norm, s.nan, s.inf, (), s.edges, (), ()))
