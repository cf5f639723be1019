"""Measure each bug of chapter 19 alone, from many seeds, and keep the numbers.

    python tools/measure_bugs.py                     # everything: about five minutes of processor time
    python tools/measure_bugs.py --only "PPO, CartPole" --seeds 2 --output /tmp/bugs.csv

There is no second copy of anything: the experiments are the cells of `notebooks/learning/19_what_goes_wrong.py` that
are tagged `experiment`, and the training in them is the cells of `18_training.py` that are tagged `algorithm`, with one
stretch of text replaced for each bug. The replacement raises an error unless it finds its text exactly once.

The output has one line for each number: experiment, bug ("none" for the code as it should be), seed, measure and value.
"""

import argparse
import csv
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
if __name__ == "__main__":
    # One core for each training, whatever the machine has; must be set before NumPy is imported.
    for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(_name, "1")

from tools.train_seeds import header, load, source  # noqa: E402

CHAPTER = ROOT / "notebooks" / "learning" / "19_what_goes_wrong.py"
FIELDS = ["experiment", "bug", "seed", "measure", "value"]
LIMITS = (5, 10, 20, 50)
INTERVALS = 200

Row = tuple[str, str, int, str, float]


@cache
def page() -> dict[str, Any]:
    """Return the names that the experiment cells of chapter 19 define."""
    return load(source(CHAPTER, "experiment"))


def _modes() -> list[tuple[str, str | None, Any]]:
    """Return the experiments of one rollout: a name for the bug, the bug, the mode that it can occur in."""
    mode = page()["AutoresetMode"]
    return [
        ("none", None, mode.NEXT_STEP),
        ("filler rows kept", "filler rows kept", mode.NEXT_STEP),
        ("cut taken as end", "cut taken as end", mode.NEXT_STEP),
        ("none, SAME_STEP", None, mode.SAME_STEP),
        ("reset observation", "reset observation", mode.SAME_STEP),
    ]


def fitted_corridor(seed: int) -> Iterator[Row]:
    """The corridor, values fitted to a table, with cuts after each of `LIMITS`."""
    names = page()
    for limit in LIMITS:
        for label, bug, mode in _modes():
            q = names["fit"](names["play"](seed, mode, limit), bug)
            where = f"table, corridor cut at {limit}"
            yield where, label, seed, "pay", names["pay"](q.argmax(axis=1))
            for place, value in enumerate(q.max(axis=1)):
                yield where, label, seed, f"value {place}", value


def ppo_corridor(seed: int) -> Iterator[Row]:
    """The corridor, trained by chapter 18's PPO."""
    names = page()
    for label, bug, mode in _modes():
        choices, values = names["ppo_on_corridor"](seed, mode, bug)
        yield "PPO, corridor cut at 5", label, seed, "pay", names["pay"](choices)
        for place, value in enumerate(values):
            yield "PPO, corridor cut at 5", label, seed, f"value {place}", value


def ppo_cartpole(seed: int) -> Iterator[Row]:
    """CartPole, whose episodes soon are long, trained by chapter 18's PPO."""
    mode = page()["AutoresetMode"]
    trainings = [
        ("PPO, CartPole", "none", None, mode.NEXT_STEP, 500),
        ("PPO, CartPole", "none, again", None, mode.NEXT_STEP, 500),
        ("PPO, CartPole", "filler rows kept", "filler rows kept", mode.NEXT_STEP, 500),
        ("PPO, CartPole", "unseeded actions", "unseeded actions", mode.NEXT_STEP, 500),
        ("PPO, CartPole", "unseeded actions, again", "unseeded actions", mode.NEXT_STEP, 500),
        ("PPO, CartPole cut at 200", "none", None, mode.NEXT_STEP, 200),
        ("PPO, CartPole cut at 200", "cut taken as end", "cut taken as end", mode.NEXT_STEP, 200),
        ("PPO, CartPole cut at 200", "none, SAME_STEP", None, mode.SAME_STEP, 200),
        ("PPO, CartPole cut at 200", "reset observation", "reset observation", mode.SAME_STEP, 200),
    ]
    for where, label, bug, mode, limit in trainings:
        mean, value = page()["ppo_on_cartpole"](seed, mode, bug, limit)
        yield where, label, seed, "return", mean
        yield where, label, seed, "value of the start", value


