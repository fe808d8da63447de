"""Summaries of many small tensors, which are worked out together: each is copied as it is, and one call of NumPy's goes through
all of them. A call costs as much as a thousand elements do, and more where other code has run meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import memmove
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..recording.store import ArrayStore, Summary

FEW = 4_096
"""Elements of a tensor, up to which this pays."""
ROOM = 2**15
"""Elements that are copied before they are gone through, while they are still near."""
Outlined = Callable[[NDArray[Any], float, float, float, float], Summary]
"""Makes a summary of an array and its least and largest element, its sum and that of its squares."""


def copied_as(dtype: torch.dtype) -> np.dtype[Any] | None:
    """What the elements of such tensors are copied as; None for those that are not."""
    return _COPIED.get(dtype)


_COPIED = {
    getattr(torch, name): np.dtype(kind)
    for name, kind in {
        **{name: name for name in ("float32", "float64", "float16", "bool", "uint8", "int8", "int16", "int32", "int64")},
        "bfloat16": "uint16",
    }.items()
}  # fmt: skip


def _numbers(copies: NDArray[Any], dtype: torch.dtype) -> NDArray[Any]:
    """Copies as numbers that NumPy computes with, and none is lost."""
    if dtype is torch.bfloat16:  # half of a float32
        return (copies.astype(np.uint32) << 16).view(np.float32)
    if copies.dtype.kind == "f":
        return copies.astype(np.float32) if copies.dtype.itemsize < 4 else copies
    return copies.astype(np.float64)


class Together:
    """The copies of small tensors of one dtype.

    Args:
        dtype: one that `copied_as` knows.
        store: gets their summaries.
        outlined: makes them.
    """

    def __init__(self, dtype: torch.dtype, store: ArrayStore, outlined: Outlined) -> None:
        self.store, self._outlined, self._dtype = store, outlined, dtype
        kind = _COPIED[dtype]
        self._copies: NDArray[Any] = np.empty(ROOM, kind)
        self._at, self._width = self._copies.ctypes.data, kind.itemsize
        self._used = 0
        self._starts: list[int] = []
        self._arrays: list[list[int]] = []
        """Of each copy the arrays of which its summary is told; views of the same memory share it."""

    def has_room(self, count: int) -> bool:
        """Whether so many elements find a place without a summary being told."""
        return self._used + count <= ROOM

    def copy(self, address: int, count: int, arrays: list[int]) -> None:
        """Copy the elements of a tensor, which lie all of a piece there, for which there is room."""
        memmove(self._at + self._used * self._width, address, count * self._width)
        self._starts.append(self._used)
        self._arrays.append(arrays)
        self._used += count

    def tell(self) -> None:
        """Hand over what is known of all that has been copied."""
        starts, arrays, used = self._starts, self._arrays, self._used
        self._starts, self._arrays, self._used = [], [], 0
        if not starts:
            return
        copies = _numbers(self._copies[:used], self._dtype)
        with np.errstate(all="ignore"):
            wide = copies.astype(np.float64, copy=False)
            least, most = np.minimum.reduceat(copies, starts).tolist(), np.maximum.reduceat(copies, starts).tolist()
            sums, squares = np.add.reduceat(wide, starts).tolist(), np.add.reduceat(wide * wide, starts).tolist()
        for start, end, ids, *numbers in zip(starts, [*starts[1:], used], arrays, least, most, sums, squares, strict=True):
            summary = self._outlined(copies[start:end], *numbers)
            for id in ids:
                self.store.fulfil(id, summary)
