# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Training: PPO on one page, in NumPy alone
#
# After this chapter you can read, check and change every line of an agent that learns from a vector environment.
#
# **You need:** [rollouts](17_rollouts.ipynb), above all the mask, the bootstrap and GAE; the chain rule.
# **Time:** about 32 minutes, and less than a minute of computing.

# %% tags=["algorithm"]
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import gymnasium as gym
import numpy as np
import pandas as pd
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from IPython.display import Markdown, display

import helpers
from helpers.exercises import check
from helpers.figures import INK, LINESTYLES, PALETTE, figure, show
from helpers.pages import say, table
from helpers.rollouts import collect, gae, value_steps

# %% [markdown]
# ## What no training is worth
#
# Push a cart left or right so that the pole on it stays up. Each step pays 1, and the episode is cut at 500 steps,
# so 500 is the most an episode can pay. Here is what a policy that pushes at random gets, in a hundred episodes,
# one for each row.

# %%
envs = gym.make_vec("CartPole-v1", num_envs=100)
envs.reset(seed=0)
envs.action_space.seed(0)
random_returns, running = np.zeros(100), np.ones(100, bool)
while running.any():
    _, reward, terminated, truncated, _ = envs.step(envs.action_space.sample())
    random_returns += reward * running
    running &= ~(terminated | truncated)
say(
    f"Mean of 100 episodes with random actions: **{random_returns.mean():.1f}** of 500."
)
assert 15 < random_returns.mean() < 30

# %% [markdown]
# By the end of this page the same question has the answer 500, after about a second of training on one core, with
# NumPy alone. The only imports that know about learning are `collect`, `value_steps` and `gae`, which the chapter on
# [rollouts](17_rollouts.ipynb) wrote out line by line: they gather `(T, N)` arrays, find what each step led to, and
# turn rewards and values into [advantages](../../book/glossary.md#advantage).
#
# The algorithm is [proximal policy optimisation](https://arxiv.org/abs/1707.06347), PPO. It repeats three things:
# play some steps with the present [policy](../../book/glossary.md#policy); compute for each action how much better
# it was than the policy's average; make the better actions somewhat more likely and the worse ones somewhat less,
# but not by much at once. One such round is an *update*.
#
# ## Two networks
#
# The policy needs a function from observations to actions. The advantages need one from observations to
# [values](../../book/glossary.md#value), the [critic](../../book/glossary.md#critic). Both are small networks: two
# matrix products with a `tanh` between them. The 64 numbers in the middle are called the hidden layer.
#
# - `hidden = tanh(x @ W1 + b1)`
# - `outputs = hidden @ W2 + b2`
#
# All numbers of a network, its weights, lie in one vector, `theta`; `W1`, `b1`, `W2` and `b2` are views into it. So
# whatever has to go through all weights further down is one line.


# %% tags=["algorithm"]
class Network:
    def __init__(self, inputs, outputs, scale, rng, hidden=64, dtype=np.float32):
        shapes = [(inputs, hidden), (hidden,), (hidden, outputs), (outputs,)]
        ends = np.cumsum([np.prod(shape) for shape in shapes])
        self.theta = np.zeros(ends[-1], dtype)
        parts = np.split(self.theta, ends[:-1])
        self.W1, self.b1, self.W2, self.b2 = map(np.reshape, parts, shapes)
        self.W1[:] = 2**0.5 * orthogonal(inputs, hidden, rng)
        self.W2[:] = scale * orthogonal(hidden, outputs, rng)

    def forward(self, x):
        hidden = np.tanh(x @ self.W1 + self.b1)
        return hidden, hidden @ self.W2 + self.b2


# %% [markdown]
# The first weights matter. Orthogonal matrices keep the lengths of what passes through. The policy's last layer
# starts a hundred times smaller (`scale=0.01`), so that all actions start out nearly equally likely.


# %% tags=["algorithm"]
def orthogonal(rows, columns, rng):
    tall = rng.standard_normal((max(rows, columns), min(rows, columns)))
    q, _ = np.linalg.qr(tall)
    return q if rows >= columns else q.T


# %%
rng = np.random.default_rng(0)
network = Network(inputs=4, outputs=2, scale=0.01, rng=rng)
hidden, outputs = network.forward(np.ones((5, 4), np.float32))
print("theta", network.theta.shape, "hidden", hidden.shape, "outputs", outputs.shape)
assert np.shares_memory(network.W1, network.theta)
assert np.allclose(network.W1 @ network.W1.T, 2 * np.eye(4), atol=1e-5)

# %% [markdown]
# ### Its gradient
#
# Training makes one number smaller, the *loss*, which says how far the network is from what we want. Suppose somebody
# tells us `d_outputs`: for every row of the batch and every output, by how much the loss would rise if that output
# rose. The chain rule carries it back to the weights; the slopes by all of them together are the *gradient*.
#
# - `b2` was added to every row: sum `d_outputs` over the rows.
# - `W2` multiplied `hidden`: the product of the two, summed over the rows, which is a matrix product.
# - `hidden` reached the loss through `W2`, and the slope of `tanh` is `1 - tanh²`: that gives `d_hidden`.
# - `b1` and `W1` are to `d_hidden` what `b2` and `W2` are to `d_outputs`.


# %% tags=["algorithm"]
def backward(network, x, hidden, d_outputs):
    d_hidden = (d_outputs @ network.W2.T) * (1 - hidden**2)
    d_W1, d_b1 = x.T @ d_hidden, d_hidden.sum(axis=0)
    d_W2, d_b2 = hidden.T @ d_outputs, d_outputs.sum(axis=0)
    return np.concatenate([d_W1.ravel(), d_b1, d_W2.ravel(), d_b2])


