"""Normalisation: batch, layer, group, instance, root mean square, local response.

The first three are one mechanism: bring the elements of each group to mean zero and variance one, then scale and shift each
channel. They differ in what a group and what a channel is.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ... import dtypes
from ...compat.version import since
from ...op.declare import function, op
from ...tensor import Tensor
from ..creation.copies import clone
from ..pointwise.unary import rsqrt
from ..reduction.sums import _mean_dim, _sum_dim
from ..shape.reshaping import _reshape, reshape, unsqueeze


def standardized(x, dims, eps):
    """The elements with mean zero and variance one over `dims`, and what they were divided by, inverted."""
    centred = x - _mean_dim(x, dims, True)
    scale = rsqrt(_mean_dim(centred * centred, dims, True) + eps)
    return centred * scale, scale


def shaped(x, shape):
    """`x` in another shape, None staying None."""
    return None if x is None else _reshape(x, shape)


def channelled(x, weight, bias, channels):
    """`x * weight + bias`, a number per channel."""
    if weight is not None:
        x = x * _reshape(weight, channels)
    return x if bias is None else x + _reshape(bias, channels)


def input_slope(grad, input, weight, groups, dims, channels, eps):
    """The derivative in the input: the upstream gradient less its mean and its part along the result (Ioffe and Szegedy,
    2015)."""
    g = grad if weight is None else grad * _reshape(weight, channels)
    g = _reshape(g, groups)
    normal, scale = standardized(_reshape(input, groups), dims, eps)
    out = (g - _mean_dim(g, dims, True) - normal * _mean_dim(g * normal, dims, True)) * scale
    return _reshape(out, tuple(input.shape))


def weight_slope(grad, input, weight_sym_sizes, groups, dims, channels, eps):
    """The derivative in the weights: the sum of upstream gradient times normal element over each channel."""
    normal, _ = standardized(_reshape(input, groups), dims, eps)
    return per_channel(grad * _reshape(normal, tuple(input.shape)), channels, weight_sym_sizes)


def per_channel(x, channels, sizes):
    """The sum over all but the channels."""
    lead = x.ndim - len(channels)
    dims = tuple([i for i in range(x.ndim) if i < lead or channels[i - lead] == 1])
    return _reshape(_sum_dim(x, dims, False) if dims else x, tuple(sizes))


def _affine(array, weight, bias, channels):
    """`array * weight + bias`, a number per channel."""
    if weight is not None:
        array = array * weight.reshape(channels)
    return array if bias is None else array + bias.reshape(channels)


INNER = ("bias_sym_sizes", "channels", "dims", "groups", "weight_sym_sizes")
"""What only the rules here save, and PyTorch's nodes do not show."""


def _normalizer(name: str, node: str, what: str, layout: str = "channels", **shows: Any) -> Any:
    def normalize(input, weight, bias, groups, dims, channels, eps):
        x = input.reshape(groups)
        centred = x - np.add.reduce(x, axis=dims, keepdims=True) / x.dtype.type(prod([groups[d] for d in dims]))
        variance = np.add.reduce(centred * centred, axis=dims, keepdims=True) / x.dtype.type(prod([groups[d] for d in dims]))
        centred /= np.sqrt(variance + x.dtype.type(eps))
        return _affine(centred.reshape(input.shape), weight, bias, channels)

    normalize.__name__, normalize.__doc__ = name, f"The elements normalised over {what}, scaled and shifted by channel."
    return op(
        r"\frac{{ {input} - \mu }}{{ \sqrt{{ \sigma^2 + {eps} }} }} \cdot {weight} + {bias}",
        input=lambda grad, input, weight, groups, dims, channels, eps: input_slope(
            grad, input, weight, groups, dims, channels, eps
        ),
        weight=lambda grad, input, weight_sym_sizes, groups, dims, channels, eps: weight_slope(
            grad, input, weight_sym_sizes, groups, dims, channels, eps
        ),
        bias=lambda grad, bias_sym_sizes, channels: per_channel(grad, channels, bias_sym_sizes),
        broadcast=(),
        fused=True,
        node=node,
        name=name.strip("_"),
        shows=dict.fromkeys(INNER) | shows,
        layout=layout,
    )(normalize)


_layer_norm = _normalizer(
    "_layer_norm", "NativeLayerNormBackward0", "the last dimensions", "rows",
    eps=None, normalized_shape=lambda get: get("channels"),
)  # fmt: skip
_group_norm = _normalizer("_group_norm", "NativeGroupNormBackward0", "groups of channels")
_batch_norm = _normalizer("_batch_norm", "NativeBatchNormBackward0", "the batch")


