"""Functions of single elements: exponentials, logarithms, trigonometry, rounding."""

from __future__ import annotations

import math

import numpy as np

from engine.op import op


@op("0", self=lambda grad: zeros_like_grad(grad), node="ZerosLikeBackward0")
def zeros_like_grad(self):
    """Zeros in the place of a gradient."""
    return np.zeros_like(self)


@op(r"e^{{ {self} }}", floating=True, self=lambda grad, result: grad * result)
def exp(self):
    """e to the power of each element."""
    return np.exp(self)


@op(r"2^{{ {self} }}", floating=True, self=lambda grad, result: grad * result * math.log(2))
def exp2(self):
    """2 to the power of each element."""
    return np.exp2(self)


@op(r"e^{{ {self} }} - 1", floating=True, self=lambda grad, result: grad * (result + 1))
def expm1(self):
    """`exp(x) - 1`, exact near zero."""
    return np.expm1(self)


@op(r"\ln {self}", floating=True, self=lambda grad, self: grad / self)
def log(self):
    """Natural logarithm of each element."""
    return np.log(self)


@op(r"\log_2 {self}", floating=True, self=lambda grad, self: grad / (self * math.log(2)))
def log2(self):
    """Logarithm to base 2 of each element."""
    return np.log2(self)


@op(r"\log_{{10}} {self}", floating=True, self=lambda grad, self: grad / (self * math.log(10)))
def log10(self):
    """Logarithm to base 10 of each element."""
    return np.log10(self)


@op(r"\ln(1 + {self})", floating=True, self=lambda grad, self: grad / (self + 1), node="Log1PBackward0")
def log1p(self):
    """`log(1 + x)`, exact near zero."""
    return np.log1p(self)


@op(r"\sqrt{{ {self} }}", floating=True, self=lambda grad, result: grad / (2 * result))
def sqrt(self):
    """Square root of each element."""
    return np.sqrt(self)


@op(
    r"\frac{{1}}{{\sqrt{{ {self} }}}}",
    floating=True,
    self=lambda grad, result: -0.5 * grad * (result * result * result),
)
def rsqrt(self):
    """One divided by the square root of each element."""
    return (1 / np.sqrt(self)).astype(self.dtype)


@op(r"\sin {self}", floating=True, self=lambda grad, self: grad * cos(self))
def sin(self):
    """Sine of each element, in radians."""
    return np.sin(self)


@op(r"\cos {self}", floating=True, self=lambda grad, self: grad * -sin(self))
def cos(self):
    """Cosine of each element, in radians."""
    return np.cos(self)


@op(r"\tan {self}", floating=True, self=lambda grad, result: grad * (1 + result * result))
def tan(self):
    """Tangent of each element, in radians."""
    return np.tan(self)


@op(r"\arcsin {self}", floating=True, self=lambda grad, self: grad * rsqrt(1 - self * self))
def asin(self):
    """Inverse sine of each element, in radians."""
    return np.arcsin(self)


@op(r"\arccos {self}", floating=True, self=lambda grad, self: grad * -rsqrt(1 - self * self))
def acos(self):
    """Inverse cosine of each element, in radians."""
    return np.arccos(self)


@op(r"\arctan {self}", floating=True, self=lambda grad, self: grad / (self * self + 1))
def atan(self):
    """Inverse tangent of each element, in radians."""
    return np.arctan(self)


@op(r"\sinh {self}", floating=True, self=lambda grad, self: grad * cosh(self))
def sinh(self):
    """Hyperbolic sine of each element."""
    return np.sinh(self)


@op(r"\cosh {self}", floating=True, self=lambda grad, self: grad * sinh(self))
def cosh(self):
    """Hyperbolic cosine of each element."""
    return np.cosh(self)


@op(r"\tanh {self}", floating=True, self=lambda grad, result: tanh_backward(grad, result))
def tanh(self):
    """Hyperbolic tangent of each element."""
    return np.tanh(self)


@op(
    r"{grad_output} (1 - {output}^2)",
    grad_output=lambda grad, output: grad * (1 - output * output),
    output=lambda grad, grad_output, output: grad * (-2 * output * grad_output),
)
def tanh_backward(grad_output, output):
    """The derivative of tanh, from its result."""
    return grad_output * (1 - output * output)


@op(r"|{self}|", self=lambda grad, self: grad * sign(self))
def abs(self):
    """Each element without its sign."""
    return np.abs(self)


@op(r"\mathrm{{sign}}({self})", self=lambda grad: zeros_like_grad(grad))
def sign(self):
    """-1, 0 or 1 after the sign of each element."""
    return np.sign(self)


@op(r"\mathrm{{round}}({self})", self=lambda grad: zeros_like_grad(grad))
def round(self, *, decimals=0):
    """Each element rounded, halves to even."""
    return np.round(self, decimals)


@op(r"\lfloor {self} \rfloor", self=lambda grad: zeros_like_grad(grad))
def floor(self):
    """Each element rounded down."""
    return np.floor(self).astype(self.dtype, copy=False)


@op(r"\lceil {self} \rceil", self=lambda grad: zeros_like_grad(grad))
def ceil(self):
    """Each element rounded up."""
    return np.ceil(self).astype(self.dtype, copy=False)


@op(r"\mathrm{{trunc}}({self})", self=lambda grad: zeros_like_grad(grad))
def trunc(self):
    """Each element rounded towards zero."""
    return np.trunc(self).astype(self.dtype, copy=False)


@op(r"\mathrm{{frac}}({self})", self=lambda grad: grad)
def frac(self):
    """The part of each element behind the point."""
    return self - np.trunc(self)


absolute = abs
arcsin, arccos, arctan = asin, acos, atan
fix = trunc
