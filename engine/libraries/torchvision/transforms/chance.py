"""Transforms that draw random numbers, in the order in which torchvision draws them."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

from ....itself import engine as torch
from ....nn.module import Module
from ....tensor import Tensor
from . import functional as F
from .functional import InterpolationMode, mode_of
from .shaping import listed, size_of


def between(low: float, high: float) -> float:
    """A number between two, with torch's generator."""
    return float(torch.empty(1).uniform_(float(low), float(high)).item())


def below(count: int) -> int:
    """A whole number from 0 on, below a count."""
    return int(torch.randint(0, count, size=(1,)).item())


class _Sometimes(Module):
    """What is done with a probability `p`."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def _happens(self) -> bool:
        return bool(torch.rand(1) < self.p)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class RandomHorizontalFlip(_Sometimes):
    """Left for right, with a probability."""

    def forward(self, img: Any) -> Any:
        """The picture or tensor, flipped or not."""
        return F.hflip(img) if self._happens() else img


class RandomVerticalFlip(_Sometimes):
    """Upside down, with a probability."""

    def forward(self, img: Any) -> Any:
        """The picture or tensor, flipped or not."""
        return F.vflip(img) if self._happens() else img


class RandomInvert(_Sometimes):
    """White for black, with a probability."""

    def forward(self, img: Any) -> Any:
        """The picture or tensor, inverted or not."""
        return F.invert(img) if self._happens() else img


class RandomGrayscale(_Sometimes):
    """In grey, with a probability; it keeps its channels."""

    def __init__(self, p: float = 0.1) -> None:
        super().__init__(p)

    def forward(self, img: Any) -> Any:
        """The picture or tensor, in grey or not."""
        channels = F.get_dimensions(img)[0]
        return F.rgb_to_grayscale(img, num_output_channels=channels) if self._happens() else img


class RandomApply(Module):
    """Transforms, all of them with a probability, or none."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]], p: float = 0.5) -> None:
        super().__init__()
        self.transforms, self.p = transforms, p

    def forward(self, img: Any) -> Any:
        """The picture or tensor, transformed or not."""
        if self.p < torch.rand(1):
            return img
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n    p={self.p}{listed(self.transforms)}"


