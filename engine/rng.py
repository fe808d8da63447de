"""PyTorch's streams of random numbers on the CPU, bit for bit: the same seed gives the same numbers.

The source of bits is the Mersenne Twister (Matsumoto and Nishimura, 1998), which NumPy has as well. What differs between
libraries is how bits become numbers: PyTorch takes 24 bits for a float32 and 53 of two draws for a float64; it makes normal
numbers by the Box–Muller transform, of 16 elements at a time where there are 16 or more, else in pairs of which the second is
kept for the next call.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
F32 = np.float32
LANES = 16
WORDS = 624
"""Of the Mersenne Twister's state."""
STATE = np.dtype(
    [
        ("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", WORDS), ("normal_x", "<f8"),
        ("normal_y", "<f8"), ("normal_rho", "<f8"), ("normal_is_valid", "<i8"), ("float_normal", "<f4"), ("has_float", "<u4"),
    ]
)  # fmt: skip
"""PyTorch's state of a generator on the CPU, the numbers of an older generator among them."""


class Stream:
    """A source of random numbers with PyTorch's ways of making them."""

    def __init__(self, seed: int) -> None:
        self.bits = np.random.MT19937()
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start again from `seed`, of which the low 32 bits count."""
        self.begun = seed % (1 << 64)
        """The seed it was started from."""
        self.bits._legacy_seeding(seed & 0xFFFFFFFF)
        self.kept: float | None = None
        """The second number of a normal pair, until it is asked for."""

    # --- bits and uniform numbers ------------------------------------------------------------------------------------------

    def bits32(self, n: int) -> Array:
        """`n` words of 32 bits, as uint64."""
        return np.asarray(self.bits.random_raw(n), np.uint64)

    def bits64(self, n: int) -> Array:
        """`n` words of 64 bits, two draws each, the first on top."""
        pairs = self.bits32(2 * n).reshape(n, 2)
        return (pairs[:, 0] << np.uint64(32)) | pairs[:, 1]

    def uniform(self, n: int, dtype: Any) -> Array:
        """`n` uniform numbers from [0, 1) in float64 or float32 (which stands for narrower types, too)."""
        if np.dtype(dtype) == np.float64:
            return (self.bits64(n) & np.uint64((1 << 53) - 1)).astype(np.float64) * 2.0**-53
        return (self.bits32(n) & np.uint64((1 << 24) - 1)).astype(F32) * F32(2**-24)

    def between(self, low: float, high: float, n: int, dtype: Any) -> Array:
        """`n` uniform numbers from [low, high)."""
        unit = self.uniform(n, dtype)
        kind = unit.dtype.type
        width, low = kind(high) - kind(low), kind(low)
        # PyTorch's compiler multiplies and adds in one rounding.
        value = fused(unit, width, low) if kind is F32 else unit * width + low
        value = value.astype(dtype)
        value[value == np.dtype(dtype).type(high)] = low
        return value

    def integers(self, low: int, high: int, n: int) -> Array:
        """`n` integers from low to high - 1."""
        span = high - low
        words = self.bits64(n) if span >= 1 << 32 else self.bits32(n)
        return (words % np.uint64(span)).astype(np.int64) + low

    def permutation(self, n: int) -> Array:
        """The numbers from 0 to n - 1 shuffled."""
        order = np.arange(n)
        if n > 1:
            swaps = (self.bits32(n - 1) % np.arange(n, 1, -1, dtype=np.uint64)).astype(np.int64)
            for i, z in enumerate(swaps.tolist()):
                order[i], order[i + z] = order[i + z], order[i]
        return order

    # --- other distributions -----------------------------------------------------------------------------------------------

    def normal(self, mean: float, std: float, n: int, dtype: Any) -> Array:
        """`n` normal numbers."""
        if n < LANES:
            return np.array([self.one_normal() * std + mean for _ in range(n)]).astype(dtype)
        wide = np.float64 if np.dtype(dtype) == np.float64 else F32
        out = self.uniform(n, wide)
        whole = n // LANES * LANES
        if np.dtype(dtype).itemsize == 2:
            out[:whole] = box_muller(out[:whole], mean, std)
            if n % LANES:
                out[-LANES:] = box_muller(np.concatenate([out[whole:], self.uniform(LANES - n % LANES, wide)]), mean, std)
            return out.astype(dtype)
        out[:whole] = box_muller(out[:whole], mean, std)
        if n % LANES:
            out[-LANES:] = box_muller(self.uniform(LANES, wide), mean, std)
        return out

    def one_uniform(self) -> float:
        """One uniform number from [0, 1), as `uniform` gives it in float64."""
        draw = self.bits.random_raw
        high = int(draw())
        return ((high << 32 | int(draw())) & (1 << 53) - 1) * 2.0**-53

    def one_normal(self) -> float:
        """One standard normal number, from a pair of which the other is kept."""
        if self.kept is not None:
            value, self.kept = self.kept, None
            return value
        angle, radius = self.one_uniform(), self.one_uniform()
        radius, angle = math.sqrt(-2.0 * math.log1p(-radius)), 2.0 * math.pi * angle
        self.kept = radius * math.sin(angle)
        return radius * math.cos(angle)

    def exponential(self, rate: float, n: int) -> Array:
        """`n` exponential numbers of the given rate, in float64."""
        return -1.0 / rate * np.log1p(-self.uniform(n, np.float64))

    def cauchy(self, median: float, sigma: float, n: int) -> Array:
        """`n` Cauchy numbers, in float64."""
        return median + sigma * np.tan(math.pi * (self.uniform(n, np.float64) - 0.5))

    def geometric(self, p: float, n: int) -> Array:
        """`n` numbers of trials up to the first success, in float64."""
        return np.ceil(np.log(self.uniform(n, np.float64)) / math.log1p(-p))

    # --- its state ---------------------------------------------------------------------------------------------------------

    def state(self) -> Array:
        """The whole state as bytes, as PyTorch has them."""
        inner = self.bits.state["state"]
        key, position = inner["key"], inner["pos"]
        found = np.zeros((), STATE)
        found["seed"], found["seeded"], found["words"] = self.begun, 1, key
        if position == WORDS:
            # Its first block is made when the first number is asked for.
            begin = np.random.MT19937()
            begin._legacy_seeding(self.begun & 0xFFFFFFFF)
            found["left"], found["next"] = 1, 0 if np.array_equal(begin.state["state"]["key"], key) else WORDS
        else:
            found["left"], found["next"] = WORDS + 1 - position, position
        if self.kept is not None:
            found["normal_y"], found["normal_is_valid"] = self.kept, 1
        return np.frombuffer(bytearray(found.tobytes()), np.uint8)

    def restore(self, state: Array) -> None:
        """Go on from a state that `state` gave, here or in PyTorch.

        Raises:
            RuntimeError: for anything else; NumPy would read beyond the state's memory.
        """
        if state.size != STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE.itemsize} but found the input RNG state size to be "
                f"{state.size}"
            )
        found = np.frombuffer(np.ascontiguousarray(state).tobytes(), STATE)[0]
        left, next = int(found["left"]), int(found["next"])
        if state.dtype != np.uint8 or found["seeded"] != 1 or not 0 < left <= WORDS or next > WORDS:
            raise RuntimeError("Invalid mt19937 state")
        key = found["words"].astype(np.uint32)
        self.bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": WORDS if left == 1 else next}}
        self.begun = int(found["seed"])
        self.kept = float(found["normal_y"]) if found["normal_is_valid"] else None


# --- PyTorch's vectorised Box–Muller ---------------------------------------------------------------------------------------


def box_muller(uniform: Array, mean: float, std: float) -> Array:
    """Normal numbers from uniform ones, in blocks of 16: eight radii, then eight angles."""
    blocks = uniform.reshape(-1, 2, LANES // 2)
    u, v = 1 - blocks[:, 0], blocks[:, 1]
    if uniform.dtype == np.float64:
        radius, angle = np.sqrt(-2.0 * np.log(u)), 2.0 * math.pi * v
        cos, sin = radius * np.cos(angle), radius * np.sin(angle)
        return (np.stack([cos, sin], 1) * std + mean).reshape(-1)
    radius = np.sqrt(F32(-2) * log32(u))
    sin, cos = sincos32(F32(2 * math.pi) * v)
    return fused(np.stack([radius * cos, radius * sin], 1), F32(std), F32(mean)).reshape(-1)


def fused(a: Any, b: Any, c: Any) -> Array:
    """`a * b + c` of float32 numbers, rounded once."""
    return np.asarray(np.asarray(a, np.float64) * b + np.asarray(c, np.float64)).astype(F32)


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    y = np.full_like(x, F32(coefficients[0]))
    for c in coefficients[1:]:
        y = fused(y, x, F32(c))
    return y


LOG = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1,
    -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
COS = (2.443315711809948e-005, -1.388731625493765e-003, 4.166664568298827e-002)
SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)


def log32(x: Array) -> Array:
    """Natural logarithm in single precision after Cephes (Moshier, 1992), rounded as PyTorch's kernel rounds."""
    mantissa, exponent = np.frexp(x)
    e = exponent.astype(F32)
    small = mantissa < F32(0.707106781186547524)
    e -= small.astype(F32)
    x = (mantissa - F32(1)) + np.where(small, mantissa, F32(0))
    z = x * x
    y = fused(_polynomial(LOG, x) * x, z, e * F32(-2.12194440e-4))
    y = fused(z, F32(-0.5), y)
    return fused(e, F32(0.693359375), x + y)


def sincos32(x: Array) -> tuple[Array, Array]:
    """Sine and cosine of non-negative angles in single precision after Cephes, rounded as PyTorch's kernel rounds."""
    octant = (x * F32(1.27323954473516)).astype(np.int32)
    octant = (octant + 1) & ~1
    y = octant.astype(F32)
    for part in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8):
        x = fused(y, F32(part), x)
    z = x * x
    cos = fused(_polynomial(COS, z) * z, z, -(z * F32(0.5))) + F32(1)
    sin = fused(_polynomial(SIN, z) * z, x, x)
    swap = (octant & 2) != 0
    sine, cosine = np.where(swap, cos, sin), np.where(swap, sin, cos)
    return np.where(octant & 4, -sine, sine), np.where((octant - 2) & 4, cosine, -cosine)
