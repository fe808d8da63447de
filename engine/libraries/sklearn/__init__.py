"""`sklearn`: the data, splits, scalers and scores that programs use beside their networks."""

from __future__ import annotations

__version__ = "1.7.2"
