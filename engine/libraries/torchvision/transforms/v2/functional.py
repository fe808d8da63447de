"""`torchvision.transforms.v2.functional`: the functions under their newer names."""

from __future__ import annotations

from typing import Any

from .. import functional as F

globals().update({name: getattr(F, name) for name in F.__all__})
__all__ = [*F.__all__, "horizontal_flip", "to_dtype", "to_image", "vertical_flip"]

horizontal_flip, vertical_flip = F.hflip, F.vflip


def to_image(img: Any) -> Any:
    """A picture or an array (H, W, C) as a tensor (C, H, W) of its values."""
    from . import ToImage

    return ToImage()(img)


def to_dtype(img: Any, dtype: Any, scale: bool = False) -> Any:
    """A tensor in another dtype; with `scale`, its values scaled to what is white there."""
    return F.convert_image_dtype(img, dtype) if scale else img.to(dtype)
