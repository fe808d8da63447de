"""`torch.distributions.transforms`: all of them, by PyTorch's names."""

from __future__ import annotations

from ..compat.classes import known_as
from .elementwise_transforms import (
    AbsTransform,
    AffineTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
)
from .joined_transforms import CatTransform, StackTransform
from .transform import ComposeTransform, IndependentTransform, Transform, _InverseTransform, identity_transform
from .vector_transforms import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    ReshapeTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
    "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform",
    "SoftplusTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip

known_as("torch.distributions.transforms", _InverseTransform)
known_as("torch.distributions.transforms", *(kind for kind in map(vars().get, __all__) if isinstance(kind, type)))
