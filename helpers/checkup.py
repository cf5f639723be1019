"""Says whether this machine can run the book: ``python -m helpers.checkup``."""

import importlib.metadata
import multiprocessing
import os
import platform
import sys

from packaging.requirements import Requirement
from packaging.version import Version

# What each chapter's import cell needs, beyond Python itself.
NEEDED = ("gymnasium>=1.4,<1.5", "numpy>=2.0", "pandas>=2.2", "matplotlib>=3.8", "ipython>=8")
OPTIONAL = {
    "pygame-ce": "draws CartPole and FrozenLake (chapter 26)",
    "ray": "runs rollouts on a cluster (chapter 23)",
    "jupyterlab": "opens the notebooks in a browser",
}


def check_package(requirement: str) -> tuple[bool, str]:
    """Return whether `requirement` is met here, and one line that says so or what to do."""
    wanted = Requirement(requirement)
    try:
        found = importlib.metadata.version(wanted.name)
    except importlib.metadata.PackageNotFoundError:
        return False, f'MISSING  {wanted.name}: run  pip install "{requirement}"'
    if not wanted.specifier.contains(Version(found), prereleases=True):
        return False, f'WRONG    {wanted.name} {found}: run  pip install "{requirement}"'
    return True, f"OK       {wanted.name} {found}"


def main() -> int:
    """Print one line for each thing the book needs; return how many of them are not right."""
    bad = 0
    oldest = (3, 11)
    if sys.version_info < oldest:
        bad += 1
        print(f"WRONG    Python {platform.python_version()}: install 3.11 or newer")
    else:
        print(f"OK       Python {platform.python_version()}")
    for requirement in NEEDED:
        right, line = check_package(requirement)
        bad += not right
        print(line)
    for name, purpose in OPTIONAL.items():
        right, line = check_package(name)
        print(line if right else f"without  {name}, which {purpose}")
    methods = multiprocessing.get_all_start_methods()
    print(f"OK       start methods {', '.join(methods)}; the default is {multiprocessing.get_start_method()}")
    print(f"OK       {os.cpu_count()} cores")
    return bad


if __name__ == "__main__":
    sys.exit(main())
