"""Functions of two elements: the larger, the smaller, angles, lengths, sums of exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...compat.signatures import invalid_combination
from ...compat.version import since
from ...errors import refuses_complex
from ...op.declare import function, op
from ...tensor import Tensor
from .arithmetic import pow as power
from .comparison import where
from .unary import exp, sgn, zeros_like_grad

LAYOUT = "elementwise"
"""How the results of the operations here stand in memory; see `engine/op/layouts.py`."""

# --- the larger and the smaller --------------------------------------------------------------------------------------------

SMALL_FORMULAS = True
"""The formulas here stand in the call paths themselves."""


def favoured(grad, wins, ties):
    """`grad` where an operand wins, half of it where the two are equal."""
    return where(wins, grad, where(ties, grad * 0.5, 0.0))


@op(
    r"\max({self}, {other})",
    traits="chooses tensors_only",
    self=lambda grad, self, other: favoured(grad, self > other, self == other),
    other=lambda grad, self, other: favoured(grad, other > self, self == other),
    real_only=refuses_complex("maximum not implemented for complex tensors."),
)
def maximum(self, other):
    """The larger of two elements; equal ones share the gradient."""
    return np.maximum(self, other)


@op(
    r"\min({self}, {other})",
    traits="chooses tensors_only",
    self=lambda grad, self, other: favoured(grad, self < other, self == other),
    other=lambda grad, self, other: favoured(grad, other < self, self == other),
    real_only=refuses_complex("minimum not implemented for complex tensors."),
)
def minimum(self, other):
    """The smaller of two elements; equal ones share the gradient."""
    return np.minimum(self, other)


@op(
    r"\max({self}, {other})",
    traits="chooses tensors_only",
    self=lambda grad, self, other: where((self >= other) | (other != other), grad, 0.0),
    other=lambda grad, self, other: where((self >= other) | (other != other), 0.0, grad),
    real_only=refuses_complex("fmax not implemented for complex tensors."),
)
def fmax(self, other):
    """The larger of two elements; a number wins over NaN."""
    return np.fmax(self, other)


@op(
    r"\min({self}, {other})",
    traits="chooses tensors_only",
    self=lambda grad, self, other: where((self <= other) | (other != other), grad, 0.0),
    other=lambda grad, self, other: where((self <= other) | (other != other), 0.0, grad),
    real_only=refuses_complex("fmin not implemented for complex tensors."),
)
def fmin(self, other):
    """The smaller of two elements; a number wins over NaN."""
    return np.fmin(self, other)


# --- geometry --------------------------------------------------------------------------------------------------------------


def turned(grad, part, self, other):
    """`grad * part / (self² + other²)`, zero at the origin."""
    square = self * self + other * other
    return where(square == 0, 0.0, grad * (part / where(square == 0, 1.0, square)))


@op(
    r"\mathrm{{atan2}}({self}, {other})",
    traits="tensors_only",
    floating=True,
    self=lambda grad, self, other: turned(grad, other, self, other),
    other=lambda grad, self, other: turned(grad, -self, self, other),
    real_only="atan2_cpu",
)
def atan2(self, other):
    """The angle of the point (`other`, `self`)."""
    return np.arctan2(self, other)


@op(
    r"\sqrt{{ {self}^2 + {other}^2 }}",
    traits="tensors_only",
    self=lambda grad, self, result: grad * (self / result),
    other=lambda grad, other, result: grad * (other / result),
    real_only="hypot_cpu",
)
def hypot(self, other):
    """The length of the hypotenuse."""
    if self.dtype.kind not in dtypes.INEXACT:
        raise NotImplementedError(f"\"hypot_cpu\" not implemented for '{dtypes.SCALAR_NAMES[dtypes.OF_NUMPY[self.dtype]]}'")
    return np.hypot(self, other)


@op(
    r"|{self}| \, \mathrm{{sign}}({other})",
    floating=True,
    self=lambda grad, self, result: where(self == 0, 0.0, grad * sgn(result) * sgn(self)),
    other=lambda grad: zeros_like_grad(grad),
    real_only="copysign_cpu",
)
def copysign(self, other):
    """The magnitude of the first with the sign of the second."""
    return np.copysign(self, other)


# --- exponentials ----------------------------------------------------------------------------------------------------------


@op(
    r"\ln(e^{{ {self} }} + e^{{ {other} }})",
    traits="tensors_only",
    self=lambda grad, self, other: grad / (1 + exp(other - self)),
    other=lambda grad, self, other: grad / (1 + exp(self - other)),
)
def logaddexp(self, other):
    """`log(exp(x) + exp(y))`, computed stably."""
    if self.dtype.kind == "c":
        low = self.real < other.real
        large, small = np.where(low, other, self), np.where(low, self, other)
        gap = np.where(np.isinf(large.real) & (large == small), 0, small - large)
        return np.where(np.isneginf(large.real), large, large + np.log(1 + np.exp(gap)))
    return np.logaddexp(self, other)


@op(
    r"\log_2(2^{{ {self} }} + 2^{{ {other} }})",
    traits="tensors_only",
    self=lambda grad, self, other: grad / (1 + 2 ** (other - self)),
    other=lambda grad, self, other: grad / (1 + 2 ** (self - other)),
    real_only="logaddexp2_cpu",
)
def logaddexp2(self, other):
    """`log2(2**x + 2**y)`, computed stably."""
    return np.logaddexp2(self, other)


@function(traits="reads_first")
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """`input * 2 ** other`."""
    for position, (name, x) in enumerate((("input", input), ("other", other)), 1):
        if not isinstance(x, Tensor):
            raise TypeError(f"ldexp(): argument '{name}' (position {position}) must be Tensor, not {type(x).__name__}")
    return input * power(2.0, other)


@function(traits="reads_first")
def float_power(input: Any, exponent: Any) -> Tensor:
    """`input ** exponent` in float64, or in complex128 where one of them is complex."""
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise invalid_combination("float_power", input, exponent)
    twisted = any(x.is_complex() if isinstance(x, Tensor) else isinstance(x, complex) for x in (input, exponent))
    target, number = (dtypes.complex128, complex) if twisted else (dtypes.float64, float)
    base = input.to(target) if isinstance(input, Tensor) else number(input)
    return power(base, exponent.to(target) if isinstance(exponent, Tensor) else number(exponent))


# --- without a derivative --------------------------------------------------------------------------------------------------


NO_STEP = "heaviside is not yet implemented for complex tensors."


@op(
    r"\theta({self})",
    traits="steps tensors_only",
    self=None,
    values=None,
    real_only=since("2.15", NotImplementedError(NO_STEP), before=RuntimeError(NO_STEP)),
)
def heaviside(self, values):
    """0 for negative elements, 1 for positive ones, `values` at zero."""
    if self.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return np.where(self == 0, values, (self > 0).astype(self.dtype))


@op(r"\gcd({self}, {other})", traits="tensors_only", self=None, other=None)
def gcd(self, other):
    """The greatest common divisor."""
    return np.gcd(self, other)


@op(r"\mathrm{{lcm}}({self}, {other})", traits="tensors_only", self=None, other=None)
def lcm(self, other):
    """The least common multiple."""
    return np.lcm(self, other)


@op(
    r"\mathrm{{nextafter}}({self}, {other})",
    traits="tensors_only",
    self=lambda grad, self, other: where(self == other, 0.0, grad),
    other=lambda grad: zeros_like_grad(grad),
    real_only="nextafter_cpu",
)
def nextafter(self, other):
    """The next number after `self` towards `other`."""
    return np.nextafter(self, other)


arctan2 = atan2
