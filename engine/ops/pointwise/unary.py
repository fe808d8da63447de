"""Functions of single elements: exponentials, logarithms, trigonometry, rounding."""

from __future__ import annotations

import builtins
import math

import numpy as np

from ...dtypes import INEXACT, OF_NUMPY, SCALAR_NAMES
from ...op.declare import function, op
from ...tensor import Tensor
from ..near import near

ELEMENTWISE = True
SMALL_FORMULAS = True
"""The formulas here stand in the call paths themselves."""


ONE = np.array(1, np.float32)


@op("0", self=lambda grad: zeros_like_grad(grad), node="ZerosLikeBackward0")
def zeros_like_grad(self):
    """Zeros in the place of a gradient."""
    return np.zeros_like(self)


def refused(name):
    """Refuse a derivative that PyTorch's table of derivatives says is missing."""
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


@op(r"\mathrm{{isfinite}}({self})", traits="compares", self=None)
def isfinite(self):
    """Whether elements are neither infinite nor NaN."""
    return np.isfinite(self)


@op(r"e^{{ {self} }}", traits="saturates exponential", floating=True, self=lambda grad, result: grad * result)
def exp(self):
    """e to the power of each element."""
    return near(np.exp, self)


@op(r"2^{{ {self} }}", traits="exponential", floating=True, self=lambda grad, result: grad * result * math.log(2))
def exp2(self):
    """2 to the power of each element."""
    return near(np.exp2, self)


@op(r"e^{{ {self} }} - 1", traits="exponential", floating=True, self=lambda grad, result: grad * (result + 1))
def expm1(self):
    """`exp(x) - 1`, exact near zero."""
    return near(np.expm1, self)


@op(r"\ln {self}", traits="logarithm", floating=True, self=lambda grad, self: grad / self)
def log(self):
    """Natural logarithm of each element."""
    return near(np.log, self)


@op(r"\log_2 {self}", traits="logarithm", floating=True, self=lambda grad, self: grad / (self * math.log(2)))
def log2(self):
    """Logarithm to base 2 of each element."""
    return near(np.log2, self)


@op(r"\log_{{10}} {self}", traits="logarithm", floating=True, self=lambda grad, self: grad / (self * math.log(10)))
def log10(self):
    """Logarithm to base 10 of each element."""
    return near(np.log10, self)


@op(r"\ln(1 + {self})", floating=True, self=lambda grad, self: grad / (self + 1), node="Log1PBackward0")
def log1p(self):
    """`log(1 + x)`, exact near zero."""
    return near(np.log1p, self)


@op(r"\sqrt{{ {self} }}", traits="root", floating=True, self=lambda grad, result: grad / (2 * result))
def sqrt(self):
    """Square root of each element."""
    return np.sqrt(self)


@op(
    r"\frac{{1}}{{\sqrt{{ {self} }}}}",
    traits="root",
    floating=True,
    self=lambda grad, result: -0.5 * grad * (result * result * result),
)
def rsqrt(self):
    """One divided by the square root of each element."""
    return (1 / np.sqrt(self)).astype(self.dtype)


@op(r"\sin {self}", floating=True, self=lambda grad, self: grad * cos(self))
def sin(self):
    """Sine of each element, in radians."""
    return near(np.sin, self)


@op(r"\cos {self}", floating=True, self=lambda grad, self: grad * -sin(self))
def cos(self):
    """Cosine of each element, in radians."""
    return near(np.cos, self)


@op(r"\tan {self}", floating=True, self=lambda grad, result: grad * (1 + result * result))
def tan(self):
    """Tangent of each element, in radians."""
    return near(np.tan, self)


@op(r"\arcsin {self}", traits="arc", floating=True, self=lambda grad, self: grad * rsqrt(1 - self * self))
def asin(self):
    """Inverse sine of each element, in radians."""
    return near(np.arcsin, self)


@op(r"\arccos {self}", traits="arc", floating=True, self=lambda grad, self: grad * -rsqrt(1 - self * self))
def acos(self):
    """Inverse cosine of each element, in radians."""
    return near(np.arccos, self)


@op(r"\arctan {self}", floating=True, self=lambda grad, self: grad / (self * self + 1))
def atan(self):
    """Inverse tangent of each element, in radians."""
    return near(np.arctan, self)


@op(r"\sinh {self}", traits="exponential", floating=True, self=lambda grad, self: grad * cosh(self))
def sinh(self):
    """Hyperbolic sine of each element."""
    return near(np.sinh, self)


