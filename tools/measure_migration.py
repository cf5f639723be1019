"""Ask the same questions of six releases, side by side, and print the answers as two Markdown tables.

usage: python -m tools.measure_migration [--write]

Makes a virtual environment for each release in a temporary folder and runs this file in it with ``--probe``. With
--write the tables go between the markers of book/migration.md, otherwise to standard output. Needs Python 3.11, on
which all of them install, a package index and a few minutes. Exits with 1 and pip's words if a release cannot be
installed; the page is then left alone.
"""

import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

PYTHON = (3, 11)
# What to install, in order. The sources of Gym 0.21 cannot be read by newer tools than these.
OLD_TOOLS = ["pip<24.1", "setuptools==65.5.0", "wheel==0.37.1"]
OLD_NUMPY, NEW_NUMPY = "numpy==1.26.4", "numpy==2.4.*"
RELEASES = {
    "Gym 0.21.0": [OLD_TOOLS, ["--no-build-isolation", "gym==0.21.0", OLD_NUMPY]],
    "Gym 0.26.2": [["gym==0.26.2", OLD_NUMPY]],
    "Gymnasium 0.29.1": [["gymnasium==0.29.1", OLD_NUMPY]],
    "Gymnasium 1.0.0": [["gymnasium==1.0.0", OLD_NUMPY]],
    "Gymnasium 1.1.1": [["gymnasium==1.1.1", OLD_NUMPY]],
    "Gymnasium 1.4.0": [["gymnasium==1.4.0", OLD_NUMPY]],
}
# The columns of two tables: one release, or two that mostly agree. The second table leaves out what did not change.
FIRST = [["Gym 0.21.0"], ["Gym 0.26.2", "Gymnasium 0.29.1"], ["Gymnasium 1.4.0"]]
SECOND = [["Gymnasium 1.0.0"], ["Gymnasium 1.1.1"], ["Gymnasium 1.4.0"]]
PAGE = Path(__file__).resolve().parent.parent / "book" / "migration.md"
BEGIN, END = "<!-- made by: python -m tools.measure_migration -->", "<!-- end of what was made -->"


