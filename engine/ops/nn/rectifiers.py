"""Rectifiers and their leaky and exponential kin, also in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...context import context
from ...dtypes import SCALAR_NAMES
from ...op.declare import TABLE, function, op, overload
from ...op.slow_path import autocast, real
from ...tensor import Tensor, constant
from ..creation.generator import source
from ..memory.inplace import inplace as in_place
from ..near import near
from ..pointwise.comparison import where
from ..pointwise.unary import exp
from .activation import floating_only, relu, threshold_backward

ELEMENTWISE = True

_relu_ = in_place(TABLE["relu"])


@function
def functional_relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element, or zero if it is negative."""
    return _relu_(input) if inplace else relu(input)


# --- threshold -------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{threshold}}({self})",
    traits="flat_below",
    self=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
    node="ThresholdBackward0",
    name="threshold",
    real_only="threshold_cpu",
)
def _threshold(self, threshold, value):
    """Each element that exceeds the threshold; `value` for the others."""
    return np.where(self <= threshold, self.dtype.type(value), self)


overload(_threshold, "_threshold_written", "ThresholdBackward1")
_threshold_in_place = in_place(TABLE["_threshold_written"])


@function
def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Each element that exceeds the threshold; `value` for the others."""
    return _threshold(input, threshold, value)


@function
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """In-place version of `threshold`."""
    return _threshold_in_place(input, threshold, value)


@function
def functional_threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Each element that exceeds the threshold; `value` for the others."""
    return (_threshold_in_place if inplace else _threshold)(input, threshold, value)


# --- leaky -----------------------------------------------------------------------------------------------------------------


def leaky_backward(grad, self, negative_slope):
    """`grad`, scaled where `self` is not positive."""
    return where(self > 0, grad, grad * negative_slope)


def leaky_backward_of_result(grad, result, negative_slope):
    """The same from the result, which has the sign of the argument unless the slope is negative."""
    if negative_slope < 0:
        raise RuntimeError(
            "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This is caused "
            "by calling in-place forward function with a negative slope, please call out-of-place version instead. File an "
            "issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward calculation "
            "with negative slope"
        )
    return leaky_backward(grad, result, negative_slope)


@op(
    r"\mathrm{{leaky\_relu}}({self})",
    traits="flat_below",
    self=lambda grad, self, negative_slope: leaky_backward(grad, self, negative_slope),
    fused=True,
    node="LeakyReluBackward0",
    name="leaky_relu",
    real_only="leaky_relu_cpu",
)
def _leaky_relu(self, negative_slope):
    """Each element, scaled by `negative_slope` if it is negative."""
    scaled = self * negative_slope
    return np.maximum(self, scaled) if 0 <= negative_slope <= 1 else np.where(self > 0, self, scaled)


@op(
    r"\mathrm{{leaky\_relu}}({self})",
    self=lambda grad, result, negative_slope: leaky_backward_of_result(grad, result, negative_slope),
    fused=True,
    node="LeakyReluBackward1",
    name="leaky_relu",
)
def _leaky_relu_result(self, negative_slope):
    """`leaky_relu` in place: the derivative is taken from the result."""
    return _leaky_relu._op.forward(self, negative_slope)


_leaky_relu_in_place = in_place(TABLE["_leaky_relu_result"])


@function
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Each element, scaled by `negative_slope` if it is negative."""
    floating_only("leaky_relu_cpu", input)
    return (_leaky_relu_in_place if inplace else _leaky_relu)(input, real(negative_slope))


@function
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """In-place version of `leaky_relu`."""
    return leaky_relu(input, negative_slope, True)


@op(
    r"\mathrm{{prelu}}({self})",
    self=lambda grad, self, weight: where(self > 0, grad, weight * grad),
    weight=lambda grad, self: where(self > 0, 0.0, self * grad),
    node="PreluKernelBackward0",
    name="prelu",
    real_only="prelu_cpu",
)
def _prelu_kernel(self, weight):
    """Each element, scaled by `weight` if it is negative."""
    return np.where(self > 0, self, weight * self)


@function
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Each element, scaled by `weight` (one number, or one a channel) if it is negative."""
    if context.fast is not None:
        input, weight = autocast(input, weight)
    ndim, length = input._array.ndim, weight._array.size
    if input.dtype is not weight.dtype:
        names = SCALAR_NAMES
        raise RuntimeError(f"prelu: Type promoting not supported. Got {names[input.dtype]} and {names[weight.dtype]}")
    if length != 1:
        if ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input._array.shape[1] if ndim > 1 else 1
        if channels != length:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {length} and channel size = "
                f"{channels}."
            )
    if weight._array.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight._array.ndim}")
    if ndim != weight._array.ndim:
        weight = weight.reshape([length if d == 1 else 1 for d in range(ndim)])
    return _prelu_kernel(input, weight)


@op(
    r"\mathrm{{rrelu}}({self})",
    self=lambda grad, self, noise, lower, upper, training: rrelu_backward(grad, self, noise, lower, upper, training),
    node="RreluWithNoiseBackward0",
    name="rrelu",
    real_only="rrelu_with_noise_out_cpu",
)
def _rrelu(self, noise, lower, upper, training):
    """Each element, scaled by the noise (in evaluation by a fixed slope) if it is negative."""
    return self * noise if training else _leaky_relu._op.forward(self, (lower + upper) / 2)


