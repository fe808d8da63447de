"""Loss functions of classifiers that want a margin between the right classes' scores and the others'."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import SCALAR_NAMES
from ...op.declare import function, op
from ...tensor import Tensor
from .elementwise import no_gradient, not_implemented, reduced, reduction_of


def _rows(array: Any) -> Any:
    """Scores as (N, C), also those of a single sample."""
    return array if array.ndim == 2 else array.reshape(1, -1)


def _per_sample(grad, self, reduction):
    """The gradient of each sample's loss, as a column."""
    rows = _rows(self)
    each = np.broadcast_to(np.asarray(grad, self.dtype).reshape(-1), (rows.shape[0],))
    return (each / rows.shape[0] if reduction == "mean" else each)[:, None]


def _excess(self, target, margin):
    """By how much each wrong class's score comes within `margin` of the right one's; zero for the right class."""
    rows, right = _rows(self), target.reshape(-1)
    line = np.arange(rows.shape[0])
    excess = np.maximum(rows - rows[line, right][:, None] + margin, 0)
    excess[line, right] = 0
    return excess, line, right


@op(
    r"\mathrm{{multi\_margin}}({self}, {target})",
    self=lambda grad, self, target, p, margin, weight, reduction: _multi_margin_backward(
        grad, self, target, p, margin, weight, reduction
    ),
    target=None,
    weight=None,
    broadcast=(),
    node="MultiMarginLossBackward0",
    name="multi_margin_loss",
    real_only="multi_margin_loss_cpu_kernel",
)
def _multi_margin(self, target, p, margin, weight, reduction):
    """By how much wrong classes come within the margin of the right one, to the power `p`, averaged over the classes."""
    excess, _, right = _excess(self, target, margin)
    losses = np.add.reduce(excess if p == 1 else excess * excess, axis=1) / excess.shape[1]
    if weight is not None:
        losses = losses * weight[right]
    return reduced(losses if target.ndim else losses.reshape(()), reduction)


@op(
    r"\mathrm{{multi\_margin}}'",
    grad=lambda grad: not_implemented("multi_margin_loss_backward"),
    self=lambda grad: not_implemented("multi_margin_loss_backward"),
    target=None,
    weight=None,
    broadcast=(),
    name="multi_margin_loss_backward",
)
def _multi_margin_backward(grad, self, target, p, margin, weight, reduction):
    """The derivative of multi_margin_loss."""
    excess, line, right = _excess(self, target, margin)
    slope = ((excess > 0).astype(self.dtype) if p == 1 else 2 * excess) * (1 / excess.shape[1])
    if weight is not None:
        slope *= weight[right][:, None]
    slope *= _per_sample(grad, self, reduction)
    slope[line, right] = -np.add.reduce(slope, axis=1)
    return slope.reshape(self.shape)


def _check_samples(input: Tensor) -> tuple[int, int]:
    shape = input._array.shape
    if not ((len(shape) == 2 and shape[1]) or (len(shape) == 1 and shape[0]) or not shape):
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}")
    return (1, shape[0] if shape else 1) if len(shape) < 2 else (shape[0], shape[1])


def _check_long(target: Tensor) -> None:
    if target._array.dtype.name != "int64":
        raise RuntimeError(f"expected scalar type Long but found {SCALAR_NAMES[target.dtype]}")


@function
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, margin - input[y] + input[i]) ** p` summed over the wrong classes i, divided by their number, reduced."""
    reduction = reduction_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight._array.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    samples, classes = _check_samples(input)
    t = target._array
    if t.ndim > 1 or t.size != samples:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
            f"Expected target size [{samples}], but got {list(t.shape)}. Input has shape {list(input.shape)}."
        )
    if weight is not None and weight._array.size != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    _check_long(target)
    if t.size and (t.min() < 0 or t.max() >= classes):
        raise RuntimeError("target out of range")
    no_gradient("multi_margin_loss", weight=weight)
    return _multi_margin(input, target, p, float(margin), weight, reduction)


def _pairs(self, target):
    """Which classes are targets (of each row up to the first -1), and for each position in the row and class its excess."""
    rows, listed = _rows(self), _rows(target)
    counted = np.minimum.accumulate(listed, axis=1) >= 0
    safe = np.where(counted, listed, 0)
    member = np.zeros(rows.shape, bool)
    line = np.broadcast_to(np.arange(rows.shape[0])[:, None], listed.shape)
    member[line[counted], listed[counted]] = True
    right = np.take_along_axis(rows, safe, 1)
    excess = np.maximum(1 - right[:, :, None] + rows[:, None, :], 0)
    return np.where(counted[:, :, None] & ~member[:, None, :], excess, self.dtype.type(0)), safe


@op(
    r"\mathrm{{multilabel\_margin}}({self}, {target})",
    self=lambda grad, self, target, reduction: _multilabel_margin_backward(grad, self, target, reduction),
    target=None,
    broadcast=(),
    node="MultilabelMarginLossBackward0",
    name="multilabel_margin_loss",
    real_only="multilabel_margin_loss_forward_out_frame",
)
def _multilabel_margin(self, target, reduction):
    """By how much other classes come within 1 of the target classes, averaged over the classes."""
    excess, _ = _pairs(self, target)
    losses = np.add.reduce(excess, axis=(1, 2)) / excess.shape[2]
    return reduced(losses if self.ndim == 2 else losses.reshape(()), reduction)


@op(
    r"\mathrm{{multilabel\_margin}}'",
    grad=lambda grad: not_implemented("multilabel_margin_loss_backward"),
    self=lambda grad: not_implemented("multilabel_margin_loss_backward"),
    target=None,
    broadcast=(),
    name="multilabel_margin_loss_backward",
)
def _multilabel_margin_backward(grad, self, target, reduction):
    """The derivative of multilabel_margin_loss."""
    excess, safe = _pairs(self, target)
    violated = (excess > 0).astype(self.dtype)
    slope = np.add.reduce(violated, axis=1)
    np.subtract.at(slope, (np.arange(len(slope))[:, None], safe), np.add.reduce(violated, axis=2))
    return (slope / excess.shape[2] * _per_sample(grad, self, reduction)).reshape(self.shape)


@function
def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """`max(0, 1 - input[j] + input[i])` over target classes j (each row up to the first -1) and others i, reduced."""
    reduction = reduction_of(reduction, size_average, reduce)
    _, classes = _check_samples(input)
    t = target._array
    if t.shape != input._array.shape and not (input._array.ndim < 2 and t.ndim < 2 and t.size == classes):
        raise RuntimeError(f"inconsistent target size: {list(t.shape)} for input of size: {list(input.shape)}")
    _check_long(target)
    if t.size and (t.min() < -1 or t.max() >= classes):
        raise RuntimeError("argument #2 'target' is out of range")
    return _multilabel_margin(input, target, reduction)
