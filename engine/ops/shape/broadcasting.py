"""Repeating along dimensions of length one, and the sums that undo it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...bounded_strides import strided
from ...op.declare import function, op
from ...tensor import Tensor
from .dimensions import sizes
from .reshaping import _reshape


@op(r"\sum {self}", self=lambda grad, self_sym_sizes: spread(grad, self_sym_sizes), node="SumBackward1", name="sum")
def _sum_axes(self, axes, keepdim):
    """Sum over `axes`."""
    return np.add.reduce(self, axis=axes, keepdims=keepdim)


@op(r"\mathrm{{expand}}({self})", self=lambda grad, self_sym_sizes: sum_to(grad, self_sym_sizes), node="ExpandBackward0")
def spread(self, shape):
    """`self`, whose missing dimensions are in front, repeated to `shape`; not a view."""
    out = np.empty(shape, self.dtype)
    out[...] = self
    return out


def sum_to(grad, shape):
    """Sum `grad` over the dimensions along which `shape` was expanded."""
    if tuple(grad.shape) == tuple(shape):
        return grad
    extra = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < extra or (shape[i - extra] == 1 and grad.shape[i] != 1))
    return _reshape(_sum_axes(grad, axes, True), tuple(shape))


@function
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """Sum the tensor to `size`, undoing a broadcast."""
    target, shape = sizes(size), input._array.shape
    tail = shape[len(shape) - len(target) :] if len(target) <= len(shape) else ()
    if len(tail) != len(target) or any([t not in (1, n) for t, n in zip(target, tail)]):
        raise RuntimeError(f"size {{{list(target)}}} is not expandable to size {{{list(shape)}}}.")
    return sum_to(input, target)


@op(
    r"\mathrm{{expand}}({self})",
    traits="same_values",
    view=True,
    self=lambda grad, self_sym_sizes: sum_to(grad, self_sym_sizes),
    node="ExpandBackward0",
    name="expand",
)
def _expand(self, shape):
    """Repeated to `shape` without copying."""
    if self.__class__ is not np.ndarray:
        view = np.broadcast_to(self, shape)
        return strided(self, view.shape, view.strides)
    lead = len(shape) - self.ndim
    strides = [step if n == m else 0 for n, m, step in zip(self.shape, shape[lead:], self.strides)]
    for d in range(lead - 1, -1, -1):
        behind = shape[d + 1] * strides[0] if self.ndim else 0
        strides.insert(0, behind if shape[d] == 1 else 0)
    return strided(self, shape, strides)


@function(traits="sized")
def expand(input: Tensor, *size: Any) -> Tensor:
    """A view repeated along dimensions of length one; -1 keeps a length.

    Raises:
        RuntimeError: if a length other than one would have to change.
    """
    target = sizes(size)
    shape = input._array.shape
    extra = len(target) - len(shape)
    if extra < 0:
        raise RuntimeError(
            f"expand({_type_name(input)}{{{list(shape)}}}, size={list(target)}): the number of sizes provided "
            f"({len(target)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    result = []
    for i, n in reversed(list(enumerate(target))):
        have = shape[i - extra] if i >= extra else 1
        if n == -1:
            if i < extra:
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {i}"
                )
            n = have
        if have not in (1, n):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({have}) at non-singleton dimension {i}."
                f"  Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
            )
        result.append(n)
    return _expand(input, tuple(reversed(result)))


@function
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.expand(other.size())`."""
    return expand(input, other.shape)


@function
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """`input.expand(size)`."""
    return expand(input, size)


def _type_name(tensor: Tensor) -> str:
    return f"torch.{tensor.type().split('.')[-1]}"
