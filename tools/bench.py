"""Run the whole ladder of chapter 22 on this machine and put the result beside the one that the book was written on.

usage: python -m tools.bench [--folder FOLDER] [--rows N ...] [--rounds N]

Writes FOLDER/ladder.csv, after every heat, and FOLDER/ladder.md at the end; FOLDER is build/bench by default.
JAX and EnvPool take part if they are installed. The book shows helpers/data/ladder.csv: a copy of such a file.
"""

import argparse
import csv
import importlib.metadata
import io
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from helpers.contenders import CORE, OPTIONAL, against_single, installed
from helpers.timing import machine
from tools.project import BUILD, ROOT, stop

OURS = ROOT / "helpers" / "data" / "ladder.csv"
ROWS = (1, 4, 16, 64, 256, 1024, 4096)
MOST_PROCESSES = 64
ROUNDS, SEED = 101, 0
COLUMNS = ("contender", "rows", "rate", "ratio", "ratio_low", "ratio_high")


def heats(rows: Iterable[int]) -> list[tuple[str, int]]:
    """Return which contender races with how many rows, in order.

    What starts processes comes first, since JAX and EnvPool start threads, which do not survive a fork.
    """
    names = [*CORE, *(name for name in OPTIONAL if installed(name))]
    return [(name, count) for name in names for count in rows if name != "async" or count <= MOST_PROCESSES]


def measure(name: str, rows: int, rounds: int) -> dict:
    """Run one heat and return its record, with the values of `COLUMNS`."""
    race = against_single(name, rows, rounds, SEED)
    ratio = race.ratio(name, to="single")
    numbers = (race.rate(name).median, ratio.median, ratio.low, ratio.high)
    return dict(zip(COLUMNS, (name, rows, *(f"{number:.4g}" for number in numbers)), strict=True))


def table(records: list[dict], rounds: int) -> str:
    """Return the records as CSV, under a header that says how they came about."""
    text = io.StringIO()
    text.write(f"# command: python -m tools.bench --rounds {rounds}\n")
    text.write(f"# machine: {machine()}\n")
    text.write(f"# seed: {SEED}\n")
    for module in sorted({OPTIONAL[name] for name in OPTIONAL if installed(name)}):
        text.write(f"# {module}: {importlib.metadata.version(module)}\n")
    text.write("# rate: environment steps a second, median; ratio: to one plain environment, median and middle half\n")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def read(path: Path) -> tuple[str, dict[tuple[str, int], dict]]:
    """Return the machine that a ladder was measured on, and its records by contender and rows."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head = [line for line in lines if line.startswith("#")]
    on = next(line.removeprefix("# machine: ") for line in head if line.startswith("# machine: "))
    records = csv.DictReader(line for line in lines if not line.startswith("#"))
    return on, {(record["contender"], int(record["rows"])): record for record in records}


def page(yours: Path, ours: Path) -> str:
    """Return a Markdown page with two ladders side by side."""
    your_machine, your_records = read(yours)
    our_machine, our_records = read(ours) if ours.exists() else ("not measured", {})
    lines = [
        "# The ladder",
        "",
        f"- Yours: {your_machine}",
        f"- Ours: {our_machine}",
        "",
        "Thousand environment steps a second, and how many times as fast that is as stepping one plain environment,",
        "measured in turns with it (in brackets: the middle half of the rounds). Ratios travel better than rates.",
        "",
        "| contender | rows | yours | ours | your ratio | our ratio |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for contender, rows in sorted(your_records | our_records, key=_place):
        both = [records.get((contender, rows)) for records in (your_records, our_records)]
        cells = [contender, str(rows), *map(_rate, both), *map(_ratio, both)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _place(key: tuple[str, int]) -> tuple[int, int]:
    return [*CORE, *OPTIONAL].index(key[0]), key[1]


def _rate(record: dict | None) -> str:
    return f"{float(record['rate']) / 1000:,.0f}" if record else ""


def _ratio(record: dict | None) -> str:
    if not record:
        return ""
    return "{:.3g} ({:.3g} to {:.3g})".format(*(float(record[name]) for name in COLUMNS[3:]))


def run(folder: Path, rows: Iterable[int], rounds: int) -> None:
    """Run all heats, showing progress, and write the two files; what was measured is kept after every heat."""
    folder.mkdir(parents=True, exist_ok=True)
    ladder, records, todo = folder / "ladder.csv", [], heats(rows)
    absent = [name for name in OPTIONAL if not installed(name)]
    print(f"bench: {machine()}")
    if absent:
        print(f"bench: not installed, and left out: {', '.join(absent)}")
    for number, (name, count) in enumerate(todo, start=1):
        print(f"  [{number:2d}/{len(todo)}] {name:18s} {count:5d} rows", end=" ", flush=True)
        start = time.perf_counter()
        records.append(measure(name, count, rounds))
        partial = ladder.with_suffix(".partial")
        partial.write_text(table(records, rounds), encoding="utf-8")
        partial.replace(ladder)
        print(f"{time.perf_counter() - start:6.1f} s", flush=True)
    (folder / "ladder.md").write_text(page(ladder, OURS), encoding="utf-8")
    print(f"bench: {ladder} and {folder / 'ladder.md'} are written")


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=BUILD / "bench", help="where the two files go")
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS, help="the rungs of the ladder")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds counted in each race")
    given = parser.parse_args(arguments)
    if min(given.rows) < 1 or given.rounds < 1:
        stop(f"bench: rows and rounds must be at least 1; got {given.rows} and {given.rounds}")
    try:
        run(given.folder, given.rows, given.rounds)
    except KeyboardInterrupt:
        print(f"\nbench: stopped; what was measured until now is in {given.folder / 'ladder.csv'}")
        sys.exit(130)


if __name__ == "__main__":
    main()
