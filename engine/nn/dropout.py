"""Dropout: in training, some elements or channels are zeroed at random."""

from __future__ import annotations

from typing import Any

from .functional_module import Wrapped


class _DropoutNd(Wrapped, shows="p={p}, inplace={inplace}", trains=True):
    """`p` is the probability that an element, or channel, is zeroed."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self._set_up(p=p, inplace=inplace)


class Dropout(_DropoutNd, calls="dropout"):
    """Zeroes elements and scales the others by 1/(1 - p). Hinton et al. (2012), Preventing co-adaptation."""


class Dropout1d(_DropoutNd, calls="dropout1d"):
    """Zeroes whole channels of (N, C, L). Tompson et al. (2014)."""


class Dropout2d(_DropoutNd, calls="dropout2d"):
    """Zeroes whole channels of (N, C, H, W). Tompson et al. (2014)."""


class Dropout3d(_DropoutNd, calls="dropout3d"):
    """Zeroes whole channels of (N, C, D, H, W). Tompson et al. (2014)."""


class _AlphaDropout(_DropoutNd):
    """Dropout that, as PyTorch's, never works in place, whatever was said."""

    def _set_up(self, **settings: Any) -> None:
        super()._set_up(**settings)
        self._settings = ("p",)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._settings = ("p",)


class AlphaDropout(_AlphaDropout, calls="alpha_dropout"):
    """Keeps mean and variance for SELU networks. Klambauer et al. (2017), Self-normalizing neural networks."""


class FeatureAlphaDropout(_AlphaDropout, calls="feature_alpha_dropout"):
    """AlphaDropout of whole channels."""
