"""How far apart two numbers of a dtype may be and still count as equal: what PyTorch's `assert_close` allows by default."""

from __future__ import annotations

PRECISION: dict[str, tuple[float, float]] = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex32": (1e-3, 1e-5),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
    "quint8": (1.3e-6, 1e-5),
    "qint8": (1.3e-6, 1e-5),
    "qint32": (1.3e-6, 1e-5),
}
"""The relative and the absolute tolerance by the dtype's name; 0 for the others."""


def tolerances(*names: str) -> tuple[float, float]:
    """The relative and the absolute one for numbers of these dtypes: those of the least precise."""
    found = [PRECISION.get(name, (0.0, 0.0)) for name in names]
    return max(rtol for rtol, _ in found), max(atol for _, atol in found)
