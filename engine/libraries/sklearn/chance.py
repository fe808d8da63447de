"""What scikit-learn draws with: NumPy's older generator, a new one for a seed and the shared one for none."""

from __future__ import annotations

from typing import Any

import numpy as np


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a value that it cannot have."""

    __module__ = "sklearn.utils._param_validation"


def generator(seed: Any) -> Any:
    """The generator that a `random_state` means.

    Raises:
        ValueError: if it is neither a seed nor a generator.
    """
    if seed is None:
        return np.random.mtrand._rand  # what `np.random.seed` seeds
    if isinstance(seed, int | np.integer):
        return np.random.RandomState(int(seed))
    if isinstance(seed, np.random.RandomState):
        return seed
    raise ValueError(f"{seed!r} cannot be used to seed a numpy.random.RandomState instance")


def shuffled(random: Any, *arrays: Any) -> list[Any]:
    """Arrays in one new order."""
    order = np.arange(len(arrays[0]))
    random.shuffle(order)
    return [array[order] for array in arrays]


def sampled(population: int, count: int, random: Any) -> Any:
    """So many different whole numbers below `population`."""
    ratio = count / population if population else 1.0
    if 0.01 < ratio < 0.99:
        return random.permutation(population)[:count]
    if ratio < 0.2:
        chosen: dict[int, None] = {}
        while len(chosen) < count:
            chosen.setdefault(int(random.randint(population)))
        return np.array([*chosen], dtype=np.int64)
    kept = np.arange(count)
    for k in range(count, population):
        place = random.randint(0, k + 1)
        if place < count:
            kept[place] = k
    return kept
