"""Checks of chapter 24, testing vector environments, and the environment of exercise 24.2."""

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from helpers.exercises import Hint, exercise


def _factory():
    return gym.make("CartPole-v1", max_episode_steps=15)


def _make(n=3, kind=SyncVectorEnv):
    return kind([_factory] * n, autoreset_mode=AutoresetMode.NEXT_STEP)


class Mystery(SyncVectorEnv):
    """A vector environment with one fault, for exercise 24.2. Look only after you have found it."""

    def reset(self, *, seed=None, options=None):
        """Reset, with the fault."""
        if isinstance(seed, int):
            seed = [seed + i for i in range(self.num_envs)]
        if seed is not None:
            seed = [*seed[:2], *(None for _ in seed[2:])]
        return super().reset(seed=seed, options=options)


def mystery(n: int = 3) -> VectorEnv:
    """Return a vector environment of `n` cart-poles with one fault, for exercise 24.2."""
    return _make(n, Mystery)


_PREDICT = {"P": "same_seed_same_run", "Q": "rewards_and_flags", "R": "none"}


@exercise(
    "24.1",
    wrong=[
        ('answer = "same_seed_same_run"', "three keys"),
        ('answer = {"P": "observations_fit", "Q": "rewards_and_flags", "R": "none"}', "still float32"),
        ('answer = {"P": "none", "Q": "rewards_and_flags", "R": "none"}', "run it twice"),
        ('answer = {"P": "same_seed_same_run", "Q": "none", "R": "none"}', "dtype"),
        ('answer = {"P": "same_seed_same_run", "Q": "rewards_and_flags", "R": "rewards_and_flags"}', "shape and dtype"),
        ('answer = {"P": "same_seed_same_run", "Q": "rewards_and_flags", "R": "filler_rows"}', "twice 0"),
        ('answer = {"P": "same_seed_same_run", "Q": "rewards_and_flags", "R": "matches_reference"}', "no reference"),
    ],
)
def _predict(answer):
    if not isinstance(answer, dict) or set(answer) != {"P", "Q", "R"}:
        raise Hint('give a dict with the three keys "P", "Q" and "R"')
    p, q, r = (answer[key] for key in "PQR")
    if p == "observations_fit":
        raise Hint("P: the noise is cast, so the observations are still float32, and they stay within the limits")
    if p != _PREDICT["P"]:
        raise Hint("P: the generator of the noise gets no seed, so what happens if you run it twice?")
    if q != _PREDICT["Q"]:
        raise Hint("Q: look for the clause that reads the dtype of the rewards")
    if r == "rewards_and_flags":
        raise Hint("R: the shape and dtype of the rewards are right, and that clause reads nothing else")
    if r == "filler_rows":
        raise Hint("R: a filler row still pays twice 0")
    if r == "matches_reference":
        raise Hint("R: that clause would see it, but it was asked for with no reference at hand")
    if r != _PREDICT["R"]:
        raise Hint("R: which clause knows how much a step should pay?")


@exercise(
    "24.2",
    wrong=[
        ('answer = "same_seed_same_run"', "a pair"),
        ('answer = ("seed_list", 2)', "first clause that fails"),
        ('answer = ("same_seed_same_run", 0)', "two copies"),
        ('answer = ("same_seed_same_run", 3)', "rows 0, 1 and 2"),
    ],
)
def _find(answer):
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise Hint('give a pair: the name of a clause and the number of a row, such as ("closes", 0)')
    name, row = answer
    if name != "same_seed_same_run":
        raise Hint("give the first clause that fails: run check_contract(ch24.mystery) and read from the top")
    if row not in (0, 1, 2):
        raise Hint("three environments have rows 0, 1 and 2")
    if row != 2:
        raise Hint("make two copies, reset both with the same seed, and compare the observations row by row")


class _DrawsInStep(SyncVectorEnv):
    def step(self, actions):
        np.random.random()  # noqa: NPY002
        return super().step(actions)


class _SeedsInReset(SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        if seed is not None:
            np.random.seed(seed if isinstance(seed, int) else seed[0])  # noqa: NPY002
        return super().reset(seed=seed, options=options)


class _DrawsAtTheEnd(SyncVectorEnv):
    def step(self, actions):
        result = super().step(actions)
        if (result[2] | result[3]).any():
            np.random.random()  # noqa: NPY002
        return result


_CLAUSE = """
def leaves_global_random_alone(make):
    envs = make(3)
    before = np.random.get_state()
    envs.reset(seed=0)
    for _ in range(40):
        envs.step(envs.action_space.sample())
    assert data_equivalence(before, np.random.get_state(), exact=True), "np.random moved"
"""


@exercise(
    "24.3",
    wrong=[
        (_CLAUSE.replace("    assert ", "    return (").replace('"np.random moved"', '"")[0]'), "returns"),
        (_CLAUSE.replace("get_state()", "get_state()[1]"), "position"),
        (_CLAUSE.replace("for _ in range(40)", "for _ in range(0)"), "`step`"),
        (_CLAUSE.replace("for _ in range(40)", "for _ in range(5)"), "end of an episode"),
        (
            _CLAUSE.replace("    envs.reset(seed=0)\n", "").replace("    before", "    envs.reset(seed=0)\n    before"),
            "before the `reset`",
        ),
        (_CLAUSE.replace("data_equivalence(before", "not data_equivalence(before"), "nothing wrong"),
        (
            _CLAUSE.replace("data_equivalence(before, np.random.get_state(), exact=True)", "before == after").replace(
                "    assert", "    after = np.random.get_state()\n    assert"
            ),
            "data_equivalence",
        ),
    ],
)
def _clause(answer):
    cases = [
        (SyncVectorEnv, "it fails for a right environment; there is nothing wrong with it"),
        (
            _DrawsInStep,
            "an environment that draws one number from np.random in each `step` passed. Look at all parts of the "
            "state: a draw moves the position, and the array only now and then",
        ),
        (_SeedsInReset, "an environment that seeds np.random in `reset` passed; take the state before the `reset`"),
        (
            _DrawsAtTheEnd,
            "an environment that draws at the end of an episode passed; play longer than the 15 steps of an episode",
        ),
    ]
    state = np.random.get_state()  # noqa: NPY002
    # From here on a draw moves the position of the state, not its array.
    np.random.seed(24)  # noqa: NPY002
    np.random.random()  # noqa: NPY002
    try:
        for kind, hint in cases:
            _judge(answer, kind, hint)
    finally:
        np.random.set_state(state)  # noqa: NPY002


def _judge(answer, kind, hint):
    made = []

    def make(n=3):
        made.append(_make(n, kind))
        return made[-1]

    try:
        result = answer(make)
    except AssertionError:
        failed = True
    except ValueError as error:
        raise Hint(f"{error} The state is a tuple with an array in it; data_equivalence can compare two.") from None
    else:
        failed = False
        if result is not None:
            raise Hint("a clause returns nothing; if the promise is broken it raises AssertionError, as `assert` does")
    finally:
        for envs in made:
            envs.close()
    if failed != (kind is not SyncVectorEnv):
        raise Hint(hint)