@op(r"\cosh {self}", traits="exponential magnitude", floating=True, self=lambda grad, self: grad * sinh(self))
def cosh(self):
    """Hyperbolic cosine of each element."""
    return near(np.cosh, self)


@op(r"\tanh {self}", traits="saturates squashes", floating=True, self=lambda grad, result: tanh_backward(grad, result))
def tanh(self):
    """Hyperbolic tangent of each element."""
    return near(np.tanh, self)


@op(
    r"{grad_output} (1 - {output}^2)",
    grad_output=lambda grad, output: grad * (1 - output * output),
    output=lambda grad, grad_output, output: grad * (-2 * output * grad_output),
)
def tanh_backward(grad_output, output):
    """The derivative of tanh, from its result."""
    if not output.ndim:
        return grad_output * (1 - output * output)
    slope = np.square(output)
    np.subtract(ONE, slope, slope)
    return np.multiply(grad_output, slope, slope)


@op(r"\mathrm{{arsinh}}({self})", floating=True, self=lambda grad, self: grad * rsqrt(self * self + 1))
def asinh(self):
    """Inverse hyperbolic sine of each element."""
    return near(np.arcsinh, self)


@op(r"\mathrm{{arcosh}}({self})", floating=True, self=lambda grad, self: grad * rsqrt(self * self - 1))
def acosh(self):
    """Inverse hyperbolic cosine of each element."""
    return near(np.arccosh, self)


@op(r"\mathrm{{artanh}}({self})", traits="arc", floating=True, self=lambda grad, self: grad / (1 - self * self))
def atanh(self):
    """Inverse hyperbolic tangent of each element."""
    return near(np.arctanh, self)


@op(
    r"{self} \cdot \pi / 180",
    floating=True,
    self=lambda grad: grad * (math.pi / 180),
    real_only=RuntimeError("deg2rad is not supported for complex tensors."),
)
def deg2rad(self):
    """Degrees as radians."""
    return self * self.dtype.type(math.pi / 180)


@op(
    r"{self} \cdot 180 / \pi",
    floating=True,
    self=lambda grad: grad * (180 / math.pi),
    real_only=RuntimeError("rad2deg is not supported for complex tensors."),
)
def rad2deg(self):
    """Radians as degrees."""
    return self * self.dtype.type(180 / math.pi)


@op(r"|{self}|", traits="magnitude", self=lambda grad, self: grad * sgn(self))
def abs(self):
    """Each element without its sign."""
    if self.dtype.kind == "b":
        raise NotImplementedError("\"abs_cpu\" not implemented for 'Bool'")
    return np.abs(self)


@op(
    r"\mathrm{{sign}}({self})",
    traits="steps",
    self=lambda grad: zeros_like_grad(grad),
    real_only="Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
)
def sign(self):
    """-1, 0 or 1 after the sign of each element."""
    if self.dtype.kind == "b":
        return self.copy()
    # NaN has the sign zero in PyTorch.
    out = np.sign(self)
    return np.nan_to_num(out) if self.dtype.kind == "f" else out


@op(
    r"\mathrm{{sgn}}({self})",
    traits="steps",
    holomorphic=False,
    self=lambda grad, self, result: sgn_backward(grad, self, result),
)
def sgn(self):
    """-1, 0 or 1 after the sign of each element; of a complex number, the one of magnitude 1 in its direction."""
    if self.dtype.kind == "c":
        magnitude = np.abs(self)
        return np.where(magnitude == 0, 0, self / np.where(magnitude == 0, 1, magnitude)).astype(self.dtype)
    return sign._op.forward(self)


def is_complex(x):
    """Whether an array or a tensor holds complex numbers."""
    return getattr(x, "_array", x).dtype.kind == "c"


def sgn_backward(grad, self, result):
    """The derivative of the direction of a complex number: what of the gradient is across it, over its magnitude."""
    if not is_complex(self):
        return zeros_like_grad(grad)
    zero = self == 0
    return (grad / (abs(self) + zero) - (grad / (self + zero)).real * result) * ~zero


def _whole(name, array):
    if array.dtype.kind == "b":
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")


@op(
    r"\mathrm{{round}}({self})",
    traits="steps",
    self=lambda grad: zeros_like_grad(grad),
    node="RoundBackward0",
    name="round",
    real_only="round_vml_cpu",
)
def _round(self):
    """Each element rounded, halves to even."""
    _whole("round_vml", self)
    return np.round(self)


