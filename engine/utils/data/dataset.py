"""Datasets: what has samples by index, or one after the other."""

from __future__ import annotations

import itertools
import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ...ops.creation.generator import Generator, default_generator, source
from ...tensor import Tensor

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Samples by index. A subclass defines `__getitem__`, for samplers also `__len__`, and may define `__getitems__`."""

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> Any:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T]):
    """Samples one after the other. A subclass defines `__iter__`."""

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors of the same first length (N, …); sample i is the tuple of their rows i.

    Raises:
        AssertionError: where the first lengths differ.
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)  # type: ignore[index]

    def __len__(self) -> int:
        return int(self.tensors[0].size(0))


class StackDataset(Dataset[Any]):
    """Datasets of the same length side by side; a sample is a tuple of theirs, or a dict where they are given by keyword.

    Raises:
        ValueError: for none, for both ways of giving them, and for different lengths.
    """

    datasets: tuple[Any, ...] | dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types "
                "are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        parts = list(args or kwargs.values())
        self._length = len(parts[0])
        if any(self._length != len(part) for part in parts):
            raise ValueError("Size mismatch between datasets")
        self.datasets = args or kwargs

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        parts = list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)
        samples = list(zip(*[_many(part, indices) for part in parts], strict=True)) if indices else []
        if isinstance(self.datasets, dict):
            return [dict(zip(self.datasets, sample, strict=True)) for sample in samples]
        return samples

    def __len__(self) -> int:
        return self._length


def _many(dataset: Any, indices: list[Any]) -> list[Any]:
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[i] for i in indices]
    items: list[Any] = dataset.__getitems__(indices)
    if len(items) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}")
    return items


class ConcatDataset(Dataset[T]):
    """Datasets one after the other, as one.

    Raises:
        AssertionError: for no datasets, or an IterableDataset.
    """

    def __init__(self, datasets: Iterable[Dataset[T]]) -> None:
        self.datasets: list[Any] = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """The running sum of the lengths."""
        return list(itertools.accumulate(len(d) for d in sequence))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[which - 1] if which else 0
        sample: T = self.datasets[which][idx - before]
        return sample


class ChainDataset(IterableDataset[T]):
    """Iterable datasets one after the other.

    Raises:
        AssertionError: when it comes to one that is not an IterableDataset.
    """

    def __init__(self, datasets: Iterable[Dataset[T]]) -> None:
        self.datasets: Iterable[Any] = datasets

    def __iter__(self) -> Iterator[T]:
        for d in self._checked():
            yield from d

    def __len__(self) -> int:
        return sum(len(d) for d in self._checked())

    def _checked(self) -> Iterator[Any]:
        for d in self.datasets:
            if not isinstance(d, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield d


class Subset(Dataset[T]):
    """The samples of `dataset` at `indices`.

    Raises:
        NotImplementedError: for a subclass with its own `__getitem__` but not its own `__getitems__`.
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        own = type(self)
        if own.__getitem__ is not Subset.__getitem__ and own.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{own.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding "
                "__getitem__, you must also override __getitems__ to ensure DataLoader works correctly with your custom "
                "logic. A simple implementation:\n\ndef __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> T:
        index = [self.indices[i] for i in idx] if isinstance(idx, list) else self.indices[idx]
        sample: T = self.dataset[index]
        return sample

    def __getitems__(self, indices: list[int]) -> list[T]:
        chosen = [self.indices[i] for i in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            samples: list[T] = self.dataset.__getitems__(chosen)
            return samples
        return [self.dataset[i] for i in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: Generator | None = default_generator
) -> list[Subset[Any]]:
    """Split a dataset at random into subsets of the given lengths, or of lengths in the given proportions.

    Args:
        dataset: what is split; it has a length.
        lengths: whole numbers with the dataset's length as sum, or fractions with sum 1. What rounding the fractions down
            leaves over goes one by one to the first parts.
        generator: the source of the permutation.

    Raises:
        ValueError: for a fraction outside [0, 1], and for lengths whose sum is not the dataset's length.
    """
    stands_for = getattr(dataset, "_stands_for", None)
    if stands_for is not None and sum(lengths) == stands_for != len(dataset):
        # A few samples stand for many: they are split in the same proportions.
        lengths = _lengths_from_fractions(len(dataset), [length / stands_for for length in lengths])
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _lengths_from_fractions(len(dataset), lengths)
        for i, length in enumerate(lengths):
            if length == 0:
                warnings.warn(f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    counts = [int(length) for length in lengths]
    order = source(generator).permutation(sum(counts)).tolist()
    ends = itertools.accumulate(counts)
    return [Subset(dataset, order[end - count : end]) for end, count in zip(ends, counts, strict=True)]


def _lengths_from_fractions(total: int, fractions: Sequence[float]) -> list[int]:
    for i, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    counts = [math.floor(total * fraction) for fraction in fractions]
    for i in range(total - sum(counts)):
        counts[i % len(counts)] += 1
    return counts
