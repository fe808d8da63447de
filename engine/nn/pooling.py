"""Pooling: one number for each window of the input."""

from __future__ import annotations

from typing import Any

from ..arguments import given
from ..tensor import Tensor
from . import functional as F  # noqa: N812
from .functional_module import Wrapped, as_tuple
from .module import Module

Size = int | tuple[int, ...]
"""One number for all dimensions, or one each."""


class _MaxPoolNd(
    Wrapped,
    shows="kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}",
):
    """The largest of each window; with `return_indices` also where it stood."""

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        stride = kernel_size if stride is None else stride
        self._set_up(**given(locals()))


class MaxPool1d(_MaxPoolNd, calls="max_pool1d"):
    """The largest of each window of (N, C, L) or (C, L)."""


class MaxPool2d(_MaxPoolNd, calls="max_pool2d"):
    """The largest of each window of (N, C, H, W) or (C, H, W)."""


class MaxPool3d(_MaxPoolNd, calls="max_pool3d"):
    """The largest of each window of (N, C, D, H, W) or (C, D, H, W)."""


class _MaxUnpoolNd(Wrapped, shows="kernel_size={kernel_size}, stride={stride}, padding={padding}"):
    """Puts what max pooling returned back where it stood, zeros elsewhere."""

    _dims = 0

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        stride = kernel_size if stride is None else stride
        self._set_up(**{name: as_tuple(value, self._dims) for name, value in given(locals()).items()})

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Any:  # type: ignore[override]
        """The unpooled `input`; `indices` are those max pooling returned."""
        return self._call(input, indices, output_size=output_size)


class MaxUnpool1d(_MaxUnpoolNd, calls="max_unpool1d"):
    """Undoes MaxPool1d, as far as it can be."""

    _dims = 1


class MaxUnpool2d(_MaxUnpoolNd, calls="max_unpool2d"):
    """Undoes MaxPool2d, as far as it can be."""

    _dims = 2


class MaxUnpool3d(_MaxUnpoolNd, calls="max_unpool3d"):
    """Undoes MaxPool3d, as far as it can be."""

    _dims = 3


class _AvgPoolNd(Wrapped, shows="kernel_size={kernel_size}, stride={stride}, padding={padding}"):
    """The mean of each window; the padding's zeros count if `count_include_pad`."""

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        stride = kernel_size if stride is None else stride
        self._set_up(**given(locals()))


class AvgPool1d(_AvgPoolNd, calls="avg_pool1d"):
    """The mean of each window of (N, C, L) or (C, L)."""

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        stride = as_tuple(kernel_size if stride is None else stride, 1)
        kernel_size, padding = as_tuple(kernel_size, 1), as_tuple(padding, 1)
        self._set_up(**given(locals()))


class AvgPool2d(_AvgPoolNd, calls="avg_pool2d"):
    """The mean of each window of (N, C, H, W) or (C, H, W)."""


class AvgPool3d(_AvgPoolNd, calls="avg_pool3d"):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W)."""


class _LPPoolNd(Wrapped, shows="norm_type={norm_type}, kernel_size={kernel_size}, stride={stride}, ceil_mode={ceil_mode}"):
    r"""$(\sum x^p)^{1/p}$ of each window, p being `norm_type`."""

    def __init__(self, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False) -> None:
        self._set_up(norm_type=norm_type, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode)


class LPPool1d(_LPPoolNd, calls="lp_pool1d"):
    """Power mean of each window of (N, C, L) or (C, L)."""


class LPPool2d(_LPPoolNd, calls="lp_pool2d"):
    """Power mean of each window of (N, C, H, W) or (C, H, W)."""


class LPPool3d(_LPPoolNd, calls="lp_pool3d"):
    """Power mean of each window of (N, C, D, H, W) or (C, D, H, W)."""


class _AdaptiveMaxPoolNd(Wrapped, shows="output_size={output_size}"):
    """Max pooling whose windows follow from the size wanted."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        self._set_up(output_size=output_size, return_indices=return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd, calls="adaptive_max_pool1d"):
    """Max pooling to `output_size` elements a channel."""


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd, calls="adaptive_max_pool2d"):
    """Max pooling to `output_size` (H, W); None keeps a dimension."""


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd, calls="adaptive_max_pool3d"):
    """Max pooling to `output_size` (D, H, W); None keeps a dimension."""


class _AdaptiveAvgPoolNd(Wrapped, shows="output_size={output_size}"):
    """Average pooling whose windows follow from the size wanted."""

    def __init__(self, output_size: Any) -> None:
        self._set_up(output_size=output_size)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd, calls="adaptive_avg_pool1d"):
    """Average pooling to `output_size` elements a channel."""


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd, calls="adaptive_avg_pool2d"):
    """Average pooling to `output_size` (H, W); None keeps a dimension."""


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd, calls="adaptive_avg_pool3d"):
    """Average pooling to `output_size` (D, H, W); None keeps a dimension."""


class _FractionalMaxPool(Module):
    """Max pooling with windows placed at random. Graham (2014), Fractional max-pooling."""

    _dims = 0

    def __init__(
        self,
        kernel_size: Size,
        output_size: Size | None = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = as_tuple(kernel_size, self._dims)
        if self._dims == 3 and not all(k > 0 for k in self.kernel_size):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else as_tuple(output_size, self._dims)
        self.output_ratio = None if output_ratio is None else as_tuple(output_ratio, self._dims)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        """The largest of each window."""
        pool = getattr(F, f"fractional_max_pool{self._dims}d")
        settings = (self.kernel_size, self.output_size, self.output_ratio, self.return_indices)
        return pool(input, *settings, _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """Fractional max pooling of (N, C, H, W) or (C, H, W)."""

    _dims = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """Fractional max pooling of (N, C, D, H, W) or (C, D, H, W)."""

    _dims = 3
