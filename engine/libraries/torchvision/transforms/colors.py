"""Brightness, contrast, saturation, hue: of tensors (…, 3, H, W) as torchvision computes them, of pictures as Pillow does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....itself import engine as torch
from ....tensor import Tensor
from ...PIL.Image import Image, mixed

WEIGHTS = (0.2989, 0.587, 0.114)
"""How much red, green and blue count in the grey of a tensor."""


def largest(dtype: Any) -> float:
    """The value of white."""
    return 1.0 if dtype.is_floating_point else float(torch.iinfo(dtype).max)


def rgb_to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Grey, in one channel or in three alike."""
    if isinstance(img, Image):
        return img.convert("L") if num_output_channels == 1 else img.convert("L").convert("RGB")
    grey = img
    if img.shape[-3] == 3:
        red, green, blue = img.unbind(dim=-3)
        grey = (WEIGHTS[0] * red + WEIGHTS[1] * green + WEIGHTS[2] * blue).to(img.dtype).unsqueeze(dim=-3)
    return grey.expand(img.shape) if num_output_channels == 3 else grey


def _blended(img: Any, other: Any, factor: float) -> Any:
    if isinstance(img, Image):
        return Image(mixed(other, img._pixels, factor), img.mode)
    return (factor * img + (1.0 - factor) * other).clamp(0, largest(img.dtype)).to(img.dtype)


def _checked(name: str, factor: float) -> float:
    if factor < 0:
        raise ValueError(f"{name} ({factor}) is not non-negative.")
    return float(factor)


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Towards black (0) or away from it."""
    factor = _checked("brightness_factor", brightness_factor)
    return _blended(img, torch.zeros_like(img) if isinstance(img, Tensor) else np.zeros_like(img._pixels), factor)


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Towards the mean grey (0) or away from it."""
    factor = _checked("contrast_factor", contrast_factor)
    if isinstance(img, Image):
        mean = int(img.convert("L")._pixels.mean() + 0.5)
        return _blended(img, np.full_like(img._pixels, mean), factor)
    dtype = img.dtype if img.is_floating_point() else torch.float32
    return _blended(img, rgb_to_grayscale(img).to(dtype).mean(dim=(-3, -2, -1), keepdim=True), factor)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Towards grey (0) or away from it."""
    factor = _checked("saturation_factor", saturation_factor)
    if isinstance(img, Image):
        return img if img.mode == "L" else _blended(img, img.convert("L").convert(img.mode)._pixels, factor)
    return img if img.shape[-3] == 1 else _blended(img, rgb_to_grayscale(img), factor)


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """The colours turned around the circle by a part of it."""
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    if isinstance(img, Image):
        if img.mode != "RGB":
            return img
        turned = _turned(np.moveaxis(img._pixels, 2, 0) / 255.0, hue_factor)
        return Image(np.ascontiguousarray(np.moveaxis(np.floor(turned * 255 + 0.5).astype(np.uint8), 0, 2)), "RGB")
    if img.shape[-3] == 1:
        return img
    values = img.detach().numpy()
    scaled = values if img.is_floating_point() else values / np.float32(largest(img.dtype))
    turned = _turned(np.moveaxis(scaled, -3, 0), hue_factor)
    made = torch.from_numpy(np.ascontiguousarray(np.moveaxis(turned.astype(scaled.dtype), 0, -3)))
    return made if img.is_floating_point() else made.mul(largest(img.dtype) + 1.0 - 1e-3).to(img.dtype)


def _turned(rgb: Any, factor: float) -> Any:
    """Colours (3, …) between 0 and 1 with their hue turned."""
    top, bottom = rgb.max(0), rgb.min(0)
    spread = top - bottom
    flat = spread == 0
    saturation = spread / np.where(flat, 1, top)
    red, green, blue = (top - rgb) / np.where(flat, 1, spread)
    hue = np.select([top == rgb[0], top == rgb[1]], [blue - green, 2.0 + red - blue], 4.0 + green - red)
    hue = ((hue / 6.0 + 1.0) % 1.0 + factor) % 1.0
    sector = np.floor(hue * 6.0)
    part = hue * 6.0 - sector
    low = np.clip(top * (1.0 - saturation), 0, 1)
    falling = np.clip(top * (1.0 - saturation * part), 0, 1)
    rising = np.clip(top * (1.0 - saturation * (1.0 - part)), 0, 1)
    which = sector.astype(int) % 6
    reds = (top, falling, low, low, rising, top)
    greens = (rising, top, top, falling, low, low)
    blues = (low, low, rising, top, top, falling)
    return np.stack([np.choose(which, choices) for choices in (reds, greens, blues)])


def adjust_gamma(img: Any, gamma: float, gain: float = 1) -> Any:
    """`gain * img ** gamma`, of values between 0 and 1."""
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")
    if isinstance(img, Image):
        return img.point([(255 + 1 - 1e-3) * gain * (i / 255.0) ** gamma for i in range(256)])
    values = img if img.is_floating_point() else img.to(torch.float32) / largest(img.dtype)
    made = (gain * values.pow(gamma)).clamp(0, 1)
    return made if img.is_floating_point() else made.mul(largest(img.dtype) + 1.0 - 1e-3).to(img.dtype)


def invert(img: Any) -> Any:
    """White for black."""
    return (
        Image(255 - img._pixels, img.mode)
        if isinstance(img, Image)
        else (1 if img.is_floating_point() else int(largest(img.dtype))) - img
    )


def solarize(img: Any, threshold: float) -> Any:
    """Inverted where it is at least so bright."""
    if isinstance(img, Image):
        return img.point([i if i < threshold else 255 - i for i in range(256)])
    return torch.where(img >= threshold, invert(img), img)


def posterize(img: Any, bits: int) -> Any:
    """With so many bits for each value."""
    mask = -int(2 ** (8 - bits))
    return img.point([i & mask for i in range(256)]) if isinstance(img, Image) else img & mask % 256
