"""`torch.testing`: comparing what is nearly equal."""

from __future__ import annotations

from typing import Any

from .comparison import assert_allclose, assert_close

__all__ = ["assert_allclose", "assert_close"]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from ..compat.names import missing

    raise missing("torch.testing", name, __all__)
