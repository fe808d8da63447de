"""`torch.functional`: operations under the name of the file where PyTorch has them."""

from __future__ import annotations

from typing import Any

NAMES = (
    "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul einsum "
    "lu meshgrid norm split tensordot unique unique_consecutive"
)
__all__ = NAMES.split()


def __getattr__(name: str) -> Any:
    if name == "F":
        from .nn import functional

        return functional
    if name not in __all__:
        raise AttributeError(f"module 'torch.functional' has no attribute '{name}'")
    from .itself import engine

    return getattr(engine, name)
