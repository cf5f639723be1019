"""Checks of chapter 25, failures."""

import gymnasium as gym
import numpy as np
from gymnasium.vector import SyncVectorEnv

from helpers.environments import StepCounter
from helpers.exercises import Hint, exercise


@exercise(
    "25.1",
    wrong=[
        ("answer = [1, 1, 1, 1]", "processes"),
        ("answer = [2, 2, 2, 2]", "row 3"),
        ("answer = [2, 2, 1, 1]", "three actions"),
        ("answer = [2, 2, 2]", "four rows"),
        ("answer = 2", "list"),
    ],
)
def _short_batch(answer):
    if not isinstance(answer, (list, tuple, np.ndarray)):
        raise Hint("answer with a list, one reward for each row")
    answer = list(answer)
    if len(answer) != 4:
        raise Hint("the last call succeeds, so it returns a reward for each of the four rows")
    if answer == [1, 1, 1, 1]:
        raise Hint("the failed call was not undone; late answers, which would give this, are a matter of processes")
    if answer == [2, 2, 2, 2]:
        raise Hint("there was no action for row 3 in the failed call, so it has moved once")
    if answer != [2, 2, 2, 1]:
        raise Hint("the loop moved one row for each of the three actions before it noticed that the next was missing")


@exercise(
    "25.2",
    wrong=[
        ('answer = {"killed": 3, "crashed": 2, "exited": 1, "alive": 0}', "None"),
        ('answer = {"killed": 2, "crashed": 3, "exited": 0, "alive": 1}', "signal 9"),
        ('answer = {"killed": -9, "crashed": -11, "exited": 3, "alive": None}', "row numbers"),
        ('answer = {"killed": 3, "crashed": ..., "exited": 0, "alive": 1}', "Replace"),
    ],
)
def _exit_codes(answer):
    rows = [answer[key] for key in ("killed", "crashed", "exited", "alive")]
    if ... in rows:
        raise Hint(f"{rows.count(...)} of 4 answers are open. Replace each ... with the number of a row")
    if sorted(rows, key=str) != [0, 1, 2, 3]:
        raise Hint("answer with row numbers, 0 to 3, each once: the place in the list, not the exit code")
    if rows[3] != 1 or rows[2] != 0:
        raise Hint("a process that is alive has no exit code, which is None; sys.exit(3) leaves the code 3")
    if rows[:2] != [3, 2]:
        raise Hint("the system kills with signal 9, a crash in compiled code is signal 11")


_CAREFUL = """def careful_step(envs, actions):
    if len(actions) != envs.num_envs:
        raise ValueError(f"{len(actions)} actions for {envs.num_envs} rows")
    return envs.step(actions)"""


@exercise(
    "25.3",
    wrong=[
        ("def careful_step(envs, actions):\n    return envs.step(actions)", "had moved"),
        (_CAREFUL.replace("!=", "<"), "too many"),
        (_CAREFUL.replace("len(actions) != envs.num_envs", "actions not in envs.action_space"), "float64"),
        (_CAREFUL.replace("raise ValueError", "return ValueError"), "raise"),
        (_CAREFUL.replace('f"{len(actions)} actions for {envs.num_envs} rows"', '"bad actions"'), "both numbers"),
        (_CAREFUL.replace("return envs.step", "envs.step"), "five results"),
        (_CAREFUL.replace("raise ValueError", "raise TypeError"), "ValueError"),
    ],
)
def _careful_step(answer):
    envs = SyncVectorEnv([StepCounter] * 3)
    envs.reset(seed=0)
    for actions, amount in (([0, 0], "too few"), ([0, 0, 0, 0], "too many")):
        try:
            answer(envs, np.array(actions))
        except ValueError as error:
            message = str(error)
        except TypeError:
            raise Hint("the kind of error is not right: raise a ValueError") from None
        else:
            raise Hint(f"raise an error if there are {amount} actions; nothing was raised")
        if any(envs.get_attr("step_count")):
            raise Hint(f"with {amount} actions rows had moved before the error; compare the lengths before you step")
        if not all(str(number) in message for number in (len(actions), 3)):
            raise Hint("let the message say both numbers, that of the actions and that of the rows")
    envs = gym.make_vec("Pendulum-v1", 3, vectorization_mode="sync")
    envs.reset(seed=0)
    try:
        results = answer(envs, np.zeros((3, 1)))
    except ValueError:
        raise Hint("float64 actions, one for each row, are fine, but were refused; compare lengths only") from None
    if not isinstance(results, tuple) or len(results) != 5:
        raise Hint("return the five results of the step")


class _Recorded:
    """Stands in for a vector environment and knows whether it was stopped."""

    def __init__(self) -> None:
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True


_ATTEMPT = """def attempt(make, work, tries):
    for left in reversed(range(tries)):
        envs = make()
        try:
            return work(envs)
        except Exception:
            if not left:
                raise
        finally:
            envs.stop()"""


@exercise(
    "25.4",
    wrong=[
        ("def attempt(make, work, tries):\n    return work(make())", "stopped"),
        (_ATTEMPT.replace("            if not left:\n                raise", "            pass"), "last error"),
        (_ATTEMPT.replace("for left", "envs = make()\n    for left").replace("        envs = make()\n", ""), "new"),
        (_ATTEMPT.replace("range(tries)", "range(tries + 1)"), "tries in all"),
        (_ATTEMPT.replace("            return work(envs)", "            work(envs)"), "return"),
        (_ATTEMPT.replace("except Exception", "except EOFError"), "whatever"),
    ],
)
def _attempt(answer):
    made = []

    def make():
        made.append(_Recorded())
        return made[-1]

    def check_stopped():
        if not all(envs.stopped for envs in made):
            raise Hint("an environment was not stopped; it must be, on every way out")

    if answer(make, lambda envs: "data", 3) != "data":
        raise Hint("the first try succeeds; return what work returns, and at once")
    if len(made) != 1:
        raise Hint("the first try succeeded, so there is no need for another environment")
    check_stopped()
    made.clear()
    used = []

    def twice_wrong(envs):
        used.append(envs)
        if len(used) < 3:
            raise (EOFError, ValueError)[len(used) - 1]("accident")
        return "data"

    try:
        data = answer(make, twice_wrong, 3)
    except (EOFError, ValueError) as error:
        raise Hint(
            f"a {type(error).__name__} ended it on try {len(used)} of 3; try again, whatever the error"
        ) from None
    if data != "data":
        raise Hint("the third of three tries succeeds, so return its data")
    if len({id(envs) for envs in used}) != 3:
        raise Hint("after an error the same environment was used again; make a new one for each try")
    check_stopped()
    made.clear()

    def always_wrong(envs):
        raise ValueError("bug")

    try:
        answer(make, always_wrong, 2)
    except ValueError:
        pass
    else:
        raise Hint("all tries failed and no error came out; the last error must be raised")
    if len(made) != 2:
        raise Hint(f"tries=2 means two tries in all; there were {len(made)}")
    check_stopped()
