"""`torch.nn.attention`: which kernels scaled dot-product attention may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..compat.classes import known_as
from ..ops.nn.backends import SDPBackend, allowed

__all__ = ["SDPBackend", "sdpa_kernel"]
known_as("torch.nn.attention", SDPBackend)


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """Within the block, or the decorated function, only these kernels may be used.

    Raises:
        AssertionError: for what is no kernel.
    """
    given = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(given, list) or not all(isinstance(each, SDPBackend) for each in given):
        raise AssertionError(
            f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}"
        )
    allowed.append(frozenset(given))
    try:
        yield
    finally:
        allowed.pop()
