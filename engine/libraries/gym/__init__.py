"""`gym`: as `gymnasium`, which followed it, with the steps that the program was written for."""

from __future__ import annotations

from functools import partial
from typing import Any

from .. import gymnasium
from ..gymnasium import core
from .forms import begun, stepped

__all__ = ["ActionWrapper", "Env", "ObservationWrapper", "RewardWrapper", "Wrapper", "make"]
__version__ = "0.26.2"


class _Formed:
    """Environments whose values come in the form that the caller takes."""

    def reset(self, **kwargs: Any) -> Any:
        """Begin an episode."""
        return begun(super().reset(**kwargs))  # type: ignore[misc]

    def step(self, action: Any) -> Any:
        """Act once."""
        return stepped(super().step(action))  # type: ignore[misc]

    def seed(self, seed: Any = None) -> list[Any]:
        """Begin the generator, as before version 0.26."""
        within: Any = self
        within.unwrapped._begin(seed)
        return [seed]


Env = core.Env


class Wrapper(_Formed, core.Wrapper):
    """As `gymnasium.Wrapper`."""


class ObservationWrapper(_Formed, core.ObservationWrapper):
    """As `gymnasium.ObservationWrapper`; the method may have its name of before version 0.10."""

    def observation(self, observation: Any) -> Any:
        """What `_observation` makes of it."""
        return _older(self, "_observation")(observation)


class RewardWrapper(_Formed, core.RewardWrapper):
    """As `gymnasium.RewardWrapper`; the method may have its name of before version 0.10."""

    def reward(self, reward: Any) -> Any:
        """What `_reward` makes of it."""
        return _older(self, "_reward")(reward)


class ActionWrapper(_Formed, core.ActionWrapper):
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
