"""The few names of `torch._C` that programs ask the engine of backward passes by, or switch `__torch_function__` off with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..asking import DisableTorchFunction, DisableTorchFunctionSubclass
from ..asking import disabled_torch_function as _disabled_torch_function_impl
from ..autograd.error_nodes import undefined
from ..autograd.node import Node
from ..autograd.saved_variable import SavedTensor
from ..context import context

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "_autograd",
    "_current_autograd_node",
    "_current_graph_task_id",
    "_disabled_torch_function_impl",
    "_functions",
    "_will_engine_execute_node",
]


def _current_graph_task_id() -> int:
    """The number of the backward pass under way, -1 outside of one."""
    return context.task


def _current_autograd_node() -> Any:
    """The node that is running, None outside of a backward pass."""
    return context.node


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the backward pass under way runs a node.

    Raises:
        RuntimeError: outside of a backward pass.
    """
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    if context.task == -1:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    return context.reached is None or node in context.reached


_autograd = SimpleNamespace(SavedTensor=SavedTensor)
_functions = SimpleNamespace(UndefinedGrad=lambda: undefined)
