"""Measure contenders fairly: turn by turn, each compared with its neighbour in time.

A machine that is busy for a second slows whatever runs in that second. So contenders take turns, in an order that
changes; a turn is short, and equally long for all; and what is compared are two turns of the same round. Chapter 22
shows what each of these buys.
"""

import itertools
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, VectorEnv

Environment = gym.Env | VectorEnv


@dataclass(frozen=True)
class Spread:
    """The median of some measurements, and the range that holds the middle half of them."""

    median: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        """Return ``median (low to high)``, each number in the format `spec`."""
        return f"{self.median:{spec}} ({self.low:{spec}} to {self.high:{spec}})"


@dataclass(frozen=True)
class Race:
    """What the contenders of one race took.

    Attributes:
        seconds: for each contender, the seconds for one unit of work, turn by turn. Turns of the same number are
            neighbours in time.
    """

    seconds: dict[str, np.ndarray]

    def cost(self, name: str) -> Spread:
        """Return the microseconds that contender `name` takes for one unit of work."""
        return _spread(1e6 * self.seconds[name])

    def rate(self, name: str) -> Spread:
        """Return the units of work that contender `name` does in a second."""
        return _spread(1 / self.seconds[name])

    def ratio(self, name: str, to: str) -> Spread:
        """Return how many times as fast as contender `to` the contender `name` is, compared round by round."""
        return _spread(self.seconds[to] / self.seconds[name])

    def extra(self, name: str, to: str) -> Spread:
        """Return the microseconds that contender `name` takes beyond contender `to`, compared round by round."""
        return _spread(1e6 * (self.seconds[name] - self.seconds[to]))


def _spread(values: np.ndarray) -> Spread:
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    return Spread(float(median), float(low), float(high))


def interleave(
    calls: Mapping[str, Callable[[], Any]],
    work: int | Mapping[str, int] = 1,
    rounds: int = 51,
    turn: float = 0.0005,
) -> Race:
    """Time functions that take turns.

    In each round every contender has one turn; who goes first changes from round to round. A turn is as many calls
    as take about `turn` seconds, or as long as one call of the slowest contender: so turns are equally long, and what
    else the machine does hits all contenders alike. A few calls at the start are not counted: they find out how many
    calls make a turn, and pay for imports, caches and memory that later calls find ready.

    Args:
        calls: for each contender, the function to call. The loop around it costs some 30 ns a call.
        work: the units of work in one call: the same for all, or for each contender.
        rounds: how many rounds are counted.
        turn: the least seconds for a turn.

    Raises:
        ValueError: if there are no contenders or no rounds.
    """
    if not calls or rounds < 1:
        raise ValueError(f"a race needs contenders and rounds; got {len(calls)} contenders and {rounds} rounds")
    names = list(calls)
    alone = {name: _quickest(call) for name, call in calls.items()}
    turn = max(turn, *alone.values())
    counts = {name: max(1, round(turn / alone[name])) for name in names}
    seconds = {name: np.empty(rounds) for name in names}
    for number in range(rounds):
        laps, first = divmod(number, len(names))
        order = names[first:] + names[:first]
        for name in reversed(order) if laps % 2 else order:
            seconds[name][number] = _seconds(calls[name], counts[name]) / counts[name]
    units = work if isinstance(work, Mapping) else dict.fromkeys(names, work)
    return Race({name: seconds[name] / units[name] for name in names})


def _seconds(call: Callable[[], Any], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return time.perf_counter() - start


def _quickest(call: Callable[[], Any]) -> float:
    call()
    return min(_seconds(call, 1) for _ in range(5))


def stepping(env: Environment, seed: int = 0) -> Callable[[], None]:
    """Return a function that takes one step of all rows, or of the single environment.

    The actions are drawn beforehand, so that drawing them is not timed; a hundred of them are used again and again. A
    single environment is reset when an episode ends; a vector environment has to do that by itself.

    Args:
        env: an environment that has been reset.
        seed: the seed of the actions.
    """
    env.action_space.seed(seed)
    actions = itertools.cycle([env.action_space.sample() for _ in range(100)])
    step = env.step

    def step_rows() -> None:
        step(next(actions))

    def step_single() -> None:
        _, _, terminated, truncated, _ = step(next(actions))
        if terminated or truncated:
            env.reset()

    return step_single if isinstance(env, gym.Env) else step_rows


@contextmanager
def opened(makers: Mapping[str, Callable[[], Environment]], seed: int = 0) -> Iterator[dict[str, Environment]]:
    """Make environments and reset them; close them at the end of the block, whatever happens in it.

    When the block raises or is interrupted, workers are stopped without being asked, since they may not answer.

    Args:
        makers: for each name, a function that returns an environment.
        seed: the seed of each first reset.
    """
    with ExitStack() as stack:
        envs = {}
        for name, make in makers.items():
            envs[name] = make()
            stack.push(_closer(envs[name]))
            envs[name].reset(seed=seed)
        yield envs


def _closer(env: Environment) -> Callable[..., None]:
    def close(error: type[BaseException] | None, *_: Any) -> None:
        if error is None or not isinstance(env.unwrapped, AsyncVectorEnv):
            env.close()
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of the answers that nobody waits for any more
            try:
                env.close(terminate=True)
            except Exception:  # a worker that has died makes it give up half-way
                for process in env.unwrapped.processes:
                    process.kill()
                    process.join()
                env.unwrapped.closed = True

    return close


def race(
    makers: Mapping[str, Callable[[], Environment]], rounds: int = 51, turn: float = 0.0005, seed: int = 0
) -> Race:
    """Make the environments, let them take turns, and close them. The unit of work is one environment step.

    Args:
        makers: for each contender, a function that returns an environment or a vector environment.
        rounds: how many rounds are counted.
        turn: the least seconds for a turn; see `interleave`.
        seed: the seed of the resets and of the actions.
    """
    with opened(makers, seed) as envs:
        work = {name: getattr(env, "num_envs", 1) for name, env in envs.items()}
        return interleave({name: stepping(env, seed) for name, env in envs.items()}, work, rounds, turn)


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep the machine busy during the block: that many processes compute as fast as they can.

    They end with the block, and by themselves when this process has been killed.
    """
    code = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): sum(range(10_000))"
    with ExitStack() as stack:
        for _ in range(processes):
            process = subprocess.Popen([sys.executable, "-c", code, str(os.getpid())])
            stack.callback(process.wait)
            stack.callback(process.kill)
        time.sleep(0.2)  # until they are at work
        yield


def cores() -> int:
    """Return how many processor cores this process may use: in a container, often fewer than the machine has."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, min(found, -(-int(quota) // int(period))))
    except (OSError, ValueError):
        return found


def machine() -> str:
    """Return what a measurement must name: cores, processor, system, and the versions that matter."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    versions = f"Python {platform.python_version()}, Gymnasium {gym.__version__}, NumPy {np.__version__}"
    return f"{cores()} cores ({processor}), {platform.system()}, {versions}"
