"""`gymnasium.wrappers`: what is often put around an environment."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from .core import ActionWrapper, ObservationWrapper, RewardWrapper, Step, Wrapper
from .spaces import Box

__all__ = [
    "ClipAction", "FlattenObservation", "NormalizeObservation", "NormalizeReward", "RecordEpisodeStatistics", "RecordVideo",
    "RescaleAction", "TimeLimit", "TransformObservation", "TransformReward",
]  # fmt: skip


class RecordEpisodeStatistics(Wrapper):
    """Says in `info["episode"]` of an episode's last step what it earned ("r"), its steps ("l") and its seconds ("t")."""

    def __init__(self, env: Any, buffer_length: int = 100, stats_key: str = "episode", deque_size: int | None = None) -> None:
        super().__init__(env)
        most = buffer_length if deque_size is None else deque_size
        self.return_queue: deque[float] = deque(maxlen=most)
        self.length_queue: deque[int] = deque(maxlen=most)
        self.time_queue: deque[float] = deque(maxlen=most)
        self.episode_count = 0
        self.episode_returns, self.episode_lengths = 0.0, 0
        self._key, self._began = stats_key, time.perf_counter()

    def reset(self, **kwargs: Any) -> Any:
        """Begin an episode."""
        self.episode_returns, self.episode_lengths, self._began = 0.0, 0, time.perf_counter()
        return super().reset(**kwargs)

    def step(self, action: Any) -> Step:
        """Act once."""
        seen, reward, over, late, info = super().step(action)
        self.episode_returns += reward
        self.episode_lengths += 1
        if over or late:
            self.episode_count += 1
            took = round(time.perf_counter() - self._began, 6)
            info = {**info, self._key: {"r": self.episode_returns, "l": self.episode_lengths, "t": took}}
            self.return_queue.append(self.episode_returns)
            self.length_queue.append(self.episode_lengths)
            self.time_queue.append(took)
        return seen, reward, over, late, info


class RecordVideo(Wrapper):
    """Records nothing: there are no pictures of environments."""

    def __init__(self, env: Any, video_folder: Any = "", *_: Any, **__: Any) -> None:
        super().__init__(env)


class TimeLimit(Wrapper):
    """Ends an episode after so many steps."""

    def __init__(self, env: Any, max_episode_steps: int) -> None:
        super().__init__(env)
        self._max_episode_steps, self._elapsed_steps = max_episode_steps, 0

    def reset(self, **kwargs: Any) -> Any:
        """Begin an episode."""
        self._elapsed_steps = 0
        return super().reset(**kwargs)

    def step(self, action: Any) -> Step:
        """Act once."""
        seen, reward, over, late, info = super().step(action)
        self._elapsed_steps += 1
        return seen, reward, over, late or self._elapsed_steps >= self._max_episode_steps, info


class ClipAction(ActionWrapper):
    """Brings actions within the bounds of their space."""

    def action(self, action: Any) -> Any:
        """The nearest one within."""
        within = self.env.action_space
        return np.clip(action, within.low, within.high)


class RescaleAction(ActionWrapper):
    """Takes actions between two numbers for those between the bounds of their space."""

    def __init__(self, env: Any, min_action: Any, max_action: Any) -> None:
        super().__init__(env)
        within = env.action_space
        self.min_action = np.zeros(within.shape, within.dtype) + min_action
        self.max_action = np.zeros(within.shape, within.dtype) + max_action
        self.action_space = Box(self.min_action, self.max_action, within.shape, within.dtype)

    def action(self, action: Any) -> Any:
        """The one that it stands for."""
        within = self.env.action_space
        share = (np.asarray(action) - self.min_action) / (self.max_action - self.min_action)
        return np.clip(within.low + (within.high - within.low) * share, within.low, within.high)


class FlattenObservation(ObservationWrapper):
    """Gives observations as one row."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        within = env.observation_space
        self.observation_space = Box(within.low.reshape(-1), within.high.reshape(-1), dtype=within.dtype)

    def observation(self, observation: Any) -> Any:
        """The row."""
        return np.asarray(observation).reshape(-1)


class TransformObservation(ObservationWrapper):
    """Gives what a function makes of observations."""

    def __init__(self, env: Any, func: Callable[[Any], Any], observation_space: Any = None) -> None:
        super().__init__(env)
        self.func = func
        if observation_space is not None:
            self.observation_space = observation_space

    def observation(self, observation: Any) -> Any:
        """What it makes of one."""
        return self.func(observation)


class TransformReward(RewardWrapper):
    """Gives what a function makes of rewards."""

    def __init__(self, env: Any, func: Callable[[Any], Any]) -> None:
        super().__init__(env)
        self.func = func

    def reward(self, reward: Any) -> Any:
        """What it makes of one."""
        return self.func(reward)


class RunningMeanStd:
    """Mean and variance of all that was seen."""

    def __init__(self, epsilon: float = 1e-4, shape: Any = ()) -> None:
        self.mean, self.var, self.count = np.zeros(shape, np.float64), np.ones(shape, np.float64), epsilon

    def update(self, x: Any) -> None:
        """Take some more, the first dimension being that of samples."""
        mean, var, count = np.mean(x, axis=0), np.var(x, axis=0), len(x)
        apart, total = mean - self.mean, self.count + count
        self.mean = self.mean + apart * count / total
        self.var = (self.var * self.count + var * count + np.square(apart) * self.count * count / total) / total
        self.count = total


class NormalizeObservation(ObservationWrapper):
    """Gives observations with mean zero and variance one, as far as both are known."""

    def __init__(self, env: Any, epsilon: float = 1e-8) -> None:
        super().__init__(env)
        self.obs_rms, self.epsilon, self.update_running_mean = RunningMeanStd(shape=env.observation_space.shape), epsilon, True

    def observation(self, observation: Any) -> Any:
        """One of them."""
        if self.update_running_mean:
            self.obs_rms.update(np.array([observation]))
        return np.float32((observation - self.obs_rms.mean) / np.sqrt(self.obs_rms.var + self.epsilon))


class NormalizeReward(Wrapper):
    """Gives rewards divided by how far what is earned, discounted, varies."""

    def __init__(self, env: Any, gamma: float = 0.99, epsilon: float = 1e-8) -> None:
        super().__init__(env)
        self.return_rms, self.gamma, self.epsilon = RunningMeanStd(), gamma, epsilon
        self.discounted_reward: Any = np.array([0.0])

    def step(self, action: Any) -> Step:
        """Act once."""
        seen, reward, over, late, info = super().step(action)
        self.discounted_reward = self.discounted_reward * self.gamma * (1 - over) + float(reward)
        self.return_rms.update(self.discounted_reward)
        return seen, reward / np.sqrt(self.return_rms.var + self.epsilon), over, late, info
