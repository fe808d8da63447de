"""A pendulum to be swung up and a car between two hills (Moore, 1990), with gymnasium's numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .core import Env, Spec, Step
from .spaces import Box, Discrete

FASTEST, STRONGEST, SECONDS, GRAVITY = 8.0, 2.0, 0.05, 10.0
"""Of the pendulum, in rad/s, N m, s and m/s²; its mass is 1 kg and its length 1 m."""
LEFT, RIGHT, GOAL, TOP_SPEED, PUSH, SLOPE = -1.2, 0.6, 0.5, 0.07, 0.001, 0.0025
"""Of the car."""


class Pendulum(Env):
    """`reset` gives cosine, sine and angular speed (3,), `step` takes a torque (1,); standing still upright costs nothing."""

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 30}

    def __init__(self, spec: Spec, g: float = GRAVITY) -> None:
        high = np.array([1.0, 1.0, FASTEST], np.float32)
        torque = np.array([STRONGEST], np.float32)
        self.action_space, self.observation_space = Box(-torque, torque), Box(-high, high)
        self.spec, self._most, self._g = spec, spec.max_episode_steps or math.inf, float(g)
        self._state: Any = None
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode at any angle."""
        self._begin(seed)
        high = np.array([np.pi, 1.0])
        self._state, self._steps = self._random.uniform(low=-high, high=high), 0
        return self._seen(), {}

    def step(self, action: Any) -> Step:
        """Turn for 50 ms."""
        if self._state is None:
            raise AssertionError("Call reset before using step method.")
        angle, speed = self._state
        torque = np.clip(action, -STRONGEST, STRONGEST)[0]
        cost = ((angle + np.pi) % (2 * np.pi) - np.pi) ** 2 + 0.1 * speed**2 + 0.001 * (torque**2)
        faster = speed + (3 * self._g / 2 * np.sin(angle) + 3.0 * torque) * SECONDS
        faster = np.clip(faster, -FASTEST, FASTEST)
        self._state = np.array([angle + faster * SECONDS, faster])
        self._steps += 1
        return self._seen(), -cost, False, self._steps >= self._most, {}

    def _seen(self) -> Any:
        angle, speed = self._state
        return np.array([np.cos(angle), np.sin(angle), speed], np.float32)

    def __repr__(self) -> str:
        assert self.spec is not None
        return f"<TimeLimit<OrderEnforcing<PassiveEnvChecker<PendulumEnv<{self.spec.id}>>>>>"


class MountainCar(Env):
    """`reset` gives place and speed (2,), `step` takes 0 (left), 1 (nothing) or 2 (right); each step costs 1 until the goal."""

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 30}

    def __init__(self, spec: Spec) -> None:
        low, high = np.array([LEFT, -TOP_SPEED], np.float32), np.array([RIGHT, TOP_SPEED], np.float32)
        self.action_space, self.observation_space = Discrete(3), Box(low, high)
        self.spec, self._most = spec, spec.max_episode_steps or math.inf
        self._state: Any = None
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode between the hills."""
        self._begin(seed)
        self._state, self._steps = np.array([self._random.uniform(low=-0.6, high=-0.4), 0]), 0
        return np.array(self._state, np.float32), {}

    def step(self, action: Any) -> Step:
        """Drive on."""
        if not self.action_space.contains(action):
            raise AssertionError(f"{action!r} ({type(action)}) invalid")
        if self._state is None:
            raise AssertionError("Call reset before using step method.")
        place, speed = self._state
        speed += (action - 1) * PUSH + math.cos(3 * place) * (-SLOPE)
        speed = np.clip(speed, -TOP_SPEED, TOP_SPEED)
        place = np.clip(place + speed, LEFT, RIGHT)
        if place == LEFT and speed < 0:
            speed = 0
        self._state = (place, speed)
        self._steps += 1
        return np.array(self._state, np.float32), -1.0, bool(place >= GOAL and speed >= 0), self._steps >= self._most, {}

    def __repr__(self) -> str:
        assert self.spec is not None
        return f"<TimeLimit<OrderEnforcing<PassiveEnvChecker<MountainCarEnv<{self.spec.id}>>>>>"