class RandomTransforms:
    """Several transforms, of which chance decides.

    Raises:
        TypeError: if they are no sequence.
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        if not isinstance(transforms, Sequence):
            raise TypeError("Argument transforms should be a sequence")
        self.transforms = transforms

    def __repr__(self) -> str:
        return f"{type(self).__name__}({listed(self.transforms)}"


class RandomOrder(RandomTransforms):
    """All of them, in an order by chance."""

    def __call__(self, img: Any) -> Any:
        order = list(range(len(self.transforms)))
        random.shuffle(order)
        for i in order:
            img = self.transforms[i](img)
        return img


class RandomChoice(RandomTransforms):
    """One of them, by chance."""

    def __init__(self, transforms: Sequence[Callable[..., Any]], p: Sequence[float] | None = None) -> None:
        super().__init__(transforms)
        if p is not None and not isinstance(p, Sequence):
            raise TypeError("Argument p should be a sequence")
        self.p = p

    def __call__(self, *args: Any) -> Any:
        return random.choices(self.transforms, weights=self.p)[0](*args)

    def __repr__(self) -> str:
        return f"{super().__repr__()}(p={self.p})"


class RandomCrop(Module):
    """A part by chance, in the size (height, width), of what may be padded before."""

    def __init__(self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill: Any = 0,
                 padding_mode: str = "constant") -> None:  # fmt: skip
        super().__init__()
        self.size = tuple(size_of(size))
        self.padding, self.pad_if_needed, self.fill, self.padding_mode = padding, pad_if_needed, fill, padding_mode

    @staticmethod
    def get_params(img: Any, output_size: tuple[int, int]) -> tuple[int, int, int, int]:
        """Top, left, height and width of the part.

        Raises:
            ValueError: if the picture is smaller.
        """
        _, h, w = F.get_dimensions(img)
        high, wide = output_size
        if h < high or w < wide:
            raise ValueError(f"Required crop size {(high, wide)} is larger than input image size {(h, w)}")
        if w == wide and h == high:
            return 0, 0, h, w
        return below(h - high + 1), below(w - wide + 1), high, wide

    def forward(self, img: Any) -> Any:
        """The part."""
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        _, height, width = F.get_dimensions(img)
        if self.pad_if_needed and width < self.size[1]:
            img = F.pad(img, [self.size[1] - width, 0], self.fill, self.padding_mode)
        if self.pad_if_needed and height < self.size[0]:
            img = F.pad(img, [0, self.size[0] - height], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size}, padding={self.padding})"


class RandomResizedCrop(Module):
    """A part of an area and a shape by chance, resized."""

    def __init__(self, size: Any, scale: Any = (0.08, 1.0), ratio: Any = (3.0 / 4.0, 4.0 / 3.0),
                 interpolation: Any = InterpolationMode.BILINEAR, antialias: bool | None = True) -> None:  # fmt: skip
        super().__init__()
        self.size = size_of(size)
        _look_at_ranges(scale, ratio)
        self.scale, self.ratio, self.antialias = scale, ratio, antialias
        self.interpolation = mode_of(interpolation)

    @staticmethod
    def get_params(img: Any, scale: Any, ratio: Any) -> tuple[int, int, int, int]:
        """Top, left, height and width of the part."""
        _, height, width = F.get_dimensions(img)
        for _ in range(10):
            w, h = _edges(height * width, scale, ratio)
            if 0 < w <= width and 0 < h <= height:
                return below(height - h + 1), below(width - w + 1), h, w
        shape = width / height
        w, h = width, height
        if shape < min(ratio):
            h = round(w / min(ratio))
        elif shape > max(ratio):
            w = round(h * max(ratio))
        return (height - h) // 2, (width - w) // 2, h, w

    def forward(self, img: Any) -> Any:
        """The part, resized."""
        part = self.get_params(img, self.scale, self.ratio)
        return F.resized_crop(img, *part, self.size, self.interpolation, antialias=self.antialias)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(size={self.size}, scale={tuple(round(s, 4) for s in self.scale)}, "
            f"ratio={tuple(round(r, 4) for r in self.ratio)}, interpolation={self.interpolation.value}, "
            f"antialias={self.antialias})"
        )


def _look_at_ranges(scale: Any, ratio: Any) -> None:
    if not isinstance(scale, Sequence):
        raise TypeError("Scale should be a sequence")
    if not isinstance(ratio, Sequence):
        raise TypeError("Ratio should be a sequence")
    if scale[0] > scale[1] or ratio[0] > ratio[1]:
        warnings.warn("Scale and ratio should be of kind (min, max)", stacklevel=3)


def _edges(area: int, scale: Any, ratio: Any) -> tuple[int, int]:
    """The two edges of a part by chance: of the ratio's numerator and of its denominator."""
    low, high = torch.log(torch.tensor(ratio))
    target = area * between(*scale)
    shape = torch.exp(torch.empty(1).uniform_(low.item(), high.item())).item()
    return round(math.sqrt(target * shape)), round(math.sqrt(target / shape))


class RandomErasing(Module):
    """With a probability, a part by chance of a tensor replaced by a value."""

    def __init__(self, p: float = 0.5, scale: Any = (0.02, 0.33), ratio: Any = (0.3, 3.3), value: Any = 0,
                 inplace: bool = False) -> None:  # fmt: skip
        super().__init__()
        if not isinstance(value, Number | str | tuple | list):
            raise TypeError("Argument value should be either a number or str or a sequence")
        if isinstance(value, str) and value != "random":
            raise ValueError("If value is str, it should be 'random'")
        _look_at_ranges(scale, ratio)
        if scale[0] < 0 or scale[1] > 1:
            raise ValueError("Scale should be between 0 and 1")
        if p < 0 or p > 1:
            raise ValueError("Random erasing probability should be between 0 and 1")
        self.p, self.scale, self.ratio, self.value, self.inplace = p, scale, ratio, value, inplace

    @staticmethod
    def get_params(img: Any, scale: Any, ratio: Any, value: Any = None) -> tuple[int, int, int, int, Any]:
        """Top, left, height and width of the part, and what comes there."""
        channels, height, width = img.shape[-3:]
        for _ in range(10):
            h, w = _edges(height * width, scale, ratio)
            if not (h < height and w < width):
                continue
            v = torch.empty([channels, h, w], dtype=torch.float32).normal_() if value is None else None
            v = torch.tensor(value)[:, None, None] if v is None else v
            return below(height - h + 1), below(width - w + 1), h, w, v
        return 0, 0, height, width, img

    def forward(self, img: Any) -> Any:
        """The tensor, erased or not."""
        if not torch.rand(1) < self.p:
            return img
        given: Any = self.value
        values = None if isinstance(given, str) else [float(v) for v in (given if isinstance(given, list | tuple) else [given])]
        if values is not None and len(values) not in (1, img.shape[-3]):
            raise ValueError(
                f"If value is a sequence, it should have either a single value or {img.shape[-3]} (number of input channels)"
            )
        return F.erase(img, *self.get_params(img, self.scale, self.ratio, values), self.inplace)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(p={self.p}, scale={self.scale}, ratio={self.ratio}, value={self.value}, "
            f"inplace={self.inplace})"
        )


