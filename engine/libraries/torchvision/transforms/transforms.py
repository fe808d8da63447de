"""`torchvision.transforms.transforms`: the file that the transforms stand in, by which some programs import them."""

from __future__ import annotations

from .. import transforms

globals().update({name: getattr(transforms, name) for name in transforms.__all__})
__all__ = [*transforms.__all__]