@op(
    r"\mathrm{{rrelu}}({self})",
    self=lambda grad, result, noise, lower, upper, training: rrelu_backward(grad, result, noise, lower, upper, training),
    node="RreluWithNoiseBackward1",
    name="rrelu",
)
def _rrelu_result(self, noise, lower, upper, training):
    """`rrelu` in place: the derivative is taken from the result."""
    return _rrelu._op.forward(self, noise, lower, upper, training)


def rrelu_backward(grad, self, noise, lower, upper, training):
    """The derivative of rrelu."""
    if training and upper - lower > 1e-6:
        return grad * constant(noise) if isinstance(grad, Tensor) else grad * noise
    return leaky_backward(grad, self, (lower + upper) / 2)


_rrelu_in_place = in_place(TABLE["_rrelu_result"])


def _randomly(call: Any, input: Tensor, lower: float, upper: float, training: bool, generator: Any = None) -> Tensor:
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    floating_only("rrelu_with_noise_out_cpu", input)
    noise = None
    if training:
        a = input._array
        noise = np.ones(a.shape, a.dtype)
        negative = a <= 0
        noise[negative] = source(generator).between(lower, upper, int(negative.sum()), np.float64)
    return call(input, noise, float(lower), float(upper), training)


@function
def rrelu(input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None) -> Tensor:
    """Each element, scaled by a random number between `lower` and `upper` (their mean in evaluation) if it is negative."""
    return _randomly(_rrelu, input, lower, upper, training, generator)


@function
def rrelu_(input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None) -> Tensor:
    """In-place version of `rrelu`."""
    return _randomly(_rrelu_in_place, input, lower, upper, training, generator)


@function
def functional_rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Each element, scaled by a random number between `lower` and `upper` (their mean in evaluation) if it is negative."""
    return _randomly(_rrelu_in_place if inplace else _rrelu, input, lower, upper, training)


# --- exponential -----------------------------------------------------------------------------------------------------------


def elu_backward(grad, self, alpha, scale, input_scale):
    """The derivative of elu."""
    below = input_scale * alpha * scale
    return where(self <= 0, grad * (below * exp(where(self <= 0, self, 0.0) * input_scale)), grad * scale)


def elu_backward_of_result(grad, result, alpha, scale, input_scale):
    """The derivative of elu, from its result."""
    if alpha < 0:
        raise RuntimeError(
            "In-place elu backward calculation is triggered with a negative slope which is not supported. This is caused by "
            "calling in-place forward function with a negative slope, please call out-of-place version instead."
        )
    return where(result <= 0, grad * (input_scale * (result + alpha * scale)), grad * scale)


def _exponential(name: str, node: str) -> tuple[Any, Any]:
    """An operation by elu's formula, and its in-place variant."""

    def forward(self, alpha, scale, input_scale):
        below = near(np.expm1, np.minimum(self, 0) * input_scale) * (alpha * scale)
        return np.maximum(self, 0) * scale + below

    def result(self, alpha, scale, input_scale):
        return forward(self, alpha, scale, input_scale)

    forward.__name__, result.__name__ = f"_{name}", f"_{name}_result"
    forward.__doc__ = result.__doc__ = "`scale * x`, or `scale * alpha * (exp(input_scale * x) - 1)` if it is negative."
    template = rf"\mathrm{{{{{name}}}}}({{self}})"
    plain = op(
        template,
        self=lambda grad, self, alpha, scale, input_scale: elu_backward(grad, self, alpha, scale, input_scale),
        fused=True,
        node=f"{node}0",
        name=name,
    )(forward)
    op(
        template,
        self=lambda grad, result, alpha, scale, input_scale: elu_backward_of_result(grad, result, alpha, scale, input_scale),
        fused=True,
        node=f"{node}1",
        name=name,
    )(result)
    return plain, in_place(TABLE[f"_{name}_result"])


_elu, _elu_in_place = _exponential("elu", "EluBackward")
_selu, _selu_in_place = _exponential("selu", "EluBackward")
_celu, _celu_in_place = _exponential("celu", "CeluBackward")
SELU = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0
"""The numbers that make selu keep mean and variance."""


@function(traits="flat_below")
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x`, or `alpha * (exp(x) - 1)` if it is negative."""
    floating_only("elu_cpu", input)
    return (_elu_in_place if inplace else _elu)(input, real(alpha), 1.0, 1.0)


@function
def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """In-place version of `elu`."""
    return elu(input, alpha, True)


@function
def functional_selu(input: Tensor, inplace: bool = False) -> Tensor:
    """The self-normalising elu: `elu(x, alpha) * scale` with fixed numbers."""
    floating_only("elu_cpu", input)
    return (_selu_in_place if inplace else _selu)(input, *SELU)


@function
def selu(input: Tensor) -> Tensor:
    """The self-normalising elu: `elu(x, alpha) * scale` with fixed numbers."""
    return functional_selu(input)


@function
def selu_(input: Tensor) -> Tensor:
    """In-place version of `selu`."""
    return functional_selu(input, True)


@function
def functional_celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x`, or `alpha * (exp(x / alpha) - 1)` if it is negative."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    floating_only("elu_cpu", input)
    return (_celu_in_place if inplace else _celu)(input, real(alpha), 1.0, 1.0 / real(alpha))


@function
def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`x`, or `alpha * (exp(x / alpha) - 1)` if it is negative."""
    return functional_celu(input, alpha)


@function
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """In-place version of `celu`."""
    return functional_celu(input, alpha, True)
