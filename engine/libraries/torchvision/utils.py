"""`torchvision.utils`: pictures side by side."""

from __future__ import annotations

import math
from typing import Any

from ...itself import engine as torch
from ...tensor import Tensor
from .. import tell

__all__ = ["make_grid", "save_image"]


def make_grid(tensor: Any, nrow: int = 8, padding: int = 2, normalize: bool = False, value_range: Any = None,
              scale_each: bool = False, pad_value: float = 0.0, **_: Any) -> Any:  # fmt: skip
    """Pictures (N, C, H, W) or a list of them as one picture (C, H', W'), so many in a row.

    Raises:
        TypeError: for what is no tensor or list of tensors.
    """
    if not isinstance(tensor, Tensor):
        for each in tensor if isinstance(tensor, list) else [tensor]:
            if not isinstance(each, Tensor):
                raise TypeError(
                    f"tensor or list of tensors expected, got a list containing {type(each)}"
                    if isinstance(tensor, list)
                    else f"tensor or list of tensors expected, got {type(tensor)}"
                )
        tensor = torch.stack(tensor, dim=0)
    if tensor.dim() == 2:
        tensor = tensor.unsqueeze(0)
    if tensor.dim() == 3:
        tensor = torch.cat((tensor, tensor, tensor), 0) if tensor.size(0) == 1 else tensor
        tensor = tensor.unsqueeze(0)
    if tensor.dim() == 4 and tensor.size(1) == 1:
        tensor = torch.cat((tensor, tensor, tensor), 1)
    if normalize:
        tensor = _normalized(tensor.clone(), value_range, scale_each)
    if tensor.size(0) == 1:
        return tensor.squeeze(0)
    count = tensor.size(0)
    across = min(nrow, count)
    down = math.ceil(count / across)
    height, width = tensor.size(2) + padding, tensor.size(3) + padding
    grid = tensor.new_full((tensor.size(1), height * down + padding, width * across + padding), pad_value)
    for k in range(count):
        y, x = divmod(k, across)
        part = grid.narrow(1, y * height + padding, height - padding).narrow(2, x * width + padding, width - padding)
        part.copy_(tensor[k])
    return grid


def _normalized(tensor: Any, value_range: Any, scale_each: bool) -> Any:
    if value_range is not None and not isinstance(value_range, tuple):
        raise TypeError("value_range has to be a tuple (min, max) if specified. min and max are numbers")
    for picture in tensor if scale_each else [tensor]:
        low, high = value_range or (float(picture.min()), float(picture.max()))
        picture.clamp_(min=low, max=high)
        picture.sub_(low).div_(max(high - low, 1e-5))
    return tensor


def save_image(tensor: Any, fp: Any, format: str | None = None, **options: Any) -> None:
    """Nothing is written; the pictures are looked at as they would be."""
    make_grid(tensor, **options)
    tell("torchvision.utils.save_image: pictures are not saved here.")
