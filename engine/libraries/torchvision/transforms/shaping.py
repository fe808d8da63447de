"""Transforms as objects: of shape and values, without chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

from ....nn.module import Module
from . import functional as F
from .functional import InterpolationMode, mode_of


def listed(transforms: Sequence[Any]) -> str:
    """Transforms as the rest of what a container of them prints."""
    return "".join(f"\n    {t}" for t in transforms) + "\n)"


class Compose:
    """Transforms, one after the other."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        return f"{type(self).__name__}({listed(self.transforms)}"


class ToTensor:
    """A picture or an array (H, W, C) as a tensor (C, H, W) of numbers between 0 and 1."""

    def __call__(self, pic: Any) -> Any:
        return F.to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class PILToTensor:
    """A picture as a tensor (C, H, W) of its values."""

    def __call__(self, pic: Any) -> Any:
        return F.pil_to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ToPILImage:
    """A tensor (C, H, W) or an array (H, W, C) as a picture."""

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return F.to_pil_image(pic, self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.mode is None else f'mode={self.mode}'})"


class Lambda:
    """Whatever a function makes of a picture.

    Raises:
        TypeError: if it is no function.
    """

    def __init__(self, lambd: Callable[[Any], Any]) -> None:
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ConvertImageDtype(Module):
    """A tensor in another dtype, with its values scaled to what is white there."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, image: Any) -> Any:
        """The tensor, converted."""
        return F.convert_image_dtype(image, self.dtype)


class Normalize(Module):
    """`(tensor - mean) / std`, channel by channel."""

    def __init__(self, mean: Any, std: Any, inplace: bool = False) -> None:
        super().__init__()
        self.mean, self.std, self.inplace = mean, std, inplace

    def forward(self, tensor: Any) -> Any:
        """The tensor, normalised."""
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mean={self.mean}, std={self.std})"


class Resize(Module):
    """In the size (height, width), or with the smaller edge so long."""

    def __init__(self, size: Any, interpolation: Any = InterpolationMode.BILINEAR, max_size: int | None = None,
                 antialias: bool | None = True) -> None:  # fmt: skip
        super().__init__()
        if not isinstance(size, int | Sequence):
            raise TypeError(f"Size should be int or sequence. Got {type(size)}")
        if isinstance(size, Sequence) and len(size) not in (1, 2):
            raise ValueError("If size is a sequence, it should have 1 or 2 values")
        self.size, self.max_size, self.antialias = size, max_size, antialias
        self.interpolation = mode_of(interpolation)

    def forward(self, img: Any) -> Any:
        """The picture or tensor in that size."""
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(size={self.size}, interpolation={self.interpolation.value}, max_size={self.max_size}, "
            f"antialias={self.antialias})"
        )


class CenterCrop(Module):
    """The middle, in the size (height, width)."""

    def __init__(self, size: Any) -> None:
        super().__init__()
        self.size = size_of(size)

    def forward(self, img: Any) -> Any:
        """The middle of the picture or tensor."""
        return F.center_crop(img, self.size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size})"


class FiveCrop(Module):
    """The four corners and the middle."""

    def __init__(self, size: Any) -> None:
        super().__init__()
        self.size = size_of(size)

    def forward(self, img: Any) -> Any:
        """Five pictures or tensors."""
        return F.five_crop(img, self.size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size})"


class Pad(Module):
    """With pixels around it: left, top, right, bottom, or fewer numbers."""

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> None:
        super().__init__()
        if not isinstance(padding, Number | tuple | list):
            raise TypeError("Got inappropriate padding arg")
        if not isinstance(fill, Number | tuple | list):
            raise TypeError("Got inappropriate fill arg")
        if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
            raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
        if isinstance(padding, Sequence) and len(padding) not in (1, 2, 4):
            raise ValueError(f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(padding)} element tuple")
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def forward(self, img: Any) -> Any:
        """The picture or tensor, padded."""
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(padding={self.padding}, fill={self.fill}, padding_mode={self.padding_mode})"


class Grayscale(Module):
    """In grey, in one channel or in three alike."""

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img: Any) -> Any:
        """The picture or tensor in grey."""
        return F.rgb_to_grayscale(img, num_output_channels=self.num_output_channels)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(num_output_channels={self.num_output_channels})"


def size_of(size: Any, error: str = "Please provide only two dimensions (h, w) for size.") -> Any:
    """Height and width, which may be given by one number."""
    if isinstance(size, Number):
        return int(size), int(size)  # type: ignore[call-overload]
    if isinstance(size, Sequence) and len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ValueError(error)
    return size
