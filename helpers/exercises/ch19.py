"""Checks of chapter 19, what goes wrong."""

import numpy as np

from helpers.exercises import Hint, exercise
from helpers.rollouts import Rollout


@exercise(
    "19.1",
    wrong=[
        ("answer = 1 / 4", "four steps and then"),
        ("answer = 20", "a share"),
        ("answer = 0", "SAME_STEP"),
        ("answer = 1 / 2", "five calls"),
    ],
)
def _filler_share(answer):
    share = float(answer)
    if share == 0:
        raise Hint("that would be SAME_STEP mode; in NEXT_STEP the reset takes a call of its own")
    if not 0 < share < 1:
        raise Hint("a share lies between 0 and 1")
    if np.isclose(share, 1 / 4):
        raise Hint("an episode takes four steps and then one more call, which resets; divide by all of them")
    if not np.isclose(share, 1 / 5):
        raise Hint("from one start to the next there are five calls; how many of them are fillers?")


@exercise(
    "19.2",
    wrong=[
        ("def wrong_value(reward, gamma, limit):\n    return reward / (1 - gamma)", "right critic"),
        (
            "def wrong_value(reward, gamma, limit):\n    return reward * (1 - gamma**limit) / (1 - gamma)",
            "sees the time",
        ),
        ("def wrong_value(reward, gamma, limit):\n    return 1 / (1 - gamma * (1 - 1 / limit))", "reward"),
        ("def wrong_value(reward, gamma, limit):\n    return reward / (1 - gamma / limit)", "one step of `limit`"),
    ],
)
def _wrong_value(answer):
    for reward, gamma, limit in [(1.0, 0.99, 200), (2.0, 0.9, 5), (-1.0, 0.95, 10)]:
        found, right = answer(reward, gamma, limit), reward / (1 - gamma * (1 - 1 / limit))
        if np.isclose(found, right):
            continue
        if np.isclose(found, reward / (1 - gamma)):
            raise Hint("that is what a right critic learns; the cut must lower it")
        if np.isclose(found, reward * (1 - gamma**limit) / (1 - gamma)):
            raise Hint("that is the first step of an episode for a critic that sees the time; this one cannot tell")
        if np.isclose(found * reward, right):
            raise Hint(f"with reward={reward} the value must be {reward} times that of a reward of 1")
        raise Hint("in one step of `limit` nothing follows, in all others the same value does")


@exercise(
    "19.3",
    wrong=[
        ("def base_seeds(runs, num_envs):\n    return list(range(runs)), list(range(runs, 2 * runs))", "share seed"),
        (
            "def base_seeds(runs, num_envs):\n"
            "    seeds = [run * num_envs for run in range(runs)]\n"
            "    return seeds, seeds",
            "share seed",
        ),
        (
            "def base_seeds(runs, num_envs):\n"
            "    return [1000 * run for run in range(runs)], [1000 * run + 500 for run in range(runs)]",
            "600 rows",
        ),
        ("def base_seeds(runs, num_envs):\n    return [run * num_envs for run in range(2 * runs)]", "two lists"),
    ],
)
def _base_seeds(answer):
    for runs, num_envs in [(3, 4), (10, 32), (2, 600)]:
        lists = answer(runs, num_envs)
        if len(lists) != 2 or any(np.ndim(part) != 1 or len(part) != runs for part in lists):
            raise Hint(f"return two lists, each of {runs} base seeds, when runs={runs}")
        taken = {}
        for base in [int(base) for part in lists for base in part]:
            for seed in range(base, base + num_envs):
                if seed in taken:
                    raise Hint(
                        f"with {num_envs} rows, the resets with base seeds {taken[seed]} and {base} share seed {seed}"
                    )
                taken[seed] = base
        if min(taken) < 0:
            raise Hint("a seed cannot be negative")


_FORGETS = """def targets(rollout, value, gamma):
    follows = ~rollout.terminated
    return rollout.rewards + gamma * follows * value(rollout.observations[1:])
"""


@exercise(
    "19.4",
    wrong=[
        (_FORGETS, "next episode"),
        (_FORGETS.replace("~rollout.terminated", "~rollout.done"), "cut"),
        (
            _FORGETS.replace("~rollout.terminated", "~rollout.done").replace(
                "rollout.observations[1:]", "next_observations(rollout)"
            ),
            "cut",
        ),
        (_FORGETS.replace("rollout.observations[1:]", "rollout.observations[:-1]"), "led to"),
    ],
)
def _targets(answer):
    # Two rows of three steps; row 0 is cut after its second step, row 1 terminates there.
    flags = np.zeros((3, 2), bool)
    terminated, truncated = flags.copy(), flags.copy()
    truncated[1, 0] = terminated[1, 1] = True
    rollout = Rollout(
        observations=np.array([[1.0, 10], [2, 20], [5, 50], [6, 60]]),
        actions=np.zeros((3, 2), int),
        rewards=np.array([[1.0, 1], [1, 1], [1, 1]]),
        terminated=terminated,
        truncated=truncated,
        valid=~flags,
        finals=[(1, 0, np.array(3.0)), (1, 1, np.array(30.0))],
        infos=[{}, {}, {}],
    )
    found = np.asarray(answer(rollout, lambda observations: 2.0 * observations, 0.5))
    right = np.array([[3.0, 21], [4, 1], [7, 61]])
    if found.shape != right.shape:
        raise Hint(f"one target for each step of each row, shape {right.shape}; got {found.shape}")
    if not np.isclose(found[0], right[0]).all():
        raise Hint("bootstrap from what a step led to; even in mid-episode these are not the right values")
    if np.isclose(found[1, 0], 1):
        raise Hint("a cut is not an end: where an episode was truncated, its final observation still has a value")
    if np.isclose(found[1, 0], 6):
        raise Hint("at the cut, that is the value of the first observation of the next episode")
    if not np.isclose(found, right).all():
        raise Hint("check the step that terminates: nothing follows it")
