"""Checks of chapter 16, the playground."""

import gymnasium as gym
import numpy as np

from helpers.exercises import Hint, exercise


@exercise(
    "16.1",
    wrong=[
        ("answer = (2, 3)", "one environment"),
        ("answer = (2, 3, 4)", "first axis"),
        ("answer = (4, 6)", "keeps its two axes"),
        ("answer = 24", "a tuple"),
    ],
)
def _grid(answer):
    if not isinstance(answer, tuple):
        raise Hint("a shape is a tuple, such as (2, 4)")
    hints = {
        (2, 3): "that is the grid of one environment; four of them are batched",
        (2, 3, 4): "the batch axis is the first axis of every leaf",
        (4, 6): "a leaf keeps its two axes; nothing is flattened",
    }
    if answer != (4, 2, 3):
        raise Hint(hints.get(answer, "put the number of rows in front of the shape of one grid, which is (2, 3)"))


@exercise(
    "16.2",
    wrong=[
        ("answer = 24", "only resets"),
        ("answer = 9", "two rows"),
        ("answer = 6", "the other ones"),
        ("answer = 16", "four calls"),
    ],
)
def _transitions(answer):
    if isinstance(answer, bool) or not isinstance(answer, int | np.integer | float):
        raise Hint("the answer is a number")
    hints = {
        24: "in this mode the call after an ended episode only resets, and its row is no transition",
        9: "that is one row; there are two rows",
        6: "those are the rows of the resetting calls; the other ones are the transitions",
    }
    if answer != 18:
        raise Hint(hints.get(answer, "an episode of three steps takes four calls; twelve calls are three episodes"))


_CARD = "def card(envs):\n    return {{'kind': {kind}, 'mode': {mode}, 'inputs': {inputs}}}"
_KIND = "type(envs.unwrapped).__name__"
_MODE = "envs.metadata['autoreset_mode'].name"
_INPUTS = "int(np.prod(envs.single_observation_space.shape))"


@exercise(
    "16.3",
    wrong=[
        (_CARD.format(kind=_KIND, mode="envs.autoreset_mode.name", inputs=_INPUTS), "metadata"),
        (_CARD.format(kind="type(envs).__name__", mode=_MODE, inputs=_INPUTS), "wrapper"),
        (_CARD.format(kind=_KIND, mode=_MODE, inputs="int(np.prod(envs.observation_space.shape))"), "whole batch"),
        (_CARD.format(kind=_KIND, mode=_MODE, inputs="envs.single_observation_space.shape[0]"), "every axis"),
        (_CARD.format(kind=_KIND, mode="envs.metadata['autoreset_mode']", inputs=_INPUTS), "name"),
        (_CARD.format(kind="envs.unwrapped", mode=_MODE, inputs=_INPUTS), "class"),
    ],
)
def _card(answer):
    same = {"autoreset_mode": gym.vector.AutoresetMode.SAME_STEP}
    stack = [lambda env: gym.wrappers.FrameStackObservation(env, 3)]
    cases = [
        (
            gym.make_vec("Pendulum-v1", num_envs=2, vector_kwargs=same),
            {"kind": "SyncVectorEnv", "mode": "SAME_STEP", "inputs": 3},
        ),
        (
            gym.make_vec("CartPole-v1", num_envs=3),
            {"kind": "CartPoleVectorEnv", "mode": "NEXT_STEP", "inputs": 4},
        ),
        (
            gym.wrappers.vector.RecordEpisodeStatistics(gym.make_vec("Pendulum-v1", num_envs=2, wrappers=stack)),
            {"kind": "SyncVectorEnv", "mode": "NEXT_STEP", "inputs": 9},
        ),
    ]
    for envs, expected in cases:
        try:
            got = answer(envs)
        except AttributeError as error:
            if "autoreset_mode" in str(error):
                raise Hint("not every kind has autoreset_mode; the mode is in metadata for all of them") from None
            raise
        finally:
            envs.close()
        if not isinstance(got, dict) or set(got) != set(expected):
            raise Hint(f"return a dictionary with the keys {', '.join(expected)}")
        if not isinstance(got["kind"], str):
            raise Hint("kind must be the name of the class, a string")
        if got["kind"] == "RecordEpisodeStatistics":
            raise Hint("that is the name of the wrapper; ask for what is under all wrappers")
        if isinstance(got["mode"], gym.vector.AutoresetMode):
            raise Hint("mode must be the name of the mode, such as 'SAME_STEP'")
        rows = envs.num_envs
        if got["inputs"] == rows * expected["inputs"]:
            raise Hint("inputs counts the whole batch; one row has a space of its own")
        if expected["inputs"] == 9 and got["inputs"] == 3:
            raise Hint("a stacked observation has two axes; count the numbers along every axis")
        if got != expected:
            raise Hint(f"for {envs} the card is {expected}, got {got}")


@exercise(
    "16.4",
    wrong=[
        ("def look_ahead(envs, actions):\n    return envs.step(actions)[1]", "has moved"),
        (
            "def look_ahead(envs, actions):\n    rewards = envs.step(actions)[1]\n    envs.reset()\n    return rewards",
            "has moved",
        ),
        ("def look_ahead(envs, actions):\n    return deepcopy(envs).step(actions)[0]", "rewards"),
        (
            "def look_ahead(envs, actions):\n    other = deepcopy(envs)\n    other.reset()\n"
            "    return other.step(actions)[1]",
            "present state",
        ),
    ],
)
def _look_ahead(answer):
    def moved():
        envs = gym.make_vec("Pendulum-v1", num_envs=3, vectorization_mode="sync")
        envs.reset(seed=0)
        envs.step(np.ones((3, 1), np.float32))
        return envs

    actions = np.zeros((3, 1), np.float32)
    envs, reference = moved(), moved()
    got = np.asarray(answer(envs, actions.copy()))
    observations, rewards, *_ = reference.step(actions)
    if got.shape != (3,):
        raise Hint(f"return the rewards, one for each row; got an array of shape {got.shape}")
    if not np.array_equal(envs.step(actions)[0], observations):
        raise Hint("the environment has moved: the caller's next step does not lead where it would have led")
    if not np.allclose(got, rewards):
        raise Hint("the rewards must be those of the present state; a reset would start from another one")
