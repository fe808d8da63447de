"""Images cut into the blocks of a sliding window, and blocks added back: unfold and fold."""

from __future__ import annotations

from math import prod
from operator import index
from typing import Any

import numpy as np

from ...bounded_strides import strided
from ...op.declare import function, op
from ...tensor import Tensor


def _pair(value: Any, name: str) -> tuple[int, ...]:
    values = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(values) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(values)}")
    return tuple(index(v) for v in values)


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
