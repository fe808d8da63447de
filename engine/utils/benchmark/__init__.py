"""`torch.utils.benchmark`: how long a statement takes."""

from __future__ import annotations

from .timer import Compare, Measurement, Timer, timer

__all__ = ["Compare", "Measurement", "Timer", "timer"]
