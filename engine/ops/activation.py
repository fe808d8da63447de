"""Activation functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.op import function, op
from engine.ops.comparison import where
from engine.ops.pointwise import exp, tanh  # noqa: F401  (tanh is public as an activation, too)
from engine.ops.reduction import _sum_dim
from engine.ops.shape import wrap_dim
from engine.tensor import Tensor


@op(r"\sigma({self})", floating=True, self=lambda grad, result: sigmoid_backward(grad, result))
def sigmoid(self):
    """The logistic function, `1 / (1 + exp(-x))`."""
    return 1 / (1 + np.exp(-self))


@op(
    r"{grad_output} \cdot {output} (1 - {output})",
    grad_output=lambda grad, output: grad * (output * (1 - output)),
    output=lambda grad, grad_output, output: grad * grad_output * (1 - 2 * output),
)
def sigmoid_backward(grad_output, output):
    """The derivative of the logistic function, from its result."""
    return grad_output * (output * (1 - output))


@op(r"\mathrm{{relu}}({self})", self=lambda grad, result: threshold_backward(grad, result, 0))
def relu(self):
    """Each element, or zero if it is negative."""
    return np.maximum(self, 0)


@op(
    r"{grad_output} \cdot [{self} > {threshold}]",
    grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
    self=None,
)
def threshold_backward(grad_output, self, threshold):
    """`grad_output` where `self` exceeds the threshold."""
    return grad_output * (self > threshold)


@op(
    r"\mathrm{{leaky\_relu}}({self})",
    self=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
    node="LeakyReluBackward0",
    name="leaky_relu",
)
def _leaky_relu(self, negative_slope):
    """Each element, scaled by `negative_slope` if it is negative."""
    return np.where(self > 0, self, self * self.dtype.type(negative_slope))


def leaky_relu_backward(grad, self, negative_slope):
    """The derivative of leaky_relu."""
    return where(self > 0, grad, grad * negative_slope)


@function
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Each element, scaled by `negative_slope` if it is negative."""
    return _leaky_relu(input, negative_slope)


@op(
    r"\mathrm{{elu}}({self})",
    self=lambda grad, self, alpha: where(self > 0, grad, grad * (alpha * exp(where(self > 0, 0.0, self)))),
    node="EluBackward0",
    name="elu",
)
def _elu(self, alpha):
    """`x`, or `alpha * (exp(x) - 1)` if it is negative."""
    return np.where(self > 0, self, alpha * np.expm1(np.minimum(self, 0))).astype(self.dtype)


@function
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x`, or `alpha * (exp(x) - 1)` if it is negative."""
    return _elu(input, alpha)


@op(r"\mathrm{{silu}}({self})", self=lambda grad, self: silu_backward(grad, self), node="SiluBackward0", name="silu")
def _silu(self):
    """`x * sigmoid(x)`."""
    return self / (1 + np.exp(-self))


def silu_backward(grad, self):
    """The derivative of silu."""
    s = sigmoid(self)
    return grad * (s * (1 + self * (1 - s)))


@function
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * sigmoid(x)`."""
    return _silu(input)


@op(
    r"\mathrm{{softplus}}({self})",
    self=lambda grad, self, beta, threshold: grad * where(self * beta > threshold, 1.0, sigmoid(self * beta)),
)
def softplus(self, beta=1.0, threshold=20.0):
    """`log(1 + exp(beta * x)) / beta`; the identity above the threshold."""
    scaled = self * beta
    return np.where(scaled > threshold, self, np.log1p(np.exp(np.minimum(scaled, threshold))) / beta).astype(self.dtype)


@op(
    r"\mathrm{{softmax}}({self})",
    self=lambda grad, result, dim: softmax_backward_data(grad, result, dim),
    node="SoftmaxBackward0",
    name="softmax",
)
def _softmax(self, dim):
    """The exponentials along `dim`, divided by their sum."""
    e = np.exp(self - self.max(axis=dim, keepdims=True)) if self.ndim else np.ones_like(self)
    return e / e.sum(axis=dim, keepdims=True) if self.ndim else e


def softmax_backward_data(grad, result, dim):
    """The derivative of softmax, from its result."""
    weighted = grad * result
    return weighted - result * _sum_dim(weighted, dim, True)


@op(
    r"\log\mathrm{{softmax}}({self})",
    self=lambda grad, result, dim: grad - exp(result) * _sum_dim(grad, dim, True),
    node="LogSoftmaxBackward0",
    name="log_softmax",
)
def _log_softmax(self, dim):
    """The logarithm of softmax along `dim`."""
    if not self.ndim:
        return np.zeros_like(self)
    shifted = self - self.max(axis=dim, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))


def _default_dim(name: str, ndim: int) -> int:
    import warnings

    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        UserWarning,
        stacklevel=3,
    )
    return 0 if ndim in (0, 1, 3) else 1


@function
def softmax(input: Tensor, dim: int | None = None, dtype: Any = None, _stacklevel: int = 3) -> Tensor:
    """The exponentials along `dim`, divided by their sum."""
    if dim is None:
        dim = _default_dim("softmax", input._array.ndim)
    if dtype is not None:
        input = input.to(dtype)
    _needs_floating("softmax", input)
    return _softmax(input, wrap_dim(dim, input._array.ndim))


@function
def log_softmax(input: Tensor, dim: int | None = None, dtype: Any = None, _stacklevel: int = 3) -> Tensor:
    """The logarithm of softmax along `dim`, computed stably."""
    if dim is None:
        dim = _default_dim("log_softmax", input._array.ndim)
    if dtype is not None:
        input = input.to(dtype)
    _needs_floating("log_softmax", input)
    return _log_softmax(input, wrap_dim(dim, input._array.ndim))


def _needs_floating(name: str, tensor: Tensor) -> None:
    if tensor._array.dtype.kind != "f":
        from engine.dtypes import SCALAR_NAMES

        kernel = "softmax_lastdim_kernel_impl" if name == "softmax" else "log_softmax_lastdim_kernel_impl"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[tensor.dtype]}'")


expit = sigmoid
