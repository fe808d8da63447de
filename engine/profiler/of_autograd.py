"""`torch.autograd.profiler`: the older name of `torch.profiler`."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .profile import profile as _profile
from .watching import record_function

__all__ = ["emit_itt", "emit_nvtx", "profile", "record_function"]


class profile(_profile):  # noqa: N801
    """Measures the operations within its block."""

    def __init__(self, enabled: bool = True, *, use_cuda: bool = False, use_device: str | None = None, **options: Any) -> None:
        super().__init__(enabled)


profile.__module__ = "torch.autograd.profiler"


def emit_nvtx(enabled: bool = True, record_shapes: bool = False) -> AbstractContextManager[Any]:
    """A block that tells NVIDIA's profiler about operations, which is not there."""
    if enabled:
        raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")
    return nullcontext()


def emit_itt(enabled: bool = True, record_shapes: bool = False) -> AbstractContextManager[Any]:
    """A block that tells Intel's profiler about operations: nobody listens."""
    return nullcontext()
