"""`torchvision.transforms.v2`: the transforms under their newer names, for one picture or tensor at a time."""

from __future__ import annotations

from typing import Any

from .....itself import engine as torch
from .....nn.module import Module
from .....tensor import Tensor
from ....PIL.Image import Image
from ... import transforms
from .. import functional as F

globals().update({name: getattr(transforms, name) for name in transforms.__all__})
__all__ = ["RGB", "Identity", "ToDtype", "ToImage", "ToPureTensor", *transforms.__all__]


class Identity(Module):
    """Nothing."""

    def forward(self, img: Any) -> Any:
        """The same."""
        return img


class ToImage(Module):
    """A picture or an array (H, W, C) as a tensor (C, H, W) of its values."""

    def forward(self, img: Any) -> Any:
        """The tensor."""
        if isinstance(img, Image):
            return F.pil_to_tensor(img)
        return img if isinstance(img, Tensor) else torch.from_numpy(img if img.ndim == 2 else img.transpose(2, 0, 1))


class ToPureTensor(Identity):
    """Tensors are nothing else here."""


class ToDtype(Module):
    """A tensor in another dtype; with `scale`, its values scaled to what is white there."""

    def __init__(self, dtype: Any, scale: bool = False) -> None:
        super().__init__()
        self.dtype, self.scale = dtype, scale

    def forward(self, img: Any) -> Any:
        """The tensor, converted; a picture as it is."""
        if not isinstance(img, Tensor):
            return img
        return F.convert_image_dtype(img, self.dtype) if self.scale else img.to(self.dtype)

    def extra_repr(self) -> str:
        """Its settings."""
        return f"scale={self.scale}"


class RGB(Module):
    """In three channels."""

    def forward(self, img: Any) -> Any:
        """The picture or tensor in colours."""
        if isinstance(img, Image):
            return img.convert("RGB")
        return img.expand(*img.shape[:-3], 3, *img.shape[-2:]) if img.shape[-3] == 1 else img
