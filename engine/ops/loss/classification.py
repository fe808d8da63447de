"""Loss functions of classifiers: scores of classes against the right classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...context import context
from ...dtypes import INEXACT, SCALAR_NAMES
from ...op.declare import function, op
from ...op.slow_path import autocast
from ...tensor import Tensor
from ..linalg.matmul import linear
from ..nn.activation import floating_only
from ..nn.softmax import _log_softmax, log_softmax
from ..reduction.sums import _sum, _sum_dim
from .elementwise import REDUCTIONS, add_number, div_number, mul_number, no_gradient, reduction_of

# --- negative log-likelihood -----------------------------------------------------------------------------------------------


_LONG = np.dtype(np.int64)
_LINE = np.arange(4096)


def _index_of_targets(array: Any, target: Any) -> tuple[Any, ...]:
    """The index of each target class's score in an array of scores."""
    if array.ndim == 1:
        return (target,)
    if target.ndim == 1:
        n = len(target)
        return _LINE[:n] if n <= 4096 else np.arange(n), target
    grids = [np.arange(n).reshape([-1 if i == d else 1 for i in range(target.ndim)]) for d, n in enumerate(target.shape)]
    return (grids[0], target, *grids[1:])


def _shares(array: Any, target: Any, weight: Any, ignore_index: int) -> tuple[Any, Any, Any]:
    """The targets made safe to index with, each one's weight (None: all 1), and the sum of the weights."""
    classes = array.shape[0 if array.ndim == 1 else 1]
    if weight is None and not 0 <= ignore_index < classes:
        # Read without their sign, negative numbers are larger than any class.
        unsigned = target.view(np.uint64) if target.dtype is _LONG else target
        if not target.size or np.maximum.reduce(unsigned, axis=None) < classes:
            return target, None, target.size
    keep = target != ignore_index
    safe = np.where(keep, target, 0)
    wrong = (safe < 0) | (safe >= classes)
    if wrong.any():
        raise IndexError(f"Target {target[wrong].ravel()[0]} is out of bounds.")
    weights = keep.astype(array.dtype) if weight is None else np.where(keep, weight[safe], array.dtype.type(0))
    return safe, weights, np.add.reduce(weights, axis=None)


def _likelihood(self, target, weight, reduction, ignore_index):
    if self.ndim == target.ndim == 1:
        target = target.reshape(())
    safe, weights, total = _shares(self, target, weight, ignore_index)
    losses = -self[_index_of_targets(self, safe)]
    if weights is not None:
        # An ignored score may be infinite.
        losses = np.where(weights == 0, self.dtype.type(0), losses * weights)
    if reduction == "none":
        return losses
    result = np.add.reduce(losses, axis=None, dtype=self.dtype)
    return result if reduction == "sum" else result / self.dtype.type(total)


def _likelihood_backward(grad, self, target, weight, reduction, ignore_index):
    if self.ndim == target.ndim == 1 and len(self) != len(target):
        # PyTorch's forward takes a sample without its dimension and a target with it; only its derivative does not.
        raise RuntimeError(f"size mismatch (got input: [{len(self)}], target: [{len(target)}])")
    if self.ndim == target.ndim == 1:
        target = target.reshape(())
    safe, weights, total = _shares(self, target, weight, ignore_index)
    each = -grad / self.dtype.type(total) if reduction == "mean" and total else -grad
    if weights is not None:
        each = np.where(weights == 0, self.dtype.type(0), weights * each)
    out = np.zeros_like(self)
    out[_index_of_targets(self, safe)] = each
    return out


def _nll(suffix: str, node: str) -> Any:
    """`nll_loss` of scores (N, C), or (N, C, height, width); with the operation that is its derivative."""

    def forward(self, target, weight, reduction, ignore_index):
        return _likelihood(self, target, weight, reduction, ignore_index)

    def backward(grad, self, target, weight, reduction, ignore_index):
        return _likelihood_backward(grad, self, target, weight, reduction, ignore_index)

    forward.__name__, backward.__name__ = f"_nll_loss{suffix}", f"_nll_loss{suffix}_backward"
    forward.__doc__ = "Minus the score of each target class, weighted and reduced."
    backward.__doc__ = "The derivative of nll_loss: minus the weight at each target class."
    slope = op(
        r"\mathrm{{nll\_loss}}'({grad}, {target})",
        grad=lambda grad, self, target, weight, reduction, ignore_index: again(
            grad, self, target, weight, reduction, ignore_index
        ),
        self=None,
        target=None,
        weight=None,
        broadcast=(),
        node=f"{node}BackwardBackward0",
        name=f"nll_loss{suffix}_backward",
    )(backward)
    loss = op(
        r"-{self}_{{ {target} }}",
        self=_NLL_RULES[suffix],
        target=None,
        weight=None,
        broadcast=(),
        node=f"{node}Backward0",
        name=f"nll_loss{suffix}",
    )(forward)
    return loss, slope


