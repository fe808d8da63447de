"""Convolutions and transposed convolutions in 1 to 3 dimensions."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from . import functional as F  # noqa: N812
from .functional_module import as_tuple
from .linear import draw
from .module import Module
from .parameter import Parameter, empty

Size = int | tuple[int, ...]
"""One number for all dimensions, or one each."""

PADDINGS = ("same", "valid")
MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What convolutions of all kinds have in common."""

    _dims = 0
    transposed = False

    def __init_subclass__(cls, dims: int | None = None) -> None:
        cls._dims = cls._dims if dims is None else dims

    def _set_up(
        self,
        in_channels: int,
        out_channels: int,
        sizes: dict[str, Any],
        groups: int,
        bias: bool,
        padding_mode: str,
        factory: dict[str, Any],
    ) -> None:
        """Check and keep the settings (`sizes` are those a dimension), make the parameters and draw them."""
        Module.__init__(self)
        n, padding = self._dims, sizes["padding"]
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in PADDINGS:
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {set(PADDINGS)}")
            if padding == "same" and any(s != 1 for s in as_tuple(sizes["stride"], n)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in MODES:
            raise ValueError(f"padding_mode must be one of {set(MODES)}, but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        for name, size in sizes.items():
            setattr(self, name, size if isinstance(size, str) else as_tuple(size, n))
        self.groups = groups
        self.padding_mode = padding_mode
        channels = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        self.weight = Parameter(empty((channels[0], channels[1] // groups, *self.kernel_size), **factory))
        self.register_parameter("bias", Parameter(empty(out_channels, **factory)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Draw weight and bias from $\pm 1/\sqrt{\text{fan in}}$."""
        draw(self)

    def extra_repr(self) -> str:
        """The settings that are not the usual ones."""
        n = self._dims
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usual = {
            "padding": (0,) * n, "dilation": (1,) * n, "output_padding": (0,) * n, "groups": 1, "padding_mode": "zeros",
        }  # fmt: skip
        settings = [f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        if self.bias is None:
            settings.insert(len(settings) - (self.padding_mode != "zeros"), ", bias=False")
        return text + "".join(settings)

    def _pickled(self) -> dict[str, Any]:
        """The attributes, and those that follow from them."""
        more = {"transposed": self.transposed, "_reversed_padding_repeated_twice": self._reversed_padding_repeated_twice}
        return super()._pickled() | more

    @property
    def _reversed_padding_repeated_twice(self) -> list[int]:
        """The padding as `F.pad` takes it: last dimension first, both sides."""
        if not isinstance(self.padding, str):
            return [p for p in reversed(self.padding) for _ in range(2)]
        both: list[int] = []
        for d, k in zip(reversed(self.dilation), reversed(self.kernel_size)):
            total = d * (k - 1) if self.padding == "same" else 0
            both += [total // 2, total - total // 2]
        return both


class _PlainConv(_ConvNd):
    """A convolution."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size | str = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = {
            "kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation, "output_padding": 0,
        }  # fmt: skip
        factory = {"device": device, "dtype": dtype}
        self._set_up(in_channels, out_channels, sizes, groups, bias, padding_mode, factory)

    def forward(self, input: Tensor) -> Any:
        """The convolution of `input`."""
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Any:
        """The convolution with other kernels, for subclasses that compute their own."""
        convolve = getattr(F, f"conv{self._dims}d")
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self._dims
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_PlainConv, dims=1):
    """Cross-correlation of (N, C, L) or (C, L) with kernels (out_channels, in_channels / groups, k)."""


class Conv2d(_PlainConv, dims=2):
    """Cross-correlation of (N, C, H, W) or (C, H, W) with kernels (out_channels, in_channels / groups, k, k)."""


class Conv3d(_PlainConv, dims=3):
    """Cross-correlation of (N, C, D, H, W) or (C, D, H, W) with kernels (out_channels, in_channels / groups, k, k, k)."""


class _ConvTransposeNd(_ConvNd):
    """The gradient of a convolution with respect to its input, as a module."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        sizes = {
            "kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation,
            "output_padding": output_padding,
        }  # fmt: skip
        factory = {"device": device, "dtype": dtype}
        self._set_up(in_channels, out_channels, sizes, groups, bias, padding_mode, factory)

    def _output_padding(self, input: Tensor, output_size: Any) -> list[int]:
        """What must be added to the output so that it has the size wanted.

        Raises:
            ValueError: for a size that does not come from this input.
        """
        if output_size is None:
            return list(self.output_padding)
        n, size = self._dims, list(output_size)
        other = 2 if input.dim() == n + 2 else 1
        if len(size) == n + other:
            size = size[other:]
        if len(size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {n + other} elements (got "
                f"{len(size)})"
            )
        settings = zip(input.shape[other:], self.stride, self.padding, self.dilation, self.kernel_size)
        least = [(i - 1) * s - 2 * p + d * (k - 1) + 1 for i, s, p, d, k in settings]
        most = [low + s - 1 for low, s in zip(least, self.stride)]
        if not all(low <= wanted <= high for low, wanted, high in zip(least, size, most)):
            raise ValueError(
                f"requested an output size of {size}, but valid sizes range from {least} to {most} (for an input of "
                f"{input.size()[2:]})"
            )
        return [wanted - low for wanted, low in zip(size, least)]

    def forward(self, input: Tensor, output_size: Any = None) -> Any:
        """The transposed convolution of `input`, of `output_size` if that is given."""
        convolve = getattr(F, f"conv_transpose{self._dims}d")
        padding = self._output_padding(input, output_size)
        return convolve(input, self.weight, self.bias, self.stride, self.padding, padding, self.groups, self.dilation)


class ConvTranspose1d(_ConvTransposeNd, dims=1):
    """Transposed convolution of (N, C, L) or (C, L) with kernels (in_channels, out_channels / groups, k)."""


class ConvTranspose2d(_ConvTransposeNd, dims=2):
    """Transposed convolution of (N, C, H, W) or (C, H, W) with kernels (in_channels, out_channels / groups, k, k)."""


class ConvTranspose3d(_ConvTransposeNd, dims=3):
    """Transposed convolution of (N, C, D, H, W) or (C, D, H, W), kernels (in_channels, out_channels / groups, k, k, k)."""
