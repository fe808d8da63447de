"""`torch.cuda.amp`: the same for a GPU, under names that are deprecated."""

from __future__ import annotations

import warnings
from typing import Any

from .. import dtypes
from ..context import outside
from . import autocast_mode, grad_scaler
from .autocast_mode import custom_bwd, custom_fwd

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
        stacklevel=outside(),
    )


class autocast(autocast_mode.autocast):  # noqa: N801
    """`torch.amp.autocast("cuda")`."""

    def __init__(self, enabled: bool = True, dtype: Any = dtypes.float16, cache_enabled: bool = True) -> None:
        _deprecated("autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """`torch.amp.GradScaler("cuda")`."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _deprecated("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


autocast.__module__, GradScaler.__module__ = "torch.cuda.amp.autocast_mode", "torch.cuda.amp.grad_scaler"
