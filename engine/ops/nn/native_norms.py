"""Normalisations as PyTorch calls them inside: with the statistics they used beside the result."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...op.declare import FUNCTIONS, function
from ...tensor import Tensor, constant
from .normalization import torch_batch_norm


def _statistics(groups: Any, eps: float, dims: Any) -> tuple[Any, Any]:
    """Means, and what elements are multiplied by once they are centred."""
    mean, variance = groups.mean(dims, keepdims=True), groups.var(dims, keepdims=True)
    return mean, (1 / np.sqrt(variance + groups.dtype.type(eps))).astype(groups.dtype)


@function
def native_layer_norm(input: Tensor, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> tuple[Tensor, ...]:
    """`layer_norm`, the means, and the inverse standard deviations."""
    out = FUNCTIONS["layer_norm"](input, normalized_shape, weight, bias, eps)
    mean, scale = _statistics(input._array, eps, tuple(range(-len(tuple(normalized_shape)), 0)))
    return out, constant(mean), constant(scale)


@function
def native_group_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> tuple[Tensor, ...]:
    """`group_norm`, the means, and the inverse standard deviations, (N, group)."""
    out = FUNCTIONS["group_norm"](input, group, weight, bias, eps)
    # Here, other than with the other two, statistics have gradients too.
    groups = input.reshape(N, group, C // group * HxW)
    mean: Any = groups.mean(2, True)
    centred: Any = groups - mean
    return out, mean.squeeze(2), ((centred * centred).mean(2) + eps).rsqrt()


@function
def native_batch_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, ...]:
    """`batch_norm`, and in training the means and the inverse standard deviations of the channels."""
    out = torch_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
    a = input._array
    if not training:
        empty = np.zeros(0, a.dtype)
        return out, constant(empty), constant(empty.copy())
    dims = (0, *range(2, a.ndim))
    if not prod(a.shape):
        return out, constant(np.zeros(a.shape[1], a.dtype)), constant(np.zeros(a.shape[1], a.dtype))
    mean, scale = _statistics(a, eps, dims)
    return out, constant(mean.reshape(-1)), constant(scale.reshape(-1))
