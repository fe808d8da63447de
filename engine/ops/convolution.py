"""Convolutions and transposed convolutions in one, two and three dimensions.

A convolution ties three arrays together: the fine side x (N, C, *fine), the kernels w (O, C / groups, *kernel) and the coarse
side y (N, O, *coarse). Given two of them there is one natural third, linear in each:

    coarse(x, w)    what a convolution computes
    fine(y, w)      what a transposed convolution computes
    kernels(x, y)   what the gradient of the kernels is

and the derivatives of each of the three are the other two.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from engine import dtypes
from engine.op import function, op
from engine.ops.padding import _constant_pad
from engine.ops.shape import _permute, _squeeze_dim, _sum_axes, unsqueeze
from engine.tensor import Tensor

CHUNK = 1 << 18
"""How many elements of windows are laid out at a time, so that they are still in the cache when they are multiplied."""


class Geometry(NamedTuple):
    """Which places of the coarse side meet which places of the fine side."""

    fine: tuple[int, ...]
    coarse: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int


# --- the three linear maps on arrays ---------------------------------------------------------------------------------------


def _padded(x, padding, extra=None):
    """The array with zeros around its trailing dimensions."""
    if not any(padding) and extra is None:
        return x
    spatial = x.shape[2:]
    out = np.zeros((*x.shape[:2], *(n + 2 * p for n, p in zip(spatial, padding, strict=True))), x.dtype)
    out[(..., *(slice(p, p + n) for n, p in zip(spatial, padding, strict=True)))] = x
    return out


def _columns(x, geometry) -> Iterator[tuple[slice, Any]]:
    """The windows of a padded x as matrices (n, groups, C / groups * kernel, places), a few samples at a time."""
    _, coarse, kernel, stride, _, dilation, groups = geometry
    n, c = x.shape[:2]
    channels = c // groups
    rows, places = channels * prod(kernel), prod(coarse)
    s = x.strides
    windows = as_strided(
        x,
        (n, groups, channels, *kernel, *coarse),
        (
            s[0],
            s[1] * channels,
            s[1],
            *[a * d for a, d in zip(s[2:], dilation, strict=True)],
            *[a * d for a, d in zip(s[2:], stride, strict=True)],
        ),
    )
    step = max(1, min(n, CHUNK // max(groups * rows * places, 1)))
    for k in range(0, n, step):
        some = slice(k, min(k + step, n))
        yield some, windows[some].reshape(some.stop - k, groups, rows, places)


def _coarse_of(x, w, geometry):
    n, o, groups = x.shape[0], w.shape[0], geometry.groups
    out = np.empty((n, groups, o // groups, prod(geometry.coarse)), np.result_type(x, w))
    matrix = w.reshape(groups, o // groups, -1)
    for some, columns in _columns(_padded(x, geometry.padding), geometry):
        np.matmul(matrix, columns, out=out[some])
    return out.reshape(n, o, *geometry.coarse)


def _fine_of(y, w, geometry):
    fine, coarse, kernel, stride, padding, dilation, groups = geometry
    n, o = y.shape[:2]
    channels = w.shape[1]
    margin = tuple([d * (k - 1) - p for d, k, p in zip(dilation, kernel, padding, strict=True)])
    ones = all(s == 1 for s in stride)
    if ones and min(margin) >= 0 and o <= 3 * channels * groups:
        # Without strides it is the convolution of y with the kernels turned around.
        turned = w.reshape(groups, o // groups, channels, *kernel).swapaxes(1, 2)
        turned = turned[(..., *[slice(None, None, -1)] * len(kernel))].reshape(groups * channels, o // groups, *kernel)
        if all(c + 2 * m - d * (k - 1) == f for f, c, m, d, k in zip(fine, coarse, margin, dilation, kernel, strict=True)):
            return _coarse_of(y, turned, geometry._replace(fine=coarse, coarse=fine, padding=margin))
    places = prod(coarse)
    out = np.zeros((n, groups * channels, *(f + 2 * p for f, p in zip(fine, padding, strict=True))), np.result_type(y, w))
    matrix = w.reshape(groups, o // groups, -1).swapaxes(1, 2)
    y = y.reshape(n, groups, o // groups, places)
    step = max(1, min(n, CHUNK // max(groups * channels * prod(kernel) * places, 1)))
    for i in range(0, n, step):
        parts = np.matmul(matrix, y[i : i + step]).reshape(-1, groups * channels, *kernel, *coarse)
        target = out[i : i + step]
        for k in np.ndindex(*kernel):
            target[_places(k, geometry)] += parts[(slice(None), slice(None), *k)]
    return out[(..., *(slice(p, p + f) for f, p in zip(fine, padding, strict=True)))] if any(padding) else out


def _places(k, geometry):
    """The places of the padded fine side that one element of the kernel meets."""
    return (
        ...,
        *[
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, d, s, n in zip(k, geometry.dilation, geometry.stride, geometry.coarse, strict=True)
        ],
    )


def _kernels_of(x, y, geometry):
    n, o, groups = y.shape[0], y.shape[1], geometry.groups
    out = np.zeros((groups, o // groups, x.shape[1] // groups * prod(geometry.kernel)), np.result_type(x, y))
    y = y.reshape(n, groups, o // groups, -1)
    for some, columns in _columns(_padded(x, geometry.padding), geometry):
        part = np.matmul(y[some], columns.swapaxes(2, 3))
        for p in part:
            out += p
    return out.reshape(o, x.shape[1] // groups, *geometry.kernel)


# --- operations ------------------------------------------------------------------------------------------------------------


@op(
    r"{weight} \star {self}",
    self=lambda grad, weight, geometry: _fine(grad, weight, geometry),
    weight=lambda grad, self, geometry: _kernels(self, grad, geometry),
    promote=(),
    node="ConvolutionBackwardBackward0",
    name="convolution_backward",
)
def _coarse(self, weight, geometry):
    """The convolution of the fine side with the kernels."""
    return _coarse_of(self, weight, geometry)


@op(
    r"{weight}^T \star {self}",
    self=lambda grad, weight, geometry: _coarse(grad, weight, geometry),
    weight=lambda grad, self, geometry: _kernels(grad, self, geometry),
    promote=(),
    node="ConvolutionBackwardBackward0",
    name="convolution_backward",
)
def _fine(self, weight, geometry):
    """The transposed convolution of the coarse side with the kernels."""
    return _fine_of(self, weight, geometry)


@op(
    r"{other} \star {self}",
    self=lambda grad, other, geometry: _fine(other, grad, geometry),
    other=lambda grad, self, geometry: _coarse(self, grad, geometry),
    promote=(),
    node="ConvolutionBackwardBackward0",
    name="convolution_backward",
)
def _kernels(self, other, geometry):
    """The products of the fine side and the coarse side, summed for each element of the kernels."""
    return _kernels_of(self, other, geometry)


def geometry_of(sizes, kernels, stride, padding, dilation, transposed, output_padding, groups):
    """How an input of `sizes` meets kernels of shape `kernels`."""
    kernel = tuple(kernels[2:])
    given = tuple(sizes[2:])
    terms = zip(given, kernel, stride, padding, dilation, output_padding, strict=True)
    if transposed:
        made = tuple([(n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, k, s, p, d, o in terms])
        return Geometry(made, given, kernel, stride, padding, dilation, groups)
    made = tuple([(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d, _ in terms])
    return Geometry(given, made, kernel, stride, padding, dilation, groups)


def input_slopes(grad, weight, sizes, stride, padding, dilation, transposed, output_padding, groups):
    """The gradient with respect to the input."""
    geometry = geometry_of(sizes, weight.shape, stride, padding, dilation, transposed, output_padding, groups)
    return _coarse(grad, weight, geometry) if transposed else _fine(grad, weight, geometry)


def weight_slopes(grad, self, sizes, stride, padding, dilation, transposed, output_padding, groups):
    """The gradient with respect to the kernels."""
    geometry = geometry_of(self.shape, sizes, stride, padding, dilation, transposed, output_padding, groups)
    return _kernels(grad, self, geometry) if transposed else _kernels(self, grad, geometry)


def bias_slopes(grad):
    """The gradient with respect to the bias."""
    return _sum_axes(grad, (0, *range(2, grad.ndim)), False)


@op(
    r"{weight} \star {input} + {bias}",
    input=lambda grad, weight, input_sym_sizes, stride, padding, dilation, transposed, output_padding, groups: input_slopes(
        grad, weight, input_sym_sizes, stride, padding, dilation, transposed, output_padding, groups
    ),
    weight=lambda grad, input, weight_sym_sizes, stride, padding, dilation, transposed, output_padding, groups: weight_slopes(
        grad, input, weight_sym_sizes, stride, padding, dilation, transposed, output_padding, groups
    ),
    bias=lambda grad: bias_slopes(grad),
    promote=(),
    node="ConvolutionBackward0",
    name="convolution",
)
def _convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """A convolution, or a transposed one, of (N, C, *spatial)."""
    geometry = geometry_of(input.shape, weight.shape, stride, padding, dilation, transposed, output_padding, groups)
    out = (_fine_of if transposed else _coarse_of)(input, weight, geometry)
    if bias is not None:
        out += bias.reshape(-1, *[1] * len(stride))
    return out


# --- arguments and their checks --------------------------------------------------------------------------------------------


def _each(value: Any, dims: int, name: str) -> tuple[int, ...]:
    """One number for all dimensions, or one each."""
    values = tuple(value) if isinstance(value, tuple | list) else (value,)
    if len(values) not in (1, dims):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {dims} values to match the convolution dimensions, "
            f"but got {name}={list(values)}"
        )
    return tuple(int(v) for v in (values * dims if len(values) == 1 else values))


_WORDS = {"float32": "float", "float64": "double", "float16": "c10::Half", "int64": "long int", "int32": "int", "bool": "bool"}


def _check_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None, transposed: bool) -> None:
    x, w = input._array.dtype, weight._array.dtype
    for name, other in (("weight", weight), ("bias", bias)):
        if other is None or other._array.dtype == x:
            continue
        if x.kind == "f" and (name == "weight" or transposed):
            kinds = [f"torch.{dtypes.SCALAR_NAMES[t.dtype]}Tensor" for t in (input, other)]
            raise RuntimeError(
                f"Input type ({kinds[0]}) and {name} type ({kinds[1]}) should be the same or input should be a MKLDNN tensor "
                f"and {name} is a dense tensor"
            )
        if name == "bias" or (x.kind != "f" and bias is not None and bias._array.dtype == w):
            y = other._array.dtype
            raise RuntimeError(f"Input type ({_WORDS.get(x.name, x.name)}) and bias type ({_WORDS.get(y.name, y.name)}) should be the same")
        kinds = [dtypes.SCALAR_NAMES[t.dtype] for t in (input, weight)]
        raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")


def _check_shapes(x, w, bias, geometry, transposed, output_padding):
    """PyTorch's complaints about shapes that do not go together, in its order."""
    g = geometry.groups
    shape = list(w)
    if len(w) != len(x):
        raise RuntimeError(
            f"Expected {len(w)}-dimensional input for {len(w)}-dimensional weight {shape}, but got {len(x)}-dimensional input "
            f"of size {list(x)} instead"
        )
    if w[0] < g:
        raise RuntimeError(
            f"Given groups={g}, expected weight to be at least {g} at dimension 0, but got weight of size {shape} instead"
        )
    if w[0] % g:
        raise RuntimeError(
            f"Given groups={g}, expected weight to be divisible by {g} at dimension 0, but got weight of size [{shape}] instead"
        )
    given, wanted, made = ("transposed=1", w[0], w[1] * g) if transposed else (f"groups={g}", w[1] * g, w[0])
    if x[1] != wanted:
        raise RuntimeError(
            f"Given {given}, weight of size {shape}, expected input{list(x)} to have {wanted} channels, but got {x[1]} channels "
            "instead"
        )
    if bias is not None and bias != (made,):
        raise RuntimeError(
            f"Given {'transposed=1, ' if transposed else ''}weight of size {shape}, expected bias to be 1-dimensional with "
            f"{made} elements, but got bias of size {list(bias)} instead"
        )
    if transposed:
        return
    sizes = [n + 2 * p for n, p in zip(x[2:], geometry.padding, strict=True)]
    reach = [d * (k - 1) + 1 for d, k in zip(geometry.dilation, w[2:], strict=True)]
    if any(n < r for n, r in zip(sizes, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, sizes))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )


