"""Chapter 18: its gradients agree with finite differences, and its stored curves come from the code on the page.

The algorithm is not copied here: the cells tagged `algorithm` are run, as `tools/train_seeds.py` does.
"""

import gymnasium as gym
import numpy as np
import pandas as pd
import pytest

from tools import train_seeds
from tools.train_seeds import ROOT

CODE = train_seeds.source()
CLIP, BONUS = 0.2, 0.01


def load(old="", new=""):
    """Return the names that the chapter's algorithm defines, with one piece of its code replaced."""
    assert not old or CODE.count(old) == 1, f"{old!r} occurs {CODE.count(old)} times"
    return train_seeds.load(CODE.replace(old, new) if old else CODE)


def agent_and_batch(names, env_id):
    """Return a double-precision agent, and a batch with ratios on both sides of the clip but not at its corners."""
    rng = np.random.default_rng(3)
    envs = gym.make_vec(env_id, num_envs=1)
    agent = names["make_agent"](envs, rng, dtype=np.float64)
    envs.close()
    for network in (agent.policy, agent.critic):
        network.theta += 0.3 * rng.standard_normal(network.theta.shape)
    observations = rng.standard_normal((40, len(agent.policy.W1)))
    outputs = agent.policy.forward(observations)[1]
    actions = agent.actions.sample(outputs, rng)
    log_probs = agent.actions.log_prob(outputs, actions)
    shifts = rng.choice([-0.6, -0.1, 0.1, 0.6], size=40)
    batch = names["Batch"](observations, actions, log_probs - shifts, rng.standard_normal(40), rng.standard_normal(40))
    return agent, batch


def densities(env_id, outputs, actions):
    """Return log-probability and entropy, written down once more, from the textbook."""
    if env_id == "Pendulum-v1":
        mean, std = outputs[:, :1], np.exp(outputs[:, 1:])
        density = np.exp(-((actions - mean) ** 2) / (2 * std**2)) / (std * np.sqrt(2 * np.pi))
        return np.log(density).sum(axis=1), (0.5 * np.log(2 * np.pi * np.e) + np.log(std)).sum(axis=1)
    p = np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
    return np.log(p[np.arange(len(p)), actions]), -(p * np.log(p)).sum(axis=1)


def policy_loss(env_id, agent, batch):
    log_probs, entropy = densities(env_id, agent.policy.forward(batch.observations)[1], batch.actions)
    ratio = np.exp(log_probs - batch.log_probs)
    gain = np.minimum(ratio * batch.advantages, np.clip(ratio, 1 - CLIP, 1 + CLIP) * batch.advantages)
    return -(gain + BONUS * entropy).mean()


def critic_loss(agent, batch):
    hidden = np.tanh(batch.observations @ agent.critic.W1 + agent.critic.b1)
    values = (hidden @ agent.critic.W2 + agent.critic.b2)[:, 0]
    return ((values - batch.targets) ** 2).mean() / 2


def finite_differences(loss, theta, step=1e-6):
    slopes = np.zeros_like(theta)
    for k in range(len(theta)):
        before = theta[k]
        theta[k] = before + step
        above = loss()
        theta[k] = before - step
        slopes[k] = (above - loss()) / (2 * step)
        theta[k] = before
    return slopes


def check_gradients(names, env_id):
    agent, batch = agent_and_batch(names, env_id)
    ratio = np.exp(densities(env_id, agent.policy.forward(batch.observations)[1], batch.actions)[0] - batch.log_probs)
    for sign in (batch.advantages > 0, batch.advantages < 0):
        assert (ratio[sign] > 1 + CLIP).any() and (ratio[sign] < 1 - CLIP).any() and (abs(ratio[sign] - 1) < CLIP).any()
    written = names["policy_gradient"](agent, batch, CLIP, BONUS)
    measured = finite_differences(lambda: policy_loss(env_id, agent, batch), agent.policy.theta)
    np.testing.assert_allclose(written, measured, atol=1e-7)
    written = names["critic_gradient"](agent, batch)
    measured = finite_differences(lambda: critic_loss(agent, batch), agent.critic.theta)
    np.testing.assert_allclose(written, measured, atol=1e-7)


@pytest.mark.parametrize("env_id", ["CartPole-v1", "Acrobot-v1", "Pendulum-v1"])
def test_gradients_agree_with_finite_differences(env_id):
    check_gradients(load(), env_id)


