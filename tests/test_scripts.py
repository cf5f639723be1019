"""Every notebook's .py runs as a plain script: without a display, silent on standard error, nothing left running.

The same run shows whether a chapter really calls what the page `api_map` says it uses.
"""

import functools
import inspect
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools import api_map
from tools.execute import surroundings
from tools.project import BUILD, ROOT, notebooks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes left behind in /proc")

TRACING = ROOT / "tests" / "tracing"


def left_running(session: int, patience: float = 5) -> list[str]:
    """Return the names of the processes in `session` that are still there after `patience` seconds."""
    while (members := session_members(session)) and patience > 0:
        patience -= 0.1
        time.sleep(0.1)
    return members


def session_members(session: int) -> list[str]:
    """Return the names of the processes that are in `session` now."""
    members = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = stat.read_text().rsplit(")", 1)
        except OSError:
            continue
        state, _parent, _group, member_of = fields.split()[:4]
        if int(member_of) == session and state != "Z":
            members.append(name.split("(", 1)[1])
    return members


def run(path: Path, cwd: Path) -> tuple[int, str, list[str]]:
    """Run a script; return its exit code, its standard error, what it left running. Its calls are in cwd/calls.json."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment |= {"PYTHONPATH": str(TRACING), "CALLS": str(cwd / "calls.json")}
    process = subprocess.Popen(
        [sys.executable, str(path)], cwd=cwd, env=environment, text=True, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    _, errors = process.communicate(timeout=600)
    return process.returncode, errors, left_running(process.pid)


@functools.cache
def codes(name: str) -> frozenset[str]:
    """Return how a trace names the public name's own Python code; empty for an enumeration, an error, an EnvSpec."""
    try:
        found = api_map.find(name)
    except ImportError:  # a wrapper that needs a package the book does not install
        return frozenset()
    if inspect.isclass(found):
        functions = [vars(found)["__init__"]] if "__init__" in vars(found) else []
    else:
        functions = list(getattr(found, "registry", {0: found}).values())  # of a singledispatch, one for each type
    found = [inspect.unwrap(function).__code__ for function in functions if hasattr(function, "__code__")]
    return frozenset(f"{code.co_filename}:{code.co_qualname}" for code in found if "gymnasium" in code.co_filename)


def unfounded(chapter: str, calls: dict[str, dict[str, list[str]]]) -> list[str]:
    """Return what the map says of a chapter though its run does not show it."""
    problems = [
        f"{name} is not called"
        for name, chapters in api_map.places().items()
        if chapter in chapters and codes(name) and not codes(name) & calls.keys()
    ]
    for owner, parameters in api_map.PARAMETERS.items():
        given = {key: values for code in codes(owner) for key, values in calls.get(code, {}).items()}
        for name in parameters:
            if codes(owner) and chapter in api_map.parameter_places(owner, name):
                default = str(inspect.signature(api_map.find(owner)).parameters[name].default)
                if set(given.get(name, [default])) == {default}:
                    problems.append(f"{owner}({name}=...) always has its default")
    return problems


@pytest.mark.parametrize("name", notebooks())
def test_script(name, tmp_path):
    path = ROOT / f"{name}.py"
    # As with the notebooks, what passed and did not change since is not run again.
    passed, mark = BUILD / "scripts" / name, surroundings() + path.read_text(encoding="utf-8")
    if not (passed.exists() and passed.read_text(encoding="utf-8") == mark):
        assert run(path, tmp_path) == (0, "", [])
        passed.parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "calls.json").replace(passed.with_suffix(".json"))
        passed.write_text(mark, encoding="utf-8")
    assert unfounded(name, json.loads(passed.with_suffix(".json").read_text(encoding="utf-8"))) == []


def test_a_script_that_leaves_a_process_is_found(tmp_path):
    script = tmp_path / "leaves.py"
    script.write_text("import subprocess\nsubprocess.Popen(['sleep', '20'], stderr=subprocess.DEVNULL)\n")
    assert run(script, tmp_path)[2] == ["sleep"]


def test_a_name_that_is_only_mentioned_is_found(tmp_path):
    script = tmp_path / "mentions.py"
    script.write_text("from gymnasium.vector import SyncVectorEnv\nprint(SyncVectorEnv)\n")
    assert run(script, tmp_path) == (0, "", [])
    problems = unfounded("notebooks/primitives/02_sync_vector_env", json.loads((tmp_path / "calls.json").read_text()))
    assert "gymnasium.vector.SyncVectorEnv is not called" in problems
