"""`gymnasium.spaces`: what actions and observations may be."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Box", "Discrete"]


class _Space:
    """A set to draw from, with a generator of its own."""

    _random: Any = None

    @property
    def np_random(self) -> Any:
        """The generator; without a seed it begins with one from NumPy's shared generator."""
        if self._random is None:
            self.seed(int(np.random.randint(2**31)))
        return self._random

    def seed(self, seed: int | None = None) -> int:
        """Begin the generator with a seed."""
        seed = int(np.random.randint(2**31)) if seed is None else int(seed)
        self._random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        return seed


class Discrete(_Space):
    """The whole numbers from 0 on, below `n`."""

    shape = ()

    def __init__(self, n: int) -> None:
        self.n, self.dtype = np.int64(n), np.dtype(np.int64)

    def sample(self) -> Any:
        """One of them, by chance."""
        return self.np_random.integers(self.n)

    def contains(self, x: Any) -> bool:
        """Whether something is one of them."""
        return isinstance(x, int | np.integer) and bool(0 <= x < self.n)

    def __repr__(self) -> str:
        return f"Discrete({self.n})"


class Box(_Space):
    """Arrays between two bounds."""

    def __init__(self, low: Any, high: Any, dtype: Any = np.float32) -> None:
        self.low, self.high, self.dtype = low, high, np.dtype(dtype)
        self.shape = high.shape

    def contains(self, x: Any) -> bool:
        """Whether an array lies between them."""
        return isinstance(x, np.ndarray) and x.shape == self.shape and bool(np.all((x >= self.low) & (x <= self.high)))

    def __repr__(self) -> str:
        return f"Box({self.low}, {self.high}, {self.shape}, {self.dtype})"
