"""What becomes of the outputs of a Function's `forward`: new tensors, views or written inputs, linked to its node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..context import context
from ..dtypes import INEXACT
from ..errors import InplaceError
from ..tensor import Tensor, constant, share
from .graph import increment_version
from .saved_variable import Result
from .view_chain import View

if TYPE_CHECKING:
    from .function import FunctionNode

TWO_OUTPUTS = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one "
    "Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a view (using "
    ".clone() for example) or make your Function only return one Tensor (potentially splitting it into two Functions: one "
    "doing the inplace that returns a single Tensor and a second one that does the other operations). You can ask on the forum "
    "https://discuss.pytorch.org/ if you need help to do this change."
)


LISTS = ("to_save", "dirty_tensors", "non_differentiable")
"""What `forward` says of tensors by way of its `ctx`."""


class Outputs:
    """What becomes of the outputs of `forward`."""

    def __init__(self, node: FunctionNode, args: tuple[Any, ...], before: dict[int, Any], tracked: bool) -> None:
        self.node, self.args, self.before, self.tracked = node, args, before, tracked
        self.inputs = {id(a): a for a in args if isinstance(a, Tensor)}

    def _check(self) -> None:
        # The two cut sentences are PyTorch's.
        ctx = self.node.ctx
        # What a program has put there could be something else each time that it is gone through.
        for name in LISTS:
            if type(listed := getattr(ctx, name)) is not tuple:
                setattr(ctx, name, tuple(listed))
        for k, t in enumerate(ctx.to_save if self.tracked else ()):
            if t is not None and not isinstance(t, Tensor):
                raise TypeError(f"save_for_backward can only save variables, but argument {k} is of type {type(t).__name__}")
        if not all(isinstance(t, Tensor) for t in ctx.non_differentiable):
            raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
        if not all(isinstance(t, Tensor) for t in ctx.dirty_tensors):
            raise RuntimeError("mark_dirty can only accept variables, but argument ")

    def wrap(self, output: Any) -> Any:
        """The outputs, linked to the node."""
        node = self.node
        self._check()
        values = list(output) if isinstance(output, tuple) else [output]
        dirty = {id(t) for t in node.ctx.dirty_tensors}
        for t in node.ctx.dirty_tensors:
            if id(t) in self.inputs and not any(v is t for v in values):
                raise RuntimeError(
                    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
                    "modified inplace must all be outputs of the Function."
                )
        if node.ctx.non_differentiable:
            node.ctx._fixed = frozenset(k for k, v in enumerate(values) if any(v is t for t in node.ctx.non_differentiable))
        self.several = sum(isinstance(v, Tensor) and k not in node.ctx._fixed for k, v in enumerate(values)) > 1
        if self.tracked:
            self._link(values)
        wrapped = [self._one(k, v, dirty) if isinstance(v, Tensor) else v for k, v in enumerate(values)]
        if self.tracked:
            self._save(wrapped, values)
        elif node.ctx.to_save:
            node._saved = tuple(node.ctx.to_save)
        for name in LISTS:
            node.ctx.__dict__.pop(name, None)
        return tuple(wrapped) if isinstance(output, tuple) else wrapped[0]

    def _link(self, values: list[Any]) -> None:
        node = self.node
        edges: list[Any] = []
        taken: list[int | None] = []
        for a in self.args:
            if isinstance(a, Tensor):
                taken.append(len(edges))
                edges.append(self.before.get(id(a), (None, 0)))
            else:
                taken.append(None)
        node.edges, node.argument_edges = tuple(edges), taken
        metas = [(v._array.shape, v._array.dtype) if isinstance(v, Tensor) else ((), None) for v in values]
        if len(values) == 1:
            node.shape, node.dtype = metas[0]
        else:
            node.several, node.shape = True, tuple(metas)
        context.sequence += 1
        node.sequence = context.sequence

    def _one(self, k: int, value: Tensor, dirty: set[int]) -> Tensor:
        node = self.node
        is_input = id(value) in self.inputs
        changed = id(value) in dirty
        if changed and is_input:
            return self._written(k, value)
        if is_input:
            # An input that comes back as it went in becomes a view of itself, with a node of its own.
            source, value = value, constant(value._array)
            share(source, value, lambda array: array)
        if value._view is not None:
            value._view.kind = View.SEVERAL if self.several else View.CUSTOM
        fixed = any(value is t for t in node.ctx.non_differentiable)
        if fixed or value._array.dtype.kind not in INEXACT:
            if fixed and value._node is None:
                value._needs = False
            return value
        if self.tracked:
            if value._needs and value._node is None and not is_input:
                value = constant(value._array)
            value._node, value._nr, value._needs = node, k, True
            if value._view is not None and value._view.base._node is None and not is_input:
                # A view of something that `forward` made: its base has no node.
                value._view.base = constant(value._view.base._array)
        return value

    def _written(self, k: int, value: Tensor) -> Tensor:
        if not self.tracked:
            return value
        if value._view is None and value._needs and value._node is None:
            raise InplaceError("a leaf Variable that requires grad has been used in an in-place operation.")
        increment_version(value)
        from .views import check_writable, rebase

        check_writable(value)
        if value._view is not None and self.several:
            raise RuntimeError(TWO_OUTPUTS)
        rebase(value, self.node, k)
        return value

    def _save(self, wrapped: list[Any], values: list[Any]) -> None:
        node = self.node
        kept: list[Any] = []
        for t in node.ctx.to_save:
            position = next((k for k, v in enumerate(values) if v is t and v is not None), None)
            if position is not None and wrapped[position]._node is node:
                out = wrapped[position]
                result = Result(out._array, position)
                if out._counter is None:
                    out._counter = result
                else:
                    result.shared, result.version = out._counter, out._counter.value
                kept.append(result)
            else:
                kept.append(t)
        node._saved = tuple(kept)
        node.versions = tuple(t._counter.value if isinstance(t, Tensor) and t._counter is not None else 0 for t in kept)
        node.keeps = bool(kept)
        if context.linked is not None:
            context.linked(node)
