"""Tensors in checkpoints: the memory they look into, and how they are made of it again, never beside it."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from pickle import UnpicklingError
from typing import Any

import numpy as np

from .. import dtypes
from ..bounded_strides import owner, row, strided
from ..dtypes import dtype as Dtype  # noqa: N812
from ..errors import Unsupported
from ..nn.parameter import Parameter
from ..op.layouts import watch
from ..ops.memory.storages import Storage, TypedStorage, UntypedStorage
from ..safe_attributes import is_special
from ..tensor import Tensor, constant, fill, new

STORAGES = {
    "DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "LongStorage": "int64",
    "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8", "ByteStorage": "uint8", "BoolStorage": "bool",
    "BFloat16Storage": "bfloat16", "ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128",
}  # fmt: skip
"""PyTorch's classes of memory, and the names of their dtypes."""
KINDS = {name: kind for kind, name in STORAGES.items()}
NO_DTYPES = (
    "bfloat16", "complex32", "complex64", "complex128", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2",
    "float8_e4m3fnuz", "float8_e5m2fnuz", "quint8", "qint8", "qint32",
)  # fmt: skip
"""Dtypes of PyTorch's that a checkpoint may name; those that the engine has are found first."""


@dataclass(frozen=True, slots=True)
class StorageType:
    """What a checkpoint names as the class of a tensor's memory."""

    dtype: Dtype

    def __str__(self) -> str:
        return f"StorageType(dtype={self.dtype})"


def dtype_named(name: str) -> Dtype | None:
    """The engine's dtype of that name, without `torch.`."""
    return next((d for d in dtypes.ALL if d.name == name), None)


def lacking(name: str) -> Unsupported:
    """The error for a dtype that PyTorch has and the engine has not."""
    return Unsupported(
        f"The checkpoint holds a tensor of torch.{name}, which Gradtape does not have. Convert it where it was made: "
        "x.float(), or x.long()."
    )


# --- writing ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory that a tensor looks into, to be written once."""

    array: Any
    """All of it, as a row of elements."""
    typed: bool = True

    @property
    def dtype(self) -> Dtype:
        """The data type of the elements."""
        return dtypes.OF_NUMPY[self.array.dtype]

    @property
    def address(self) -> int:
        """Where it begins."""
        return int(self.array.__array_interface__["data"][0])

    @property
    def bytes(self) -> memoryview:
        """What stands in it."""
        return memoryview(self.array.view(np.uint8))


