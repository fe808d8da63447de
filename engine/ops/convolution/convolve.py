"""Convolutions and transposed convolutions in one, two and three dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...context import context
from ...op.declare import family, function, op
from ...op.slow_path import autocast
from ...tensor import Tensor
from ..reduction.sums import _sum_dim
from ..shape.permute import _permute
from ..shape.reshaping import _squeeze_dim, unsqueeze
from .convolution_checks import _check_dtypes, _check_output_padding, _check_shapes, _each, _same
from .correlation import Geometry, coarse_of, fine_of, kernels_of


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
    fused=True,
    node="ConvolutionBackward0",
    name="convolution",
    layout="any_channels",
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
    if context.fast is not None:
        input, weight, bias = autocast(input, weight, bias)
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


def _conv(dims: int) -> Any:
    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        """Convolution of {shape} with kernels (O, C / groups, {k})."""
        return _convolve(f"conv{dims}d", input, weight, bias, stride, padding, dilation, groups)

    return conv


conv1d, conv2d, conv3d = family("conv{dims}d", _conv, traits="product convolution")


def _conv_transpose(dims: int) -> Any:
    def conv_transpose(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Tensor:
        """Transposed convolution of {shape} with kernels (C, O / groups, {k})."""
        name = f"conv_transpose{dims}d"
        return _convolve(name, input, weight, bias, stride, padding, dilation, groups, output_padding, transposed=True)

    return conv_transpose


conv_transpose1d, conv_transpose2d, conv_transpose3d = family("conv_transpose{dims}d", _conv_transpose, traits="product")


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
