"""`torchvision.transforms.functional`: what transforms do to a picture or a tensor (…, C, H, W)."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

import numpy as np

from ....itself import engine as torch
from ....tensor import Tensor
from ...PIL.Image import FLIP_LEFT_RIGHT, FLIP_TOP_BOTTOM, MODES, Image, fromarray
from ...PIL.resampling import moved
from .colors import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    invert,
    largest,
    posterize,
    rgb_to_grayscale,
    solarize,
)

__all__ = [
    "InterpolationMode", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation", "affine",
    "center_crop", "convert_image_dtype", "crop", "erase", "five_crop", "gaussian_blur", "get_dimensions", "get_image_size",
    "hflip", "invert", "normalize", "pad", "pil_to_tensor", "posterize", "resize", "resized_crop", "rgb_to_grayscale", "rotate",
    "solarize", "to_grayscale", "to_pil_image", "to_tensor", "vflip",
]  # fmt: skip

Interpolation = Any


class InterpolationMode(Enum):
    """How pixels between pixels are made."""

    __module__ = "torchvision.transforms.functional"

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


NUMBERS = (
    InterpolationMode.NEAREST, InterpolationMode.LANCZOS, InterpolationMode.BILINEAR, InterpolationMode.BICUBIC,
    InterpolationMode.BOX, InterpolationMode.HAMMING,
)  # fmt: skip
"""The modes by Pillow's numbers."""


def mode_of(interpolation: Any) -> InterpolationMode:
    """An interpolation that may be given by Pillow's number."""
    return interpolation if isinstance(interpolation, InterpolationMode) else NUMBERS[int(interpolation)]


def _number(interpolation: Any) -> int:
    mode = mode_of(interpolation)
    return 0 if mode is InterpolationMode.NEAREST_EXACT else NUMBERS.index(mode)


def _wanted(img: Any) -> Any:
    """A picture or a tensor.

    Raises:
        TypeError: if it is neither.
    """
    if not isinstance(img, Image | Tensor):
        raise TypeError(f"Unexpected type {type(img)}")
    return img


def get_dimensions(img: Any) -> list[int]:
    """Channels, height and width."""
    if isinstance(_wanted(img), Image):
        return [len(img.getbands()), img.height, img.width]
    return [1 if img.ndim == 2 else img.shape[-3], img.shape[-2], img.shape[-1]]


def get_image_size(img: Any) -> list[int]:
    """Width and height."""
    return get_dimensions(img)[:0:-1]


# --- tensors and pictures ---------------------------------------------------------------------------------------------------


def to_tensor(pic: Any) -> Tensor:
    """A picture or an array (H, W, C) as a tensor (C, H, W); bytes become numbers between 0 and 1.

    Raises:
        TypeError: for anything else.
        ValueError: for an array of one dimension, or of four.
    """
    if not isinstance(pic, Image | np.ndarray):
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    if isinstance(pic, np.ndarray) and pic.ndim not in (2, 3):
        raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
    pixels = _planes(pic._pixels if isinstance(pic, Image) else pic)
    if isinstance(pic, Image) and pic.mode == "1":
        pixels = pixels.astype(np.uint8) * np.uint8(255)
    if pixels.dtype == np.uint8:
        floating = torch.get_default_dtype()._numpy
        pixels = pixels.astype(floating) / floating.type(255)
    return torch.from_numpy(np.ascontiguousarray(pixels))  # type: ignore[no-any-return]


def pil_to_tensor(pic: Any) -> Tensor:
    """A picture as a tensor (C, H, W), with its values as they are.

    Raises:
        TypeError: if it is none.
    """
    if not isinstance(pic, Image):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    return torch.from_numpy(np.array(_planes(pic._pixels)))  # type: ignore[no-any-return]


def _planes(pixels: Any) -> Any:
    """Pixels (H, W) or (H, W, C) as (C, H, W)."""
    return pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)


