"""Train every task of chapter 18 from every seed and keep the learning curves.

    .venv/bin/python -m tools.train_seeds                  # all tasks, seeds 0 to 9: about five minutes
    .venv/bin/python -m tools.train_seeds --tasks cartpole --seeds 100 --output /tmp/more

There is no second copy of the algorithm: the tool runs the cells of `notebooks/learning/18_training.py` that are
tagged `algorithm`. It writes two files into `helpers/data`: `training_curves.csv`, the mean return of the episodes that
finished within each five updates, and `training_results.csv`, one line for each training. Both begin with comment lines
that name the command, the machine, the versions and the code (a digest of it, compared by `tests/test_ppo.py`).
"""

import argparse
import ast
import csv
import hashlib
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # One core for each training, whatever the machine has; must be set before NumPy is imported.
    for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(_name, "1")

import gymnasium
import jupytext
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
CHAPTER = ROOT / "notebooks" / "learning" / "18_training.py"
CURVE_FIELDS = ["task", "seed", "steps", "mean_return"]
RESULT_FIELDS = ["task", "seed", "steps", "cpu_seconds", "mean_return", "lowest_return", "start_value"]


def source(chapter: Path = CHAPTER, tag: str = "algorithm") -> str:
    """Return the code of the cells of `chapter` that carry `tag`, in their order.

    Raises:
        ValueError: if there is no such cell.
    """
    cells = [cell.source for cell in jupytext.read(chapter).cells if tag in cell.metadata.get("tags", [])]
    if not cells:
        raise ValueError(f"no cell of {chapter} is tagged {tag!r}")
    return "\n\n".join(cells)


def load(code: str) -> dict[str, Any]:
    """Run the cells and return the names they define."""
    names: dict[str, Any] = {"__name__": "algorithm"}
    exec(compile(code, str(CHAPTER), "exec"), names)
    return names


def digest(code: str) -> str:
    """Return a digest of `code` and of `helpers/rollouts.py`, which it uses.

    Imports, docstrings, comments and layout do not change it.
    """
    text = []
    for part in (code, (ROOT / "helpers" / "rollouts.py").read_text()):
        for node in ast.walk(tree := ast.parse(part)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node):
                node.body = node.body[1:] or [ast.Pass()]
        text += [ast.unparse(node) for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return hashlib.sha256("\n".join(text).encode()).hexdigest()[:16]


def header(command: str, code: str) -> str:
    """Return the comment lines that say where the numbers come from."""
    with open("/proc/cpuinfo") if Path("/proc/cpuinfo").exists() else open(os.devnull) as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    processor = models[0] if models else platform.processor() or "unknown processor"
    return (
        f"# {command}\n"
        f"# {processor}, {os.cpu_count()} cores seen, one used for each training; {platform.system()}\n"
        f"# Python {platform.python_version()}, NumPy {np.__version__}, Gymnasium {gymnasium.__version__}\n"
        f"# algorithm {digest(code)}\n"
    )


def main(arguments: list[str]) -> int:
    """Train, print one line for each training, write the two files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", nargs="*", help="names of TASKS in the chapter (default: all)")
    parser.add_argument("--seeds", type=int, default=10, help="how many seeds (default: 10)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--output", type=Path, default=ROOT / "helpers" / "data", help="where the two files go")
    options = parser.parse_args(arguments)
    code = source()
    chapter = load(code)
    unknown = set(options.tasks or ()) - set(chapter["TASKS"])
    if unknown:
        parser.error(f"unknown task {sorted(unknown)}; the chapter has {sorted(chapter['TASKS'])}")

    curves, results = [], []
    for task in options.tasks or chapter["TASKS"]:
        settings = chapter["TASKS"][task]["settings"]
        per_update = settings.num_envs * settings.num_steps
        for seed in range(options.first, options.first + options.seeds):
            began = time.process_time()
            spent = []
            _, curve, returns, start_value = chapter["run"](
                task, seed, lambda *_, began=began, spent=spent: spent.append(time.process_time() - began)
            )
            points = zip(*chapter["learning_curve"](curve, settings), strict=True)
            curves += [(task, seed, steps, round(float(mean), 2)) for steps, mean in points]
            row = (task, seed, settings.updates * per_update, round(spent[-1], 2))
            row += (round(returns.mean(), 2), round(returns.min(), 2), round(float(start_value), 2))
            results.append(row)
            print(*(f"{name}={value}" for name, value in zip(RESULT_FIELDS, row, strict=True)), flush=True)

    options.output.mkdir(parents=True, exist_ok=True)
    command = " ".join(["python -m tools.train_seeds", *arguments])
    for name, fields, rows in [("curves", CURVE_FIELDS, curves), ("results", RESULT_FIELDS, results)]:
        with open(options.output / f"training_{name}.csv", "w", newline="") as file:
            file.write(header(command, code))
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(fields)
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
