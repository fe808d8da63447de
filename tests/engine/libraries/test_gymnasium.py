# ruff: noqa: E501  (programs are written as they are)
"""CartPole: for the same seeds the episodes of gymnasium 1.4."""

from __future__ import annotations

import numpy as np
import pytest

from engine.libraries import gym, gymnasium
from engine.libraries.gym import spaces as older
from engine.libraries.gymnasium import spaces, vector, wrappers
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
        env.unwrapped._state = np.zeros(4)
        assert not env.step(0)[3]
    assert env.step(1)[3]
    assert env.unwrapped is not env
    assert env.unwrapped.unwrapped is env.unwrapped


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


FORMS = """
import gym
import numpy as np
env = gym.make('CartPole-v1')
env.seed(1)
state = env.reset()
print(state.shape, env.spec.reward_threshold, env.spec.max_episode_steps)
state, reward, done, _ = env.step(0)
print(state.shape, reward, done)
state, info = env.reset(seed=1)
state, reward, over, late, info = env.step(0)
print(reward, over, late, info)
class NormalizedActions(gym.ActionWrapper):
    def action(self, action):
        low, high = self.action_space.low, self.action_space.high
        return np.clip(low + (action + 1.0) * 0.5 * (high - low), low, high)
env = NormalizedActions(gym.make('Pendulum-v0'))
state = env.reset()
state, reward, done, _ = env.step(np.array([0.3]))
print(state.shape, reward < 0, done, env.action_space.shape, env.observation_space.shape)
def acted(env, action):
    return env.step(action)
print(len(acted(env, np.array([0.1]))), len(env.reset()))
class Older(gym.ActionWrapper):
    def _action(self, action): return 1 - action
print(Older(gym.make('CartPole-v0')).reset()[0].shape)
env = Older(gym.make('CartPole-v0'))
env.reset()
state, reward, done, _ = env.step(0)
print(reward)
class Mine(gym.Env):
    def reset(self): self.t = 0; return np.zeros(2)
    def step(self, a): self.t += 1; return np.zeros(2), 1.0, self.t > 3, {}
class Tenfold(gym.Wrapper):
    def reset(self, **kwargs):
        state = self.env.reset(**kwargs)
        return state
    def step(self, action):
        state, reward, done, info = self.env.step(action)
        return state, reward * 10, done, info
for env in (Mine(), Tenfold(gym.make('CartPole-v0')), Tenfold(Mine())):
    state = env.reset()
    state, reward, done, info = env.step(0)
    print(state.shape, reward, done, info)
"""


def test_gym_steps_as_the_program_takes_them_apart() -> None:
    result = run(FORMS)
    assert result.status == "ok", result.error
    assert result.output.splitlines() == [
        "gym: steps and resets are here as they were before version 0.26 where a program takes them so.",
        "(4,) 475.0 500", "(4,) 1.0 False", "1.0 False False {}", "(3,) True False (1,) (3,)", "5 2", "(4,)", "1.0",
        "(2,) 1.0 False {}", "(4,) 10.0 False {}", "(2,) 10.0 False {}",
    ]  # fmt: skip


def test_gymnasium_always_gives_five_values() -> None:
    result = run(
        "import gymnasium as gym\nenv = gym.make('CartPole-v1')\nstate = env.reset()\nprint(len(state))\na, b, c, d = env.step(0)"
    )
    assert result.output == "2\n"
    assert result.error is not None
    assert result.error.message == "too many values to unpack (expected 4)"


def test_a_pendulum_swings_as_gymnasiums() -> None:
    env = gymnasium.make("Pendulum-v1")
    env.reset(seed=0)
    env._state = np.array([np.pi / 2, 0.0])
    seen, reward, over, late, info = env.step(np.array([1.0], np.float32))
    # From its equations: 3 g / 2 l sin(π / 2) + 3 / m l² for 0.05 s.
    np.testing.assert_allclose(seen, [np.cos(np.pi / 2 + 0.045), np.sin(np.pi / 2 + 0.045), 0.9], atol=1e-6)
    np.testing.assert_allclose(reward, -((np.pi / 2) ** 2 + 0.001))
    assert (over, late, info) == (False, False, {})
    for _ in range(198):
        assert not env.step([5.0])[3]
    assert env.step([0.0])[3]


def test_a_car_comes_over_the_hill_by_swinging() -> None:
    env = gymnasium.make("MountainCar-v0")
    seen, _ = env.reset(seed=3)
    assert -0.6 <= seen[0] <= -0.4
    steps, over, late = 0, False, False
    while not (over or late):
        seen, reward, over, late, _ = env.step(2 if seen[1] >= 0 else 0)
        steps += 1
        assert reward == -1.0
    assert over
    assert 100 < steps < 150
    assert seen[0] >= 0.5


