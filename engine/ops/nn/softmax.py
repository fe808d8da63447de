"""Softmax and its variants."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...context import beyond
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..pointwise.unary import exp
from ..reduction.sums import _sum_dim
from ..shape.dimensions import wrap_dim
from .activation import floating_only


@op(
    r"\mathrm{{softmax}}({self})",
    traits="normalizes squashes probabilities",
    self=lambda grad, result, dim: softmax_backward_data(grad, result, dim),
    node="SoftmaxBackward0",
    name="softmax",
    real_only="softmax_lastdim_kernel_impl",
)
def _softmax(self, dim):
    """The exponentials along `dim`, divided by their sum."""
    if not self.size or not self.ndim:
        return np.ones_like(self)
    e = self - np.maximum.reduce(self, axis=dim, keepdims=True)
    np.exp(e, e)
    e /= np.add.reduce(e, axis=dim, keepdims=True)
    return e


@op(
    r"{output} ({grad_output} - \sum {grad_output} {output})",
    grad_output=lambda grad, output, dim: softmax_backward_data(grad, output, dim),
    output=lambda grad, grad_output, output, dim: (
        grad * (grad_output - _sum_dim(grad_output * output, dim, True)) - grad_output * _sum_dim(grad * output, dim, True)
    ),
    node="SoftmaxBackwardDataBackward0",
    name="_softmax_backward_data",
)
def softmax_backward_data(grad_output, output, dim):
    """The derivative of softmax, from its result."""
    weighted = grad_output * output
    if weighted.ndim:
        weighted -= output * np.add.reduce(weighted, axis=dim, keepdims=True)
    return weighted if weighted.ndim else weighted - output * weighted


@op(
    r"{grad_output} - e^{{ {output} }} \sum {grad_output}",
    grad_output=lambda grad, output, dim: grad - _sum_dim(grad * exp(output), dim, True),
    output=lambda grad, grad_output, output, dim: -grad * exp(output) * _sum_dim(grad_output, dim, True),
    node="LogSoftmaxBackwardDataBackward0",
    name="_log_softmax_backward_data",
)
def log_softmax_backward_data(grad_output, output, dim):
    """The derivative of log_softmax, from its result."""
    if not output.ndim:
        return grad_output - np.exp(output) * grad_output
    out = np.exp(output)
    out *= np.add.reduce(grad_output, axis=dim, keepdims=True)
    return np.subtract(grad_output, out, out)


@op(
    r"\log\mathrm{{softmax}}({self})",
    traits="normalizes",
    self=lambda grad, result, dim: log_softmax_backward_data(grad, result, dim),
    node="LogSoftmaxBackward0",
    name="log_softmax",
    real_only="log_softmax_lastdim_kernel_impl",
)
def _log_softmax(self, dim):
    """The logarithm of softmax along `dim`."""
    if not self.size or not self.ndim:
        return np.zeros_like(self)
    shifted = self - np.maximum.reduce(self, axis=dim, keepdims=True)
    shifted -= np.log(np.add.reduce(np.exp(shifted), axis=dim, keepdims=True))
    return shifted


def _softened(declared: Any, name: str, input: Tensor, dim: int, dtype: Any) -> Tensor:
    if dtype is not None:
        input = input.to(dtype)
    ndim = input._array.ndim
    dim = wrap_dim(dim, ndim)
    floating_only(f"{name}_lastdim_kernel_impl" if dim >= ndim - 1 else f"{name}_kernel_impl", input)
    return declared(input, dim)


@function(traits="sized")
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The exponentials along `dim`, divided by their sum."""
    return _softened(_softmax, "softmax", input, dim, dtype)


@function(traits="sized")
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of softmax along `dim`, computed stably."""
    return _softened(_log_softmax, "log_softmax", input, dim, dtype)


def _default_dim(name: str, ndim: int, stacklevel: int) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        UserWarning,
        stacklevel=beyond(stacklevel),
    )
    return 0 if ndim in (0, 1, 3) else 1


@function
def functional_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The exponentials along `dim`, divided by their sum."""
    return softmax(input, _default_dim("softmax", input._array.ndim, _stacklevel) if dim is None else dim, dtype)


@function
def functional_log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of softmax along `dim`, computed stably."""
    return log_softmax(input, _default_dim("log_softmax", input._array.ndim, _stacklevel) if dim is None else dim, dtype)


@function
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Softmax of the negated elements."""
    return softmax(-input, _default_dim("softmin", input._array.ndim, _stacklevel) if dim is None else dim, dtype)


@function
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Softmax of the logits plus Gumbel noise, divided by `tau`; `hard` makes it one-hot but keeps the soft gradient."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=beyond(2))
    noise = constant(np.empty_like(logits._array, order="C"))
    y_soft = softmax((logits + -noise.exponential_().log()) / tau, dim)
    if not hard:
        return y_soft
    index = y_soft.max(dim, keepdim=True)[1]
    y_hard = constant(np.zeros_like(logits._array)).scatter_(dim, index, 1.0)
    return y_hard - y_soft.detach() + y_soft
