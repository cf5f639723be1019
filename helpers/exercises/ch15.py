"""Checks of chapter 15, nested wrappers."""

import gymnasium as gym
import numpy as np

from helpers.exercises import Hint, exercise


@exercise(
    "15.1",
    wrong=[
        ("answer = (4, 3)", "one row"),
        ("answer = (4, 3, 3)", "batch axis"),
        ("answer = (3, 12)", "axis of its own"),
        ("answer = (3, 3, 4)", "the frames come before"),
    ],
)
def _stacked_shape(answer):
    if not isinstance(answer, tuple):
        raise Hint("a shape is a tuple, such as (2, 4)")
    hints = {
        (4, 3): "that is the shape of one row; three of them make the batch",
        (4, 3, 3): "the batch axis is the first axis: one entry for each of the three rows",
        (3, 12): "frames are not joined end to end; time gets an axis of its own",
        (3, 3, 4): "within a row, the frames come before the three numbers of each frame",
    }
    if answer != (3, 4, 3):
        raise Hint(hints.get(answer, "one row has 4 frames of 3 numbers, and there are 3 rows"))


@exercise(
    "15.2",
    wrong=[
        (
            'def finished_returns(infos):\n    return infos["episode"]["r"][infos["_episode"]].tolist()',
            "no episode ended",
        ),
        (
            'def finished_returns(infos):\n    return infos["episode"]["r"].tolist() if "episode" in infos else []',
            "every row",
        ),
        (
            "def finished_returns(infos):\n"
            '    return [r for r in infos["episode"]["r"].tolist() if r != 0] if "episode" in infos else []',
            "return of 0",
        ),
        (
            'def finished_returns(infos):\n    return infos["episode"]["l"][infos["_episode"]].tolist() '
            'if "episode" in infos else []',
            "lengths",
        ),
    ],
)
def _finished_returns(answer):
    def infos(returns, lengths, mask):
        return {
            "episode": {"r": np.array(returns), "l": np.array(lengths), "t": np.zeros(3)},
            "_episode": np.array(mask),
        }

    cases = [
        (infos([9.0, 0.0, -2.5], [4, 0, 7], [True, False, True]), [9.0, -2.5]),
        (infos([0.0, 0.0, 0.0], [0, 3, 0], [False, True, False]), [0.0]),
        ({}, []),
    ]
    for given, expected in cases:
        try:
            got = answer(given)
        except KeyError:
            raise Hint("on steps on which no episode ended, infos has no such key: return an empty list") from None
        if not isinstance(got, list | tuple | np.ndarray):
            raise Hint(f"return a list, also when it is empty; got {type(got).__name__}")
        got = [float(value) for value in got]
        if got == expected:
            continue
        if len(got) == 3:
            raise Hint("there is an entry for every row; keep only those that the mask marks")
        if got == [4.0, 7.0]:
            raise Hint("those are the lengths, under l; the returns are under r")
        if expected == [0.0]:
            raise Hint("an episode can end with a return of 0; go by the mask, not by the value")
        raise Hint(f"for {given} the answer is {expected}, got {got}")


@exercise(
    "15.3",
    wrong=[
        (
            "def count_endings(terminated, truncated):\n    return int(terminated.sum()), int(truncated.sum())",
            "only one group",
        ),
        (
            "def count_endings(terminated, truncated):\n"
            "    return int((terminated & ~truncated).sum()), int(truncated.sum())",
            "pole did fall",
        ),
        (
            "def count_endings(terminated, truncated):\n"
            "    return int((truncated & ~terminated).sum()), int(terminated.sum())",
            "first number",
        ),
    ],
)
def _count_endings(answer):
    cases = [
        ([1, 0, 0], [0, 1, 1], (1, 2), "the first number counts the terminated rows, the second those only cut off"),
        ([1, 1, 0], [1, 0, 0], (2, 0), ""),
        ([0, 0, 0], [0, 0, 0], (0, 0), "no flag is set, so nothing ended"),
    ]
    for terminated, truncated, expected, hint in cases:
        got = answer(np.array(terminated, bool), np.array(truncated, bool))
        if not isinstance(got, tuple | list) or len(got) != 2:
            raise Hint("return two numbers")
        got = tuple(int(number) for number in got)
        if got == expected:
            continue
        if hint:
            raise Hint(hint)
        if got[0] < expected[0]:
            raise Hint("a row with both flags is terminated: the pole did fall, on the last step of the limit")
        raise Hint("a row with both flags belongs to only one group; here it was counted as cut off too")


_MAKE = (
    'gym.make_vec("Pendulum-v1", num_envs=n, vectorization_mode="sync", '
    "wrappers=[partial(wrappers.FrameStackObservation, stack_size=2){more}]{mode})"
)
_SAME = ', vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}'


@exercise(
    "15.4",
    wrong=[
        (
            "def make_nested(n):\n    return wrappers.vector.RecordEpisodeStatistics("
            + _MAKE.format(more="", mode="")
            + ")",
            "SAME_STEP",
        ),
        ("def make_nested(n):\n    return " + _MAKE.format(more="", mode=_SAME), "no statistics"),
        (
            "def make_nested(n):\n    return " + _MAKE.format(more=", wrappers.RecordEpisodeStatistics", mode=_SAME),
            "final_info",
        ),
        (
            "def make_nested(n):\n    return wrappers.vector.RecordEpisodeStatistics("
            'gym.make_vec("Pendulum-v1", n, vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}))',
            "two observations",
        ),
    ],
)
def _make_nested(answer):
    envs = answer(3)
    if not isinstance(envs, gym.vector.VectorEnv):
        raise Hint("return a vector environment: start from gym.make_vec")
    try:
        if envs.num_envs != 3:
            raise Hint(f"asked for 3 rows, got {envs.num_envs}")
        if envs.metadata["autoreset_mode"] is not gym.vector.AutoresetMode.SAME_STEP:
            raise Hint("the mode is not SAME_STEP; it goes through vector_kwargs of make_vec")
        observations, _ = envs.reset(seed=0)
        if observations.shape != (3, 2, 3):
            raise Hint(f"a row must show two observations of three numbers; the batch has shape {observations.shape}")
        infos = {}
        for _ in range(200):
            *_, infos = envs.step(np.zeros((3, 1), np.float32))
        if "episode" in infos.get("final_info", {}):
            raise Hint("the statistics are in final_info, because they were recorded inside; record around the batch")
        if "episode" not in infos:
            raise Hint("an episode ended, but infos has no statistics of it")
    finally:
        envs.close()