_SIDES = {1: ("",), 2: ("height", "width"), 3: ("depth", "height", "width")}


def _check_output_padding(padding: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> None:
    if all(p < s or p < d for p, s, d in zip(padding, stride, dilation, strict=True)):
        return
    sides = ("height", "width") if len(padding) < 3 else ("depth", "height", "width")
    named = []
    for what, values in (("output_padding", padding), ("stride", stride), ("dilation", dilation)):
        fill = 0 if what == "output_padding" else 1
        values = (fill, *values) if len(values) == 1 else values
        named += [f"{what}_{side}: {v}" for side, v in zip(sides, values, strict=True)]
    raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(named)}")


def _same(input, weight, stride, dilation):
    """Padding that keeps the size; where the two sides cannot be equal, the input comes back with one more zero at the end."""
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for d, k in zip(dilation, weight._array.shape[2:], strict=True)]
    if any(t % 2 for t in totals):
        extra: list[int] = []
        for t in reversed(totals):
            extra += [0, t % 2]
        input = _constant_pad(input, tuple(extra), 0)
    return input, tuple(t // 2 for t in totals)


def _convolve(
    name: str,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    output_padding: Any = 0,
    transposed: bool = False,
) -> Tensor:
    for position, (what, value) in enumerate((("input", input), ("weight", weight)), 1):
        if not isinstance(value, Tensor):
            raise TypeError(f"{name}(): argument '{what}' (position {position}) must be Tensor, not {type(value).__name__}")
    dims = int(name[-2])
    x, w = input._array.shape, weight._array.shape
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    single = len(x) == dims + 1
    if not single and len(x) != dims + 2:
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: {list(x)}"
        )
    _check_dtypes(input, weight, bias, transposed)
    if len(w) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if single:
        input = unsqueeze(input, 0)
    dims = len(w) - 2
    stride, dilation = _each(stride, dims, "stride"), _each(dilation, dims, "dilation")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        if len(input._array.shape) != len(w):
            raise RuntimeError(
                f"Expected {len(w)}-dimensional input for {len(w)}-dimensional weight{list(w)}, but got {len(input._array.shape)}-dimensional input of size "
                f"{list(input._array.shape)} instead"
            )
        input, padding = _same(input, weight, stride, dilation) if padding == "same" else (input, (0,) * dims)
    else:
        padding = _each(padding, dims, "padding")
    output_padding = _each(output_padding, dims, "output_padding")
    if any(p < 0 for p in padding):
        raise RuntimeError("negative padding is not supported")
    if any(p < 0 for p in output_padding):
        raise RuntimeError("negative output_padding is not supported")
    if any(s <= 0 for s in stride):
        raise RuntimeError("non-positive stride is not supported")
    if any(d <= 0 for d in dilation):
        raise RuntimeError("dilation should be greater than zero")
    geometry = Geometry((), (), (), stride, padding, dilation, groups)
    _check_shapes(input._array.shape, w, None if bias is None else bias._array.shape, geometry, transposed, output_padding)
    if transposed:
        _check_output_padding(output_padding, stride, dilation)
    out = _convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    return _squeeze_dim(out, 0) if single else out


