"""Checks of chapter 2, `SyncVectorEnv`."""

from contextlib import closing

import gymnasium as gym
import numpy as np
from gymnasium.vector import SyncVectorEnv, VectorEnv

from helpers.environments import StepCounter
from helpers.exercises import Hint, exercise


@exercise(
    "02.1",
    wrong=[
        ("answer = 60", "slowest"),
        ("answer = 12", "ten calls"),
        ("answer = 30", "average"),
        ("answer = 0.12", "milliseconds"),
        ('answer = "120 ms"', "a number"),
    ],
)
def _predict_the_time(answer):
    if isinstance(answer, str) or not np.isscalar(answer):
        raise Hint("give a number of milliseconds, such as 25")
    hints = {
        60: "that is ten times the slowest step; a loop also waits for the other three",
        12: "that is one call; there are ten calls",
        30: "that is ten times the average step; one call takes a step in every row",
        0.12: "that is right in seconds; the question asks for milliseconds",
    }
    for wrong, hint in hints.items():
        if np.isclose(answer, wrong):
            raise Hint(hint)
    if not 115 <= answer <= 130:
        raise Hint("add up the steps of one call, then think of ten calls")


@exercise(
    "02.2",
    wrong=[
        (
            "def make_counters(lengths):\n    return SyncVectorEnv([lambda: StepCounter(length=n) for n in lengths])",
            "late",
        ),
        (
            "def make_counters(lengths):\n    return SyncVectorEnv([StepCounter(length=n) for n in lengths])",
            "not callable",
        ),
        ("def make_counters(lengths):\n    return SyncVectorEnv([StepCounter] * len(lengths))", "default length"),
        ("def make_counters(lengths):\n    return [StepCounter(length=n) for n in lengths]", "returned a list"),
    ],
)
def _make_counters(answer):
    for lengths in ([2, 3, 5], [7, 4]):
        envs = answer(lengths)
        if not isinstance(envs, VectorEnv):
            raise Hint(f"your function returned a {type(envs).__name__}; put the factories into a SyncVectorEnv")
        with closing(envs):
            found = envs.get_attr("length")
        if found == (lengths[-1],) * len(lengths):
            raise Hint(
                f"every row has length {lengths[-1]}, the last of {lengths}: the factory looks its variable up too "
                "late; bind it with a default argument or partial"
            )
        if found == (StepCounter().length,) * len(lengths):
            raise Hint(f"every row has the default length {found[0]}; the factory must pass `length` on")
        if found != tuple(lengths):
            raise Hint(f"asked for lengths {lengths}, got {list(found)}")


@exercise(
    "02.3",
    wrong=[
        (
            "def collect(envs, actions):\n"
            "    seen = [envs.reset(seed=0)[0]]\n"
            "    for action in actions:\n"
            "        seen.append(envs.step(action)[0])\n"
            "    return np.stack(seen)",
            "one buffer",
        ),
        (
            "def collect(envs, actions):\n"
            "    envs.reset(seed=0)\n"
            "    return np.stack([envs.step(action)[0].copy() for action in actions])",
            "reset",
        ),
        (
            "def collect(envs, actions):\n"
            "    seen = [envs.reset(seed=0)[0].copy()]\n"
            "    return seen + [envs.step(action)[0].copy() for action in actions]",
            "one array",
        ),
    ],
)
def _collect(answer):
    actions = np.zeros((4, 2), int)
    for copy in (True, False):
        with closing(SyncVectorEnv([lambda: StepCounter(length=50)] * 2, copy=copy)) as envs:
            seen = answer(envs, actions)
        if not isinstance(seen, np.ndarray):
            raise Hint(f"returned a {type(seen).__name__}; the answer is one array, so stack what you kept")
        if len(seen) == len(actions):
            raise Hint("the first entry is the observation that reset returned; it is missing")
        if seen.shape != (5, 2, 2):
            raise Hint(f"for 4 steps of 2 rows the shape is (5, 2, 2), got {seen.shape}")
        steps = seen[:, 0, 1].tolist()
        if not copy and steps == [4.0] * 5:
            raise Hint("with copy=False every entry is the newest observation: they are all one buffer; copy each")
        if steps != [0, 1, 2, 3, 4]:
            raise Hint(f"the step counts of row 0 should be 0, 1, 2, 3, 4, got {steps}")


@exercise(
    "02.4",
    wrong=[
        ("def set_strict(envs, name, values):\n    envs.unwrapped.set_attr(name, values)", "misspelt name"),
        (
            "def set_strict(envs, name, values):\n    envs.get_attr(name)\n    envs.set_attr(name, values)",
            "vector wrapper",
        ),
        (
            "def set_strict(envs, name, values):\n"
            "    if not all(envs.unwrapped.call('set_wrapper_attr', name, values, force=False)):\n"
            "        raise AttributeError(name)",
            "whole list",
        ),
        (
            "def set_strict(envs, name, values):\n"
            "    envs.unwrapped.set_attr(name, values)\n"
            "    if not hasattr(envs.envs[0].unwrapped, name):\n"
            "        raise AttributeError(name)",
            "vector wrapper",
        ),
        (
            "def set_strict(envs, name, values):\n"
            "    envs.unwrapped.set_attr(name, values)\n"
            "    if not hasattr(envs.unwrapped.envs[0].unwrapped, name):\n"
            "        raise AttributeError(name)",
            "must set nothing",
        ),
    ],
)
def _set_strict(answer):
    inner = SyncVectorEnv([lambda: gym.wrappers.ClipReward(StepCounter(), -1, 1)] * 2)
    with closing(gym.wrappers.vector.ClipReward(inner, -1, 1)) as envs:
        try:
            answer(envs, "length", [7, 9])
        except AttributeError as error:
            if "ClipReward" in str(error):
                raise Hint(f"a vector wrapper does not forward it ({error}); go through .unwrapped") from None
            raise
        found = inner.get_attr("length")
        if found == ([7, 9], [7, 9]):
            raise Hint("each row got the whole list; give each row its own value, as set_attr does")
        if found != (7, 9):
            raise Hint(f"set length to [7, 9], then found {list(found)}")
        try:
            answer(envs, "lngth", [1, 1])
        except AttributeError:
            if any(inner.call("has_wrapper_attr", "lngth")):
                raise Hint("it raised, but the attribute was created first; it must set nothing") from None
        else:
            raise Hint("a misspelt name, 'lngth', raised no AttributeError")
