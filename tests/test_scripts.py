"""Every notebook's .py runs as a plain script: without a display, silent on standard error, nothing left running."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.execute import surroundings
from tools.project import BUILD, ROOT, notebooks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes left behind in /proc")


def session_members(session: int) -> list[str]:
    """Return the names of the processes that are still in `session`."""
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
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    process = subprocess.Popen(
        [sys.executable, str(path)], cwd=cwd, env=environment, text=True, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    _, errors = process.communicate(timeout=600)
    return process.returncode, errors, session_members(process.pid)


@pytest.mark.parametrize("name", notebooks())
def test_script(name, tmp_path):
    path = ROOT / f"{name}.py"
    # As with the notebooks, what passed and did not change since is not run again.
    passed, mark = BUILD / "scripts" / name, surroundings() + path.read_text(encoding="utf-8")
    if passed.exists() and passed.read_text(encoding="utf-8") == mark:
        return
    assert run(path, tmp_path) == (0, "", [])
    passed.parent.mkdir(parents=True, exist_ok=True)
    passed.write_text(mark, encoding="utf-8")


def test_a_script_that_leaves_a_process_is_found(tmp_path):
    script = tmp_path / "leaves.py"
    script.write_text("import subprocess\nsubprocess.Popen(['sleep', '5'], stderr=subprocess.DEVNULL)\n")
    assert run(script, tmp_path)[2] == ["sleep"]
