"""Integrals of functions, by Gauss and Kronrod's rules where the error is largest, and of values that are given."""

from __future__ import annotations

import heapq
import math
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from ...context import outside
from .numbers import numbers

PANELS = 4
"""To how many parts one of QUADPACK's comes, which goes on from their sums to a limit."""
LEAST, ROUND = np.finfo(float).tiny, np.finfo(float).eps


def _rule(nodes: tuple[float, ...], weights: tuple[float, ...]) -> tuple[Any, Any, Any]:
    """Nodes and weights of Kronrod's rule, and those of the Gauss rule at every other node."""
    x, v = np.array([*nodes, *(-n for n in nodes[-2::-1])]), np.array([*weights, *weights[-2::-1]])
    gauss = np.zeros_like(v)
    gauss[1::2] = np.polynomial.legendre.leggauss(len(v[1::2]))[1]
    return x, v, gauss


RULE_21 = _rule(
    (0.995657163025808080735527280689003, 0.973906528517171720077964012084452, 0.930157491355708226001207180059508,
     0.865063366688984510732096688423493, 0.780817726586416897063717578345042, 0.679409568299024406234327365114874,
     0.562757134668604683339000099272694, 0.433395394129247190799265943165784, 0.294392862701460198131126603103866,
     0.148874338981631210884826001129720, 0.0),
    (0.011694638867371874278064396062192, 0.032558162307964727478818972459390, 0.054755896574351996031381300244580,
     0.075039674810919952767043140916190, 0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
     0.123491976262065851077958109831074, 0.134709217311473325928054001771707, 0.142775938577060080797094273138717,
     0.147739104901338491374841515972068, 0.149445554002916905664936468389821),
)  # fmt: skip
RULE_15 = _rule(
    (0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
     0.741531185599394439863864773280788, 0.586087235467691130294144838258730, 0.405845151377397166906606412076961,
     0.207784955007898467600689403773245, 0.0),
    (0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
     0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
     0.204432940075298892414161999234649, 0.209482141084727828012999174891714),
)  # fmt: skip


def quad(
    func: Callable[..., Any], a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8, limit: Any = 50, points: Any = None, **options: Any,
) -> Any:  # fmt: skip
    """The integral of a function from `a` to `b`, either of which may be infinite, and how far it may be off.

    Raises:
        NotImplementedError: for weights, and whatever else is asked for.
    """
    if options:
        raise NotImplementedError(f"quad with {', '.join(options)} is not here; multiply the function by its weight")
    given = args if isinstance(args, tuple) else (args,)

    def at(x: Any) -> float:
        return float(func(float(x), *given))

    low, high = float(a), float(b)
    if low == high:
        return 0.0, 0.0
    sign = 1 if low < high else -1
    low, high = min(low, high), max(low, high)
    if math.isinf(low) or math.isinf(high):
        inner, rule, low, high = _of_all(at, low, high), RULE_15, 0.0, 1.0
    else:
        inner, rule = at, RULE_21
    breaks = [
        low,
        *sorted(float(p) for p in ([] if points is None else numbers(points, float).ravel()) if low < p < high),
        high,
    ]
    found, error = _adaptive(inner, breaks, rule, float(epsabs), float(epsrel), int(limit))
    return (sign * found, error, {}) if full_output else (sign * found, error)


def _of_all(at: Callable[[Any], float], low: float, high: float) -> Callable[[Any], float]:
    """The function of (0, 1] whose integral is that of one without an end."""
    if math.isinf(low) and math.isinf(high):
        return lambda t: (at((1 - t) / t) + at(-(1 - t) / t)) / t**2
    if math.isinf(high):
        return lambda t: at(low + (1 - t) / t) / t**2
    return lambda t: at(high - (1 - t) / t) / t**2


def _adaptive(
    at: Callable[[Any], float], breaks: list[float], rule: Any, epsabs: float, epsrel: float, limit: int
) -> tuple[float, float]:
    parts: list[tuple[float, float, float, float]] = []
    for low, high in pairwise(breaks):
        value, error = _panel(at, low, high, rule)
        heapq.heappush(parts, (-error, low, high, value))
    while True:
        total, error = math.fsum(p[3] for p in parts), -math.fsum(p[0] for p in parts)
        if error <= max(epsabs, epsrel * abs(total)) or not math.isfinite(error):
            return total, error
        if len(parts) >= PANELS * limit:
            warnings.warn(f"The maximum number of subdivisions ({limit}) has been achieved.", UserWarning, outside())
            return total, error
        _, low, high, _ = heapq.heappop(parts)
        middle = 0.5 * (low + high)
        for left, right in ((low, middle), (middle, high)):
            value, part = _panel(at, left, right, rule)
            heapq.heappush(parts, (-part, left, right, value))


def _panel(at: Callable[[Any], float], low: float, high: float, rule: Any) -> tuple[float, float]:
    """The integral over a part, and its error as QUADPACK estimates it."""
    nodes, weights, gauss = rule
    half, middle = 0.5 * (high - low), 0.5 * (low + high)
    values = np.array([at(middle + half * x) for x in nodes])
    whole = float(weights @ values)
    size = float(weights @ np.abs(values)) * half
    spread = float(weights @ np.abs(values - whole / 2)) * half
    error = abs((whole - float(gauss @ values)) * half)
    if spread != 0 and error != 0:
        error = spread * min(1.0, (200 * error / spread) ** 1.5)
    if size > LEAST / (50 * ROUND):
        error = max(50 * ROUND * size, error)
    return whole * half, error


# --- of values ----------------------------------------------------------------------------------------------------------------


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """The integral along an axis of straight lines between the values."""
    return np.trapezoid(numbers(y), None if x is None else numbers(x), numbers(dx), int(axis))


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    """The integrals of straight lines between the values, from the first to each."""
    y, axis = np.moveaxis(numbers(y), int(axis), -1), int(axis)
    steps = numbers(dx) if x is None else np.diff(numbers(x))
    found = np.cumsum(steps * (y[..., 1:] + y[..., :-1]) / 2.0, -1)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
        found = np.concatenate([np.zeros((*found.shape[:-1], 1), found.dtype), found], -1)
    return np.moveaxis(found, -1, axis)


def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: Any = -1) -> Any:
    """The integral along an axis of parabolas through the values; the last of an even number is added as Cartwright does."""
    y = np.moveaxis(numbers(y), int(axis), -1).astype(float)
    count = y.shape[-1]
    steps = np.full(count - 1, float(dx)) if x is None else np.diff(numbers(x, float))
    if count < 3:
        return (0.5 * steps * (y[..., 1:] + y[..., :-1])).sum(-1)
    odd = count - (1 - count % 2)
    h0, h1 = steps[..., 0 : odd - 1 : 2], steps[..., 1 : odd - 1 : 2]
    first, second, third = y[..., 0 : odd - 2 : 2], y[..., 1 : odd - 1 : 2], y[..., 2:odd:2]
    both = h0 + h1
    whole = both / 6.0 * (first * (2.0 - h1 / h0) + second * (both * both / (h0 * h1)) + third * (2.0 - h0 / h1))
    found = whole.sum(-1)
    if odd != count:
        a, b = steps[..., -2], steps[..., -1]
        found = found + (2 * b**2 + 3 * a * b) / (6 * (b + a)) * y[..., -1] + (b**2 + 3 * a * b) / (6 * a) * y[..., -2]
        found = found - b**3 / (6 * a * (a + b)) * y[..., -3]
    return found