_NLL_RULES = {
    "": lambda grad, self, target, weight, reduction, ignore_index: _nll_loss_backward(
        grad, self, target, weight, reduction, ignore_index
    ),
    "2d": lambda grad, self, target, weight, reduction, ignore_index: _nll_loss2d_backward(
        grad, self, target, weight, reduction, ignore_index
    ),
}


def again(grad, self, target, weight, reduction, ignore_index):
    """The derivative of nll_loss's derivative, which is nll_loss."""
    if len(self.shape) > 2:
        return _nll_loss2d(grad, target, weight, reduction, ignore_index)
    return _nll_loss(grad, target, weight, reduction, ignore_index)


_nll_loss, _nll_loss_backward = _nll("", "NllLoss")
_nll_loss2d, _nll_loss2d_backward = _nll("2d", "NllLoss2D")


def _nll_nd(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:
    """Check shapes and types, and call the operation for the number of dimensions."""
    a, t = input._array, target._array
    if a.ndim != 2 or t.ndim != 1 or a.shape[0] != t.shape[0] or weight is not None or t.dtype is not _LONG:
        return _nll_uncommon(input, target, weight, reduction, ignore_index)
    floating_only("nll_loss_out_frame", input)
    return _nll_loss(input, target, None, reduction, ignore_index)


def _nll_uncommon(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:
    a, t = input._array, target._array
    if a.ndim < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {a.ndim})")
    if a.ndim != 1 and a.shape[0] != (t.shape[0] if t.ndim else 0):
        raise ValueError(
            f"Expected input batch_size ({a.shape[0]}) to match target batch_size ({t.shape[0] if t.ndim else 0})."
        )
    if a.ndim > 2 and a.ndim != 4 and a.shape[2:] != t.shape[1:]:
        raise RuntimeError(f"Expected target size {[a.shape[0], *a.shape[2:]]}, got {list(t.shape)}")
    if a.ndim < 3:
        if t.ndim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if a.ndim == 1 and t.ndim == 1 and t.shape[0] != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {t.shape[0]}")
    elif a.ndim == 4:
        if t.ndim != 3:
            raise RuntimeError(f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {t.ndim}")
        if t.shape[1:] != a.shape[2:]:
            raise RuntimeError(f"size mismatch (got input: {list(a.shape)} , target: {list(t.shape)}")
    if t.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {SCALAR_NAMES[target.dtype]}")
    floating_only("nll_loss_out_frame", input)
    if weight is not None:
        _check_weight(weight, a.shape[0 if a.ndim == 1 else 1])
        if weight.dtype is not input.dtype:
            raise RuntimeError(f"expected scalar type {SCALAR_NAMES[input.dtype]} but found {SCALAR_NAMES[weight.dtype]}")
        no_gradient("nll_loss_forward" if a.ndim < 3 else "nll_loss2d_forward", weight=weight)
    if a.ndim < 3:
        return _nll_loss(input, target, weight, reduction, ignore_index)
    if a.ndim == 4:
        return _nll_loss2d(input, target, weight, reduction, ignore_index)
    n, classes = a.shape[:2]
    last = -1 if a.size else 0
    flat = input.contiguous().view(n, classes, 1 if a.size else 0, last)
    losses = _nll_loss2d(flat, target.contiguous().view(n, 1 if a.size else 0, last), weight, reduction, ignore_index)
    return losses.view(t.shape) if reduction == "none" else losses


def _check_weight(weight: Tensor, classes: int, name: str = "") -> None:
    if weight._array.shape != (classes,):
        raise RuntimeError(
            f"{name}weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight.shape)}"
        )


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
    if context.fast is not None:
        input, target, weight = autocast(input, target, weight, raised=True)
    return _nll_nd(input, target, weight, reduction_of(reduction, size_average, reduce), ignore_index)


# --- cross-entropy ---------------------------------------------------------------------------------------------------------


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
    if context.fast is not None:
        input, target, weight = autocast(input, target, weight, raised=True)
    if size_average is not None or reduce is not None or reduction not in REDUCTIONS:
        reduction = reduction_of(reduction, size_average, reduce)
    try:
        shape, targets = input._array.shape, target._array.shape
    except AttributeError:
        name, position, value = ("input", 1, input) if not isinstance(input, Tensor) else ("target", 2, target)
        raise TypeError(
            f"cross_entropy_loss(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}"
        ) from None
    dim = 0 if len(shape) == 1 else 1
    if shape == targets:
        return _of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing, dim)
    logs = _log_softmax(input, dim) if shape and input._array.dtype.kind in INEXACT else log_softmax(input, dim)
    if label_smoothing > 0:
        _check_smoothing(label_smoothing)
        return _smoothed(logs, target, weight, ignore_index, reduction, label_smoothing, dim)
    return _nll_nd(logs, target, weight, reduction, ignore_index)


def _check_smoothing(smoothing: float) -> None:
    if smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {smoothing:g}")


def _along(weight: Tensor, ndim: int, dim: int) -> Tensor:
    """The weights of the classes, to be multiplied with scores."""
    return weight.view([-1 if d == dim else 1 for d in range(ndim)]) if ndim > 1 else weight


def _of_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, smoothing: float, dim: int
) -> Tensor:
    if target._array.dtype.kind not in INEXACT:
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {SCALAR_NAMES[target.dtype]}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    a = input._array
    classes = a.shape[dim]
    if weight is not None:
        _check_weight(weight, classes, "cross_entropy: ")
    logs = log_softmax(input, dim)
    if smoothing > 0:
        _check_smoothing(smoothing)
        target = add_number(mul_number(target, 1 - smoothing), smoothing / classes)
    losses = logs * target
    if weight is not None:
        losses = losses * _along(weight, a.ndim, dim)
    if reduction == "none":
        return -_sum_dim(losses, (dim,), False)
    total = -_sum(losses)
    return total if reduction == "sum" else div_number(total, a.size / classes if a.size else 0.0)


