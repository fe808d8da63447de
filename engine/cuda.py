"""`torch.cuda` of a build without CUDA: not available, and quiet where programs only prepare for it."""

from __future__ import annotations

from typing import Any

NOT_COMPILED = "Torch not compiled with CUDA enabled"

__all__ = ["current_device", "device_count", "empty_cache", "is_available", "manual_seed", "manual_seed_all", "synchronize"]


def is_available() -> bool:
    """Always False: Gradtape computes on the CPU."""
    return False


def device_count() -> int:
    """Always 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing to seed."""


def manual_seed_all(seed: int) -> None:
    """Nothing to seed."""


def empty_cache() -> None:
    """Nothing to empty."""


def synchronize(device: Any = None) -> None:
    """Refuse, as there is no device to wait for.

    Raises:
        AssertionError: always.
    """
    raise AssertionError(NOT_COMPILED)


def current_device() -> int:
    """Refuse, as there is no device.

    Raises:
        AssertionError: always.
    """
    raise AssertionError(NOT_COMPILED)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from .compat.names import missing

    raise missing("torch.cuda", name, __all__)