@function
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of (N, C, L) or (C, L) with kernels (O, C / groups, k)."""
    return _convolve("conv1d", input, weight, bias, stride, padding, dilation, groups)


@function
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of (N, C, H, W) or (C, H, W) with kernels (O, C / groups, k, k)."""
    return _convolve("conv2d", input, weight, bias, stride, padding, dilation, groups)


@function
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of (N, C, D, H, W) or (C, D, H, W) with kernels (O, C / groups, k, k, k)."""
    return _convolve("conv3d", input, weight, bias, stride, padding, dilation, groups)


@function
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution of (N, C, L) or (C, L) with kernels (C, O / groups, k)."""
    return _convolve(
        "conv_transpose1d", input, weight, bias, stride, padding, dilation, groups, output_padding, transposed=True
    )


@function
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution of (N, C, H, W) or (C, H, W) with kernels (C, O / groups, k, k)."""
    return _convolve(
        "conv_transpose2d", input, weight, bias, stride, padding, dilation, groups, output_padding, transposed=True
    )


@function
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution of (N, C, D, H, W) or (C, D, H, W) with kernels (C, O / groups, k, k, k)."""
    return _convolve(
        "conv_transpose3d", input, weight, bias, stride, padding, dilation, groups, output_padding, transposed=True
    )


