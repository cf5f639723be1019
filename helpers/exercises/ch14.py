"""Checks of chapter 14, selective reset."""

import gymnasium as gym
import numpy as np
from gymnasium.vector import SyncVectorEnv

from helpers.environments import StepCounter
from helpers.exercises import Hint, exercise

_LENGTHS = ((2, "terminated"), (3, "truncated"), (9, "terminated"))


def _make(mode="Disabled"):
    return SyncVectorEnv([lambda n=n, end=end: StepCounter(n, end) for n, end in _LENGTHS], autoreset_mode=mode)


@exercise(
    "14.1",
    wrong=[
        ("answer = [[1, 0], [0, 2], [1, 0]]", "one more step"),
        ("answer = [[0, 1], [0, 3], [0, 1]]", "next episode"),
        ("answer = [[1, 1], [1, 1], [1, 1]]", "not in the mask"),
        ("answer = [[1, 1], [0, 2], [1, 1]]", "moves every row"),
        ("answer = [1, 3, 1]", "pairs"),
    ],
)
def _predict(answer):
    found = np.asarray(answer)
    if found.shape != (3, 2):
        raise Hint("give three pairs [episode, step], one for each row")
    found = found.tolist()
    if found == [[1, 0], [0, 2], [1, 0]]:
        raise Hint("those are the observations that the reset returns; one more step is taken after it")
    if found == [[0, 1], [0, 3], [0, 1]]:
        raise Hint("a reset without a seed begins the next episode of its row")
    if found[1][0] != 0:
        raise Hint("row 1 is not in the mask, so its episode goes on")
    if found == [[1, 1], [0, 2], [1, 1]]:
        raise Hint("the last step moves every row, the kept one too")
    if found != [[1, 1], [0, 3], [1, 1]]:
        raise Hint("write down the three pairs after the full reset, after each step and after the masked reset")


_RESTART = """
def restart(envs, observations, row_numbers):
    mask = np.isin(np.arange(envs.num_envs), row_numbers)
    if mask.any():
        observations, _ = envs.reset(options={"reset_mask": mask})
    return observations
"""


@exercise(
    "14.2",
    wrong=[
        (_RESTART.replace("np.isin(np.arange(envs.num_envs), row_numbers)", "np.array(row_numbers)"), "one boolean"),
        (_RESTART.replace("if mask.any():", "if True:"), "empty"),
        (_RESTART.replace("        observations, _ =", "        _ ="), "batch that the reset returned"),
        (_RESTART.replace('options={"reset_mask": mask}', ""), "other rows"),
        (_RESTART.replace("envs.reset(opt", "envs.reset(seed=0, opt"), "seed"),
        (_RESTART.replace("mask.any()", "mask.all()"), "not reset"),
    ],
)
def _restart(answer):
    for row_numbers in ([1], [], [0, 2], [2]):
        envs = _make("NextStep")
        envs.reset(seed=0)
        before, *_ = envs.step(np.zeros(3, int))
        expected = before.copy()
        expected[row_numbers] = (1, 0)
        try:
            found = answer(envs, before, list(row_numbers))
        except (TypeError, ValueError) as error:
            if not row_numbers:
                raise Hint(f"the list of rows was empty, and a mask must have one True: {error}") from None
            raise Hint(f"a mask has one boolean for each row of the batch; rows {row_numbers} gave: {error}") from None
        if found is None:
            raise Hint("return the batch to act on, also when nothing was reset")
        if isinstance(found, tuple):
            raise Hint("`reset` returns observations and infos; return the observations only")
        _compare_restart(envs, np.asarray(found), before, expected, row_numbers)


def _compare_restart(envs, found, before, expected, row_numbers):
    episodes = np.array([env.episode for env in envs.envs])
    if found.shape != expected.shape:
        raise Hint(f"return the whole batch, of shape {expected.shape}; got {found.shape}")
    if row_numbers and np.array_equal(found, before) and (episodes[row_numbers] == 1).all():
        raise Hint(
            "the rows were reset, but the observations of before were returned; return the batch that the reset "
            "returned"
        )
    if row_numbers and (found[row_numbers] == (0, 0)).all():
        raise Hint("the episode started again from its beginning; leave the seed out, or the row replays one start")
    if row_numbers and not np.array_equal(found[row_numbers], expected[row_numbers]):
        raise Hint(f"rows {row_numbers} were not reset")
    if not np.array_equal(found, expected):
        raise Hint("the other rows were touched; they must stay as they are")


_PLAY = """
def play_on(envs, steps):
    seen = []
    observations, _ = envs.reset(seed=0)
    done = np.zeros(envs.num_envs, bool)
    options = {"reset_mask": done}
    for _ in range(steps):
        actions = np.zeros(envs.num_envs, int)
        observations, _, terminated, truncated, _ = envs.step(actions)
        done[:] = terminated
        if done.any():
            observations, _ = envs.reset(seed=0, options=options)
        seen.append(observations)
    return seen
"""
_ONE = _PLAY.replace("= terminated\n", "= terminated | truncated\n")
_TWO = _ONE.replace("seed=0, options", "options")
_THREE = _TWO.replace("options=options", 'options={"reset_mask": done}')


