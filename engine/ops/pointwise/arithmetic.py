"""Arithmetic: sums, products, quotients and powers, with broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import INEXACT, OF_NUMPY, SCALAR_NAMES, held_in, result_dtype
from ...errors import UNIMPLEMENTED
from ...op.declare import function, op, overload
from ...op.slow_path import no_difference
from ...tensor import Tensor, constant
from .comparison import where
from .unary import is_complex, log, zeros_like_grad

ELEMENTWISE = True
SMALL_FORMULAS = True
"""The formulas here stand in the call paths themselves."""


def scaled(grad, factor):
    """`grad * factor`, without the multiplication by one."""
    return grad if factor == 1 else grad * factor


def factor(self, alpha):
    """The factor of a sum, as a number of the terms' kind.

    Raises:
        RuntimeError: for what is no such number.
    """
    kind = self.dtype.kind
    if alpha.__class__ is bool and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and kind not in INEXACT:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and kind != "c":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if kind == "b":
        return bool(alpha)
    return held_in(alpha, self.dtype)


@op(
    r"{self} + {other}",
    symbol="+",
    ufunc=np.add,
    traits="additive infix commutative number_first",
    self=lambda grad: grad,
    other=lambda grad, alpha: scaled(grad, alpha),
)
def add(self, other, *, alpha=1):
    """Sum, `self + alpha * other`."""
    return self + (other if alpha == 1 and alpha is not True else other * factor(self, alpha))


@op(
    r"{self} - {other}",
    symbol="−",
    ufunc=np.subtract,
    traits="additive difference infix number_first",
    self=lambda grad: grad,
    other=lambda grad, alpha: scaled(-grad, alpha),
)
def sub(self, other, *, alpha=1):
    """Difference, `self - alpha * other`."""
    if self.dtype.kind == "b":
        raise no_difference(2)
    return self - (other if alpha == 1 and alpha is not True else other * factor(self, alpha))


@op(
    r"{other} - {self}",
    symbol="−",
    traits="additive difference infix swapped",
    self=lambda grad, alpha: scaled(-grad, alpha),
    other=lambda grad: grad,
    node="RsubBackward0",
    name="rsub",
)
def _rsub_tensor(self, other, *, alpha=1):
    """Reversed difference, `other - alpha * self`."""
    if self.dtype.kind == "b":
        raise no_difference(2)
    return other - (self if alpha == 1 and alpha is not True else self * factor(self, alpha))


_rsub_number = overload(_rsub_tensor, "_rsub_number", "RsubBackward1", number="other")


@function
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Reversed difference, `other - alpha * input`."""
    return (_rsub_tensor if isinstance(other, Tensor) else _rsub_number)(input, other, alpha=alpha)


@op(
    r"{self} \cdot {other}",
    symbol="×",
    ufunc=np.multiply,
    traits="product magnitude infix commutative number_first",
    exact_numbers=True,
    self=lambda grad, other: grad * other,
    other=lambda grad, self: grad * self,
)
def mul(self, other):
    """Product of elements."""
    return self * other


@op(
    r"\frac{{ {self} }}{{ {other} }}",
    symbol="÷",
    ufunc=np.true_divide,
    traits="division infix number_first",
    exact_numbers=True,
    floating=True,
    self=lambda grad, other: grad / other,
    other=lambda grad, self, other: -grad * ((self / other) / other),
    node="DivBackward0",
    name="div",
)
def true_divide(self, other):
    """Quotient of elements; integers give floating point."""
    return self / other


def divisor(self, other, kernel="div_floor"):
    """The divisor of a whole-number division.

    Raises:
        NotImplementedError: for truth values.
        RuntimeError: for an integer zero.
    """
    if self.dtype.kind == other.dtype.kind == "b":
        raise NotImplementedError(f"\"{kernel}_cpu\" not implemented for 'Bool'")
    if other.dtype.kind not in INEXACT and not np.all(other):
        raise RuntimeError("ZeroDivisionError")
    return other


def underived(name):
    """Refuse a derivative that PyTorch has none of, though it keeps a node for it."""
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


@op(
    r"\lfloor {self} / {other} \rfloor",
    traits="steps number_first",
    self=lambda grad: underived("floor_divide"),
    other=lambda grad: underived("floor_divide"),
    node="NotImplemented",
    real_only="div_floor_cpu",
)
def floor_divide(self, other):
    """Quotient rounded down."""
    return np.floor_divide(self, divisor(self, other))


@op(
    r"{self} / {other}",
    symbol="÷",
    self=lambda grad: zeros_like_grad(grad),
    other=lambda grad: zeros_like_grad(grad),
    node="DivBackward2",
    name="div",
)
def _div_mode(self, other, rounding_mode):
    """Quotient rounded down ("floor") or towards zero ("trunc")."""
    if rounding_mode == "floor":
        return np.floor_divide(self, divisor(self, other))
    if rounding_mode == "trunc":
        quotient = np.trunc(self / divisor(self, other, "div_trunc"))
        return quotient.astype(self.dtype)
    raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")


