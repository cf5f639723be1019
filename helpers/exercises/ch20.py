"""Checks of chapter 20, evaluation."""

from copy import deepcopy

import gymnasium as gym
import numpy as np
from gymnasium.wrappers.vector import NormalizeObservation

from helpers.exercises import Hint, exercise


@exercise(
    "20.1",
    wrong=[
        ("answer = [2, 4, 9]", "one of each row"),
        ("answer = [2, 2, 2]", "row 1 ends"),
        ("answer = [2, 4]", "three lengths"),
        ("answer = 8 / 3", "a list"),
        ("answer = [2, 4, 4]", "calls 2 and 4"),
    ],
)
def _first_three(answer):
    if not isinstance(answer, (list, tuple, np.ndarray)):
        raise Hint("answer with a list of lengths, such as [1, 2, 3]")
    lengths = sorted(int(length) for length in answer)
    if len(lengths) != 3:
        raise Hint(f"that is {len(lengths)}; give three lengths, one for each episode that is kept")
    if lengths == [2, 4, 9]:
        raise Hint("that is one of each row; before row 2 ends its first episode, row 0 has ended four")
    if lengths == [2, 2, 2]:
        raise Hint("row 0 ends its third episode on call 6, and row 1 ends its first one before that")
    if lengths != [2, 2, 4]:
        raise Hint("row 0 ends episodes on calls 2 and 4, row 1 on call 4, row 2 on call 9")


@exercise(
    "20.2",
    wrong=[
        ("def shares(episodes, rows):\n    return np.full(rows, episodes // rows)", "add up"),
        ("def shares(episodes, rows):\n    return np.full(rows, -(-episodes // rows))", "add up"),
        ("def shares(episodes, rows):\n    return np.full(rows, episodes / rows)", "whole numbers"),
        ("def shares(episodes, rows):\n    return episodes // rows", "one for each row"),
        (
            "def shares(episodes, rows):\n"
            "    owed = np.full(rows, episodes // rows)\n"
            "    owed[-1] += episodes % rows\n"
            "    return owed",
            "even",
        ),
    ],
)
def _shares(answer):
    for episodes, rows in [(12, 4), (100, 64), (11, 4), (3, 5)]:
        case = f"for {episodes} episodes and {rows} rows"
        owed = np.asarray(answer(episodes, rows))
        if owed.shape != (rows,):
            raise Hint(f"{case}, the shape is {owed.shape}; return one for each row, ({rows},)")
        if not np.issubdtype(owed.dtype, np.integer):
            raise Hint(f"{case}, the dtype is {owed.dtype}; episodes are counted in whole numbers")
        if owed.sum() != episodes:
            raise Hint(f"{case}, the shares add up to {owed.sum()}, not to {episodes}")
        if owed.max() - owed.min() > 1:
            raise Hint(f"{case}, the shares go from {owed.min()} to {owed.max()}; that can be more even")


