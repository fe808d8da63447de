"""`torch.func`: functions into functions — derivatives, batches, and modules as functions of their parameters."""

from __future__ import annotations

from typing import Any

from .batches import vmap
from .derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from .modules import functional_call, stack_module_state

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "stack_module_state",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.func' has no attribute '{name}'")
    from ..compat.names import missing

    raise missing("torch.func", name, __all__)
