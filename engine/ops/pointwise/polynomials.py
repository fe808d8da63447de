"""Orthogonal polynomials of `torch.special`: Chebyshev, Hermite, Laguerre, Legendre, by their three-term recurrences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...op.declare import op

LAYOUT = "elementwise"
"""How the results of the operations here stand in memory; see `engine/op/layouts.py`."""

Step = Callable[[Any, int, Any, Any], Any]
"""`(x, k, previous, current)` to the polynomial of degree k + 1."""
MOST = 128
"""The highest degree of a Hermite polynomial that PyTorch computes."""


def recurrence(x, n, second, step):
    """Polynomials of the degrees `n` at `x`: 1, `second`, and what `step` makes of the last two."""
    p, q = np.ones_like(x), second
    out = np.where(n <= 0, p, q)
    for k in range(1, int(n.max(initial=0))):
        p, q = q, step(x, k, p, q)
        out = np.where(n == k + 1, q, out)
        if np.isnan(q).all():
            return np.where(n > k, q, out)
    return out


def _polynomial(name: str, symbol: str, second: Any, step: Step, adjust: Any) -> Any:
    full = f"special_{name}"

    def evaluate(x, n):
        # Degrees are whole numbers; what is below zero is zero.
        degree = np.trunc(n).astype(np.int64)
        wide, degree = np.broadcast_arrays(x, degree)
        # Where a closed form replaces the recurrence, the recurrence need not go that far.
        far, value = adjust(wide, degree)
        near = recurrence(wide, np.where(far, 0, degree), second(wide), step)
        return np.where(degree < 0, 0, np.where(far, value, near)).astype(x.dtype)

    evaluate.__name__ = full
    evaluate.__doc__ = f"{symbol}, the polynomial of degree n, at x; there is no derivative."
    return op(
        rf"{symbol}_{{{{ {{n}} }}}}({{x}})",
        floating=True,
        x=None,
        n=None,
        name=full,
        real_only=f"{full.removeprefix('special_')}_cpu",
    )(evaluate)


def _even(n):
    return n % 2 == 0


def _at_ends(x, n, first, last):
    """`last` at 1, `first` (with the sign of an odd degree) at -1."""
    return np.abs(x) == 1, np.where(x > 0, last, np.where(_even(n), first, -first))


def _first_kind(x, n):
    with np.errstate(all="ignore"):
        far, value = _at_ends(x, n, np.ones_like(x), np.ones_like(x))
        inside = (n > 6) & (np.abs(x) < 1)
        return far | inside, np.where(far, value, np.cos(n.astype(x.dtype) * np.arccos(x)))


def _other_kind(limit, first, last, inside):
    """Chebyshev's second, third and fourth kinds: values at the ends, and a closed form for high degrees within."""

    def adjust(x, n):
        with np.errstate(all="ignore"):
            degree = n.astype(x.dtype)
            far, value = _at_ends(x, n, first(degree), last(degree))
            within = (n > limit) & (np.abs(x) < 1)
            return far | within, np.where(far, value, inside(degree, np.arccos(x)))

    return adjust


_second_kind = _other_kind(8, lambda n: n + 1, lambda n: n + 1, lambda n, t: np.sin((n + 1) * t) / np.sin(t))
_third_kind = _other_kind(8, lambda n: n + n + 1, np.ones_like, lambda n, t: np.cos((n + 0.5) * t) / np.cos(t / 2))
_fourth_kind = _other_kind(8, np.ones_like, lambda n: n + n + 1, lambda n, t: np.sin((n + 0.5) * t) / np.sin(t / 2))


def _shifted(adjust):
    return lambda x, n: adjust(x + x - 1, n)


def _capped(x, n):
    return n > MOST, np.full_like(x, np.nan)


def _at_zero(x, n):
    return x == 0, np.ones_like(x)


def _legendre_ends(x, n):
    return _at_ends(x, n, np.ones_like(x), np.ones_like(x))


def _doubling(x, k, p, q):
    return (x + x) * q - p


def _doubling_shifted(x, k, p, q):
    y = x + x - 1
    return (y + y) * q - p


special_chebyshev_polynomial_t = _polynomial("chebyshev_polynomial_t", "T", lambda x: x, _doubling, _first_kind)
special_chebyshev_polynomial_u = _polynomial("chebyshev_polynomial_u", "U", lambda x: x + x, _doubling, _second_kind)
special_chebyshev_polynomial_v = _polynomial("chebyshev_polynomial_v", "V", lambda x: x + x - 1, _doubling, _third_kind)
special_chebyshev_polynomial_w = _polynomial("chebyshev_polynomial_w", "W", lambda x: x + x + 1, _doubling, _fourth_kind)
special_shifted_chebyshev_polynomial_t = _polynomial(
    "shifted_chebyshev_polynomial_t", "T^*", lambda x: x + x - 1, _doubling_shifted, _shifted(_first_kind)
)
special_shifted_chebyshev_polynomial_u = _polynomial(
    "shifted_chebyshev_polynomial_u", "U^*", lambda x: 2 * (x + x - 1), _doubling_shifted, _shifted(_second_kind)
)
special_shifted_chebyshev_polynomial_v = _polynomial(
    "shifted_chebyshev_polynomial_v", "V^*", lambda x: 2 * (x + x - 1) - 1, _doubling_shifted, _shifted(_third_kind)
)
special_shifted_chebyshev_polynomial_w = _polynomial(
    "shifted_chebyshev_polynomial_w", "W^*", lambda x: 2 * (x + x - 1) + 1, _doubling_shifted, _shifted(_fourth_kind)
)
special_hermite_polynomial_h = _polynomial(
    "hermite_polynomial_h", "H", lambda x: x + x, lambda x, k, p, q: (x + x) * q - 2 * k * p, _capped
)
special_hermite_polynomial_he = _polynomial(
    "hermite_polynomial_he", r"\mathit{{He}}", lambda x: x, lambda x, k, p, q: x * q - k * p, _capped
)
special_laguerre_polynomial_l = _polynomial(
    "laguerre_polynomial_l", "L", lambda x: 1 - x, lambda x, k, p, q: ((2 * k + 1 - x) * q - k * p) / (k + 1), _at_zero
)
special_legendre_polynomial_p = _polynomial(
    "legendre_polynomial_p", "P", lambda x: x, lambda x, k, p, q: ((2 * k + 1) * x * q - k * p) / (k + 1), _legendre_ends
)
