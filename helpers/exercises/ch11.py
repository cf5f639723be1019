"""Checks of chapter 11, the minimal loop."""

from contextlib import closing
from functools import partial

import gymnasium as gym
import numpy as np
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from helpers.environments import StepCounter
from helpers.exercises import Hint, exercise


@exercise(
    "11.1",
    wrong=[
        ("answer = 400", "filler"),
        ("answer = 75", "four rows"),
        ("answer = 100", "filler"),
        ("answer = 132", "four calls"),
    ],
)
def _transitions(answer):
    if answer == 400 or answer == 100:
        raise Hint("that counts every call; after each episode comes a filler row, which is no transition")
    if answer == 75:
        raise Hint("that is one row; there are four rows")
    if answer != 300:
        raise Hint("a row repeats four calls: three transitions, then the one that resets it")


_LENGTHS = """def episode_lengths(envs, steps):
    envs.reset(seed=0)
    lengths, running = [], np.zeros(envs.num_envs, int)
    done = np.zeros(envs.num_envs, bool)
    for _ in range(steps):
        running += ~done
        _, _, terminated, truncated, _ = envs.step(np.zeros(envs.num_envs, int))
        done = terminated | truncated
        lengths += running[done].tolist()
        running[done] = 0
    return lengths"""


@exercise(
    "11.2",
    wrong=[
        (_LENGTHS.replace("running += ~done", "running += 1"), "one too long"),
        (_LENGTHS.replace("        running[done] = 0\n", ""), "zero"),
        (_LENGTHS.replace("terminated | truncated", "terminated"), "truncated"),
        (_LENGTHS.replace("running[done].tolist()", "running.tolist()"), "finished"),
        (_LENGTHS.replace("return lengths", "return int(np.mean(lengths))"), "list"),
        (_LENGTHS.replace("running[done].tolist()", "[int(running[done].sum())] * bool(done.any())"), "each"),
    ],
)
def _episode_lengths(answer):
    def lengths(*factories):
        with closing(SyncVectorEnv(factories)) as envs:
            found = answer(envs, 12)
        if not isinstance(found, list):
            raise Hint("return a list with one number for each finished episode")
        return sorted(map(int, found))

    found = lengths(StepCounter)
    if found == [3, 4, 4]:
        raise Hint("every episode but the first is one too long: the call that resets a row was counted")
    if found == [3, 6, 9]:
        raise Hint("set the counter of a finished row back to zero")
    if found != [3, 3, 3]:
        raise Hint(f"12 calls with episodes of 3 steps hold three finished episodes of length 3, not {found}")
    found = lengths(partial(StepCounter, ending="truncated"))
    if found != [3, 3, 3]:
        raise Hint("episodes that were truncated have finished, too")
    found = lengths(StepCounter, StepCounter)
    if found != [3] * 6:
        raise Hint(f"two rows that finish on the same call are two episodes; give each its own entry, not {found}")
    found = lengths(StepCounter, partial(StepCounter, length=5))
    if found != [3, 3, 3, 5, 5]:
        raise Hint(f"rows of 3 and of 5 steps should give 3, 3, 3, 5, 5 in some order, not {found}")


_PROGRAM = """def random_returns(env_id, num_envs, steps, seed):
    envs = gym.make_vec(env_id, num_envs=num_envs, vectorization_mode="sync")
    envs.action_space.seed(seed)
    envs.reset(seed=seed)
    returns, running = [], np.zeros(num_envs)
    for _ in range(steps):
        _, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
        running += rewards
        done = terminated | truncated
        returns += running[done].tolist()
        running[done] = 0
    envs.close()
    return returns"""


def _reference(env_id, num_envs, steps, seed):
    returns = []
    envs = gym.make_vec(env_id, num_envs=num_envs, vectorization_mode="sync")
    with closing(RecordEpisodeStatistics(envs)) as envs:
        envs.action_space.seed(seed)
        envs.reset(seed=seed)
        for _ in range(steps):
            *_, infos = envs.step(envs.action_space.sample())
            if "episode" in infos:
                returns += infos["episode"]["r"][infos["_episode"]].tolist()
    return returns


@exercise(
    "11.3",
    wrong=[
        (_PROGRAM.replace("    envs.action_space.seed(seed)\n", ""), "action space"),
        (_PROGRAM.replace("envs.reset(seed=seed)", "envs.reset()"), "differ"),
        (_PROGRAM.replace("seed=seed", "seed=0").replace(".seed(seed)", ".seed(0)"), "another seed"),
        (_PROGRAM.replace("terminated | truncated", "terminated"), "truncation"),
        (_PROGRAM.replace("        running[done] = 0\n", ""), "zero"),
        (_PROGRAM.replace("return returns", "return np.mean(returns)"), "list"),
        (_PROGRAM.replace('"sync"', '"vector_entry_point"'), "sync mode"),
    ],
)
def _random_returns(answer):
    first, again = answer("CartPole-v1", 3, 150, 7), answer("CartPole-v1", 3, 150, 7)
    if not isinstance(first, list):
        raise Hint("return the list of returns, one number for each finished episode")
    if first != again:
        raise Hint("two runs with the same seed differ; did the environments and the action space both get it?")
    expected = _reference("CartPole-v1", 3, 150, 7)
    if first and len(first) == len(expected) and not np.allclose(first, expected) and first[-1] > max(expected):
        raise Hint("the returns grow and grow: set the running sum of a finished row back to zero")
    if answer("CartPole-v1", 3, 150, 8) == first:
        raise Hint("another seed gives the same returns; the argument is not used")
    if len(first) != len(expected) or not np.allclose(first, expected):
        raise Hint("the returns are not those of a sync-mode CartPole; check sync mode, the seeds and the running sums")
    if len(answer("MountainCar-v0", 2, 450, 7)) != 4:
        raise Hint("MountainCar at random ends by truncation only, after 200 steps; count those episodes too")
