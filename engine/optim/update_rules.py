"""What the algorithms' constructors and update rules share: checked options, state tensors, fused formulas."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..tensor import Array, Tensor, constant


def check(lr: Any, **options: Any) -> None:
    """Raise PyTorch's ValueError for an option below zero (betas: outside [0, 1)), in the order given."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    for name, value in {"lr": lr, **options}.items():
        if name == "betas":
            for i, beta in enumerate(value):
                if not 0.0 <= beta < 1.0:
                    raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        elif not 0.0 <= value:  # noqa: SIM300  (so that a TypeError reads as in PyTorch)
            words = {"lr": "learning rate", "eps": "epsilon value"}.get(name, f"{name} value")
            raise ValueError(f"Invalid {words}: {value}")


def number(option: Any) -> Any:
    """An option as a number; a tensor gives a NumPy scalar of its dtype, so that arithmetic rounds as PyTorch's does."""
    return option._array.reshape(-1)[0] if isinstance(option, Tensor) else option


def zeros(p: Array) -> Tensor:
    """A state tensor of zeros like `p`."""
    return constant(np.zeros_like(p))


def scalar(value: float) -> Tensor:
    """A state tensor without dimensions, float32 unless the default dtype is float64."""
    double = dtypes.get_default_dtype() is dtypes.float64
    return constant(np.array(value, dtype=np.float64 if double else np.float32))


def advance(state: dict[str, Any]) -> float:
    r"""Count a step: $t \leftarrow t + 1$; returns $t$."""
    step = state["step"]._array
    step += 1
    return float(step)


def lerp(x: Array, end: Array, weight: float) -> None:
    r"""$x \leftarrow x + w\,(e - x)$ in place, from the nearer end."""
    if abs(weight) < 0.5:
        x += weight * (end - x)
    else:
        x[...] = end - (end - x) * (1 - x.dtype.type(weight))


def addcmul(x: Array, a: Array, b: Array, value: float) -> None:
    r"""$x \leftarrow x + v\,a\,b$ in place."""
    x += a * value * b


def addcdiv(x: Array, a: Array, b: Array, value: float) -> None:
    r"""$x \leftarrow x + v\,a / b$ in place."""
    x += a * value / b
