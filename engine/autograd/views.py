"""Views and in-place writes: what a write through a view means for the base, and for other views of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.autograd.node import Node
from engine.context import context, grad_mode, observed
from engine.errors import InplaceError

if TYPE_CHECKING:
    from engine.tensor import Tensor, View


def check_writable(tensor: Tensor) -> None:
    """Refuse the in-place writes that PyTorch refuses.

    Raises:
        RuntimeError: for a leaf that requires grad, a view of one, and some views made under no_grad or by `unbind`.
    """
    if not context.grad:
        return
    view = tensor._view
    if view is None:
        if tensor._needs and tensor._node is None:
            raise InplaceError("a leaf Variable that requires grad is being used in an in-place operation.")
        return
    base = view.base
    if base._needs and base.grad_fn is None:
        if view.no_grad:
            raise InplaceError(
                "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this "
                "use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and "
                "the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both "
                "outside (if you want the inplace to be tracked)."
            )
        raise InplaceError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    node = tensor.grad_fn
    if view.several and node is not None:
        raise InplaceError(
            f"Output {tensor._nr} of {node.name().split('Backward')[0]} is a view and is being modified inplace. "
            "This view is the output of a "
            "function that returns multiple views. Such functions do not allow the output views to be modified inplace. You "
            "should replace the inplace operation by an out-of-place one."
        )


class CopySlices(Node):
    """What the base's `grad_fn` becomes when a view of it was written: the written part's gradient goes through the write's
    own node, the rest goes on unchanged."""

    __slots__ = ("view", "write")

    several = False
    keeps = True

    def name(self) -> str:
        """The node's name in C++."""
        return "torch::autograd::CopySlices"

    def __init__(self, base: Tensor, view: View, write: Node, below: tuple[Node | None, int]) -> None:
        context.sequence += 1
        self.sequence = context.sequence
        self.view = view
        self.write = write
        self.edges = (below, *write.edges[1:])
        self.shape, self.dtype = base._array.shape, base._array.dtype
        self.saved = ()
        self.versions = None
        self.extra = None

    def apply_arrays(self, grad: Any) -> tuple[Any, ...]:
        """The rule on arrays."""
        if self.saved is None:
            self.write.saved = None
        whole = np.array(grad)
        part = self.view.replay(whole)
        first, *others = self.write.apply_arrays(part.copy())
        part[...] = 0 if first is None else first
        return (whole if self.edges[0][0] is not None else None, *others)

    def apply_tensors(self, grad: Any) -> tuple[Any, ...]:
        """The rule on recorded tensors."""
        from engine.ops.views import put_view, take_view

        part = take_view(grad, self.view)
        first, *others = self.write.apply_tensors(part)
        filled = put_view(grad, self.view, part * 0 if first is None else first)
        return (filled if self.edges[0][0] is not None else None, *others)


def rebase(tensor: Tensor, node: Node, output: int) -> None:
    """Make `tensor`, just written in place by `node`, a result of it; a view's base gets a CopySlices node."""
    from engine.tensor import gradient_edge

    view = tensor._view
    if view is None:
        tensor._node, tensor._nr, tensor._needs = node, output, True
        return
    base = view.base
    below = gradient_edge(base)
    slices = CopySlices(base, view, node, below)
    base._node, base._nr, base._needs = slices, 0, True
    regenerate(tensor, view)


def regenerate(tensor: Tensor, view: View) -> None:
    """Give a view whose base was written since a `grad_fn` that leads to the base as it is now."""
    from engine.ops.views import take_view

    assert tensor._counter is not None
    view.version = tensor._counter.value
    if not view.base.requires_grad:
        return
    with observed(None), grad_mode(True):
        fresh = take_view(view.base, view)
    tensor._node, tensor._nr, tensor._needs = fresh._node, fresh._nr, True
