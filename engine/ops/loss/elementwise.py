"""Loss functions of elements: each element of the input against one of the target."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...context import beyond, context
from ...dtypes import INEXACT
from ...errors import sizes_mismatch
from ...op.declare import function, op
from ...op.slow_path import autocast, real
from ...tensor import Tensor, constant
from ..nn.activation import floating_only
from ..pointwise.arithmetic import scaled, sub
from ..pointwise.comparison import _clamp, where
from ..reduction.sums import _mean, _sum

LAYOUT = "elementwise"
"""How the results of the operations here stand in memory; see `engine/op/layouts.py`."""

REDUCTIONS = ("none", "mean", "sum")


def reduction_of(reduction: str, size_average: Any = None, reduce: Any = None) -> str:
    """The reduction's name, checked; the two older arguments, if given, decide it."""
    if size_average is not None or reduce is not None:
        average, some = (True if flag is None else flag for flag in (size_average, reduce))
        reduction = ("mean" if average else "sum") if some else "none"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            stacklevel=beyond(3),
        )
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=beyond(3))
        return "mean"
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def reduced(array, reduction):
    """The elements' losses reduced: an array's."""
    if reduction == "none":
        return array
    total = np.add.reduce(array, axis=None)
    return total if reduction == "sum" else total / array.dtype.type(array.size)


def reduce_losses(losses: Tensor, reduction: str) -> Tensor:
    """The elements' losses reduced: a tensor's."""
    return losses if reduction == "none" else _mean(losses) if reduction == "mean" else _sum(losses)


def shares(grad, self, reduction):
    """The gradient of each element's loss."""
    return grad / numel(self) if reduction == "mean" else grad


def numel(self):
    """How many elements."""
    return math.prod(self.shape)


def no_gradient(name: str, **tensors: Tensor | None) -> None:
    """Refuse arguments that require a gradient where there is none."""
    for argument, t in tensors.items():
        if t is not None and t.requires_grad:
            raise RuntimeError(
                f"The function '{name}' is not differentiable with respect to argument '{argument}'. This input cannot have "
                "requires_grad True."
            )


def not_implemented(name):
    """Refuse a second derivative that PyTorch does not have."""
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


# --- a tensor and a number, as PyTorch's C++ writes it ----------------------------------------------------------------------


@op(r"{self} + {other}", symbol="+", self=lambda grad: grad, node="AddBackward1", name="add")
def add_number(self, other):
    """Each element plus a number."""
    return self + other


@op(r"{self} - {other}", symbol="−", self=lambda grad: grad, node="SubBackward1", name="sub")
def sub_number(self, other):
    """Each element less a number."""
    return self - other


@op(r"{self} \cdot {other}", symbol="×", self=lambda grad, other: scaled(grad, other), node="MulBackward1", name="mul")
def mul_number(self, other):
    """Each element times a number."""
    return self * other


@op(r"{self} / {other}", symbol="÷", self=lambda grad, other: grad / other, node="DivBackward1", name="div")
def div_number(self, other):
    """Each element divided by a number."""
    return self / other


@op(
    r"\max({self}, {min})",
    self=lambda grad, self, min: where(self >= min, grad, 0.0),
    node="ClampMinBackward0",
    name="clamp_min",
)
def clamp_min_number(self, min):
    """Each element no smaller than a number."""
    return np.maximum(self, min)


def number_minus(number: float, tensor: Tensor) -> Tensor:
    """A number less each element."""
    return sub(constant(np.asarray(number, tensor._array.dtype)), tensor)


# --- distances -------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{mse}}({self}, {target})",
    traits="distance",
    self=lambda grad, self, target, reduction: shares(grad, self, reduction) * (2.0 * (self - target)),
    target=lambda grad, self, target, reduction: shares(grad, self, reduction) * (-2.0 * (self - target)),
    stepwise=True,
    node="MseLossBackward0",
    name="mse_loss",
    real_only="mse_cpu",
)
def _mse_loss(self, target, reduction):
    """Squared differences, reduced."""
    difference = self - target
    return reduced(difference * difference, reduction)


