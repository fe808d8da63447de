"""`torch.version`: which PyTorch is followed, and that there is no CUDA."""

from __future__ import annotations

from .torch_version import TorchVersion

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

__version__ = "2.13.0+gradtape"
debug = False
git_version = "Unknown"
cuda = hip = rocm = xpu = None

TORCH_VERSION = TorchVersion(__version__)
"""As `torch.__version__` is: a text that is compared by its numbers."""