def _smoothed(
    logs: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, smoothing: float, dim: int
) -> Tensor:
    hard = _nll_nd(logs, target, weight, reduction, ignore_index)
    ndim = logs._array.ndim
    ignored = target == ignore_index
    spread = -_sum_dim(logs if weight is None else logs * _along(weight, ndim, dim), (dim,), False)
    spread = spread.masked_fill_(ignored, 0.0)
    if reduction == "mean":
        kept: Any = ~ignored
        total = _sum(kept) if weight is None else weight.gather(0, target.masked_select(kept).flatten()).sum()
        spread = _sum(spread) / total
    elif reduction == "sum":
        spread = _sum(spread)
    return mul_number(hard, 1 - smoothing) + mul_number(spread, smoothing / logs._array.shape[dim])


@function
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """The cross-entropy of a linear layer's outputs; `options`, which save memory in PyTorch, change nothing here."""
    a, w = input._array, linear_weight._array
    if not 1 <= a.ndim <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {a.ndim}")
    if w.ndim < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {w.ndim}")
    batch, features = a.shape[:-1], a.shape[-1]
    if features != w.shape[-1]:
        raise RuntimeError(
            f"expected equal input and linear_weight last dimensions (in_features), got {features} and {w.shape[-1]}, "
            "respectively"
        )
    outputs = w.shape[:-1]
    if linear_bias is not None and linear_bias._array.shape != outputs:
        raise RuntimeError(f"expected linear_bias shape {outputs}, got {linear_bias._array.shape}")
    if len(outputs) > 1 and not batch:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {w.shape} requires batched input, (N, {features}), got "
            f"unbatched input with shape {a.shape}"
        )
    if target._array.shape == (*batch, *outputs) and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if len(outputs) > 1:
        linear_weight = linear_weight.reshape(-1, features)
        linear_bias = None if linear_bias is None else linear_bias.reshape(-1)
    return cross_entropy(
        linear(input, linear_weight, linear_bias).reshape(*batch, *outputs),
        target,
        weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )
