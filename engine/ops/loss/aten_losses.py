"""The losses that stand in `torch` itself: they take the reduction as a number, 0 for none, 1 for the mean, 2 for the sum."""

from __future__ import annotations

from typing import Any

from ...op.declare import function
from ...tensor import Tensor
from .ctc import functional_ctc_loss
from .elementwise import REDUCTIONS, reduce_losses
from .likelihood import (
    divergences,
    functional_binary_cross_entropy_with_logits,
    functional_hinge_embedding_loss,
    functional_poisson_nll_loss,
)
from .ranking import (
    functional_cosine_embedding_loss,
    functional_margin_ranking_loss,
    functional_triplet_margin_loss,
)


@function
def torch_binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Any = None, pos_weight: Any = None, reduction: int = 1
) -> Tensor:
    """Cross-entropy of logits `input` and targets, element by element, computed stably."""
    how = REDUCTIONS[reduction]
    return functional_binary_cross_entropy_with_logits(input, target, weight, reduction=how, pos_weight=pos_weight)


@function
def torch_kl_div(input: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False) -> Tensor:
    """The Kullback–Leibler divergence of the target from `input`, which holds logarithms."""
    return reduce_losses(divergences(input, target, log_target), REDUCTIONS[reduction])


@function
def torch_poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """The negative log-likelihood of counts `target` with the Poisson mean `input` (or its logarithm)."""
    return functional_poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=REDUCTIONS[reduction])


@function
def torch_hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 1) -> Tensor:
    """`input` where the target is 1, `max(0, margin - input)` where it is -1, reduced."""
    return functional_hinge_embedding_loss(input, target, margin, reduction=REDUCTIONS[reduction])


@function
def torch_margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1
) -> Tensor:
    """`max(0, -target * (input1 - input2) + margin)`, reduced; the target is 1 where the first should be larger, else -1."""
    return functional_margin_ranking_loss(input1, input2, target, margin, reduction=REDUCTIONS[reduction])


@function
def torch_cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1
) -> Tensor:
    """`1 - cos` where the target is 1, `max(0, cos - margin)` where it is -1, for the angle between rows, reduced."""
    return functional_cosine_embedding_loss(input1, input2, target, margin, reduction=REDUCTIONS[reduction])


@function
def torch_triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 1,
) -> Tensor:
    """`max(0, d(anchor, positive) - d(anchor, negative) + margin)` for the distance of the p-norm, reduced."""
    how = REDUCTIONS[reduction]
    return functional_triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=how)


@function
def torch_ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the log-probability of label sequences, given log-probabilities (time, batch, labels) of labels and a blank."""
    how = REDUCTIONS[reduction]
    return functional_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, how, zero_infinity)