@exercise(
    "20.3",
    wrong=[
        ("def for_evaluation(trained, plain):\n    return wv.NormalizeObservation(plain)", "fresh"),
        (
            "def for_evaluation(trained, plain):\n"
            "    envs = wv.NormalizeObservation(plain)\n"
            "    envs.update_running_mean = False\n"
            "    return envs",
            "fresh",
        ),
        (
            "def for_evaluation(trained, plain):\n"
            "    envs = wv.NormalizeObservation(plain)\n"
            "    envs.obs_rms = deepcopy(trained.obs_rms)\n"
            "    return envs",
            "freeze",
        ),
        (
            "def for_evaluation(trained, plain):\n"
            "    envs = wv.NormalizeObservation(plain)\n"
            "    envs.obs_rms = trained.obs_rms\n"
            "    envs.update_running_mean = False\n"
            "    return envs",
            "copy",
        ),
        (
            "def for_evaluation(trained, plain):\n    trained.update_running_mean = False\n    return trained",
            "around plain",
        ),
        (
            "def for_evaluation(trained, plain):\n"
            "    envs = wv.NormalizeObservation(plain)\n"
            "    envs.obs_rms = deepcopy(trained.obs_rms)\n"
            "    envs.update_running_mean = trained.update_running_mean = False\n"
            "    return envs",
            "trained still has to learn",
        ),
        (
            "def for_evaluation(trained, plain):\n"
            "    envs = wv.NormalizeObservation(plain)\n"
            "    envs.obs_rms = deepcopy(trained.obs_rms)\n"
            "    envs = wv.RecordEpisodeStatistics(envs)\n"
            "    envs.update_running_mean = False\n"
            "    return envs",
            "outermost",
        ),
    ],
)
def _for_evaluation(answer):
    trained = NormalizeObservation(gym.make_vec("MountainCar-v0", num_envs=4, vectorization_mode="sync"))
    plain = gym.make_vec("MountainCar-v0", num_envs=2, vectorization_mode="sync")
    trained.reset(seed=0)
    for _ in range(20):
        trained.step(np.full(4, 2))
    before = deepcopy(vars(trained.obs_rms))
    envs = answer(trained, plain)
    if not isinstance(envs, gym.vector.VectorEnv):
        raise Hint(f"return the wrapped vector environment, not {type(envs).__name__}")
    if envs.unwrapped is not plain:
        raise Hint("that is not around plain; the environments that are trained in must not be reset by an evaluation")
    found = envs
    while found is not plain and not isinstance(found, NormalizeObservation):
        found = found.env
    if found is plain:
        raise Hint("there is no NormalizeObservation around plain")
    if not np.allclose(found.obs_rms.mean, before["mean"]) or not np.allclose(found.obs_rms.var, before["var"]):
        raise Hint("these statistics are fresh, or not those of trained: see obs_rms")
    if not trained.update_running_mean:
        raise Hint("trained still has to learn after the evaluation; freeze the new wrapper only")
    if found.update_running_mean:
        where = "; on the outermost wrapper the switch does nothing" if found is not envs else ""
        raise Hint(f"the evaluation would move the statistics; freeze them before the first reset{where}")
    envs.reset(seed=1000)
    held = deepcopy(vars(found.obs_rms))
    trained.reset(seed=7)
    if not np.array_equal(found.obs_rms.mean, held["mean"]):
        raise Hint("when trained goes on learning, these statistics move with it: take a copy")
    if found.obs_rms.count != before["count"]:
        raise Hint("the statistics have moved in the evaluation")


@exercise(
    "20.4",
    wrong=[
        (
            "def interval(returns):\n    return returns.mean(), 2.776 * returns.std(ddof=1) / returns.size**0.5",
            "pooled",
        ),
        (
            "def interval(returns):\n"
            "    over_runs = returns.mean(axis=1)\n"
            "    return over_runs.mean(), 2.776 * over_runs.std() / 5**0.5",
            "ddof=1",
        ),
        (
            "def interval(returns):\n"
            "    over_runs = returns.mean(axis=1)\n"
            "    return over_runs.mean(), 2.776 * over_runs.std(ddof=1)",
            "one run",
        ),
        (
            "def interval(returns):\n"
            "    over_runs = returns.mean(axis=0)\n"
            "    return over_runs.mean(), 2.776 * over_runs.std(ddof=1) / 5**0.5",
            "axis",
        ),
        (
            "def interval(returns):\n"
            "    over_runs = returns.mean(axis=1)\n"
            "    return over_runs.mean(), 1.96 * over_runs.std(ddof=1) / 5**0.5",
            "1.96",
        ),
        ("def interval(returns):\n    return returns.mean()", "a pair"),
    ],
)
def _interval(answer):
    rng = np.random.default_rng(0)
    for episodes in (20, 100):
        returns = rng.normal([[10], [20], [30], [40], [55]], 5, size=(5, episodes))
        found = answer(returns.copy())
        if not isinstance(found, tuple) or len(found) != 2:
            raise Hint("return a pair, the mean and the half width")
        mean, half = map(float, found)
        runs = returns.mean(axis=1)
        if not np.isclose(mean, runs.mean()):
            raise Hint("the mean is the mean of the five runs")
        sample, all_values = runs.std(ddof=1), returns.std(ddof=1)
        hints = [
            (2.776 * all_values / returns.size**0.5, "the episodes are pooled; what varies here are five runs"),
            (2.776 * runs.std() / 5**0.5, "the deviation of five values is that of a sample: ddof=1"),
            (2.776 * sample, "that is for one run; a mean of five varies less"),
            (
                2.776 * returns.mean(axis=0).std(ddof=1) / 5**0.5,
                "that mean is over runs; average over the other axis",
            ),
            (1.96 * sample / 5**0.5, "1.96 is for many values; for five it is 2.776"),
        ]
        for wrong, hint in hints:
            if np.isclose(half, wrong):
                raise Hint(hint)
        if not np.isclose(half, 2.776 * sample / 5**0.5, rtol=1e-3):
            raise Hint("average each run over its episodes, then take 2.776 standard errors of these five means")
