"""The harness measures what it says, gives contenders equal turns, and leaves nothing behind, however it ends."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorWrapper

from helpers import timing
from helpers.environments import StepCounter, Wait
from helpers.timing import Race, Spread, busy, cores, interleave, machine, opened, race, stepping
from tests.test_scripts import session_members


class Clock:
    """A clock that stands still unless a contender moves it."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(timing.time, "perf_counter", lambda: self.now)

    def takes(self, *seconds):
        """Return a function that takes these seconds, call by call; the last one again and again."""
        durations = list(seconds)

        def call():
            self.now += durations.pop(0) if len(durations) > 1 else durations[0]

        return call


def test_a_race_counts_seconds_for_a_unit_of_work(monkeypatch):
    clock = Clock(monkeypatch)
    result = interleave({"slow": clock.takes(0.004), "quick": clock.takes(0.001)}, {"slow": 2, "quick": 4}, rounds=3)
    assert result.seconds["slow"] == pytest.approx([0.002] * 3)
    assert result.cost("quick").median == pytest.approx(250)
    assert result.rate("slow").median == pytest.approx(500)
    assert result.ratio("quick", to="slow").median == pytest.approx(8)
    assert result.extra("slow", to="quick").median == pytest.approx(1750)


def test_turns_are_equally_long(monkeypatch):
    clock = Clock(monkeypatch)
    spent = {"slow": 0.0, "quick": 0.0}

    def counting(name, seconds):
        call = clock.takes(seconds)

        def count():
            call()
            spent[name] += seconds

        return count

    interleave({"slow": counting("slow", 0.01), "quick": counting("quick", 0.0001)}, rounds=20)
    assert spent["quick"] == pytest.approx(spent["slow"], rel=0.3)


def test_a_turn_is_as_long_as_asked_for(monkeypatch):
    clock = Clock(monkeypatch)
    calls = []
    takes = clock.takes(0.001)
    interleave({"a": lambda: (takes(), calls.append(1))}, rounds=2, turn=0.01)
    assert len(calls) == 6 + 2 * 10


def test_the_first_calls_are_not_counted(monkeypatch):
    clock = Clock(monkeypatch)
    result = interleave({"a": clock.takes(9.0, 0.001)}, rounds=3)
    assert result.seconds["a"] == pytest.approx([0.001] * 3)


@pytest.mark.parametrize("names", ["ab", "abc", "abcd"])
def test_every_contender_goes_first_and_last_equally_often(monkeypatch, names):
    clock = Clock(monkeypatch)
    order = []
    takes = clock.takes(1.0)
    total = 2 * len(names)
    interleave({name: lambda name=name: (order.append(name), takes()) for name in names}, rounds=total, turn=0.1)
    rounds = np.array(order[-total * len(names) :]).reshape(total, len(names))
    assert all(sorted(each) == sorted(names) for each in rounds.tolist())
    for place in (0, -1):
        assert sorted(rounds[:, place]) == sorted(2 * names)


def test_a_slow_hour_changes_the_rates_and_not_the_ratio():
    hour = np.array([1.0] * 5 + [3.0] * 5)
    result = Race({"one": 2e-3 * hour, "other": 1e-3 * hour})
    assert result.ratio("other", to="one") == Spread(2.0, 2.0, 2.0)
    assert result.rate("one").low < result.rate("one").high


def test_a_spread_prints_median_and_middle_half():
    assert f"{Spread(1.5, 1.25, 2.0):.2f}" == "1.50 (1.25 to 2.00)"
    values = Race({"a": np.arange(1.0, 102.0)}).cost("a")
    assert (values.median, values.low, values.high) == (51e6, 26e6, 76e6)


@pytest.mark.parametrize(("calls", "rounds"), [({}, 3), ({"a": int}, 0)])
def test_a_race_without_contenders_or_rounds_is_refused(calls, rounds):
    with pytest.raises(ValueError, match="a race needs contenders and rounds"):
        interleave(calls, rounds=rounds)


def test_stepping_draws_the_actions_beforehand_and_resets_a_single_environment():
    env = StepCounter(length=2)
    env.reset(seed=0)
    step = stepping(env)
    for _ in range(5):
        step()
    assert (env.episode, env.step_count) == (2, 1)
    envs = SyncVectorEnv([StepCounter] * 3)
    envs.reset(seed=0)
    step, envs.action_space.sample = stepping(envs), None
    step()
    assert [env.step_count for env in envs.envs] == [1, 1, 1]


def test_a_race_counts_steps_of_single_and_vector_environments_alike():
    wait = partial(Wait, 0.002, "sleep")
    result = race({"single": wait, "loop": lambda: SyncVectorEnv([wait] * 3)}, rounds=3)
    assert 1900 < result.cost("single").median < 20_000
    assert 0.3 < result.ratio("loop", to="single").median < 3


