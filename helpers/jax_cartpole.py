"""CartPole in JAX, an optional contender of chapter 22: importing this module needs JAX.

The same physics as `helpers.native_cartpole`, compiled as a whole: once as one call a step, for a policy that lives in
Python, and once as a whole rollout of random actions that never leaves the device.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from helpers.native_cartpole import ANGLE, TRACK, NativeCartPole


def advance(state: jax.Array, steps: jax.Array, done: jax.Array, key: jax.Array, actions: jax.Array, limit: int):
    """Return what one step of all rows leads to, in autoreset mode ``NEXT_STEP``.

    Args:
        state: shape ``(4, N)``: position, velocity, angle, angular velocity.
        steps: the steps of each running episode.
        done: the rows that ended on the previous step, and begin anew on this one.
        key: from which new episodes are drawn.
        actions: 0 or 1 for each row.
        limit: steps after which an episode is truncated.

    Returns:
        The new state, steps and done, and then rewards, terminated and truncated.
    """
    x, v, angle, spin = state
    sin, cos = jnp.sin(angle), jnp.cos(angle)
    push = (20 * actions - 10) / 1.1 + spin * spin * sin * (0.05 / 1.1)
    turn = (9.8 * sin - cos * push) / (2 / 3 - cos * cos * (0.05 / 1.1))
    slide = push - turn * cos * (0.05 / 1.1)
    moved = jnp.stack([x + 0.02 * v, v + 0.02 * slide, angle + 0.02 * spin, spin + 0.02 * turn])
    fresh = jax.random.uniform(key, state.shape, minval=-0.05, maxval=0.05)
    state, steps = jnp.where(done, fresh, moved), jnp.where(done, 0, steps + 1)
    terminated = ~done & ((jnp.abs(state[0]) > TRACK) | (jnp.abs(state[2]) > ANGLE))
    truncated = ~done & (steps >= limit)
    return state, steps, terminated | truncated, jnp.where(done, 0.0, 1.0), terminated, truncated


class JaxCartPole(VectorEnv):
    """CartPole for `num_envs` rows, each step one compiled call; observations come back as NumPy arrays."""

    metadata = VectorEnv.metadata | {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int = 1, max_episode_steps: int = 500) -> None:
        self.num_envs, self.limit = num_envs, max_episode_steps
        self.single_observation_space, self.single_action_space = NativeCartPole(1).spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._advance = jax.jit(advance, static_argnums=5)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin new episodes in all rows; `seed` is the seed of the key that all rows share."""
        super().reset(seed=seed)
        self._key, first = jax.random.split(jax.random.key(int(self.np_random.integers(2**31))))
        self._state = jax.random.uniform(first, (4, self.num_envs), minval=-0.05, maxval=0.05)
        self._steps, self._done = jnp.zeros(self.num_envs, int), jnp.zeros(self.num_envs, bool)
        return np.asarray(self._state).T.copy(), {}

    def step(self, actions: np.ndarray):
        """Move all rows by one step."""
        self._key, key = jax.random.split(self._key)
        self._state, self._steps, self._done, *results = self._advance(
            self._state, self._steps, self._done, key, actions, self.limit
        )
        return np.asarray(self._state).T.copy(), *map(np.asarray, results), {}

    def rolling(self, calls: int) -> Callable[[], None]:
        """Return a function that takes `calls` steps with random actions in one compiled call, and waits for them."""

        def one(carry, _):
            state, steps, done, key = carry
            key, for_actions, for_starts = jax.random.split(key, 3)
            actions = jax.random.randint(for_actions, (self.num_envs,), 0, 2)
            state, steps, done, *results = advance(state, steps, done, for_starts, actions, self.limit)
            return (state, steps, done, key), (state.T, *results)

        rollout = jax.jit(lambda carry: jax.lax.scan(one, carry, None, calls))
        carry = (self._state, self._steps, self._done, self._key)

        def turn() -> None:
            nonlocal carry
            carry, _ = jax.block_until_ready(rollout(carry))

        return turn
