"""Conversions: of what is no tensor, of dtype, and of device, which do nothing here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import dtypes
from ...compat.signatures import invalid_combination, several, written
from ...context import context, outside, warn_once
from ...dtypes import dtype as Dtype
from ...memory_layout import suggested
from ...op.declare import function, op
from ...op.layouts import in_memory
from ...tensor import Tensor
from ...tensor_attributes import layout, preserve_format
from .factories import METHODS, _as_tensor, meta, on_meta


@op(
    r"{self}",
    traits="same_values casts",
    self=lambda grad, self_dtype: _to_copy(grad, self_dtype, self_dtype),
    node="ToCopyBackward0",
    name="to",
    shows={"self_dtype": None},
    layout="own",
)
def _to_copy(self, dtype, self_dtype, memory_format=None):
    """The elements in another dtype, or in another order in memory."""
    return converted(self, dtype._numpy, memory_format)


@op(r"{self}", self=None, name="to", layout="own")
def _to_integer(self, dtype, memory_format=None):
    """The elements in an integer or bool dtype: no gradient."""
    return converted(self, dtype._numpy, memory_format)


@op(r"{self}", traits="same_values casts", self=lambda grad: grad, node="ToCopyBackward0", name="to")
def _to_meta(self, dtype):
    """The shape alone, on the meta device."""
    return meta(self.shape, dtype._numpy)._array


def converted(array, dtype, memory_format=None):
    """A copy of the array in a dtype and a memory format; of complex numbers, where they become real ones, the real parts."""
    if array.dtype.kind == "c" and dtype.kind not in "cb":
        array = array.real
    if memory_format is None and context.layouts is None:
        return array.astype(dtype)
    return in_memory(array, memory_format, dtype)


CONVERSIONS = tuple(several(written()["torch.Tensor"]["to"])[1:])
"""The forms in which PyTorch's errors name the arguments of `to`."""
DISCARDED = "Casting complex values to real discards the imaginary part"


@function
def to(
    input: Tensor,
    *args: Any,
    dtype: Dtype | None = None,
    device: Any = None,
    copy: bool = False,
    memory_format: Any = None,
    **_: Any,
) -> Tensor:
    """The tensor in another dtype or memory format; itself if it has them already and `copy` is not asked for."""
    dtype = dtypes.PYTHON.get(dtype, dtype)
    for a in args:
        if isinstance(a, Dtype):
            dtype = a
        elif a.__class__ is type and a in dtypes.PYTHON:
            dtype = dtypes.PYTHON[a]
        elif isinstance(a, Tensor):
            dtype, device = a.dtype, a.device
        elif isinstance(a, bool):
            continue
        elif isinstance(a, layout):
            raise invalid_combination("to", *args, signatures=CONVERSIONS)
        else:
            device = a
    if device is not None and on_meta(device) is not input.is_meta:
        if input.is_meta:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return _to_meta(input, dtype or input.dtype)
    if dtype is None or dtype is input.dtype:
        if memory_format is not None and memory_format not in (preserve_format, suggested(input._array)):
            dtype = input.dtype
        else:
            from .copies import clone

            return clone(input, memory_format=memory_format) if copy else input
    if input._array.dtype.kind == "c" and not dtype.is_complex and dtype is not dtypes.bool8:
        warn_once(DISCARDED, outside())
    if not (dtype.is_floating_point or dtype.is_complex):
        return _to_integer(input, dtype, memory_format)
    return _to_copy(input, dtype, input.dtype, memory_format)


@function
def as_tensor(data: Any, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """`data` as a tensor: itself if it is one already, sharing memory with an array of the right dtype."""
    if isinstance(data, Tensor):
        return data if dtype is None else to(data, dtype)
    return _as_tensor(data, dtype=dtype, device=device)


asarray = as_tensor


def _conversion(name: str, target: Dtype) -> Callable[[Tensor], Tensor]:
    def convert(self: Tensor, memory_format: Any = None) -> Tensor:
        return to(self, target, memory_format=memory_format)

    convert.__name__, convert.__doc__ = name, f"The tensor as torch.{target.name}."
    return convert


METHODS |= {
    name: _conversion(name, d)
    for name, d in {
        "double": dtypes.float64, "float": dtypes.float32, "half": dtypes.float16, "long": dtypes.int64,
        "int": dtypes.int32, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool8,
        "bfloat16": dtypes.bfloat16, "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
    }.items()
}  # fmt: skip


def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself, unless another memory format is named, or it is on the meta device: then there is nothing to copy."""
    return to(self, device="cpu", memory_format=memory_format)


METHODS["cpu"] = cpu


def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype of `other`."""
    return to(input, other.dtype)


METHODS["type_as"] = type_as
