import subprocess
import sys
import time
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

from helpers import environments
from helpers.environments import DictCounter, Reporter, StepCounter, Wait

IDS = sorted(name for name in gym.registry if name.startswith("book/"))


@pytest.mark.parametrize("name", IDS)
def test_valid_under_gymnasiums_own_check(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(name).unwrapped)


def test_registered_once_and_silent_when_a_cell_is_run_again():
    assert len(IDS) == 5
    code = "import importlib, helpers.environments as e; importlib.reload(e); importlib.reload(e)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_short_frozen_lake_hides_everything():
    env = environments.ShortFrozenLake()
    assert env.reset(seed=0) == (0, {})
    assert env.step(2) == (0, 0.0, True, False, {})


@pytest.mark.parametrize("ending", ["terminated", "truncated"])
def test_step_counter_says_episode_and_step_and_ends_as_told(ending):
    env = StepCounter(length=2, ending=ending)
    assert env.reset(seed=5)[0].tolist() == [0, 0]
    observation, reward, *flags, info = env.step(0)
    assert (observation.tolist(), reward, flags, info) == ([0, 1], 1.0, [False, False], {})
    assert env.step(1)[2:4] == (ending == "terminated", ending == "truncated")
    assert env.reset()[0].tolist() == [1, 0]
    assert env.reset(seed=5)[0].tolist() == [0, 0]


def test_dict_counter_batches_and_counts():
    envs = SyncVectorEnv([DictCounter, DictCounter])
    envs.reset(seed=0)
    observations = envs.step(np.array([0, 0]))[0]
    assert observations["count"].tolist() == [[0, 1], [0, 1]]
    assert observations["inner"]["even"].tolist() == [0, 0]
    assert (observations["inner"]["grid"] == 1).all()
    envs.close()


def test_reporter_reports_on_the_named_steps_only():
    env = Reporter(report_on=(2,), length=3)
    env.reset(seed=0)
    assert [env.step(0)[4] for _ in range(3)] == [{}, {"score": 2.0, "nested": {"step": 2}}, {}]


@pytest.mark.parametrize("how", ["burn", "sleep"])
def test_wait_costs_at_least_what_it_says(how):
    env = Wait(seconds=0.02, how=how)
    env.reset(seed=0)
    clock = time.thread_time if how == "burn" else time.perf_counter
    start = clock()
    env.step(0)
    assert clock() - start >= 0.02


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: StepCounter(length=0), "length=0; an episode has at least 1 step"),
        (lambda: StepCounter(ending="done"), "ending='done'; use 'terminated' or 'truncated'"),
        (lambda: Wait(seconds=-1.0), "seconds=-1.0; a step cannot take less than 0"),
        (lambda: Wait(how="spin"), "how='spin'; use 'burn' or 'sleep'"),
    ],
)
def test_a_bad_argument_is_named_with_its_remedy(make, message):
    with pytest.raises(ValueError, match=message):
        make()