@exercise(
    "14.3",
    wrong=[
        (_PLAY, "truncated"),
        (_ONE, "seed"),
        (_TWO, "taken the mask"),
        (_THREE.replace("terminated | truncated", "terminated & truncated"), "either"),
        (_THREE.replace("            observations, _ = envs", "            envs"), "act on"),
        (_THREE.replace('options={"reset_mask": done}', ""), "had not finished"),
    ],
)
def _play_on(answer):
    envs, model = _make(), _make()
    steps = 7
    expected = []
    model.reset(seed=0)
    for _ in range(steps):
        observations, _, terminated, truncated, _ = model.step(np.zeros(3, int))
        done = terminated | truncated
        if done.any():
            observations, _ = model.reset(options={"reset_mask": done})
        expected.append(observations)
    try:
        found = answer(envs, steps)
    except AssertionError:
        if envs.envs[1].step_count == envs.envs[1].length:
            raise Hint("row 1 had ended truncated and was stepped again; that flag counts too") from None
        raise Hint("a finished row was stepped again; a row is done if either of its flags is set") from None
    if not isinstance(found, list) or len(found) != steps:
        raise Hint(f"return a list with one batch for each of the {steps} calls of `step`")
    for call, (got, wanted) in enumerate(zip(found, expected, strict=True), start=1):
        _compare_play(call, np.asarray(got), wanted)


def _compare_play(call, got, wanted):
    if np.array_equal(got, wanted):
        return
    for i in range(3):
        if np.array_equal(got[i], wanted[i]):
            continue
        if wanted[i][1] != 0 and got[i][1] == 0:
            raise Hint(
                f"at call {call} row {i} was restarted although it had not finished. The first reset has taken the "
                "mask out of the dict, and a dict without a mask resets every row"
            )
        if wanted[i][1] == 0 and got[i][1] != 0:
            raise Hint(
                f"at call {call} row {i} was reset, but its old observation was returned; the next action must "
                "act on what the reset returned"
            )
        if wanted[i][0] != got[i][0]:
            raise Hint(
                f"at call {call} row {i} is in episode {got[i][0]:.0f}, not {wanted[i][0]:.0f}: a seed in the loop "
                "starts the same episode again and again"
            )
    raise Hint(f"at call {call} the observations differ: expected {wanted.tolist()}, got {got.tolist()}")


_HONOURS = """
def honours_mask(envs):
    envs.reset(seed=0)
    for _ in range(3):
        before, *_ = envs.step(np.zeros(envs.num_envs, int))
    mask = np.arange(envs.num_envs) == 0
    after, _ = envs.reset(options={"reset_mask": mask})
    kept = np.array_equal(before[~mask], after[~mask])
    return kept and not np.array_equal(before[mask], after[mask])
"""


def _long():
    return SyncVectorEnv([lambda: StepCounter(1000)] * 2, autoreset_mode="Disabled")


class _Deaf(gym.vector.VectorWrapper):
    """A vector environment that does nothing at all when a mask is given."""

    def step(self, actions):
        result = super().step(actions)
        self.last = result[0]
        return result

    def reset(self, *, seed=None, options=None):
        if options and "reset_mask" in options:
            return self.last, {}
        self.last, info = super().reset(seed=seed, options=options)
        return self.last, info


@exercise(
    "14.4",
    wrong=[
        ("def honours_mask(envs):\n    return hasattr(envs, 'envs')", "wrapped"),
        ("def honours_mask(envs):\n    return True", "native CartPole"),
        (_HONOURS.replace("return kept and not np", "return not np"), "native CartPole"),
        (_HONOURS.replace("return kept and not", "return kept #"), "chosen rows"),
        (_HONOURS.replace("return kept and", "return kept, "), "True or False"),
        (_HONOURS.replace('options={"reset_mask": mask}', ""), "does honour"),
    ],
)
def _honours_mask(answer):
    cases = [
        (
            lambda: gym.make_vec("CartPole-v1", 3, vectorization_mode="sync"),
            True,
            "`SyncVectorEnv` does honour the mask",
        ),
        (_long, True, "`SyncVectorEnv` does honour the mask, in every autoreset mode"),
        (lambda: gym.make_vec("CartPole-v1", 3), False, "the native CartPole resets every row; look at the kept rows"),
        (
            lambda: gym.wrappers.vector.RecordEpisodeStatistics(
                gym.make_vec("CartPole-v1", 2, vectorization_mode="sync")
            ),
            True,
            "a wrapped `SyncVectorEnv` honours the mask as well; ask the environment by trying, not by its attributes",
        ),
        (
            lambda: _Deaf(gym.make_vec("CartPole-v1", 3, vectorization_mode="sync")),
            False,
            "an environment that does nothing when it sees a mask passed; the chosen rows must have started again",
        ),
    ]
    for make, expected, hint in cases:
        envs = make()
        try:
            found = answer(envs)
        finally:
            envs.close()
        if not isinstance(found, (bool, np.bool_)):
            raise Hint("return True or False")
        if found != expected:
            raise Hint(hint)
