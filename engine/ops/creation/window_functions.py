"""Window functions of signal processing: Hann, Hamming, Blackman, Bartlett, Kaiser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import dtypes
from ...dtypes import dtype as Dtype
from ...lazy import Late
from ...tensor import Tensor, constant
from .factories import creation

if TYPE_CHECKING:
    import scipy.special as sc
else:
    sc = Late("scipy.special")


def cosines(n: int, span: int, coefficients: Any) -> Any:
    """The alternating sum of cosines at `n` points, `span` to a period (1 where there is one point)."""
    if n == 1:
        return np.ones(1)
    angle = np.arange(n) * (2 * np.pi / span)
    return sum((-1) ** i * a * np.cos(i * angle) for i, a in enumerate(coefficients))


def triangle(n: int, span: int) -> Any:
    """Up to one and down again."""
    return 1 - np.abs(np.arange(n) * (2 / span) - 1) if n > 1 else np.ones(n)


def bell(n: int, span: int, beta: float) -> Any:
    """Kaiser's window: the modified Bessel function of a half circle."""
    if n == 1:
        return np.ones(1)
    k = np.minimum(np.arange(n) * (2 * beta / span) - beta, beta)
    return sc.i0(np.sqrt(beta * beta - k * k)) / sc.i0(beta)


def _window(name: str, what: str, values: Callable[..., Any]) -> Any:
    def window(window_length: int, periodic: bool = True, *shape: float, dtype: Dtype | None = None, **named: float) -> Tensor:
        if dtype is not None and not dtype.is_floating_point:
            raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
        if window_length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
        target = (dtype or dtypes.get_default_dtype())._numpy
        if window_length < 2:
            return constant(np.ones(window_length, target))
        # A periodic window is a symmetric one of one point more, the last left out.
        return constant(np.asarray(values(window_length, window_length - (not periodic), *shape, **named)).astype(target))

    window.__name__, window.__doc__ = name, f"{what}, so many points of it; `periodic` leaves out the last of a symmetric one."
    return creation(window)


hann_window = _window("hann_window", "The Hann window", lambda n, span: cosines(n, span, (0.5, 0.5)))
hamming_window = _window(
    "hamming_window", "The Hamming window", lambda n, span, alpha=0.54, beta=0.46: cosines(n, span, (alpha, beta))
)
blackman_window = _window("blackman_window", "The Blackman window", lambda n, span: cosines(n, span, (0.42, 0.5, 0.08)))
bartlett_window = _window("bartlett_window", "The Bartlett window", triangle)
kaiser_window = _window("kaiser_window", "The Kaiser window", lambda n, span, beta=12.0: bell(n, span, beta))
