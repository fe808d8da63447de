"""`gymnasium`: CartPole, Pendulum and MountainCar, and wrappers of a program's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .cartpole import CartPole
from .control import MountainCar, Pendulum
from .core import ActionWrapper, Env, ObservationWrapper, RewardWrapper, Spec, Wrapper

__all__ = ["ActionWrapper", "Env", "ObservationWrapper", "RewardWrapper", "Wrapper", "make"]
__version__ = "1.2.0"

ENVIRONMENTS: dict[str, tuple[Callable[..., Env], int, float | None]] = {
    "CartPole-v0": (CartPole, 200, 195.0),
    "CartPole-v1": (CartPole, 500, 475.0),
    "MountainCar-v0": (MountainCar, 200, -110.0),
    "Pendulum-v0": (Pendulum, 200, None),
    "Pendulum-v1": (Pendulum, 200, None),
}
"""Name → the class, how many steps an episode has at most, and the mean reward from which it counts as solved."""


def make(id: str, max_episode_steps: int | None = None, **kwargs: Any) -> Any:
    """An environment by its name.

    Raises:
        NotImplementedError: for one that is not here.
    """
    if id not in ENVIRONMENTS:
        raise NotImplementedError(f"the environment '{id}' is not here; there are: {', '.join(ENVIRONMENTS)}")
    kind, most, solved = ENVIRONMENTS[id]
    given = {"g": kwargs["g"]} if kind is Pendulum and "g" in kwargs else {}
    return kind(Spec(id, max_episode_steps or most, solved), **given)