def questions() -> dict:
    """Return the questions, each with a function that answers it for the release that is installed."""
    try:
        import gymnasium as gym
    except ImportError:
        import gym
    import numpy as np

    one_flag = gym.__name__ == "gym" and gym.__version__ < "0.26"
    stay = np.array([0, 0])
    statistics = getattr(gym.wrappers, "vector", gym.wrappers).RecordEpisodeStatistics

    class Counter(gym.Env):
        """Observes [episode, step] and reports ten times the step in its info, in the API of the release."""

        observation_space = gym.spaces.Box(0, 99, (2,), np.float32)
        action_space = gym.spaces.Discrete(2)

        def __init__(self, length=2):
            self.length, self.episode, self.t, self.g = length, -1, 0, 1

        def observation(self):
            return np.array([self.episode, self.t], np.float32)

        def reset(self, **_):
            self.episode, self.t = self.episode + 1, 0
            return self.observation() if one_flag else (self.observation(), {})

        def step(self, action):
            self.t += 1
            over = self.t >= self.length
            flags = (over,) if one_flag else (over, False)
            return (self.observation(), float(self.t), *flags, {"ten": 10 * self.t})

    def make(wrap=lambda env: env, lengths=(2, 9), **settings):
        return gym.vector.SyncVectorEnv([lambda n=n: wrap(Counter(n)) for n in lengths], **settings)

    def play(envs, calls=2):
        envs.reset()
        return [envs.step(stay) for _ in range(calls)]

    def kind(maker, name):
        envs = maker(name, 2)
        envs.close()
        return f"`{type(envs).__name__}`"

    def find(infos, wanted, path="infos"):
        """Return the ways to index `infos` that lead to `wanted`."""
        keys = list(infos) if isinstance(infos, dict) else range(len(infos))
        found = []
        for key in keys:
            if str(key).startswith("_"):
                continue  # a mask
            value = infos[key]
            here = f'{path}["{key}"]' if isinstance(key, str) else f"{path}[{key}]"
            if isinstance(value, (dict, list)) or (isinstance(value, np.ndarray) and value.dtype == object):
                found += find(value, wanted, here)
            elif np.ndim(value) and np.ndim(wanted) == 0:
                found += [f"{here}[{row}]" for row in np.flatnonzero(np.asarray(value) == wanted)]
            elif value is not None and np.array_equal(value, wanted):
                found.append(here)
        return found

    def first_of(found):
        return f"`{found[0]}`" if found else "nowhere"

    def start(seed):
        envs = gym.vector.SyncVectorEnv([partial(gym.make, "CartPole-v1")] * 2)
        single = gym.make("CartPole-v1")
        if one_flag:
            envs.seed(seed)
            single.seed(seed + 1)
            return envs.reset(), single.reset()
        return envs.reset(seed=seed)[0], single.reset(seed=seed + 1)[0]

    def returns(**settings):
        envs = gym.vector.SyncVectorEnv([partial(gym.make, "CartPole-v1")] * 2, **settings)
        actions = np.random.default_rng(0).integers(2, size=(99, 2))
        envs.seed(42) if one_flag else envs.reset(seed=42)
        if one_flag:
            envs.reset()
        found, total = [], 0
        for action in actions:
            _, rewards, *flags, _ = envs.step(action)
            total += rewards[0]
            if any(flag[0] for flag in flags):
                found.append(f"{total:g}")
                total = 0
        return ", ".join(found)

    def second_row():
        batch, single = start(42)
        return "yes" if np.array_equal(batch[1], single) else "no"

    def returned(result):
        if not isinstance(result, tuple):
            return "observations"
        return f"{len(result)} values"

    def done_row():
        episode, step = map(int, play(make())[1][0][0])
        return f"episode {episode}, step {step}"

    def last_observation(**settings):
        observations, *_, infos = play(make(**settings))[1]
        if np.array_equal(observations[0], [0, 2]):
            return "`observations[0]`"
        return first_of(find(infos, [0, 2]))

    def third_call():
        observations, rewards, *_ = play(make(), 3)[2]
        episode, step = map(int, observations[0])
        return f"episode {episode}, step {step}; reward {rewards[0]:g}"

    def cut_off():
        *_, flag, infos = play(make(lambda env: gym.wrappers.TimeLimit(env, 2), (9, 9)))[1]
        return (
            f"`dones[0]`, and in its info `{find(infos[0], True)[0][7:-2]}`"
            if one_flag
            else f"`truncated[0]` is {flag[0]}"
        )

    def set_attr():
        envs = make(lambda env: gym.wrappers.TimeLimit(env, 9))
        envs.set_attr("g", 7)
        return f"{envs.envs[0].unwrapped.g}"

    def through_wrapper():
        base = getattr(gym.vector, "VectorEnvWrapper", None) or gym.vector.VectorWrapper
        return f"{len(base(make()).envs)} environments"

    def masked():
        envs = make(lengths=(9, 9))
        play(envs, 1)
        observations, _ = envs.reset(options={"reset_mask": np.array([True, False])})
        return " and ".join(f"row {row}" for row in np.flatnonzero(observations[:, 1] == 0))

    def worker():
        module = gym.vector.async_vector_env
        name = "_worker" if hasattr(module, "_worker") else "_async_worker"
        return len(inspect.signature(getattr(module, name)).parameters)

    def second_parameter():
        return f"`{list(inspect.signature(gym.vector.SyncVectorEnv.__init__).parameters)[2]}`"

    def inner(env):
        return gym.wrappers.RecordEpisodeStatistics(env)

    return {
        "`vector.make`, CartPole": lambda: kind(gym.vector.make, "CartPole-v1"),
        "`make_vec`, CartPole": lambda: kind(gym.make_vec, "CartPole-v1"),
        "`make_vec`, Pendulum": lambda: kind(gym.make_vec, "Pendulum-v1"),
        "`step_async` of `SyncVectorEnv`": lambda: make().step_async and "exists",
        "is it an `Env`?": lambda: "yes" if isinstance(make(), gym.Env) else "no",
        "action space, two rows of `Discrete(2)`": lambda: f"`{type(make().action_space).__name__}`",
        "second parameter of `SyncVectorEnv`": second_parameter,
        "`seed(42)`": lambda: make().seed(42) or "accepted",
        "`reset(seed=42)`": lambda: make().reset(seed=42) and "accepted",
        "`reset` returns": lambda: returned(make().reset()),
        "CartPole, seed 42, first number": lambda: f"{start(42)[0][0, 0]:.4f}",
        "row 1 starts like a single one with seed 43": second_row,
        "CartPole, seed 42, 99 fixed actions: returns of row 0": returns,
        "CartPole, seed 42, the same in mode `SAME_STEP`": lambda: returns(
            autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
        ),
        "`step` returns": lambda: returned(play(make())[0]),
        "`infos` is a": lambda: f"{type(play(make())[0][-1]).__name__}",
        "call 2: `observations[0]` is": done_row,
        "the last observation of the episode is": last_observation,
        "in mode `SAME_STEP` the last observation is": lambda: last_observation(
            autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
        ),
        "the last step's own info is": lambda: first_of(find(play(make())[1][-1], 20)),
        "call 3: `observations[0]` is": third_call,
        "a time limit shows as": cut_off,
        "a return, recorded around the batch": lambda: first_of(find(play(statistics(make()))[1][-1], 3.0)),
        "a return, recorded inside": lambda: first_of(find(play(make(inner))[1][-1], 3.0)),
        "`set_attr` to 7, through a wrapper: the environment's value, once 1": set_attr,
        "`.envs` of a vector wrapper": through_wrapper,
        "`reset_mask` for row 0 restarts": masked,
        "arguments of an async worker": worker,
    }


