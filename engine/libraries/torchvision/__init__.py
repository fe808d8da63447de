"""`torchvision`: transforms that compute, datasets that are made up, and models without weights."""

from __future__ import annotations

__version__ = "0.28.0"
