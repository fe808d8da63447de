"""Activations: one function applied to each element, or along one dimension."""

from __future__ import annotations

import warnings
from typing import Any

from ..ops.nn.activation import sigmoid
from ..ops.pointwise.unary import tanh
from ..tensor import Tensor
from . import functional as F  # noqa: N812
from . import init as initial
from .functional_module import Wrapped
from .module import Module
from .parameter import Parameter, empty


class Threshold(Wrapped, calls="threshold", shows="threshold={threshold}, value={value}{, inplace=True}"):
    r"""$x$ above `threshold`, `value` elsewhere."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        self._set_up(threshold=threshold, value=value, inplace=inplace)


class _InPlace(Wrapped):
    """An activation whose only setting is whether it overwrites its input."""

    def __init__(self, inplace: bool = False) -> None:
        self._set_up(inplace=inplace)


class ReLU(_InPlace, shows="{inplace=True}"):
    r"""$\max(0, x)$."""

    def forward(self, input: Tensor) -> Any:
        """The positive part."""
        return F.relu(input, inplace=True) if self.inplace else F.relu(input)


class Hardsigmoid(_InPlace, calls="hardsigmoid"):
    r"""$\min(\max(x / 6 + 1/2, 0), 1)$."""


class SiLU(_InPlace, calls="silu", shows="{inplace=True}"):
    r"""$x \sigma(x)$. Hendrycks & Gimpel (2016), Gaussian error linear units."""


class Mish(_InPlace, calls="mish", shows="{inplace=True}"):
    r"""$x \tanh(\operatorname{softplus}(x))$. Misra (2019), Mish."""


class Hardswish(_InPlace, calls="hardswish"):
    r"""$x \min(\max(x + 3, 0), 6) / 6$. Howard et al. (2019), Searching for MobileNetV3."""


class SELU(_InPlace, calls="selu", shows="{inplace=True}"):
    r"""ELU scaled so that mean and variance are kept. Klambauer et al. (2017), Self-normalizing neural networks."""


class RReLU(Wrapped, calls="rrelu", shows="lower={lower}, upper={upper}{, inplace=True}", trains=True):
    r"""$x$ above 0, $a x$ below; `a` is drawn from [lower, upper] in training, its mean else. Xu et al. (2015)."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        self._set_up(lower=lower, upper=upper, inplace=inplace)


class Hardtanh(Wrapped, calls="hardtanh", shows="min_val={min_val}, max_val={max_val}{, inplace=True}"):
    r"""$x$ limited to [min_val, max_val]."""

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        for old, value in (("min_val", min_value), ("max_val", max_value)):
            if value is not None:
                words = f"keyword argument `{old}ue` is deprecated and renamed to `{old}`"
                warnings.warn(words, FutureWarning, stacklevel=2)
        low = min_val if min_value is None else min_value
        high = max_val if max_value is None else max_value
        self._set_up(min_val=low, max_val=high, inplace=inplace)
        if high <= low:
            raise AssertionError(f"max_val ({high}) must be greater than min_val ({low})")


class ReLU6(Hardtanh, shows="{inplace=True}"):
    r"""$\min(\max(0, x), 6)$."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


class Sigmoid(Module):
    r"""$\sigma(x) = 1 / (1 + e^{-x})$."""

    def forward(self, input: Tensor) -> Any:
        """The sigmoid."""
        return sigmoid(input)


class Tanh(Module):
    r"""$\tanh(x)$."""

    def forward(self, input: Tensor) -> Any:
        """The hyperbolic tangent."""
        return tanh(input)


class _Alpha(Wrapped, shows="alpha={alpha}{, inplace=True}"):
    """An exponential linear unit."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self._set_up(alpha=alpha, inplace=inplace)


class ELU(_Alpha, calls="elu"):
    r"""$x$ above 0, $\alpha (e^x - 1)$ below. Clevert et al. (2015), Exponential linear units."""


class CELU(_Alpha, calls="celu"):
    r"""$\max(0, x) + \min(0, \alpha (e^{x/\alpha} - 1))$. Barron (2017), Continuously differentiable ELUs."""


class GLU(Wrapped, calls="glu", shows="dim={dim}"):
    r"""$a \sigma(b)$ of the two halves of the input along `dim`. Dauphin et al. (2016), Gated convolutional networks."""

    def __init__(self, dim: int = -1) -> None:
        self._set_up(dim=dim)


class GELU(Wrapped, calls="gelu", shows="approximate={approximate!r}"):
    r"""$x \Phi(x)$; `approximate="tanh"` uses a tanh for $\Phi$. Hendrycks & Gimpel (2016)."""

    def __init__(self, approximate: str = "none") -> None:
        self._set_up(approximate=approximate)


class _Shrink(Wrapped, shows="{lambd}"):
    """An activation that is 0 near 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        self._set_up(lambd=lambd)


class Hardshrink(_Shrink, calls="hardshrink"):
    r"""$x$ outside $[-\lambda, \lambda]$, 0 within."""


class Softshrink(_Shrink, calls="softshrink"):
    r"""$x$ brought nearer to 0 by $\lambda$, and 0 within $[-\lambda, \lambda]$."""


class LeakyReLU(Wrapped, calls="leaky_relu", shows="negative_slope={negative_slope}{, inplace=True}"):
    r"""$x$ above 0, `negative_slope` times $x$ below."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        self._set_up(negative_slope=negative_slope, inplace=inplace)


class LogSigmoid(Wrapped, calls="logsigmoid"):
    r"""$\log \sigma(x)$."""


class Softplus(Wrapped, calls="softplus", shows="beta={beta}, threshold={threshold}"):
    r"""$\log(1 + e^{\beta x}) / \beta$; $x$ itself where $\beta x$ is above `threshold`."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self._set_up(beta=beta, threshold=threshold)


class PReLU(Module):
    r"""$x$ above 0, $a x$ below, `a` learned: one, or one a channel. He et al. (2015), Delving deep into rectifiers."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all slopes to `init`."""
        initial.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Any:
        """The activation of `input`, whose dimension 1 is the channels."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """How many slopes."""
        return f"num_parameters={self.num_parameters}"


class Softsign(Wrapped, calls="softsign"):
    r"""$x / (1 + |x|)$."""


class Tanhshrink(Wrapped, calls="tanhshrink"):
    r"""$x - \tanh(x)$."""


class _Along(Wrapped, shows="dim={dim}"):
    """An activation along one dimension."""

    def __init__(self, dim: int | None = None) -> None:
        self._set_up(dim=dim)


class Softmin(_Along, calls="softmin"):
    r"""$e^{-x_i} / \sum_j e^{-x_j}$ along `dim`."""


class Softmax(_Along, calls="softmax"):
    r"""$e^{x_i} / \sum_j e^{x_j}$ along `dim`."""


class LogSoftmax(_Along, calls="log_softmax"):
    r"""$\log(e^{x_i} / \sum_j e^{x_j})$ along `dim`."""


class Softmax2d(Module):
    """Softmax over the channels of an image: (C, H, W) or (N, C, H, W)."""

    def forward(self, input: Tensor) -> Any:
        """The softmax over dimension -3."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)
