"""Types of tensors as PyTorch had them before dtypes: `torch.FloatTensor`, `x.type(torch.LongTensor)`, `x.new(...)`."""

from __future__ import annotations

import warnings
from operator import index
from typing import Any, Union

import numpy as np

from ... import dtypes
from ...compat.signatures import invalid_combination
from ...context import context, outside
from ...cuda import NOT_COMPILED, not_loaded
from ...dtypes import dtype as Dtype
from ...op.declare import CREATED, function
from ...tensor import Tensor, constant, given_as
from ...tensor_attributes import Size, device, layout, strided
from ..shape.reshaping import alias
from .conversions import to
from .factories import as_array, positive


class TensorType:
    """A type of tensors, by their dtype and where they live: called, it makes one of data or of a shape."""

    def __init__(self, dtype: Dtype, where: str = "cpu") -> None:
        self.dtype = dtype
        self.layout: layout = strided
        self.is_cuda = where == "cuda"
        self.is_sparse = False
        self.__name__ = self.__qualname__ = dtypes.LEGACY_NAMES[dtype]
        self.__module__ = "torch" if where == "cpu" else f"torch.{where}"
        self.__doc__ = f"A tensor of dtype {dtype.name}: of data, or of a shape."

    def __call__(self, *given: Any, **named: Any) -> Tensor:
        if self.is_cuda:
            raise TypeError(f"type {self.__module__}.{self.__name__} not available. {NOT_COMPILED}.")
        device = named.pop("device", None)
        return _new(self.dtype, given_as(given, **named), device)

    def __instancecheck__(self, thing: Any) -> bool:
        return isinstance(thing, Tensor) and thing.dtype is self.dtype and not self.is_cuda

    def __or__(self, other: Any) -> Any:
        return Union[self, other]  # noqa: UP007  (it is no class)

    def __ror__(self, other: Any) -> Any:
        return Union[other, self]  # noqa: UP007

    def __repr__(self) -> str:
        return f"<class '{self.__module__}.{self.__name__}'>"


TensorType.__name__ = TensorType.__qualname__ = "tensortype"
TensorType.__module__ = "torch"

LEGACY = {name: TensorType(d) for d, name in dtypes.LEGACY_NAMES.items()}
"""Those of the CPU, by name."""
CUDA = {name: TensorType(d, "cuda") for d, name in dtypes.LEGACY_NAMES.items()}
"""Those of a GPU, which programs name in branches that they do not take."""


def _new(dtype: Dtype, data: tuple[Any, ...], device: Any) -> Tensor:
    """What such a type makes of its arguments."""
    on_the_cpu(device)
    if len(data) == 1 and isinstance(data[0], Tensor):
        if data[0].dtype is not dtype:
            raise TypeError(f"expected {_options(dtype)} (got {_options(data[0].dtype)})")
        return alias(data[0])
    made = constant(legacy_array(data).astype(dtype._numpy, copy=False))
    if context.observer is not None:
        context.observer.op(CREATED["Tensor"], data, made, None)
    return made


def on_the_cpu(where: Any) -> None:
    """Refuse, in the words of these types, any device but the CPU."""
    if where is not None and device(where).type != "cpu":
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {device(where).type} was passed")


def legacy_array(data: tuple[Any, ...]) -> Any:
    """Data, or zeros of a shape that is given as numbers or as a `Size`."""
    if data and (isinstance(data[0], bool) or (len(data) == 1 and not isinstance(data[0], int | np.integer))):
        values = data[0]
        if isinstance(values, Size):
            return np.zeros(positive(values))
        if isinstance(values, str):
            raise TypeError("new(): invalid data type 'str'")
        sequence = isinstance(values, np.ndarray) or (hasattr(values, "__getitem__") and hasattr(values, "__len__"))
        if isinstance(values, dict) or not sequence:
            raise TypeError(f"new(): data must be a sequence (got {type(values).__name__})")
        return np.array(as_array(values, dtypes.float64))
    lengths = []
    for position, length in enumerate(data, 1):
        try:
            lengths.append(index(length))
        except TypeError:
            if position == 1:
                raise invalid_combination("new", *data) from None
            raise TypeError(
                f"new(): argument 'size' failed to unpack the object at pos {position} with error \"type must be tuple of "
                f'ints,but got {type(length).__name__}"'
            ) from None
    return np.zeros(positive(tuple(lengths)) if data else (0,))


def _options(d: Dtype) -> str:
    return (
        f"TensorOptions(dtype={dtypes.CPP_NAMES[d]}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


@function
def method_type(input: Tensor, dtype: Any = None, non_blocking: bool = False, **_: Any) -> Any:
    """The legacy type name ("torch.FloatTensor"), or the tensor converted to a dtype or a type of tensors."""
    if dtype is None:
        above = "torch.meta" if input.is_meta else "torch.sparse" if input.is_sparse else "torch"
        return f"{above}.{dtypes.LEGACY_NAMES[input.dtype]}"
    if isinstance(dtype, Dtype):
        return to(input, dtype)
    if dtype is Tensor:
        return to(input, dtypes.get_default_dtype())
    if isinstance(dtype, str):
        dtype = named_type(dtype)
    if not isinstance(dtype, TensorType):
        raise TypeError("dtype must be a type, str, or dtype object")
    if dtype.is_cuda:
        raise not_loaded("initialize CUDA")
    return to(input, dtype.dtype)


def named_type(name: str) -> TensorType:
    """The type that PyTorch calls so.

    Raises:
        ValueError: if there is none.
    """
    *above, last = name.split(".")
    found = {("torch",): LEGACY, ("torch", "cuda"): CUDA}.get(tuple(above), {}).get(last)
    if found is None:
        raise ValueError(f"invalid type: '{name}'")
    return found


def set_default_tensor_type(t: Any) -> None:
    """Set the default dtype by a type of tensors; deprecated in favour of `set_default_dtype`."""
    warnings.warn(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives.",
        UserWarning,
        stacklevel=outside(),
    )
    kind = named_type(t) if isinstance(t, str) else t
    if not isinstance(kind, TensorType):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    if kind.is_cuda:
        raise TypeError(f"type {kind.__module__}.{kind.__name__} not available. {NOT_COMPILED}.")
    dtypes.set_default_dtype(kind.dtype)


@function
def method_new(input: Tensor, *given: Any, size: Any = None, data: Any = None, other: Any = None, device: Any = None) -> Tensor:
    """A tensor of this one's dtype: of data, of a shape, or empty."""
    return _new(input.dtype, given_as(given, size, data, other), device)
