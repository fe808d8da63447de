"""The memory behind a tensor, as numbers or as bytes: `x.storage()`, `x.untyped_storage()`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ... import dtypes
from ...bounded_strides import owner, row
from ...compat.classes import known_as
from ...context import outside
from ...dtypes import dtype as Dtype
from ...op.declare import function
from ...tensor import Tensor
from ...tensor_attributes import device


class Storage:
    """Memory: a row of elements."""

    is_cuda = is_sparse = False

    def __init__(self, array: Any) -> None:
        memory = owner(array)
        filled = row(memory)
        self._flat = memory.reshape(-1) if filled is None else filled

    @property
    def device(self) -> device:
        """Always the CPU."""
        return device("cpu")

    def __len__(self) -> int:
        return int(self._flat.size)

    def __getitem__(self, index: int) -> Any:
        return self._flat[index].item()

    def size(self) -> int:
        """How many elements."""
        return int(self._flat.size)

    def nbytes(self) -> int:
        """How many bytes."""
        return int(self._flat.nbytes)

    def element_size(self) -> int:
        """Bytes of one element."""
        return int(self._flat.itemsize)

    def data_ptr(self) -> int:
        """The address of the first element."""
        return int(self._flat.__array_interface__["data"][0])

    def tolist(self) -> list[Any]:
        """The elements."""
        found: list[Any] = self._flat.tolist()
        return found

    def _shown(self, of: str) -> str:
        elements = "\n ".join(map(str, self.tolist()))
        return f" {elements}\n[torch.storage.{type(self).__name__}({of}device=cpu) of size {len(self)}]"

    def __repr__(self) -> str:
        return self._shown("")


class UntypedStorage(Storage):
    """Memory as bytes."""

    def __init__(self, array: Any) -> None:
        super().__init__(array)
        self._flat = self._flat.view(np.uint8)


class TypedStorage(Storage):
    """Memory as numbers of a dtype."""

    @property
    def dtype(self) -> Dtype:
        """The data type of the elements."""
        return dtypes.OF_NUMPY[self._flat.dtype]

    def untyped(self) -> UntypedStorage:
        """The same as bytes."""
        return UntypedStorage(self._flat)

    def __repr__(self) -> str:
        return self._shown(f"dtype={self.dtype}, ")


known_as("torch.storage", TypedStorage, UntypedStorage)
_told: list[bool] = []


@function
def storage(input: Tensor) -> TypedStorage:
    """The memory behind the tensor as numbers; deprecated."""
    if not _told:
        _told.append(True)
        warnings.warn(
            "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
            "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
            "tensor.untyped_storage() instead of tensor.storage()",
            stacklevel=outside(),
        )
    return TypedStorage(input._array)


@function
def untyped_storage(input: Tensor) -> UntypedStorage:
    """The memory behind the tensor as bytes."""
    return UntypedStorage(input._array)
