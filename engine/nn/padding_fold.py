"""Modules that move elements: flattening, padding, windows, pixel and channel shuffling, and resizing."""

from __future__ import annotations

from typing import Any

from ..compat.classes import own
from ..tensor import Tensor
from . import functional as F  # noqa: N812
from .functional_module import Wrapped, as_tuple
from .module import Module


class Flatten(Module):
    """The dimensions from `start_dim` to `end_dim` as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Any:
        """The flattened input."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """The dimension `dim` as several, of the sizes `unflattened_size`."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            kind = type(unflattened_size).__name__
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {kind}")
        for i, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                kind = type(size).__name__
                raise TypeError(f"unflattened_size must be tuple of ints, but found element of type {kind} at pos {i}")
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Any:
        """The unflattened input."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The dimension and its sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


# --- padding ---------------------------------------------------------------------------------------------------------------


class _Pad(Module):
    """Elements added at both ends of the last dimensions: `padding` is one number, or (left, right, top, bottom, …)."""

    _dims = 0
    _mode = ""

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 2 * self._dims)

    def __init_subclass__(cls, dims: int | None = None, mode: str | None = None) -> None:
        for name, said in (("_dims", dims), ("_mode", mode)):
            if said is not None:
                setattr(cls, name, said)

    def forward(self, input: Tensor) -> Any:
        """The padded input."""
        n = self._dims
        if self._mode == "circular" and input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """The padding."""
        return f"{self.padding}"


class _CircularPadNd(_Pad, mode="circular"):
    """Pads with what stands at the other ends."""


class _ReflectionPadNd(_Pad, mode="reflect"):
    """Pads with the mirror image."""


class _ReplicationPadNd(_Pad, mode="replicate"):
    """Pads with the edges."""


for _kind in (_CircularPadNd, _ReflectionPadNd, _ReplicationPadNd):
    own(_kind, "forward")


class CircularPad1d(_CircularPadNd, dims=1):
    """Pads (N, C, L) with what stands at the other end."""


class CircularPad2d(_CircularPadNd, dims=2):
    """Pads (N, C, H, W) with what stands at the other ends."""


class CircularPad3d(_CircularPadNd, dims=3):
    """Pads (N, C, D, H, W) with what stands at the other ends."""


class ReflectionPad1d(_ReflectionPadNd, dims=1):
    """Pads (N, C, L) with its mirror image, the edge not repeated."""


class ReflectionPad2d(_ReflectionPadNd, dims=2):
    """Pads (N, C, H, W) with its mirror image, the edges not repeated."""


class ReflectionPad3d(_ReflectionPadNd, dims=3):
    """Pads (N, C, D, H, W) with its mirror image, the edges not repeated."""


class ReplicationPad1d(_ReplicationPadNd, dims=1):
    """Pads (N, C, L) with its edge."""


class ReplicationPad2d(_ReplicationPadNd, dims=2):
    """Pads (N, C, H, W) with its edges."""


class ReplicationPad3d(_ReplicationPadNd, dims=3):
    """Pads (N, C, D, H, W) with its edges."""


class _ConstantPadNd(_Pad):
    """Pads with a number."""

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Any:
        """The padded input."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """The padding and the number."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd, dims=1):
    """Pads the last dimension with `value`."""


class ConstantPad2d(_ConstantPadNd, dims=2):
    """Pads the last 2 dimensions with `value`."""


class ConstantPad3d(_ConstantPadNd, dims=3):
    """Pads the last 3 dimensions with `value`."""


class _ZeroPad(_ConstantPadNd):
    """Pads with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _Pad.extra_repr


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Pads the last dimension with zeros."""


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Pads the last 2 dimensions with zeros."""


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Pads the last 3 dimensions with zeros."""


# --- windows and shuffling -------------------------------------------------------------------------------------------------


class Fold(
    Wrapped,
    calls="fold",
    shows="output_size={output_size}, kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride}",
):
    """Sums windows (N, C * windows' size, windows) into images (N, C, *output_size)."""

    def __init__(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        self._set_up(output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class Unfold(
    Wrapped, calls="unfold", shows="kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride}"
):
    """The windows of images (N, C, H, W) as columns (N, C * windows' size, windows)."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        self._set_up(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class PixelShuffle(Wrapped, calls="pixel_shuffle", shows="upscale_factor={upscale_factor}"):
    """(*, C r², H, W) as (*, C, H r, W r). Shi et al. (2016), Sub-pixel convolution."""

    def __init__(self, upscale_factor: int) -> None:
        self._set_up(upscale_factor=upscale_factor)


class PixelUnshuffle(Wrapped, calls="pixel_unshuffle", shows="downscale_factor={downscale_factor}"):
    """(*, C, H r, W r) as (*, C r², H, W)."""

    def __init__(self, downscale_factor: int) -> None:
        self._set_up(downscale_factor=downscale_factor)


class ChannelShuffle(Wrapped, calls="channel_shuffle", shows="groups={groups}"):
    """Channels of `groups` groups in turn. Zhang et al. (2017), ShuffleNet."""

    def __init__(self, groups: int) -> None:
        self._set_up(groups=groups)


# --- resizing --------------------------------------------------------------------------------------------------------------


class Upsample(Wrapped, calls="interpolate"):
    """Images (N, C, …) at another size: `size`, or `scale_factor` times theirs; `mode` as in `F.interpolate`."""

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        several = isinstance(scale_factor, tuple)
        self._set_up(
            size=size,
            scale_factor=tuple(map(float, scale_factor)) if several else float(scale_factor) if scale_factor else None,
            mode=mode,
            align_corners=align_corners,
            recompute_scale_factor=recompute_scale_factor,
        )
        self.name = type(self).__name__

    def extra_repr(self) -> str:
        """The size or scale, and the mode."""
        size = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images (N, C, H, W) at another size, each pixel that of the nearest."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images (N, C, H, W) at another size, interpolated, with the corners kept."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
