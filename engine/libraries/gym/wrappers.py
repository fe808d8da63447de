"""`gym.wrappers`: those of gymnasium, with the steps that the program was written for."""

from __future__ import annotations

from ..gymnasium import wrappers
from .forms import Formed

__all__ = [
    "ClipAction", "FlattenObservation", "NormalizeObservation", "NormalizeReward", "RecordEpisodeStatistics",
    "RecordVideo", "RescaleAction", "TimeLimit", "TransformObservation", "TransformReward",
]  # fmt: skip


class ClipAction(Formed, wrappers.ClipAction):
    """As `gymnasium.wrappers.ClipAction`."""


class FlattenObservation(Formed, wrappers.FlattenObservation):
    """As `gymnasium.wrappers.FlattenObservation`."""


class NormalizeObservation(Formed, wrappers.NormalizeObservation):
    """As `gymnasium.wrappers.NormalizeObservation`."""


class NormalizeReward(Formed, wrappers.NormalizeReward):
    """As `gymnasium.wrappers.NormalizeReward`."""


class RecordEpisodeStatistics(Formed, wrappers.RecordEpisodeStatistics):
    """As `gymnasium.wrappers.RecordEpisodeStatistics`."""


class RecordVideo(Formed, wrappers.RecordVideo):
    """As `gymnasium.wrappers.RecordVideo`."""


class RescaleAction(Formed, wrappers.RescaleAction):
    """As `gymnasium.wrappers.RescaleAction`."""


class TimeLimit(Formed, wrappers.TimeLimit):
    """As `gymnasium.wrappers.TimeLimit`."""


class TransformObservation(Formed, wrappers.TransformObservation):
    """As `gymnasium.wrappers.TransformObservation`."""


class TransformReward(Formed, wrappers.TransformReward):
    """As `gymnasium.wrappers.TransformReward`."""
