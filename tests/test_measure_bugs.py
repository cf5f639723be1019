"""Chapter 19: the stored measurements come from the code on its page, all of them are there, and a sample repeats.

The sample is what costs little: tables, thermostat and intervals of one seed, and short trainings. Everything is
measured again by `python tools/measure_bugs.py` (a few minutes).
"""

import csv

import numpy as np
import pandas as pd
import pytest

from tools import measure_bugs, train_seeds
from tools.project import ROOT

DATA = ROOT / "helpers" / "data" / "bugs.csv"
CODE = "\n\n".join([train_seeds.source(), train_seeds.source(measure_bugs.CHAPTER, "experiment")])
QUICK = ["table, corridor", "interval of ten runs", "thermostat"]
TRAINED = sorted(set(measure_bugs.EXPERIMENTS) - set(QUICK))
KEY = ["experiment", "bug", "seed", "measure"]


@pytest.fixture(scope="module")
def stored():
    return pd.read_csv(DATA, comment="#")


def comments(path):
    return [line[2:] for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# ")]


def written(rows):
    """Return `rows` as the file has them: six digits of each value."""
    return {row[:4]: float(f"{float(row[4]):.6g}") for row in rows}


def test_stored_numbers_come_from_this_code():
    """If this fails, an experiment or the algorithm changed: run tools/measure_bugs.py again."""
    lines = comments(DATA)
    assert lines[0] == "python tools/measure_bugs.py"  # everything, ten seeds
    assert f"algorithm {train_seeds.digest(CODE)}" in lines
    assert lines[-1] == "seeds 0 to 9; the intervals of ten runs: experiments 0 to 199"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("follows = ~rollout.done", "follows = ~rollout.terminated"),  # chapter 19: a bug that is none
        ("flatnonzero(rollout.valid)", "flatnonzero(~rollout.valid)"),  # chapter 18
    ],
)
def test_the_digest_notices_a_change_in_either_chapter(old, new):
    assert old in CODE
    assert train_seeds.digest(CODE.replace(old, new)) != train_seeds.digest(CODE)


def test_every_experiment_has_its_seeds(stored):
    assert not stored.duplicated(KEY).any() and not stored.value.isna().any()
    for (experiment, *_), rows in stored.groupby(["experiment", "bug", "measure"]):
        seeds = measure_bugs.INTERVALS if experiment == "interval of ten runs" else 10
        assert sorted(rows.seed) == list(range(seeds))


@pytest.mark.parametrize("name", QUICK)
def test_one_seed_repeats_and_is_what_is_stored(stored, name, monkeypatch):
    monkeypatch.setattr(measure_bugs, "LIMITS", (5,))
    first, second = (written(measure_bugs.measure(name, 3)) for _ in range(2))
    assert first and first == second
    found = stored.set_index(KEY).value[list(first)]
    np.testing.assert_allclose(found, list(first.values()), rtol=1e-5, atol=1e-9)


def test_seeds_differ(monkeypatch):
    monkeypatch.setattr(measure_bugs, "LIMITS", (5,))
    one, other = (list(written(measure_bugs.measure("table, corridor", seed)).values()) for seed in (3, 4))
    assert one != other


@pytest.fixture
def short(monkeypatch):
    """Let chapter 18's PPO, as chapter 19 loads it, stop after two updates."""
    ppo = measure_bugs.page()["ppo"]

    def short_ppo(bug=None):
        names = ppo(bug)
        train = names["train"]

        def few(envs, settings, seed, *progress):
            settings.updates = 2
            return train(envs, settings, seed, *progress)

        names["train"] = few
        names["PENDULUM"].num_steps = 8
        return names

    monkeypatch.setitem(measure_bugs.page(), "ppo", short_ppo)


@pytest.mark.parametrize("name", TRAINED)
def test_a_short_training_repeats_and_fills_every_line(stored, short, name, monkeypatch):
    if name == "PPO, normalised Pendulum":
        monkeypatch.setitem(measure_bugs.page(), "WAYS", {"frozen": ("early", False), "stale": ("early", False)})
    first, second = (written(measure_bugs.measure(name, 0)) for _ in range(2))
    for key, value in first.items():
        if not key[1].startswith("unseeded"):
            assert value == second[key], key
    expected = stored[stored.seed == 0].set_index(KEY).index
    assert set(first) <= set(expected)
    where = {key[0] for key in first}
    missing = {key for key in expected if key[0] in where} - set(first)
    assert not missing or name == "PPO, normalised Pendulum"


def test_each_bug_changes_the_training_and_a_repetition_does_not(short):
    found = written(measure_bugs.ppo_cartpole(0))
    value = {key[:2]: found[key] for key in found if key[3] == "value of the start"}
    where = "PPO, CartPole"
    assert value[where, "none"] == value[where, "none, again"]
    assert value[where, "unseeded actions"] != value[where, "unseeded actions, again"]
    assert value[where, "filler rows kept"] != value[where, "none"]


def test_the_tool_writes_the_file(tmp_path, capsys):
    path = tmp_path / "bugs.csv"
    arguments = ["--only", "thermostat", "--seeds", "2", "--workers", "1", "--output", str(path)]
    assert measure_bugs.main(arguments) == 0
    assert capsys.readouterr().out.split() == ["thermostat", "0", "thermostat", "1"]
    lines = comments(path)
    assert lines[0] == " ".join(["python tools/measure_bugs.py", *arguments])
    assert f"algorithm {train_seeds.digest(CODE)}" in lines
    rows = list(csv.reader(line for line in path.read_text().splitlines() if not line.startswith("#")))
    assert rows[0] == measure_bugs.FIELDS
    assert len(rows) == 1 + 2 * 2 * 3  # seeds, temperatures, ways
