"""Checks of chapter 12, a reward wrapper."""

import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorEnv, VectorRewardWrapper

import helpers.environments  # noqa: F401
from helpers.exercises import Hint, exercise


def _make(env: str, **kwargs) -> VectorEnv:
    return gym.make_vec(env, 3, vectorization_mode="sync", **kwargs)


@exercise(
    "12.1",
    wrong=[
        ("answer = (10, 1, 20)", "moves the environment on"),
        ("answer = (10, 20, 30)", "not scaled"),
        ("answer = (1, 2, 3)", "through the wrapper"),
        ("answer = (10, 2, 20)", "third step"),
        ("answer = 10", "tuple"),
        ("answer = (10, 10, 10)", "grows"),
    ],
)
def _three_rewards(answer):
    if not isinstance(answer, tuple | list) or len(answer) != 3:
        raise Hint("answer with a tuple of three numbers")
    answer = tuple(answer)
    if answer == (10, 2, 30):
        return
    if answer[0] != 10:
        raise Hint("the first call goes through the wrapper, so its reward of 1 is scaled by 10")
    if answer[1] == 1:
        raise Hint("the second call does not repeat the step: every call moves the environment on")
    if answer[1] == 20:
        raise Hint("the second call goes to the wrapped environment, so its reward is not scaled")
    if answer[1] != 2:
        raise Hint("the reward of StepCounter grows by 1 with every step of an episode")
    raise Hint("the last call is the third step of the environment, whoever made the second, and it is scaled")


class _Tenfold(VectorRewardWrapper):
    def rewards(self, rewards):
        return 10 * rewards


_COMPARE = """def compare(plain, wrapped, steps, seed):
    {seeds}
    left, right = [], []
    for _ in range(steps):
        actions = plain.action_space.sample()
        left.append({left})
        right.append({right})
    return {result}
"""
_RIGHT = {
    "seeds": "plain.reset(seed=seed); wrapped.reset(seed=seed); plain.action_space.seed(seed)",
    "left": "plain.step(actions)[1]",
    "right": "wrapped.step(actions)[1]",
    "result": "np.array(left), np.array(right)",
}


@exercise(
    "12.2",
    wrong=[
        (_COMPARE.format(**_RIGHT | {"left": "wrapped.env.step(actions)[1]"}), "behind the wrapper"),
        (
            _COMPARE.format(
                **_RIGHT | {"seeds": _RIGHT["seeds"].replace("wrapped.reset(seed=seed)", "wrapped.reset()")}
            ),
            "different transitions",
        ),
        (
            _COMPARE.format(**_RIGHT | {"right": "wrapped.step(plain.action_space.sample())[1]"}),
            "different transitions",
        ),
        (
            _COMPARE.format(**_RIGHT | {"seeds": "plain.reset(seed=seed); wrapped.reset(seed=seed)"}),
            "called again",
        ),
        (_COMPARE.format(**_RIGHT | {"seeds": _RIGHT["seeds"].replace("seed=seed", "seed=0")}), "seed you are given"),
        (_COMPARE.format(**_RIGHT | {"result": "np.array(left)"}), "two arrays"),
        (_COMPARE.format(**_RIGHT | {"result": "np.array(left).T, np.array(right).T"}), "shape"),
    ],
)
def _compare(answer):
    def run(seed):
        plain, wrapped = _make("Pendulum-v1", max_episode_steps=7), _Tenfold(_make("Pendulum-v1", max_episode_steps=7))
        steps, seeds = [], []
        inner_step = wrapped.env.step
        wrapped.env.step = lambda actions: steps.append(1) or inner_step(actions)
        for envs in (plain, wrapped.env):

            def reset(*, seed=None, options=None, reset=envs.reset):
                seeds.append(seed)
                return reset(seed=seed, options=options)

            envs.reset = reset
        result = answer(plain, wrapped, 20, seed)
        if len(steps) > 20:
            raise Hint("the wrapped environment made more steps than asked for: one was made behind the wrapper")
        if not isinstance(result, tuple | list) or len(result) != 2:
            raise Hint("return two arrays: the rewards of the plain and those of the wrapped environment")
        return np.asarray(result[0]), np.asarray(result[1]), seeds

    left, right, seeds = run(3)
    if left.shape != (20, 3) or right.shape != (20, 3):
        raise Hint(f"with 20 steps and 3 rows the shape is (20, 3); got {left.shape} and {right.shape}")
    if not np.allclose(10 * left, right):
        raise Hint("the two arrays belong to different transitions: seed both resets and give both the same actions")
    if seeds != [3, 3]:
        raise Hint(f"the resets got the seeds {seeds}, not 3; use the seed you are given")
    if not np.array_equal(left, run(3)[0]):
        raise Hint("called again with the same seed, the numbers differ: seed the action space too")