# %% [markdown]
# The result has the layout of `theta`. What is left is to find `d_outputs` for the policy and for the critic.
#
# ## From outputs to actions
#
# CartPole has two actions, so the policy has two outputs, called logits. A softmax makes probabilities of them:
# `exp` of each logit, divided by their sum. We need its logarithm, and take away the largest logit first so that
# `exp` cannot overflow.
#
# Drawing an action has a trick worth knowing: add independent Gumbel noise to the logits and take the largest. That
# is an exact draw from the softmax, for the whole batch in one line.


# %% tags=["algorithm"]
def log_softmax(logits):
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def categorical_sample(logits, rng):
    return (logits + rng.gumbel(size=logits.shape)).argmax(axis=-1)


def categorical_log_prob(logits, actions):
    log_p = log_softmax(logits)
    return np.take_along_axis(log_p, actions[..., None], axis=-1)[..., 0]


# %%
logits = np.tile([1.0, 0.0, -1.0], (100_000, 1))
drawn = np.bincount(categorical_sample(logits, rng)) / 100_000
print("probabilities", np.exp(log_softmax(logits[0])).round(3))
print("frequencies  ", drawn.round(3))
assert np.allclose(drawn, np.exp(log_softmax(logits[0])), atol=0.01)

# %% [markdown]
# Two slopes follow from the softmax, and PPO needs both.
#
# - The log-probability of the chosen action rises with its own logit and falls with all logits in proportion to
#   their probabilities: `one_hot - p`.
# - The entropy, `-sum(p log p)`, says how undecided the policy is. Its slope is `-p * (log p + entropy)`. A small
#   reward for entropy keeps the policy from settling too early.


# %% tags=["algorithm"]
def categorical_slopes(logits, actions):
    log_p = log_softmax(logits)
    p = np.exp(log_p)
    one_hot = np.eye(logits.shape[-1], dtype=p.dtype)[actions]
    entropy = -(p * log_p).sum(axis=-1, keepdims=True)
    return one_hot - p, -p * (log_p + entropy)


# %% [markdown]
# We put the functions of one kind of action into one object. Later on this page a second kind, for continuous
# actions, takes its place, and nothing else changes.


# %% tags=["algorithm"]
@dataclass
class Actions:
    outputs: Callable  # from an action space to the number of outputs
    sample: Callable
    best: Callable
    log_prob: Callable
    slopes: Callable  # of the log-probability and of the entropy, by the outputs


# %% tags=["algorithm"]
KINDS = {
    gym.spaces.Discrete: Actions(
        lambda space: int(space.n),
        categorical_sample,
        lambda logits: logits.argmax(axis=-1),
        categorical_log_prob,
        categorical_slopes,
    )
}


# %% [markdown]
# An agent is a policy, a critic and the kind of its actions. Note `single_observation_space`: networks are built
# for one row and applied to any number of them.


# %% tags=["algorithm"]
@dataclass
class Agent:
    actions: Actions
    policy: Network
    critic: Network

    def act(self, observations, rng):
        return self.actions.sample(self.policy.forward(observations)[1], rng)

    def best(self, observations):
        return self.actions.best(self.policy.forward(observations)[1])

    def value(self, observations):
        return self.critic.forward(observations)[1][..., 0]


# %% tags=["algorithm"]
def make_agent(envs, rng, dtype=np.float32):
    inputs = envs.single_observation_space.shape[0]
    kind = KINDS[type(envs.single_action_space)]
    outputs = kind.outputs(envs.single_action_space)
    policy = Network(inputs, outputs, scale=0.01, rng=rng, dtype=dtype)
    critic = Network(inputs, 1, scale=1.0, rng=rng, dtype=dtype)
    return Agent(kind, policy, critic)


# %% [markdown]
# ## What PPO pushes
#
# A rollout was played by the policy as it was. While we improve the policy on it, the two drift apart, and
# `ratio = p_new(action) / p_old(action)` says by how much, action by action. It is 1 at first.
#
# The gain to be had from an action is `ratio * advantage`. Left alone, that would push the ratio without end on the
# word of a single rollout. PPO stops the push where the ratio has moved far enough *in the direction the advantage
# asks for*: above `1 + clip` if the advantage is positive, below `1 - clip` if it is negative. A ratio that has
# gone wrong the other way is still pulled back.


# %% tags=["algorithm"]
def clipped_objective(ratio, advantage, clip):
    clipped = np.clip(ratio, 1 - clip, 1 + clip)
    return np.minimum(ratio * advantage, clipped * advantage)


def still_pushed(ratio, advantage, clip):
    return np.where(advantage > 0, ratio < 1 + clip, ratio > 1 - clip)


# %% tags=["hide-input"]
ratio = np.linspace(0.5, 1.5, 201)
fig, axes = figure(3.1, ncols=2, sharex=True)
for ax, advantage in zip(axes, [1.0, -1.0], strict=True):
    objective = clipped_objective(ratio, advantage, 0.2)
    slope = still_pushed(ratio, advantage, 0.2) * advantage
    ax.plot(ratio, objective, marker="", label="objective")
    ax.plot(ratio, slope, marker="", label="its slope")
    ax.set(xlabel="ratio", title=f"advantage {advantage:+.0f}")
    ax.axvline(1, color=PALETTE[5], linewidth=0.8)
axes[0].set_ylabel("objective or slope")
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
alt = (
    "The clipped objective against the ratio. For a positive advantage it rises until "
    "1.2 and is flat after it; for a negative one it is flat below 0.8 and falls after."
)
show(fig, alt)

