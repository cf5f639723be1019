"""Toy environments whose every number can be predicted, so that a page can be checked by eye.

Importing this module registers them under ``book/``, once: running the cell again changes nothing.

- ``book/ShortFrozenLake-v0``: the first toy, with a constant observation, zero reward, one step long
- ``book/StepCounter-v0``: says in each observation which episode and which step it belongs to
- ``book/Wait-v0``: a step that costs what you set, by computing or by sleeping
- ``book/DictCounter-v0``: a counter with a nested observation
- ``book/Reporter-v0``: reports an info key only on the steps you name
"""

import time
from typing import Any, Literal

import gymnasium as gym
import numpy as np
from gymnasium import spaces

Ending = Literal["terminated", "truncated"]
_LIMIT = 10_000.0


def _check_ending(ending: str) -> None:
    if ending not in ("terminated", "truncated"):
        raise ValueError(f"ending={ending!r}; use 'terminated' or 'truncated'")


def _check_length(length: int) -> None:
    if not 1 <= length <= _LIMIT:
        raise ValueError(f"length={length}; an episode has at least 1 step and at most {_LIMIT:.0f}")


class ShortFrozenLake(gym.Env):
    """A frozen lake one step long: the observation is always 0, the reward always 0.

    Observation: `Discrete(16)`. Action: `Discrete(4)`. Each episode terminates on its first step.
    """

    def __init__(self) -> None:
        self.observation_space = spaces.Discrete(16)
        self.action_space = spaces.Discrete(4)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Start the next episode; see the class."""
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        """Take one step; see the class."""
        return 0, 0.0, True, False, {}


class StepCounter(gym.Env):
    """An environment that says who it is: the observation is ``[episode, step]``, the reward is the step.

    A seeded reset starts again at episode 0, an unseeded one goes on to the next episode. An episode has
    `length` steps, then ends as `ending` says.

    Observation: `Box(0, 10000, (2,), float32)`. Action: `Discrete(2)`, without effect.

    Args:
        length: steps an episode, 1 to 10000.
        ending: ``"terminated"`` or ``"truncated"``.

    Raises:
        ValueError: if `length` is out of range or `ending` is neither of the two.
    """

    def __init__(self, length: int = 3, ending: Ending = "terminated") -> None:
        _check_length(length)
        _check_ending(ending)
        self.length, self.ending = length, ending
        self.episode = -1
        self.step_count = 0
        self.observation_space = spaces.Box(0.0, _LIMIT, (2,), np.float32)
        self.action_space = spaces.Discrete(2)

    def _observation(self) -> np.ndarray:
        return np.array([self.episode, self.step_count], np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Start the next episode; see the class."""
        super().reset(seed=seed)
        self.episode = 0 if seed is not None else self.episode + 1
        self.step_count = 0
        return self._observation(), {}

    def step(self, action):
        """Take one step; see the class."""
        self.step_count += 1
        over = self.step_count >= self.length
        terminated, truncated = over and self.ending == "terminated", over and self.ending == "truncated"
        return self._observation(), float(self.step_count), terminated, truncated, {}


class DictCounter(StepCounter):
    """`StepCounter` with a nested observation: ``{"count": [episode, step], "inner": {"even": 0 or 1, "grid": ...}}``.

    Observation: `Dict(count=Box(2,), inner=Dict(even=Discrete(2), grid=Box(2, 3)))`; `grid` is filled with the
    step count, float32. Action: `Discrete(2)`, without effect.
    """

    def __init__(self, length: int = 3, ending: Ending = "terminated") -> None:
        super().__init__(length, ending)
        self.observation_space = spaces.Dict(
            count=self.observation_space,
            inner=spaces.Dict(even=spaces.Discrete(2), grid=spaces.Box(0.0, _LIMIT, (2, 3), np.float32)),
        )

    def _observation(self) -> dict[str, Any]:
        grid = np.full((2, 3), self.step_count, np.float32)
        return {"count": super()._observation(), "inner": {"even": np.int64(self.step_count % 2 == 0), "grid": grid}}


class Reporter(StepCounter):
    """`StepCounter` that puts ``{"score": step, "nested": {"step": step}}`` into info, on chosen steps only.

    Args:
        report_on: the steps on which info has the keys; on all others it is empty. `score` is a float,
            `nested["step"]` an int.
    """

    def __init__(self, report_on: tuple[int, ...] = (1,), length: int = 3, ending: Ending = "terminated") -> None:
        super().__init__(length, ending)
        self.report_on = tuple(report_on)

    def step(self, action):
        """Take one step; see the class."""
        observation, reward, terminated, truncated, _ = super().step(action)
        reports = self.step_count in self.report_on
        info = {"score": float(self.step_count), "nested": {"step": self.step_count}} if reports else {}
        return observation, reward, terminated, truncated, info


class Wait(StepCounter):
    """`StepCounter` whose step takes as long as you say.

    Args:
        seconds: what a step costs, in seconds.
        how: ``"burn"`` keeps the processor busy for that long, as physics would; ``"sleep"`` waits, as a
            network call would.

    Raises:
        ValueError: if `seconds` is negative or `how` is neither of the two.
    """

    def __init__(
        self,
        seconds: float = 0.001,
        how: Literal["burn", "sleep"] = "burn",
        length: int = 100,
        ending: Ending = "terminated",
    ) -> None:
        super().__init__(length, ending)
        if seconds < 0:
            raise ValueError(f"seconds={seconds}; a step cannot take less than 0 seconds")
        if how not in ("burn", "sleep"):
            raise ValueError(f"how={how!r}; use 'burn' or 'sleep'")
        self.seconds, self.how = seconds, how

    def step(self, action):
        """Take one step; see the class."""
        if self.how == "sleep":
            time.sleep(self.seconds)
        else:
            # Processor time, not the clock: two processes that share a core must each do the whole work.
            until = time.thread_time() + self.seconds
            while time.thread_time() < until:
                pass
        return super().step(action)


for _name, _cls in {
    "ShortFrozenLake": ShortFrozenLake,
    "StepCounter": StepCounter,
    "DictCounter": DictCounter,
    "Reporter": Reporter,
    "Wait": Wait,
}.items():
    if f"book/{_name}-v0" not in gym.registry:
        gym.register(f"book/{_name}-v0", entry_point=f"{__name__}:{_cls.__name__}")
