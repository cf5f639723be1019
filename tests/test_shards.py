"""Rollouts on a cluster: the shard of chapter 23 without Ray, and a cluster that leaves nothing behind.

The shard is not copied here: its definitions are taken from the chapter.
"""

import ast
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import gymnasium as gym
import jupytext
import numpy as np
import pytest

from helpers import janitor
from helpers.rollouts import Rollout, collect, gae
from tools.project import ROOT

CHAPTER = ROOT / "notebooks/scale/23_beyond_one_machine.py"
WITHOUT_RAY = {"play", "Linear", "Shard", "ARRAYS", "same", "make_envs", "gradient", "train", "length_of_episodes"}

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed; pip install -r requirements.txt")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for what is left behind")


def definitions(names: set[str], **given) -> dict:
    """Return what the chapter defines under `names`, defined without anything that is not `given`."""
    code = "\n".join(cell.source for cell in jupytext.read(CHAPTER).cells if cell.cell_type == "code")
    found = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, node)
    namespace = {"__name__": "chapter", **given}
    wanted = sorted((found[name] for name in names), key=lambda node: node.lineno)
    exec(compile(ast.Module(wanted, []), str(CHAPTER), "exec"), namespace)
    return namespace


@pytest.fixture(scope="module")
def chapter():
    given = {"np": np, "gym": gym, "collect": collect, "gae": gae, "partial": partial, "dataclass": dataclass}
    return definitions({*WITHOUT_RAY, "START"}, **given)


def test_the_shard_does_not_know_of_ray(chapter):
    assert "ray" not in chapter
    assert isinstance(chapter["Shard"](chapter["make_envs"]).rollout(0, 5, chapter["START"]), Rollout)


def test_a_rollout_depends_on_its_arguments_alone(chapter):
    shard, other = (chapter["Shard"](chapter["make_envs"]) for _ in range(2))
    first = shard.rollout(800, 60, chapter["START"])
    shard.rollout(16, 30, chapter["START"])
    shard.step(np.zeros(8, int))
    assert chapter["same"](first, shard.rollout(800, 60, chapter["START"]))
    assert chapter["same"](first, other.rollout(800, 60, chapter["START"]))
    assert not chapter["same"](first, shard.rollout(808, 60, chapter["START"]))
    agent = chapter["Linear"](np.ones(4))
    assert not chapter["same"](first, shard.rollout(800, 60, agent))


def test_same_notices_a_difference_in_any_array(chapter):
    shard = chapter["Shard"](chapter["make_envs"])
    for name in chapter["ARRAYS"]:
        one, other = (shard.rollout(0, 20, chapter["START"]) for _ in range(2))
        array = getattr(other, name)
        array.flat[0] = not array.flat[0]
        assert not chapter["same"](one, other), name


def test_the_first_actions_are_not_drawn_from_the_numbers_of_the_first_row(chapter):
    rollout = chapter["Shard"](chapter["make_envs"]).rollout(5, 1, chapter["START"])
    correlated = np.random.default_rng(5).random(8) < 0.5
    assert not np.array_equal(rollout.actions[0], correlated)
    assert np.array_equal(rollout.actions[0], np.random.default_rng([5, 1]).random(8) < 0.5)


def test_training_adds_up_in_the_order_of_the_seeds(chapter):
    shard = chapter["Shard"](chapter["make_envs"])

    def rollouts_for(seeds, agent, order):
        for seed in order(seeds):
            yield seed, shard.rollout(seed, 100, agent)

    forwards, backwards = (
        chapter["train"](partial(rollouts_for, order=order), range(3))[0].weights for order in (list, reversed)
    )
    assert forwards.tobytes() == backwards.tobytes()
    assert forwards.any()


class FakeShard:
    """Answers like an actor, at once; its rollout number `dies` and all later ones are lost."""

    def __init__(self, dies=None):
        self.dies, self.calls, self.rollout = dies, 0, self

    def remote(self, seed, *_):
        self.calls += 1
        return (seed, self.dies is not None and self.calls >= self.dies)


class FakeRay:
    """The two calls that the queue makes."""

    class Lost(Exception):
        pass

    @staticmethod
    def wait(calls, num_returns):
        return calls[-1:], calls[:-1]

    @staticmethod
    def get(call):
        seed, lost = call
        if lost == "bug":
            raise ZeroDivisionError
        if lost:
            raise FakeRay.Lost
        return 10 * seed


@pytest.fixture(scope="module")
def run_queue():
    names = definitions({"run_queue", "hand_out", "fetch"}, ray=FakeRay, LOST=FakeRay.Lost, deque=deque, time=time)
    return names["run_queue"]


def test_the_queue_returns_everything_and_strikes_off_lost_shards(run_queue):
    shards, log = [FakeShard(), FakeShard(dies=2), FakeShard(dies=1)], []
    alive = shards[0]
    assert dict(run_queue(range(8), shards, log=log)) == {seed: 10 * seed for seed in range(8)}
    assert shards == [alive]
    assert sum(rollout is None for *_, rollout in log) == 2 and len(log) == 10


def test_the_queue_says_so_when_no_shard_is_left(run_queue):
    with pytest.raises(RuntimeError, match=r"no shard is left to do the seeds \[\d"):
        dict(run_queue(range(3), [FakeShard(dies=2), FakeShard(dies=1)]))