# %% tags=["remove-cell"]
for advantage in (1.0, -1.0):
    objective = clipped_objective(ratio, advantage, 0.2)
    expected = still_pushed(ratio, advantage, 0.2) * advantage
    middle = np.abs(np.abs(ratio - 1) - 0.2) > 0.01
    assert np.allclose(np.gradient(objective, ratio)[middle], expected[middle])

# %% [markdown]
# The slope is the advantage where the push goes on and 0 where it has stopped. And since the slope of `ratio` by
# the log-probability is `ratio` itself, the whole gradient of the policy is the product of three things we have:
# where it is still pushed, `ratio * advantage`, and the slope of the log-probability. The sign is turned since an
# optimiser, below, goes down.


# %% tags=["algorithm"]
def policy_gradient(agent, batch, clip, entropy_bonus):
    hidden, outputs = agent.policy.forward(batch.observations)
    log_probs = agent.actions.log_prob(outputs, batch.actions)
    ratio = np.exp(log_probs - batch.log_probs)
    pushed = still_pushed(ratio, batch.advantages, clip)
    d_log_prob, d_entropy = agent.actions.slopes(outputs, batch.actions)
    push = (pushed * ratio * batch.advantages)[:, None]
    d_outputs = -(push * d_log_prob + entropy_bonus * d_entropy) / len(ratio)
    return backward(agent.policy, batch.observations, hidden, d_outputs)


# %% [markdown]
# The critic is simpler. Its target is `advantage + value`, what the rollout says the value should have been. The
# loss is half the squared error, and its slope is the error.


# %% tags=["algorithm"]
def critic_gradient(agent, batch):
    hidden, values = agent.critic.forward(batch.observations)
    errors = values - batch.targets[:, None]
    return backward(agent.critic, batch.observations, hidden, errors / len(errors))


@dataclass
class Batch:
    observations: np.ndarray
    actions: np.ndarray
    log_probs: np.ndarray  # of the actions, when they were taken
    advantages: np.ndarray
    targets: np.ndarray  # for the critic


# %% [markdown]
# ### Never trust a gradient you have not checked
#
# A wrong sign in a gradient often still learns, only worse. The check is cheap: move one number of `theta` a little
# both ways, compute the loss twice, and compare the difference with the gradient. We write the losses down as
# losses, not using any of the slopes above, and make a batch whose ratios lie on both sides of the clip.

# %%
agent = make_agent(envs, rng, dtype=np.float64)
agent.policy.W2[:] = rng.standard_normal(agent.policy.W2.shape)
old = 0.5 * rng.standard_normal(64)
x, actions = rng.standard_normal((64, 4)), rng.integers(2, size=64)
old += categorical_log_prob(agent.policy.forward(x)[1], actions)
batch = Batch(x, actions, old, rng.standard_normal(64), rng.standard_normal(64))


def policy_loss():
    log_p = log_softmax(agent.policy.forward(x)[1])
    ratio = np.exp(log_p[np.arange(64), actions] - batch.log_probs)
    entropy = -(np.exp(log_p) * log_p).sum(axis=-1)
    objective = clipped_objective(ratio, batch.advantages, 0.2)
    return -(objective + 0.01 * entropy).mean()


# %%
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


# %%
written = policy_gradient(agent, batch, clip=0.2, entropy_bonus=0.01)
measured = finite_differences(policy_loss, agent.policy.theta)
print("largest slope", np.abs(written).max().round(3))
print("all agree:   ", np.allclose(written, measured, atol=1e-7))
assert np.allclose(written, measured, atol=1e-7)

# %% tags=["remove-cell"]
ratios = np.exp(categorical_log_prob(agent.policy.forward(x)[1], actions) - old)
assert 5 < still_pushed(ratios, batch.advantages, 0.2).sum() < 59
written = critic_gradient(agent, batch)
measured = finite_differences(
    lambda: ((agent.value(x) - batch.targets) ** 2).mean() / 2, agent.critic.theta
)
assert np.allclose(written, measured, atol=1e-7)

# %% [markdown]
# Every one of the network's numbers agrees, in double precision. The repository's tests do the same for the critic
# and for the continuous actions below.
#
# ## Downhill
#
# An optimiser moves the weights against the gradient. Ours is Adam. It keeps two running means for each weight, of
# its gradient and of the gradient's square, and steps by one divided by the root of the other, times the *learning
# rate*: every weight moves at about that pace, however large its gradients are. Before that, a gradient longer than
# 0.5 is shortened to 0.5, so that one odd batch cannot throw the network far.


# %% tags=["algorithm"]
class Adam:
    def __init__(self, network):
        self.theta = network.theta
        self.mean = np.zeros_like(self.theta)
        self.square = np.zeros_like(self.theta)
        self.steps = 0

    def step(self, gradient, learning_rate):
        gradient = gradient * min(1.0, 0.5 / (np.linalg.norm(gradient) + 1e-8))
        self.steps += 1
        self.mean += 0.1 * (gradient - self.mean)
        self.square += 0.001 * (gradient**2 - self.square)
        mean = self.mean / (1 - 0.9**self.steps)
        square = self.square / (1 - 0.999**self.steps)
        self.theta -= learning_rate * mean / (np.sqrt(square) + 1e-5)


# %% [markdown]
# ## From a rollout to a batch
#
# The settings of the whole algorithm, in one place. `T = 32` steps of `N = 32` rows make 1,024 rows for each
# update. It goes over them in 4 *epochs*; each epoch splits them at random into 4 *minibatches*, and each minibatch
# makes one step of the optimiser.


# %% tags=["algorithm"]
@dataclass
class Settings:
    num_envs: int = 32
    num_steps: int = 32
    updates: int = 150
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 2.5e-3
    entropy_bonus: float = 0.005
    reward_scale: float = 1.0
    advantages: Callable = gae