@pytest.mark.parametrize(
    ("env_id", "old", "new"),
    [
        ("CartPole-v1", "(1 - hidden**2)", "(1 - hidden)"),
        ("CartPole-v1", "return one_hot - p,", "return p - one_hot,"),
        ("CartPole-v1", "-p * (log_p + entropy)", "-p * log_p"),
        ("CartPole-v1", "ratio > 1 - clip", "ratio < 1 + clip"),
        ("CartPole-v1", "pushed * ratio * batch", "pushed * batch"),
        ("CartPole-v1", "entropy_bonus * d_entropy", "-entropy_bonus * d_entropy"),
        ("CartPole-v1", "values - batch.targets[:, None]", "values - batch.targets"),
        ("Pendulum-v1", "z**2 - 1]", "z**2]"),
        ("Pendulum-v1", "[z / np.exp(log_std),", "[z,"),
    ],
)
def test_the_check_notices_a_wrong_gradient(env_id, old, new):
    with pytest.raises((AssertionError, ValueError)):
        check_gradients(load(old, new), env_id)


def test_samples_follow_the_probabilities():
    names, rng = load(), np.random.default_rng(0)
    logits = np.tile([2.0, 0.0, -1.0], (60_000, 1))
    frequencies = np.bincount(names["categorical_sample"](logits, rng), minlength=3) / len(logits)
    np.testing.assert_allclose(frequencies, np.exp(names["log_softmax"](logits[0])), atol=0.01)
    drawn = names["gaussian_sample"](np.tile([1.0, np.log(0.5)], (60_000, 1)), rng)
    assert abs(drawn.mean() - 1) < 0.01 and abs(drawn.std() - 0.5) < 0.01


def test_first_ratios_are_one_and_fillers_are_never_drawn():
    names, rng = load(), np.random.default_rng(0)
    settings = names["Settings"](num_steps=64)
    envs = gym.make_vec("CartPole-v1", num_envs=8, max_episode_steps=20)
    agent = names["make_agent"](envs, rng)
    start = envs.reset(seed=0)[0], np.zeros(8, bool)
    rollout, _ = names["collect"](envs, lambda o: agent.act(o, rng), 64, start)
    batch = names["make_batch"](agent, rollout, settings)
    outputs = agent.policy.forward(batch.observations)[1]
    ratio = np.exp(agent.actions.log_prob(outputs, batch.actions) - batch.log_probs)
    np.testing.assert_allclose(ratio, 1, atol=1e-5)
    drawn = []
    names["minibatch"].__globals__["minibatch"] = lambda batch, rows: (
        drawn.extend(rows) or names["Batch"](*(array[rows] for array in vars(batch).values()))
    )
    adams = names["Adam"](agent.policy), names["Adam"](agent.critic)
    names["update"](agent, adams, rollout, settings, 1e-3, rng)
    assert (~rollout.valid).sum() > 10
    assert sorted(drawn) == sorted(np.tile(np.flatnonzero(rollout.valid), settings.epochs))


def test_same_seed_same_agent():
    names = load()
    settings = names["Settings"](updates=3, num_envs=4)
    thetas = []
    for seed in (0, 0, 1):
        envs = names["RecordEpisodeStatistics"](gym.make_vec("CartPole-v1", num_envs=4))
        thetas.append(names["train"](envs, settings, seed)[0].policy.theta)
    assert np.array_equal(thetas[0], thetas[1]) and not np.array_equal(thetas[0], thetas[2])


def read(name):
    path = ROOT / "helpers" / "data" / f"{name}.csv"
    comments = [line[2:].strip() for line in path.read_text().splitlines() if line.startswith("# ")]
    return pd.read_csv(path, comment="#"), comments


@pytest.mark.parametrize("name", ["training_curves", "training_results", "sb3_comparison"])
def test_stored_data_come_from_this_code(name):
    """If this fails, the algorithm changed: run tools/train_seeds.py (and tools/compare_sb3.py) again."""
    _, comments = read(name)
    assert comments[0].startswith("python ")
    assert f"algorithm {train_seeds.digest(CODE)}" in comments


def test_stored_results_hold_what_the_page_claims():
    results, _ = read("training_results")
    curves, _ = read("training_curves")
    tasks = load()["TASKS"]
    assert list(results.task.unique()) == list(tasks)
    for task in tasks:
        assert sorted(results[results.task == task].seed) == list(range(10))
        assert set(curves[curves.task == task].seed) == set(range(10))
    assert (results[results.task == "cartpole"].mean_return >= 495).all()
    duel, _ = read("sb3_comparison")
    seconds = duel.groupby("who").cpu_seconds
    assert seconds.min()["stable-baselines3"] > 10 * seconds.max()["this page"]
    assert (duel.mean_return >= 495).all()


def test_the_digest_ignores_what_does_not_matter():
    same = "import os\n" + CODE.replace("\n\n\n", "\n\n") + "\n# a comment\n"
    assert train_seeds.digest(same) == train_seeds.digest(CODE)
    assert train_seeds.digest(CODE.replace("gamma: float = 0.99", "gamma: float = 0.98")) != train_seeds.digest(CODE)


def test_an_unknown_tag_is_said():
    with pytest.raises(ValueError, match="tagged 'nothing'"):
        train_seeds.source(tag="nothing")