def to_pil_image(pic: Any, mode: str | None = None) -> Image:
    """A tensor (C, H, W) or an array (H, W, C) as a picture; numbers between 0 and 1 become bytes.

    Raises:
        TypeError: for anything else, and for a dtype that no picture has.
        ValueError: for dimensions or channels that no picture has.
    """
    if isinstance(pic, Tensor):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        pic = pic.unsqueeze(0) if pic.ndim == 2 else pic
        if pic.shape[-3] > 4:
            raise ValueError(f"pic should not have > 4 channels. Got {pic.shape[-3]} channels.")
        if pic.is_floating_point() and mode != "F":
            pic = pic.mul(255).byte()
        pixels = np.transpose(pic.detach().cpu().numpy(), (1, 2, 0))
    elif isinstance(pic, np.ndarray):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        pixels = np.expand_dims(pic, 2) if pic.ndim == 2 else pic
        if pixels.shape[-1] > 4:
            raise ValueError(f"pic should not have > 4 channels. Got {pixels.shape[-1]} channels.")
    else:
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    if pixels.shape[2] == 1:
        pixels = pixels[..., 0]
    if (pixels.shape[2:], pixels.dtype.str) not in MODES:
        raise TypeError(f"Input type {pixels.dtype} is not supported")
    return fromarray(np.ascontiguousarray(pixels), None if mode == "F" else mode)