# %% [markdown]
# Now the rollout is read once. `value_steps` asks the critic about all `T + 1` observations in one call, and about
# the final ones where the mode keeps them apart. `gae` bootstraps with `~terminated` and cuts at `done`. The
# log-probabilities are those of the policy that played, since it has not been changed yet.
#
# The last line flattens time and rows into one axis. The arrays are laid out so that this copies nothing.


# %% tags=["algorithm"]
def make_batch(agent, rollout, settings):
    values, next_values = value_steps(rollout, agent.value)
    rewards = settings.reward_scale * rollout.rewards
    ends = rollout.terminated, rollout.done
    advantages = settings.advantages(
        rewards, values, next_values, *ends, gamma=settings.gamma, lam=settings.lam
    ).astype(values.dtype)
    seen = rollout.observations[:-1]
    outputs = agent.policy.forward(seen)[1]
    log_probs = agent.actions.log_prob(outputs, rollout.actions)
    arrays = seen, rollout.actions, log_probs, advantages, advantages + values
    return Batch(*(array.reshape(-1, *array.shape[2:]) for array in arrays))


# %% [markdown]
# In the update the mask of the last chapter does its work: `rows` holds the places of the valid rows, and only those
# are ever drawn. The [filler rows](../../book/glossary.md#filler-row) of CartPole's `NEXT_STEP` mode are in the
# arrays, and in no minibatch.
#
# Advantages are centred and scaled within each minibatch, after the mask, so that the step does not depend on the
# size of the rewards.


# %% tags=["algorithm"]
def minibatch(batch, rows):
    part = Batch(*(array[rows] for array in vars(batch).values()))
    centred = part.advantages - part.advantages.mean()
    part.advantages = centred / (part.advantages.std() + 1e-8)
    return part


def update(agent, optimisers, rollout, settings, learning_rate, rng):
    batch = make_batch(agent, rollout, settings)
    rows = np.flatnonzero(rollout.valid)
    for _ in range(settings.epochs):
        for drawn in np.array_split(rng.permutation(rows), settings.minibatches):
            part = minibatch(batch, drawn)
            up = policy_gradient(agent, part, settings.clip, settings.entropy_bonus)
            optimisers[0].step(up, learning_rate)
            optimisers[1].step(critic_gradient(agent, part), learning_rate)


# %% [markdown]
# ## The loop
#
# What is left is the loop. It carries `start` from one rollout to the next, lowers the learning rate to zero, and
# notes the returns of the episodes that finished. Those come from `RecordEpisodeStatistics`, which puts an entry
# `episode` into the info of the step that ends one; its mask `_episode` says in which rows.


# %% tags=["algorithm"]
def finished_returns(rollout):
    infos = [info for info in rollout.infos if "episode" in info]
    return [r for info in infos for r in info["episode"]["r"][info["_episode"]]]


# %% tags=["algorithm"]
def train(envs, settings, seed, progress=lambda done, of, returns: None):
    rng = np.random.default_rng(seed)
    agent = make_agent(envs, rng)
    optimisers = Adam(agent.policy), Adam(agent.critic)
    start = envs.reset(seed=1000 * seed)[0], np.zeros(envs.num_envs, bool)
    curve = []
    for n in range(settings.updates):
        policy = partial(agent.act, rng=rng)
        rollout, start = collect(envs, policy, settings.num_steps, start)
        learning_rate = settings.learning_rate * (1 - n / settings.updates)
        update(agent, optimisers, rollout, settings, learning_rate, rng)
        curve.append(finished_returns(rollout))
        progress(n + 1, settings.updates, curve[-1])
    return agent, curve


# %% [markdown]
# (Run 0 gives the same number, 0, to the agent and to the environment;
# [reset](../primitives/04_reset.ipynb#what-reset-does-not-seed) advises against that. Here one makes weights and
# noise of it, the other starts, and among the ten curves below that of run 0 is neither the best nor the worst. In a
# program of yours take the [protocol](../primitives/04_reset.ipynb#a-seeding-protocol) all the same.)
#
# How good is the agent? We ask it for its likeliest action, without drawing, which is called *greedy*, and take one
# whole episode from each row. Rows that have finished go on stepping but no longer count. Why not simply the first
# hundred episodes to finish is told in [evaluation](20_evaluation.ipynb).


# %% tags=["algorithm"]
def evaluate(envs, agent, seed):
    observation, _ = envs.reset(seed=seed)
    start_value = agent.value(observation).mean()
    returns, running = np.zeros(envs.num_envs), np.ones(envs.num_envs, bool)
    while running.any():
        action = agent.best(observation)
        observation, reward, terminated, truncated, _ = envs.step(action)
        returns += reward * running
        running &= ~(terminated | truncated)
    return returns, start_value


# %% [markdown]
# ## Ten seeds
#
# A task is an environment and settings. CartPole gets the settings as they stand. One function trains and evaluates
# a task from one seed; the book's tool `tools/train_seeds.py` runs the very cells above and this one for ten seeds
# of every task on this page, and keeps what came out in `helpers/data`.


# %% tags=["algorithm"]
def run(name, seed, progress=lambda *_: None):
    task = TASKS[name]
    settings = task["settings"]
    envs = gym.make_vec(task["id"], settings.num_envs, **task.get("training", {}))
    envs = RecordEpisodeStatistics(envs)
    agent, curve = train(envs, settings, seed, progress)
    envs.close()
    envs = gym.make_vec(task["id"], num_envs=100)
    returns, start_value = evaluate(envs, agent, seed=1_000_000 + 1000 * seed)
    envs.close()
    return agent, curve, returns, start_value / settings.reward_scale


TASKS = {"cartpole": {"id": "CartPole-v1", "settings": Settings()}}

