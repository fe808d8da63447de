"""`torch.signal.windows`: window functions, symmetric unless `sym` is False."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import dtypes
from ..dtypes import dtype as Dtype
from ..ops.creation.factories import creation
from ..ops.creation.window_functions import bell, cosines, triangle
from ..tensor import Tensor, constant

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
    "kaiser", "nuttall",
]  # fmt: skip


def _checked(name: str, length: int, dtype: Dtype | None) -> Any:
    """The NumPy dtype of a window.

    Raises:
        ValueError: for a negative length or another dtype than float32 and float64.
    """
    dtype = dtype or dtypes.get_default_dtype()
    if length < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={length}")
    if dtype.name not in ("float32", "float64"):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    return dtype._numpy


def _centred(length: int, sym: bool) -> Any:
    """Distances from the middle."""
    return np.arange(length) - (length if not sym and length > 1 else length - 1) / 2


@creation
def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: Dtype | None = None,
) -> Tensor:
    """A window that falls off exponentially on both sides of its centre."""
    target = _checked("exponential", M, dtype)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    x = _centred(M, sym) if center is None else np.arange(M) - center
    return constant(np.exp(-np.abs(x) / tau).astype(target))


@creation
def cosine(M: int, *, sym: bool = True, dtype: Dtype | None = None) -> Tensor:
    """Half a period of the sine."""
    target = _checked("cosine", M, dtype)
    return constant(np.sin((np.arange(M) + 0.5) * math.pi / max(M + 1 if not sym and M > 1 else M, 1)).astype(target))


@creation
def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype: Dtype | None = None) -> Tensor:
    """The bell curve of the normal distribution."""
    target = _checked("gaussian", M, dtype)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return constant(np.exp(-((_centred(M, sym) / (std * math.sqrt(2))) ** 2)).astype(target))


@creation
def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype: Dtype | None = None) -> Tensor:
    """The Kaiser window."""
    target = _checked("kaiser", M, dtype)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return constant((bell(M, M if not sym else M - 1, beta) if M else np.zeros(0)).astype(target))


@creation
def bartlett(M: int, *, sym: bool = True, dtype: Dtype | None = None) -> Tensor:
    """A triangle."""
    target = _checked("bartlett", M, dtype)
    return constant(triangle(M, M if not sym else M - 1).astype(target))


@creation
def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, dtype: Dtype | None = None) -> Tensor:
    """A sum of cosines with the coefficients `a`."""
    return _general_cosine(M, a, sym, dtype)


def _general_cosine(length: int, a: Any, sym: bool, dtype: Dtype | None) -> Tensor:
    target = _checked("general_cosine", length, dtype)
    if length < 2:
        return constant(np.ones(length, target))
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    return constant(np.asarray(cosines(length, length if not sym else length - 1, a)).astype(target))


@creation
def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype: Dtype | None = None) -> Tensor:
    """A raised cosine: `alpha` less `1 - alpha` times the cosine."""
    return _general_cosine(M, [alpha, 1.0 - alpha], sym, dtype)


@creation
def hamming(M: int, *, sym: bool = True, dtype: Dtype | None = None) -> Tensor:
    """The Hamming window."""
    return _general_cosine(M, [0.54, 0.46], sym, dtype)


@creation
def hann(M: int, *, sym: bool = True, dtype: Dtype | None = None) -> Tensor:
    """The Hann window."""
    return _general_cosine(M, [0.5, 0.5], sym, dtype)


@creation
def blackman(M: int, *, sym: bool = True, dtype: Dtype | None = None) -> Tensor:
    """The Blackman window."""
    _checked("blackman", M, dtype)
    return _general_cosine(M, [0.42, 0.5, 0.08], sym, dtype)


@creation
def nuttall(M: int, *, sym: bool = True, dtype: Dtype | None = None) -> Tensor:
    """Nuttall's window of four terms."""
    return _general_cosine(M, [0.3635819, 0.4891775, 0.1365995, 0.0106411], sym, dtype)
