"""Random tensors, from one generator that `manual_seed` sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtypes
from engine.dtypes import dtype as Dtype
from engine.ops.creation import creation
from engine.ops.shape import sizes
from engine.tensor import Tensor, constant


class Generator:
    """A source of random numbers, as `torch.Generator`."""

    def __init__(self, device: Any = "cpu") -> None:
        self.seed()

    def manual_seed(self, seed: int) -> Generator:
        """Start again from `seed`."""
        self._seed = int(seed)
        self.numpy = np.random.Generator(np.random.MT19937(self._seed % (1 << 64)))
        return self

    def seed(self) -> int:
        """Start from a seed that is different each time."""
        self.manual_seed(int(np.random.SeedSequence().generate_state(1, np.uint64)[0]))
        return self._seed

    def initial_seed(self) -> int:
        """The seed it was started from."""
        return self._seed


default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    """Set the seed of all random functions."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Set a seed that is different each time, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed the random functions were started from."""
    return default_generator.initial_seed()


def _source(generator: Generator | None) -> np.random.Generator:
    return (generator or default_generator).numpy


def _target(d: Dtype | None) -> Any:
    return (d or dtypes.get_default_dtype()).numpy


@creation
def rand(*size: Any, generator: Generator | None = None, dtype: Dtype | None = None) -> Tensor:
    """Uniform random numbers from [0, 1)."""
    return constant(np.asarray(_source(generator).random(sizes(size))).astype(_target(dtype)))


@creation
def randn(*size: Any, generator: Generator | None = None, dtype: Dtype | None = None) -> Tensor:
    """Normal random numbers of mean 0 and variance 1."""
    return constant(np.asarray(_source(generator).standard_normal(sizes(size))).astype(_target(dtype)))


@creation
def randint(*bounds: Any, size: Any = None, generator: Generator | None = None, dtype: Dtype | None = None) -> Tensor:
    """Random integers: `randint(high, size)` from 0, or `randint(low, high, size)`, `high` excluded."""
    values = list(bounds)
    shape = size if size is not None else values.pop()
    low, high = (0, values[0]) if len(values) == 1 else values[:2]
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return constant(_source(generator).integers(low, high, sizes((shape,))).astype((dtype or dtypes.int64).numpy))


@creation
def randperm(n: int, *, generator: Generator | None = None, dtype: Dtype | None = None) -> Tensor:
    """The numbers from 0 to n - 1 in random order."""
    return constant(_source(generator).permutation(n).astype((dtype or dtypes.int64).numpy))


@creation
def rand_like(input: Tensor, *, dtype: Dtype | None = None, memory_format: Any = None) -> Tensor:
    """Uniform random numbers in the shape and dtype of `input`."""
    return constant(np.asarray(_source(None).random(input._array.shape)).astype((dtype or input.dtype).numpy))


@creation
def randn_like(input: Tensor, *, dtype: Dtype | None = None, memory_format: Any = None) -> Tensor:
    """Normal random numbers in the shape and dtype of `input`."""
    return constant(np.asarray(_source(None).standard_normal(input._array.shape)).astype((dtype or input.dtype).numpy))


@creation
def randint_like(input: Tensor, *bounds: Any, dtype: Dtype | None = None, memory_format: Any = None) -> Tensor:
    """Random integers in the shape and dtype of `input`."""
    low, high = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    return constant(_source(None).integers(low, high, input._array.shape).astype((dtype or input.dtype).numpy))


@creation
def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None) -> Tensor:
    """Normal random numbers of the given means and standard deviations."""
    shape = sizes((size,)) if size is not None else np.broadcast_shapes(*[np.shape(_raw(x)) for x in (mean, std)])
    sample = _source(generator).standard_normal(shape)
    return constant((_raw(mean) + _raw(std) * sample).astype(dtypes.get_default_dtype().numpy))


@creation
def bernoulli(input: Tensor, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability each element gives, else 0."""
    return constant((_source(generator).random(input._array.shape) < input._array).astype(input._array.dtype))


def _raw(x: Any) -> Any:
    return x._array if isinstance(x, Tensor) else x
