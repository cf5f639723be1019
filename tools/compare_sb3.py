"""Time chapter 18's PPO against stable-baselines3 on CartPole, one core each, seed by seed in turn.

    .venv/bin/python -m tools.compare_sb3 --seeds 3        # about three minutes, and a gigabyte to install once

The book never needs stable-baselines3: it goes into an environment of its own, `build/sb3`. Its settings are the tuned
ones of RL Baselines3 Zoo for `CartPole-v1` (8 environments, 32 steps, batches of 256, 20 epochs, `gamma` 0.98,
`gae_lambda` 0.8, learning rate and clip range falling from 0.001 and 0.2 to zero, 100,000 steps). Both agents then
play the same 100 greedy episodes. Writes `helpers/data/sb3_comparison.csv`.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

from tools.train_seeds import ROOT, header, source

FIELDS = ["seed", "who", "steps", "cpu_seconds", "wall_seconds", "mean_return"]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

THEIRS = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import gymnasium as gym, numpy as np, torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
seed = int(sys.argv[1])
torch.set_num_threads(1)
envs = make_vec_env("CartPole-v1", n_envs=8, seed=1000 * seed)
model = PPO("MlpPolicy", envs, seed=seed, device="cpu", n_steps=32, batch_size=256, n_epochs=20, gamma=0.98,
            gae_lambda=0.8, ent_coef=0.0, learning_rate=lambda left: 0.001 * left, clip_range=lambda left: 0.2 * left)
wall, cpu = time.perf_counter(), time.process_time()
model.learn(100_000)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
steps = model.num_timesteps
best = lambda observation: model.predict(observation, deterministic=True)[0]
"""
OURS = """
import json, sys, time
import gymnasium as gym, numpy as np
names = TRAIN_SEEDS_NAMES
seed = int(sys.argv[1])
settings = names["TASKS"]["cartpole"]["settings"]
envs = names["RecordEpisodeStatistics"](gym.make_vec("CartPole-v1", settings.num_envs))
wall, cpu = time.perf_counter(), time.process_time()
agent, _ = names["train"](envs, settings, seed)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
steps = settings.num_envs * settings.num_steps * settings.updates
best = agent.best
"""
EVALUATE = """
envs = gym.make_vec("CartPole-v1", num_envs=100)
observation, _ = envs.reset(seed=1_000_000 + 1000 * seed)
returns, running = np.zeros(100), np.ones(100, bool)
while running.any():
    observation, reward, terminated, truncated, _ = envs.step(best(observation))
    returns += reward * running
    running &= ~(terminated | truncated)
print(json.dumps({"steps": steps, "cpu_seconds": cpu, "wall_seconds": wall, "mean_return": returns.mean()}))
"""


def install(folder: Path) -> Path:
    """Make the environment if it is not there; return its Python."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "stable-baselines3"], check=True)
    return python


def timed(command: list, code: str) -> dict:
    """Run `code` in a process of its own, on one core; return what it printed last."""
    environment = {**os.environ, **ONE_THREAD}
    done = subprocess.run([command[0], "-c", code, *command[1:]], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main(arguments: list[str]) -> int:
    """Run both in turn, print and write one line for each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds (default: 3)")
    parser.add_argument("--environment", type=Path, default=ROOT / "build" / "sb3", help="where it is installed")
    options = parser.parse_args(arguments)
    theirs = install(options.environment)
    version = "import stable_baselines3, torch; print(stable_baselines3.__version__, 'on PyTorch', torch.__version__)"
    version = subprocess.run([theirs, "-c", version], capture_output=True, text=True, check=True).stdout.strip()
    prepare = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tools import train_seeds; "
        "TRAIN_SEEDS_NAMES = train_seeds.load(train_seeds.source())"
    )
    rows = []
    for seed in range(options.seeds):
        ours = timed([sys.executable, str(seed)], prepare + OURS + EVALUATE)
        other = timed([theirs, str(seed)], THEIRS + EVALUATE)
        for who, result in [("this page", ours), ("stable-baselines3", other)]:
            row = {"seed": seed, "who": who, **{k: round(v, 2) for k, v in result.items()}}
            rows.append({field: row[field] for field in FIELDS})
            print(rows[-1], flush=True)
    output = ROOT / "helpers" / "data" / "sb3_comparison.csv"
    output.parent.mkdir(parents=True, exist_ok=True)
    with open(output, "w", newline="") as file:
        file.write(header(" ".join(["python -m tools.compare_sb3", *arguments]), source()))
        file.write(f"# stable-baselines3 {version}\n")
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
