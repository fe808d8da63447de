"""`torch.signal`: signal processing."""

from engine.signal import windows

__all__ = ["windows"]
