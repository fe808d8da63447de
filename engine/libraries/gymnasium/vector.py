"""`gymnasium.vector`: several environments that act at once, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...safe_attributes import read
from .spaces import Box, Discrete, MultiDiscrete

__all__ = ["AsyncVectorEnv", "SyncVectorEnv", "VectorEnv"]


class VectorEnv:
    """Several environments; programs ask whether something is one."""

    num_envs = 0
    single_action_space: Any = None
    single_observation_space: Any = None
    action_space: Any = None
    observation_space: Any = None

    @property
    def unwrapped(self) -> Any:
        """There is nothing around it."""
        return self

    def close(self, **_: Any) -> None:
        """Nothing is open."""


class SyncVectorEnv(VectorEnv):
    """Environments that functions make. One whose episode has ended begins anew with its next step, whatever the action."""

    def __init__(self, env_fns: Sequence[Callable[[], Any]], **_: Any) -> None:
        self.envs = [make() for make in env_fns]
        self.num_envs = len(self.envs)
        self.single_action_space, self.single_observation_space = self.envs[0].action_space, self.envs[0].observation_space
        self.action_space = _several(self.single_action_space, self.num_envs)
        self.observation_space = _several(self.single_observation_space, self.num_envs)
        self.metadata, self.spec = self.envs[0].metadata, self.envs[0].spec
        self._ended = [False] * self.num_envs

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin all episodes; of one seed each gets the next."""
        seeds = [seed + k if isinstance(seed, int) else None for k in range(self.num_envs)]
        if isinstance(seed, list | tuple):
            seeds = list(seed)
        begun = [env.reset(seed=one, options=options) for env, one in zip(self.envs, seeds, strict=True)]
        self._ended = [False] * self.num_envs
        return self._stacked([seen for seen, _ in begun]), _gathered([info for _, info in begun])

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Act once in each."""
        made = []
        for k, (env, action) in enumerate(zip(self.envs, actions, strict=True)):
            if self._ended[k]:
                seen, info = env.reset()
                made.append((seen, 0.0, False, False, info))
            else:
                made.append(env.step(action))
            self._ended[k] = bool(made[-1][2] or made[-1][3])
        seen, rewards, over, late, infos = zip(*made, strict=True)
        return (
            self._stacked(seen), np.array(rewards, np.float64), np.array(over, np.bool_), np.array(late, np.bool_),
            _gathered(infos),
        )  # fmt: skip

    def _stacked(self, seen: Sequence[Any]) -> Any:
        return np.stack([np.asarray(one, self.single_observation_space.dtype) for one in seen])

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each, or read an attribute.

        Raises:
            AttributeError: for a private name.
        """
        if type(name) is not str or name[:1] == "_":
            raise AttributeError(f"accessing private attribute '{name}' is prohibited")
        found = [read(env, name) for env in self.envs]
        return tuple(one(*args, **kwargs) if callable(one) else one for one in found)

    def close(self, **_: Any) -> None:
        """Close all."""
        for env in self.envs:
            env.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(num_envs={self.num_envs})"


class AsyncVectorEnv(SyncVectorEnv):
    """The same: a program is one process."""


def _several(space: Any, count: int) -> Any:
    """The space of so many."""
    if isinstance(space, Discrete):
        return MultiDiscrete([int(space.n)] * count)
    if isinstance(space, Box):
        return Box(np.stack([space.low] * count), np.stack([space.high] * count), dtype=space.dtype)
    return space


def _gathered(infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What is known, by name: arrays over the environments, and which of them said it (`_name`)."""
    found: dict[str, Any] = {}
    for k, info in enumerate(infos):
        for name, value in info.items():
            if isinstance(value, dict):
                before = found.get(name, {})
                found[name] = _merged(before if isinstance(before, dict) else {}, value, k, len(infos))
            else:
                _put(found, name, value, k, len(infos))
                continue
            found.setdefault(f"_{name}", np.zeros(len(infos), np.bool_))[k] = True
    return found


def _merged(before: dict[str, Any], given: dict[str, Any], k: int, count: int) -> dict[str, Any]:
    for name, value in given.items():
        _put(before, name, value, k, count)
    return before


def _put(found: dict[str, Any], name: str, value: Any, k: int, count: int) -> None:
    if name not in found:
        kind = type(value) if type(value) in (bool, int, float) else object
        found[name] = np.zeros(count, kind) if kind is not object else np.full(count, None, object)
    found[name][k] = value
    found.setdefault(f"_{name}", np.zeros(count, np.bool_))[k] = True
