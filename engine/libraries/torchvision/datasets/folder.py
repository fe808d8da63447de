"""`torchvision.datasets.folder`: the file that these datasets stand in."""

from __future__ import annotations

from . import ImageFolder

__all__ = ["ImageFolder"]
