"""Transforms as trained weights want them."""

from __future__ import annotations

from typing import Any

from ....itself import engine as torch
from ....nn.module import Module
from ....tensor import Tensor
from . import functional as F
from .functional import InterpolationMode


class ImageClassification(Module):
    """Pictures brought to one size, cut to their middle, and normalised by channel."""

    def __init__(
        self,
        *,
        crop_size: int,
        resize_size: int = 256,
        mean: tuple[float, ...] = (0.485, 0.456, 0.406),
        std: tuple[float, ...] = (0.229, 0.224, 0.225),
        interpolation: Any = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.crop_size = [crop_size]
        self.resize_size = [resize_size]
        self.mean = list(mean)
        self.std = list(std)
        self.interpolation = interpolation
        self.antialias = antialias

    def forward(self, img: Any) -> Any:
        """The prepared picture, or batch of them."""
        img = F.resize(img, self.resize_size, interpolation=self.interpolation, antialias=self.antialias)
        img = F.center_crop(img, self.crop_size)
        if not isinstance(img, Tensor):
            img = F.pil_to_tensor(img)
        return F.normalize(F.convert_image_dtype(img, torch.float32), mean=self.mean, std=self.std)

    def __repr__(self) -> str:
        lines = [f"{name}={getattr(self, name)}" for name in ("crop_size", "resize_size", "mean", "std", "interpolation")]
        return "\n    ".join([f"{type(self).__name__}(", *lines]) + "\n)"
