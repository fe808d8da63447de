"""Levels: each use of a transform differentiates with respect to tensors of its own.

A transform gives the function new tensors in place of its inputs. An input that takes part in differentiation further out (of
an enclosing transform, or by `backward`) is replaced by a view of it, so that derivatives reach it; any other by a leaf. What
the transform returns must not look as if it depended on those leaves once it is over: a result that leads to no other leaf is
detached. Within `no_grad` nothing further out is tracked, but the transform itself differentiates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.node import AccumulateGrad
from ..autograd.passes import grad
from ..context import context
from ..tensor import Tensor, constant, gradient_edge

SPENT = "_func_spent"
"""What a transform notes on its own leaves: whether it is over."""


class Level:
    """One use of a transform, made before it switches gradients on."""

    def __init__(self) -> None:
        self.outer = context.grad
        self.own: list[Tensor] = []

    def fresh(self, x: Any) -> Any:
        """A new tensor in place of the input `x`."""
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if self.outer and x.requires_grad:
            view: Any = x
            return view.view_as(x)
        return self.leaf(x._array if x._counter is None else x._array.view())

    def leaf(self, array: Any) -> Tensor:
        """A leaf of this level around `array`."""
        made = constant(array).requires_grad_()
        made.__dict__[SPENT] = False
        self.own.append(made)
        return made

    def close(self) -> None:
        """From now on the level's leaves do not count."""
        for leaf in self.own:
            leaf.__dict__[SPENT] = True

    def released(self, x: Any) -> Any:
        """The result `x` as it looks from outside the (closed) level."""
        if not isinstance(x, Tensor) or not x.requires_grad or (self.outer and self.lives(x)):
            return x
        result: Any = x
        return result.detach()

    @staticmethod
    def lives(tensor: Tensor) -> bool:
        """Whether the graph leads from `tensor` to a leaf other than those of transforms that are over."""
        waiting = [gradient_edge(tensor)[0]]
        seen = set()
        while waiting:
            node = waiting.pop()
            if node is None or id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, AccumulateGrad) and not node.variable.__dict__.get(SPENT, False):
                return True
            waiting += [edge[0] for edge in node.edges or ()]
        return False


def gradients(
    outputs: list[Tensor], inputs: list[Tensor], vectors: list[Tensor] | None, create_graph: bool = True
) -> list[Tensor]:
    """The vector–Jacobian product, zero where there is no dependence."""
    given: Sequence[Any] = [None] * len(outputs) if vectors is None else vectors
    pairs = [(o, v) for o, v in zip(outputs, given, strict=True) if o.requires_grad]
    found: tuple[Any, ...] = (None,) * len(inputs)
    if pairs:
        roots, weights = zip(*pairs)
        found = grad(roots, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True)
    return [constant(np.zeros_like(t._array)) if g is None else g for g, t in zip(found, inputs, strict=True)]
