"""`torch.version`: which PyTorch is followed, and that there is no CUDA."""

from __future__ import annotations

from .compat.version import followed, when_followed
from .torch_version import TorchVersion

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

__version__ = f"{followed()}.0+gradtape"
debug = False
git_version = "Unknown"
cuda = hip = rocm = xpu = None

TORCH_VERSION = TorchVersion(__version__)
"""As `torch.__version__` is: a text that is compared by its numbers."""


def _renew() -> None:
    global __version__, TORCH_VERSION
    __version__ = f"{followed()}.0+gradtape"
    TORCH_VERSION = TorchVersion(__version__)


when_followed(_renew)