# %% [markdown]
# `SEEDS` says which seeds are trained here and now. Here it is two, to keep the building of this book short. Add
# some if you like; each costs about a second.

# %%
SEEDS = (0, 1)


# %% tags=["hide-input"]
class Line(Markdown):
    def __repr__(self):
        return self.data


def watch(name, seed):
    recent, line = [], display(Line(f"{name}, seed {seed}"), display_id=True)

    def progress(done, of, returns):
        recent.extend(returns)
        if line and done % 10 == 0:
            last = f"last 100 episodes {np.mean(recent[-100:] or np.nan):.0f}"
            line.update(Line(f"{name}, seed {seed}: update {done} of {of}, {last}"))

    return progress


# %%
trained = {seed: run("cartpole", seed, watch("cartpole", seed)) for seed in SEEDS}
for seed, (_, _, returns, _) in trained.items():
    say(f"Seed {seed}: mean of 100 greedy episodes **{returns.mean():.1f}** of 500.")
    assert returns.mean() >= 495

# %% [markdown]
# Two seeds prove little: an algorithm can be lucky twice. Here are the stored results of all ten; the file says on
# which machine and by which command they were made. In the figure, the thin lines are those ten, the thick ones
# yours.

# %%
DATA = Path(helpers.__file__).parent / "data"
stored_curves = pd.read_csv(DATA / "training_curves.csv", comment="#")
stored = pd.read_csv(DATA / "training_results.csv", comment="#")


# %% tags=["hide-input"]
def summary(*names):
    rows = stored[stored.task.isin(names)].groupby("task", sort=False)
    return rows.agg(
        seeds=("seed", "count"),
        steps=("steps", lambda steps: f"{steps.iloc[0]:,}"),
        mean=("mean_return", "mean"),
        worst=("mean_return", "min"),
        seconds=("cpu_seconds", "median"),
    ).round(1)


table(
    summary("cartpole").reset_index(),
    "A hundred greedy episodes after training: mean over the seeds, the worst seed's "
    "mean, and the processor seconds that training took",
)


# %% tags=["remove-cell"]
cartpole = stored[stored.task == "cartpole"]
assert sorted(cartpole.seed) == list(range(10))
assert (cartpole.mean_return >= 495).all()
of_cartpole = stored_curves[stored_curves.task == "cartpole"]
whole = of_cartpole.groupby("seed").mean_return.mean()
assert whole.drop(0).min() < whole[0] < whole.drop(0).max()  # run 0 is no outlier


# %% tags=["algorithm"]
def learning_curve(curve, settings, every=5):
    per_update = settings.num_envs * settings.num_steps
    steps, means = [], []
    for first in range(0, len(curve), every):
        group = curve[first : first + every]
        returns = [value for update in group for value in update]
        if returns:
            steps.append((first + len(group)) * per_update)
            means.append(np.mean(returns))
    return steps, means


# %% tags=["hide-input"]
def draw(name, own, goal, title):
    fig, ax = figure(3)
    for _, one in stored_curves[stored_curves.task == name].groupby("seed"):
        ax.plot(one.steps, one.mean_return, "-", marker="", color=PALETTE[5], lw=0.8)
    for k, (seed, (_, curve, *_)) in enumerate(own.items()):
        steps, means = learning_curve(curve, TASKS[name]["settings"])
        style = {"color": PALETTE[k % 5], "linestyle": LINESTYLES[k % 5]}
        ax.plot(steps, means, marker="", label=f"seed {seed}, now", **style)
    ax.plot([], [], "-", color=PALETTE[5], lw=0.8, label="ten seeds, stored")
    ax.axhline(goal, color=INK, lw=1.2, ls=":", marker="", label=f"goal: {goal}")
    ax.set(xlabel="environment steps", ylabel="return", title=title)
    ax.set_xlim(0, one.steps.max())
    ax.locator_params(axis="x", nbins=4)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.legend(loc="lower right")
    return fig


# %% tags=["hide-input"]
alt = (
    "Learning curves on CartPole: the mean return of finished episodes rises from "
    "about 20 to 500 within 153,600 steps for each of ten seeds."
)
show(draw("cartpole", trained, 500, "CartPole: return while it learns"), alt)

# %% [markdown]
# All ten agents balance the pole for the whole 500 steps, in each of the hundred episodes.
#
# Is a second fast? stable-baselines3 is the library most people would reach for, and its authors publish settings
# tuned for this very task. `tools/compare_sb3.py` installs it in an environment of its own and runs the two in
# turn, each on one core, with the same evaluation.

# %% tags=["hide-input"]
duel = pd.read_csv(DATA / "sb3_comparison.csv", comment="#")
medians = duel.groupby("who")[["cpu_seconds", "steps", "mean_return"]].median()
mine, theirs = medians.loc["this page"], medians.loc["stable-baselines3"]
say(
    f"Processor time of training, median of {duel.seed.nunique()} seeds: this page "
    f"{mine.cpu_seconds:.2f} s for {mine.steps:,.0f} steps, stable-baselines3 "
    f"{theirs.cpu_seconds:.2f} s for {theirs.steps:,.0f} steps, a ratio of "
    f"**{theirs.cpu_seconds / mine.cpu_seconds:.0f}**. Mean returns: "
    f"{mine.mean_return:.1f} and {theirs.mean_return:.1f}."
)
assert theirs.cpu_seconds > 10 * mine.cpu_seconds

