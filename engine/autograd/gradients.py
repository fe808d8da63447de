"""Gradients, as arrays or recorded tensors: fitted to what they belong to, copied, and added to a leaf's `.grad`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..context import context
from ..dtypes import OF_NUMPY
from ..memory_layout import copied as copied_to
from ..memory_layout import is_dense, row_by_row, strides_of
from ..stand_ins import StandIn
from ..tensor import Tensor, constant
from .node import Node
from .primitives import primitives
from .saved_variable import Counter

_ARRAYS = (np.ndarray, np.generic)
"""What is no tensor: NumPy's arrays, and its numbers."""


def meta(node: Node, number: int) -> tuple[Any, Any]:
    """The shape and the dtype of what a gradient is the gradient of."""
    return node.shape[number] if node.several else (node.shape, node.dtype)


def fit(g: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """The gradient in the shape and dtype of what it is the gradient of: summed over axes that were broadcast."""
    if g.__class__ is np.ndarray or isinstance(g, _ARRAYS):
        if g.shape != shape:
            g = reduce_to(np.asarray(g), shape)
        return g if g.dtype is dtype else cast(g, dtype)
    if tuple(g._array.shape) != shape:
        g = g.sum_to_size(*shape)
    if g._array.dtype is dtype:
        return g
    if g._array.dtype.kind == "c" and dtype.kind != "c":
        g = g.real
    return g.to(OF_NUMPY[dtype])


def cast(g: Any, dtype: Any) -> Any:
    """The gradient in another dtype; for a real number that went into complex ones, its real part."""
    return (g.real if g.dtype.kind == "c" and dtype.kind != "c" else g).astype(dtype)


def reduce_to(grad: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: sum an array over the axes along which `shape` was repeated."""
    if grad.dtype.kind == "V":
        # Numbers of bfloat16 are added up in float32.
        return np.asarray(reduce_to(grad.astype(np.float32), shape)).astype(grad.dtype)
    if grad.__class__ is np.ndarray and grad.shape[1:] == shape:
        return np.add.reduce(grad, 0)
    grad = np.asarray(grad)
    extra = grad.ndim - len(shape)
    if extra < 0:
        return np.broadcast_to(grad, shape)
    if extra:
        grad = np.add.reduce(grad, axis=tuple(range(extra)))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and grad.shape[i] != 1)
    return np.add.reduce(grad, axis=axes, keepdims=True) if axes else grad


def add_to_leaf(leaf: Tensor, g: Any, owned: bool = False) -> None:
    """Add an array to a leaf's `.grad`: in place, so that a program that holds the gradient sees it grow. An array that is
    not shared (`owned`) becomes the gradient itself. A leaf that requires grad no more gets nothing."""
    if not leaf._needs:
        return
    have = leaf._grad
    if (
        (g.__class__ is not np.ndarray and isinstance(g, StandIn))  # NumPy's numbers are no arrays, either
        or leaf._array.__class__ is not np.ndarray
        or (have is not None and have._array.__class__ is not np.ndarray)
    ):
        from ..stand_ins.gradients import add_to

        add_to(leaf, g)
        return
    if have is None:
        if not leaf._array.flags.c_contiguous or context.layouts is not None:
            # Where the leaf's elements stand close together in another order, so do the gradient's.
            leaf._grad = constant(copied_to(np.asarray(g), leaf_strides(leaf._array)))
            return
        own = owned and g.__class__ is np.ndarray and g.base is None and g.flags.c_contiguous
        leaf._grad = constant(g if own else np.array(g, order="C"))
    else:
        np.add(have._array, g, out=have._array)
        if have._counter is None:
            have._counter = Counter()
        have._counter.value += 1


def copy_of(g: Any) -> Any:
    """A copy of a recorded gradient, to become a leaf's: it may be part of another graph."""
    return primitives.copy_(primitives.empty_like(g), g) if g.requires_grad else g


def copied(g: Any) -> Any:
    """An array of its own: gradients on their way may share memory with saved tensors or with each other."""
    return g.copy() if isinstance(g, StandIn) else np.array(g) if g.__class__ is np.ndarray or isinstance(g, np.generic) else g


def leaf_strides(array: Any) -> tuple[int, ...]:
    """The strides of a leaf's gradient: the leaf's if its elements stand close together, else those row by row."""
    strides = strides_of(array)
    return strides if is_dense(array.shape, strides) else row_by_row(array.shape)
