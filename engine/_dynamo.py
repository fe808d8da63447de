"""The few names of `torch._dynamo` that programs use around `torch.compile`: its switches, and forgetting what it did."""

from __future__ import annotations

from typing import Any

from .compiler import OptimizedModule, disable, is_compiling, list_backends, reset

__all__ = ["OptimizedModule", "config", "disable", "is_compiling", "list_backends", "mark_dynamic", "mark_static", "reset"]


class Config:
    """Switches, each kept and none with an effect."""

    def __init__(self) -> None:
        self.suppress_errors = self.verbose = False
        self.cache_size_limit = self.recompile_limit = 8
        self.capture_scalar_outputs = False


config = Config()


def mark_dynamic(t: Any, index: Any, *_: Any, **__: Any) -> None:
    """Nothing to mark."""


mark_static = mark_dynamic
