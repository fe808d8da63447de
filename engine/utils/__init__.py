"""`torch.utils`: loading data in batches, and trading memory for computation."""

from __future__ import annotations

from typing import Any

__all__ = ["benchmark", "checkpoint", "data"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        import importlib

        return importlib.import_module(f".{name}", __name__)
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.utils' has no attribute '{name}'")
    from ..compat.names import missing

    raise missing("torch.utils", name, __all__)
