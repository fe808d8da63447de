"""Environments and what is put around them: `Env`, `Wrapper` and its three kinds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...safe_attributes import read

Step = tuple[Any, Any, bool, bool, dict[str, Any]]


class Spec:
    """What is known of an environment: its name, its longest episode, and the mean reward from which it counts as solved."""

    def __init__(self, id: str, max_episode_steps: int | None, reward_threshold: float | None) -> None:
        self.id, self.max_episode_steps, self.reward_threshold = id, max_episode_steps, reward_threshold

    def __repr__(self) -> str:
        return f"EnvSpec(id={self.id!r}, reward_threshold={self.reward_threshold}, max_episode_steps={self.max_episode_steps})"


class Env:
    """What an agent acts in: `reset` gives the first observation, `step` takes an action. Programs define their own."""

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode: Any = None
    spec: Spec | None = None
    action_space: Any = None
    observation_space: Any = None
    _random: Any = None

    @property
    def np_random(self) -> Any:
        """The generator of the environment; without a seed it begins with a number from NumPy's shared one."""
        if self._random is None:
            self._begin(None)
        return self._random

    @property
    def unwrapped(self) -> Any:
        """The environment within all wrappers."""
        return self

    def _begin(self, seed: Any) -> None:
        """Begin the generator: with the seed, or by chance where it has not begun yet."""
        if seed is not None or self._random is None:
            begin = int(np.random.randint(2**31)) if seed is None else int(seed)
            self._random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(begin)))

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        """Begin an episode."""
        self._begin(seed)

    def step(self, action: Any) -> Any:
        """Act once."""
        raise NotImplementedError

    def render(self, *_: Any, **__: Any) -> Any:
        """There is no window."""

    def close(self) -> None:
        """Nothing is open."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Wrapper(Env):
    """An environment around another one, of which it has what it does not have itself."""

    def __init__(self, env: Any) -> None:
        if not isinstance(env, Env):
            raise AssertionError(f"Expected env to be a `gymnasium.Env` but got {type(env)}")
        self.env = env

    def __getattribute__(self, name: str) -> Any:
        if name in ("action_space", "observation_space", "spec", "metadata", "render_mode"):
            own = object.__getattribute__(self, "__dict__")
            # Of another thing than an environment, which may have been put there, nothing is handed on.
            return getattr(own["env"], name) if name not in own and isinstance(own.get("env"), Env) else own.get(name)
        return object.__getattribute__(self, name)

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_" or name == "env":
            raise AttributeError(f"accessing private attribute '{name}' is prohibited")
        if not isinstance(self.env, Env):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return read(self.env, name)

    @property
    def unwrapped(self) -> Any:
        """The environment within all wrappers."""
        return self.env.unwrapped

    def reset(self, **kwargs: Any) -> Any:
        """Begin an episode."""
        return self.env.reset(**kwargs)

    def step(self, action: Any) -> Any:
        """Act once."""
        return self.env.step(action)

    def render(self, *_: Any, **__: Any) -> Any:
        """There is no window."""

    def close(self) -> None:
        """Close what is within."""
        self.env.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}{self.env!r}>"


class ObservationWrapper(Wrapper):
    """Gives what its method `observation` makes of each observation."""

    def reset(self, **kwargs: Any) -> Any:
        """Begin an episode."""
        seen, info = self.env.reset(**kwargs)
        return self.observation(seen), info

    def step(self, action: Any) -> Any:
        """Act once."""
        seen, *others = self.env.step(action)
        return (self.observation(seen), *others)

    def observation(self, observation: Any) -> Any:
        """What is made of an observation."""
        raise NotImplementedError


class RewardWrapper(Wrapper):
    """Gives what its method `reward` makes of each reward."""

    def step(self, action: Any) -> Any:
        """Act once."""
        seen, reward, *others = self.env.step(action)
        return (seen, self.reward(reward), *others)

    def reward(self, reward: Any) -> Any:
        """What is made of a reward."""
        raise NotImplementedError


class ActionWrapper(Wrapper):
    """Does what its method `action` makes of each action."""

    def step(self, action: Any) -> Any:
        """Act once."""
        return self.env.step(self.action(action))

    def action(self, action: Any) -> Any:
        """What is made of an action."""
        raise NotImplementedError