@pytest.mark.parametrize(
    "program",
    [
        "w.env = np.zeros(3)\nw.setflags(write=True)",
        "w.env = np.random.default_rng(0)\nprint(w.bit_generator)",
        "w.env = np.zeros(3)\nprint(w.base)",
        "gym.Wrapper(np.zeros(3))",
        "print(gym.Wrapper.__getattr__(w, '__class__'))",
        "print(w._random, w.__getattr__('_state'))",
    ],
)
def test_a_wrapper_hands_on_nothing_but_environments(program: str) -> None:
    result = run(f"import gym\nimport numpy as np\nw = gym.Wrapper(gym.make('CartPole-v1'))\n{program}")
    assert result.status in ("error", "policy"), result.output
    assert result.output == ""


def test_the_numbers_of_a_cart_can_be_read_and_changed() -> None:
    program = """
import gym
env = gym.make("CartPole-v1").unwrapped
print(env.x_threshold, round(env.theta_threshold_radians, 4), env.force_mag, env.total_mass)
env.reset()
env.state = (0.0, 0.0, 0.0, 0.0)
print(float(env.step(1)[0][1]) > 0)
env.x_threshold = 0.0
print(env.step(1)[2])
"""
    assert run(program).output == "2.4 0.2094 10.0 1.1\nTrue\nTrue\n"


def test_boxes_are_drawn_from_as_gymnasiums() -> None:
    box = gymnasium.make("Pendulum-v1").action_space
    box.seed(0)
    assert box.sample().tolist() == [pytest.approx(0.5478467)]
    made = spaces.Box(low=-1.0, high=1.0, shape=(3,))
    assert (repr(made), made.low.dtype) == ("Box(-1.0, 1.0, (3,), float32)", np.float32)
    half = spaces.Box(np.array([0, -np.inf, -np.inf]), np.array([np.inf, 0, np.inf]))
    assert half.contains(half.sample())
    whole = spaces.Box(0, 3, (4,), np.int64)
    assert whole.contains(whole.sample())
    several = spaces.MultiDiscrete([2, 3])
    assert (several.contains(several.sample()), repr(several)) == (True, "MultiDiscrete([2 3])")


def test_several_environments_act_at_once() -> None:
    envs = vector.SyncVectorEnv([lambda: wrappers.RecordEpisodeStatistics(gymnasium.make("CartPole-v1")) for _ in range(2)])
    seen, info = envs.reset(seed=3)
    assert (seen.shape, info, envs.num_envs, repr(envs.action_space)) == ((2, 4), {}, 2, "MultiDiscrete([2 2])")
    assert seen[1].tolist() == gymnasium.make("CartPole-v1").reset(seed=4)[0].tolist()
    steps = 0
    over = np.zeros(2, bool)
    while not over[0]:
        seen, rewards, over, _, info = envs.step(np.array([1, steps % 2]))
        steps += 1
    assert (info["episode"]["l"].tolist(), info["_episode"].tolist()) == ([steps, 0], [True, False])
    assert rewards.dtype == np.float64
    seen, rewards, over, _, info = envs.step([1, 0])
    assert (rewards[0], bool(over[0]), info) == (0.0, False, {}), "the next step begins a new episode"
    assert envs.call("episode_lengths")[0] == 0
    with pytest.raises(AttributeError):
        envs.call("_random")
    envs.close()


def test_wrappers() -> None:
    make = gymnasium.make
    late = wrappers.TimeLimit(make("CartPole-v1"), 2)
    late.reset(seed=1)
    assert [late.step(0)[3] for _ in range(2)] == [False, True]
    clipped = wrappers.ClipAction(make("Pendulum-v1"))
    scaled = wrappers.RescaleAction(make("Pendulum-v1"), -1, 1)
    assert (clipped.action(np.array([9.0])), scaled.action(np.array([0.5]))) == (np.array([2.0]), np.array([1.0]))
    assert repr(scaled.action_space) == "Box(-1.0, 1.0, (1,), float32)"
    seen = wrappers.NormalizeObservation(wrappers.FlattenObservation(make("CartPole-v1"))).reset(seed=1)[0]
    assert (seen.dtype, seen.shape) == (np.float32, (4,))
    given = wrappers.TransformReward(wrappers.TransformObservation(make("CartPole-v1"), lambda x: x * 0), lambda r: r / 2)
    assert given.reset()[0].tolist() == [0] * 4
    assert given.step(1)[1] == 0.5
    normal = wrappers.NormalizeReward(wrappers.RecordVideo(make("CartPole-v1"), "videos"))
    normal.reset()
    assert normal.step(1)[1] == pytest.approx(70.714, abs=0.01)


OLDER_WRAPPER = """
import gym
env = gym.wrappers.RecordEpisodeStatistics(gym.make('CartPole-v1'))
state = env.reset()
done = False
while not done:
    state, reward, done, info = env.step(0)
print(info['episode']['r'] == info['episode']['l'] > 5)
"""


def test_wrappers_of_gym_give_what_the_program_takes() -> None:
    assert run(OLDER_WRAPPER, seed=1).output.endswith("True\n")
