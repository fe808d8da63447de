"""`torch.types`: names for what annotations say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from .dtypes import dtype
from .tensor import Tensor
from .tensor_attributes import device

__all__ = ["Device", "FileLike", "Number", "Storage", "_device", "_dtype", "_int", "_size"]

Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = str | bytes
Storage: TypeAlias = Tensor
_device, _dtype, _int = device, dtype, int
_size: TypeAlias = Sequence[int]
