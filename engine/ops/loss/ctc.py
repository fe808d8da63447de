"""The connectionist temporal classification loss: a sequence of labels against scores at more points in time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...context import context
from ...dtypes import INEXACT, SCALAR_NAMES
from ...op.declare import function, op
from ...op.slow_path import autocast
from ...tensor import Tensor, constant
from ..nn.activation import floating_only
from ..pointwise.comparison import where
from .elementwise import not_implemented, reduce_losses, reduction_of


def _added(*terms: Any) -> Any:
    """The logarithm of the sum of exponentials; minus infinity where all terms are."""
    top = np.maximum.reduce(np.broadcast_arrays(*terms))
    safe = np.where(np.isneginf(top), top.dtype.type(0), top)
    return np.log(sum(np.exp(t - safe) for t in terms)) + safe


def _states(log_probs: Any, labels: Any, blank: int) -> tuple[Any, Any, Any]:
    """The labels with blanks between them, the score of each at each time, and where a blank may be left out."""
    states = np.full(2 * len(labels) + 1, blank)
    states[1::2] = labels
    skips = np.zeros(len(states), bool)
    skips[3::2] = labels[1:] != labels[:-1]
    return states, log_probs[:, states], skips


def _walk(scores: Any, skips: Any) -> Any:
    """The logarithm of the probability to be, at each time, in each state, having begun in one of the first two."""
    walk = np.full_like(scores, -np.inf)
    walk[0, :2] = scores[0, :2]
    for t in range(1, len(scores)):
        before = walk[t - 1]
        one = np.concatenate(([-np.inf], before[:-1])).astype(scores.dtype)
        two = np.where(skips, np.concatenate(([-np.inf, -np.inf], before[:-2]))[: len(before)], -np.inf).astype(scores.dtype)
        walk[t] = _added(before, one, two) + scores[t]
    return walk


def _batches(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int) -> Any:
    """For each sequence of the batch: its number of points in time, its states, their scores and skips."""
    start = 0
    for b, (n, m) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        labels = targets[b, :m] if targets.ndim == 2 else targets[start : start + m]
        start += m
        yield b, n, *_states(log_probs[:n, b], labels, blank)


@op(
    r"\mathrm{{ctc}}({log_probs}, {targets})",
    log_probs=lambda grad, log_probs, targets, input_lengths, target_lengths, result, blank, zero_infinity: _ctc_backward(
        grad, log_probs, targets, input_lengths, target_lengths, result, blank, zero_infinity
    ),
    targets=None,
    broadcast=(),
    node="CtcLossBackward0",
    name="ctc_loss",
    real_only="ctc_loss_cpu",
)
def _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    """Minus the logarithm of the probability of each sequence of labels."""
    losses = np.zeros(log_probs.shape[1], log_probs.dtype)
    for b, n, states, scores, skips in _batches(log_probs, targets, input_lengths, target_lengths, blank):
        if n == 0:
            losses[b] = 0 if len(states) == 1 else np.inf
            continue
        last = _walk(scores, skips)[-1]
        losses[b] = -_added(last[-1], last[-2]) if len(states) > 1 else -last[-1]
    return losses


@op(
    r"\mathrm{{ctc}}'",
    grad=lambda grad: not_implemented("_ctc_loss_backward"),
    log_probs=lambda grad: not_implemented("_ctc_loss_backward"),
    targets=None,
    result=None,
    broadcast=(),
    name="ctc_loss_backward",
)
def _ctc_backward(grad, log_probs, targets, input_lengths, target_lengths, result, blank, zero_infinity):
    """The derivative of ctc_loss in scores that came out of log_softmax, which PyTorch takes for granted."""
    out = np.zeros_like(log_probs)
    for b, n, states, scores, skips in _batches(log_probs, targets, input_lengths, target_lengths, blank):
        if n == 0 or (zero_infinity and np.isinf(result[b])):
            continue
        back = np.concatenate(([False, False], skips[2:][::-1]))[: len(skips)]
        there, again = _walk(scores, skips), _walk(scores[::-1, ::-1], back)[::-1, ::-1]
        through = np.full((n, log_probs.shape[2]), -np.inf, log_probs.dtype)
        for s, label in enumerate(states):
            through[:, label] = _added(through[:, label], there[:, s] + again[:, s])
        own = log_probs[:n, b]
        out[:n, b] = (np.exp(own) - np.exp(through + result[b] - own)) * grad[b]
    return out


def _lengths(name: str, lengths: Any) -> list[int]:
    if not isinstance(lengths, Tensor):
        return [int(n) for n in lengths]
    if lengths._array.dtype.kind not in "iu":
        raise RuntimeError(f"{name} must be integral")
    return [int(n) for n in lengths._array.reshape(-1)]


def _check(log_probs: Any, targets: Any, input_lengths: list[int], target_lengths: list[int], blank: int) -> None:
    times, batch, labels = log_probs.shape
    checked = "(while checking arguments for ctc_loss_allocate_outputs)"
    if not 0 <= blank < labels:
        raise RuntimeError("blank must be in label range")
    if len(input_lengths) != batch:
        raise RuntimeError("input_lengths must be of size batch_size")
    if len(target_lengths) != batch:
        raise RuntimeError("target_lengths must be of size batch_size")
    for n in target_lengths:
        if n < 0:
            raise RuntimeError(f"Expected target_lengths to have value at least 0, but got value {n} {checked}")
    if targets.ndim == 1:
        if targets.size != sum(target_lengths):
            raise RuntimeError(
                f"Expected tensor to have size {sum(target_lengths)} at dimension 0, but got size {targets.size} for argument "
                f"#2 'targets' {checked}"
            )
    elif targets.shape[1] < max(target_lengths, default=0):
        raise RuntimeError(
            f"Expected tensor to have size at least {max(target_lengths)} at dimension 1, but got size {targets.shape[1]} for "
            f"argument #2 'targets' {checked}"
        )
    for n in input_lengths:
        if n < 0:
            raise RuntimeError(f"Expected input_lengths to have value at least 0, but got value {n} {checked}")
        if n > times:
            raise RuntimeError(f"Expected input_lengths to have value at most {times}, but got value {n} {checked}")


@function
def functional_ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the log-probability of label sequences, given log-probabilities (time, batch, labels) of labels and a blank."""
    if context.fast is not None:
        (log_probs,) = autocast(log_probs, raised=True)
    reduction = reduction_of(reduction)
    floating_only("ctc_loss_cpu", log_probs)
    of_input, of_target = _lengths("input_lengths", input_lengths), _lengths("target_lengths", target_lengths)
    single = log_probs._array.ndim == 2
    scores = log_probs.unsqueeze(1) if single else log_probs
    if single and targets._array.ndim == 1:
        targets = targets.unsqueeze(0)
    if targets._array.dtype.kind not in "iuf":
        raise RuntimeError(f"targets must not be {SCALAR_NAMES[targets.dtype]}")
    if targets._array.dtype.kind in INEXACT:
        targets = targets.long()
    _check(scores._array, targets._array, of_input, of_target, blank)
    losses = _ctc_loss(scores, targets, of_input, of_target, blank, zero_infinity)
    if zero_infinity:
        losses = where(losses == np.inf, constant(np.zeros((), losses._array.dtype)), losses)
    if reduction == "mean":
        losses = losses / constant(np.maximum(of_target, 1).astype(losses._array.dtype))
    elif single and reduction == "none":
        losses = losses.squeeze(0)
    return reduce_losses(losses, reduction)
