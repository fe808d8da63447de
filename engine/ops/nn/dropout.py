"""Dropout: elements or channels left out at random (Srivastava et al., 2014). The random numbers are PyTorch's."""

from __future__ import annotations

import math
import warnings

import numpy as np

from ...context import beyond
from ...memory_layout import kept as layout
from ...memory_layout import run_through
from ...op.declare import function
from ...tensor import Tensor, constant
from ..creation.factories import meta
from ..creation.generator import source
from ..pointwise.arithmetic import mul

SELU_ALPHA = 1.7580993408473766


def _noise(input: Tensor, shape: tuple[int, ...], keep: float) -> np.ndarray:
    """Ones of probability `keep`, else zeros."""
    kept = source(None).uniform(math.prod(shape), np.float64) < keep
    ones = kept.reshape(shape).astype(input._array.dtype)
    if shape != input._array.shape or input._array.flags.c_contiguous:
        return ones
    return run_through(ones, layout(input._array))


def _probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _dropped(input: Tensor, p: float, training: bool, shape: tuple[int, ...], inplace: bool = False) -> Tensor:
    if p == 0 or not training or not input._array.size:
        return input
    times = input.mul_ if inplace else input.mul
    if p == 1:
        return times(constant(np.zeros((), input._array.dtype)))
    if input.is_meta:
        return times(meta(shape, input._array.dtype))
    return times(constant(_noise(input, shape, 1 - p) / input._array.dtype.type(1 - p)))


def _channels(a: np.ndarray) -> tuple[int, ...]:
    return (*a.shape[:2], *(1,) * (a.ndim - 2))


@function
def functional_dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements set to zero with probability `p`, the others scaled up to keep the mean."""
    _probability(p)
    return _dropped(input, p, training, input._array.shape, inplace)


@function(traits="masks draws")
def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements set to zero with probability `p`, the others scaled up to keep the mean."""
    if p < 0.0 or p > 1.0:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
    return _dropped(input, p, train, input._array.shape)


@function
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of (N, C, L) or (C, L) set to zero with probability `p`."""
    _probability(p)
    n = input._array.ndim
    if n not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {n}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension "
            "(i.e. 2D or 3D inputs)."
        )
    x = input if n == 3 else input.unsqueeze(0)
    out = _dropped(x, p, training, _channels(x._array), inplace)
    return out if n == 3 else out.squeeze(0)


@function
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of (N, C, H, W) set to zero with probability `p`."""
    _probability(p)
    n = input._array.ndim
    if n not in (3, 4):
        warnings.warn(
            f"dropout2d: Received a {n}-D input to dropout2d, which is deprecated and will result in an error in a future "
            "release. To retain the behavior and silence this warning, please use dropout instead. Note that dropout2d exists "
            "to provide channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and an optional batch "
            "dimension (i.e. 3D or 4D inputs).",
            stacklevel=beyond(2),
        )
    if n == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input "
            "is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to "
            "interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
            "dropout behavior, please switch to using dropout1d instead.",
            stacklevel=beyond(2),
        )
    return _dropped(input, p, training, _channels(input._array), inplace)


@function
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of (N, C, D, H, W) or (C, D, H, W) set to zero with probability `p`."""
    _probability(p)
    n = input._array.ndim
    if n not in (4, 5):
        warnings.warn(
            f"dropout3d: Received a {n}-D input to dropout3d, which is deprecated and will result in an error in a future "
            "release. To retain the behavior and silence this warning, please use dropout instead. Note that dropout3d exists "
            "to provide channel-wise dropout on inputs with 3 spatial dimensions, a channel dimension, and an optional batch "
            "dimension (i.e. 4D or 5D inputs).",
            stacklevel=beyond(2),
        )
    x = input if n == 5 else input.unsqueeze(0)
    out = _dropped(x, p, training, _channels(x._array), inplace)
    return out if n == 5 else out.squeeze(0)


@function(traits="masks")
def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Whole channels set to zero with probability `p`."""
    return _dropped(input, p, train, _channels(input._array))


def _alpha(input: Tensor, p: float, training: bool, shape: tuple[int, ...]) -> Tensor:
    if p == 0 or not training or not input._array.size:
        return input
    if p == 1:
        return mul(input, constant(np.zeros((), input._array.dtype)))
    kind = input._array.dtype.type
    noise = _noise(input, shape, 1 - p)
    a = 1.0 / math.sqrt((SELU_ALPHA * SELU_ALPHA * p + 1) * (1 - p))
    shift = (noise - kind(1)) * kind(SELU_ALPHA * a) + kind(SELU_ALPHA * a * p)
    return mul(input, constant(noise * kind(a))) + constant(shift)


@function(traits="masks")
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of SELU networks (Klambauer et al., 2017)."""
    _probability(p)
    return _alpha(input, p, training, input._array.shape)


@function
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Alpha dropout of whole channels."""
    _probability(p)
    return _alpha(input, p, training, _channels(input._array))
