"""`gym`: as `gymnasium`, which followed it, with the steps of its last versions."""

from __future__ import annotations

from ..gymnasium import make

__all__ = ["make"]
__version__ = "0.26.2"
