"""Types of sparse tensors as PyTorch had them before layouts: `torch.sparse.FloatTensor(indices, values, size)`."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...context import outside, warn_once
from ...dtypes import dtype as Dtype
from ...tensor import Tensor
from ...tensor_attributes import sparse_coo
from ..creation.tensor_types import TensorType, on_the_cpu
from .coordinates import sparse_coo_tensor

NAMES = [
    "BFloat16Tensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
]
FORMS = {
    0: ("", "(0,), dtype="),
    1: ("shape, *, device=", "shape, dtype=, device="),
    2: ("indices, values, *, device=", "indices, values, dtype=, device="),
    3: ("indices, values, shape, *, device=", "indices, values, shape, dtype=, device="),
}
"""How many tensors and shapes there are → what is deprecated, and what is to be written."""


class SparseTensorType(TensorType):
    """One of them: called, it makes a sparse tensor of indices, values and a shape."""

    def __init__(self, dtype: Dtype) -> None:
        super().__init__(dtype, "sparse")
        self.layout = sparse_coo
        self.is_sparse = True
        self.__doc__ = f"A sparse tensor of dtype {dtype.name}: of indices and values, or of a shape."

    def __call__(self, *data: Any, device: Any = None) -> Tensor:
        on_the_cpu(device)
        tensors = [one for one in data if isinstance(one, Tensor)]
        if data and not tensors and all(isinstance(one, int) for one in data):
            data = (tuple(data),)
        shapes = data[len(tensors) :]
        sound = len(tensors) in (0, 2) and len(shapes) < 2 and all(isinstance(one, tuple | list) for one in shapes)
        if not sound or data[: len(tensors)] != (*tensors,):
            raise TypeError(
                f"new() received an invalid combination of arguments - got ({', '.join(type(one).__name__ for one in data)})"
            )
        if tensors and tensors[0].dtype is not dtypes.int64:
            raise RuntimeError("indices must be an int64 tensor")
        before, now = FORMS[len(data)]
        warn_once(f"torch.sparse.SparseTensor({before}) is deprecated.  Please use torch.sparse_coo_tensor({now}).", outside())
        if not tensors:
            return sparse_coo_tensor(size=tuple(shapes[0]) if shapes else (0,), dtype=self.dtype)
        # The values keep their own dtype, as in PyTorch.
        return sparse_coo_tensor(*tensors, *map(tuple, shapes))

    def __instancecheck__(self, thing: Any) -> bool:
        return isinstance(thing, Tensor) and thing.is_sparse and thing.dtype is self.dtype


SPARSE = {name: SparseTensorType(d) for d, name in dtypes.LEGACY_NAMES.items() if name in NAMES}
"""They by name."""
