"""Checks of chapter 1, `VectorEnv`."""

import gymnasium as gym
import numpy as np

from helpers.exercises import Hint, exercise


@exercise(
    "01.1",
    wrong=[
        ("answer = (3,)", "one observation"),
        ("answer = (3, 5)", "first axis"),
        ("answer = 15", "a tuple"),
    ],
)
def _batch_shape(answer):
    if not isinstance(answer, tuple):
        raise Hint("a shape is a tuple, such as (2, 4)")
    if answer == (3,):
        raise Hint("that is the shape of one observation; five sub-environments return a batch")
    if answer == (3, 5):
        raise Hint("the batch axis is the first axis: one row for each sub-environment")
    if answer != (5, 3):
        raise Hint("Pendulum's observation has 3 numbers, and there are 5 sub-environments")


@exercise(
    "01.2",
    wrong=[
        ("def count_finished(terminated, truncated):\n    return int(terminated.sum())", "truncated"),
        ("def count_finished(terminated, truncated):\n    return int((terminated & truncated).sum())", "or"),
        ("def count_finished(terminated, truncated):\n    return int(terminated.sum() + truncated.sum())", "twice"),
    ],
)
def _count_finished(answer):
    cases = [
        ([1, 0, 0], [0, 0, 0], 1, "a terminated row is finished; combine the flags with or, not with and"),
        ([0, 0, 0], [0, 1, 0], 1, "a truncated row is finished too"),
        ([1, 0, 1], [1, 0, 0], 2, "a row with both flags set was counted twice"),
        ([0, 0, 0], [0, 0, 0], 0, "no flag is set, so no row is finished"),
    ]
    for terminated, truncated, expected, hint in cases:
        if answer(np.array(terminated, bool), np.array(truncated, bool)) != expected:
            raise Hint(hint)


@exercise(
    "01.3",
    wrong=[
        ('make_envs = lambda n: gym.make_vec("CartPole-v1", num_envs=2)', "n sub-environments"),
        ('make_envs = lambda n: gym.make("CartPole-v1")', "make_vec"),
    ],
)
def _make_envs(answer):
    for n in (1, 4):
        envs = answer(n)
        if isinstance(envs, gym.Env):
            raise Hint("that is a single environment; gym.make_vec makes a vector environment")
        found = envs.num_envs
        envs.close()
        if found != n:
            raise Hint(f"asked for n sub-environments with n={n}, got {found}")