# %% [markdown]
# That is no verdict on the library, which learns from fewer steps here and does a great deal more. It shows where
# the time of a small problem goes. A call into a deep learning framework has its price before it computes anything,
# and its environments are stepped one by one in Python. Here, a
# [native](../../book/glossary.md#native-vector-environment) environment moves 32 rows at once, and the critic is
# asked once a rollout, not once a step. With large networks the arithmetic counts, and for that those frameworks
# are made.
#
# ## A second task: when early episodes are cut
#
# The settings may have been chosen for one task. So here are the same on another: Acrobot is a double pendulum that
# must swing its tip above a line. It shows six numbers, has three actions, and pays -1 a step until it succeeds, at
# most 500 times. It has no native class, so `make_vec` returns a `SyncVectorEnv`. We only stop after 100 updates.


# %% tags=["algorithm"]
TASKS["acrobot"] = {"id": "Acrobot-v1", "settings": Settings(updates=100)}

# %%
agent, curve, returns, _ = run("acrobot", SEEDS[0], watch("acrobot", SEEDS[0]))
mean, lowest = returns.mean(), returns.min()
say(f"Mean of 100 greedy episodes: **{mean:.0f}**, the lowest {lowest:.0f}.")
assert mean > -100

# %% tags=["hide-input"]
alt = (
    "Learning curves on Acrobot: ten seeds begin anywhere from -250 to -490 and "
    "reach about -85 within 102,400 steps."
)
own = {SEEDS[0]: (agent, curve)}
show(draw("acrobot", own, -100, "Acrobot: -1 a step until the tip is up"), alt)

# %% tags=["remove-cell"]
acrobot = stored[stored.task == "acrobot"]
assert sorted(acrobot.seed) == list(range(10))
assert (acrobot.mean_return > -100).all()
assert stored_curves[stored_curves.task == "acrobot"].mean_return.min() < -450
first = stored_curves[stored_curves.task == "acrobot"].groupby("seed").first()
assert first.mean_return.max() > -300 and first.steps.min() > 5_000

# %% [markdown]
# Look at where the curves begin. No point is drawn until an episode has finished, and the first to finish are the
# lucky short ones; the others are still under way, and are cut at -500 a little later. How many?

# %%
early = np.array([r for returns in curve[:20] for r in returns])
cut = (early == -500).sum()
say(f"{cut} of the {len(early)} episodes that ended in the first 20 updates were cut.")
assert cut > 0

# %% [markdown]
# Being cut says nothing about the state the arm was in. Had we told the critic that nothing follows, it would have
# learnt that hanging down for 500 steps comes to a good end.
#
# ### What the cut costs
#
# How much does that matter? A clean measurement needs a task whose true value is known. A pole that is kept up
# earns 1 at every step for ever, so with `gamma = 0.99` its value is `1 / (1 - 0.99) = 100`. Now train on CartPole
# cut at **200** steps, once with `gae` as it is, and once with a cut taken as an end: `done` in the place of
# `terminated`. Look at the value of the start, that is, of an observation that `reset` returns.


# %% tags=["algorithm"]
def cut_taken_as_end(rewards, values, next_values, terminated, done, **discounts):
    return gae(rewards, values, next_values, done, done, **discounts)


SHORT = {"id": "CartPole-v1", "training": {"max_episode_steps": 200}}
TASKS["cut at 200"] = SHORT | {"settings": Settings()}
TASKS["cut taken as end"] = SHORT | {"settings": Settings(advantages=cut_taken_as_end)}

# %%
for name in ["cut at 200", "cut taken as end"]:
    _, _, returns, start_value = run(name, SEEDS[0], watch(name, SEEDS[0]))
    say(f"{name}: value of the start {start_value:.0f}, return {returns.mean():.0f}")
    assert (start_value > 95) == (name == "cut at 200")

# %%
short = stored[stored.task.isin(["cut at 200", "cut taken as end"])]
rows = short.groupby("task").agg(
    lowest=("start_value", "min"),
    highest=("start_value", "max"),
    worst=("mean_return", "min"),
)

# %% tags=["hide-input"]
headings = {
    "lowest": "lowest value",
    "highest": "highest value",
    "worst": "worst return",
}
table(
    rows.round(1).rename(columns=headings).reset_index(),
    "Ten seeds trained on episodes of at most 200 steps and evaluated on 500: what the "
    "critic says of the start, and the worst seed's mean return",
)
assert rows.lowest["cut at 200"] > 95
assert rows.highest["cut taken as end"] < 85

# %% [markdown]
# With the right bootstrap every critic finds the number 100, though no episode it saw was longer than 200 steps, and
# every policy balances to step 500, where it has never been. With the wrong one every critic is wrong. And the
# returns?

# %%
wrong = short[short.task == "cut taken as end"]
below = 100 - wrong.start_value
lost = wrong.mean_return[wrong.mean_return < 500].sort_values()
say(
    f"With a cut taken as an end, critics are {below.min():.0f} to {below.max():.0f} "
    f"% too low. {len(wrong) - len(lost)} of {len(wrong)} seeds still return "
    f"500; the others return {', '.join(f'{r:.0f}' for r in lost)}."
)
assert (short[short.task == "cut at 200"].mean_return == 500).all()
assert 20 < below.min() < below.max() < 35
assert 5 <= len(wrong) - len(lost) < 10 and lost.max() < 499 and lost.min() < 475

# %% [markdown]
# Most policies get away with it: the error is nearly the same for both actions, so it hardly changes which one is
# better. Some do not, and lose a part of their return. That is why this bug lives so long in real code: on one seed
# it is likely to show in the critic alone, where nobody looks. [What goes wrong](19_what_goes_wrong.ipynb) repeats
# the measurement on a CartPole of its own, where it also costs some of ten seeds, and looks for tasks where it costs
# all of them.
#
# ## Continuous actions
#
# Pendulum wants a torque, a real number. The policy then has two outputs for each number of the action: the mean of
# a normal distribution and the logarithm of its standard deviation. With `z = (action - mean) / std`:
#
# - the log-probability is `-z²/2 - log std` and a constant;
# - its slope by the mean is `z / std`: towards the action if it was good;
# - its slope by `log std` is `z² - 1`: wider if a far action was good, narrower if a near one was;
# - the entropy is `log std` and a constant, so its slopes are 0 and 1.


