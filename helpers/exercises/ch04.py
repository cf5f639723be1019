"""Checks of chapter 4, `reset`."""

import gymnasium as gym
import numpy as np

from helpers.exercises import Hint, exercise


def _cart_poles(num_envs):
    return gym.make_vec("CartPole-v1", num_envs=num_envs, vectorization_mode="sync")


@exercise(
    "04.1",
    wrong=[
        ("answer = 0", "6 and 6 + 7"),
        ("answer = 6", "begins 6 seeds later"),
        ("answer = 7", "all but one"),
        ("answer = 1", "both ends"),
        ("answer = 8", "both runs"),
        ("answer = [6, 7]", "one whole number"),
    ],
)
def _overlap(answer):
    hints = {
        0: "the second run begins at seed 6, and the first reaches 7: its seeds lie between 6 and 6 + 7",
        1: "count both ends: a run of 8 rows from base seed 0 uses the seeds 0, 1, ..., 7",
        6: "the second run begins 6 seeds later, so 6 rows are new, not shared",
        7: "all but one is what the base seeds 0 and 1 share; here the second run begins at 6",
    }
    if not isinstance(answer, int):
        raise Hint("count the shared episodes: the answer is one whole number")
    if answer != 2:
        raise Hint(hints.get(answer, "write down the seeds of both runs and count the numbers that appear in both"))


@exercise(
    "04.2",
    wrong=[
        ("def base_seeds(runs, num_envs):\n    return list(range(runs))", "share"),
        ("def base_seeds(runs, num_envs):\n    return [run * runs for run in range(runs)]", "share"),
        ("def base_seeds(runs, num_envs):\n    return list(np.arange(runs) * num_envs)", "Python integer"),
        ("def base_seeds(runs, num_envs):\n    return np.arange(runs) * num_envs", "Python integer"),
        ("def base_seeds(runs, num_envs):\n    return list(range(0, runs, num_envs))", "one base seed for each run"),
        ("def base_seeds(runs, num_envs):\n    return runs * num_envs", "a list"),
    ],
)
def _base_seeds(answer):
    for runs, num_envs in [(4, 8), (10, 3)]:
        seeds = answer(runs, num_envs)
        if not hasattr(seeds, "__len__"):
            raise Hint(f"return a list; {type(seeds).__name__} came back")
        if len(seeds) != runs:
            raise Hint(f"{runs} runs need one base seed for each run; {len(seeds)} came back")
        if any(type(seed) is not int for seed in seeds):
            raise Hint("an entry is no Python integer, so reset would refuse it; .tolist() or int() converts")
        if any(seed < 0 for seed in seeds):
            raise Hint("a seed cannot be negative")
        used = [seed + row for seed in seeds for row in range(num_envs)]
        if len(set(used)) < len(used):
            shared = len(used) - len(set(used))
            raise Hint(f"with {runs} runs of {num_envs} rows, {shared} generators are used by a second run: runs share")


@exercise(
    "04.3",
    wrong=[
        ("def reset_from(envs, seeds):\n    return envs.reset(seed=seeds)", "Python integer"),
        ("def reset_from(envs, seeds):\n    return envs.reset(seed=list(seeds))", "Python integer"),
        ("def reset_from(envs, seeds):\n    return envs.reset(seed=seeds.tolist())", "-1"),
        ("def reset_from(envs, seeds):\n    return envs.reset(seed=int(seeds[0]))", "row 1"),
        (
            "def reset_from(envs, seeds):\n    return envs.reset(seed=[None if s < 1 else int(s) for s in seeds])",
            "0 is a seed",
        ),
        ("def reset_from(envs, seeds):\n    envs.reset(seed=[None if s < 0 else int(s) for s in seeds])", "return"),
    ],
)
def _reset_from(answer):
    for given in ([10, 20, 30], [10, -1, 30], [0, 5, 6]):
        envs, expected = _cart_poles(3), _cart_poles(3)
        envs.reset(seed=100), expected.reset(seed=100)
        try:
            result = answer(envs, np.array(given))
        except gym.error.Error as error:
            if "zero" in str(error):
                raise Hint("a seed of -1 was passed on; here it stands for None") from None
            raise Hint("a NumPy integer was passed on; each entry must be a Python integer") from None
        observations, _ = expected.reset(seed=[None if seed < 0 else seed for seed in given])
        if result is None:
            raise Hint("return what envs.reset returned")
        for row in range(3):
            if np.array_equal(result[0][row], observations[row]):
                continue
            if given[row] == 0:
                raise Hint("0 is a seed like any other; only -1 means None")
            raise Hint(f"for the seeds {given}, row {row} does not start as it should; its seed is {given[row]}")


@exercise(
    "04.4",
    wrong=[
        (
            "def random_run(envs, seed, steps):\n"
            "    history = [envs.reset(seed=seed)[0]]\n"
            "    for _ in range(steps):\n"
            "        history.append(envs.step(envs.action_space.sample())[0])\n"
            "    return np.array(history)",
            "action space",
        ),
        (
            "def random_run(envs, seed, steps):\n"
            "    envs.single_action_space.seed(seed)\n"
            "    history = [envs.reset(seed=seed)[0]]\n"
            "    for _ in range(steps):\n"
            "        history.append(envs.step(envs.action_space.sample())[0])\n"
            "    return np.array(history)",
            "action space",
        ),
        (
            "def random_run(envs, seed, steps):\n"
            "    envs.action_space.seed(seed)\n"
            "    history = [envs.reset()[0]]\n"
            "    for _ in range(steps):\n"
            "        history.append(envs.step(envs.action_space.sample())[0])\n"
            "    return np.array(history)",
            "first batch",
        ),
        (
            "def random_run(envs, seed, steps):\n"
            "    history = [envs.reset(seed=seed)[0]]\n"
            "    for _ in range(steps):\n"
            "        envs.action_space.seed(seed)\n"
            "        history.append(envs.step(envs.action_space.sample())[0])\n"
            "    return np.array(history)",
            "once",
        ),
        (
            "def random_run(envs, seed, steps):\n"
            "    envs.action_space.seed(0)\n"
            "    history = [envs.reset(seed=0)[0]]\n"
            "    for _ in range(steps):\n"
            "        history.append(envs.step(envs.action_space.sample())[0])\n"
            "    return np.array(history)",
            "another seed",
        ),
        (
            "def random_run(envs, seed, steps):\n"
            "    envs.action_space.seed(seed)\n"
            "    envs.reset(seed=seed)\n"
            "    return np.array([envs.step(envs.action_space.sample())[0] for _ in range(steps)])",
            "shape",
        ),
    ],
)
def _random_run(answer):
    envs, taken = _cart_poles(3), []
    step = envs.step

    def recorded(actions):
        taken.append(np.array(actions))
        return step(actions)

    envs.step = recorded
    first, second, other = (np.asarray(answer(envs, seed, 30)) for seed in (5, 5, 6))
    if first.shape != (31, 3, 4):
        raise Hint(f"30 steps of 3 rows need the shape (31, 3, 4), first observations included; got {first.shape}")
    if not np.array_equal(first[0], second[0]):
        raise Hint("two runs with one seed begin with a different first batch; pass the seed to reset")
    if not np.array_equal(first, second):
        raise Hint("two runs with one seed start alike and then part: seed the batched action space too")
    if np.array_equal(first, other):
        raise Hint("another seed must give another run")
    if len(taken) == 90 and len(np.unique(taken[:30], axis=0)) == 1:
        raise Hint("every step takes the same actions: seed the action space once, before the loop")
