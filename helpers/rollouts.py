"""Rollouts in every autoreset mode, and advantages on them.

Chapter 17, rollouts, writes these functions out and explains them; they are here for the chapters that train and
evaluate. A hidden cell of chapter 17 fails if its code and this code differ.
"""

from dataclasses import dataclass
from operator import setitem
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import create_empty_array


def tree_map(function, *trees):
    """Apply `function` to the arrays of one or more observations of the same structure.

    Args:
        function: takes one array from each of `trees`.
        *trees: arrays, or dicts and tuples of them, nested at will.
    """
    first = trees[0]
    if isinstance(first, dict):
        return {key: tree_map(function, *(tree[key] for tree in trees)) for key in first}
    if isinstance(first, tuple):
        return tuple(tree_map(function, *parts) for parts in zip(*trees, strict=True))
    return function(*trees)


def write(buffer, index, value):
    """Write `value` into ``buffer[index]``, array by array."""
    tree_map(lambda array, part: setitem(array, index, part), buffer, value)


@dataclass
class Rollout:
    """`T` calls to `step` on `N` sub-environments.

    Attributes:
        observations: ``(T + 1, N, ...)``; entry `t` is what the policy saw at call `t`, the last what it will see next.
        actions: ``(T, N, ...)``.
        rewards: ``(T, N)``.
        terminated: ``(T, N)``, bool.
        truncated: ``(T, N)``, bool.
        valid: ``(T, N)``, bool, False for a filler row.
        finals: ``(t, row, observation)`` for each final observation that is not in `observations`.
        infos: the `T` infos.
    """

    observations: Any
    actions: Any
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    valid: np.ndarray
    finals: list
    infos: list

    @property
    def done(self):
        """Where an episode ended, ``(T, N)``."""
        return self.terminated | self.truncated


def empty_rollout(envs, num_steps):
    """Return a rollout of `num_steps` calls to `envs` with nothing written into it yet."""
    shape = (num_steps, envs.num_envs)
    return Rollout(
        observations=create_empty_array(envs.observation_space, num_steps + 1),
        actions=create_empty_array(envs.action_space, num_steps),
        rewards=np.zeros(shape),
        terminated=np.zeros(shape, bool),
        truncated=np.zeros(shape, bool),
        valid=np.ones(shape, bool),
        finals=[],
        infos=[],
    )


def end_episodes(envs, rollout, t, observation, done):
    """Keep the final observations of call `t` that would be lost; return what the policy sees next.

    Args:
        envs: the vector environment; under `DISABLED`, its finished rows are reset here.
        rollout: where the final observations and the info of the call are.
        t: the call.
        observation: what it returned.
        done: the rows whose episode it ended.
    """
    mode = envs.metadata["autoreset_mode"]
    if mode is AutoresetMode.NEXT_STEP or not done.any():
        return observation
    for i in np.flatnonzero(done):
        if mode is AutoresetMode.SAME_STEP:
            final = rollout.infos[t]["final_obs"][i]
        else:
            final = tree_map(lambda array, i=i: array[i].copy(), observation)
        rollout.finals.append((t, i, final))
    if mode is AutoresetMode.DISABLED:
        observation, _ = envs.reset(options={"reset_mask": done.copy()})
    return observation


def collect(envs, policy, num_steps, start):
    """Call `step` `num_steps` times, in whichever autoreset mode `envs` has.

    Args:
        envs: a vector environment.
        policy: from a batch of observations to a batch of actions.
        num_steps: `T`, the number of calls.
        start: ``(observation, done)``: what `reset` returned and zeros, then what the last call of `collect` returned.

    Returns:
        The rollout and the `start` of the next one.
    """
    rollout = empty_rollout(envs, num_steps)
    observation, done = start
    for t in range(num_steps):
        if envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP:
            rollout.valid[t] = ~done
        write(rollout.observations, t, observation)
        action = policy(observation)
        write(rollout.actions, t, action)
        observation, *step, info = envs.step(action)
        rollout.rewards[t], rollout.terminated[t], rollout.truncated[t] = step
        rollout.infos.append(info)
        done = rollout.terminated[t] | rollout.truncated[t]
        observation = end_episodes(envs, rollout, t, observation, done)
    write(rollout.observations, num_steps, observation)
    return rollout, (observation, done)


def value_steps(rollout, value):
    """Return the value of what each step saw and of what it led to, both ``(T, N)``.

    Args:
        rollout: from `collect`.
        value: from observations with any number of leading axes to one number each.
    """
    values = value(rollout.observations)
    next_values = values[1:]
    if rollout.finals:
        steps, rows, observations = zip(*rollout.finals, strict=True)
        next_values = next_values.copy()
        next_values[steps, rows] = value(tree_map(lambda *parts: np.stack(parts), *observations))
    return values[:-1], next_values


def next_observations(rollout):
    """Return what each step led to, ``(T, N, ...)``: a final observation where an episode ended, never a reset's."""
    following = tree_map(lambda array: array[1:].copy(), rollout.observations)
    for t, i, observation in rollout.finals:
        write(following, (t, i), observation)
    return following


def gae(rewards, values, next_values, terminated, done, gamma=0.99, lam=0.95):
    """Return the generalised advantage estimate of each step, ``(T, N)``; drop the filler rows afterwards.

    Args:
        rewards: ``(T, N)``, as are all arrays here.
        values: of the observation each step saw.
        next_values: of the observation each step led to; see `value_steps`.
        terminated: where nothing follows, so `next_values` counts for nothing.
        done: where the episode ends, so the sum over later steps is cut.
        gamma: discount of the next step.
        lam: weight of later errors; 0 trusts the values, 1 trusts the rewards.
    """
    errors = rewards + gamma * next_values * ~terminated - values
    carry = gamma * lam * ~done
    advantages = np.zeros_like(errors)
    following = 0.0
    for t in reversed(range(len(rewards))):
        following = errors[t] + carry[t] * following
        advantages[t] = following
    return advantages