@op(
    r"\mathrm{{round}}({self})",
    self=lambda grad, decimals: zeros_like_grad(grad),
    node="RoundBackward1",
    name="round",
    real_only="round_cpu",
)
def _round_decimals(self, decimals):
    """Each element rounded to some decimal places, halves to even."""
    _whole("round_vml", self)
    if self.dtype.kind not in INEXACT:
        if decimals != 0:
            raise NotImplementedError(f"\"round_vml_cpu\" not implemented for '{SCALAR_NAMES[OF_NUMPY[self.dtype]]}'")
        return self.copy()
    scale = self.dtype.type(10.0 ** builtins.abs(decimals))
    return np.round(self * scale) / scale if decimals >= 0 else np.round(self / scale) * scale


@function
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Each element rounded, halves to even."""
    return _round_decimals(input, decimals) if decimals else _round(input)


def _integral(f):
    def rounded(self):
        _whole(f"{f.__name__}_vml", self)
        return f(self) if self.dtype.kind == "f" else self.copy()

    return rounded


@op(
    r"\lfloor {self} \rfloor",
    traits="steps",
    self=lambda grad: zeros_like_grad(grad),
    real_only="floor is not supported for complex inputs",
)
def floor(self):
    """Each element rounded down."""
    return _integral(np.floor)(self)


@op(
    r"\lceil {self} \rceil",
    traits="steps",
    self=lambda grad: zeros_like_grad(grad),
    real_only="ceil is not supported for complex inputs",
)
def ceil(self):
    """Each element rounded up."""
    return _integral(np.ceil)(self)


@op(
    r"\mathrm{{trunc}}({self})",
    traits="steps",
    self=lambda grad: zeros_like_grad(grad),
    real_only="trunc is not supported for complex inputs",
)
def trunc(self):
    """Each element rounded towards zero."""
    return _integral(np.trunc)(self)


@op(r"\mathrm{{frac}}({self})", self=lambda grad: grad, real_only="frac_cpu")
def frac(self):
    """The part of each element behind the point."""
    return self - np.trunc(self)


@op(
    r"\mathrm{{nan\_to\_num}}({self})",
    traits="leaves_out",
    self=lambda grad, self: grad * isfinite(self),
    node="NanToNumBackward0",
)
def nan_to_num(self, nan=None, posinf=None, neginf=None):
    """NaN and infinities replaced by numbers: zero and the largest and smallest there are, unless said otherwise."""
    if self.dtype.kind not in INEXACT:
        return self.copy()
    return np.nan_to_num(self, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


@op(r"\mathrm{{angle}}({self})", floating=True, self=lambda grad, self: angle_backward(grad, self))
def angle(self):
    """The angle of each number in the complex plane: of real ones, π for negative ones, else zero."""
    if self.dtype.kind == "c":
        return np.angle(self)
    return np.where(np.isnan(self), self, np.where(self < 0, self.dtype.type(math.pi), self.dtype.type(0)))


def angle_backward(grad, self):
    """The derivative of the angle of a complex number z: along i z, over the square of its magnitude."""
    if not is_complex(self):
        return zeros_like_grad(grad)
    magnitude = abs(self)
    zero = magnitude == 0
    return grad * (self * 1j / (magnitude * magnitude + zero))


@op(
    r"\mathrm{{frexp}}({self})",
    self=lambda grad, exponent: ldexp_down(grad, exponent),
    outputs=("mantissa", "exponent"),
    real_only=RuntimeError("torch.frexp() only supports floating-point dtypes"),
)
def frexp(self):
    """Mantissa and exponent: `mantissa * 2 ** exponent`, the mantissa between one half and one."""
    if self.dtype.kind not in INEXACT:
        raise NotImplementedError("torch.frexp() only supports floating-point dtypes")
    return np.frexp(self)


def ldexp_down(grad, exponent):
    """`grad / 2 ** exponent`."""
    return grad * exp2(-exponent)


@op(
    r"\mathrm{{signbit}}({self})",
    traits="compares",
    self=None,
    real_only="signbit is not implemented for complex tensors.",
)
def signbit(self):
    """Whether the sign of each element is set."""
    return np.signbit(self) if self.dtype.kind == "f" else self < 0


absolute = abs
arcsinh, arccosh, arctanh = asinh, acosh, atanh
special_round = round
arcsin, arccos, arctan = asin, acos, atan
fix = trunc