class ColorJitter(Module):
    """Brightness, contrast, saturation and hue, changed by chance in an order by chance."""

    def __init__(self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0) -> None:
        super().__init__()
        self.brightness = _factors(brightness, "brightness")
        self.contrast = _factors(contrast, "contrast")
        self.saturation = _factors(saturation, "saturation")
        self.hue = _factors(hue, "hue", center=0, bound=(-0.5, 0.5), from_zero=False)

    @staticmethod
    def get_params(brightness: Any, contrast: Any, saturation: Any, hue: Any) -> tuple[Any, ...]:
        """The order, and a factor for each."""
        order = torch.randperm(4)
        return (order, *(None if bounds is None else between(*bounds) for bounds in (brightness, contrast, saturation, hue)))

    def forward(self, img: Any) -> Any:
        """The picture or tensor in other colours."""
        order, *factors = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        adjust = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)
        for k in order.tolist():
            if factors[k] is not None:
                img = adjust[k](img, factors[k])
        return img

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(brightness={self.brightness}, contrast={self.contrast}, saturation={self.saturation}, "
            f"hue={self.hue})"
        )


def _factors(value: Any, name: str, center: float = 1, bound: Any = (0, float("inf")), from_zero: bool = True) -> Any:
    """The range of a factor, None if it changes nothing."""
    if isinstance(value, int | float):
        if value < 0:
            raise ValueError(f"If {name} is a single number, it must be non negative.")
        low = center - float(value)
        bounds = [max(low, 0.0) if from_zero else low, center + float(value)]
    elif isinstance(value, tuple | list) and len(value) == 2:
        bounds = [float(value[0]), float(value[1])]
    else:
        raise TypeError(f"{name} should be a single number or a list/tuple with length 2.")
    if not bound[0] <= bounds[0] <= bounds[1] <= bound[1]:
        raise ValueError(f"{name} values should be between {bound}, but got {bounds}.")
    return None if bounds[0] == bounds[1] == center else tuple(bounds)


def _angles(value: Any, name: str, lengths: tuple[int, ...] = (2,)) -> list[float]:
    if isinstance(value, int | float):
        if value < 0:
            raise ValueError(f"If {name} is a single number, it must be positive.")
        return [-float(value), float(value)]
    _look_at_sequence(value, name, lengths)
    return [float(v) for v in value]


def _look_at_sequence(value: Any, name: str, lengths: tuple[int, ...]) -> None:
    told = f"{name} should be a sequence of length {' or '.join(map(str, lengths))}."
    if not isinstance(value, Sequence):
        raise TypeError(told)
    if len(value) not in lengths:
        raise ValueError(told)


def _fill_for(img: Any, fill: Any) -> Any:
    """The value outside: for a tensor one for each channel."""
    if not isinstance(img, Tensor):
        return fill
    return [float(fill)] * F.get_dimensions(img)[0] if isinstance(fill, int | float) else [float(f) for f in fill]


class RandomRotation(Module):
    """Turned by an angle by chance."""

    def __init__(self, degrees: Any, interpolation: Any = InterpolationMode.NEAREST, expand: bool = False, center: Any = None,
                 fill: Any = 0) -> None:  # fmt: skip
        super().__init__()
        self.interpolation = mode_of(interpolation)
        self.degrees = _angles(degrees, "degrees")
        if center is not None:
            _look_at_sequence(center, "center", (2,))
        self.expand, self.center, self.fill = expand, center, 0 if fill is None else fill

    @staticmethod
    def get_params(degrees: Any) -> float:
        """The angle."""
        return between(*degrees)

    def forward(self, img: Any) -> Any:
        """The picture or tensor, turned."""
        fill, angle = _fill_for(img, self.fill), self.get_params(self.degrees)
        return F.rotate(img, angle, self.interpolation, self.expand, self.center, fill)

    def __repr__(self) -> str:
        center = "" if self.center is None else f", center={self.center}"
        said = f"degrees={self.degrees}, interpolation={self.interpolation.value}, expand={self.expand}{center}"
        return f"{type(self).__name__}({said}, fill={self.fill})"


