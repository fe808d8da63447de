"""`gym.spaces`."""

from __future__ import annotations

from ..gymnasium.spaces import Box, Discrete

__all__ = ["Box", "Discrete"]
