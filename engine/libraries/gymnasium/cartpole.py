"""CartPole: a pole that stands on a cart, after Barto, Sutton and Anderson (1983), with gymnasium's numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .core import Env, Spec, Step
from .spaces import Box, Discrete

GRAVITY, CART, POLE, HALF_LENGTH, FORCE, TAU = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
"""In m/s², kg, kg, m, N and s."""
FARTHEST, STEEPEST = 2.4, 12 * 2 * math.pi / 360
"""Where an episode ends: metres from the middle, and radians."""


class CartPole(Env):
    """The environment: `reset` gives an observation (4,), `step` takes 0 (left) or 1 (right)."""

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 50}
    reward_range = (-math.inf, math.inf)

    def __init__(self, spec: Spec) -> None:
        high = np.array([FARTHEST * 2, np.inf, STEEPEST * 2, np.inf], np.float32)
        self.action_space, self.observation_space = Discrete(2), Box(-high, high)
        self.spec, self._most = spec, spec.max_episode_steps or math.inf
        self.gravity, self.masscart, self.masspole, self.length = GRAVITY, CART, POLE, HALF_LENGTH
        self.total_mass, self.polemass_length = CART + POLE, POLE * HALF_LENGTH
        self.force_mag, self.tau, self.kinematics_integrator = FORCE, TAU, "euler"
        self.x_threshold, self.theta_threshold_radians = FARTHEST, STEEPEST
        self.state: Any = None
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with the pole nearly upright."""
        self._begin(seed)
        self.state, self._steps = self._random.uniform(low=-0.05, high=0.05, size=(4,)), 0
        return np.array(self.state, np.float32), {}

    def step(self, action: Any) -> Step:
        """Push for 20 ms: observation, reward, whether the pole fell, whether the time is up, and nothing more."""
        if not self.action_space.contains(action):
            raise AssertionError(f"{action!r} ({type(action)}) invalid")
        if self.state is None:
            raise AssertionError("Call reset before using step method.")
        x, speed, angle, turning = self.state
        cosine, sine, mass, tau = np.cos(angle), np.sin(angle), self.total_mass, self.tau
        force = self.force_mag if action == 1 else -self.force_mag
        pushed = (force + self.polemass_length * np.square(turning) * sine) / mass
        turn = (self.gravity * sine - cosine * pushed) / (self.length * (4.0 / 3.0 - self.masspole * np.square(cosine) / mass))
        push = pushed - self.polemass_length * turn * cosine / mass
        fallen = self._is_over()
        self.state = np.array((x + tau * speed, speed + tau * push, angle + tau * turning, turning + tau * turn), np.float64)
        self._steps += 1
        reward = 0.0 if fallen else 1.0
        return np.array(self.state, np.float32), reward, self._is_over(), self._steps >= self._most, {}

    def _is_over(self) -> bool:
        return bool(abs(self.state[0]) > self.x_threshold or abs(self.state[2]) > self.theta_threshold_radians)

    def __repr__(self) -> str:
        assert self.spec is not None
        return f"<TimeLimit<OrderEnforcing<PassiveEnvChecker<CartPoleEnv<{self.spec.id}>>>>>"