# %% tags=["algorithm"]
def gaussian_sample(outputs, rng):
    mean, log_std = np.split(outputs, 2, axis=-1)
    drawn = mean + np.exp(log_std) * rng.standard_normal(mean.shape)
    return drawn.astype(np.float32)


def gaussian_log_prob(outputs, actions):
    mean, log_std = np.split(outputs, 2, axis=-1)
    z = (actions - mean) / np.exp(log_std)
    return -(z**2 / 2 + log_std + np.log(2 * np.pi) / 2).sum(axis=-1)


# %% tags=["algorithm"]
def gaussian_slopes(outputs, actions):
    mean, log_std = np.split(outputs, 2, axis=-1)
    z = (actions - mean) / np.exp(log_std)
    d_log_prob = np.concatenate([z / np.exp(log_std), z**2 - 1], axis=-1)
    d_entropy = np.concatenate([np.zeros_like(z), np.ones_like(z)], axis=-1)
    return d_log_prob, d_entropy


KINDS[gym.spaces.Box] = Actions(
    lambda space: 2 * space.shape[0],
    gaussian_sample,
    lambda outputs: np.split(outputs, 2, axis=-1)[0],
    gaussian_log_prob,
    gaussian_slopes,
)

# %% [markdown]
# That was all: the loop, the update and the networks stay as they are. The settings do not. An episode of Pendulum
# is 200 steps and always cut, never terminated. It pays between -16 and 0 a step, so the rewards are scaled down to
# keep the critic's targets near 1; the swing needs more exact steps, so there are more epochs on larger batches.


# %% tags=["algorithm"]
PENDULUM = Settings(
    num_steps=64,
    updates=100,
    gamma=0.95,
    epochs=10,
    minibatches=8,
    learning_rate=5e-3,
    entropy_bonus=0.0,
    reward_scale=0.03,
)
TASKS["pendulum"] = {"id": "Pendulum-v1", "settings": PENDULUM}

# %%
agent, curve, returns, _ = run("pendulum", SEEDS[0], watch("pendulum", SEEDS[0]))
mean, lowest = returns.mean(), returns.min()
say(f"Mean of 100 greedy episodes: **{mean:.0f}**, the lowest {lowest:.0f}.")
assert mean > -400

# %% tags=["hide-input"]
alt = (
    "Learning curves on Pendulum: ten seeds start below -1,100, rise to about -250 "
    "within 55,000 steps and little further after that."
)
own = {SEEDS[0]: (agent, curve)}
show(draw("pendulum", own, 0, "Pendulum: a perfect standstill would pay 0"), alt)

# %% [markdown]
# ## What it does not solve
#
# Here is the whole account, and two entries that were not trained on this page. `pendulum, longer` is the same with
# four times the updates. `mountain-car` is a car in a valley that is paid -1 a step until it reaches the flag, and
# is cut at 200.


# %% tags=["algorithm"]
TASKS["pendulum, longer"] = TASKS["pendulum"] | {
    "settings": Settings(**vars(PENDULUM) | {"updates": 400})
}
TASKS["mountain-car"] = {"id": "MountainCar-v0", "settings": Settings()}

# %%
table(
    summary(*TASKS).reset_index(),
    "Every task of this page, ten seeds each: mean return of 100 greedy episodes, the "
    "worst seed's, and the median of the processor seconds of training",
)

# %% tags=["remove-cell"]
assert list(stored.task.unique()) == list(TASKS)
assert (stored.groupby("task").seed.nunique() == 10).all()
means = stored.groupby("task").mean_return.mean()
lows = stored.groupby("task").mean_return.min()
assert -250 < lows["pendulum"] < means["pendulum"] < -160
assert 5 < means["pendulum, longer"] - means["pendulum"] < 20
assert lows["pendulum, longer"] < lows["pendulum"]
assert lows["mountain-car"] == means["mountain-car"] == -200

# %% tags=["remove-cell"]
steps = stored.groupby("task").steps.first()
assert steps["cartpole"] == steps["mountain-car"] == 153_600
assert steps["acrobot"] == 102_400
swing = stored_curves[stored_curves.task == "pendulum"]
early = swing[swing.steps.between(50_000, 56_000)].groupby("seed").mean_return.last()
assert len(early) == 10 and (early > -320).all()
swing = swing.groupby("seed").mean_return
assert (swing.first() < -1100).all() and (swing.last() > -300).all()
car = stored_curves[stored_curves.task == "mountain-car"]
assert (car.mean_return == -200).all()

# %% [markdown]
# Pendulum is learnt, not finished. Four times the steps gain a little on average, and the worst seed is no better.
# So much for "train longer".
#
# Mountain car is not learnt at all, by any seed. Every training episode returned -200, so every one was cut, so all
# actions looked the same, so there was nothing to make more likely. PPO improves on what it has seen, and a push at
# random never got the car to the flag in these 153,600 steps. That needs another way of exploring, or a reward that
# says more.
#
# ## What trips people up
#
# **"It runs, and nothing changes at all."** `theta = theta - step` makes a new vector; the weights are views into
# the old one. Write in place.

# %%
network = Network(4, 2, 0.01, rng)
before = network.W1.copy()
network.theta = network.theta - 1.0
print("W1 moved after theta = theta - 1: ", not np.array_equal(network.W1, before))
assert np.array_equal(network.W1, before)
network = Network(4, 2, 0.01, rng)
before = network.W1.copy()
network.theta -= 1.0
print("W1 moved after theta -= 1:        ", not np.array_equal(network.W1, before))
assert not np.array_equal(network.W1, before)

