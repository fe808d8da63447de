"""`torch.fft`: discrete Fourier transforms."""

from __future__ import annotations

from typing import Any

from .ops import namespace

_NAMES = namespace("torch.fft")
globals().update(_NAMES)
__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from .compat.names import missing

    raise missing("torch.fft", name, __all__)
