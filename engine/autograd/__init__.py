"""Automatic differentiation: the graph, the backward pass, grad modes.

The pass itself is in `engine.autograd.passes`; it and what is built on it are loaded on first use, because the graph's nodes
must be importable before tensors are.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .node import Node

_ELSEWHERE = {
    "Function": "function",
    "Variable": "variable",
    "backward": "passes",
    "detect_anomaly": "anomaly",
    "grad": "passes",
    "gradcheck": "gradcheck",
    "gradgradcheck": "gradcheck",
    "is_anomaly_check_nan_enabled": "anomaly",
    "is_anomaly_enabled": "anomaly",
    "set_detect_anomaly": "anomaly",
}
"""Where the names are that are loaded on first use."""

__all__ = [
    "Node",
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
    *_ELSEWHERE,
    "forward_ad",
    "functional",
    "graph",
]


def load() -> None:
    """Bind what is loaded on first use, functions before modules of the same name."""
    for name, module in _ELSEWHERE.items():
        globals()[name] = getattr(import_module(f".{module}", __name__), name)
    asks_first = import_module("..asking", __name__).asks_first
    globals()["grad"] = asks_first(globals()["grad"], "torch.autograd.grad")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _ELSEWHERE:
        load()
        return globals()[name]
    if name == "profiler":  # which stands above: it is measured from outside
        return import_module("..profiler.of_autograd", __name__)
    if name in ("forward_ad", "functional", "function", "graph"):
        return import_module(f".{name}", __name__)
    from ..compat.names import missing

    raise missing("torch.autograd", name, __all__)
