"""Resampling and rearranging of images: unfold and fold, pixel shuffles, interpolation, sampling on a grid."""

from __future__ import annotations

import warnings
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ... import dtypes
from ...bounded_strides import strided
from ...op.declare import function, op
from ...tensor import Tensor
from .mean_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from .resample_kernels import Taps, _resampled, _unresampled, variant

# --- unfold and fold -------------------------------------------------------------------------------------------------------


def _pair(value: Any, name: str) -> tuple[int, ...]:
    values = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(values) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(values)}")
    return tuple(int(v) for v in values)


def _blocks(sizes, kernel, dilation, padding, stride):
    """How many blocks fit along each dimension."""
    terms = zip(sizes, kernel, dilation, padding, stride, strict=True)
    return tuple([(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in terms])


@op(
    r"\mathrm{{unfold}}({self})",
    self=lambda grad, self_sym_sizes, kernel_size, dilation, padding, stride: _col2im(
        grad, tuple(self_sym_sizes[-2:]), kernel_size, dilation, padding, stride
    ),
    node="Im2ColBackward0",
    name="im2col",
    shows={
        "self_sym_sizes": None,
        "self_sym_argsize_minus_1": lambda get: get("self_sym_sizes")[-1],
        "self_sym_argsize_minus_2": lambda get: get("self_sym_sizes")[-2],
    },
)
def _im2col(self, kernel_size, dilation, padding, stride):
    """The blocks of (N, C, H, W) as columns, (N, C * block, blocks)."""
    *lead, c, h, w = self.shape
    made = _blocks((h, w), kernel_size, dilation, padding, stride)
    if any(padding):
        p, q = padding
        padded = np.zeros((*lead, c, h + 2 * p, w + 2 * q), self.dtype)
        padded[..., p : p + h, q : q + w] = self
        self = padded
    *outer, a, b = self.strides
    steps = (*outer, a * dilation[0], b * dilation[1], a * stride[0], b * stride[1])
    windows = strided(self, (*lead, c, *kernel_size, *made), steps)
    return windows.reshape(*lead, c * prod(kernel_size), prod(made)).copy()


@op(
    r"\mathrm{{fold}}({self})",
    self=lambda grad, kernel_size, dilation, padding, stride: _im2col(grad, kernel_size, dilation, padding, stride),
    node="Col2ImBackward0",
    name="col2im",
)
def _col2im(self, output_size, kernel_size, dilation, padding, stride):
    """Columns (N, C * block, blocks) added back where their blocks were, (N, C, H, W)."""
    *lead, rows, _ = self.shape
    made = _blocks(output_size, kernel_size, dilation, padding, stride)
    (h, w), (p, q) = output_size, padding
    parts = self.reshape(*lead, rows // prod(kernel_size), *kernel_size, *made)
    out = np.zeros((*lead, rows // prod(kernel_size), h + 2 * p, w + 2 * q), self.dtype)
    for i, j in np.ndindex(*kernel_size):
        y, x = i * dilation[0], j * dilation[1]
        out[..., y : y + made[0] * stride[0] : stride[0], x : x + made[1] * stride[1] : stride[1]][
            ..., : made[0], : made[1]
        ] += parts[..., i, j, :, :]
    return out[..., p : p + h, q : q + w]


def _check_blocks(kernel, dilation, padding, stride):
    for what, must, least, prefix, values in (
        ("kernel size", "greater than zero", 1, "kernel", kernel),
        ("dilation", "greater than zero", 1, "dilation", dilation),
        ("padding", "non-negative", 0, "pad", padding),
        ("stride", "greater than zero", 1, "stride", stride),
    ):
        if min(values) < least:
            raise RuntimeError(f"{what} should be {must}, but got {prefix}_height: {values[0]} {prefix}_width: {values[1]}")


@function
def functional_unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The blocks of (N, C, H, W) or (C, H, W) as columns, (N, C * block, blocks)."""
    kernel, dilation = _pair(kernel_size, "kernel_size"), _pair(dilation, "dilation")
    padding, stride = _pair(padding, "padding"), _pair(stride, "stride")
    shape = list(input._array.shape)
    if len(shape) < 3:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got 2)")
    _check_blocks(kernel, dilation, padding, stride)
    if len(shape) not in (3, 4) or 0 in shape[len(shape) == 4 :]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but "
            f"got: {shape}"
        )
    made = _blocks(shape[-2:], kernel, dilation, padding, stride)
    if min(made) < 1:
        raise RuntimeError(
            f"Given input with spatial size ({shape[-2]}, {shape[-1]}), kernel_size={kernel}, dilation={dilation}, "
            f"padding={padding}, calculated shape of the array of sliding blocks as {made}, but its components must be at "
            "least one."
        )
    return _im2col(input, kernel, dilation, padding, stride)


@function
def functional_fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Columns (N, C * block, blocks) or (C * block, blocks) added back where their blocks were."""
    size, kernel, dilation = _pair(output_size, "output_size"), _pair(kernel_size, "kernel_size"), _pair(dilation, "dilation")
    padding, stride = _pair(padding, "padding"), _pair(stride, "stride")
    shape = list(input._array.shape)
    _check_blocks(kernel, dilation, padding, stride)
    if len(shape) not in (2, 3) or 0 in shape[len(shape) == 3 :]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, "
            f"but got: {shape}"
        )
    if shape[-2] % prod(kernel):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[-2]} and kernel_size={kernel}."
        )
    made = _blocks(size, kernel, dilation, padding, stride)
    given = (
        f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, stride={stride}, expected "
    )
    if shape[-1] != prod(made):
        raise RuntimeError(
            f"{given}size of input's dimension 2 to match the calculated number of sliding blocks {made[0]} * {made[1]} = "
            f"{prod(made)}, but got input.size(2)={shape[-1]}."
        )
    if min(made) < 1:
        raise RuntimeError(
            f"{given}the calculated shape of the array of sliding blocks as {made}, which is too small (non-positive)"
        )
    return _col2im(input, size, kernel, dilation, padding, stride)


# --- shuffles --------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{shuffle}}({self})",
    self=lambda grad, upscale_factor: _pixel_unshuffle(grad, upscale_factor),
    node="PixelShuffleBackward0",
    name="pixel_shuffle",
)
def _pixel_shuffle(self, upscale_factor):
    """Channels moved into space, (…, C * r * r, H, W) to (…, C, H * r, W * r)."""
    *lead, c, h, w = self.shape
    r = upscale_factor
    x = self.reshape(*lead, c // (r * r), r, r, h, w)
    n = len(lead)
    x = x.transpose(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    return np.ascontiguousarray(x).reshape(*lead, c // (r * r), h * r, w * r)


@op(
    r"\mathrm{{unshuffle}}({self})",
    self=lambda grad, downscale_factor: _pixel_shuffle(grad, downscale_factor),
    node="PixelUnshuffleBackward0",
    name="pixel_unshuffle",
)
def _pixel_unshuffle(self, downscale_factor):
    """Space moved into channels, (…, C, H * r, W * r) to (…, C * r * r, H, W)."""
    *lead, c, h, w = self.shape
    r = downscale_factor
    x = self.reshape(*lead, c, h // r, r, w // r, r)
    n = len(lead)
    x = x.transpose(*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return np.ascontiguousarray(x).reshape(*lead, c * r * r, h // r, w // r)


@op(
    r"\mathrm{{shuffle}}({self})",
    self=lambda grad, self_sym_sizes, groups: _channel_shuffle(grad, self_sym_sizes[1] // groups),
    node="ChannelShuffleBackward0",
    name="channel_shuffle",
)
def _channel_shuffle(self, groups):
    """The channels of (N, C, …) dealt out: one of each group after the other."""
    n, c, *rest = self.shape
    return self.reshape(n, groups, c // groups, *rest).swapaxes(1, 2).reshape(self.shape)


def _check_pixels(name, what, input, factor):
    n = input._array.ndim
    if n < 3:
        raise RuntimeError(f"{name} expects input to have at least 3 dimensions, but got input with {n} dimension(s)")
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {what}, but got {factor}")


@function
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels moved into space, (…, C * r * r, H, W) to (…, C, H * r, W * r)."""
    _check_pixels("pixel_shuffle", "upscale_factor", input, upscale_factor)
    c = input._array.shape[-3]
    if c % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
            f"input.size(-3)={c} is not divisible by {upscale_factor**2}"
        )
    return _pixel_shuffle(input, upscale_factor)


@function
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Space moved into channels, (…, C, H * r, W * r) to (…, C * r * r, H, W)."""
    _check_pixels("pixel_unshuffle", "downscale_factor", input, downscale_factor)
    for side, d in (("height", -2), ("width", -1)):
        if input._array.shape[d] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {side} to be divisible by downscale_factor, but input.size({d})="
                f"{input._array.shape[d]} is not divisible by {downscale_factor}"
            )
    return _pixel_unshuffle(input, downscale_factor)


@function
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of (N, C, …) dealt out: one of each group after the other."""
    shape = input._array.shape
    if len(shape) <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if shape[1] % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups.")
    return _channel_shuffle(input, groups)


native_channel_shuffle = channel_shuffle


# --- interpolation ---------------------------------------------------------------------------------------------------------


def _scale(size, made, scale):
    return 1 / scale if scale is not None and scale > 0 else size / made


def _cubic(x, a):
    """The weight that cubic interpolation gives to a point at distance x."""
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x < 1, near, np.where(x < 2, far, 0))


@lru_cache(maxsize=256)
def _interpolation_taps(mode, size, made, align_corners, scale):
    """The taps of one dimension."""
    k = np.arange(made)
    if mode.startswith("nearest"):
        if mode == "nearest" and made in (size, 2 * size):
            return Taps(size, (k * size // made)[:, None], 1.0)
        step = np.float32(_scale(size, made, scale))
        source = (k.astype(np.float32) + np.float32(0.5 if mode == "nearest-exact" else 0)) * step
        return Taps(size, np.minimum(np.floor(source).astype(np.int64), size - 1)[:, None], 1.0)
    corners = (size - 1) / (made - 1) if made > 1 else 0.0
    factor = corners if align_corners else _scale(size, made, scale)
    if mode.endswith("_aa"):
        return _antialiasing_taps(mode, size, made, factor)
    source = k * factor if align_corners else factor * (k + 0.5) - 0.5
    if mode == "cubic":
        first = np.floor(source).astype(np.int64)
        index = first[:, None] + np.arange(-1, 3)
        return Taps(size, np.clip(index, 0, size - 1), _cubic(source[:, None] - index, -0.75))
    source = np.maximum(source, 0)
    first = np.minimum(np.floor(source).astype(np.int64), size - 1)
    second = np.minimum(first + 1, size - 1)
    weight = np.clip(source - first, 0, 1)
    return Taps(size, np.stack([first, second], 1), np.stack([1 - weight, weight], 1))


def _antialiasing_taps(mode, size, made, factor):
    reach = (1 if mode == "linear_aa" else 2) * max(factor, 1)
    centre = factor * (np.arange(made) + 0.5)
    start = np.maximum((centre - reach + 0.5).astype(np.int64), 0)
    stop = np.minimum((centre + reach + 0.5).astype(np.int64), size)
    index = start[:, None] + np.arange((stop - start).max(initial=1))
    distance = (index - centre[:, None] + 0.5) / max(factor, 1)
    weight = np.maximum(1 - np.abs(distance), 0) if mode == "linear_aa" else _cubic(distance, -0.5)
    weight = np.where(index < stop[:, None], weight, 0)
    return Taps(size, np.minimum(index, size - 1), weight / weight.sum(1, keepdims=True))


def interpolation_plan(mode, sizes, output_size, align_corners, scales):
    """The taps of each dimension."""
    scales = (None,) * len(output_size) if scales is None else scales
    terms = zip(sizes[2:], output_size, scales, strict=True)
    return tuple([_interpolation_taps(mode, n, m, align_corners, s) for n, m, s in terms])


def _interpolating(mode):
    """The formula and the rule of an interpolation."""

    def forward(self, output_size, align_corners, scales):
        """The image in another size."""
        plan = interpolation_plan(mode, self.shape, output_size, align_corners, scales)
        if self.dtype.kind == "f" or mode.startswith("nearest"):
            return _resampled.op.forward(self, plan)
        return np.clip(np.rint(_resampled.op.forward(self.astype(np.float64), plan)), 0, 255).astype(self.dtype)

    def rule(grad, self_sym_sizes, output_size, align_corners, scales):
        return _unresampled(grad, interpolation_plan(mode, self_sym_sizes, output_size, align_corners, scales))

    return forward, rule


def _shown_scales(mode, dims):
    """How PyTorch's nodes show the scales: by dimension."""
    if "exact" in mode or "_aa" in mode or mode == "trilinear":
        return {}
    scales = {
        f"scales_{axis}" if dims > 1 else "scales": lambda get, k=k: (get("scales") or (None,) * 3)[k]
        for k, axis in enumerate("dhw"[-dims:])
    }
    hidden = {2: {"nearest": ("align_corners", "scales"), "bilinear": ("scales",)}}
    return dict.fromkeys(hidden.get(dims, {}).get(mode, ())) | scales


_UPSAMPLE: dict[Any, Any] = {}
"""The operations by mode and number of dimensions."""

for _mode, _dims, _kind, _name in (
    *[("nearest", d, "nearest", f"UpsampleNearest{d}D") for d in (1, 2, 3)],
    *[("nearest-exact", d, "nearest-exact", f"UpsampleNearestExact{d}D") for d in (1, 2, 3)],
    ("linear", 1, "linear", "UpsampleLinear1D"), ("bilinear", 2, "linear", "UpsampleBilinear2D"),
    ("trilinear", 3, "linear", "UpsampleTrilinear3D"), ("bicubic", 2, "cubic", "UpsampleBicubic2D"),
    ("bilinear_aa", 2, "linear_aa", "UpsampleBilinear2DAa"), ("bicubic_aa", 2, "cubic_aa", "UpsampleBicubic2DAa"),
):  # fmt: skip
    _forward, _rule = _interpolating(_kind)
    _UPSAMPLE[_mode, _dims] = variant(
        _forward, r"\mathrm{{upsample}}({self})", f"upsample_{_mode.replace('-', '_')}{_dims}d", _name + "Backward0",
        self=_rule, shows=_shown_scales(_mode, _dims),
    )  # fmt: skip

_DIMS = {"linear": 1, "bilinear": 2, "trilinear": 3}


def _sizes_and_scales(input, size, scale_factor, recompute):
    """The size that was asked for, and the factors by which to get there."""
    shape = input._array.shape
    dims = len(shape) - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        if not isinstance(size, tuple | list):
            size = [size] * dims
        elif len(size) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
                f"{list(shape[2:])} and output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) format "
                "and output size in (o1, o2, ...,oK) format."
            )
        elif not all(isinstance(n, int | np.integer | Tensor) for n in size):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size with "
                f"types {[type(n) for n in size]}"
            )
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return tuple(int(n) for n in size), None
    if not isinstance(scale_factor, tuple | list):
        scale_factor = [scale_factor] * dims
    elif len(scale_factor) != dims:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of "
            f"{list(shape[2:])} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, d1, d2, "
            "...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    made = tuple(int(n * s) for n, s in zip(shape[2:], scale_factor, strict=True))
    return made, None if recompute else tuple(float(s) for s in scale_factor)


@function
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """(N, C, *spatial) in another size: nearest, nearest-exact, linear, bilinear, bicubic, trilinear or area."""
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    shape = input._array.shape
    n = len(shape)
    made, scales = _sizes_and_scales(input, size, scale_factor, recompute_scale_factor or (mode == "area" and size is None))
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and n == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if mode == "area" and n in (3, 4, 5):
        return {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}[n](input, made)
    operation = _UPSAMPLE.get((mode + "_aa" if antialias else mode, n - 2))
    if operation is None:
        if mode in _DIMS and n in (3, 4, 5):
            raise NotImplementedError(f"Got {n}D input, but {mode} mode needs {_DIMS[mode] + 2}D input")
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {n}D) for the modes: nearest | linear | bilinear | "
            f"bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )
    given = shape[2:]
    if min(*given, *made) <= 0:
        before, after = (", ".join(f"{s}: {v}" for s, v in zip("DHW"[5 - n :], v, strict=True)) for v in (given, made))
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({before}) output ({after})")
    if shape[1] == 0:
        raise RuntimeError(f"Non-empty {n}D data tensor expected but got a tensor with sizes {list(shape)}")
    if input._array.dtype.kind != "f" and input._array.dtype != np.uint8:
        name = operation.op.name + ("_channels_last" if n == 4 else "")
        raise NotImplementedError(f"\"{name}\" not implemented for '{dtypes.SCALAR_NAMES[input.dtype]}'")
    return operation(input, made, bool(align_corners), scales)


@function
def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """The former name of `interpolate`."""
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@function
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` with the nearest element."""
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


@function
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` between the four nearest elements, corners on corners."""
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def _deprecated(name: str) -> None:
    warnings.warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", UserWarning, stacklevel=3)