class RandomAffine(Module):
    """Turned, moved, scaled and sheared by chance."""

    def __init__(self, degrees: Any, translate: Any = None, scale: Any = None, shear: Any = None,
                 interpolation: Any = InterpolationMode.NEAREST, fill: Any = 0, center: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.degrees = _angles(degrees, "degrees")
        if translate is not None:
            _look_at_sequence(translate, "translate", (2,))
            if not all(0.0 <= t <= 1.0 for t in translate):
                raise ValueError("translation values should be between 0 and 1")
        if scale is not None:
            _look_at_sequence(scale, "scale", (2,))
            if any(s <= 0 for s in scale):
                raise ValueError("scale values should be positive")
        if center is not None:
            _look_at_sequence(center, "center", (2,))
        self.translate, self.scale, self.center, self.fill = translate, scale, center, 0 if fill is None else fill
        self.shear = None if shear is None else _angles(shear, "shear", (2, 4))
        self.interpolation = mode_of(interpolation)

    @staticmethod
    def get_params(degrees: Any, translate: Any, scale_ranges: Any, shears: Any, img_size: Any) -> tuple[Any, ...]:
        """The angle, how far it moves, the scale, and two angles of shear."""
        angle = between(*degrees)
        moves = (0, 0)
        if translate is not None:
            reach = [float(share * size) for share, size in zip(translate, img_size, strict=True)]
            moves = (round(between(-reach[0], reach[0])), round(between(-reach[1], reach[1])))
        scale = 1.0 if scale_ranges is None else between(*scale_ranges)
        slants = [0.0, 0.0]
        if shears is not None:
            slants[0] = between(*shears[:2])
            if len(shears) == 4:
                slants[1] = between(*shears[2:])
        return angle, moves, scale, tuple(slants)

    def forward(self, img: Any) -> Any:
        """The picture or tensor, moved."""
        size = F.get_image_size(img)
        drawn = self.get_params(self.degrees, self.translate, self.scale, self.shear, size)
        angle, moves, scale, slants = drawn
        fill = _fill_for(img, self.fill)
        return F.affine(img, angle, moves, scale, slants, self.interpolation, fill, self.center)

    def __repr__(self) -> str:
        parts = [f"degrees={self.degrees}"]
        given = {"translate": self.translate, "scale": self.scale, "shear": self.shear}
        parts += [f"{name}={value}" for name, value in given.items() if value is not None]
        if self.interpolation is not InterpolationMode.NEAREST:
            parts.append(f"interpolation={self.interpolation.value}")
        parts += [f"fill={self.fill}"] if self.fill != 0 else []
        parts += [f"center={self.center}"] if self.center is not None else []
        return f"{type(self).__name__}({', '.join(parts)})"


class GaussianBlur(Module):
    """Smoothed, with a spread by chance."""

    def __init__(self, kernel_size: Any, sigma: Any = (0.1, 2.0)) -> None:
        super().__init__()
        self.kernel_size = size_of(kernel_size, "Kernel size should be a tuple/list of two integers")
        if any(size <= 0 or size % 2 == 0 for size in self.kernel_size):
            raise ValueError("Kernel size value should be an odd and positive number.")
        if isinstance(sigma, int | float):
            if sigma <= 0:
                raise ValueError("If sigma is a single number, it must be positive.")
            sigma = (sigma, sigma)
        elif not (isinstance(sigma, Sequence) and len(sigma) == 2):
            raise ValueError("sigma should be a single number or a list/tuple with length 2.")
        elif not 0.0 < sigma[0] <= sigma[1]:
            raise ValueError("sigma values should be positive and of the form (min, max).")
        self.sigma = sigma

    @staticmethod
    def get_params(sigma_min: float, sigma_max: float) -> float:
        """The spread."""
        return between(sigma_min, sigma_max)

    def forward(self, img: Any) -> Any:
        """The picture or tensor, smoothed."""
        sigma = self.get_params(*self.sigma)
        return F.gaussian_blur(img, self.kernel_size, [sigma, sigma])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(kernel_size={self.kernel_size}, sigma={self.sigma})"