def tbc_geometry(sizes, kernels, pad):
    """The geometry of a convolution of (time, batch, channels)."""
    return geometry_of((0, 0, sizes[0]), (0, 0, kernels[0]), (1,), (pad,), (1,), False, (0,), 1)


def tbc_input_slopes(grad, weight, sizes, pad):
    """The gradient with respect to the input, (time, batch, channels)."""
    geometry = tbc_geometry(sizes, weight.shape, pad)
    return _permute(_fine(_permute(grad, (1, 2, 0)), _permute(weight, (2, 1, 0)), geometry), (2, 0, 1))


def tbc_weight_slopes(grad, self, sizes, pad):
    """The gradient with respect to the kernels, (k, C, O)."""
    geometry = tbc_geometry(self.shape, sizes, pad)
    return _permute(_kernels(_permute(self, (1, 2, 0)), _permute(grad, (1, 2, 0)), geometry), (2, 1, 0))


@op(
    r"{weight} \star {self} + {bias}",
    self=lambda grad, weight, self_sym_sizes, pad: tbc_input_slopes(grad, weight, self_sym_sizes, pad),
    weight=lambda grad, self, weight_sym_sizes, pad: tbc_weight_slopes(grad, self, weight_sym_sizes, pad),
    bias=lambda grad: _sum_axes(grad, (0, 1), False),
    promote=(),
    node="ConvTbcBackward0",
    name="conv_tbc",
)
def _conv_tbc(self, weight, bias, pad):
    """A convolution of (time, batch, channels)."""
    geometry = tbc_geometry(self.shape, weight.shape, pad)
    out = _coarse_of(self.transpose(1, 2, 0), weight.transpose(2, 1, 0), geometry)
    return out.transpose(2, 0, 1) + bias


@function
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolution of (time, batch, channels) with kernels (k, C, O)."""
    if input._array.ndim != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight._array.ndim != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias._array.ndim != 1:
        raise RuntimeError("Bias must be 1-D")
    if input._array.shape[2] != weight._array.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight._array.shape[2] != bias._array.shape[0]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    return _conv_tbc(input, weight, bias, pad)
