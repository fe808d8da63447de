"""Normalisation: of a channel over the batch, of a sample over its features, of groups and channels of a sample."""

from __future__ import annotations

import warnings
from typing import Any

from .. import dtypes
from ..compat.classes import own
from ..ops.creation.factories import ones, tensor, zeros
from ..tensor import Tensor
from . import functional as F  # noqa: N812
from . import init
from .functional_module import Wrapped
from .module import Module
from .parameter import Parameter, empty


class _Affine(Module):
    """A module that may have a weight, which starts as ones, and a bias, which starts as zeros."""

    def _parameters_of(self, shape: Any, weight: bool, bias: bool, device: Any, dtype: Any) -> None:
        for name, wanted in (("weight", weight), ("bias", weight and bias)):
            self.register_parameter(name, Parameter(empty(shape, device=device, dtype=dtype)) if wanted else None)

    def reset_parameters(self) -> None:
        """Set the weight to ones and the bias to zeros."""
        for name, fill in (("weight", init.ones_), ("bias", init.zeros_)):
            parameter = self._parameters.get(name)
            if parameter is not None:
                fill(parameter)


class _NormBase(_Affine):
    """Normalisation of channels (dimension 1) that may keep running statistics."""

    _version = 2
    _ranks: tuple[int, ...] = ()

    def __init_subclass__(cls, ranks: tuple[int, ...] | None = None) -> None:
        cls._ranks = cls._ranks if ranks is None else ranks

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._parameters_of(num_features, affine, bias, device, dtype)
        keep = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype) if keep else None)
        self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype) if keep else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=dtypes.int64, device=device) if keep else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget what was seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Forget what was seen; set the weight to ones and the bias to zeros."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self._ranks:
            expected = " or ".join(f"{n}D" for n in self._ranks)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, local_metadata: Any, *rest: Any) -> None:
        """States of before version 2 have no count of batches."""
        version = local_metadata.get("version")
        if (version is None or version < 2) and self.track_running_stats:
            state_dict.setdefault(prefix + "num_batches_tracked", self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        """The settings."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_NormBase):
    r"""$(x - \mu) / \sqrt{\sigma^2 + \epsilon} \cdot \gamma + \beta$ of each channel, over the batch in training.

    Elsewhere the running mean and variance are used. Ioffe & Szegedy (2015), Batch normalization.
    """

    def forward(self, input: Tensor) -> Any:
        """The normalised input; in training the running statistics move by `momentum`, None meaning equal weights."""
        self._check_input_dim(input)
        training, mean, var = self.training, self.running_mean, self.running_var
        factor = 0.0 if self.momentum is None else self.momentum
        if training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        of_batch = training or (mean is None and var is None)
        if training and not self.track_running_stats:
            mean = var = None
        return F.batch_norm(input, mean, var, self.weight, self.bias, of_batch, factor, self.eps)


own(_BatchNorm, "__init__")


class BatchNorm1d(_BatchNorm, ranks=(2, 3)):
    """Batch normalisation of (N, C) or (N, C, L)."""


class BatchNorm2d(_BatchNorm, ranks=(4,)):
    """Batch normalisation of (N, C, H, W)."""


class BatchNorm3d(_BatchNorm, ranks=(5,)):
    """Batch normalisation of (N, C, D, H, W)."""


class _InstanceNorm(_NormBase):
    """Normalisation of each channel of each sample. Ulyanov et al. (2016), Instance normalization."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Any:
        """The normalised input; one without batch dimension is taken as one sample."""
        self._check_input_dim(input)
        alone = input.dim() == self._ranks[0]
        dim = input.dim() - self._ranks[0]
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: "
                    f"{input.size(dim)}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing in "
                "num_features, which is not used because affine=False",
                stacklevel=2,
            )
        result = F.instance_norm(
            input.unsqueeze(0) if alone else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )
        return result.squeeze(0) if alone else result


class InstanceNorm1d(_InstanceNorm, ranks=(2, 3)):
    """Instance normalisation of (N, C, L) or (C, L)."""


class InstanceNorm2d(_InstanceNorm, ranks=(3, 4)):
    """Instance normalisation of (N, C, H, W) or (C, H, W)."""


class InstanceNorm3d(_InstanceNorm, ranks=(4, 5)):
    """Instance normalisation of (N, C, D, H, W) or (C, D, H, W)."""


def _shape(normalized_shape: Any) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LayerNorm(_Affine):
    """Normalisation of each sample over its last dimensions. Ba et al. (2016), Layer normalization."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._parameters_of(self.normalized_shape, elementwise_affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Any:
        """The normalised input, whose last dimensions are `normalized_shape`."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The settings."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(_Affine):
    """Normalisation of groups of channels of each sample. Wu & He (2018), Group normalization."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._parameters_of(num_channels, affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Any:
        """The normalised input (N, C, …)."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The settings."""
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class RMSNorm(_Affine):
    """Division by the root mean square over the last dimensions. Zhang & Sennrich (2019)."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        weight = Parameter(empty(self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def forward(self, x: Tensor) -> Any:
        """The normalised input, whose last dimensions are `normalized_shape`."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The settings."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Wrapped, calls="local_response_norm", shows="{size}, alpha={alpha}, beta={beta}, k={k}"):
    """Division by a power of the mean square of `size` channels around each. Krizhevsky et al. (2012)."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        self._set_up(size=size, alpha=alpha, beta=beta, k=k)
