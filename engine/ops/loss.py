"""Loss functions of elements: each element of the input against one of the target."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from engine.dtypes import SCALAR_NAMES
from engine.errors import sizes_mismatch
from engine.op import function, op
from engine.ops.activation import floating_only, logsigmoid, sigmoid
from engine.ops.arithmetic import scaled, sub
from engine.ops.comparison import _clamp, clamp_min, where
from engine.ops.pointwise import exp, log
from engine.ops.reduction import _mean, _sum
from engine.ops.special import xlogy
from engine.tensor import Tensor, constant

REDUCTIONS = ("none", "mean", "sum")


def reduction_of(reduction: str, size_average: Any = None, reduce: Any = None) -> str:
    """The reduction's name, checked; the two older arguments, if given, decide it."""
    if size_average is not None or reduce is not None:
        average, some = (True if flag is None else flag for flag in (size_average, reduce))
        reduction = ("mean" if average else "sum") if some else "none"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.", stacklevel=3
        )
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=3)
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


# --- a tensor and a number, as PyTorch's C++ writes it ----------------------------------------------------------------------


@op(r"{self} + {other}", self=lambda grad: grad, node="AddBackward1", name="add")
def add_number(self, other):
    """Each element plus a number."""
    return self + other


@op(r"{self} - {other}", self=lambda grad: grad, node="SubBackward1", name="sub")
def sub_number(self, other):
    """Each element less a number."""
    return self - other


@op(r"{self} \cdot {other}", self=lambda grad, other: scaled(grad, other), node="MulBackward1", name="mul")
def mul_number(self, other):
    """Each element times a number."""
    return self * other


@op(r"{self} / {other}", self=lambda grad, other: grad / other, node="DivBackward1", name="div")
def div_number(self, other):
    """Each element divided by a number."""
    return self / other


def number_minus(number: float, tensor: Tensor) -> Tensor:
    """A number less each element."""
    return sub(constant(np.asarray(number, tensor._array.dtype)), tensor)


# --- distances -------------------------------------------------------------------------------------------------------------


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


@op(
    r"\mathrm{{huber}}({self}, {target})",
    self=lambda grad, self, target, reduction, delta: shares(grad, self, reduction) * _clamp(self - target, -delta, delta),
    target=lambda grad, self, target, reduction, delta: shares(grad, self, reduction) * _clamp(target - self, -delta, delta),
    node="HuberLossBackward0",
    name="huber_loss",
)
def _huber_loss(self, target, reduction, delta):
    """Squared below `delta`, `delta` times the absolute error above."""
    z = np.abs(self - target)
    return reduced(np.where(z < delta, 0.5 * z * z, delta * (z - 0.5 * delta)), reduction)


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
        stacklevel=3,
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
    if input._array.shape != target._array.shape:
        input, target = _broadcast(input, target)
    if size_average is not None or reduce is not None:
        reduction = reduction_of(reduction, size_average, reduce)
    if weight is not None:
        return _weighted((input - target) ** 2, input, weight, reduction)
    reduction = reduction_of(reduction)
    if input._array.dtype.kind != "f" and target._array.dtype.kind != "f":
        floating_only("mse_cpu", input)
    return _mse_loss(input, target, reduction)


@function
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Mean absolute error: `|input - target|`, reduced."""
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
    input, target = _broadcast(input, target)
    reduction = reduction_of(reduction, size_average, reduce)
    if beta == 0:
        return reduce_losses((input - target).abs(), reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return _smooth_l1_loss(input, target, float(beta), reduction)


@function
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Squared error below `delta`, `delta` times the absolute error above, reduced."""
    expanded, target = _broadcast(input, target)
    each = reduction_of(reduction) if weight is None else "none"
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    losses = _huber_loss(expanded, target, each, float(delta))
    return losses if weight is None else _weighted(losses, input, weight, reduction, total=False)


# --- probabilities ---------------------------------------------------------------------------------------------------------


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
    each = (target - 1) * np.maximum(np.log1p(-self), -100) - target * np.maximum(np.log(self), -100)
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
    reduction = reduction_of(reduction, size_average, reduce)
    if input._array.shape != target._array.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. Please "
            "ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(np.broadcast_shapes(target._array.shape, weight._array.shape))
    no_gradient("binary_cross_entropy", weight=weight)
    if input.dtype is not target.dtype:
        raise RuntimeError(f"Found dtype {SCALAR_NAMES[target.dtype]} but expected {SCALAR_NAMES[input.dtype]}")
    for name, a in (("input", input._array), ("target", target._array)):
        if a.size and (a.min() < 0 or a.max() > 1):
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    return _binary_cross_entropy(input, target, weight, reduction)


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
    promote=("self", "target"),
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
    raised = pos_weight * target
    return (raised + 1 - target) * sigmoid(self) - raised


