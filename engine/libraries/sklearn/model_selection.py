"""`sklearn.model_selection`: parts to train on and to test with."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from .chance import InvalidParameterError, generator

__all__ = ["KFold", "StratifiedKFold", "train_test_split"]

Array = Any


def train_test_split(*arrays: Any, test_size: Any = None, train_size: Any = None, random_state: Any = None,
                     shuffle: bool = True, stratify: Any = None) -> list[Any]:  # fmt: skip
    """Each of some arrays, tensors or lists in two parts, by the same rows.

    Raises:
        ValueError: for different lengths, and for sizes that leave a part empty.
    """
    if not arrays:
        raise ValueError("At least one array required as input")
    lengths = [len(a) for a in arrays]
    if len({*lengths}) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    n_train, n_test = _sizes(lengths[0], test_size, train_size)
    if not shuffle:
        if stratify is not None:
            raise ValueError("Stratified train/test split is not implemented for shuffle=False")
        train, test = np.arange(n_train), np.arange(n_train, n_train + n_test)
    elif stratify is not None:
        train, test = _stratified(np.asarray(stratify), n_train, n_test, generator(random_state))
    else:
        order = generator(random_state).permutation(lengths[0])
        train, test = order[n_test : n_test + n_train], order[:n_test]
    return [_taken(a, rows) for a in arrays for rows in (train, test)]


def _taken(array: Any, rows: Array) -> Any:
    """Rows of an array or a tensor, or items of a list."""
    return [array[k] for k in rows] if isinstance(array, list | tuple | range) else array[rows]


def _sizes(count: int, test_size: Any, train_size: Any) -> tuple[int, int]:
    """How many rows the two parts have."""
    if test_size is None and train_size is None:
        test_size = 0.25
    for name, size in (("test_size", test_size), ("train_size", train_size)):
        if size is None:
            continue
        whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
        if (whole and size <= 0) or (not whole and not (isinstance(size, float | np.floating) and 0 < size < 1)):
            raise InvalidParameterError(
                f"The '{name}' parameter of train_test_split must be a float in the range (0.0, 1.0), an int in the range "
                f"[1, inf) or None. Got {size!r} instead."
            )
        if whole and size >= count:
            raise ValueError(
                f"{name}={size} should be either positive and smaller than the number of samples {count} or a float in the "
                "(0, 1) range"
            )
    if isinstance(test_size, float) and isinstance(train_size, float) and test_size + train_size > 1:
        raise ValueError(
            f"The sum of test_size and train_size = {train_size + test_size}, should be in the (0, 1) range. "
            "Reduce test_size and/or train_size."
        )
    n_test = math.ceil(test_size * count) if isinstance(test_size, float) else test_size
    n_train = math.floor(train_size * count) if isinstance(train_size, float) else train_size
    n_train = count - n_test if n_train is None else n_train
    n_test = count - n_train if n_test is None else n_test
    if n_train + n_test > count:
        raise ValueError(
            f"The sum of train_size and test_size = {n_train + n_test}, should be smaller than the number of samples {count}. "
            "Reduce test_size and/or train_size."
        )
    if n_train == 0:
        raise ValueError(
            f"With n_samples={count}, test_size={test_size} and train_size={train_size}, the resulting train set will be "
            "empty. Adjust any of the aforementioned parameters."
        )
    return int(n_train), int(n_test)


def _stratified(y: Array, n_train: int, n_test: int, random: Any) -> tuple[Array, Array]:
    """Rows of both parts, with the classes in their proportions."""
    classes, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            "The least populated classes in y have only 1 member, which is too few. The minimum number of groups for any class "
            f"cannot be less than 2. Classes with too few members are: {classes[counts < 2].tolist()}"
        )
    for name, size in (("train_size", n_train), ("test_size", n_test)):
        if size < len(classes):
            raise ValueError(f"The {name} = {size} should be greater or equal to the number of classes = {len(classes)}")
    members = np.split(np.argsort(numbers, kind="stable"), np.cumsum(counts)[:-1])
    for_train = _shares(counts, n_train, random)
    for_test = _shares(counts - for_train, n_test, random)
    train: list[int] = []
    test: list[int] = []
    for rows, first, second in zip(members, for_train, for_test, strict=True):
        mixed = rows[random.permutation(len(rows))]
        train.extend(mixed[:first])
        test.extend(mixed[first : first + second])
    return random.permutation(train), random.permutation(test)


def _shares(counts: Array, total: int, random: Any) -> Array:
    """So many rows of each class as its proportion of a total, rounded by chance where that is even."""
    wanted = counts / counts.sum() * total
    found = np.floor(wanted)
    missing = int(total - found.sum())
    rest = wanted - found
    for value in np.sort(np.unique(rest))[::-1]:
        if missing == 0:
            break
        (where,) = np.nonzero(rest == value)
        more = min(len(where), missing)
        found[random.choice(where, size=more, replace=False)] += 1
        missing -= more
    return found.astype(int)


class KFold:
    """Parts of equal size, each once to test with."""

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None) -> None:
        if n_splits <= 1:
            raise ValueError(
                f"k-fold cross-validation requires at least one train/test split by setting n_splits=2 or more, got "
                f"n_splits={n_splits}."
            )
        if not shuffle and random_state is not None:
            raise ValueError(
                "Setting a random_state has no effect since shuffle is False. You should leave random_state to its default "
                "(None), or set shuffle=True."
            )
        self.n_splits, self.shuffle, self.random_state = n_splits, shuffle, random_state

    def get_n_splits(self, *_: Any) -> int:
        """How many parts there are."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Array, Array]]:
        """For each part, the rows to train on and those to test with."""
        if self.n_splits > len(X):
            raise ValueError(
                f"Cannot have number of splits n_splits={self.n_splits} greater than the number of samples: n_samples={len(X)}."
            )
        for part in self._parts(len(X), y):
            inside = np.zeros(len(X), bool)
            inside[part] = True
            yield np.flatnonzero(~inside), np.flatnonzero(inside)

    def _parts(self, count: int, y: Any) -> Iterator[Array]:
        order = np.arange(count)
        if self.shuffle:
            generator(self.random_state).shuffle(order)
        yield from np.array_split(order, self.n_splits)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_splits={self.n_splits}, random_state={self.random_state}, shuffle={self.shuffle})"


class StratifiedKFold(KFold):
    """Parts of equal size with the classes in their proportions, each once to test with."""

    def _parts(self, count: int, y: Any) -> Iterator[Array]:
        random = generator(self.random_state)
        _, first, numbers = np.unique(np.asarray(y), return_index=True, return_inverse=True)
        encoded = np.unique(first, return_inverse=True)[1][numbers]
        counts = np.bincount(encoded)
        if (self.n_splits > counts).all():
            raise ValueError(f"n_splits={self.n_splits} cannot be greater than the number of members in each class.")
        if self.n_splits > counts.min():
            warnings.warn(
                f"The least populated class in y has only {counts.min()} members, which is less than n_splits={self.n_splits}.",
                UserWarning,
                stacklevel=3,
            )
        ordered = np.sort(encoded)
        shares = [np.bincount(ordered[k :: self.n_splits], minlength=len(counts)) for k in range(self.n_splits)]
        folds = np.empty(count, int)
        for k in range(len(counts)):
            for_class = np.arange(self.n_splits).repeat([share[k] for share in shares])
            if self.shuffle:
                random.shuffle(for_class)
            folds[encoded == k] = for_class
        for k in range(self.n_splits):
            yield np.flatnonzero(folds == k)
