"""Fake quantization: numbers rounded to what integers with a scale can be, for networks to learn so (Jacob et al., 2018)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compat.signatures import invalid_combination
from ...dtypes import SCALAR_NAMES, bfloat16, float16, float32, int32
from ...op.declare import function, op
from ...tensor import Tensor
from ..shape.dimensions import wrap_dim
from .activation import floating_only

FORMULA = r"{scale} \left( \mathrm{{clamp}}(\mathrm{{round}}({self} / {scale}) + {zero_point}) - {zero_point} \right)"


def _kept(steps, zero_point, quant_min, quant_max):
    """Integers in range, counted from the one for zero, and where they were in range: there the gradient passes unchanged."""
    # NaN is brought to the least.
    return np.fmin(np.fmax(steps, quant_min), quant_max) - zero_point, (quant_min <= steps) & (steps <= quant_max)


def _steps(self, scale):
    return self.astype(np.promote_types(self.dtype, np.float32)) * (np.float32(1) / scale)


def _by_one(self, scale, zero_point, quant_min, quant_max):
    scale = np.float32(scale)
    kept, mask = _kept(np.rint(_steps(self, scale)) + zero_point, zero_point, quant_min, quant_max)
    return (kept.astype(np.float32) * scale).astype(self.dtype), mask


@op(FORMULA, self=lambda grad, mask: grad * mask, outputs=("output", "mask"), traits="elementwise")
def fake_quantize_per_tensor_affine_cachemask(self, scale, zero_point, quant_min, quant_max):
    """Rounded to whole multiples of one scale."""
    return _by_one(self, scale, zero_point, quant_min, quant_max)


@op(
    FORMULA,
    self=lambda grad, mask: grad * mask,
    scale=None,
    zero_point=None,
    broadcast=(),
    outputs=("output", "mask"),
    node="FakeQuantizePerTensorAffineCachemaskTensorQparamsBackward0",
    name="fake_quantize_per_tensor_affine_cachemask",
)
def _fake_quantize_per_tensor_affine_cachemask_tensor_qparams(self, scale, zero_point, quant_min, quant_max):
    """Rounded to whole multiples of one scale, which a tensor has."""
    return _by_one(self, scale.item(), int(zero_point.item()), quant_min, quant_max)


@op(
    FORMULA,
    self=lambda grad, mask: grad * mask,
    scale=None,
    zero_point=None,
    broadcast=(),
    outputs=("output", "mask"),
)
def fake_quantize_per_channel_affine_cachemask(self, scale, zero_point, axis, quant_min, quant_max):
    """Rounded to whole multiples of a scale of each channel."""
    shape = [1] * self.ndim
    shape[axis] = -1
    scale, zero = (x.astype(np.float32).reshape(shape) for x in (scale, zero_point))
    steps = _steps(self, scale)
    steps = np.rint(steps) + zero if zero_point.dtype.kind == "i" else np.rint(steps + zero)
    # As 64-bit integers, infinities and what is too large are the least.
    kept, mask = _kept(np.where(np.abs(steps) < 2.0**63, steps, -np.inf), zero, quant_min, quant_max)
    return (kept * scale).astype(self.dtype), mask


def _checked(input: Tensor, zero_point: Any, quant_min: int, quant_max: int, kernel: str) -> None:
    if quant_min > quant_max:
        raise RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")
    if np.any((zero_point < quant_min) | (zero_point > quant_max)):
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")
    floating_only(f"{kernel}_type_handling", input)


@function
def fake_quantize_per_tensor_affine(
    input: Tensor, scale: Tensor | float, zero_point: Tensor | int, quant_min: int, quant_max: int
) -> Tensor:
    """Rounded to what an integer from `quant_min` to `quant_max` can be with this scale, and this integer for zero."""
    whole = zero_point.item() if isinstance(zero_point, Tensor) else zero_point
    if isinstance(zero_point, float):
        raise invalid_combination("fake_quantize_per_tensor_affine", input, scale, zero_point, quant_min, quant_max)
    number = scale.item() if isinstance(scale, Tensor) else scale
    _checked(input, np.asarray(int(whole)), quant_min, quant_max, "fake_quantize_tensor_cachemask_kernel")
    if isinstance(scale, Tensor) and isinstance(zero_point, Tensor):
        return _fake_quantize_per_tensor_affine_cachemask_tensor_qparams(input, scale, zero_point, quant_min, quant_max)[0]
    return fake_quantize_per_tensor_affine_cachemask(input, number, int(whole), quant_min, quant_max)[0]


@function
def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """Rounded as by `fake_quantize_per_tensor_affine`, with a scale and an integer for zero at each place along `axis`."""
    if scale.dtype not in (float32, bfloat16):
        raise RuntimeError(f"Scale must be Float or BFloat16, found {SCALAR_NAMES[scale.dtype]}")
    if zero_point.dtype not in (int32, float32, float16):
        raise RuntimeError(f"Zero-point must be Int32, Float or Half, found {SCALAR_NAMES[zero_point.dtype]}")
    for name, given in (("scale", scale), ("zero point", zero_point)):
        if given._array.ndim != 1:
            raise RuntimeError(f"{name} should be a 1-D tensor")
    if scale._array.size != zero_point._array.size:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if scale._array.size != input._array.shape[wrap_dim(axis, input._array.ndim)]:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    if axis < 0:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    _checked(input, zero_point._array, quant_min, quant_max, "fake_quantize_channel_cachemask_cpu")
    return fake_quantize_per_channel_affine_cachemask(input, scale, zero_point, axis, quant_min, quant_max)[0]
