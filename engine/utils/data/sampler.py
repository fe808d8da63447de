"""Samplers: in which order samples are taken.

Their random draws are PyTorch's, in PyTorch's order, but without its tensors: they are nothing that a recording should show.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from ... import dtypes
from ...ops.creation.conversions import as_tensor
from ...ops.creation.generator import Generator, source
from ...ops.creation.random import multinomial

T = TypeVar("T", covariant=True)
RUN = 32
"""How many indices are drawn at once with replacement."""
MAX_INT64 = (1 << 63) - 1


def draw_seed(generator: Generator | None = None) -> int:
    """One random int64, as samplers and loaders draw for a generator of their own."""
    return int(source(generator).bits64(1)[0]) & MAX_INT64


class Sampler(Generic[T]):
    """Indices, or lists of indices. A subclass defines `__iter__`, and `__len__` if it can."""

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """0, 1, 2, … up to the length of `data_source`."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices of `data_source` in random order, or drawn with replacement.

    Args:
        data_source: what has a length.
        replacement: draw each index from all.
        num_samples: how many; as many as there are, unless given. Without replacement more than that are several shuffles.
        generator: the source; None stands for a new one, seeded from the default one at each iteration.

    Raises:
        TypeError: if `replacement` is no bool.
        ValueError: if `num_samples` is not a positive integer.
    """

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Generator | None = None
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """How many indices an iteration gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(draw_seed())
        stream = source(generator)
        if self.replacement:
            for _ in range(self.num_samples // RUN):
                yield from stream.integers(0, n, RUN).tolist()
            yield from stream.integers(0, n, self.num_samples % RUN).tolist()
            return
        for _ in range(self.num_samples // n):
            yield from stream.permutation(n).tolist()
        # Drawn even where nothing of it is used: the generator moves on as PyTorch's does.
        yield from stream.permutation(n).tolist()[: self.num_samples % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in source(self.generator).permutation(len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices 0 … len(weights) - 1, each with the probability its weight gives.

    Raises:
        ValueError: if `num_samples` is not a positive integer, `replacement` no bool, or the weights are not one-dimensional.
    """

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Generator | None = None) -> None:
        _check_positive("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=dtypes.float64)
        if self.weights.ndim != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """The indices of `sampler` in lists of `batch_size`; a last shorter one is left out if `drop_last`.

    Raises:
        ValueError: if `batch_size` is not a positive integer, or `drop_last` no bool.
    """

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        _check_positive("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")
