"""`gym.vector`."""

from __future__ import annotations

from ..gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

__all__ = ["AsyncVectorEnv", "SyncVectorEnv", "VectorEnv"]
