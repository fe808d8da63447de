"""Loss functions of tensors compared with each other: ranking, triplets, cosines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...op.declare import function
from ...tensor import Tensor, constant
from ..nn.similarity import pairwise_distance
from ..pointwise.arithmetic import neg
from ..pointwise.binary import minimum
from ..pointwise.comparison import where
from ..reduction.sums import _sum_dim
from .elementwise import REDUCTIONS, add_number, clamp_min_number, number_minus, reduce_losses, reduction_of, sub_number


@function
def functional_margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, -target * (input1 - input2) + margin)`, reduced; the target is 1 where the first should be larger, else -1."""
    reduction = reduction_of(reduction, size_average, reduce)
    if len({t._array.ndim for t in (input1, input2, target)}) > 1:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    return reduce_losses(clamp_min_number(add_number(neg(target) * (input1 - input2), margin), 0), reduction)


def _same_dimensions(anchor: Tensor, positive: Tensor, negative: Tensor) -> None:
    a, p, n = (t._array.ndim for t in (anchor, positive, negative))
    if not a == p == n:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {a}D, positive {p}D, and negative {n}D inputs"
        )


@function
def functional_triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, d(anchor, positive) - d(anchor, negative) + margin)` for the distance of the p-norm, reduced."""
    reduction = reduction_of(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _same_dimensions(anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduce_losses(clamp_min_number(add_number(near, margin) - far, 0), reduction)


@function
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, d(anchor, positive) - d(anchor, negative) + margin)` for any distance, reduced."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _same_dimensions(anchor, positive, negative)
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduce_losses(clamp_min_number(margin + near - far, 0), reduction)


@function
def functional_cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """`1 - cos` where the target is 1, `max(0, cos - margin)` where it is -1, for the angle between rows, reduced."""
    reduction = reduction_of(reduction, size_average, reduce)
    dim = target._array.ndim
    if dim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1._array.ndim != dim + 1:
        raise RuntimeError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes {list(input1.shape)} and "
            f"{list(input2.shape)}."
        )
    product = _sum_dim(input1 * input2, (dim,), False)
    squares = [add_number(_sum_dim(x * x, (dim,), False), 1e-12) for x in (input1, input2)]
    cos = product / (squares[0] * squares[1]).sqrt()
    zeros = constant(np.zeros_like(cos._array))
    together = where(target == 1, number_minus(1.0, cos), zeros)
    apart = where(target == -1, clamp_min_number(sub_number(cos, margin), 0), zeros)
    return reduce_losses(together + apart, reduction)
