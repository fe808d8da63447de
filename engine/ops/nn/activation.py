"""Activation functions: relu, and the smooth ones."""

from __future__ import annotations

import math

import numpy as np

from ...dtypes import INEXACT, SCALAR_NAMES
from ...errors import UNIMPLEMENTED
from ...op.declare import function, op
from ...op.slow_path import real
from ...tensor import Tensor
from ..near import near
from ..pointwise.comparison import where
from ..pointwise.special import erf
from ..pointwise.unary import exp, tanh, zeros_like_grad
from ..shape.dimensions import wrap_dim
from ..shape.joining import _cat, _take_slice

ELEMENTWISE = True


def floating_only(kernel: str, tensor: Tensor) -> None:
    """Refuse integers as PyTorch does, which names the function's kernel."""
    if tensor._array.dtype.kind not in INEXACT:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[tensor.dtype]}'")


@op(
    r"\sigma({self})",
    traits="saturates squashes probabilities",
    floating=True,
    self=lambda grad, result: sigmoid_backward(grad, result),
)
def sigmoid(self):
    """The logistic function, `1 / (1 + exp(-x))`."""
    return 1 / (1 + near(np.exp, -self))


@op(
    r"{grad_output} \cdot {output} (1 - {output})",
    grad_output=lambda grad, output: grad * (output * (1 - output)),
    output=lambda grad, grad_output, output: grad * grad_output * (1 - 2 * output),
)
def sigmoid_backward(grad_output, output):
    """The derivative of the logistic function, from its result."""
    return grad_output * (output * (1 - output))


@op(
    r"\mathrm{{relu}}({self})",
    traits="relu flat_below",
    self=lambda grad, result: threshold_backward(grad, result, 0),
    real_only="clamp is not supported for complex types",
)
def relu(self):
    """Each element, or zero if it is negative."""
    if self.dtype.kind == "b":
        raise UNIMPLEMENTED.now("Boolean inputs not supported for relu")
    return np.maximum(self, 0)


@op(
    r"{grad_output} \cdot [{self} > {threshold}]",
    grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
    self=lambda grad: zeros_like_grad(grad),
)
def threshold_backward(grad_output, self, threshold):
    """`grad_output` where `self` exceeds the threshold."""
    return masked(grad_output, self <= threshold)


BITS = {2: np.int16, 4: np.int32, 8: np.int64}


def masked(array, out):
    """`array` with zeros where `out` holds: by its bits, as `np.where` takes five times as long on many elements."""
    if array.size < 512:
        return np.where(out, 0.0, array)
    keep = (out.view(np.int8) - np.int8(1)).astype(BITS[array.dtype.itemsize])
    return np.bitwise_and(array.view(keep.dtype), keep, keep).view(array.dtype)


# --- gelu ------------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{gelu}}({self})",
    self=lambda grad, self, approximate: gelu_tanh_backward(grad, self) if approximate == "tanh" else gelu_backward(grad, self),
    fused=True,
    node="GeluBackward0",
    name="gelu",
    real_only="GeluKernelImpl",
)
def _gelu(self, approximate):
    """`x` times the probability that a standard normal number is less than `x`."""
    if approximate == "tanh":
        return self * 0.5 * (1 + near(np.tanh, inner(self)))
    return self * normal_cdf._op.forward(self)


@op(
    r"\Phi({self})",
    self=lambda grad, self: grad * (exp(self * self * -0.5) * (1 / math.sqrt(2 * math.pi))),
    name="special_ndtr",
)
def normal_cdf(self):
    """The probability that a standard normal number is less than each element."""
    if self.dtype == np.float32 and self.size > 1024:
        return _normal_cdf32(self)
    return ((1 + erf._op.forward(self * math.sqrt(0.5))) * 0.5).astype(self.dtype, copy=False)


ERFC = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
"""Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: within 1.5e-7, about float32's own precision."""


def _normal_cdf32(x):
    """The normal distribution in float32, twice as fast as by SciPy's erf."""
    t = np.abs(x)
    t *= 0.3275911 * math.sqrt(0.5)
    t += 1
    np.divide(1, t, t)
    tail = t * ERFC[0]
    for c in ERFC[1:]:
        tail += c
        tail *= t
    np.multiply(x, x, t)
    t *= -0.5
    tail *= np.exp(t, t)
    tail *= -0.5
    tail += 0.5
    np.copysign(tail, x, tail)
    tail += 0.5
    return tail


def inner(self):
    """What gelu's approximation takes the hyperbolic tangent of."""
    return math.sqrt(2 / math.pi) * (self + 0.044715 * (self * self * self))


def gelu_backward(grad, self):
    """The derivative of gelu: the normal distribution plus `x` times its density."""
    density = exp(self * self * -0.5) * (1 / math.sqrt(2 * math.pi))
    return grad * (normal_cdf(self) + self * density)


def gelu_tanh_backward(grad, self):
    """The derivative of gelu's approximation."""
    t = tanh(inner(self))
    slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * (self * self))
    return grad * (0.5 * (1 + t) + 0.5 * self * (1 - t * t) * slope)


@function
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """`x` times the normal distribution function of `x`, or its approximation by "tanh"."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    floating_only("GeluKernelImpl", input)
    return _gelu(input, approximate)


# --- softplus and its kin --------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{softplus}}({self})",
    self=lambda grad, self, beta, threshold: grad * where(self * beta > threshold, 1.0, sigmoid(self * beta)),
    fused=True,
    node="SoftplusBackward0",
    name="softplus",
    real_only="softplus_cpu",
)
def _softplus(self, beta, threshold):
    """`log(1 + exp(beta * x)) / beta`; the identity above the threshold."""
    scaled = self * beta
    return np.where(scaled > threshold, self, near(np.log1p, near(np.exp, np.minimum(scaled, threshold))) / beta)


@function
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """`log(1 + exp(beta * x)) / beta`; the identity above the threshold."""
    floating_only("softplus_cpu", input)
    return _softplus(input, real(beta), real(threshold))


@op(
    r"\ln \sigma({self})",
    traits="saturates",
    self=lambda grad, self: grad * sigmoid(-self),
    fused=True,
    node="LogSigmoidBackward0",
    name="logsigmoid",
    layout="rows",
    real_only="log_sigmoid_cpu",
)
def _log_sigmoid(self):
    """The logarithm of the logistic function."""
    return np.minimum(self, 0) - near(np.log1p, near(np.exp, -np.abs(self)))


@function
def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of the logistic function, computed stably."""
    floating_only("log_sigmoid_cpu", input)
    return _log_sigmoid(input)


@function(traits="saturates")
def softsign(input: Tensor) -> Tensor:
    """`x / (1 + |x|)`."""
    return input / (input.abs() + 1)


@function
def tanhshrink(input: Tensor) -> Tensor:
    """`x - tanh(x)`."""
    return input - input.tanh()


# --- glu -------------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{glu}}({self})",
    self=lambda grad, self, dim: glu_backward(grad, self, dim),
    node="GluBackward0",
    name="glu",
    layout="order",
    real_only="glu_cpu",
)
def _glu(self, dim):
    """The first half along `dim` times the sigmoid of the second."""
    first, second = np.split(self, 2, axis=dim)
    return first * sigmoid._op.forward(second)


def glu_backward(grad, self, dim):
    """The derivative of glu."""
    half = self.shape[dim] // 2
    first = _take_slice(self, dim, 0, half, 1)
    gate = sigmoid(_take_slice(self, dim, half, 2 * half, 1))
    return _cat([grad * gate, grad * first * (gate * (1 - gate))], dim)


@function
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim` times the sigmoid of the second half."""
    a = input._array
    if a.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = wrap_dim(dim, a.ndim)
    if a.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {a.shape[dim]}")
    floating_only("glu_cpu", input)
    return _glu(input, dim)


expit = sigmoid
