"""`gymnasium.spaces`: what actions and observations may be."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Box", "Discrete", "MultiDiscrete", "Space"]


class Space:
    """A set to draw from, with a generator of its own."""

    _random: Any = None
    shape: Any = None
    dtype: Any = None

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


class Discrete(Space):
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


class MultiDiscrete(Space):
    """Arrays of whole numbers from 0 on, each below its own bound."""

    def __init__(self, nvec: Any, dtype: Any = np.int64) -> None:
        self.nvec, self.dtype = np.array(nvec, dtype), np.dtype(dtype)
        self.shape = self.nvec.shape

    def sample(self) -> Any:
        """One of them, by chance."""
        return (self.np_random.random(self.shape) * self.nvec).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        """Whether an array is one of them."""
        return isinstance(x, np.ndarray) and x.shape == self.shape and bool(np.all((x >= 0) & (x < self.nvec)))

    def __repr__(self) -> str:
        return f"MultiDiscrete({self.nvec})"


class Box(Space):
    """Arrays between two bounds."""

    def __init__(self, low: Any, high: Any, shape: Any = None, dtype: Any = np.float32) -> None:
        self.dtype = np.dtype(dtype)
        self.shape = tuple(shape) if shape is not None else np.broadcast_shapes(np.shape(low), np.shape(high))
        self.low = np.array(np.broadcast_to(low, self.shape), self.dtype)
        self.high = np.array(np.broadcast_to(high, self.shape), self.dtype)

    def sample(self) -> Any:
        """One of them, by chance: where a side has no bound, of an exponential distribution, and where none has, of a normal
        one."""
        low, high = self.low, self.high if self.dtype.kind == "f" else self.high.astype(np.int64) + 1
        below, above = self.low > -np.inf, self.high < np.inf
        made: Any = np.empty(self.shape)
        free, up, down, both = ~below & ~above, below & ~above, ~below & above, below & above
        made[free] = self.np_random.normal(size=free[free].shape)
        made[up] = self.np_random.exponential(size=up[up].shape) + low[up]
        made[down] = -self.np_random.exponential(size=down[down].shape) + high[down]
        made[both] = self.np_random.uniform(low=low[both], high=high[both], size=both[both].shape)
        return (made if self.dtype.kind == "f" else np.floor(made)).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        """Whether an array lies between them."""
        return isinstance(x, np.ndarray) and x.shape == self.shape and bool(np.all((x >= self.low) & (x <= self.high)))

    def __repr__(self) -> str:
        low, high = (each.min() if each.size and (each == each.min()).all() else each for each in (self.low, self.high))
        return f"Box({low}, {high}, {self.shape}, {self.dtype})"
