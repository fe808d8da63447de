"""Convolutions and transposed convolutions in one, two and three dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...op.declare import function, op
from ...tensor import Tensor
from ..reduction.sums import _sum_dim
from ..shape.reshaping import _permute, _squeeze_dim, unsqueeze
from .correlation import Geometry, coarse_of, fine_of, kernels_of
from .padding import _constant_pad

# --- operations ------------------------------------------------------------------------------------------------------------


@op(
    r"{weight} \star {self}",
    traits="product",
    self=lambda grad, weight, geometry: _fine(grad, weight, geometry),
    weight=lambda grad, self, geometry: _kernels(self, grad, geometry),
    broadcast=(),
    node="ConvolutionBackwardBackward0",
    name="convolution_backward",
)
def _coarse(self, weight, geometry):
    """The convolution of the fine side with the kernels."""
    return coarse_of(self, weight, geometry)


@op(
    r"{weight}^T \star {self}",
    self=lambda grad, weight, geometry: _coarse(grad, weight, geometry),
    weight=lambda grad, self, geometry: _kernels(grad, self, geometry),
    broadcast=(),
    node="ConvolutionBackwardBackward0",
    name="convolution_backward",
)
def _fine(self, weight, geometry):
    """The transposed convolution of the coarse side with the kernels."""
    return fine_of(self, weight, geometry)


@op(
    r"{other} \star {self}",
    self=lambda grad, other, geometry: _fine(other, grad, geometry),
    other=lambda grad, self, geometry: _coarse(self, grad, geometry),
    broadcast=(),
    node="ConvolutionBackwardBackward0",
    name="convolution_backward",
)
def _kernels(self, other, geometry):
    """The products of the fine side and the coarse side, summed for each element of the kernels."""
    return kernels_of(self, other, geometry)


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
    return _sum_dim(grad, (0, *range(2, grad.ndim)), False)


@op(
    r"{weight} \star {input} + {bias}",
    traits="product convolution",
    input=lambda grad, weight, input_sym_sizes, stride, padding, dilation, transposed, output_padding, groups: input_slopes(
        grad, weight, input_sym_sizes, stride, padding, dilation, transposed, output_padding, groups
    ),
    weight=lambda grad, input, weight_sym_sizes, stride, padding, dilation, transposed, output_padding, groups: weight_slopes(
        grad, input, weight_sym_sizes, stride, padding, dilation, transposed, output_padding, groups
    ),
    bias=lambda grad: bias_slopes(grad),
    broadcast=(),
    node="ConvolutionBackward0",
    name="convolution",
    shows={
        "bias_sym_sizes": None,
        "input_sym_sizes": None,
        "weight_sym_sizes": None,
        "bias_sym_sizes_opt": lambda get: get("shapes")[0][1:2] if get("edges")[2][0] else (0,),
    },
)
def _convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """A convolution, or a transposed one, of (N, C, *spatial)."""
    geometry = geometry_of(input.shape, weight.shape, stride, padding, dilation, transposed, output_padding, groups)
    out = (fine_of if transposed else coarse_of)(input, weight, geometry)
    if bias is not None:
        out += bias.reshape(-1, *[1] * len(stride))
    return out


# --- arguments and their checks --------------------------------------------------------------------------------------------


def _each(value: Any, dims: int, name: str) -> tuple[int, ...]:
    """One number for all dimensions, or one each."""
    values = tuple(value) if isinstance(value, tuple | list) else (value,)
    for v in values:
        if not isinstance(v, int | np.integer | Tensor):
            raise TypeError(f"convolution(): argument '{name}' must be tuple of ints, not {type(v).__name__}")
    if len(values) not in (1, dims):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {dims} values to match the convolution dimensions, "
            f"but got {name}={list(values)}"
        )
    return tuple(int(v) for v in (values * dims if len(values) == 1 else values))


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
            kinds = [dtypes.CPP_NAMES[t.dtype] for t in (input, other)]
            raise RuntimeError(f"Input type ({kinds[0]}) and bias type ({kinds[1]}) should be the same")
        kinds = [dtypes.SCALAR_NAMES[t.dtype] for t in (input, weight)]
        raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")


def _check_shapes(x, w, bias, geometry, transposed):
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
            f"Given {given}, weight of size {shape}, expected input{list(x)} to have {wanted} channels, but got {x[1]} "
            "channels instead"
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
    if input._array.dtype == np.bool_:
        raise NotImplementedError(f"\"slow_conv{dims}d_cpu\" not implemented for 'Bool'")
    if len(w) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if single:
        input = unsqueeze(input, 0)
    if transposed and isinstance(stride, int):
        stride = (stride,) * dims
    dims = len(w) - 2
    stride, dilation = _each(stride, dims, "stride"), _each(dilation, dims, "dilation")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        if len(input._array.shape) != len(w):
            raise RuntimeError(
                f"Expected {len(w)}-dimensional input for {len(w)}-dimensional weight{list(w)}, but got "
                f"{len(input._array.shape)}-dimensional input of size {list(input._array.shape)} instead"
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
    _check_shapes(input._array.shape, w, None if bias is None else bias._array.shape, geometry, transposed)
    if transposed:
        _check_output_padding(output_padding, stride, dilation)
    out = _convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    return _squeeze_dim(out, 0) if single else out


@function(traits="product convolution")
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


@function(traits="product convolution")
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


@function(traits="product convolution")
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


@function(traits="product")
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


@function(traits="product")
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


@function(traits="product")
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
    traits="product",
    self=lambda grad, weight, self_sym_sizes, pad: tbc_input_slopes(grad, weight, self_sym_sizes, pad),
    weight=lambda grad, self, weight_sym_sizes, pad: tbc_weight_slopes(grad, self, weight_sym_sizes, pad),
    bias=lambda grad: _sum_dim(grad, (0, 1), False),
    broadcast=(),
    node="ConvTbcBackward0",
    name="conv_tbc",
)
def _conv_tbc(self, weight, bias, pad):
    """A convolution of (time, batch, channels)."""
    geometry = tbc_geometry(self.shape, weight.shape, pad)
    out = coarse_of(self.transpose(1, 2, 0), weight.transpose(2, 1, 0), geometry)
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
