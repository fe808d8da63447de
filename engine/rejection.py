"""Random numbers that are drawn until one is accepted: gamma, Poisson and binomial, one at a time, as PyTorch draws them.

The methods: Marsaglia and Tsang (2000) for gamma numbers, Hörmann (1993) for Poisson and binomial ones of large means, products
of uniform numbers and sums of geometric ones for small means. How many draws a number takes depends on what was drawn, so the
stream goes on as PyTorch's does only where every comparison is rounded as there: what PyTorch computes in single precision is
computed in single precision here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .rng import Stream

Array = np.ndarray[Any, Any]

THIRD, SQUEEZE = float(np.float32(1) / np.float32(3)), float(np.float32(0.0331))
"""Constants that PyTorch writes in single precision."""
LARGE_MEAN = 10.0
"""From here on Poisson and binomial numbers are drawn by rejection."""


def each(draw: Callable[..., float], *parameters: Array, dtype: Any) -> Array:
    """One number for each element of parameters of one shape, in order."""
    shape = parameters[0].shape
    numbers = [draw(*given) for given in zip(*(p.reshape(-1) for p in parameters))]
    return np.array(numbers, np.float64).astype(dtype).reshape(shape)


# --- gamma -----------------------------------------------------------------------------------------------------------------


def gamma(stream: Stream, shapes: Array) -> Array:
    """Gamma numbers of rate 1, never below the smallest normal number of the dtype."""
    tiny = np.finfo(shapes.dtype).tiny
    return np.asarray(np.maximum(each(lambda a: one_gamma(stream, a), shapes, dtype=shapes.dtype), tiny))


def dirichlet(stream: Stream, concentration: Array) -> Array:
    """Points of the simplex, along the last dimension: gamma numbers, drawn in double precision, over their sum."""
    numbers = gamma(stream, concentration.astype(np.float64))
    shares = (numbers / numbers.sum(-1, keepdims=True)).astype(concentration.dtype)
    one = concentration.dtype.type(1)
    return np.asarray(np.clip(shares, np.finfo(concentration.dtype).tiny, np.nextafter(one, one * 0)))


def one_gamma(stream: Stream, shape: Any) -> float:
    """A gamma number of a shape given as NumPy's scalar, whose precision decides how it is rounded."""
    kind, scale = type(shape), 1.0
    if shape < 1:
        if shape == 0:
            return 0.0
        scale = (1 - stream.one_uniform()) ** float(kind(1) / shape)
        shape = shape + kind(1)
    d = float(shape - kind(THIRD))
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        y = 0.0
        while y <= 0:
            x = stream.one_normal()
            y = 1.0 + c * x
        v = y * y * y
        u = 1 - stream.one_uniform()
        xx = x * x
        if u < 1.0 - SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


# --- Poisson ---------------------------------------------------------------------------------------------------------------


def poisson(stream: Stream, rates: Array) -> Array:
    """Poisson numbers.

    Raises:
        RuntimeError: for a negative rate.
    """
    if not (rates >= 0).all():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return each(lambda rate: one_poisson(stream, float(rate)), rates, dtype=rates.dtype)


def one_poisson(stream: Stream, rate: float) -> int:
    """A Poisson number."""
    if rate == 0:
        return 0
    if rate >= LARGE_MEAN:
        return _large_poisson(stream, rate)
    least, product, n = math.exp(-rate), stream.one_uniform(), 0
    while product > least:
        product *= stream.one_uniform()
        n += 1
    return n


def _large_poisson(stream: Stream, rate: float) -> int:
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    log_rate = math.log(rate)
    while True:
        u, v = stream.one_uniform() - 0.5, stream.one_uniform()
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        log_v = math.log(v) if v else -math.inf
        if log_v + math.log(inverse_alpha) - math.log(a / (us * us) + b) <= -rate + k * log_rate - math.lgamma(k + 1.0):
            return k


# --- binomial --------------------------------------------------------------------------------------------------------------


def binomial(stream: Stream, counts: Array, probabilities: Array) -> Array:
    """Numbers of successes among `counts` trials; both of one shape and dtype."""
    return each(lambda n, p: one_binomial(stream, n, p), counts, probabilities, dtype=counts.dtype)


def one_binomial(stream: Stream, count: Any, p: Any) -> float:
    """A binomial number of NumPy's scalars, whose precision decides how it is rounded."""
    if count <= 0 or p <= 0:
        return 0.0
    if p >= 1:
        return float(count)
    if np.isnan(p):
        return math.nan
    less = p <= 0.5
    rare = p if less else type(p)(1.0 - float(p))
    drawn = (_large_binomial if count * rare >= LARGE_MEAN else _small_binomial)(stream, count, rare)
    return drawn if less else float(count) - drawn


def _small_binomial(stream: Stream, count: Any, p: Any) -> float:
    """How many waiting times for a success pass before the trials are over."""
    failure = float(np.log1p(-p))
    waited, n, trials = 0.0, 0.0, float(count)
    while True:
        u = stream.one_uniform()
        waited += math.ceil(math.log(u) / failure) if u else math.inf
        if waited > trials:
            return n
        n += 1


TAILS = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
    0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip
"""What Stirling's formula lacks of the logarithm of k!, for small k."""


def _tail(k: float) -> float:
    if k < len(TAILS):
        return TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


def _large_binomial(stream: Stream, count: Any, p: Any) -> float:
    kind = type(p)
    deviation = float(np.sqrt(count * p * (kind(1) - p)))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * float(p)
    c = float(count * p) + 0.5
    v_r = 0.92 - 4.2 / b
    r = float(p / (kind(1) - p))
    alpha = (2.83 + 5.1 / b) * deviation
    m = float(np.floor((count + kind(1)) * p))
    n = float(count)
    while True:
        u, v = stream.one_uniform() - 0.5, stream.one_uniform()
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = float(math.floor((2 * a / us + b) * u + c))
        if k < 0 or k > n:
            continue
        if us >= 0.07 and v <= v_r:
            return k
        least = v * alpha / (a / (us * us) + b)
        bound = (
            (m + 0.5) * math.log((m + 1) / (r * (n - m + 1)))
            + (n + 1) * math.log((n - m + 1) / (n - k + 1))
            + (k + 0.5) * math.log(r * (n - k + 1) / (k + 1))
            + _tail(m)
            + _tail(n - m)
            - _tail(k)
            - _tail(n - k)
        )
        if not least or math.log(least) <= bound:
            return k
