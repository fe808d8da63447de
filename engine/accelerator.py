"""`torch.accelerator` of a machine without one: programs ask whether there is one, and go on with the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

_REFUSED = (
    "current_device_idx", "current_device_index", "current_stream", "empty_cache", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats", "reset_accumulated_memory_stats",
    "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream", "synchronize",
)  # fmt: skip

__all__ = ["current_accelerator", "device_count", "is_available", *_REFUSED]


def is_available() -> bool:
    """Always False: Gradtape computes on the CPU."""
    return False


def device_count() -> int:
    """Always 0."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None: there is no accelerator."""


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise RuntimeError("Cannot access accelerator device when none is available.")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Refuse, as there is no accelerator.\n\nRaises:\n    RuntimeError: always."
    return refuse


for _name in _REFUSED:
    globals()[_name] = _refusing(_name)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from .compat.names import missing

    raise missing("torch.accelerator", name, __all__)
