"""`torch.amp`: computing in half precision where it is enough, and scaling losses so that small gradients do not vanish."""

from __future__ import annotations

from typing import Any

from .autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from ..compat.names import missing

    raise missing("torch.amp", name, __all__)
