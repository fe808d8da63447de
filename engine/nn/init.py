"""Initial values of parameters: `torch.nn.init`. All functions write in place, untracked, and return their tensor."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import no_grad
from ..ops.creation.factories import empty_like
from ..ops.creation.random import randperm
from ..ops.pointwise.comparison import where
from ..tensor import Tensor
from ..tensor import constant as constant_tensor

GAINS = {
    **dict.fromkeys(("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), 1),
    "sigmoid": 1, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4,
}  # fmt: skip
"""What each nonlinearity's input should be scaled by; `leaky_relu` depends on its slope."""


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The recommended gain for a nonlinearity, whose parameter (the slope of `leaky_relu`) is `param`."""
    if nonlinearity == "leaky_relu":
        if isinstance(param, bool) or not isinstance(param, (int, float, type(None))):
            raise ValueError(f"negative_slope {param} not a valid number")
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    r"""Draw from $\mathcal{U}(a, b)$."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)  # type: ignore[no-any-return]


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    r"""Draw from $\mathcal{N}(\text{mean}, \text{std}^2)$."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)  # type: ignore[no-any-return]


def constant_(tensor: Tensor, val: float) -> Tensor:
    """`val` everywhere."""
    with no_grad():
        return tensor.fill_(val)  # type: ignore[no-any-return]


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    with no_grad():
        return tensor.zero_()  # type: ignore[no-any-return]


def _write(tensor: Tensor, values: Any) -> Tensor:
    with no_grad():
        return tensor.copy_(constant_tensor(np.asarray(values, tensor._array.dtype)))  # type: ignore[no-any-return]


def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix; the tensor must have 2 dimensions."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _write(tensor, np.eye(*tensor.shape))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """The kernel of a convolution, in 3 to 5 dimensions, that passes as many channels on unchanged as there can be."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out_channels, in_channels, *kernel = tensor.shape
    if out_channels % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = out_channels // groups
    values = np.zeros(tensor.shape)
    for group in range(groups):
        for d in range(min(per_group, in_channels)):
            values[(group * per_group + d, d, *[k // 2 for k in kernel])] = 1
    return _write(tensor, values)


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many numbers go into an output, and how many outputs an input goes into."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    fan_out, fan_in, *kernel = tensor.shape
    field = math.prod(kernel)
    return fan_in * field, fan_out * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    r"""Draw from $\mathcal{U}(-a, a)$, $a = \text{gain} \sqrt{6 / (\text{fan\_in} + \text{fan\_out})}$.

    Glorot & Bengio (2010), Understanding the difficulty of training deep feedforward neural networks.
    """
    a = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -a, a, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    r"""Draw from $\mathcal{N}(0, \sigma^2)$, $\sigma = \text{gain} \sqrt{2 / (\text{fan\_in} + \text{fan\_out})}$.

    Glorot & Bengio (2010), Understanding the difficulty of training deep feedforward neural networks.
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    """The standard deviation, None (with a warning) for a tensor without elements."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    r"""Draw from $\mathcal{U}(-b, b)$, $b = \text{gain} \sqrt{3 / \text{fan}}$.

    He et al. (2015), Delving deep into rectifiers.
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    r"""Draw from $\mathcal{N}(0, \sigma^2)$, $\sigma = \text{gain} / \sqrt{\text{fan}}$.

    He et al. (2015), Delving deep into rectifiers.
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0, std, generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """A (semi) orthogonal matrix times `gain`, all dimensions after the first taken as one.

    Saxe et al. (2013), Exact solutions to the nonlinear dynamics of learning in deep linear neural networks.
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    sample = tensor.new_empty((rows, tensor.numel() // rows)).normal_(0, 1, generator=generator)._array
    tall = sample if sample.shape[0] >= sample.shape[1] else sample.T
    q, r = np.linalg.qr(tall)
    q = q * np.sign(np.diag(r))
    q = q if tall is sample else q.T
    return _write(tensor, q.reshape(tensor.shape) * gain)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    r"""Draw from $\mathcal{N}(\text{mean}, \text{std}^2)$ what falls into $[a, b]$."""

    def cdf(x: float) -> float:
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect.",
            stacklevel=2,
        )
    with no_grad():
        if cdf((b - mean) / std) - cdf((a - mean) / std) > 0.3:
            return _redraw_outside(tensor, mean, std, a, b, generator)
        return _accept_some(tensor, mean, std, a, b, generator)


def _redraw_outside(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    """Normal numbers, drawn again where they fall outside the bounds."""
    low, high = (tensor._array.dtype.type(x).item() for x in (a, b))
    result = tensor.normal_(mean, std, generator=generator)
    while True:
        outside: Any = (result < low) | (result > high)
        if not outside.any():
            break
        result = where(outside, empty_like(result).normal_(mean, std, generator=generator), result)
    return tensor if result is tensor else tensor.copy_(result)  # type: ignore[no-any-return]


def _accept_some(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    """Uniform numbers, each accepted with the probability its density has of the highest one."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def rejected(candidates: Tensor) -> Tensor:
        density = candidates.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        drawn: Tensor = empty_like(tensor).uniform_(generator=generator).log_().gt(density)
        return drawn

    pending = rejected(tensor.uniform_(a, b, generator=generator))
    result = tensor
    while pending.any():
        candidates = empty_like(tensor).uniform_(a, b, generator=generator)
        result = where(pending, candidates, result)
        pending = where(pending, rejected(candidates), pending)
    return tensor if result is tensor else tensor.copy_(result)


def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    r"""A matrix drawn from $\mathcal{N}(0, \text{std}^2)$, the fraction `sparsity` of each column set to zero.

    Martens (2010), Deep learning via Hessian-free optimization.
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            order: Any = randperm(rows)
            tensor[order[:zeros], column] = 0
    return tensor


def _deprecated(current: Callable[..., Any]) -> Callable[..., Any]:
    """A function under the name without the underscore."""
    name = current.__name__.removesuffix("_")

    def deprecated(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning, stacklevel=2)
        return current(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = name
    deprecated.__doc__ = f"`{name}_` under its former name, which is deprecated."
    return deprecated


uniform, normal, constant = _deprecated(uniform_), _deprecated(normal_), _deprecated(constant_)
eye, dirac, orthogonal, sparse = _deprecated(eye_), _deprecated(dirac_), _deprecated(orthogonal_), _deprecated(sparse_)
xavier_uniform, xavier_normal = _deprecated(xavier_uniform_), _deprecated(xavier_normal_)
kaiming_uniform, kaiming_normal = _deprecated(kaiming_uniform_), _deprecated(kaiming_normal_)