def answer(question) -> str:
    """Return the answer, or the name of the error that was raised instead."""
    try:
        return str(question())
    except Exception as error:
        return f"`{type(error).__name__}`"


def probe() -> dict[str, str]:
    """Answer all questions with the release that is installed here."""
    warnings.simplefilter("ignore")
    return {text: answer(question) for text, question in questions().items()}


def one_step() -> str:
    """Return whether a CartPole of the installed release takes a step under the installed NumPy."""
    warnings.simplefilter("ignore")
    try:
        import gymnasium as gym
    except ImportError:
        import gym
    try:
        env = gym.make("CartPole-v1")
        env.reset()
        env.step(0)
    except Exception as error:
        return f"`{type(error).__name__}`: {error}".split("\n")[0].split(". ")[0]
    return "works"


def in_release(folder: str, steps: list[list[str]]) -> dict[str, str]:
    """Install a release into a new environment in `folder` and return its answers."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = Path(folder, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))

    def run(*arguments: str) -> str:
        # The child's standard error is noise: Gym prints notices to it.
        command = [str(python), *arguments]
        result = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        if result.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{result.stdout[-500:]}{result.stderr[-2000:]}")
        return result.stdout

    def install(*packages: str) -> None:
        run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)

    for packages in steps:
        install(*packages)
    answers = json.loads(run(__file__, "--probe").splitlines()[-1])
    install(NEW_NUMPY)
    return answers | {"one step of CartPole under NumPy 2": json.loads(run(__file__, "--step").splitlines()[-1])}


def markdown(answers: dict[str, dict[str, str]], columns: list[list[str]], only_changes: bool = False) -> str:
    """Return the answers of some releases as a table; where those of one column differ, it shows both."""
    lines = ["| question | " + " | ".join(" / ".join(releases) for releases in columns) + " |"]
    lines.append("| --- |" + " --- |" * len(columns))
    for question in next(iter(answers.values())):
        cells = [" / ".join(dict.fromkeys(answers[release][question] for release in column)) for column in columns]
        if not only_changes or len(set(cells)) > 1:
            lines.append("| " + " | ".join([question, *cells]) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure all releases and print the table, or write it into the page."""
    if sys.argv[1:] in (["--probe"], ["--step"]):
        print(json.dumps(probe() if sys.argv[1] == "--probe" else one_step()))
        return
    if sys.version_info[:2] != PYTHON:
        sys.exit("measure_migration: run it with Python 3.11; the old releases do not install on others")
    answers = {}
    for release, steps in RELEASES.items():
        with tempfile.TemporaryDirectory() as folder:
            answers[release] = in_release(folder, steps)
    first, second = markdown(answers, FIRST), markdown(answers, SECOND, only_changes=True)
    tables = f"{first}\n\nWhat changed after 1.0:\n\n{second}"
    if sys.argv[1:] != ["--write"]:
        print(tables)
        return
    text = PAGE.read_text(encoding="utf-8")
    parts = re.split(f"(?<={re.escape(BEGIN)})\n.*?(?={re.escape(END)})", text, flags=re.DOTALL)
    if len(parts) != 2:
        sys.exit(f"{PAGE}: wants one {BEGIN} and after it one {END}")
    PAGE.write_text(f"{parts[0]}\n\n{tables}\n\n{parts[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
