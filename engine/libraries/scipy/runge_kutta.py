"""Steps of Runge-Kutta methods with error estimates: Dormand and Prince (1980), Bogacki and Shampine (1989).

The size of the first step and of those after it follows Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I,
II.4, and the order of the arithmetic SciPy's, so that the numbers are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .numbers import numbers

SAFETY, LEAST, MOST = 0.9, 0.2, 10
"""By what a step's size is multiplied: of what the error would allow, and at least and at most."""


@dataclass(frozen=True, slots=True)
class Method:
    """Coefficients by the names that they have in the literature; `dense` makes the values between two steps."""

    error_order: int
    a: Any
    b: Any
    c: Any
    e: Any
    dense: Any


METHODS = {
    "RK45": Method(
        4,
        np.array([
            [0, 0, 0, 0, 0], [1 / 5, 0, 0, 0, 0], [3 / 40, 9 / 40, 0, 0, 0], [44 / 45, -56 / 15, 32 / 9, 0, 0],
            [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0],
            [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        ]),
        np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]),
        np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1]),
        np.array([-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40]),
        np.array([
            [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
            [0, 0, 0, 0],
            [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
            [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
            [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
            [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
            [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
        ]),
    ),
    "RK23": Method(
        2,
        np.array([[0, 0, 0], [1 / 2, 0, 0], [0, 3 / 4, 0]]),
        np.array([2 / 9, 1 / 3, 4 / 9]),
        np.array([0, 1 / 2, 3 / 4]),
        np.array([5 / 72, -1 / 12, -1 / 9, 1 / 8]),
        np.array([[1, -4 / 3, 5 / 9], [0, 1, -2 / 3], [0, 4 / 3, -8 / 9], [0, -1, 1]]),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """The solution between two steps."""

    begin: Any
    end: Any
    first: Any
    weights: Any

    def __call__(self, t: Any) -> Any:
        """The values (n,) at a time, or (n, times)."""
        size = self.end - self.begin
        x = (t - self.begin) / size
        order = self.weights.shape[1]
        powers = np.cumprod(np.tile(x, order) if np.ndim(t) == 0 else np.tile(x, (order, 1)), axis=0)
        y = size * np.dot(self.weights, powers)
        return y + (self.first[:, None] if y.ndim == 2 else self.first)


class RungeKutta:
    """Where a solution is, and how it goes on.

    Args:
        method: the coefficients.
        fun: the derivative of a time and values.
        t, y: where it begins.
        end: where it ends.
        rtol, atol: how large the error of a step may be, of the values and by itself.

    Raises:
        ValueError: for values that are no row, and steps or tolerances that are none.
    """

    def __init__(
        self, method: Method, fun: Callable[[Any, Any], Any], t: float, y: Any, end: float, rtol: Any = 1e-3, atol: Any = 1e-6,
        max_step: Any = np.inf, first_step: Any = None, **_: Any,
    ) -> None:  # fmt: skip
        if y.ndim != 1:
            raise ValueError("`y0` must be 1-dimensional.")
        self.method, self.t, self.end, self.calls = method, t, end, 0
        self.y = y.astype(complex if y.dtype.kind == "c" else float, copy=False)
        self._fun = fun
        self._most = float(max_step)
        if self._most <= 0:
            raise ValueError("`max_step` must be positive.")
        self.rtol, self.atol = np.maximum(numbers(rtol), 100 * np.finfo(float).eps), numbers(atol)
        if np.any(self.atol < 0):
            raise ValueError("`atol` must be positive.")
        self._direction = np.sign(end - t) if end != t else 1
        self._slope = self._derivative(t, self.y)
        self._size = self._first_size() if first_step is None else float(first_step)
        if first_step is not None and not 0 < self._size <= abs(end - t):
            raise ValueError("`first_step` must be positive." if self._size <= 0 else "`first_step` exceeds bounds.")
        self._stages = np.empty((len(method.c) + 1, self.y.size), self.y.dtype)
        self._from: tuple[Any, Any] = (t, self.y)

    def _derivative(self, t: Any, y: Any) -> Any:
        self.calls += 1
        return np.asarray(self._fun(t, y), self.y.dtype)

    def _first_size(self) -> Any:
        length, y, slope = abs(self.end - self.t), self.y, self._slope
        if y.size == 0:
            return np.inf
        if length == 0.0:
            return 0.0
        scale = self.atol + np.abs(y) * self.rtol
        d0, d1 = _norm(y / scale), _norm(slope / scale)
        h0 = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, length)
        ahead = self._derivative(self.t + h0 * self._direction, y + h0 * self._direction * slope)
        d2 = _norm((ahead - slope) / scale) / h0
        still = d1 <= 1e-15 and d2 <= 1e-15
        h1 = max(1e-6, h0 * 1e-3) if still else (0.01 / max(d1, d2)) ** (1 / (self.method.error_order + 1))
        return min(100 * h0, h1, length, self._most)

    def step(self) -> bool:
        """Go one step on; returns False where it would be too small to be one."""
        t, y, m = self.t, self.y, self.method
        exponent = -1 / (m.error_order + 1)
        least = 10 * np.abs(np.nextafter(t, self._direction * np.inf) - t)
        size = min(max(self._size, least), self._most)
        rejected = False
        while True:
            if size < least:
                return False
            after = t + size * self._direction
            if self._direction * (after - self.end) > 0:
                after = self.end
            h = after - t
            size = np.abs(h)
            new, slope = self._stage(h)
            scale = self.atol + np.maximum(np.abs(y), np.abs(new)) * self.rtol
            error = _norm(np.dot(self._stages.T, m.e) * h / scale)
            if error < 1:
                factor = MOST if error == 0 else min(MOST, SAFETY * error**exponent)
                self._size = size * (min(1, factor) if rejected else factor)
                break
            size *= max(LEAST, SAFETY * error**exponent)
            rejected = True
        self._from = t, y
        self.t, self.y, self._slope = after, new, slope
        return True

    def _stage(self, h: Any) -> tuple[Any, Any]:
        t, y, k, m = self.t, self.y, self._stages, self.method
        k[0] = self._slope
        for s in range(1, len(m.c)):
            k[s] = self._derivative(t + m.c[s] * h, y + np.dot(k[:s].T, m.a[s, :s]) * h)
        new = y + h * np.dot(k[:-1].T, m.b)
        k[-1] = slope = self._derivative(t + h, new)
        return new, slope

    def piece(self) -> Piece:
        """The solution within the last step."""
        return Piece(self._from[0], self.t, self._from[1], self._stages.T.dot(self.method.dense))


def _norm(x: Any) -> Any:
    return np.linalg.norm(x) / x.size**0.5
