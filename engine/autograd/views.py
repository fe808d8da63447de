"""Views and in-place writes: what a write through a view means for the base, and for other views of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..context import context, grad_mode, observed
from ..errors import AutogradError, InplaceError
from .node import Node
from .primitives import primitives
from .saved_variable import FREED, forward_name

if TYPE_CHECKING:
    from ..tensor import Tensor
    from .view_chain import View


def check_writable(tensor: Tensor) -> None:
    """Refuse the in-place writes that PyTorch refuses where gradients are tracked.

    Raises:
        RuntimeError: for a leaf that requires grad, a view of one, and views that were not made as usual (`View.kind`).
    """
    if not context.grad:
        return
    view = tensor._view
    if view is None:
        if tensor._needs and tensor._node is None:
            raise InplaceError("a leaf Variable that requires grad is being used in an in-place operation.")
        return
    if view.kind:
        raise unwritable(tensor, view, "is being")
    if tensor.requires_grad and view.base.grad_fn is None:
        raise InplaceError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if tensor.requires_grad and tensor._node is None:
        # Its base has been written since, and the view's `grad_fn` has not been read yet.
        raise InplaceError("a leaf Variable that requires grad is being used in an in-place operation.")


def unwritable(tensor: Tensor, view: View, what: str) -> InplaceError:
    """PyTorch's error for a write that involves a view which was not made as usual."""
    modes = {view.NO_GRAD: ("no_grad", "with grad mode enabled"), view.INFERENCE: ("inference", "in normal mode")}
    mode, where = modes.get(view.kind, modes[view.NO_GRAD])
    node = tensor._node
    source = "A view" if node is None else f"Output {tensor._nr} of {forward_name(node)} is a view"
    if view.kind in modes or node is None:
        source += " was created in" if node is None else " of a view which was created in"
        text = f"{source} {mode} mode and {what} modified inplace {where}."
    else:
        text = f"{source} and {what} modified inplace."
    if view.kind == view.SEVERAL:
        text += (
            " This view is the output of a function that returns multiple views. Such functions do not allow the output views "
            "to be modified inplace. You should replace the inplace operation by an out-of-place one."
        )
    elif view.kind == view.CUSTOM:
        text += (
            " This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic "
            "to handle view+inplace would override the custom backward associated with the custom Function, leading to "
            "incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
        )
    else:
        block = "no_grad" if view.kind == view.NO_GRAD else "inference_mode"
        text += (
            " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
            f"the view and the inplace either both inside the {block} block (if you don't want the inplace to be tracked) or "
            "both outside (if you want the inplace to be tracked)."
        )
    return InplaceError(text)


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
        self._saved = ()
        self.versions = None
        self._extra = None

    def apply_arrays(self, grad: Any) -> tuple[Any, ...]:
        """The rule on arrays."""
        if self._saved is None:
            raise AutogradError(FREED)
        whole = self.view.like_base(np.array(grad, order="C"))  # a gradient turned around would not have the view
        part = self.view.replay(whole)
        first, *others = self.write.apply_arrays(part.copy())
        part[...] = 0 if first is None else first
        return (whole if self.edges[0][0] is not None else None, *others)

    def apply_tensors(self, grad: Any) -> tuple[Any, ...]:
        """The rule on recorded tensors."""
        if self._saved is None:
            raise AutogradError(FREED)
        part = primitives.take_view(grad, self.view)
        first, *others = self.write.apply_tensors(part)
        filled = primitives.put_view(grad, self.view, part * 0 if first is None else first)
        return (filled if self.edges[0][0] is not None else None, *others)


def rebase(tensor: Tensor, node: Node, output: int) -> None:
    """Make `tensor`, just written in place by `node`, a result of it; a view's base gets a CopySlices node."""
    from ..tensor import gradient_edge

    view = tensor._view
    if view is None:
        set_history(tensor, node, output)
        return
    base = view.base
    below = gradient_edge(base)
    set_history(base, CopySlices(base, view, node, below), 0)
    regenerate(tensor, view)


def set_history(tensor: Tensor, node: Node, output: int) -> None:
    """Make a tensor an output of another node; that its gradient is kept (`retain_grad`) goes with it."""
    before = tensor._node
    if before is not None and before._extra is not None:
        kept = before._extra.retained.get(tensor._nr)
        if kept is not None and kept() is tensor:
            del before._extra.retained[tensor._nr]
            node._more().retained[output] = kept
    tensor._node, tensor._nr, tensor._needs = node, output, True


def regenerate(tensor: Tensor, view: View) -> None:
    """Give a view whose base was written since a `grad_fn` that leads to the base as it is now."""
    from ..tensor import constant

    assert tensor._counter is not None
    base = view.base
    if tensor._node is None and not base.requires_grad:
        view.version = tensor._counter.value
        return
    if view.kind:
        raise unwritable(tensor, view, "its base or another view of its base has been")
    view.version = tensor._counter.value
    if not base.requires_grad:
        # The view of a leaf that is a view itself, of something without gradient: its own gradient goes nowhere.
        base = constant(base._array).requires_grad_()
    with observed(None), grad_mode(True):
        fresh = primitives.take_view(base, view)
    assert fresh._node is not None
    if base is not view.base:
        fresh._node.edges = ((None, 0),)
    set_history(tensor, fresh._node, fresh._nr)
