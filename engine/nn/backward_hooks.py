"""Hooks on the gradients of a module: identity nodes around its forward that tell what passes them."""

from __future__ import annotations

import warnings
from typing import Any

from ..autograd.node import Node
from ..autograd.view_chain import View
from ..context import context
from ..tensor import Tensor, constant, gradient_edge, share

NO_INPUTS = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
    "register_full_backward_hook for more details."
)


class BackwardHookFunctionBackward(Node):
    """Passes gradients on as they are; one for all tensors at an end of a module."""

    __slots__ = ()
    several = True

    def apply_arrays(self, grad: Any) -> tuple[Any, ...]:
        """The gradients."""
        return tuple(grad)

    apply_tensors = apply_arrays


def _identity(tensors: list[Tensor]) -> tuple[Node, list[Tensor]]:
    """The same arrays behind a node of their own, as views of what they were, which must not be written in place: the write's
    node would take the place of this one."""
    node = BackwardHookFunctionBackward.__new__(BackwardHookFunctionBackward)
    node.edges = tuple(gradient_edge(t) for t in tensors)
    node._saved, node.versions, node._extra = (), None, None
    node.shape = tuple((t._array.shape, t._array.dtype) for t in tensors)
    node.dtype = tensors[0]._array.dtype
    context.sequence = node.sequence = context.sequence + 1
    results = []
    for number, tensor in enumerate(tensors):
        result = constant(tensor._array)
        share(tensor, result, lambda array: array)
        assert result._view is not None
        result._view.kind = View.SEVERAL if len(tensors) > 1 else View.CUSTOM
        result._needs, result._node, result._nr = True, node, number
        results.append(result)
    return node, results


class BackwardHook:
    """One call of a module with backward hooks: nodes at its inputs and outputs, and the gradients seen at the latter."""

    def __init__(self, module: Any, hooks: list[Any], pre_hooks: list[Any]) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.positions: list[int] = []
        self.count = -1

    def _wrap(self, values: tuple[Any, ...]) -> tuple[Node | None, tuple[Any, ...], list[int]]:
        """The values, those tensors that need a gradient behind one node, and where they stand."""
        positions = [i for i, v in enumerate(values) if isinstance(v, Tensor) and v.requires_grad]
        if not positions or not context.grad:
            return None, values, []
        node, wrapped = _identity([values[i] for i in positions])
        replaced = dict(zip(positions, wrapped))
        return node, tuple(replaced.get(i, v) for i, v in enumerate(values)), positions

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments for forward."""
        node, args, self.positions = self._wrap(args)
        self.count = len(args)
        if node is not None:
            node.register_hook(self._at_inputs)
        return args

    def outputs(self, result: Any) -> Any:
        """The result of the module."""
        single = not isinstance(result, tuple)
        if single and not isinstance(result, Tensor):
            if self.hooks or self.pre_hooks:
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                    f"{type(result)}",
                    stacklevel=4,
                )
            return result
        values = (result,) if single else result
        node, wrapped, positions = self._wrap(values)
        if node is not None:
            node.register_prehook(lambda grads: self._at_outputs(grads, len(values), positions))
        return wrapped[0] if single else wrapped

    def _at_outputs(self, grads: tuple[Any, ...], count: int, positions: list[int]) -> Any:
        found = dict(zip(positions, grads))
        self.grad_outputs = tuple(found.get(i) for i in range(count))
        changed = False
        for hook in self.pre_hooks:
            result = hook(self.module, self.grad_outputs)
            if result is None:
                continue
            result = result if isinstance(result, tuple) else (result,)
            if len(result) != count:
                raise RuntimeError(
                    f"Backward pre hook returned an invalid number of grad_output, got {len(result)}, but expected {count}"
                )
            self.grad_outputs, changed = result, True
        if not self.positions:
            # No input needs a gradient: the hooks run here, with None for the inputs.
            if self.hooks:
                warnings.warn(NO_INPUTS, stacklevel=2)
            for hook in self.hooks:
                result = hook(self.module, (None,) * self.count if self.count > 0 else (), self.grad_outputs)
                if result is not None and not all(r is None for r in result):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None for all "
                        "gradients."
                    )
        return tuple(self.grad_outputs[i] for i in positions) if changed else None

    def _at_inputs(self, grad_inputs: tuple[Any, ...], _: Any) -> Any:
        if self.grad_outputs is None:
            raise RuntimeError(
                "Module backward hook for grad_input is called before the grad_output one. This happens because the gradient "
                "in your nn.Module flows to the Module's input without passing through the Module's output. Make sure that the "
                "output depends on the input and that the loss is computed based on the output."
            )
        found = dict(zip(self.positions, grad_inputs))
        grads: tuple[Any, ...] = tuple(found.get(i) for i in range(self.count))
        for hook in self.hooks:
            result = hook(self.module, grads, self.grad_outputs)
            if result is not None:
                result = result if isinstance(result, tuple) else (result,)
                if len(result) != len(grads):
                    raise RuntimeError(
                        f"Backward hook returned an invalid number of grad_input, got {len(result)}, but expected {len(grads)}"
                    )
                grads = result
        self.grad_outputs = None
        return tuple(grads[i] for i in self.positions)
