"""The environment is made with uv or with pip, recovers from a half-made one, and says in one line what is wrong."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.project import ROOT

BIN = "Scripts" if os.name == "nt" else "bin"


class Checkout:
    """A checkout whose requirements are `requirements`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "tools").mkdir()
        shutil.copy(ROOT / "tools/environment.py", root / "tools/environment.py")
        (root / "pyproject.toml").write_text("")
        self.require("# nothing\n")

    def require(self, text: str) -> None:
        (self.root / "requirements.txt").write_text(text)

    def make(self, installer: str = "pip", **variables: str) -> subprocess.CompletedProcess:
        path = self.root / "path"
        path.mkdir(exist_ok=True)
        uv = path / "uv"
        uv.unlink(missing_ok=True)
        if installer == "uv":
            uv.symlink_to(Path(sys.executable).parent / "uv")
        environment = {"PATH": str(path), "HOME": str(self.root), **variables}
        command = [sys.executable, "tools/environment.py"]
        return subprocess.run(command, cwd=self.root, env=environment, text=True, capture_output=True, timeout=120)


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


@pytest.mark.parametrize(("installer", "says"), [("uv", "with uv"), ("pip", "with venv and pip")])
def test_made_once_and_renewed_when_the_pins_change(checkout, installer, says):
    done = checkout.make(installer)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout
    assert (checkout.root / ".venv/ready").exists()
    assert checkout.make(installer).stdout == ""
    checkout.require("# something else\n")
    assert says in checkout.make(installer).stdout


def test_an_environment_made_with_uv_can_be_renewed_without_it(checkout):
    checkout.make("uv")
    checkout.require("# something else\n")
    done = checkout.make("pip")
    assert done.returncode == 0, done.stderr
    assert "with venv and pip" in done.stdout


def test_a_half_made_environment_is_made_again(checkout):
    checkout.make("uv")
    python = checkout.root / ".venv" / BIN / "python"
    python.unlink()
    python.write_text("broken")
    (checkout.root / ".venv/ready").unlink()
    assert checkout.make("uv").returncode == 0
    assert subprocess.run([python, "-c", "print('works')"], capture_output=True, text=True).stdout == "works\n"


@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_no_network_is_one_clear_line_and_the_next_run_recovers(checkout, installer):
    checkout.require("six==1.16.0\n")
    nowhere = "http://127.0.0.1:9/simple"
    variables = {"PIP_INDEX_URL": nowhere, "UV_INDEX_URL": nowhere, "PIP_RETRIES": "1", "UV_HTTP_RETRIES": "0"}
    done = checkout.make(installer, PIP_CONFIG_FILE=os.devnull, UV_NO_CONFIG="1", UV_OFFLINE="0", **variables)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "environment: the package index cannot be reached; connect to a network" in done.stderr
    assert not (checkout.root / ".venv/ready").exists()
    checkout.require("# nothing\n")
    assert checkout.make(installer).returncode == 0


def test_an_old_python_is_named_with_the_remedy(checkout):
    script = checkout.root / "tools/environment.py"
    script.write_text(script.read_text().replace("OLDEST = (3, 11)", "OLDEST = (99, 0)"))
    done = checkout.make()
    assert done.returncode == 1
    assert "the book needs 99.0 or newer; name one, as in PYTHON=python3.12" in done.stderr


def test_the_script_parses_on_a_python_that_is_too_old():
    import ast

    ast.parse((ROOT / "tools/environment.py").read_text(encoding="utf-8"), feature_version=(3, 4))