def _same_dtype(name: str, input: Tensor, *others: Tensor | None) -> None:
    for other in others:
        if other is not None and other._array.dtype != input._array.dtype:
            raise RuntimeError(
                f"expected scalar type {dtypes.SCALAR_NAMES[input.dtype]} but found {dtypes.SCALAR_NAMES[other.dtype]}"
            )


def _check_normalized(a: Any, shape: tuple[int, ...], separator: str, **given: Tensor | None) -> None:
    """PyTorch's complaints about `normalized_shape`; `separator` stands after the star where it lists the shape."""
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, other in given.items():
        if other is not None and other._array.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(other._array.shape)} "
                f"and normalized_shape = {list(shape)}"
            )
    if a.shape[-len(shape) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{separator}{', '.join(map(str, shape))}], "
            f"but got input of size{list(a.shape)}"
        )


@function
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> Tensor:
    """The elements normalised over the last dimensions, of `normalized_shape` (Ba, Kiros and Hinton, 2016)."""
    shape = tuple(normalized_shape)
    a = input._array
    k = len(shape)
    _check_normalized(a, shape, ", ", weight=weight, bias=bias)
    _same_dtype("layer_norm", input, weight, bias)
    return _layer_norm(input, weight, bias, a.shape, tuple(range(a.ndim - k, a.ndim)), shape, eps)


NEEDS_CHANNELS = since("2.15", True, before=False)
"""Whether groups of no channels, and channels of nothing, are refused."""