def ppo_pendulum(seed: int) -> Iterator[Row]:
    """Pendulum, every episode cut at 200, trained by chapter 18's PPO."""
    for label, bug in [("none", None), ("cut taken as end", "cut taken as end")]:
        mean, value = page()["ppo_on_pendulum"](seed, bug)
        yield "PPO, Pendulum", label, seed, "return", mean
        yield "PPO, Pendulum", label, seed, "value of the start", value


def normalised_pendulum(seed: int) -> Iterator[Row]:
    """Pendulum behind `NormalizeObservation`: one training, evaluated in five ways."""
    names = page()
    agent, kept, evaluate = names["train_normalised"](seed)
    for way, mean in names["evaluate_normalised"](seed, agent, kept, evaluate).items():
        yield "PPO, normalised Pendulum", way, seed, "return", mean
    for way in ("frozen", "stale"):
        speed = kept[names["WAYS"][way][0]].var[2] ** 0.5
        yield "PPO, normalised Pendulum", way, seed, "deviation of the speed", speed


def thermostat(seed: int) -> Iterator[Row]:
    """The thermostat, trained at a mean of 20 degrees, evaluated at 20 and at 12."""
    names = page()
    _, learnt = names["thermostat"](20, 1000 * seed)
    for degrees in (20, 12):
        for way, rms, update in [("frozen", learnt, False), ("updated", learnt, True), ("fresh", None, True)]:
            right, _ = names["thermostat"](degrees, 1_000_000 + 1000 * seed, rms, update)
            yield f"thermostat at {degrees}", way, seed, "share right", right.mean()


def base_seeds(seed: int) -> Iterator[Row]:
    """Does the interval of ten runs hold the truth? A tenth of the `INTERVALS` experiments for each seed."""
    share = INTERVALS // 10
    for number in range(share * seed, share * (seed + 1)):
        for label, apart in [("none", 1000), ("base seeds overlap", 1)]:
            yield "interval of ten runs", label, number, "covers the truth", page()["covers_zero"](number, apart)


EXPERIMENTS = {
    "table, corridor": fitted_corridor,
    "interval of ten runs": base_seeds,
    "thermostat": thermostat,
    "PPO, corridor": ppo_corridor,
    "PPO, CartPole": ppo_cartpole,
    "PPO, Pendulum": ppo_pendulum,
    "PPO, normalised Pendulum": normalised_pendulum,
}


def measure(name: str, seed: int) -> list[Row]:
    """Return the rows of one experiment from one seed."""
    return list(EXPERIMENTS[name](seed))


def main(arguments: list[str]) -> int:
    """Measure, print a line for each experiment and seed that is done, write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=list(EXPERIMENTS), help="names of experiments (default: all)")
    parser.add_argument("--seeds", type=int, default=10, help="seeds 0 to this, without it (default: 10)")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time (default: 2)")
    parser.add_argument("--output", type=Path, default=ROOT / "helpers" / "data" / "bugs.csv", help="the file to write")
    options = parser.parse_args(arguments)
    jobs = [(name, seed) for name in options.only or EXPERIMENTS for seed in range(options.seeds)]
    code = "\n\n".join([source(), source(CHAPTER, "experiment")])
    rows: list[Row] = []
    with ProcessPoolExecutor(options.workers) as workers:
        for job, found in zip(jobs, workers.map(measure, *zip(*jobs, strict=True)), strict=True):
            print(*job, flush=True)
            rows += found
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with open(options.output, "w", newline="") as file:
        file.write(header(" ".join(["python tools/measure_bugs.py", *arguments]), code))
        file.write(f"# seeds 0 to {options.seeds - 1}; the intervals of ten runs: experiments 0 to {INTERVALS - 1}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        writer.writerows((*row[:4], f"{float(row[4]):.6g}") for row in rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
