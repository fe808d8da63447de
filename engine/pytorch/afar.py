"""What is kept of tensors that lie on another device: it is worked out there, and all of it is brought over together.

To ask a device for a number is to wait for everything that it has been told to do. So what is asked here is only set going, and
read before the recording's next batch is handed over: one transfer for each kind of number.
"""

from __future__ import annotations

import math
import weakref
from collections import defaultdict
from collections.abc import Callable
from typing import TypeAlias

import torch

from ..recording.store import DTYPES, ArrayStore, Summary, outline, untold

Tensor = torch.Tensor
Key: TypeAlias = tuple[int, int, int, torch.dtype]
"""Address, version, elements and dtype: what another view of the same memory shares."""
MOST = 4096
"""Tensors of which numbers are under way, before they are read."""
COPIED = 2**16
"""Elements up to which a tensor is copied for the case that more has to be asked of it."""
SHARE = 100
"""The part of a device's memory that such copies take at most: one in so many."""
ROOM = 2**26
"""Bytes that they take where a device does not tell how large it is."""
EXACT = (torch.float32, torch.float64)
"""The dtypes in which numbers are worked out."""
_TINY = 1e-15
"""Squares of such numbers leave the range of float32."""


class Due:
    """A tensor of which numbers are under way.

    Args:
        tensor: the tensor, which is not kept alive.
        version: its version; None where PyTorch counts none.
        copy: what it was, if a copy was made.
    """

    __slots__ = ("arrays", "at", "copy", "count", "counted", "dtype", "tensor", "version")

    def __init__(self, tensor: Tensor, version: int | None, copy: Tensor | None) -> None:
        self.tensor, self.version, self.copy = weakref.ref(tensor), version, copy
        self.count = tensor.numel()
        self.arrays: list[int] = []
        """The arrays of which its summary is told."""
        self.dtype = torch.float32
        self.at = self.counted = -1
        """Where its numbers are among those of this dtype, and how many of it are none among the counts."""

    def there(self) -> Tensor | None:
        """What it was, if that can still be seen."""
        if self.copy is not None:
            return self.copy
        tensor = self.tensor()
        return None if tensor is None or self.version is None or tensor._version != self.version else tensor.detach()