@op(
    r"\mathrm{{huber}}({self}, {target})",
    traits="distance magnitude",
    self=lambda grad, self, target, reduction, delta: shares(grad, self, reduction) * _clamp(self - target, -delta, delta),
    target=lambda grad, self, target, reduction, delta: shares(grad, self, reduction) * _clamp(target - self, -delta, delta),
    fused=True,
    node="HuberLossBackward0",
    name="huber_loss",
    real_only="huber_cpu",
)
def _huber_loss(self, target, reduction, delta):
    """Squared below `delta`, `delta` times the absolute error above."""
    z = np.abs(self - target)
    return reduced(np.where(z < delta, 0.5 * z * z, delta * (z - 0.5 * delta)), reduction)


@op(
    r"\mathrm{{smooth\_l1}}({self}, {target})",
    traits="distance magnitude",
    self=lambda grad, self, target, beta, reduction: shares(grad, self, reduction) * _clamp((self - target) / beta, -1.0, 1.0),
    target=lambda grad, self, target, beta, reduction: (
        shares(grad, self, reduction) * _clamp((target - self) / beta, -1.0, 1.0)
    ),
    fused=True,
    stepwise=True,
    node="SmoothL1LossBackward0",
    name="smooth_l1_loss",
    real_only="smooth_l1_cpu",
)
def _smooth_l1_loss(self, target, beta, reduction):
    """Squared below `beta`, absolute above."""
    z = np.abs(self - target)
    return reduced(np.where(z < beta, 0.5 * z * z / beta, z - 0.5 * beta), reduction)


def _broadcast(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Warn of unequal shapes, and broadcast them as PyTorch does."""
    a, b = input._array.shape, target._array.shape
    if a == b:
        return input, target
    warnings.warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely lead to "
        "incorrect results due to broadcasting. Please ensure they have the same size.",
        UserWarning,
        stacklevel=beyond(3),
    )
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        raise sizes_mismatch(a, b) from None
    return input.expand(shape), target.expand(shape)


def _weighted(losses: Tensor, input: Tensor, weight: Tensor, reduction: str, total: bool = True) -> Tensor:
    """Losses weighted and reduced; the mean is divided by the weights' sum, or by the number of elements."""
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    losses = losses * weight
    if reduction not in REDUCTIONS:
        raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")
    return losses.sum() / weight.sum() if reduction == "mean" and total else reduce_losses(losses, reduction)


@function
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Mean squared error: `(input - target) ** 2`, reduced."""
    if context.fast is not None:
        input, target = autocast(input, target, raised=True)
    if input._array.shape != target._array.shape:
        input, target = _broadcast(input, target)
    if size_average is not None or reduce is not None:
        reduction = reduction_of(reduction, size_average, reduce)
    if weight is not None:
        return _weighted((input - target) ** 2, input, weight, reduction)
    reduction = reduction_of(reduction)
    if input._array.dtype.kind not in INEXACT and target._array.dtype.kind not in INEXACT:
        floating_only("mse_cpu", input)
    return _mse_loss(input, target, reduction)


@function(traits="distance")
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Mean absolute error: `|input - target|`, reduced."""
    if context.fast is not None:
        input, target = autocast(input, target, raised=True)
    expanded, target = _broadcast(input, target)
    if size_average is not None or reduce is not None:
        reduction = reduction_of(reduction, size_average, reduce)
    if weight is not None:
        return _weighted((expanded - target).abs(), input, weight, reduction)
    reduction = reduction_of(reduction)
    return reduce_losses((expanded - target).abs(), reduction)


@function
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Squared error below `beta`, absolute error above, reduced."""
    if context.fast is not None:
        input, target = autocast(input, target, raised=True)
    input, target = _broadcast(input, target)
    reduction = reduction_of(reduction, size_average, reduce)
    if beta == 0:
        return reduce_losses((input - target).abs(), reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return _smooth_l1_loss(input, target, real(beta), reduction)


@function
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Squared error below `delta`, `delta` times the absolute error above, reduced."""
    if context.fast is not None:
        input, target = autocast(input, target, raised=True)
    expanded, target = _broadcast(input, target)
    each = reduction_of(reduction) if weight is None else "none"
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    losses = _huber_loss(expanded, target, each, float(delta))
    return losses if weight is None else _weighted(losses, input, weight, reduction, total=False)
