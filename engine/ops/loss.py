"""Loss functions."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from engine.errors import sizes_mismatch
from engine.op import function, op
from engine.ops.activation import log_softmax, sigmoid
from engine.ops.comparison import _clamp
from engine.ops.pointwise import log
from engine.ops.reduction import _mean, _sum
from engine.ops.shape import wrap_dim
from engine.tensor import Tensor

REDUCTIONS = ("none", "mean", "sum")


def _reduction(name: str) -> str:
    if name not in REDUCTIONS:
        raise ValueError(f"{name} is not a valid value for reduction")
    return name


def shares(grad, self, reduction):
    """The gradient of each element's loss."""
    return grad / numel(self) if reduction == "mean" else grad


def numel(self):
    """How many elements."""
    return math.prod(self.shape)


def reduced(array, reduction):
    """The elements' losses reduced."""
    if reduction == "none":
        return array
    total = np.add.reduce(array, axis=None)
    return total if reduction == "sum" else total / array.dtype.type(array.size)


@op(
    r"\mathrm{{mse}}({self}, {target})",
    self=lambda grad, self, target, reduction: shares(grad, self, reduction) * (2.0 * (self - target)),
    target=lambda grad, self, target, reduction: shares(grad, self, reduction) * (-2.0 * (self - target)),
    node="MseLossBackward0",
    name="mse_loss",
)
def _mse_loss(self, target, reduction):
    """Squared differences, reduced."""
    difference = self - target
    return reduced(difference * difference, reduction)


