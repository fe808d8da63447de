"""Nodes that compute nothing: one lets no gradient through, the other refuses to be differentiated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..context import context
from ..dtypes import INEXACT
from ..tensor import Tensor, constant, gradient_edge
from .node import Node


class UndefinedGrad(Node):
    """A node that lets no gradient through: what is below gets None."""

    __slots__ = ()

    def apply_arrays(self, grad: Any) -> tuple[Any, ...]:
        """Nothing."""
        return (None,)

    apply_tensors = apply_arrays


def undefined(tensor: Tensor) -> Tensor:
    """The tensor as the result of a node that lets no gradient through."""
    node = object.__new__(UndefinedGrad)
    node.edges = (gradient_edge(tensor),)
    node._saved, node.versions, node._extra = (), None, None
    node.shape, node.dtype = tensor._array.shape, tensor._array.dtype
    context.sequence += 1
    node.sequence = context.sequence
    out = constant(tensor._array)
    out._node, out._needs = node, True
    return out


class Error(Node):
    """A node that refuses to be differentiated, with a message."""

    __slots__ = ("message",)
    message: str
    keeps = False
    several = True

    @staticmethod
    def of(message: str, values: Sequence[Tensor | None], inputs: Sequence[Tensor | None] | None = None) -> tuple[Any, ...]:
        """`values` as results of such a node, whose edges lead to `inputs`, or else to leaves of its own."""
        if inputs is None:
            inputs = [v if v is None else constant(v._array).requires_grad_(v._array.dtype.kind in INEXACT) for v in values]
        node = object.__new__(Error)
        node.edges = tuple((None, 0) if t is None else gradient_edge(t) for t in inputs)
        node._saved, node.versions, node._extra = (), None, None
        node.shape = tuple(((), None) if v is None else (v._array.shape, v._array.dtype) for v in values)
        node.dtype = None
        node.message = message
        context.sequence += 1
        node.sequence = context.sequence
        outs = [v if v is None else constant(v._array) for v in values]
        for k, out in enumerate(outs):
            if out is not None:
                out._node, out._nr, out._needs = node, k, True
        return tuple(outs)

    def apply_arrays(self, grad: Any) -> tuple[Any, ...]:
        """Refuse."""
        raise RuntimeError(self.message)

    def apply_tensors(self, grad: Any) -> tuple[Any, ...]:
        """Refuse."""
        raise RuntimeError(self.message)
