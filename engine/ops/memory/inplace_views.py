"""In-place methods that change how a tensor reads its memory, not what is in it: `t_`, `transpose_`, `unsqueeze_` and such."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...autograd.node import Node
from ...autograd.views import check_writable, set_history
from ...context import context, observed
from ...op.declare import Op
from ...tensor import Tensor, counter_of

INFERENCE_WRITTEN = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor "
    "before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)


def turned_by(function: Callable[..., Any]) -> int:
    """By how much the number in the node's name is higher than that of the function, which makes a view; 0 for one whose
    in-place method writes elements."""
    return int(getattr(function, "_turned", 0) or getattr(getattr(function, "_op", None), "turned", 0))


@functools.cache
def _variant(kind: type[Node], later: int) -> type[Node]:
    name = kind.__name__.rstrip("0123456789")
    number = int(kind.__name__[len(name) :]) + later
    return type(f"{name}{number}", (kind,), {"__slots__": (), "__module__": kind.__module__})


def turning(method: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The in-place method made of the function that gives a view."""
    later = turned_by(function)
    declared = getattr(function, "_op", None) or Op(method, rf"\mathrm{{{method.strip('_')}}}({{self}})", function, {}, method)

    def turn(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if context.grad and self.requires_grad:
            check_writable(self)
        with observed(None):
            result = function(self, *args, **kwargs)
        self._array = result._array
        if self._view is not None and result is not self:
            how, self._view = self._view.kind, result._view
            assert self._view is not None
            self._view.kind = how
        if self.is_inference() and not context.inference:
            raise RuntimeError(INFERENCE_WRITTEN)
        counter = counter_of(self)
        counter.value += 1
        node = result._node
        if node is not None and result is not self:
            kind: Any = type(node)
            node.__class__ = _variant(kind, later)
            set_history(self, node, result._nr)
        if self._view is not None and (node is not None or not self._view.base.requires_grad):
            self._view.version = counter.value
        if context.observer is not None:
            context.observer.wrote(declared, (self, *args, *kwargs.values()), self, node)
        return self

    turn.__name__ = method
    turn.__doc__ = f"In-place version of `{method.removesuffix('_')}`."
    turn._op = declared  # type: ignore[attr-defined]
    return turn
