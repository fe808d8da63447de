"""What is asked of a convolution's arguments: their forms, dtypes, shapes and paddings, in PyTorch's words."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from ... import dtypes
from ...tensor import Tensor
from .padding import _constant_pad


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
    return tuple(index(v) for v in (values * dims if len(values) == 1 else values))


def _check_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None, transposed: bool) -> None:
    x, w = input._array.dtype, weight._array.dtype
    for name, other in (("weight", weight), ("bias", bias)):
        if other is None or other._array.dtype == x:
            continue
        if x.kind in dtypes.INEXACT and (name == "weight" or transposed):
            kinds = [f"torch.{dtypes.SCALAR_NAMES[t.dtype]}Tensor" for t in (input, other)]
            raise RuntimeError(
                f"Input type ({kinds[0]}) and {name} type ({kinds[1]}) should be the same or input should be a MKLDNN tensor "
                f"and {name} is a dense tensor"
            )
        if name == "bias" or (x.kind not in dtypes.INEXACT and bias is not None and bias._array.dtype == w):
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