_BONUS = """class AddBonus(VectorWrapper):
    def reset(self, *, seed=None, options=None):
        {reset}
        return super().reset(seed=seed, options=options)

    def step(self, actions):
        observations, rewards, terminated, truncated, infos = super().step(actions)
        {first}
        {second}
        return observations, rewards, terminated, truncated, infos
"""
_CLEAR = "self.filler = np.zeros(self.num_envs, bool)"
_ADD = "rewards = np.where(self.filler, rewards, rewards + 1)"
_FLAGS = "self.filler = terminated | truncated"


@exercise(
    "12.3",
    wrong=[
        (
            "class AddBonus(VectorRewardWrapper):\n    def rewards(self, rewards):\n        return rewards + 1",
            "filler row got a bonus",
        ),
        (
            "class AddBonus(VectorRewardWrapper):\n"
            "    def rewards(self, rewards):\n        return np.where(rewards == 0, 0, rewards + 1)",
            "may earn 0",
        ),
        (_BONUS.format(reset=_CLEAR, first=_FLAGS, second=_ADD), "last step of an episode"),
        (_BONUS.format(reset=_CLEAR, first=_ADD, second="self.filler = terminated"), "was truncated"),
        (_BONUS.format(reset=_CLEAR, first=_ADD, second="self.filler = truncated"), "was terminated"),
        (
            _BONUS.format(
                reset='self.filler = getattr(self, "filler", np.zeros(self.num_envs, bool))', first=_ADD, second=_FLAGS
            ),
            "forget",
        ),
        (_BONUS.format(reset=_CLEAR, first="pass", second="pass"), "no bonus"),
    ],
)
def _add_bonus(answer):
    def run(env, calls, **kwargs):
        envs = answer(_make(env, **kwargs))
        envs.reset(seed=0)
        actions = np.zeros(3, int)
        return envs, [float(envs.step(actions)[1][0]) for _ in range(calls)]

    for ending in ("terminated", "truncated"):
        envs, rewards = run("book/StepCounter-v0", 5, length=3, ending=ending)
        if rewards[0] == 1:
            raise Hint("the first step earned 1 and got no bonus")
        if rewards[2] == 3:
            raise Hint("the last step of an episode got no bonus: it is real; the filler row comes one call later")
        if rewards[3] != 0:
            raise Hint(f"a filler row got a bonus: the call after an episode that was {ending}")
        if rewards != [2, 3, 4, 0, 2]:
            raise Hint(f"the rewards 1, 2, 3, (filler) 0, 1 should become 2, 3, 4, 0, 2, not {rewards}")
        for _ in range(2):
            envs.step(np.zeros(3, int))
        envs.reset(seed=0)
        if envs.step(np.zeros(3, int))[1][0] != 2:
            raise Hint("after a reset the first step got no bonus: forget the flags in reset")
    _, rewards = run("book/ShortFrozenLake-v0", 3)
    if rewards != [1, 0, 1]:
        raise Hint("a real step may earn 0, and then deserves its bonus; a reward of 0 does not make a filler row")
