"""Which of PyTorch's kernels scaled dot-product attention may use: here they are one, and only what is refused can be told."""

from __future__ import annotations

from enum import IntEnum


class SDPBackend(IntEnum):
    """The kernels by name."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __str__(self) -> str:
        return f"SDPBackend.{self.name}"


ON_CPU = frozenset((SDPBackend.MATH, SDPBackend.FLASH_ATTENTION))
"""Those that PyTorch has on the CPU."""
allowed: list[frozenset[SDPBackend]] = []
"""What `sdpa_kernel` allows, the innermost last."""


def check() -> None:
    """Whether there is one left.

    Raises:
        RuntimeError: if there is none.
    """
    if allowed and not allowed[-1] & ON_CPU:
        raise RuntimeError(
            "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math "
            "kernel and the fused kernels."
        )
