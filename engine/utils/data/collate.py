"""Collating: samples into one batch, of the same structure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ... import dtypes
from ...context import context
from ...ops.creation.conversions import as_tensor
from ...ops.creation.factories import tensor
from ...ops.shape.joining import stack
from ...tensor import Tensor

NOT_COLLATABLE = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_collate(batch: Sequence[Any]) -> Any:
    """Put the samples of a batch (N of them) together.

    Tensors and arrays (…) become a tensor (N, …), numbers a tensor (N); strings and bytes stay a list. Mappings, named tuples
    and lists keep their structure with their entries collated; a tuple becomes a list.

    Raises:
        RuntimeError: for sequences of different length, or tensors of different shape.
        TypeError: for anything else.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch, 0)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SaUO":
            raise TypeError(NOT_COLLATABLE.format(first.dtype))
        return default_collate([as_tensor(b) for b in batch])
    if isinstance(first, np.float64 | np.number | np.bool_):
        return as_tensor(np.array(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=dtypes.float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return _mapping(first, {key: default_collate([sample[key] for sample in batch]) for key in first})
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return _sequence(first, [default_collate(column) for column in zip(*batch, strict=True)])
    raise TypeError(NOT_COLLATABLE.format(type(first)))


def default_convert(data: Any) -> Any:
    """One sample with its arrays made tensors; everything else stays as it is."""
    if isinstance(data, Tensor | str | bytes):
        return data
    if isinstance(data, np.ndarray):
        return data if data.dtype.kind in "SaUO" else as_tensor(data)
    if isinstance(data, np.generic):
        return as_tensor(data)
    if isinstance(data, Mapping):
        return _mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, Sequence):
        return _sequence(data, [default_convert(d) for d in data])
    return data


def _mapping(like: Any, entries: dict[Any, Any]) -> Any:
    """A mapping of the kind of `like`; a plain dict where that kind cannot be made."""
    try:
        if not isinstance(like, MutableMapping):
            return type(like)(entries)
        # A copy keeps what else the mapping has.
        clone = context.copy(like)
        clone.update(entries)
        return clone
    except TypeError:
        return entries


def _sequence(like: Any, items: list[Any]) -> Any:
    """A sequence of the kind of `like`; a list for a tuple, and where that kind cannot be made."""
    if isinstance(like, tuple):
        return type(like)(*items) if hasattr(like, "_fields") else items
    try:
        if not isinstance(like, MutableSequence):
            make: Callable[[list[Any]], Any] = type(like)
            return make(items)
        clone = context.copy(like)
        for i, item in enumerate(items):
            clone[i] = item
        return clone
    except TypeError:
        return items
