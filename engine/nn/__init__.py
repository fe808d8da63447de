"""Neural network building blocks: `torch.nn`."""

from __future__ import annotations

from typing import Any

from engine.nn import functional

__all__ = ["functional"]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from engine.errors import unsupported

    raise unsupported("torch.nn", name, __all__)