# %% [markdown]
# **"The critic predicts the same number for everything."** Its outputs have the shape `(B, 1)`, the targets `(B,)`.
# Subtract them and NumPy broadcasts to `(B, B)`: every value is compared with every target, and the best answer to
# that is the mean of the targets. No error is raised. In `critic_gradient`, `[:, None]` prevents it.

# %%
values, targets = np.zeros((4, 1)), np.arange(4.0)
print("wrong:", (values - targets).shape, " right:", (values - targets[:, None]).shape)
assert (values - targets).shape == (4, 4)

# %% [markdown]
# **"It learns a little, then falls apart, and the ratios look odd."** Before the first minibatch of an update no
# weight has changed, so every ratio must be exactly 1. It is the cheapest check there is. It fails when the stored
# actions are not the ones that were drawn, as in code that notes the log-probability, clips the action to its
# space, and stores the clipped one.

# %%
envs = gym.make_vec("Pendulum-v1", num_envs=256)
seen, _ = envs.reset(seed=0)
agent = make_agent(envs, rng)
outputs = agent.policy.forward(seen)[1]
drawn = gaussian_sample(outputs, rng)
noted = gaussian_log_prob(outputs, drawn)
for name, kept in {"drawn": drawn, "clipped": np.clip(drawn, -2, 2)}.items():
    ratio = np.exp(gaussian_log_prob(outputs, kept) - noted)
    print(
        f"{name:8s} {(ratio != 1).sum():2d} ratios are not 1, largest {ratio.max():.1f}"
    )
    assert (ratio != 1).any() == (name == "clipped")
envs.close()

# %% [markdown]
# `collect` stores what was drawn, and Pendulum clips the torque itself. For an environment that does not, put the
# [wrapper](../primitives/09_vector_wrappers.ipynb) `ClipAction` around it, where the clipped action stays out of
# the rollout.

# %% tags=["remove-cell"]
kept = 3 * np.ones((2, 1), np.float32)
clipping = gym.wrappers.vector.ClipAction(gym.make_vec("Pendulum-v1", num_envs=2))
clipping.reset(seed=0)
clipping.step(kept)
assert (kept == 3).all()
clipping.close()

# %% [markdown]
# ## Exercises
#
# ### Exercise 18.1: predict the steps
#
# How many steps does each of the two optimisers take while CartPole is trained with `Settings()`?
#
# <details><summary>Hint</summary>
#
# One step for each minibatch. Look for three numbers in `Settings`.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("18.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = 150 * 4 * 4
# ```
#
# 150 updates, 4 epochs in each, 4 minibatches in each epoch: 2,400 steps.
#
# </details>
#
# ### Exercise 18.2: how much was clipped
#
# A number that everybody watches is the clip fraction. Write a function that returns the share of rows that are *no
# longer pushed*, from arrays of ratios and advantages.
#
# <details><summary>Hint</summary>
#
# A row with a positive advantage and a ratio of 0.5 is outside of the interval, and yet it is still pushed. Look at
# the figure.
#
# </details>


# %% tags=["exercise"]
def clip_fraction(ratio, advantage, clip):
    raise NotImplementedError


# %%
check("18.2", clip_fraction)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def clip_fraction(ratio, advantage, clip):
#     too_high = (advantage > 0) & (ratio >= 1 + clip)
#     too_low = (advantage <= 0) & (ratio <= 1 - clip)
#     return (too_high | too_low).mean()
# ```
#
# Most libraries report `abs(ratio - 1) > clip` instead, which also counts the rows that are being pulled back.
#
# </details>
#
# ### Exercise 18.3: another hidden layer
#
# Many networks use `max(0, ...)`, called ReLU, in the place of `tanh`. Write `backward` for such a network.
# `hidden` holds what came out of the ReLU, and `network` has `W2`.
#
# <details><summary>Hint</summary>
#
# Only one factor of `backward` knows about `tanh`. The slope of ReLU is 1 where it let something through and 0
# elsewhere.
#
# </details>


# %% tags=["exercise"]
def backward_relu(network, x, hidden, d_outputs):
    raise NotImplementedError


# %%
check("18.3", backward_relu)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def backward_relu(network, x, hidden, d_outputs):
#     d_hidden = (d_outputs @ network.W2.T) * (hidden > 0)
#     d_W1, d_b1 = x.T @ d_hidden, d_hidden.sum(axis=0)
#     d_W2, d_b2 = hidden.T @ d_outputs, d_outputs.sum(axis=0)
#     return np.concatenate([d_W1.ravel(), d_b1, d_W2.ravel(), d_b2])
# ```
#
# </details>
#
# ## Recap
#
# - PPO is a loop of rollout, advantages and a few passes over the valid rows. The whole of it is on this page.
# - The gradient of the policy is where it is still pushed, times `ratio * advantage`, times the slope of the
#   log-probability. Check it by finite differences, and check that the first ratios are 1.
# - Only the functions of an action distribution differ between discrete and continuous actions.
# - A cut taken as an end leaves every critic wrong by more than a fifth, and most returns as they were, but not all.
# - Ten seeds, all shown. One curve is an anecdote.
#
# **Back:** [rollouts](17_rollouts.ipynb). **Next:** [what goes wrong](19_what_goes_wrong.ipynb).
# **Reference:** [`RecordEpisodeStatistics`](https://gymnasium.farama.org/api/vector/wrappers/), [Gymnasium's
# environments](https://gymnasium.farama.org/environments/classic_control/).