def convert_image_dtype(image: Any, dtype: Any = None) -> Any:
    """A tensor in another dtype, with its values scaled to what is white there.

    Raises:
        TypeError: for what is no tensor.
        RuntimeError: where whole numbers would be too large for it.
    """
    dtype = torch.float32 if dtype is None else dtype
    if not isinstance(image, Tensor):
        raise TypeError("Input img should be Tensor Image")
    if image.dtype == dtype:
        return image
    if image.is_floating_point():
        if dtype.is_floating_point:
            return image.to(dtype)
        unsafe = {torch.float32: (torch.int32, torch.int64), torch.float64: (torch.int64,)}
        if dtype in unsafe.get(image.dtype, ()):
            raise RuntimeError(f"The cast from {image.dtype} to {dtype} cannot be performed safely.")
        return image.mul(largest(dtype) + 1.0 - 1e-3).to(dtype)
    if dtype.is_floating_point:
        return image.to(dtype) / largest(image.dtype)
    before, after = largest(image.dtype), largest(dtype)
    if before > after:
        return torch.div(image, int((before + 1) // (after + 1)), rounding_mode="floor").to(dtype)
    return image.to(dtype) * int((after + 1) // (before + 1))


def normalize(tensor: Any, mean: Any, std: Any, inplace: bool = False) -> Any:
    """`(tensor - mean) / std`, channel by channel.

    Raises:
        TypeError: for what is no tensor of floating point numbers.
        ValueError: for fewer than three dimensions, and for a deviation of zero.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if not tensor.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.ndim < 3:
        raise ValueError(f"Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = {tensor.size()}")
    dtype = tensor.dtype
    means, deviations = (_by_channel(np.array(v, dtype._numpy)) for v in (mean, std))
    if not (inplace or tensor.requires_grad) and {means.size, deviations.size} <= {1, tensor.shape[-3]}:
        _look_at_deviations(bool((deviations == 0).any()), dtype)
        return torch.from_numpy((tensor.numpy() - means) / deviations)  # one operation for a sample that nobody looks into
    means, deviations = (_by_channel(torch.as_tensor(v, dtype=dtype)) for v in (mean, std))
    _look_at_deviations(bool((deviations == 0).any()), dtype)
    made: Any = tensor if inplace else tensor.clone()
    return made.sub_(means).div_(deviations)


def _by_channel(values: Any) -> Any:
    return values.reshape(-1, 1, 1) if values.ndim == 1 else values


def _look_at_deviations(zero: bool, dtype: Any) -> None:
    if zero:
        raise ValueError(f"std evaluated to zero after conversion to {dtype}, leading to division by zero.")


# --- sizes ------------------------------------------------------------------------------------------------------------------


def resize(img: Any, size: Any, interpolation: Interpolation = InterpolationMode.BILINEAR, max_size: int | None = None,
           antialias: bool | None = True) -> Any:  # fmt: skip
    """In the size (height, width), or with the smaller edge as long as a number says.

    Raises:
        TypeError: for a size that is none.
        ValueError: for more than two numbers, and for a longest edge that says something else.
    """
    if not isinstance(size, int | list | tuple):
        raise TypeError("Got inappropriate size arg")
    _, height, width = get_dimensions(img)
    wanted = [size] if isinstance(size, int) else [*size]
    if len(wanted) not in (1, 2):
        raise ValueError(f"Size must be an int or a 1 or 2 element tuple/list, not a {len(wanted)} element tuple/list")
    if max_size is not None and len(wanted) != 1:
        raise ValueError(
            "max_size should only be passed if size specifies the length of the smaller edge, "
            "i.e. size should be an int or a sequence of length 1 in torchscript mode."
        )
    if len(wanted) == 1:
        wanted = _with_smaller_edge(height, width, wanted[0], max_size)
    if [height, width] == wanted:
        return img
    mode = mode_of(interpolation)
    if isinstance(img, Image):
        return img.resize((wanted[1], wanted[0]), _number(mode))
    smooth = mode in (InterpolationMode.BILINEAR, InterpolationMode.BICUBIC)
    batch = img.reshape(-1, *img.shape[-3:]) if img.ndim != 4 else img
    values = batch if batch.is_floating_point() else batch.to(torch.float32)
    options = {"align_corners": False, "antialias": bool(antialias)} if smooth else {}
    made = torch.nn.functional.interpolate(values, size=wanted, mode=mode.value, **options)
    if mode is InterpolationMode.BICUBIC and img.dtype == torch.uint8:
        made = made.clamp(0, 255)
    if not img.is_floating_point():
        made = torch.round(made).to(img.dtype)
    return made.reshape(*img.shape[:-2], *wanted)


def _with_smaller_edge(height: int, width: int, size: int, max_size: int | None) -> list[int]:
    short, long = sorted((height, width))
    new = size, int(size * long / short)
    if max_size is not None:
        if max_size <= size:
            raise ValueError(
                f"max_size = {max_size} must be strictly greater than the requested size for the smaller edge size = {size}"
            )
        if new[1] > max_size:
            new = int(max_size * new[0] / new[1]), max_size
    return [new[1], new[0]] if width <= height else [new[0], new[1]]


def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """With pixels around it: left, top, right, bottom, or fewer numbers.

    Raises:
        ValueError: for another count of numbers, or another way.
    """
    numbers = [padding] if isinstance(padding, int) else [*padding]
    if len(numbers) not in (1, 2, 4):
        raise ValueError(f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(numbers)} element tuple")
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
    left, top, right, bottom = numbers * (4 // len(numbers)) if len(numbers) < 4 else numbers
    if isinstance(_wanted(img), Image):
        return Image(_padded(img._pixels, ((top, bottom), (left, right)), fill, padding_mode), img.mode)
    if padding_mode == "constant":
        value = fill[0] if isinstance(fill, list | tuple) else fill
        return torch.nn.functional.pad(img, (left, right, top, bottom), value=float(value or 0))
    rows, columns = (_indices(n, *ends, padding_mode) for n, ends in zip(img.shape[-2:], ((top, bottom), (left, right))))
    return img[..., rows, :][..., columns]


def _padded(pixels: Any, ends: Any, fill: Any, mode: str) -> Any:
    if mode != "constant":
        how: Any = mode
        return np.pad(pixels, (*ends, *((0, 0),) * (pixels.ndim - 2)), mode=how)
    (top, bottom), (left, right) = ends
    height, width = pixels.shape[:2]
    made = np.empty((height + top + bottom, width + left + right, *pixels.shape[2:]), pixels.dtype)
    made[...] = fill
    # Less than nothing is cut off.
    inner = pixels[max(-top, 0) : height - max(-bottom, 0), max(-left, 0) : width - max(-right, 0)]
    made[max(top, 0) :, max(left, 0) :][: inner.shape[0], : inner.shape[1]] = inner
    return made


def _indices(length: int, before: int, behind: int, mode: str) -> Any:
    return torch.from_numpy(np.pad(np.arange(length), (before, behind), mode=mode))  # type: ignore[call-overload]


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """The part that begins at (top, left); what lies outside is black."""
    if isinstance(_wanted(img), Image):
        return img.crop((left, top, left + width, top + height))
    _, high, wide = get_dimensions(img)
    right, bottom = left + width, top + height
    if left < 0 or top < 0 or right > wide or bottom > high:
        part = img[..., max(top, 0) : bottom, max(left, 0) : right]
        return torch.nn.functional.pad(
            part, [max(min(right, 0) - left, 0), max(right - max(wide, left), 0), max(min(bottom, 0) - top, 0),
                   max(bottom - max(high, top), 0)],
        )  # fmt: skip
    return img[..., top:bottom, left:right]


def center_crop(img: Any, output_size: Any) -> Any:
    """The middle, in the size (height, width)."""
    size = (output_size,) if isinstance(output_size, int) else tuple(output_size)
    high, wide = size * 2 if len(size) == 1 else size
    _, height, width = get_dimensions(img)
    if wide > width or high > height:
        missing_x, missing_y = max(wide - width, 0), max(high - height, 0)
        img = pad(img, [missing_x // 2, missing_y // 2, (missing_x + 1) // 2, (missing_y + 1) // 2], fill=0)
        _, height, width = get_dimensions(img)
        if (wide, high) == (width, height):
            return img
    return crop(img, round((height - high) / 2.0), round((width - wide) / 2.0), high, wide)


def resized_crop(img: Any, top: int, left: int, height: int, width: int, size: Any,
                 interpolation: Interpolation = InterpolationMode.BILINEAR, antialias: bool | None = True) -> Any:  # fmt: skip
    """A part, in another size."""
    return resize(crop(img, top, left, height, width), [*size] if not isinstance(size, int) else size, interpolation,
                  antialias=antialias)  # fmt: skip


def five_crop(img: Any, size: Any) -> tuple[Any, ...]:
    """The four corners and the middle.

    Raises:
        ValueError: if the picture is smaller.
    """
    size = (size,) if isinstance(size, int) else tuple(size)
    high, wide = size * 2 if len(size) == 1 else size
    _, height, width = get_dimensions(img)
    if wide > width or high > height:
        raise ValueError(f"Requested crop size {(high, wide)} is bigger than input size {(height, width)}")
    corners = [(top, left) for top in (0, height - high) for left in (0, width - wide)]
    return (*(crop(img, top, left, high, wide) for top, left in corners), center_crop(img, [high, wide]))


# --- movements --------------------------------------------------------------------------------------------------------------


def hflip(img: Any) -> Any:
    """Left for right."""
    return img.transpose(FLIP_LEFT_RIGHT) if isinstance(_wanted(img), Image) else img.flip(-1)


def vflip(img: Any) -> Any:
    """Upside down."""
    return img.transpose(FLIP_TOP_BOTTOM) if isinstance(_wanted(img), Image) else img.flip(-2)


def rotate(img: Any, angle: float, interpolation: Interpolation = InterpolationMode.NEAREST, expand: bool = False,
           center: Any = None, fill: Any = None) -> Any:  # fmt: skip
    """Turned counterclockwise by degrees.

    Raises:
        TypeError: for what is no angle or centre.
    """
    if not isinstance(angle, int | float):
        raise TypeError("Argument angle should be int or float")
    if center is not None and not isinstance(center, list | tuple):
        raise TypeError("Argument center should be a sequence")
    pictured = _pictured(_wanted(img))
    turned = pictured.rotate(angle, _number(interpolation), expand, center, fillcolor=_filled(pictured, fill))
    return turned if isinstance(img, Image) else _tensor_like(img, turned)


def affine(img: Any, angle: float, translate: Any, scale: float, shear: Any,
           interpolation: Interpolation = InterpolationMode.NEAREST, fill: Any = None, center: Any = None) -> Any:  # fmt: skip
    """Turned clockwise, scaled and sheared about the centre, and moved.

    Raises:
        ValueError: for a scale that is not positive.
    """
    if scale <= 0.0:
        raise ValueError("Argument scale should be positive")
    slants = [shear, 0.0] if isinstance(shear, int | float) else [*shear]
    slants = slants * 2 if len(slants) == 1 else slants
    if len(slants) != 2:
        raise ValueError(f"Shear should be a sequence containing two values. Got {shear}")
    pictured = _pictured(_wanted(img))
    middle = [pictured.width * 0.5, pictured.height * 0.5] if center is None else [*center]
    matrix = _inverse(middle, angle, translate, scale, slants)
    pixels = moved(pictured._pixels, matrix, pictured.width, pictured.height, _number(interpolation), _filled(pictured, fill))
    made = Image(pixels, pictured.mode)
    return made if isinstance(img, Image) else _tensor_like(img, made)


def _inverse(center: Any, angle: float, translate: Any, scale: float, shear: Any) -> tuple[float, ...]:
    """Where a pixel comes from: the six numbers of the inverse of move · turn · scale · shear about a centre."""
    turn, x, y = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    a = math.cos(turn - y) / math.cos(y)
    b = -math.cos(turn - y) * math.tan(x) / math.cos(y) - math.sin(turn)
    c = math.sin(turn - y) / math.cos(y)
    d = -math.sin(turn - y) * math.tan(x) / math.cos(y) + math.cos(turn)
    a, b, c, d = d / scale, -b / scale, -c / scale, a / scale
    from_x, from_y = -center[0] - translate[0], -center[1] - translate[1]
    return a, b, a * from_x + b * from_y + center[0], c, d, c * from_x + d * from_y + center[1]


def _pictured(img: Any) -> Image:
    """A picture, or one that carries the values (…, H, W) of a tensor as its bands."""
    if isinstance(img, Image):
        return img
    values = img.detach().numpy()
    return Image(np.moveaxis(values.reshape(-1, *values.shape[-2:]), 0, 2), "F")


def _tensor_like(img: Tensor, made: Image) -> Tensor:
    pixels = np.moveaxis(made._pixels, 2, 0).reshape(*img.shape[:-2], made.height, made.width)
    return torch.from_numpy(np.ascontiguousarray(pixels))  # type: ignore[no-any-return]


def _filled(img: Image, fill: Any) -> Any:
    """The value outside, for each band."""
    if fill is None or isinstance(fill, int | float):
        return fill
    values = [*fill]
    if len(values) == 1 or img._pixels.ndim == 2:
        return values[0]
    bands = img._pixels.shape[2]
    return values * (bands // len(values)) if bands % len(values) == 0 else values


def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Any:
    """A tensor with a part of it replaced.

    Raises:
        TypeError: for what is no tensor.
    """
    if not isinstance(img, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(img)}")
    made: Any = img if inplace else img.clone()
    made[..., i : i + h, j : j + w] = v
    return made


def gaussian_blur(img: Any, kernel_size: Any, sigma: Any = None) -> Any:
    """Smoothed, with a kernel (width, height).

    Raises:
        ValueError: for a size that is even.
    """
    sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else [*kernel_size]
    if any(size % 2 == 0 or size < 0 for size in sizes):
        raise ValueError(f"kernel_size should have odd and positive integers. Got {sizes}")
    if sigma is None:
        sigma = [size * 0.15 + 0.35 for size in sizes]
    spreads = [float(sigma)] * 2 if isinstance(sigma, int | float) else [*sigma]
    spreads = spreads * 2 if len(spreads) == 1 else spreads
    tensor = pil_to_tensor(img) if isinstance(_wanted(img), Image) else img
    values = tensor if tensor.is_floating_point() else tensor.to(torch.float32)
    across, down = (_bell(size, spread).to(values.dtype) for size, spread in zip(sizes, spreads))
    channels = values.shape[-3]
    kernel = (down[:, None] * across[None, :]).expand(channels, 1, sizes[1], sizes[0])
    batch = values.reshape(-1, *values.shape[-3:])
    around = [sizes[0] // 2, sizes[0] // 2, sizes[1] // 2, sizes[1] // 2]
    functional = torch.nn.functional
    made = functional.conv2d(functional.pad(batch, around, mode="reflect"), kernel, groups=channels).reshape(values.shape)
    made = made if tensor.is_floating_point() else torch.round(made).to(tensor.dtype)
    return to_pil_image(made, img.mode) if isinstance(img, Image) else made


def _bell(size: int, sigma: float) -> Any:
    half = (size - 1) * 0.5
    density = torch.exp(-0.5 * (torch.linspace(-half, half, steps=size) / sigma).pow(2))
    return density / density.sum()


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """A picture in grey.

    Raises:
        TypeError: for a tensor.
    """
    if not isinstance(img, Image):
        raise TypeError("Input should be PIL Image")
    return rgb_to_grayscale(img, num_output_channels)
