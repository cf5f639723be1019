"""The ladder of `make bench`: it runs, shows progress, writes a table and a page, and can be stopped."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from helpers import contenders
from helpers.contenders import CORE, OPTIONAL, against_single, installed, maker, stored_ladder
from tests.test_scripts import session_members
from tools import bench
from tools.project import ROOT


def test_the_ladder_is_measured_and_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(bench, "installed", lambda name: name in CORE)
    bench.main(["--folder", str(tmp_path), "--rows", "2", "4", "--rounds", "3"])
    shown = capsys.readouterr().out
    assert "not installed, and left out: JAX, JAX rollouts, EnvPool" in shown
    assert "[ 1/8] sync" in shown and "[ 8/8] our native" in shown
    machine, records = bench.read(tmp_path / "ladder.csv")
    assert machine in shown
    assert set(records) == {(name, rows) for name in CORE for rows in (2, 4)}
    assert all(float(record["rate"]) > 0 and float(record["ratio"]) > 0 for record in records.values())
    page = (tmp_path / "ladder.md").read_text()
    assert f"- Yours: {machine}" in page and "- Ours: " in page
    assert page.count("\n| ") > 8


def test_the_page_puts_both_machines_side_by_side(tmp_path):
    head = "# machine: {}\ncontender,rows,rate,ratio,ratio_low,ratio_high\n"
    (tmp_path / "yours.csv").write_text(head.format("mine") + "sync,4,100000,0.5,0.4,0.6\n")
    (tmp_path / "ours.csv").write_text(head.format("theirs") + "sync,4,200000,0.7,0.6,0.8\nJAX,4,9000,0.1,0.1,0.2\n")
    lines = bench.page(tmp_path / "yours.csv", tmp_path / "ours.csv").splitlines()
    assert "| sync | 4 | 100 | 200 | 0.5 (0.4 to 0.6) | 0.7 (0.6 to 0.8) |" in lines
    assert "| JAX | 4 |  | 9 |  | 0.1 (0.1 to 0.2) |" in lines
    assert "- Ours: not measured" in bench.page(tmp_path / "yours.csv", tmp_path / "absent.csv")


def test_a_wrong_number_is_refused_at_once():
    with pytest.raises(SystemExit, match="rows and rounds must be at least 1"):
        bench.main(["--rows", "0"])


def test_processes_come_before_threads_and_are_not_too_many(monkeypatch):
    monkeypatch.setattr(bench, "installed", lambda name: True)
    heats = bench.heats([1, 4096])
    assert ("async", 1) in heats and ("async", 4096) not in heats
    names = [name for name, _ in heats]
    assert names.index("async") < min(names.index(name) for name in OPTIONAL)


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes left behind in /proc")
def test_a_stopped_ladder_keeps_what_it_has_and_leaves_nothing_behind(tmp_path):
    command = [sys.executable, "-m", "tools.bench", "--folder", str(tmp_path), "--rows", "2", "32", "--rounds", "2000"]
    process = subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    shown = ""
    while "async" not in shown:  # the processes' heat has begun
        shown += process.stdout.read(1)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    shown += process.communicate(timeout=60)[0]
    assert process.returncode == 130
    assert "stopped; what was measured until now is in" in shown and "Traceback" not in shown
    assert {name for name, _ in bench.read(tmp_path / "ladder.csv")[1]} >= {"sync"}
    assert session_members(process.pid) == []


def steps_an_episode(name):
    """Return how many calls a row of random actions takes from one episode's end to the next."""
    envs = maker(name, rows=64)()
    envs.reset(seed=0)
    envs.action_space.seed(0)
    ends = 0
    for _ in range(200):
        observations, _, terminated, truncated, _ = envs.step(envs.action_space.sample())
        assert observations.shape == (64, 4) and observations.dtype == np.float32
        ends += int((terminated | truncated).sum())
    envs.close()
    return 64 * 200 / ends


@pytest.mark.parametrize("name", CORE)
def test_contenders_play_cartpole(name):
    assert 18 < steps_an_episode(name) < 28


@pytest.mark.parametrize("name", OPTIONAL)
def test_optional_contenders_play_cartpole_and_race(name):
    if not installed(name):
        pytest.skip(f"{name} is not installed")
    code = f"""
from helpers.contenders import against_single
from tests.test_bench import steps_an_episode
assert 18 < steps_an_episode({name!r}) < 28
assert against_single({name!r}, rows=4, rounds=3).ratio({name!r}, to="single").median > 0
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_contender_races_a_single_environment():
    for name in CORE:
        race = against_single(name, rows=2, rounds=3)
        assert set(race.seconds) == {"single", name}
    with pytest.raises(ValueError, match="there is no contender 'sync2'"):
        maker("sync2", 3)


def test_a_missing_package_is_not_an_error(monkeypatch):
    monkeypatch.setattr(contenders.importlib.util, "find_spec", lambda module: None)
    assert [name for name in (*CORE, *OPTIONAL) if installed(name)] == list(CORE)


@pytest.mark.skipif(not installed("JAX"), reason="JAX is not installed")
def test_jax_moves_as_the_native_class_does():
    code = """
import numpy as np
from helpers.jax_cartpole import JaxCartPole
from helpers.native_cartpole import move
envs = JaxCartPole(32)
before, _ = envs.reset(seed=1)
actions = np.arange(32) % 2
after, *_ = envs.step(actions)
state = before.T.copy()
move(state, actions)
np.testing.assert_allclose(after, state.T, atol=1e-6)
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_the_stored_ladder_says_where_it_was_measured_and_is_complete():
    machine, records = stored_ladder()
    assert "cores" in machine and "Gymnasium 1.4" in machine
    assert set(records.contender) == {*CORE, *OPTIONAL}
    assert (records.ratio_low <= records.ratio).all() and (records.ratio <= records.ratio_high).all()
    text = (ROOT / "helpers/data/ladder.csv").read_text()
    assert text.startswith("# command: python -m tools.bench") and "# seed: 0" in text
