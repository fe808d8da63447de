"""What a tensor is: questions with an answer that is no tensor; and the small methods around memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import dtypes
from ...dtypes import dtype
from ...op.declare import function
from ...tensor import Tensor, constant


@function
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floating point numbers."""
    return input.is_floating_point()


@function
def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers."""
    return input.is_complex()


@function
def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative values."""
    return input.is_signed()


@function
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero."""
    if input._array.size != 1:
        what = "no values" if input._array.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
    return bool(input._array.item())


@function
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one shape."""
    return input._array.shape == other._array.shape


@function
def is_inference(input: Tensor) -> bool:
    """Whether the tensor was made in inference mode."""
    return input.is_inference()


@function
def is_neg(input: Tensor) -> bool:
    """Always False: no sign is left to those who read the elements."""
    return False


@function
def ndimension(input: Tensor) -> int:
    """How many dimensions."""
    return input._array.ndim


@function
def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether results of one dtype may be stored in another in place."""
    return dtypes.can_cast(from_, to)


@function
def is_set_to(input: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors are the same part of the same memory."""
    a, b = input._array, tensor._array
    return a.shape == b.shape and a.strides == b.strides and input.data_ptr() == tensor.data_ptr()


@function
def is_pinned(input: Tensor, device: Any = None) -> bool:
    """Always False."""
    return False


@function
def pin_memory(input: Tensor, device: Any = None) -> Tensor:
    """Refused: there is no device that memory could be pinned for.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("Cannot access accelerator device when none is available.")


@function
def is_shared(input: Tensor) -> bool:
    """Always False."""
    return False


@function
def share_memory_(input: Tensor) -> Tensor:
    """The tensor itself: there are no other processes."""
    return input


@function
def apply_(input: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replace each element by what a function makes of it."""
    if input.requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.")
    for k in np.ndindex(input._array.shape):
        input._array[k] = callable(input._array[k].item())
    return input


@function
def map_(input: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replace each element by what a function makes of it and another tensor's."""
    if input.requires_grad:
        raise RuntimeError("Can't call map_() on Variable that requires grad. Use var.detach().map_() instead.")
    other = np.broadcast_to(tensor._array, input._array.shape)
    for k in np.ndindex(input._array.shape):
        input._array[k] = callable(input._array[k].item(), other[k].item())
    return input


@function
def fill_diagonal_(input: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Set the main diagonal to a number; with `wrap`, that of each square block of a tall matrix."""
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    rows = np.arange(min(shape))
    if wrap and len(shape) == 2 and shape[0] > shape[1]:
        # A row is left free between blocks.
        rows = np.array([row for row in range(shape[0]) if row % (shape[1] + 1) < shape[1]])
    column = constant(rows % (shape[1] + 1) if wrap and len(shape) == 2 else rows)
    input[(constant(rows), *[column] * (len(shape) - 1))] = fill_value
    return input


@function
def method_cuda(input: Tensor, *_: Any, **__: Any) -> Tensor:
    """Refuse: there is no CUDA.

    Raises:
        AssertionError: always.
    """
    from ...cuda import NOT_COMPILED

    raise AssertionError(NOT_COMPILED)
