"""What is written may share memory with itself, or with what is read: what PyTorch refuses, and what it warns of.

As PyTorch does, only tensors that are each all of one piece of memory are compared; of others nothing is said.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...context import outside
from ...op.declare import Op
from ...tensor import Tensor

_CLONE = "Please clone() the tensor before performing the operation."
_ITSELF = f"unsupported operation: more than one element of the written-to tensor refers to a single memory location. {_CLONE}"
_OTHERS = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
    f"{_CLONE}"
)


def repeats(array: Any) -> bool:
    """Whether several elements are one in memory, as those of an expanded tensor are."""
    return (
        array.__class__ is np.ndarray
        and 0 in array.strides
        and array.size > 0
        and any(n > 1 and step == 0 for n, step in zip(array.shape, array.strides, strict=True))
    )


def _dense(array: Any) -> bool:
    """Whether an array is all of a piece of memory, its dimensions in whatever order."""
    if array.flags.forc:
        return True
    expected = array.itemsize
    for step, n in sorted(zip(array.strides, array.shape, strict=True)):
        if n != 1:
            if step != expected:
                return False
            expected *= n
    return True


def _address(array: Any) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def shares(target: Any, array: Any, whole: bool = False) -> bool:
    """Whether an array that is read shares memory with the one that is written, so that it is refused.

    Args:
        whole: whether it is refused where both are the very same elements, too.
    """
    if target.__class__ is not np.ndarray or array.__class__ is not np.ndarray or not np.may_share_memory(target, array):
        return False
    if not target.size or not array.size or not _dense(target) or not _dense(array):
        return False
    same = target.nbytes == array.nbytes and target.strides == array.strides and _address(target) == _address(array)
    return whole or not same


def check_inputs(target: Tensor, declared_traits: set[str], values: Iterable[Any]) -> None:
    """Refuse to write where what is read shares memory with it.

    Args:
        declared_traits: those of the operation, which say what it may share.
        values: the arguments beside the tensor that is written; what is no tensor is left alone.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if "reads_first" in declared_traits:
        return
    whole = "apart" in declared_traits
    for value in values:
        if isinstance(value, Tensor):
            if shares(target._array, value._array, whole):
                raise RuntimeError(_OTHERS)
        elif isinstance(value, tuple | list):
            check_inputs(target, declared_traits, value)


def check_alone(target: Tensor) -> None:
    """Refuse to write each element by itself where some are one in memory.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if repeats(target._array):
        raise RuntimeError(_ITSELF)


def put(target: Any, source: Any, declared: Op) -> None:
    """Write the elements of one array into another of the same shape; of an operation that may write into an expanded one,
    those that it has changed, one after another.

    Raises:
        RuntimeError: where the operation may not write elements that are one in memory.
    """
    if not repeats(target):
        np.copyto(target, source, casting="unsafe")
        return
    traits = declared.traits
    if "overlapping" not in traits:
        raise RuntimeError(_ITSELF)
    if traits & {"joins", "masks"}:
        by = "indices] = tensor" if "joins" in traits else "mask] = scalar"
        warnings.warn(
            f"Use of {declared.name}_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            f"operation. This also applies to advanced indexing e.g. tensor[{by}",
            stacklevel=outside(),
        )
    np.copyto(target, source, casting="unsafe", where=source != target)


def summed(array: Any, result: Any) -> Any:
    """What an expanded array becomes where all that was added to each of its elements is added to the one that they share."""
    shared = tuple([d for d, (n, step) in enumerate(zip(array.shape, array.strides, strict=True)) if n > 1 and step == 0])
    return array + (result - array).sum(shared, keepdims=True, dtype=array.dtype)


def check_out(target: Tensor, declared_traits: set[str], in_place: bool, values: list[Any]) -> None:
    """Refuse to write where `out` says, if what is read shares memory with it.

    Args:
        in_place: whether the function can write into its first argument, which `out` may be.
        values: all arguments.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if "overlapping" in declared_traits or not (in_place or declared_traits & {"elementwise", "apart"}):
        return
    if in_place:
        check_inputs(target, set(), values[:1])
    check_inputs(target, declared_traits, values[1:] if in_place else values)