def test_the_queue_does_not_repeat_a_bug(run_queue):
    shard = FakeShard()
    shard.remote = lambda seed, *_: (seed, "bug")
    with pytest.raises(ZeroDivisionError):
        dict(run_queue(range(3), [shard]))


# What is left behind

PROGRAM = """
import sys, time
from helpers.loopback import Loopback
import numpy as np, ray
cluster = Loopback(nodes={nodes})
sleep = ray.remote(lambda seconds: time.sleep(seconds))
kept = ray.put(np.zeros(1_000_000))  # in shared memory
call = sleep.remote(600)
ray.get(sleep.options(num_cpus=0).remote(0))
print(cluster.folder, cluster.address, flush=True)
{ending}
"""
WAIT = "time.sleep(600)"
FAIL = """
for wrong, error in [(Loopback, RuntimeError), (lambda: cluster.lose(0), ValueError)]:
    try:
        wrong()
    except error as raised:
        print(raised)
raise KeyError("a cell fails")
"""
ENDINGS = {  # nodes, the end of the program, the signal it gets
    "fails": (1, FAIL, None),
    "interrupted": (1, WAIT, signal.SIGINT),
    "killed": (2, WAIT, signal.SIGKILL),
}
STRANGER = "import sys; from ray._raylet import GcsClient; GcsClient(address=sys.argv[1])"


@dataclass
class Ended:
    """A program with a cluster, after its end."""

    returncode: int
    output: str
    errors: str
    folder: str
    processes: list[int]
    ports: set[int]
    stranger: str


def listening() -> dict[int, int]:
    """Return the port of each listening socket by its inode."""
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()]
    return {int(fields[9]): int(fields[1].rsplit(":", 1)[1], 16) for fields in lines if fields[3] == "0A"}


def ports_of(processes: list[int]) -> set[int]:
    """Return the ports on which these processes listen."""
    links = []
    for process in processes:
        with contextlib.suppress(OSError):  # a process, or a file of it, may go while we look
            for file in Path(f"/proc/{process}/fd").iterdir():
                with contextlib.suppress(OSError):
                    links.append(os.readlink(file))
    return {port for inode, port in listening().items() if f"socket:[{inode}]" in links}


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def call_without_token(address: str) -> str:
    """Return what a program gets that talks to the cluster at `address` and has no token."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
    command = [sys.executable, "-c", STRANGER, address]
    return subprocess.run(command, env=environment, text=True, stderr=subprocess.PIPE, timeout=120).stderr


def run_to_the_end(ending: str) -> Ended:
    nodes, last_lines, sent = ENDINGS[ending]
    command = [sys.executable, "-c", PROGRAM.format(nodes=nodes, ending=last_lines)]
    process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        folder, address = process.stdout.readline().split()
        others, ports, stranger = [], set(), ""
        if sent is not None:
            others = [pid for pid in janitor.holders(folder) if pid != process.pid]
            ports = ports_of(others)
            stranger = call_without_token(address) if sent == signal.SIGINT else ""
            process.send_signal(sent)
        process.wait(120)
        output, errors = process.stdout.read(), process.stderr.read()
    finally:
        process.kill()
        process.communicate()
    deadline = time.monotonic() + 60
    while Path(folder).exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    return Ended(process.returncode, output, errors, folder, others, ports, stranger)


@pytest.fixture(scope="module")
def ended():
    """Return the programs after their ends; they run side by side, since each mostly waits."""
    with ThreadPoolExecutor() as pool:
        yield {ending: pool.submit(run_to_the_end, ending) for ending in ENDINGS}


@needs_ray
@needs_linux
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_leaves_no_process_port_socket_or_shared_memory(ended, ending):
    program = ended[ending].result()
    assert not Path(program.folder).exists()  # where the sockets are
    assert janitor.holders(program.folder) == []
    if ENDINGS[ending][2] is not None:
        assert len(program.processes) >= 5 and len(program.ports) >= 4, "there was no cluster, so this proves nothing"
    assert [pid for pid in program.processes if alive(pid)] == []
    assert program.ports & set(listening().values()) == set()


@needs_ray
@needs_linux
def test_shared_memory_has_no_name_that_could_stay(ended):
    for program in ended.values():
        program.result()
    assert [name for name in os.listdir("/dev/shm") if "plasma" in name or "ray" in name] == []


@needs_ray
@needs_linux
def test_a_program_that_fails_is_told_of_its_mistakes_and_says_no_more(ended):
    program = ended["fails"].result()
    assert program.returncode == 1
    assert program.errors.startswith("Traceback") and program.errors.endswith("KeyError: 'a cell fails'\n")
    assert "has joined a cluster already" in program.output
    assert "number=0; the nodes that can be lost are []" in program.output


@needs_ray
@needs_linux
def test_a_stranger_without_the_token_is_refused(ended):
    assert "AuthenticationError" in ended["interrupted"].result().stranger


@needs_linux
def test_the_janitor_ends_what_will_not_end(tmp_path, monkeypatch):
    monkeypatch.setattr(janitor, "PATIENCE", 0.2)
    code = "import signal, sys, time; signal.signal(15, signal.SIG_IGN); kept = open(sys.argv[1], 'w'); time.sleep(60)"
    folder = tmp_path / "folder"
    folder.mkdir()
    process = subprocess.Popen([sys.executable, "-c", code, str(folder / "log")])
    while not janitor.holders(str(folder)):
        time.sleep(0.01)
    janitor.clean(str(folder), keep=os.getpid())
    assert process.wait(10) == -signal.SIGKILL
    assert not folder.exists()
