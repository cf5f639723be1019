"""Execute every notebook that changed, once, on all cores, and keep the result for the tests and the pages.

usage: python -m tools.execute

A notebook is stale when its code, `helpers/`, the pins or the Python release changed since it was executed; prose alone
makes nothing stale. A result is kept the moment its notebook is done, so that an interrupted run loses only what was
running. Exits with 1 and a line for each problem if a cell raises, writes to standard error, or shows a figure
without a text.
"""

import contextlib
import hashlib
import importlib.metadata
import io
import json
import re
import shutil
import sys
import textwrap
import time
from pathlib import Path

import nbformat
import pytest

from tools.pairs import check as check_pairs
from tools.project import BUILD, EXECUTED, ROOT, check_toc, notebooks, stop

RUN = BUILD / "run"
CELL_TIME_LIMIT = 300  # seconds
GYMNASIUM = "1.4."
ANSI = r"\x1b\[[0-9;]*m"


def surroundings() -> str:
    """Return a digest of all that can change any notebook's outputs: helpers, the pins, the Python release."""
    digest = hashlib.sha256(sys.version.encode())
    for path in [ROOT / "requirements.txt", *sorted((ROOT / "helpers").rglob("*"))]:
        if path.is_file() and path.suffix in (".txt", ".py", ".csv", ".js"):
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def fingerprint(notebook: nbformat.NotebookNode, around: str) -> str:
    """Return what an executed copy of `notebook` is valid for: its code cells, their tags and the surroundings."""
    code = [(cell.source, cell.metadata.get("tags", [])) for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256(json.dumps([code, around]).encode()).hexdigest()


def problems_of(name: str, notebook: nbformat.NotebookNode) -> list[str]:
    """Return one problem for each output that does not belong on a page."""
    problems = []
    for number, cell in enumerate(notebook.cells, start=1):
        for output in cell.get("outputs", []):
            where = f"{name}: cell {number}"
            if output.output_type == "stream" and output.name == "stderr":
                problems.append(f"{where} writes to standard error; mend the cause: {output.text.strip()[:400]}")
            elif output.output_type == "error" and output.ename == "KeyboardInterrupt":
                problems.append(f"{where} ran for more than {CELL_TIME_LIMIT} s and was ended; make it shorter")
            elif output.output_type == "error":
                code = textwrap.indent(cell.source, "    | ")
                problems.append(f"{where} raises {output.ename}: {output.evalue}\n{code}")
            elif output.output_type == "execute_result":
                shown = output["data"].get("text/plain", "")[:60]
                problems.append(f"{where} shows a bare value ({shown}); print it, or assign it to _")
            elif any(kind.startswith("image/") for kind in output.get("data", {})):
                problems.append(f"{where} shows a figure without a text; use helpers.figures.show(fig, alt)")
    return problems


class Progress:
    """A pytest plugin that reports each notebook as it ends and keeps its result."""

    def __init__(self, fingerprints: dict[str, str]) -> None:
        self.fingerprints = fingerprints
        self.terminal = sys.stdout
        self.done = 0
        self.problems: list[str] = []
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the executed notebook, or the reason why there is none."""
        if report.when != "call" and not report.failed:
            return
        staged = Path(report.location[0])
        name = (staged if staged.is_absolute() else RUN / staged).relative_to(RUN).with_suffix("").as_posix()
        self.done += 1
        self.seconds[name] = report.duration
        notebook = nbformat.read(RUN / f"{name}.ipynb", as_version=4)
        problems = problems_of(name, notebook)
        if report.failed and not problems:  # no cell raised: a time limit, or a dead kernel
            problems = [f"{name}: {re.sub(ANSI, '', report.longreprtext).strip()}"]
        if not problems:
            self.keep(name, notebook, report.duration)
        self.problems += problems
        line = f"  [{self.done:2d}/{len(self.fingerprints)}] {name:48s} {report.duration:6.1f} s"
        print(line, "FAILED" if problems else "ok", file=self.terminal, flush=True)

    def keep(self, name: str, notebook: nbformat.NotebookNode, seconds: float) -> None:
        """Put the executed notebook where pages are made from."""
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        notebook.metadata["book"] = {"fingerprint": self.fingerprints[name], "seconds": round(seconds, 1)}
        kept = EXECUTED / f"{name}.ipynb"
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(".partial")
        nbformat.write(notebook, partial)
        partial.replace(kept)


def stale(names: list[str]) -> dict[str, str]:
    """Return the fingerprint of each notebook of `names` that has no valid executed copy, slowest first."""
    around = surroundings()
    wanted, seconds = {}, {}
    for name in names:
        wanted[name] = fingerprint(nbformat.read(ROOT / f"{name}.ipynb", as_version=4), around)
        try:
            book = json.loads((EXECUTED / f"{name}.ipynb").read_text(encoding="utf-8"))["metadata"]["book"]
        except (OSError, ValueError, KeyError):
            continue
        seconds[name] = book["seconds"]
        if book["fingerprint"] == wanted[name]:
            del wanted[name]
    return dict(sorted(wanted.items(), key=lambda item: -seconds.get(item[0], 1e9)))


def alone(name: str) -> bool:
    """Return whether a cell has the tag `alone`: the notebook measures what neighbours on other cores would spoil."""
    notebook = nbformat.read(ROOT / f"{name}.ipynb", as_version=4)
    return any("alone" in cell.metadata.get("tags", []) for cell in notebook.cells)


def run(names: list[str], progress: Progress, *options: str) -> int:
    """Execute the staged notebooks with nbmake; return pytest's exit code."""
    fixed = ["--nbmake", "--overwrite", f"--nbmake-timeout={CELL_TIME_LIMIT}", "-p", "no:cacheprovider"]
    fixed += [f"--rootdir={RUN}", f"--confcutdir={RUN}", "-c", str(RUN / "pytest.ini")]
    with contextlib.redirect_stdout(io.StringIO()):  # the table of `progress` says what pytest would
        return pytest.main([*fixed, *options, *(str(RUN / f"{name}.ipynb") for name in names)], [progress])


def check() -> None:
    """Exit with one line for each thing that would make the run pointless."""
    found = importlib.metadata.version("gymnasium")
    if not found.startswith(GYMNASIUM):
        stop(f"gymnasium {found} is installed, the book is about {GYMNASIUM}x; run: make clean-environment book")
    if problems := check_toc() + check_pairs():
        stop(*problems)


def execute() -> None:
    """Execute what is stale; exit with the problems if there are any."""
    names = notebooks()
    todo = stale(names)
    for path in EXECUTED.rglob("*.ipynb"):
        if path.relative_to(EXECUTED).with_suffix("").as_posix() not in names:
            path.unlink()
    if not todo:
        print(f"notebooks: all {len(names)} are up to date")
        return
    print(f"notebooks: executing {len(todo)} of {len(names)}", flush=True)
    shutil.rmtree(RUN, ignore_errors=True)
    for name in todo:
        (RUN / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / f"{name}.ipynb", RUN / f"{name}.ipynb")
    progress = Progress(todo)
    start = time.perf_counter()
    (RUN / "pytest.ini").write_text("[pytest]\n")
    apart = [name for name in todo if alone(name)]
    together = [name for name in todo if name not in apart]
    spread = ["-n", "auto", "--dist=load", "--maxschedchunk=1"] if len(together) > 1 else []
    code = together and run(together, progress, *spread)
    code = (apart and run(apart, progress)) or code
    wall = time.perf_counter() - start
    if progress.problems or code:
        missing = [f"{name}: was not executed" for name in todo if name not in progress.seconds]
        stop("", *progress.problems, *missing, f"notebooks: {len(progress.problems) + len(missing)} problems")
    shutil.rmtree(RUN)
    print(f"notebooks: {len(todo)} executed in {wall:.1f} s ({sum(progress.seconds.values()):.1f} s of work)")


if __name__ == "__main__":
    check()
    try:
        execute()
    except OSError as error:
        stop(f"notebooks: {error}; free some space if the disk is full, then run the same command again")