def target_slope(self, pos_weight):
    """The derivative of the loss in the target."""
    if pos_weight is None:
        return -self
    return log(1 - sigmoid(self)) - pos_weight * log(sigmoid(self))


@function
def functional_binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Tensor:
    """Cross-entropy of logits `input` and targets, element by element, computed stably."""
    reduction = reduction_of(reduction, size_average, reduce)
    if input._array.shape != target._array.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    no_gradient("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if target._array.dtype.kind != "f":
        names = SCALAR_NAMES
        raise RuntimeError(f"result type {names[input.dtype]} can't be cast to the desired output type {names[target.dtype]}")
    return _bce_with_logits(input, target, weight, pos_weight, reduction)


@op(
    r"\ln(1 + e^{{-{target} {self}}})",
    self=lambda grad, self, target, reduction: shares(grad, self, reduction) * (-target * sigmoid(-target * self)),
    target=None,
    node="SoftMarginLossBackward0",
    name="soft_margin_loss",
)
def _soft_margin_loss(self, target, reduction):
    """`log(1 + exp(-target * self))`, reduced."""
    return reduced(np.log1p(np.exp(-target * self)), reduction)


@function
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """`log(1 + exp(-target * input))` of each element, reduced; targets are 1 and -1."""
    reduction = reduction_of(reduction, size_average, reduce)
    no_gradient("soft_margin_loss", target=target)
    return _soft_margin_loss(input, target, reduction)


@function
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Binary cross-entropy of logits, averaged over the classes (the last dimension), reduced."""
    if size_average is not None or reduce is not None:
        reduction = reduction_of(reduction, size_average, reduce)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    dim = input._array.ndim - 1
    losses = losses.sum(dim) / input._array.shape[dim]
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not valid")
    return reduce_losses(losses, reduction)


# --- distributions ---------------------------------------------------------------------------------------------------------

MEAN_OF_DIVERGENCES = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by the "
    "batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as 'batchmean' in the "
    "next major release."
)


@function
def functional_kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The Kullback–Leibler divergence of the target from `input`, which holds logarithms."""
    batches = reduction == "batchmean" and size_average is None and reduce is None
    if reduction == "mean" and size_average is None and reduce is None:
        warnings.warn(MEAN_OF_DIVERGENCES, stacklevel=2)
    how = "sum" if batches else reduction_of(reduction, size_average, reduce)
    losses = exp(target) * (target - input) if log_target else xlogy(target, target) - target * input
    total = reduce_losses(losses, how)
    return total / input._array.shape[0] if reduction == "batchmean" and input._array.ndim else total


@function
def functional_poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log-likelihood of counts `target` with the Poisson mean `input` (or its logarithm)."""
    reduction = reduction_of(reduction, size_average, reduce)
    losses = exp(input) - target * input if log_input else input - target * log(add_number(input, eps))
    if full:
        stirling = target * log(target) - target + mul_number(log(mul_number(target, 2 * math.pi)), 0.5)
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return reduce_losses(losses, reduction)


@function
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """The negative log-likelihood of the targets with normal distributions of mean `input` and variance `var`."""
    from engine.autograd import no_grad

    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = constant(np.full_like(input._array, var))
    elif (var._array < 0).any():
        raise ValueError("var has negative entry/entries")
    shape, spread = input._array.shape, var._array.shape
    if spread != shape:
        if shape[:-1] == spread:
            var = var.unsqueeze(-1)
        elif len(shape) != len(spread) or sum(y for x, y in zip(shape, spread, strict=True) if x != y) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (log(var) + (input - target) ** 2 / var)
    if full:
        losses += 0.5 * math.log(2 * math.pi)
    return reduce_losses(losses, reduction)


@function
def functional_hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """`input` where the target is 1, `max(0, margin - input)` where it is -1, reduced."""
    reduction = reduction_of(reduction, size_average, reduce)
    zeros = constant(np.zeros_like(input._array))
    apart = where(target != 1, clamp_min(number_minus(margin, input), 0), zeros)
    return reduce_losses(apart + where(target != -1, input, zeros), reduction)
