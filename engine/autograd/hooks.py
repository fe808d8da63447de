"""What hooks make of gradients on their way: those of tensors, and those of nodes before and after their rule."""

from __future__ import annotations

from typing import Any

from ..context import context
from ..tensor import Tensor, constant
from .node import Node


class Hooks:
    """Calls hooks in a pass; they see tensors, and what they return must fit what it replaces."""

    __slots__ = ("create_graph",)

    create_graph: bool
    """Whether gradients are recorded tensors, not arrays."""

    def prehooks(self, node: Node, grad: Any) -> Any:
        """What a node's prehooks make of the gradients it received."""
        assert node._extra is not None
        grads = tuple(grad) if node.several else (grad,)
        for hook in list(node._extra.pre.values()):
            grads = self.replaced(hook, grads, hook(tuple([None if g is None else self.shown(g) for g in grads])))
        return list(grads) if node.several else grads[0]

    def tensor_hook(self, node: Node, hook: Any, grad: Any) -> Any:
        """The gradient after a tensor's hook saw it."""
        changed = hook(None if grad is None else self.shown(grad))
        if changed is None:
            return grad
        taken = self.taken(changed, grad, hook)
        if context.observer is not None:
            context.observer.hook_ran(node, grad, taken)
        return taken

    def posthooks(self, node: Node, sent: tuple[Any, ...], grad: Any) -> tuple[Any, ...]:
        """What a node's hooks make of the gradients it is about to send."""
        assert node._extra is not None
        received = tuple(None if g is None else self.shown(g) for g in (grad if node.several else [grad]))
        for hook in list(node._extra.post.values()):
            sent = self.replaced(hook, sent, hook(tuple([None if g is None else self.shown(g) for g in sent]), received))
        return sent

    def replaced(self, hook: Any, before: tuple[Any, ...], returned: Any) -> tuple[Any, ...]:
        """The gradients after a node's hook, which may have returned others.

        Raises:
            TypeError: for what is no tuple of tensors.
            RuntimeError: for gradients that do not fit those they replace.
        """
        if returned is None:
            return before
        if not isinstance(returned, tuple):
            raise TypeError(f"expected tuple, but hook returned '{type(returned).__name__}'")
        if len(returned) != len(before):
            raise RuntimeError(
                f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(returned)}, but expected "
                f"{len(before)})"
            )
        return tuple([None if g is None else self.taken(g, old, hook) for g, old in zip(returned, before, strict=True)])

    def shown(self, g: Any) -> Tensor:
        """A gradient as hooks see it: a tensor."""
        return g if isinstance(g, Tensor) else constant(g)

    def taken(self, value: Any, before: Any = None, hook: Any = None) -> Any:
        """A gradient that a hook returned, in this pass's form.

        Raises:
            TypeError: if it is no tensor.
            RuntimeError: if it does not fit the gradient that it replaces.
        """
        if not isinstance(value, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(value).__name__}'")
        if hook is not None:
            if before is None:
                raise RuntimeError("can't replace a None gradient with a non-None value")
            old = self.shown(before)
            if old._array.dtype is not value._array.dtype:
                raise RuntimeError(f"hook '{_name(hook)}' has changed the type of value (was {old.type()} got {value.type()})")
            if old._array.shape != value._array.shape:
                raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
        return value if self.create_graph else value._array


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")
