"""Measure what building the book costs, in a clone of its own, and print the table that stands in CONTRIBUTING.md.

usage: python -m tools.measure_build

Takes some ten minutes; leave the machine alone meanwhile. Memory is the sum of the proportional set sizes (PSS) of all
processes of the build, sampled every half second.
"""

import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil

from tools.project import ROOT, notebooks

PAGE = "book/running.md"
CHAPTER = "notebooks/primitives/02_sync_vector_env.py"


def memory(process: psutil.Process) -> int:
    """Return the bytes that a process and all its descendants use; those that end meanwhile do not count."""
    total = 0
    for member in [process, *process.children(recursive=True)]:
        try:
            total += member.memory_full_info().pss
        except psutil.Error:
            continue
    return total


def run(*command: str, cwd: Path) -> tuple[float, float]:
    """Run a command; return its seconds and the most memory it used, in GB. Exits with its output if it fails."""
    start, most = time.perf_counter(), 0
    with psutil.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        lines: list[str] = []
        reader = threading.Thread(target=lambda: lines.extend(process.stdout), daemon=True)
        reader.start()
        while process.poll() is None:
            most = max(most, memory(process))
            time.sleep(0.5 if time.perf_counter() - start > 10 else 0.1)
    taken = time.perf_counter() - start
    reader.join()
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{''.join(lines[-30:])}")
    return taken, most / 1e9


def scripts(clone: Path) -> float:
    """Run every notebook's script, as many at once as there are cores; return the seconds for all."""
    start = time.perf_counter()
    python = str(clone / ".venv" / "bin" / "python")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(
            pool.map(
                lambda name: subprocess.run([python, f"{name}.py"], cwd=clone, capture_output=True, check=True),
                notebooks(),
            )
        )
    return time.perf_counter() - start


def edit(path: Path, old: str, new: str) -> None:
    """Replace the first `old` in a file; exit if there is none."""
    text = path.read_text(encoding="utf-8")
    if old not in text:
        sys.exit(f"{path}: has no {old!r} to change")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def main() -> None:
    """Build, change, build again; print one row for each."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "book"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        run("make", "environment", cwd=clone)
        alone = scripts(clone)
        cold, most = run("make", "book", cwd=clone)
        nothing, _ = run("make", "book", cwd=clone)
        edit(clone / PAGE, "\n\n", "\n\nOne more sentence.\n\n")
        page, _ = run("make", "book", cwd=clone)
        edit(clone / CHAPTER, "**You need:**", "**You need:** time, and")
        run("make", "notebooks", cwd=clone)
        prose, _ = run("make", "book", cwd=clone)
        edit(clone / CHAPTER, "\nenvs = ", "\n# One more comment.\nenvs = ")
        run("make", "notebooks", cwd=clone)
        code, _ = run("make", "book", cwd=clone)
    count = len(notebooks())
    print(f"\n{platform.system()}, {os.cpu_count()} cores, Python {platform.python_version()}, {count} notebooks\n")
    print("| what | seconds |\n| --- | ---: |")
    print(f"| all notebooks as plain scripts, {os.cpu_count()} at once | {alone:.0f} |")
    print(f"| `make book`, the environment made, nothing else | {cold:.0f} ({cold / alone:.1f} times the scripts) |")
    print(f"| `make book`, nothing changed | {nothing:.1f} |")
    print(f"| ... one Markdown page changed | {page:.1f} |")
    print(f"| ... the prose of one notebook changed | {prose:.1f} |")
    print(f"| ... the code of one notebook changed | {code:.1f} |")
    print(f"\nMost memory in use at once, all processes together: {most:.1f} GB.")


if __name__ == "__main__":
    main()
