"""Loss functions that are likelihoods: of binary labels, of counts, of normal numbers; divergences and margins."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...context import beyond, context
from ...dtypes import INEXACT, SCALAR_NAMES
from ...op.declare import function, op
from ...op.slow_path import autocast
from ...tensor import Tensor, constant
from ..near import near
from ..nn.activation import logsigmoid, sigmoid
from ..pointwise.comparison import _clamp, where
from ..pointwise.special import xlogy
from ..pointwise.unary import exp, log
from .elementwise import (
    REDUCTIONS,
    add_number,
    clamp_min_number,
    mul_number,
    no_gradient,
    number_minus,
    reduce_losses,
    reduced,
    reduction_of,
    shares,
)

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
    broadcast=(),
    fused=True,
    node="BinaryCrossEntropyBackward0",
    layout="elementwise",
    name="binary_cross_entropy",
    real_only="binary_cross_entropy",
)
def _binary_cross_entropy(self, target, weight, reduction):
    """The cross-entropy of probabilities and targets; logarithms are bounded by -100."""
    each = (target - 1) * np.maximum(near(np.log1p, -self), -100) - target * np.maximum(near(np.log, self), -100)
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
    if context.fast is not None:
        input, target, weight = autocast(input, target, weight, raised=True)
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
    broadcast=("self", "target"),
    node="BinaryCrossEntropyWithLogitsBackward0",
    layout="elementwise",
    name="binary_cross_entropy_with_logits",
    real_only="log_sigmoid_cpu",
)
def _bce_with_logits(self, target, weight, pos_weight, reduction):
    """The cross-entropy of logits and targets, computed stably."""
    log_sigmoid = np.minimum(self, 0) - near(np.log1p, near(np.exp, -np.abs(self)))
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
    if context.fast is not None:
        input, target, weight, pos_weight = autocast(input, target, weight, pos_weight, raised=True)
    reduction = reduction_of(reduction, size_average, reduce)
    if input._array.shape != target._array.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    no_gradient("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if target._array.dtype.kind not in INEXACT:
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


def divergences(input: Tensor, target: Tensor, log_target: bool) -> Tensor:
    """The Kullback–Leibler divergence element by element."""
    return exp(target) * (target - input) if log_target else xlogy(target, target) - target * input


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
    if context.fast is not None:
        input, target = autocast(input, target, raised=True)
    batches = reduction == "batchmean" and size_average is None and reduce is None
    if reduction == "mean" and size_average is None and reduce is None:
        warnings.warn(MEAN_OF_DIVERGENCES, stacklevel=beyond(2))
    how = "sum" if batches else reduction_of(reduction, size_average, reduce)
    total = reduce_losses(divergences(input, target, log_target), how)
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
    if context.fast is not None:
        input, target = autocast(input, target, raised=True)
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
    from ...autograd import no_grad

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
    apart = where(target != 1, clamp_min_number(number_minus(margin, input), 0), zeros)
    return reduce_losses(apart + where(target != -1, input, zeros), reduction)
