# ruff: noqa: E501  (programs are written as they are)
"""CartPole: for the same seeds the episodes of gymnasium 1.4."""

from __future__ import annotations

import numpy as np
import pytest

from engine.libraries import gym, gymnasium
from engine.libraries.gym import spaces as older
from engine.libraries.gymnasium import spaces
from engine.sandbox import run

EPISODES = {
    0: (18, [0.06748709827661514, 1.1702202558517456, -0.23051922023296356, -2.3516910076141357]),
    1: (29, [0.07347968220710754, 0.2742626965045929, -0.22721044719219208, -1.0239938497543335]),
    2: (14, [-0.14390738308429718, -0.4270971715450287, 0.21873021125793457, 0.9333974719047546]),
}
"""Seed of the environment and of the actions → how many steps the pole stands, and where it ends."""


@pytest.mark.parametrize("seed", EPISODES)
def test_an_episode_is_gymnasiums(seed: int) -> None:
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=seed)
    env.action_space.seed(seed)
    steps, over = 0, False
    while not over:
        seen, reward, over, truncated, info = env.step(env.action_space.sample())
        steps += 1
        assert (reward, truncated, info) == (1.0, False, {})
    assert (steps, seen.tolist(), seen.dtype) == (*EPISODES[seed], np.float32)
    assert env.step(0)[1] == 0.0, "nothing more is earned"


def test_an_episode_ends_in_time() -> None:
    env = gym.make("CartPole-v0")
    env.reset(seed=0)
    for _ in range(199):
        env._state = np.zeros(4)
        assert not env.step(0)[3]
    assert env.step(1)[3]
    assert env.unwrapped is env


def test_what_is_wrong() -> None:
    env = gymnasium.make("CartPole-v1")
    with pytest.raises(AssertionError, match="Call reset before"):
        env.step(0)
    with pytest.raises(AssertionError, match="invalid"):
        env.step(2)
    with pytest.raises(NotImplementedError, match="CartPole-v1"):
        gymnasium.make("Pong-v4")


def test_spaces() -> None:
    env = gymnasium.make("CartPole-v1")
    assert env.observation_space.shape == (4,)
    assert env.observation_space.contains(env.reset(seed=1)[0])
    assert (repr(env.action_space), env.action_space.n) == ("Discrete(2)", 2)
    assert older.Box is spaces.Box
    assert env.metadata["render_fps"] == 50
    assert env.reward_range[1] == float("inf")


def test_a_run_without_seeds_of_its_own_can_be_repeated() -> None:
    text = "import gymnasium as gym\nenv = gym.make('CartPole-v1')\ns, _ = env.reset()\nprint(s, env.step(env.action_space.sample())[0])"
    assert run(text, seed=3).output == run(text, seed=3).output != run(text, seed=4).output