@function(inplace=true_divide)
def div(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Quotient of elements, rounded if `rounding_mode` is "floor" or "trunc"."""
    return true_divide(input, other) if rounding_mode is None else _div_mode(input, other, rounding_mode)


def rdiv(input: Tensor, other: Any) -> Tensor:
    """`other / input` for a number: a reciprocal times the number, as PyTorch builds it."""
    return mul(reciprocal(input), other)


@op(
    r"{self} \bmod {other}",
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * floor_quotient(self, other),
    node="RemainderBackward1",
    name="remainder",
    real_only="remainder_cpu",
)
def _remainder_tensor(self, other):
    """Remainder with the sign of the divisor; one that is zero has that of `self`, as the remainder of C has."""
    made = np.remainder(self, divisor(self, other, "remainder"))
    if made.dtype.kind == "f":
        made = np.where(made == 0, np.copysign(made, self), made)
    return made


_remainder_number = overload(_remainder_tensor, "_remainder_number", "RemainderBackward0", number="other")


def beside(tensor: Tensor, number: Any) -> Tensor:
    """A number as a tensor of the dtype that it has beside another one; a tensor as it is."""
    return number if isinstance(number, Tensor) else constant(np.asarray(number, result_dtype((tensor._array, number))))


@function(inplace=_remainder_tensor)
def remainder(input: Tensor, other: Any) -> Tensor:
    """Remainder with the sign of the divisor, `input - other * floor(input / other)`."""
    if isinstance(other, Tensor) and not isinstance(input, Tensor):
        input = beside(other, input)
    return _remainder_tensor(input, other) if isinstance(other, Tensor) else _remainder_number(input, other)


@op(
    r"{self} \bmod {other}",
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * trunc_quotient(self, other),
    node="FmodBackward1",
    name="fmod",
    real_only="fmod_cpu",
)
def _fmod_tensor(self, other):
    """Remainder with the sign of the dividend."""
    return np.fmod(self, divisor(self, other, "fmod"))


_fmod_number = overload(_fmod_tensor, "_fmod_number", "FmodBackward0", number="other")


@function(inplace=_fmod_tensor)
def fmod(input: Tensor, other: Any) -> Tensor:
    """Remainder with the sign of the dividend, as C's `fmod`."""
    return _fmod_tensor(input, other) if isinstance(other, Tensor) else _fmod_number(input, other)


@op(r"\lfloor {self} / {other} \rfloor", self=None, other=None)
def floor_quotient(self, other):
    """`floor(self / other)` as a constant of the derivative."""
    return np.floor_divide(self, other)


@op(r"\mathrm{{trunc}}({self} / {other})", self=None, other=None)
def trunc_quotient(self, other):
    """`trunc(self / other)` as a constant of the derivative."""
    return np.trunc(self / other)


@op(r"-{self}", symbol="−", traits="additive", self=lambda grad: -grad)
def neg(self):
    """Each element with the other sign."""
    if self.dtype.kind == "b":
        raise UNIMPLEMENTED.now(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` "
            "or `logical_not()` operator instead."
        )
    return -self


@function
def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    if input._array.dtype.kind == "b":
        raise UNIMPLEMENTED.now("The `+` operator, on a bool tensor is not supported.")
    return input


@op(r"\frac{{1}}{{ {self} }}", traits="division", floating=True, self=lambda grad, result: -grad * (result * result))
def reciprocal(self):
    """One divided by each element."""
    return np.reciprocal(self)


def pow_backward(grad, self, exponent):
    """The derivative of `self ** exponent` for a number `exponent`."""
    if exponent == 0:
        return zeros_like_grad(grad)
    if grad.__class__ is not Tensor:
        if exponent == 1:
            return grad
        if exponent == 2:
            return grad * (self * 2)
    return grad * (exponent * self ** (exponent - 1))


@op(
    r"{self}^{{ {exponent} }}",
    symbol="^",
    traits="magnitude infix",
    self=lambda grad, self, exponent: pow_backward(grad, self, exponent),
    node="PowBackward0",
    name="pow",
)
def _pow_scalar(self, exponent):
    """Each element to the power of a number."""
    if self.dtype.kind not in INEXACT:
        if isinstance(exponent, float):
            self = self.astype(np.float32)
        elif self.dtype.kind == "b" and isinstance(exponent, bool):
            return self.copy() if exponent else np.ones_like(self)
        elif self.dtype.kind == "b":
            self = self.astype(np.int64)
        elif exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
    return power_of(self, exponent)


def power_of(array, exponent):
    """`array ** exponent` for a number, by multiplications where PyTorch's kernels multiply."""
    if exponent == 2:
        return array * array
    if exponent == 3:
        return array * array * array
    return array**exponent


def pow_backward_self(grad, self, exponent):
    """The derivative of `self ** exponent` in the base."""
    return where(exponent == 0, 0.0, grad * (exponent * self ** (exponent - 1)))


def pow_backward_exponent(grad, self, exponent, result):
    """The derivative of `self ** exponent` in the exponent; zero where the base is zero and the power is defined."""
    defined = (self == 0) & ((exponent.real if is_complex(exponent) else exponent) >= 0)
    return grad * where(defined, 0.0, result * log(where(defined, 1.0, self)))


def whole_power(self, exponent):
    """A power; of whole numbers a negative one is what is left of the fraction: zero, unless the base is one or minus one."""
    if exponent.dtype.kind != "i" or not (exponent < 0).any():
        return self**exponent
    ones = np.where(self == 1, 1, np.where(self == -1, 1 - 2 * (exponent % 2), 0))
    return np.where(exponent < 0, ones, self ** np.maximum(exponent, 0)).astype(exponent.dtype)


@op(
    r"{self}^{{ {exponent} }}",
    symbol="^",
    self=lambda grad, self, exponent: pow_backward_self(grad, self, exponent),
    exponent=lambda grad, self, exponent, result: pow_backward_exponent(grad, self, exponent, result),
    node="PowBackward1",
    name="pow",
)
def _pow_tensor(self, exponent):
    """Each element to the power of the other's."""
    if self.dtype.kind == exponent.dtype.kind == "b":
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")
    return whole_power(self, exponent)


@op(
    r"{self}^{{ {exponent} }}",
    symbol="^",
    self=None,
    exponent=lambda grad, self, exponent, result: pow_backward_exponent(grad, self, exponent, result),
    node="PowBackward2",
    name="pow",
)
def _pow_base(exponent, self):
    """A number to the power of each element."""
    return whole_power(self, exponent)


@function(inplace=_pow_scalar)
def pow(input: Any, exponent: Any) -> Tensor:
    """`input ** exponent`; one of the two may be a number."""
    if isinstance(exponent, Tensor):
        return _pow_tensor(input, exponent) if isinstance(input, Tensor) else _pow_base(exponent, input)
    return _pow_scalar(input, exponent)


def rpow(exponent: Tensor, base: Any) -> Tensor:
    """`base ** exponent` for a number `base`."""
    return _pow_tensor(base, exponent) if isinstance(base, Tensor) else _pow_base(exponent, base)


@function(traits="magnitude", inplace=_pow_scalar)
def square(input: Tensor) -> Tensor:
    """Each element times itself."""
    return _pow_scalar(input, 2)


@op(
    r"{input} + {value} {tensor1} {tensor2}",
    traits="product",
    input=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * scaled(tensor2, value),
    tensor2=lambda grad, tensor1, value: grad * scaled(tensor1, value),
)
def addcmul(input, tensor1, tensor2, *, value=1):
    """`input + value * tensor1 * tensor2`."""
    return input + value * tensor1 * tensor2


@op(
    r"{input} + {value} \frac{{ {tensor1} }}{{ {tensor2} }}",
    input=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
    tensor2=lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)),
)
def addcdiv(input, tensor1, tensor2, *, value=1):
    """`input + value * tensor1 / tensor2`."""
    return input + value * tensor1 / tensor2


@op(
    r"{self} + {weight} ({end} - {self})",
    traits="product",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
    weight=lambda grad, self, end: grad * (end - self),
    node="LerpBackward1",
    name="lerp",
)
def _lerp_tensor(self, end, weight):
    """The point a part `weight`, a tensor, of the way from `self` to `end`."""
    if self.dtype.kind not in INEXACT:
        raise NotImplementedError(f"\"lerp_kernel_tensor\" not implemented for '{SCALAR_NAMES[OF_NUMPY[self.dtype]]}'")
    start, part, way = nearer(self, end, weight)
    return start + part * way


def nearer(start, end, weight):
    """The end that the point is nearer to, the part of the way from there, and the way."""
    near_start = np.abs(weight) < 0.5
    return np.where(near_start, start, end), np.where(near_start, weight, weight - 1), end - start


@op(
    r"{self} + {weight} ({end} - {self})",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
    node="LerpBackward0",
    name="lerp",
)
def _lerp_number(self, end, weight):
    """The point a part `weight`, a number, of the way from `self` to `end`."""
    if self.dtype.kind not in INEXACT:
        raise NotImplementedError(f"\"lerp_kernel_scalar\" not implemented for '{SCALAR_NAMES[OF_NUMPY[self.dtype]]}'")
    weight = self.dtype.type(weight)
    return self + weight * (end - self) if abs(weight) < 0.5 else end - (end - self) * (1 - weight)


@function(inplace=_lerp_tensor)
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """The point a part `weight` of the way from `input` to `end`."""
    return _lerp_tensor(input, end, weight) if isinstance(weight, Tensor) else _lerp_number(input, end, weight)


multiply = mul
subtract = sub
divide = div
negative = neg
