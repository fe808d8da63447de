"""Memory: tensors of given strides, and tensors that change their size in place."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...bounded_strides import strided
from ...dtypes import dtype as Dtype
from ...memory_layout import empty, in_format, suggested
from ...op.declare import function
from ...op.layouts import watch
from ...tensor import Tensor, constant
from ...tensor_attributes import preserve_format
from ..creation.factories import METHODS, _numpy_dtype, creation, positive
from ..shape.dimensions import sizes
from .strides import _memory


def _laid_out(size: tuple[int, ...], stride: tuple[int, ...], dtype: Any) -> Any:
    """Zeros with the given strides, in elements."""
    if len(size) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    last = sum((n - 1) * s for n, s in zip(size, stride)) if prod(size) else -1
    memory = np.zeros(last + 1, dtype)
    return strided(memory, size, [s * memory.itemsize for s in stride])


@creation(traits="uninitialized")
def empty_strided(size: Any, stride: Any, *, dtype: Dtype | None = None) -> Tensor:
    """A tensor of the given strides whose elements are of no account (zeros here)."""
    return constant(_laid_out(positive(sizes((size,))), sizes((stride,)), _numpy_dtype(dtype)))


@creation(traits="uninitialized")
def empty_permuted(size: Any, physical_layout: Any, *, dtype: Dtype | None = None) -> Tensor:
    """A tensor whose dimensions stand in memory in the given order, its elements of no account (zeros here)."""
    shape, order = positive(sizes((size,))), tuple(physical_layout)
    if len(shape) != len(order):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(shape)} is not equal to len(physical_layout) = {len(order)}"
        )
    if len(set(order)) < len(order):
        raise RuntimeError("Duplicate dim not allowed")
    return constant(np.zeros([shape[d] for d in order], _numpy_dtype(dtype)).transpose(np.argsort(order)))


def new_empty_strided(self: Tensor, size: Any, stride: Any, *, dtype: Dtype | None = None, **named: Any) -> Tensor:
    """A tensor of the given strides and of this one's dtype, its elements of no account (zeros here)."""
    return empty_strided(size, stride, dtype=dtype or self.dtype, **named)


def resize_(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Change the shape in place; as many elements as fit are kept."""
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    shape = positive(sizes(size))
    old, n = self._array, prod(shape)
    if memory_format is preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    if memory_format is not None:
        return _restrided(self, shape, in_format(shape, memory_format))
    if shape == old.shape:
        return self
    if old.flags.c_contiguous and n <= old.size:
        self._array = old.reshape(-1)[:n].reshape(shape)
        return self
    memory = np.zeros(n, old.dtype)
    memory[: old.size] = old.reshape(-1)[:n]
    self._array = memory.reshape(shape)
    return self


def _restrided(self: Tensor, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
    """The elements in the order in which they stand in memory, as many as fit, with other sizes and strides without gaps."""
    made = empty(shape, strides, self._array.dtype)
    made[...] = 0
    memory, kept = _memory(made)[0], _memory(self._array)[0]
    memory[: kept.size] = kept[: memory.size]
    self._array = made
    watch()
    return self


METHODS |= {"new_empty_strided": new_empty_strided, "resize_": resize_}


@function
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Change the shape in place to that of another tensor."""
    like = the_template._array
    if memory_format is preserve_format:
        memory_format = suggested(like)
    return resize_(input, like.shape, memory_format=memory_format)
