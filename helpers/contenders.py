"""Who takes part in the ladder of chapter 22 and of ``make bench``: CartPole, made in every way there is."""

import importlib.util
import io
import warnings
from collections.abc import Callable
from importlib import resources
from typing import Any

import gymnasium as gym
import numpy as np
import pandas as pd
from gymnasium.vector.utils import batch_space

from helpers.native_cartpole import NativeCartPole
from helpers.timing import Environment, Race, interleave, opened, stepping

CORE = ("sync", "async", "Gymnasium's native", "our native")
OPTIONAL = {"JAX": "jax", "JAX rollouts": "jax", "EnvPool": "envpool"}
"""Contenders that need a package the book does not install, and the name of its module."""
ROLLOUT = 100
"""Steps in one compiled call of JAX rollouts."""
_ID = "CartPole-v1"


def installed(name: str) -> bool:
    """Return whether the contender of this name can take part."""
    return name in CORE or importlib.util.find_spec(OPTIONAL[name]) is not None


def maker(name: str, rows: int) -> Callable[[], Environment]:
    """Return a function that makes the contender of this name, one of `CORE` or `OPTIONAL`, with this many rows.

    Raises:
        ValueError: if there is no contender of this name.
    """
    makers = {
        "sync": lambda: gym.make_vec(_ID, rows, vectorization_mode="sync"),
        "async": lambda: gym.make_vec(_ID, rows, vectorization_mode="async"),
        "Gymnasium's native": lambda: gym.make_vec(_ID, rows, vectorization_mode="vector_entry_point"),
        "our native": lambda: NativeCartPole(rows, max_episode_steps=500),
        "JAX": lambda: _jax(rows),
        "JAX rollouts": lambda: _jax(rows),
        "EnvPool": lambda: _EnvPool(rows),
    }
    if name not in makers:
        raise ValueError(f"there is no contender {name!r}; there are {', '.join(makers)}")
    return makers[name]


def against_single(name: str, rows: int, rounds: int = 51, seed: int = 0) -> Race:
    """Let a contender take turns with ``"single"``, one plain ``gym.make`` environment; return the race of the two.

    The single environment is the same whatever the contender and its rows, so races against it can be compared with
    one another. Run ``"async"`` before anything that needs JAX or EnvPool: their threads do not survive a fork.

    Args:
        name: one of `CORE` or `OPTIONAL`.
        rows: the number of sub-environments of the contender.
        rounds: how many rounds are counted.
        seed: the seed of resets and actions.
    """
    with opened({"single": lambda: gym.make(_ID), name: maker(name, rows)}, seed) as envs:
        calls, work = {key: stepping(env, seed) for key, env in envs.items()}, {"single": 1, name: rows}
        if name == "JAX rollouts":
            calls[name], work[name] = envs[name].rolling(ROLLOUT), ROLLOUT * rows
        return interleave(calls, work, rounds)


def stored_ladder() -> tuple[str, pd.DataFrame]:
    """Return the machine on which ``make bench`` measured the book's own ladder, and its records.

    The columns are contender, rows, rate in environment steps a second, and ratio to one plain environment with the
    bounds ratio_low and ratio_high of its middle half.
    """
    text = (resources.files("helpers") / "data" / "ladder.csv").read_text(encoding="utf-8")
    where = next(line for line in text.splitlines() if line.startswith("# machine: "))
    return where.removeprefix("# machine: "), pd.read_csv(io.StringIO(text), comment="#")


def _jax(rows: int) -> Environment:
    from helpers.jax_cartpole import JaxCartPole

    return JaxCartPole(rows, max_episode_steps=500)


class _EnvPool:
    """EnvPool's CartPole under the few names that a race uses; its own spaces are not batched."""

    def __init__(self, rows: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import envpool

            self.envs = envpool.make_gymnasium(_ID, num_envs=rows, seed=0, num_threads=1)
        self.num_envs = rows
        self.action_space = batch_space(gym.spaces.Discrete(2), rows)
        self.unwrapped = self

    def reset(self, *, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its spaces are made on first use
            return self.envs.reset()

    def step(self, actions: np.ndarray) -> tuple:
        return self.envs.step(actions)

    def close(self) -> None:
        self.envs.close()
