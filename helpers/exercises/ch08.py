"""Checks of chapter 8, `AsyncVectorEnv`."""

import multiprocessing

import numpy as np
from gymnasium.vector import AsyncVectorEnv

from helpers.environments import StepCounter
from helpers.exercises import Hint, exercise


@exercise(
    "08.1",
    wrong=[
        ("answer = (100, 25, 100)", "average"),
        ("answer = (100, 10, 100)", "slowest"),
        ("answer = (100, 40, 40)", "queue"),
        ("answer = (40, 100, 100)", "first number"),
        ("answer = 100", "three numbers"),
    ],
)
def _predict(answer):
    if not isinstance(answer, tuple) or len(answer) != 3:
        raise Hint("answer with a tuple of three numbers: loop, processes, processes one at a time")
    loop, processes, one_at_a_time = answer
    if loop != 100:
        raise Hint("the first number is the loop's: it takes one step after the other, so the times add up")
    if processes == 25:
        raise Hint("the call does not take the average: it ends when the last row is done")
    if processes != 40:
        raise Hint("the rows run side by side, and the call waits for the slowest of them")
    if one_at_a_time != 100:
        raise Hint("with max_concurrency=1 the workers queue: one row steps while the others wait")


@exercise(
    "08.2",
    wrong=[
        ("def overlap(envs, actions, work):\n    work()\n    return envs.step(actions)", "idle"),
        ("def overlap(envs, actions, work):\n    results = envs.step(actions)\n    work()\n    return results", "idle"),
        ("def overlap(envs, actions, work):\n    envs.step_async(actions)\n    work()", "collected"),
        ("def overlap(envs, actions, work):\n    envs.step_async(actions)\n    work()\n    envs.step_wait()", "return"),
        ("def overlap(envs, actions, work):\n    envs.step_async(actions)\n    return envs.step_wait()", "work()"),
    ],
)
def _overlap(answer):
    envs = AsyncVectorEnv([StepCounter] * 2)
    states = []
    try:
        envs.reset(seed=0)
        results = answer(envs, np.zeros(2, int), lambda: states.append(envs._state.value))
        pending = envs._state.value
    finally:
        # Collect what is pending, since `close` warns about it.
        if envs._state.value != "default":
            getattr(envs, f"{envs._state.value}_wait")()
        envs.close()
    if len(states) != 1:
        raise Hint(f"work() must be called once; it was called {len(states)} times")
    if states != ["step"]:
        raise Hint("when work ran, the workers were idle; call it between step_async and step_wait")
    if pending != "default":
        raise Hint("the answers of the workers were not collected: finish with step_wait")
    if not isinstance(results, tuple) or len(results) != 5:
        raise Hint("return the five results, which is what step_wait returns")


class _Hanging:
    """Stands in for an `AsyncVectorEnv`, so that no check has to wait for a worker that hangs."""

    num_envs = 2

    def __init__(self, hangs: bool) -> None:
        self.hangs, self.sent, self.closed, self.terminated = hangs, False, False, False

    def step(self, actions):
        raise Hint("step has no timeout; use its two halves, step_async and step_wait")

    def step_async(self, actions):
        self.sent = True

    def step_wait(self, timeout=None):
        if not self.sent:
            raise Hint("step_wait was called before step_async, so nothing was asked yet")
        if timeout != 0.5:
            raise Hint("give limit to step_wait as its timeout, or it waits for ever")
        if self.hangs:
            raise multiprocessing.TimeoutError("The call to `step_wait` has timed out after 0.5 second(s).")
        return np.zeros((2, 2)), np.zeros(2), np.zeros(2, bool), np.zeros(2, bool), {}

    def close(self, timeout=None, terminate=False):
        self.closed, self.terminated = True, terminate


_SOLUTION = """def step_or_stop(envs, actions, limit):
    envs.step_async(actions)
    try:
        return envs.step_wait(timeout=limit)
    except multiprocessing.TimeoutError:
        envs.close(terminate=True)
        return None"""


@exercise(
    "08.3",
    wrong=[
        ("def step_or_stop(envs, actions, limit):\n    return envs.step(actions)", "two halves"),
        (_SOLUTION.replace("timeout=limit", ""), "limit"),
        (_SOLUTION.replace("multiprocessing.TimeoutError", "TimeoutError"), "built-in"),
        (_SOLUTION.replace("terminate=True", ""), "terminate=True"),
        (_SOLUTION.replace("envs.close(terminate=True)", "pass"), "still open"),
        (_SOLUTION.replace("return envs.step_wait", "envs.step_wait"), "five results"),
    ],
)
def _step_or_stop(answer):
    quick, hanging = _Hanging(hangs=False), _Hanging(hangs=True)
    results = answer(quick, np.zeros(2, int), 0.5)
    if not isinstance(results, tuple) or len(results) != 5:
        raise Hint("when the workers are in time, return the five results of step_wait")
    if quick.closed:
        raise Hint("the workers were in time, and yet the environment was closed")
    try:
        results = answer(hanging, np.zeros(2, int), 0.5)
    except multiprocessing.TimeoutError:
        raise Hint("the error passed through: catch multiprocessing.TimeoutError, not the built-in one") from None
    if not hanging.closed:
        raise Hint("after the timeout the environment is still open, and its workers run on")
    if not hanging.terminated:
        raise Hint("a hanging worker does not answer a plain close(); use terminate=True")
    if results is not None:
        raise Hint("return None when the time is up")