def _check_sizes(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Warn of unequal shapes, and broadcast them as PyTorch does."""
    if input._array.shape == target._array.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely lead to "
        "incorrect results due to broadcasting. Please ensure they have the same size.",
        UserWarning,
        stacklevel=3,
    )
    try:
        shape = np.broadcast_shapes(input._array.shape, target._array.shape)
    except ValueError:
        raise sizes_mismatch(input._array.shape, target._array.shape) from None
    return input.expand(shape), target.expand(shape)


@function
def mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    """Mean squared error: `(input - target) ** 2`, reduced."""
    input, target = _check_sizes(input, target)
    return _mse_loss(input, target, _reduction(reduction))


@function
def l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    """Mean absolute error: `|input - target|`, reduced."""
    input, target = _check_sizes(input, target)
    each = (input - target).abs()
    return each if _reduction(reduction) == "none" else _mean(each) if reduction == "mean" else _sum(each)


@op(
    r"-{self}_{{ {target} }}",
    self=lambda grad, self, target, weight, reduction, ignore_index: _nll_loss_backward(
        grad, self, target, weight, reduction, ignore_index
    ),
    target=None,
    weight=None,
    promote=(),
    node="NllLossBackward0",
    name="nll_loss",
)
def _nll_loss(self, target, weight, reduction, ignore_index):
    """The negative log-probability at each target class, along dimension 1 (0 for a vector)."""
    picked, w = _picked(self, target, weight, ignore_index)
    losses = -picked * w
    if reduction == "none":
        return losses
    total = np.add.reduce(losses, axis=None)
    return total if reduction == "sum" else total / np.add.reduce(w, axis=None)


def _picked(self, target, weight, ignore_index):
    """The log-probabilities at the targets and the targets' weights (zero where ignored)."""
    keep = target != ignore_index
    safe = np.where(keep, target, 0)
    axis = 0 if self.ndim == 1 else 1
    picked = np.take_along_axis(self, np.expand_dims(safe, axis), axis=axis).squeeze(axis)
    w = np.ones(safe.shape, self.dtype) if weight is None else weight[safe].astype(self.dtype)
    return picked, np.where(keep, w, self.dtype.type(0))


@op(
    r"{grad}",
    grad=lambda grad, self, target, weight, reduction, ignore_index: _nll_loss(grad, target, weight, reduction, ignore_index),
    self=None,
    target=None,
    weight=None,
    promote=(),
    node="NllLossBackwardBackward0",
    name="nll_loss_backward",
)
def _nll_loss_backward(grad, self, target, weight, reduction, ignore_index):
    """The derivative of nll_loss: minus the weight at each target class."""
    _, w = _picked(self, target, weight, ignore_index)
    axis = 0 if self.ndim == 1 else 1
    each = -w * grad
    if reduction == "mean":
        each = each / np.add.reduce(w, axis=None)
    out = np.zeros_like(self)
    safe = np.where(target != ignore_index, target, 0)
    np.put_along_axis(out, np.expand_dims(safe, axis), np.expand_dims(np.asarray(each, self.dtype), axis), axis=axis)
    return out


@function
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Negative log-likelihood: minus the log-probability at each target class, (N, C, …) with targets (N, …)."""
    a, t = input._array, target._array
    if t.dtype.kind != "i":
        from engine.dtypes import SCALAR_NAMES

        raise RuntimeError(f"expected scalar type Long but found {SCALAR_NAMES[target.dtype]}")
    if a.ndim > 1 and (a.shape[0] != t.shape[0] if t.ndim else True):
        raise ValueError(
            f"Expected input batch_size ({a.shape[0]}) to match target batch_size ({t.shape[0] if t.ndim else 0})."
        )
    classes = a.shape[0] if a.ndim == 1 else a.shape[1]
    for value in np.unique(t):
        if value != ignore_index and not 0 <= value < classes:
            raise IndexError(f"Target {value} is out of bounds.")
    return _nll_loss(input, target, weight, _reduction(reduction), ignore_index)


@function
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross-entropy of unnormalised logits (N, C, …) and targets: class indices (N, …) or probabilities (N, C, …)."""
    dim = 0 if input._array.ndim == 1 else 1
    if target._array.dtype.kind == "f" or label_smoothing:
        return _smooth_cross_entropy(input, target, weight, ignore_index, _reduction(reduction), label_smoothing, dim)
    return nll_loss(log_softmax(input, dim), target, weight, None, ignore_index, None, reduction)


def _smooth_cross_entropy(
    input: Tensor, target: Tensor, weight: Any, ignore_index: int, reduction: str, smoothing: float, dim: int
) -> Tensor:
    classes = input._array.shape[wrap_dim(dim, input._array.ndim)]
    logs = log_softmax(input, dim)
    shape = [1] * input._array.ndim
    shape[dim] = classes
    weights = None if weight is None else weight.reshape(shape)
    if target._array.dtype.kind == "f":
        if target._array.shape != input._array.shape:
            raise RuntimeError(f"Expected floating point type for target with class probabilities, got {target.dtype}")
        goal = target * (1 - smoothing) + smoothing / classes if smoothing else target
        each = -((logs if weights is None else logs * weights) * goal).sum(dim)
        if reduction == "none":
            return each
        return each.sum() if reduction == "sum" else each.sum() / (input._array.size / classes)
    hard = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    keep: Any = target != ignore_index
    spread = -(logs if weights is None else logs * weights).sum(dim) * keep
    if reduction == "mean":
        weighed = keep if weight is None else weight[target * keep] * keep
        spread = spread.sum() / weighed.sum()
    elif reduction == "sum":
        spread = spread.sum()
    return hard * (1 - smoothing) + spread * (smoothing / classes)


@op(
    r"-({target} \ln {self} + (1 - {target}) \ln (1 - {self}))",
    self=lambda grad, self, target, weight, reduction: (
        weighted(shares(grad, self, reduction), weight) * ((self - target) / clamped((1 - self) * self))
    ),
    target=lambda grad, self, target, weight, reduction: (
        weighted(shares(grad, self, reduction), weight) * (log(1 - self) - log(self))
    ),
    weight=None,
    promote=(),
    node="BinaryCrossEntropyBackward0",
    name="binary_cross_entropy",
)
def _binary_cross_entropy(self, target, weight, reduction):
    """The cross-entropy of probabilities and targets; logarithms are bounded by -100."""
    each = -(target * np.maximum(np.log(self), -100) + (1 - target) * np.maximum(np.log1p(-self), -100))
    return reduced(each if weight is None else each * weight, reduction)


def weighted(grad, weight):
    """`grad * weight`, where there is one."""
    return grad if weight is None else grad * weight


def clamped(self):
    """No smaller than 1e-12, so that the quotient stays finite."""
    return _clamp(self, 1e-12, None)


@function
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Cross-entropy of probabilities `input` and targets, element by element, reduced."""
    if input._array.shape != target._array.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. Please "
            "ensure they have the same size."
        )
    a = input._array
    if a.size and (a.min() < 0 or a.max() > 1):
        raise RuntimeError("all elements of input should be between 0 and 1")
    return _binary_cross_entropy(input, target, weight, _reduction(reduction))


@op(
    r"\max({self}, 0) - {self} {target} + \ln(1 + e^{{-|{self}|}})",
    self=lambda grad, self, target, weight, pos_weight, reduction: (
        weighted(shares(grad, self, reduction), weight) * logits_slope(self, target, pos_weight)
    ),
    target=lambda grad, self, weight, pos_weight, reduction: (
        weighted(shares(grad, self, reduction), weight) * target_slope(self, pos_weight)
    ),
    weight=None,
    pos_weight=None,
    promote=(),
    node="BinaryCrossEntropyWithLogitsBackward0",
    name="binary_cross_entropy_with_logits",
)
def _bce_with_logits(self, target, weight, pos_weight, reduction):
    """The cross-entropy of logits and targets, computed stably."""
    log_sigmoid = np.minimum(self, 0) - np.log1p(np.exp(-np.abs(self)))
    scale = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    each = (1 - target) * self - scale * log_sigmoid
    return reduced(each if weight is None else each * weight, reduction)


def logits_slope(self, target, pos_weight):
    """The derivative of the loss of one logit."""
    if pos_weight is None:
        return sigmoid(self) - target
    scaled = pos_weight * target
    return (scaled + 1 - target) * sigmoid(self) - scaled


def target_slope(self, pos_weight):
    """The derivative of the loss in the target."""
    if pos_weight is None:
        return -self
    return log(1 - sigmoid(self)) - pos_weight * log(sigmoid(self))


@function
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Tensor:
    """Cross-entropy of logits `input` and targets, element by element, computed stably."""
    if input._array.shape != target._array.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return _bce_with_logits(input, target, weight, pos_weight, _reduction(reduction))


@op(
    r"\mathrm{{smooth\_l1}}({self}, {target})",
    self=lambda grad, self, target, beta, reduction: shares(grad, self, reduction) * _clamp((self - target) / beta, -1.0, 1.0),
    target=lambda grad, self, target, beta, reduction: (
        shares(grad, self, reduction) * _clamp((target - self) / beta, -1.0, 1.0)
    ),
    node="SmoothL1LossBackward0",
    name="smooth_l1_loss",
)
def _smooth_l1_loss(self, target, beta, reduction):
    """Squared below `beta`, absolute above."""
    z = np.abs(self - target)
    return reduced(np.where(z < beta, 0.5 * z * z / beta, z - 0.5 * beta).astype(self.dtype), reduction)


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
    input, target = _check_sizes(input, target)
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return _smooth_l1_loss(input, target, beta, _reduction(reduction))
