"""`gym`: as `gymnasium`, which followed it, with the steps that the program was written for."""

from __future__ import annotations

from functools import partial
from typing import Any

from .. import gymnasium
from ..gymnasium import core
from .forms import Formed

__all__ = ["ActionWrapper", "Env", "ObservationWrapper", "RewardWrapper", "Wrapper", "make"]
__version__ = "0.26.2"


Env = core.Env


class Wrapper(Formed, core.Wrapper):
    """As `gymnasium.Wrapper`."""


class ObservationWrapper(Formed, core.ObservationWrapper):
    """As `gymnasium.ObservationWrapper`; the method may have its name of before version 0.10."""

    def observation(self, observation: Any) -> Any:
        """What `_observation` makes of it."""
        return _older(self, "_observation")(observation)


class RewardWrapper(Formed, core.RewardWrapper):
    """As `gymnasium.RewardWrapper`; the method may have its name of before version 0.10."""

    def reward(self, reward: Any) -> Any:
        """What `_reward` makes of it."""
        return _older(self, "_reward")(reward)


class ActionWrapper(Formed, core.ActionWrapper):
    """As `gymnasium.ActionWrapper`; the method may have its name of before version 0.10."""

    def action(self, action: Any) -> Any:
        """What `_action` makes of it."""
        return _older(self, "_action")(action)


def _older(wrapper: Any, name: str) -> Any:
    """A method of a program's class by the name that it had before version 0.10; NotImplementedError where there is none."""
    method = getattr(type(wrapper), name, None)
    if method is None:
        raise NotImplementedError
    return partial(method, wrapper)


class _Made(Wrapper):
    def __repr__(self) -> str:
        return repr(self.env)

    @property
    def unwrapped(self) -> Any:
        """There is nothing around it."""
        return self.env


def make(id: str, max_episode_steps: int | None = None, **kwargs: Any) -> Any:
    """An environment by its name; NotImplementedError for one that is not here."""
    return _Made(gymnasium.make(id, max_episode_steps, **kwargs))
