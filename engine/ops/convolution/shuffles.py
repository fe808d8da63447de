"""Channels moved into space and back, and channels dealt out: pixel and channel shuffles."""

from __future__ import annotations

import numpy as np

from ...op.declare import function, op
from ...tensor import Tensor


@op(
    r"\mathrm{{shuffle}}({self})",
    self=lambda grad, upscale_factor: _pixel_unshuffle(grad, upscale_factor),
    node="PixelShuffleBackward0",
    name="pixel_shuffle",
    layout="channels",
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
    layout="channels",
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
    layout="channels",
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
