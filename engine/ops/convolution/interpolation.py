"""Images in another size: interpolation between the nearest, linearly or with cubic polynomials."""

from __future__ import annotations

import warnings
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np

from ... import dtypes
from ...context import beyond
from ...op.declare import function
from ...tensor import Tensor
from .mean_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from .resample_kernels import Taps, _resampled, _unresampled, variant


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


WEIGHT_BITS = 22
"""What weights of whole numbers have at most; PyTorch takes both from Pillow."""


def _whole_weights(weight):
    """Weights as whole numbers of 16 bits, and by how many bits they are shifted."""
    largest, bits = weight.max(), 0
    while bits < WEIGHT_BITS and int(0.5 + largest * (1 << (bits + 1))) < 1 << 15:
        bits += 1
    return np.trunc(weight * (1 << bits) + np.copysign(0.5, weight)).astype(np.int64), bits


def _resampled_bytes(array, plan):
    """An image of bytes in another size, one dimension after the other, the last one first, each rounded to bytes."""
    for axis, taps in ((-1, plan[1]), (-2, plan[0])):
        weights, bits = _whole_weights(taps.matrix(np.float64))  # at the border, several taps are one
        sums = (np.moveaxis(array, axis, -1).astype(np.int64) @ weights.T + (1 << (bits - 1))) >> bits
        array = np.moveaxis(np.clip(sums, 0, 255).astype(np.uint8), -1, axis)
    return np.ascontiguousarray(array)


def _interpolating(mode):
    """The formula and the rule of an interpolation."""

    def forward(self, output_size, align_corners, scales):
        """The image in another size."""
        plan = interpolation_plan(mode, self.shape, output_size, align_corners, scales)
        if self.dtype.kind in dtypes.INEXACT or mode.startswith("nearest"):
            return _resampled._op.forward(self, plan)
        if len(plan) == 2:
            return _resampled_bytes(self, plan)
        return np.clip(np.rint(_resampled._op.forward(self.astype(np.float64), plan)), 0, 255).astype(self.dtype)

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
        self=_rule, shows=_shown_scales(_mode, _dims), fused=True, layout="channels",
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
        return tuple(index(n) for n in size), None
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
    if input._array.dtype.kind not in dtypes.INEXACT and input._array.dtype != np.uint8:
        name = operation._op.name + ("_channels_last" if n == 4 else "")
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
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", UserWarning, stacklevel=beyond(3)
    )
