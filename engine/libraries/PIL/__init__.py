"""`PIL`: pictures in memory, as far as programs that train on them go."""

from __future__ import annotations

__version__ = "12.0.0"