@function
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> Tensor:
    """The elements normalised over groups of channels, (N, C, …) (Wu and He, 2018)."""
    a = input._array
    if a.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {a.ndim}")
    c = a.shape[1]
    if num_groups <= 0:
        raise RuntimeError("Expected num groups to be greater than 0, got " + str(num_groups))
    if c == 0 and NEEDS_CHANNELS.now:
        raise RuntimeError("Expected number of channels to be greater than 0, got 0")
    if 0 in a.shape[2:] and NEEDS_CHANNELS.now:
        raise RuntimeError("Expected HxW to be greater than 0, got 0")
    if c % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(a.shape)} and num_groups={num_groups}"
        )
    for name, other in (("weight", weight), ("bias", bias)):
        if other is not None and other._array.shape != (c,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape "
                f"{list(other._array.shape)} and input of shape {list(a.shape)}"
            )
    groups = (a.shape[0], num_groups, prod((c // num_groups, *a.shape[2:])))
    return _group_norm(input, weight, bias, groups, (2,), _channels(a), eps)


def _channels(a: Any) -> tuple[int, ...]:
    return (1, a.shape[1], *(1,) * (a.ndim - 2))


def stored(statistic, channels):
    """A running statistic in the shape that meets the input."""
    return _reshape(statistic, channels)


@op(
    r"\frac{{ {input} - {mean} }}{{ \sqrt{{ {var} + {eps} }} }} \cdot {weight} + {bias}",
    input=lambda grad, weight, var, channels, eps: (
        channelled(grad, weight, None, channels) * rsqrt(stored(var, channels) + eps)
    ),
    weight=lambda grad, input, weight_sym_sizes, mean, var, channels, eps: per_channel(
        grad * (input - stored(mean, channels)) * rsqrt(stored(var, channels) + eps), channels, weight_sym_sizes
    ),
    bias=lambda grad, bias_sym_sizes, channels: per_channel(grad, channels, bias_sym_sizes),
    mean=None,
    var=None,
    broadcast=(),
    fused=True,
    node="NativeBatchNormBackward0",
    name="batch_norm",
    shows=dict.fromkeys(INNER),
    real_only="batch_norm",
    layout="channels",
)
def _batch_norm_stored(input, weight, bias, mean, var, channels, eps):
    """The elements normalised with running statistics."""
    scale = (1 / np.sqrt(var + var.dtype.type(eps))).reshape(channels).astype(input.dtype)
    return _affine((input - mean.reshape(channels)) * scale, weight, bias, channels)


@function
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """The elements of each channel normalised over the batch, (N, C, …), or with running statistics (Ioffe and Szegedy,
    2015). In training the running statistics move towards the batch's by `momentum`."""
    a = input._array
    if training:
        _verify_batch_size(a.shape)
    if eps < 0.0 or (training and eps <= 0.0):
        must = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {must}, but got {eps}")
    return _batch_normed(input, running_mean, running_var, weight, bias, training, momentum, eps)


@function
def torch_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Tensor:
    """`torch.nn.functional.batch_norm` with its arguments in another order."""
    return _batch_normed(input, running_mean, running_var, weight, bias, training, momentum, eps)


def _verify_batch_size(shape: tuple[int, ...]) -> None:
    if prod((shape[0], *shape[2:])) == 1:
        from ...tensor_attributes import Size

        raise ValueError(f"Expected more than 1 value per channel when training, got input size {Size(shape)}")


def _batch_normed(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float | None,
    eps: float,
) -> Tensor:
    a = input._array
    if not a.size:
        out = clone(input)
        out = out if weight is None else out * weight.select(0, 0)
        return out if bias is None else out + bias.select(0, 0)
    channels = a.shape[1]
    for name, t in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)):
        if t is not None and t._array.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {t._array.size}")
    if not training:
        for name, t in (("running_mean", running_mean), ("running_var", running_var)):
            if t is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        return _batch_norm_stored(input, weight, bias, running_mean, running_var, _channels(a), eps)
    dims = (0, *range(2, a.ndim))
    n = prod([a.shape[d] for d in dims])
    for t, batch in ((running_mean, lambda: a.mean(dims)), (running_var, lambda: a.var(dims, ddof=1 if n > 1 else 0))):
        if t is not None and n:
            part = t._array.dtype.type(momentum)
            _write(t, t._array * (1 - part) + batch() * part)
    return _batch_norm(input, weight, bias, a.shape, dims, _channels(a), eps)


def _write(tensor: Tensor, array: Any) -> None:
    """Bring a buffer up to date, counted as a write."""
    from ...context import context
    from ...tensor import constant
    from ..memory.inplace import copy_

    before, context.grad = context.grad, False
    try:
        copy_(tensor, constant(array.astype(tensor._array.dtype)))
    finally:
        context.grad = before


@function
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """The elements of each channel of each instance normalised, (N, C, …) (Ulyanov, Vedaldi and Lempitsky, 2016)."""
    a = input._array
    if use_input_stats and prod(a.shape[2:]) == 1:
        from ...tensor_attributes import Size

        raise ValueError(f"Expected more than 1 spatial element when training, got input size {Size(a.shape)}")
    n, c = a.shape[:2]
    if not use_input_stats:
        return _batch_normed(input, running_mean, running_var, weight, bias, False, momentum, eps)
    folded = reshape(input, (1, n * c, *a.shape[2:]))
    means, variances, w, b = (None if t is None else t.repeat(n) for t in (running_mean, running_var, weight, bias))
    out = _batch_normed(folded, means, variances, w, b, True, momentum, eps)
    for t, many in ((running_mean, means), (running_var, variances)):
        if t is not None:
            assert many is not None
            _write(t, many._array.reshape(n, c).mean(0))
    return reshape(out, a.shape)


@function
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """The elements divided by their root mean square over the last dimensions (Zhang and Sennrich, 2019)."""
    shape = tuple(normalized_shape)
    a = input._array
    k = len(shape)
    _check_normalized(a, shape, "", weight=weight)
    # Numbers of 16 bits are normalised in 32.
    x = input.to(dtypes.float32) if a.dtype.char in "eE" else input
    if eps is None:
        eps = float(np.finfo(x._array.dtype).eps)
    out = x * rsqrt(x.pow(2).mean(tuple(range(-k, 0)), True) + eps)
    if weight is not None:
        out = out * weight
    return out if x is input else out.to(input.dtype)


@function
def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """The elements divided by a power of the mean square of neighbouring channels (Krizhevsky et al., 2012)."""
    from ...op.declare import FUNCTIONS

    n = input._array.ndim
    if n < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {n} dimensions)")
    if input._array.size == 0:
        return input
    squares = unsqueeze(input.mul(input), 1)
    pad, pool = FUNCTIONS["pad"], FUNCTIONS["avg_pool2d" if n == 3 else "avg_pool3d"]
    if n == 3:
        padded = pad(squares, (0, 0, size // 2, (size - 1) // 2))
        mean = pool(padded, (size, 1), stride=1).squeeze(1)
    else:
        shape = input._array.shape
        folded = reshape(squares, (shape[0], 1, shape[1], shape[2], -1))
        padded = pad(folded, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        mean = reshape(pool(padded, (size, 1, 1), stride=1).squeeze(1), shape)
    return input / (mean * alpha + k).pow(beta)
