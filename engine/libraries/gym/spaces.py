"""`gym.spaces`."""

from __future__ import annotations

from ..gymnasium.spaces import Box, Discrete, MultiDiscrete, Space

__all__ = ["Box", "Discrete", "MultiDiscrete", "Space"]