def described(tensor: Tensor) -> tuple[Memory, int, tuple[int, ...], tuple[int, ...]]:
    """The memory behind a tensor, and where its elements stand in it: offset, sizes and strides in elements."""
    array = tensor._array
    if tensor.is_meta or tensor.is_sparse:
        kind = "sparse tensors" if tensor.is_sparse else "tensors on the meta device"
        raise NotImplementedError(f"{kind} cannot be saved by Gradtape; save what they are made of")
    root = owner(array)
    flat = row(root)
    if flat is not None and flat.dtype != array.dtype:
        flat = flat.view(array.dtype) if flat.nbytes % array.itemsize == 0 else None
    if flat is None or min(array.strides, default=0) < 0 or any(s % array.itemsize for s in array.strides):
        flat = np.ascontiguousarray(array).reshape(-1)
        array = flat.reshape(array.shape)
    begin = array.__array_interface__["data"][0] - flat.__array_interface__["data"][0] if array.size else 0
    strides = tuple(s // array.itemsize for s in array.strides) if array.size else _steps(array.shape)
    return Memory(flat), begin // array.itemsize, tuple(array.shape), strides


def _steps(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a tensor without gaps, in elements."""
    steps, step = [], 1
    for n in reversed(shape):
        steps.append(step)
        step *= max(n, 1)
    return tuple(reversed(steps))


# --- reading ----------------------------------------------------------------------------------------------------------------


def memory(data: bytes | bytearray, dtype: Dtype | None) -> Storage:
    """Memory with these bytes in it, as numbers of a dtype or, without, as bytes."""
    if dtype is None:
        return UntypedStorage(np.frombuffer(bytearray(data), np.uint8))
    return TypedStorage(np.frombuffer(bytearray(data), dtype._numpy))


def _numbers(given: Any, what: str) -> tuple[int, ...]:
    """Sizes or strides.

    Raises:
        UnpicklingError: if they are not.
    """
    if not isinstance(given, tuple) or len(given) > 64 or not all(type(n) is int for n in tuple.__iter__(given)):
        raise UnpicklingError(f"the {what} of a tensor is not a tuple of at most 64 numbers")
    return tuple(tuple.__iter__(given))


def looking(storage: Any, offset: Any, size: Any, stride: Any, dtype: Dtype | None = None) -> Tensor:
    """A tensor that looks into memory.

    Raises:
        RuntimeError: if it would look beside it.
    """
    if type(storage) not in (TypedStorage, UntypedStorage) or type(offset) is not int:
        raise UnpicklingError("a tensor is made of memory and an offset")
    flat = storage._flat
    if dtype is not None:
        if flat.nbytes % dtype.itemsize:
            flat = flat[: flat.nbytes // dtype.itemsize * dtype.itemsize]
        flat = flat.view(dtype._numpy)
    sizes, strides = _numbers(size, "size"), _numbers(stride, "stride")
    if len(sizes) != len(strides):
        raise RuntimeError(f"mismatch in length of strides and shape: {len(strides)} and {len(sizes)}")
    if any(n < 0 for n in sizes):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(sizes)}: {list(sizes)}")
    if any(n < 0 for n in strides) or offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset} or strides {list(strides)}")
    if math.prod(max(n, 1) for n in sizes) > 2**62:
        raise RuntimeError(f"a tensor of the sizes {list(sizes)} is too large")
    if 0 in sizes:
        return constant(np.zeros(sizes, flat.dtype))
    last = offset + sum((n - 1) * s for n, s in zip(sizes, strides))
    if last >= flat.size:
        raise RuntimeError(
            f"setStorage: sizes {list(sizes)}, strides {list(strides)}, storage offset {offset}, and itemsize {flat.itemsize} "
            f"requiring a storage size of {(last + 1) * flat.itemsize} are out of bounds for storage of size {flat.nbytes}"
        )
    part = flat[offset:]
    if strides == _steps(sizes):
        return constant(part[: last + 1 - offset].reshape(sizes))
    watch()
    return constant(strided(part, sizes, [s * flat.itemsize for s in strides]))


def _requiring(tensor: Tensor, requires_grad: Any) -> Tensor:
    if type(requires_grad) is not bool:
        raise UnpicklingError("requires_grad is neither True nor False")
    if requires_grad:
        tensor.requires_grad_(True)
    return tensor


def _without(hooks: Any) -> None:
    """Hooks are in no checkpoint, only an empty dict of them."""
    if type(hooks) is not OrderedDict or hooks:
        raise UnpicklingError("a tensor with hooks cannot be read here")


def _without_bits(metadata: Any) -> None:
    if metadata is not None and not (type(metadata) is dict and not metadata):
        raise UnpicklingError("a tensor that is lazily conjugated or negated cannot be read here")


def _rebuild_tensor(storage: Any, storage_offset: Any, size: Any, stride: Any) -> Tensor:
    """A tensor, as PyTorch's oldest checkpoints have them."""
    return looking(storage, storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any, backward_hooks: Any, metadata: Any = None
) -> Tensor:
    """A tensor, as PyTorch's checkpoints have them."""
    _without(backward_hooks)
    _without_bits(metadata)
    return _requiring(looking(storage, storage_offset, size, stride), requires_grad)


def _rebuild_tensor_v3(
    storage: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    backward_hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Tensor:
    """A tensor whose dtype has no class of memory."""
    _without(backward_hooks)
    _without_bits(metadata)
    if type(dtype) is not Dtype:
        raise UnpicklingError("a tensor of that dtype cannot be read here")
    return _requiring(looking(storage, storage_offset, size, stride, dtype), requires_grad)


def _rebuild_parameter(data: Any, requires_grad: Any, backward_hooks: Any) -> Parameter:
    """A parameter."""
    if not isinstance(data, Tensor) or type(requires_grad) is not bool:
        raise UnpicklingError("a parameter is made of a tensor")
    _without(backward_hooks)
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data: Any, requires_grad: Any, backward_hooks: Any, state: Any) -> Parameter:
    """A parameter with attributes of its own."""
    made = _rebuild_parameter(data, requires_grad, backward_hooks)
    attributes(made, state)
    return made


def _rebuild_from_type_v2(function: Any, kind: Any, given: Any, state: Any) -> Tensor:
    """A tensor of a class of its own, or with attributes."""
    if not any(function is known for known in REBUILDING[:4]) or type(given) is not tuple:
        raise UnpicklingError("that is no way to make a tensor")
    made: Tensor = function(*given)
    if kind is not type(made):
        if not (isinstance(kind, type) and issubclass(kind, Tensor)):
            raise UnpicklingError("that is no class of tensors")
        needs, parameter = made._needs, issubclass(kind, Parameter)
        if parameter and type(made) is not Parameter:
            made = Parameter(made, needs)
        other = fill(new(kind), made._array)
        other._counter, other._needs = made._counter, needs
        made = other
    attributes(made, state)
    return made


def attributes(tensor: Tensor, state: Any) -> None:
    """Give a tensor the attributes that it had.

    Raises:
        UnpicklingError: for one of the engine's own, or what is no dict of attributes.
    """
    if type(state) is tuple and len(state) == 2:
        state, slots = state
        if slots is not None and not (type(slots) is dict and not slots):
            raise UnpicklingError("a tensor's slots cannot be read here")
    if state is None:
        return
    if type(state) is not dict:
        raise UnpicklingError("a tensor's attributes are no dict")
    for name, value in state.items():
        if type(name) is not str or is_special(name) or hasattr(Tensor, name):
            raise UnpicklingError(f"a tensor cannot be given the attribute {name!r}")
        tensor.__dict__[name] = value


REBUILDING = (
    _rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_parameter, _rebuild_parameter_with_state,
)  # fmt: skip
"""The functions of `torch._utils` that a checkpoint may name."""
