"""`torchvision.transforms`."""

from __future__ import annotations

from .chance import (
    ColorJitter,
    GaussianBlur,
    RandomAffine,
    RandomApply,
    RandomChoice,
    RandomCrop,
    RandomErasing,
    RandomGrayscale,
    RandomHorizontalFlip,
    RandomInvert,
    RandomOrder,
    RandomResizedCrop,
    RandomRotation,
    RandomTransforms,
    RandomVerticalFlip,
)
from .functional import InterpolationMode
from .shaping import (
    CenterCrop,
    Compose,
    ConvertImageDtype,
    FiveCrop,
    Grayscale,
    Lambda,
    Normalize,
    Pad,
    PILToTensor,
    Resize,
    ToPILImage,
    ToTensor,
)

__all__ = [
    "CenterCrop", "ColorJitter", "Compose", "ConvertImageDtype", "FiveCrop", "GaussianBlur", "Grayscale", "InterpolationMode",
    "Lambda", "Normalize", "PILToTensor", "Pad", "RandomAffine", "RandomApply", "RandomChoice", "RandomCrop", "RandomErasing",
    "RandomGrayscale", "RandomHorizontalFlip", "RandomInvert", "RandomOrder", "RandomResizedCrop", "RandomRotation",
    "RandomTransforms", "RandomVerticalFlip", "Resize", "ToPILImage", "ToTensor",
]  # fmt: skip