def workers(envs):
    return list(envs.unwrapped.processes)


def test_environments_are_closed_at_the_end():
    makers = {"async": lambda: VectorWrapper(AsyncVectorEnv([StepCounter] * 2)), "single": StepCounter}
    with opened(makers, seed=3) as envs:
        processes = workers(envs["async"])
        assert envs["async"].unwrapped.np_random_seed == (3, 4)
        assert all(process.is_alive() for process in processes)
    assert envs["async"].unwrapped.closed
    assert not any(process.is_alive() for process in processes)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_workers_that_do_not_answer_are_stopped_when_the_block_fails(error):
    start = time.monotonic()
    with pytest.raises(error), opened({"async": lambda: AsyncVectorEnv([partial(Wait, 600, "sleep")] * 2)}) as envs:
        processes = workers(envs["async"])
        envs["async"].step_async(np.zeros(2, int))
        raise error
    assert not any(process.is_alive() for process in processes)
    assert time.monotonic() - start < 60


def test_the_other_workers_are_stopped_when_one_has_died():
    with (
        pytest.raises((EOFError, ConnectionError)),
        opened({"async": lambda: AsyncVectorEnv([partial(Wait, 600, "sleep")] * 3)}) as envs,
    ):
        processes = workers(envs["async"])
        envs["async"].step_async(np.zeros(3, int))
        processes[0].kill()
        envs["async"].step_wait()
    assert not any(process.is_alive() for process in processes)
    assert envs["async"].closed


def test_what_was_made_is_closed_when_a_later_one_cannot_be_made():
    made = []

    def good():
        made.append(AsyncVectorEnv([StepCounter]))
        return made[0]

    with pytest.raises(ZeroDivisionError), opened({"good": good, "bad": lambda: 1 / 0}):
        pass
    assert made[0].closed


def shared_memory_of(session):
    """Return the names of the blocks of shared memory that the processes of a session use."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it may end while we look
            if os.getsid(int(process.name)) == session:
                found |= set(re.findall(r"/dev/shm/(\S+)", (process / "maps").read_text()))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes left behind in /proc")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_a_race_is_interrupted(ending):
    code = """
import sys
from functools import partial
from gymnasium.vector import AsyncVectorEnv
from helpers.environments import Wait
from helpers.timing import race
def make():
    envs = AsyncVectorEnv([partial(Wait, 0.05, "sleep")] * 3)
    print("ready", flush=True)
    return envs
race({"processes": make}, rounds=10_000)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    blocks = shared_memory_of(process.pid)
    assert blocks, "the workers share no memory, so this proves nothing"
    if ending is signal.SIGINT:
        os.killpg(process.pid, ending)  # as the terminal does: to the workers, too
    else:
        process.send_signal(ending)
    process.communicate(timeout=60)
    assert process.returncode != 0
    deadline = time.monotonic() + 20  # a worker whose parent was killed notices it at its next answer
    while session_members(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert session_members(process.pid) == []
    assert blocks & set(os.listdir("/dev/shm")) == set()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_busy_neighbours_work_during_the_block_and_are_gone_after_it(error, monkeypatch):
    started = []
    monkeypatch.setattr(
        timing.subprocess, "Popen", lambda *args, popen=subprocess.Popen: started.append(popen(*args)) or started[-1]
    )
    try:
        with busy(2):
            assert [process.poll() for process in started] == [None, None]
            if error:
                raise error
    except KeyboardInterrupt:
        pass
    assert all(process.returncode is not None for process in started)


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes left behind in /proc")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_busy_neighbours_do_not_outlive_their_program(ending):
    code = "import time, helpers.timing as t\nwith t.busy(2):\n    print('ready', flush=True)\n    time.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    assert len(session_members(process.pid)) == 3
    process.send_signal(ending)
    process.wait(60)
    process.stdout.close()
    deadline = time.monotonic() + 20
    while session_members(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert session_members(process.pid) == []


def test_cores_are_those_of_this_process():
    assert 1 <= cores() <= os.cpu_count()


@pytest.mark.parametrize(("limit", "expected"), [("50000 100000", 1), ("150000 100000", 2), ("max 100000", 8), ("", 8)])
def test_the_quota_of_a_container_counts(monkeypatch, limit, expected):
    monkeypatch.setattr(timing.os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(timing.Path, "read_text", lambda *_, **__: limit)
    assert cores() == expected


def test_the_machine_is_described():
    assert f"Gymnasium {gym.__version__}" in machine()
    assert f"{cores()} cores" in machine()
