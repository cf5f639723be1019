import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

NOTEBOOK = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # {title}

# %%
{code}
"""


class Project:
    """A small copy of the book in a folder of its own, to plant faults in."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("tools", "book/_ext", "book/_static", "book/_templates", "helpers"):
            if (ROOT / name).exists():
                shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("_config.yml", "requirements.txt", "pyproject.toml", "notebooks/jupytext.toml"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        (root / "book/intro.md").write_text("# A small book\n\nWith a page.\n")
        self.chapters: list[str] = []

    def add(self, name: str, code: str, title: str = "A chapter") -> None:
        """Add the chapter `name` of one code cell to the notebooks and to _toc.yml."""
        path = self.root / f"notebooks/primitives/{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTEBOOK.format(title=title, code=code))
        self.chapters.append(f"notebooks/primitives/{name}")
        self.write_toc()

    def write_toc(self) -> None:
        lines = "".join(f"      - file: {name}\n" for name in self.chapters)
        toc = f"format: jb-book\nroot: book/intro\nparts:\n  - caption: Primitives\n    chapters:\n{lines}"
        (self.root / "_toc.yml").write_text(toc)

    def run(self, *command: str) -> subprocess.CompletedProcess:
        """Run ``python -m command...`` in the project; its output and errors are one text."""
        return subprocess.run(
            [sys.executable, "-m", *command],
            cwd=self.root,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
        )


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)
