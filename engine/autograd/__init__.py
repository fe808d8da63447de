"""Automatic differentiation: the graph, the backward pass, grad modes.

The pass itself is in `engine.autograd.passes`; its functions are loaded on first use, because the graph's nodes must be
importable before tensors are.
"""

from __future__ import annotations

from typing import Any

from engine.autograd.grad_mode import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from engine.autograd.node import Node

__all__ = [
    "Node",
    "backward",
    "enable_grad",
    "grad",
    "inference_mode",
    "is_grad_enabled",
    "no_grad",
    "set_grad_enabled",
]


def __getattr__(name: str) -> Any:
    if name in ("backward", "grad"):
        from engine.autograd import passes

        return getattr(passes, name)
    if name.startswith("__"):
        raise AttributeError(name)
    from engine.errors import unsupported

    raise unsupported("torch.autograd", name, __all__)