class Elsewhere:
    """What is under way on one device.

    Args:
        store: gets it.
        brief: the summary of a tensor, which waits for it.
        to_bytes: the bytes of a tensor as a dtype of recordings, which waits for them.
    """

    def __init__(
        self,
        device: torch.device,
        store: ArrayStore,
        brief: Callable[[Tensor], Summary],
        to_bytes: Callable[[Tensor, str], bytes],
    ) -> None:
        self.device, self.store = device, store
        self._brief, self._to_bytes = brief, to_bytes
        self._due: list[Due] = []
        self._seen: dict[Key, Due] = {}
        self._numbers: defaultdict[torch.dtype, list[Tensor]] = defaultdict(list)
        """Least and largest, variance and mean of each, in turn."""
        self._counts: list[Tensor] = []
        """Of those that are not copied: how many elements are NaN, and how many no finite numbers."""
        self._wholes: defaultdict[tuple[torch.dtype, str], list[tuple[int, Tensor]]] = defaultdict(list)
        """By dtype: the array's id and a copy of it, flat."""
        self._whole = 0
        self.room = _room(device)
        self._left = self.room

    def whole(self, plain: Tensor, name: str) -> int:
        """The id of a small tensor, of which all is kept."""
        if self._capturing():
            return self.store.summed(name, tuple(plain.shape), untold())
        shape = tuple(plain.shape)
        id = self.store.promise(name, shape, whole=True)
        self._wholes[plain.dtype, name].append((id, plain.resolve_conj().resolve_neg().reshape(-1).clone()))
        self._whole += 1
        self._bounded()
        return id

    def summed(self, tensor: Tensor, flat: Tensor, name: str, as_it_lies: bool) -> int:
        """The id of a tensor of which a summary is kept.

        Args:
            flat: its elements, in any order.
            as_it_lies: whether these are a piece of memory, of which another view may be met.
        """
        shape = tuple(tensor.shape)
        if self._capturing():
            return self.store.summed(name, shape, untold())
        id = self.store.promise(name, shape, whole=False)
        version = None if tensor.is_inference() else tensor._version
        key = None if version is None or not as_it_lies else (tensor.data_ptr(), version, tensor.numel(), tensor.dtype)
        due = None if key is None else self._seen.get(key)
        if due is None or due.tensor() is None:
            due = self._begun(Due(tensor, version, self._copied(flat)), flat)
            self._due.append(due)
            if key is not None:
                self._seen[key] = due
        due.arrays.append(id)
        self._bounded()
        return id

    def forget(self) -> None:
        """Memory was written, by whatever name."""
        self._seen.clear()

    def settle(self) -> None:
        """Read what is under way. Of a device that answers no more, nothing is known."""
        due, wholes, numbers, counts = self._due, self._wholes, self._numbers, self._counts
        self._due, self._wholes, self._numbers, self._counts = [], defaultdict(list), defaultdict(list), []
        self._whole, self._left = 0, self.room
        self._seen.clear()
        if not due and not wholes:
            return
        try:
            if self.device.type == "cuda":
                torch.cuda.synchronize(self.device)  # some of it was set going on other streams than the one that reads
            read = {dtype: torch.cat(each).tolist() for dtype, each in numbers.items()}
            counted = torch.cat(counts).tolist() if counts else []
            for each in due:
                self._tell(each, read[each.dtype][each.at : each.at + 4], counted)
            for (_, name), those in wholes.items():
                self._hand_over(name, those)
        except RuntimeError:
            return

    def _begun(self, due: Due, flat: Tensor) -> Due:
        numbers = flat.abs() if flat.is_complex() else flat
        if numbers.dtype not in EXACT:
            numbers = numbers.float()
        due.dtype, due.at = numbers.dtype, len(self._numbers[numbers.dtype])
        low, high = torch.aminmax(numbers, dim=0, keepdim=True)
        self._numbers[numbers.dtype] += (low, high, *torch.var_mean(numbers, 0, correction=0, keepdim=True))
        if due.copy is None and (flat.is_floating_point() or flat.is_complex()):
            due.counted = len(self._counts)
            self._counts += (_how_many(numbers.ne(numbers)), _how_many(numbers.sub(numbers).ne(0)))
        return due

    def _copied(self, flat: Tensor) -> Tensor | None:
        size = flat.numel() * flat.element_size()
        if flat.numel() > COPIED or size > self._left:
            return None
        self._left -= size
        return flat.clone()

    def _tell(self, due: Due, numbers: list[float], counted: list[int]) -> None:
        """Hand over the summary of a tensor."""
        low, high, variance, mean = numbers
        if low == high == 0:
            summary = outline(0.0, 0.0, 0.0, 0.0, 0.0)
        elif math.isfinite(variance) and math.isfinite(high - low) and max(abs(low), abs(high)) > _TINY:
            std = 0.0 if low == high else math.sqrt(variance)
            summary = outline(low, high, mean, std, math.sqrt(due.count * (variance + mean * mean)))
        elif (there := due.there()) is not None:
            summary = self._brief(there)
        elif due.counted >= 0:
            nan, other = counted[due.counted : due.counted + 2]
            summary = untold(nan, other - nan)
        else:
            summary = untold()
        for id in due.arrays:
            self.store.fulfil(id, summary)

    def _hand_over(self, name: str, those: list[tuple[int, Tensor]]) -> None:
        data = self._to_bytes(torch.cat([each for _, each in those]), name)
        start = 0
        for id, each in those:
            end = start + each.numel() * DTYPES[name].itemsize
            self.store.fulfil(id, data[start:end])
            start = end

    def _bounded(self) -> None:
        if len(self._due) + self._whole >= MOST:
            self.settle()

    def _capturing(self) -> bool:
        """Whether what is told to the device is not done but kept, to be done again and again: nothing can be asked then."""
        return self.device.type == "cuda" and torch.cuda.is_current_stream_capturing()


def _how_many(true: Tensor) -> Tensor:
    return true.sum(0, keepdim=True)


def _room(device: torch.device) -> int:
    if device.type != "cuda":
        return ROOM
    return int(torch.cuda.get_device_properties(device).total_memory) // SHARE
