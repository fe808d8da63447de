"""`torch.nn.functional`: activations, losses and layers as functions."""

from __future__ import annotations

from typing import Any

from ..ops import namespace

_NAMES = namespace("torch.nn.functional")
globals().update(_NAMES)
__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from ..compat.names import missing

    raise missing("torch.nn.functional", name, __all__)
