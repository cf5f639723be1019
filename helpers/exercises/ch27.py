"""Checks of chapter 27, the field guide."""

import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from helpers.environments import StepCounter
from helpers.exercises import Hint, exercise

_CAUSES = {
    "anna": (3, "a loop hid it and processes show it: what does a forked process copy that a loop shares?"),
    "bo": (4, "the worker was late, not dead; where is its answer now?"),
    "cy": (5, "the policy is the same; which episodes are counted when there are many rows?"),
    "dee": (6, "nobody reported anything on those steps; what stands in an array then?"),
}


@exercise(
    "27.1",
    wrong=[
        ('answer = {"anna": 2, "bo": 4, "cy": 5, "dee": 6}', "seeds differ"),
        ('answer = {"anna": 7, "bo": 4, "cy": 5, "dee": 6}', "forked process"),
        ('answer = {"anna": 3, "bo": 1, "cy": 5, "dee": 6}', "late, not dead"),
        ('answer = {"anna": 3, "bo": 4, "cy": 1, "dee": 6}', "no episode"),
        ('answer = {"anna": 3, "bo": 4, "cy": 2, "dee": 6}', "which episodes are counted"),
        ('answer = {"anna": 3, "bo": 4, "cy": 5, "dee": 1}', "stands in an array"),
        ('answer = {"anna": 3, "bo": 4}', "cy, dee"),
        ("answer = [3, 4, 5, 6]", "a dict"),
    ],
)
def _causes(answer):
    if not isinstance(answer, dict):
        raise Hint("give a dict from each name to a number of the list")
    missing = [name for name in _CAUSES if answer.get(name, ...) is ...]
    if missing:
        raise Hint(f"there is no cause yet for {', '.join(missing)}")
    if answer["anna"] == 2:
        raise Hint("anna: within one run the seeds differ from row to row; base seeds matter between two runs")
    if answer["cy"] == 1:
        raise Hint("cy: a filler row belongs to no episode, and adds at most one to a length")
    for name, (cause, hint) in _CAUSES.items():
        if answer[name] != cause:
            raise Hint(f"{name}: {hint}")


def _rollout(mode, lengths, ending, calls):
    envs = SyncVectorEnv([lambda n=n: StepCounter(n, ending) for n in lengths], autoreset_mode=mode)
    envs.reset(seed=0)
    steps, done = [], np.zeros(len(lengths), bool)
    for _ in range(calls):
        if mode is AutoresetMode.DISABLED and done.any():
            envs.reset(options={"reset_mask": done})
        observations, rewards, terminated, truncated, _ = envs.step(np.zeros(len(lengths), int))
        done = terminated | truncated
        steps.append((observations, rewards, done))
    envs.close()
    return tuple(np.array(part) for part in zip(*steps, strict=True))


@exercise(
    "27.2",
    wrong=[
        (
            "def mode_of(observations, rewards, done):\n"
            '    return "NEXT_STEP" if (rewards == 0).any() else "SAME_STEP"',
            "DISABLED",
        ),
        (
            'def mode_of(observations, rewards, done):\n    return "NEXT_STEP" if (rewards == 0).any() else "DISABLED"',
            "SAME_STEP",
        ),
        (
            "def mode_of(observations, rewards, done):\n"
            "    call = done[:, 0].argmax()\n"
            "    if observations[call, 0, 1] == 0:\n"
            '        return "SAME_STEP"\n'
            '    return "NEXT_STEP" if rewards[call + 1, 0] == 0 else "DISABLED"',
            "row 0",
        ),
        (
            "def mode_of(observations, rewards, done):\n"
            "    call, row = np.argwhere(done)[-1]\n"
            "    if observations[call, row, 1] == 0:\n"
            '        return "SAME_STEP"\n'
            '    return "NEXT_STEP" if rewards[call + 1, row] == 0 else "DISABLED"',
            "last call",
        ),
        (
            "def mode_of(observations, rewards, done):\n"
            "    call, row = np.argwhere(done[:-1])[0]\n"
            "    if observations[call, row, 1] == 0:\n"
            "        return AutoresetMode.SAME_STEP\n"
            "    return AutoresetMode.NEXT_STEP",
            "a string",
        ),
    ],
)
def _mode_of(answer):
    cases = [
        ((2, 3), "terminated", 7, "two rows with episodes of two and three steps"),
        ((2, 2), "truncated", 5, "episodes that are cut off"),
        ((9, 2), "terminated", 7, "row 0 never finishes: look for a row that does"),
        ((2, 3), "terminated", 8, "an episode ends on the last call, where nothing comes after it"),
    ]
    for lengths, ending, calls, about in cases:
        for mode in AutoresetMode:
            rollout = _rollout(mode, lengths, ending, calls)
            try:
                found = answer(*(part.copy() for part in rollout))
            except IndexError:
                raise Hint(f"an index is out of range: nothing comes after the last call; {about}") from None
            if not isinstance(found, str):
                raise Hint(f"return a string such as {mode.name!r}, not {found!r}")
            if found != mode.name:
                raise Hint(f"a rollout of {mode.name} was taken for {found}; {about}")
