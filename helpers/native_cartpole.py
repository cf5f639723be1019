"""The native CartPole of chapter 21, for the chapters and tools that race it.

Chapter 21 writes this code in its cells and explains each part; ``tests/test_native_cartpole.py`` fails when the two
differ in a statement.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

TRACK, ANGLE = 2.4, 12 * 2 * np.pi / 360
PUSH = np.array([-10, 10], np.float32) / np.float32(1.1)


def move(state: np.ndarray, actions: np.ndarray) -> None:
    """Move all carts by 0.02 s, in place.

    Args:
        state: shape ``(4, N)``: position, velocity, angle and angular velocity of each cart.
        actions: 0 or 1 for each cart.
    """
    sin, cos = np.sin(state[2]), np.cos(state[2])
    push = PUSH[actions] + state[3] * state[3] * sin * (0.05 / 1.1)
    turn = (9.8 * sin - cos * push) / (2 / 3 - cos * cos * (0.05 / 1.1))
    slide = push - turn * cos * (0.05 / 1.1)
    state[0::2] += 0.02 * state[1::2]
    state[1] += 0.02 * slide
    state[3] += 0.02 * turn


def chosen_rows(options: dict[str, Any] | None, num_envs: int) -> np.ndarray:
    """Return the numbers of the rows that a reset with these `options` is for; `options` is left as it is.

    Raises:
        TypeError: if ``options["reset_mask"]`` is not a boolean array.
        ValueError: if it has not one entry for each row, or chooses none.
    """
    if options is None or "reset_mask" not in options:
        return np.arange(num_envs)
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != bool:
        raise TypeError(f"reset_mask must be a boolean array, got {mask!r}")
    if mask.shape != (num_envs,) or not mask.any():
        raise ValueError(f"reset_mask must choose among {num_envs} rows, got {mask}")
    return np.flatnonzero(mask)


class NativeVectorEnv(VectorEnv):
    """What every native vector environment owes its caller; a subclass adds the task.

    A subclass defines three methods: ``spaces()`` returns the observation space and the action space of a single row;
    ``begin(rows)`` returns the states of new episodes in the rows of these numbers, shape ``(variables, rows)``;
    ``advance(actions)`` moves ``self.state`` and returns rewards and termination flags, as new arrays. It may define
    ``observe()``, a new batch of observations.

    There is one generator for all rows, seeded with one integer. So row i is not the single environment with
    ``seed + i``, and what a row draws depends on how many rows there are and on which of them finished before.

    Args:
        num_envs: the number of rows.
        max_episode_steps: steps after which an episode is truncated; None or -1 for no limit.
        render_mode: for the subclass to use.
        autoreset_mode: the mode or its value, such as ``"SameStep"``.

    Raises:
        ValueError: if the autoreset mode is unknown.
    """

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = "NextStep",
    ) -> None:
        self.num_envs, self.render_mode = num_envs, render_mode
        self.limit = np.inf if max_episode_steps in (None, -1) else max_episode_steps
        self.mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.mode}
        self.single_observation_space, self.single_action_space = self.spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.state = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin new episodes, in all rows or in those of ``options["reset_mask"]``; see the class for `seed`.

        Raises:
            gymnasium.error.ResetNeeded: if the first reset is not a reset of all rows.
        """
        rows = chosen_rows(options, self.num_envs)
        VectorEnv.reset(self, seed=seed)
        if self.state is not None:
            self.restart(rows)
            return self.observe(), {}
        if rows.size < self.num_envs:
            raise gym.error.ResetNeeded("the first reset must be a reset of all rows")
        self.state = self.begin(rows)
        self.steps = np.zeros(self.num_envs, int)
        self.done = np.zeros(self.num_envs, bool)
        return self.observe(), {}

    def restart(self, rows: np.ndarray) -> None:
        """Begin new episodes in the rows of these numbers."""
        self.state[:, rows] = self.begin(rows)
        self.steps[rows] = 0
        self.done[rows] = False

    def observe(self) -> np.ndarray:
        """Return the observations of all rows, as a new array."""
        return self.state.T.copy()

    def refuse(self, actions: np.ndarray) -> None:
        """Raise an error if these actions cannot be taken, before anything has moved.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset, and for rows that are done in mode ``DISABLED``.
            gymnasium.error.InvalidAction: if the actions are not in the action space.
        """
        if self.state is None:
            raise gym.error.ResetNeeded("call reset before step")
        if not self.action_space.contains(actions):
            raise gym.error.InvalidAction(f"{actions!r} is not in {self.action_space}")
        if self.mode is AutoresetMode.DISABLED and self.done.any():
            over = np.flatnonzero(self.done)
            raise gym.error.ResetNeeded(f"the episodes of rows {over} are over; reset them")

    def step(self, actions: np.ndarray):
        """Move all rows by one step, and begin new episodes where and when the autoreset mode says."""
        self.refuse(actions)
        filler = np.flatnonzero(self.done)  # empty, except in NEXT_STEP
        rewards, terminated = self.advance(actions)
        self.steps += 1
        truncated = self.steps >= self.limit
        if filler.size:
            self.restart(filler)
            rewards[filler], terminated[filler], truncated[filler] = 0, False, False
        self.done = terminated | truncated
        infos = {}
        if self.mode is AutoresetMode.SAME_STEP and self.done.any():
            infos = self.finish(np.flatnonzero(self.done))
        return self.observe(), rewards, terminated, truncated, infos

    def finish(self, rows: np.ndarray) -> dict[str, Any]:
        """Begin new episodes in rows that are done, and return an info with what they looked like before."""
        observations, mask = self.observe(), self.done.copy()
        final = np.full(self.num_envs, None)
        for row in rows:
            final[row] = observations[row]
        self.restart(rows)
        infos = {"final_obs": final, "final_info": {}}
        return infos | {"_final_obs": mask, "_final_info": mask.copy()}


