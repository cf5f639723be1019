"""Checks of chapter 23, rollouts on a cluster."""

import numpy as np

from helpers.exercises import Hint, exercise


@exercise(
    "23.1",
    wrong=[
        ("answer = [100, 101, 102]", "share"),
        ("answer = [100, 100, 100]", "the same four starts"),
        ("answer = [0, 4, 8]", "counted from 100"),
        ("answer = list(range(100, 112))", "one for each shard"),
    ],
)
def _base_seeds(answer):
    found = list(answer)
    if found == [100, 101, 102]:
        raise Hint("row i of a shard gets its base seed plus i, so these shards share most of their seeds")
    if found == [100] * 3:
        raise Hint("then all three shards have the same four starts")
    if found == [0, 4, 8]:
        raise Hint("the step between shards is right, but they are counted from 100")
    if len(found) != 3:
        raise Hint("three numbers, one for each shard; a shard gives its own rows the following seeds")
    if found != [100, 104, 108]:
        raise Hint("rows 4 and 8 of the whole are row 0 of the second and the third shard")


class _Shard:
    """A shard that is lost at call number `dies`."""

    def __init__(self, dies: int | None = None) -> None:
        self.dies, self.calls = dies, 0

    def rollout(self, seed: int) -> int:
        self.calls += 1
        if self.dies is not None and self.calls > self.dies + 20:
            raise Hint("a shard that raised ConnectionError is called again and again; it is gone for good")
        if self.dies is not None and self.calls >= self.dies:
            raise ConnectionError("the shard is gone")
        return 10 * seed


_LOSES = """
def do_all(seeds, shards):
    done = {}
    idle = deque(shards)
    for seed in seeds:
        shard = idle.popleft()
        try:
            done[seed] = shard.rollout(seed)
        except ConnectionError:
            continue
        idle.append(shard)
    return done
"""
_INSISTS = """
def do_all(seeds, shards):
    todo, idle, done = deque(seeds), deque(shards), {}
    while todo:
        seed, shard = todo.popleft(), idle.popleft()
        try:
            done[seed] = shard.rollout(seed)
        except ConnectionError:
            todo.append(seed)
        idle.append(shard)
    return done
"""
_GIVES_UP = """
def do_all(seeds, shards):
    todo, idle, done = deque(seeds), deque(shards), {}
    while todo and idle:
        seed, shard = todo.popleft(), idle.popleft()
        try:
            done[seed] = shard.rollout(seed)
        except ConnectionError:
            todo.append(seed)
        else:
            idle.append(shard)
    return done
"""
_ONE_ONLY = """
def do_all(seeds, shards):
    return {seed: shards[0].rollout(seed) for seed in seeds}
"""


@exercise(
    "23.2",
    wrong=[
        (_LOSES, "is missing"),
        (_INSISTS, "gone for good"),
        (_GIVES_UP, "RuntimeError"),
        (_ONE_ONLY, "only one"),
    ],
)
def _do_all(answer):
    shards = [_Shard(), _Shard()]
    if answer(range(4), list(shards)) != {seed: 10 * seed for seed in range(4)}:
        raise Hint("with two healthy shards, each seed must come with the result of its rollout")
    if min(shard.calls for shard in shards) == 0:
        raise Hint("only one of the shards is used; take them in turn")
    found = answer(range(6), [_Shard(dies=2), _Shard()])
    if missing := sorted(set(range(6)) - set(found)):
        raise Hint(
            f"a shard was lost, and the result of seed {missing[0]} is missing; put the seed back into the queue"
        )
    if found != {seed: 10 * seed for seed in range(6)}:
        raise Hint("a shard was lost, and the results of the others are no longer right")
    try:
        answer(range(6), [_Shard(dies=1), _Shard(dies=2)])
    except RuntimeError:
        return
    except IndexError:
        raise Hint(
            "when no shard is left, say so: raise a RuntimeError instead of taking from an empty deque"
        ) from None
    raise Hint("no shard is left and there is work to do: that is a RuntimeError, not a short result")


@exercise(
    "23.3",
    wrong=[
        ("def speed_up(shards, making, driving):\n    return shards", "the driver"),
        ("def speed_up(shards, making, driving):\n    return making / driving", "one shard"),
        ("def speed_up(shards, making, driving):\n    return min(shards, making / driving)", "making + driving"),
        (
            "def speed_up(shards, making, driving):\n    return (making + driving) / (making / shards + driving)",
            "at the same time",
        ),
    ],
)
def _speed_up(answer):
    if np.isclose(answer(1000, 9.0, 1.0), 1000):
        raise Hint("with 1000 shards, the driver cannot keep up; it sets the pace")
    if np.isclose(answer(1, 9.0, 1.0), 9.0):
        raise Hint("with one shard it cannot be 9 times as fast: making takes 9 of 10 seconds, as before")
    if np.isclose(answer(1000, 9.0, 1.0), 9.0):
        raise Hint("the process that does everything itself spends making + driving seconds on a rollout")
    if np.isclose(answer(3, 9.0, 1.0), 2.5):
        raise Hint("you added making and driving; with shards both go on at the same time, so take the slower")
    for shards, making, driving, right in [(1, 9.0, 1.0, 10 / 9), (3, 9.0, 1.0, 10 / 3), (1000, 9.0, 1.0, 10.0)]:
        if not np.isclose(answer(shards, making, driving), right):
            raise Hint(f"{shards} shards, making {making} s, driving {driving} s: expected {right:.2f} times as fast")