class NativeCartPole(NativeVectorEnv):
    """CartPole on arrays: the physics and limits of ``CartPole-v1``, computed in float32, without its time limit."""

    metadata = VectorEnv.metadata | {"render_modes": ["rgb_array"], "render_fps": 50}
    painter = None  # used further down, for rendering

    def spaces(self) -> tuple[gym.Space, gym.Space]:
        """Return the spaces of ``CartPole-v1``."""
        high = np.array([2 * TRACK, np.inf, 2 * ANGLE, np.inf], np.float32)
        return gym.spaces.Box(-high, high), gym.spaces.Discrete(2)

    def begin(self, rows: np.ndarray) -> np.ndarray:
        """Return states near the upright one."""
        return self.np_random.uniform(-0.05, 0.05, (4, rows.size)).astype(np.float32)

    def advance(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Move all carts; the reward is 1, and a cart off the track or with a fallen pole is terminated."""
        move(self.state, actions)
        position, angle = np.abs(self.state[0::2])
        return np.ones(self.num_envs), (position > TRACK) | (angle > ANGLE)

    def draw(self, row: int) -> np.ndarray:
        """Return a picture of one row, as the single environment draws it.

        Raises:
            gymnasium.error.UnsupportedMode: if the render mode is not ``"rgb_array"``.
        """
        if self.render_mode != "rgb_array":
            raise gym.error.UnsupportedMode(f'render_mode is {self.render_mode}, not "rgb_array"')
        if self.painter is None:
            self.painter = CartPoleEnv(render_mode="rgb_array")
        self.painter.state = self.state[:, row]
        return self.painter.render()

    def render(self) -> tuple[np.ndarray, ...]:
        """Return a picture of each row; see `draw` for the errors."""
        return tuple(self.draw(row) for row in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Close what drew the pictures."""
        if self.painter is not None:
            self.painter.close()
            self.painter = None
