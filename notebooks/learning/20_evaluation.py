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
# # Evaluation: what a batch says about a policy
#
# After this chapter you can measure a policy with many sub-environments without favouring short episodes, keep the
# statistics of a wrapper from moving while you measure, and put an interval around the result that means what it
# says.
#
# **You need:** [autoreset](../primitives/06_autoreset.ipynb), and `RecordEpisodeStatistics` from
# [nested wrappers](../compositions/15_nested_wrappers.ipynb). **Time:** about 34 minutes.

# %%
import io
import os
from copy import deepcopy
from functools import partial
from itertools import islice
from math import comb

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wv

from helpers.exercises import check
from helpers.figures import INK, PALETTE, figure, show
from helpers.pages import say, table

# %% [markdown]
# ## Two answers from one run
#
# To test an evaluation we need something whose true value we know. Here is an environment in which the action does
# nothing, every step pays 1, and the length of an episode is drawn when it begins. So its
# [return](../../book/glossary.md#return), the sum of the rewards, is its length.


# %%
class Lasting(gym.Env):
    observation_space = action_space = gym.spaces.Discrete(2)

    def __init__(self, draw):
        self.draw = draw

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = self.draw(self.np_random)
        return 0, {}

    def step(self, action):
        self.left -= 1
        return 0, 1.0, bool(self.left == 0), False, {}


# %% [markdown]
# A fair coin decides between 1 step and 39 steps: the mean is 20. We make 256
# [sub-environments](../../book/glossary.md#sub-environment) and watch the episodes in the order in which they
# finish. A generator function yields them as pairs of a [row](../../book/glossary.md#row), the place of the
# sub-environment in the batch, and a return.


# %%
def coin(rng):
    return (1, 39)[rng.integers(2)]


def make_lasting(draw, rows, mode=AutoresetMode.NEXT_STEP):
    return SyncVectorEnv([partial(Lasting, draw)] * rows, autoreset_mode=mode)


def episodes(envs, policy, seed):
    """Yield (row, return) of each episode, in the order in which they finish."""
    observations, _ = envs.reset(seed=seed)
    while True:
        observations, *_, infos = envs.step(policy(observations))
        for row in np.flatnonzero(infos.get("_episode", [])):
            yield row, infos["episode"]["r"][row]


# %% [markdown]
# A [policy](../../book/glossary.md#policy) is any function from a batch of observations to a batch of actions; here
# `np.zeros_like`, which always chooses action 0. Now two ways to get 256 episodes out of the same run: the first 256
# to finish, and the first one *of each row*.

# %%
envs = wv.RecordEpisodeStatistics(make_lasting(coin, rows=256))
by_finish, first_of = [], {}
for row, total in episodes(envs, np.zeros_like, seed=1000):
    by_finish.append(total)
    first_of.setdefault(row, total)
    if len(first_of) == 256:
        break
print("the first 256 to finish:", np.mean(by_finish[:256]).round(2))
print("the first of each row:  ", np.mean(list(first_of.values())).round(2))

# %% tags=["remove-cell"]
assert np.mean(by_finish[:256]) < 8
assert abs(np.mean(list(first_of.values())) - 20) < 2.5 * 19 / 16
assert len(by_finish) > 256

# %% [markdown]
# The truth is 20. One of these is near it, and the other is not even of the right size. Nothing is wrong with the
# environment, the seeds or the number of episodes. What differs is *who was asked*.
#
# ## Who finishes first
#
# Look at a smaller batch. Twelve rows, lengths of all kinds with a mean of 20: each step is the last with
# probability 1/20. We use `SAME_STEP`, the [autoreset mode](../../book/glossary.md#autoreset-mode) that begins the
# next episode within the call that ended the last one, so that every call is a step of every row.


# %%
def memoryless(rng):
    return rng.geometric(1 / 20)


make_memoryless = partial(make_lasting, memoryless, mode=AutoresetMode.SAME_STEP)
envs = wv.RecordEpisodeStatistics(make_memoryless(rows=12))
finished = list(islice(episodes(envs, np.zeros_like, seed=120), 300))
kept = finished[:12]
print("first 12 to finish:", [int(length) for _, length in kept])

# %% tags=["hide-input"]
clock = np.zeros(12)
for row, length in kept:
    clock[row] += length
cut, clock = clock.max(), np.zeros(12)
kinds = {"kept": [], "still running": [], "later": []}
for number, (row, length) in enumerate(finished):
    running = clock[row] < cut and number >= 12
    kind = "kept" if number < 12 else "still running" if running else "later"
    kinds[kind].append((row, clock[row] + 0.3, length - 0.6))
    clock[row] += length

# %% tags=["hide-input"]
fig, ax = figure(3.8)
faces, edges = (PALETTE[0], "none", "none"), (PALETTE[0], PALETTE[1], PALETTE[5])
for kind, face, edge in zip(kinds, faces, edges, strict=True):
    at, left, width = np.array(kinds[kind]).T
    dash = ":" if kind == "later" else "-"
    look = {"facecolor": face, "edgecolor": edge, "linestyle": dash, "linewidth": 1.2}
    ax.barh(at, width, left=left, height=0.6, label=kind, **look)

# %% tags=["hide-input"]
ax.axvline(cut, color=INK, linewidth=1)
ax.set(xlim=(0, 60), ylim=(11.6, -0.6), xlabel="call to step", ylabel="row")
ax.set_yticks(range(0, 12, 2))
ax.set_title(f"The first 12 episodes to finish are complete at call {cut:.0f}")
fig.legend(ncols=3, loc="outside lower right")
alt = (
    "One line of bars for each of twelve rows; a bar is an episode. Left of a vertical "
    "line lie the kept episodes, mostly short. The bars that cross it are not kept."
)
show(fig, alt)

# %% [markdown]
# The vertical line is where the twelfth episode ends. Lucky rows have delivered several short episodes by then.
# Each bar that crosses the line is an episode that had started but was not over. A long episode is likelier to
# cross it than a short one, so these are not missing by accident: they are missing *because* they are long.
#
# ## A quota for each row
#
# The cure is to decide before the run which episodes count: the first `quota` of each row, whenever they come.
# Wait for all of them, and ignore what the fast rows deliver on top. That surplus is the price. `quota` is one
# number for all rows, or an array with one number for each.


# %%
def evaluate(envs, policy, quota, seed):
    """Return the first `quota` returns of row 0, then those of row 1, and so on."""
    quota = np.broadcast_to(quota, envs.num_envs)
    kept = [[] for _ in quota]
    missing = quota.sum()
    for row, total in episodes(envs, policy, seed):
        if len(kept[row]) < quota[row]:
            kept[row].append(total)
            missing -= 1
        if missing == 0:
            return np.concatenate(kept)


# %% [markdown]
# Each sub-environment draws its episodes from its own generator, so this is exactly what that many single
# environments would have given, one after another. It holds in both modes in which the environment resets its rows
# by itself. Keeping the first to finish is wrong in both.

# %%
rows = []
for mode in [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]:
    envs = wv.RecordEpisodeStatistics(make_lasting(memoryless, 100, mode))
    first = [total for _, total in islice(episodes(envs, np.zeros_like, 0), 500)]
    quota = evaluate(envs, np.zeros_like, quota=5, seed=0)
    means = {"first 500": np.mean(first).round(1), "quota": quota.mean().round(1)}
    rows.append({"mode": mode.name, **means})
table(rows, "Mean length of 500 episodes from 100 rows; the truth is 20")

# %% tags=["remove-cell"]
for row in rows:
    assert row["first 500"] < 17.5 < 18 < row["quota"] < 22
assert rows[0]["quota"] == rows[1]["quota"]
single = Lasting(memoryless)
for i in range(100):
    single.reset(seed=i)
    lengths = []
    for _ in range(5):
        lengths.append(single.left)
        single.reset()
    assert lengths == quota.reshape(100, 5)[i].tolist()

# %% [markdown]
# Neither number is 20. Which of them is off by chance? The lengths of single episodes *deviate* from their mean by
# about as much as the mean itself. The mean of 500 of them deviates less, by the root of 500: this is called its
# *standard error*. Chance often moves a mean by one standard error, now and then by two, hardly ever by four.

# %%
error = quota.std() / quota.size**0.5
off = {name: (20 - mean) / error for name, mean in means.items()}
say(
    f"One episode deviates by about {quota.std():.0f} steps, the mean of "
    f"{quota.size} by {error:.1f}. The quota's {means['quota']} is "
    f"{off['quota']:.1f} of these below 20: chance. The {means['first 500']} of the "
    f"first to finish is {off['first 500']:.1f} of them below: not chance, a bias."
)
assert abs(off["quota"]) < 1.5 and off["first 500"] > 4

# %% [markdown]
# `RecordEpisodeStatistics` knows which rows of a `NEXT_STEP` batch are
# [filler](../../book/glossary.md#filler-row) and leaves them out of the length. In `DISABLED` the loop would have
# to reset the finished rows itself, as in [selective reset](../compositions/14_selective_reset.ipynb).
#
# The number of episodes need not be a multiple of the number of rows. For 100 episodes from 64 rows, 36 rows owe two
# and 28 owe one. Write that down as an array, *before* the run.

# %%
owed = np.ones(64, int)
owed[:36] = 2
envs = wv.RecordEpisodeStatistics(make_lasting(memoryless, rows=64))
mixed = evaluate(envs, np.zeros_like, quota=owed, seed=0)
error = mixed.std() / len(mixed) ** 0.5
print("owed by each row:", owed, sep="\n")
print(f"{len(mixed)} episodes, mean {mixed.mean():.1f}, standard error {error:.1f}")
assert len(mixed) == owed.sum() == 100

# %% tags=["remove-cell"]
two_each = evaluate(envs, np.zeros_like, quota=2, seed=0).reshape(64, 2)
assert np.array_equal(mixed[:72], two_each[:36].ravel())
assert np.array_equal(mixed[72:], two_each[36:, 0])
assert abs(mixed.mean() - 20) < 2.5 * error

# %% [markdown]
# Which rows owe more does not matter, as long as their speed has no say in it.
#
# Another rule that sounds fair has the same fault, **a fixed number of calls:** run for 38 calls and average all
# that finished.

# %%
envs = wv.RecordEpisodeStatistics(make_lasting(coin, rows=256))
envs.reset(seed=0)
within = []
for _ in range(38):
    *_, infos = envs.step(np.zeros(256, int))
    if "episode" in infos:
        within.extend(infos["episode"]["r"][infos["_episode"]])
print(len(within), "episodes finished, mean", np.mean(within))
assert np.mean(within) == 1.0

# %% [markdown]
# Every one of them is a 1; no long episode *can* be among them.
#
# ### The same on a real task
#
# The effect needs nothing artificial, only episodes that differ in length. Here is a CartPole controller whose
# weights were set by hand and which balances until the time limit, and a noisy copy of it: half of its actions are
# random. We evaluate the noisy one on 64 rows.

# %%
WEIGHTS = np.array([0.1, 0.3, 1.0, 0.5])


def steady(observations):
    return (observations @ WEIGHTS > 0).astype(int)


def make_noisy(policy, actions, noise, seed):
    rng = np.random.default_rng(seed)

    def noisy(observations):
        random = rng.integers(actions, size=len(observations))
        replace = rng.random(len(observations)) < noise
        return np.where(replace, random, policy(observations))

    return noisy


# %%
def make_carts(rows):
    return wv.RecordEpisodeStatistics(gym.make_vec("CartPole-v1", num_envs=rows))


half_random = partial(make_noisy, steady, actions=2, noise=0.5)
run = episodes(make_carts(64), half_random(seed=0), seed=0)
first = [total for _, total in islice(run, 64)]
one = evaluate(make_carts(64), half_random(seed=0), quota=1, seed=0)
eight = evaluate(make_carts(64), half_random(seed=1), quota=8, seed=1)
print("first 64 to finish:", np.mean(first).round(1))
print("one of each row:   ", one.mean().round(1))
print("eight of each row: ", eight.mean().round(1))

# %% tags=["remove-cell"]
assert np.mean(first) < 0.6 * eight.mean()
spread = eight.std() * np.hypot(1 / 64**0.5, 1 / 512**0.5)
assert abs(one.mean() - eight.mean()) < 2.5 * spread
assert evaluate(make_carts(8), steady, 1, 0).min() == 500

# %% [markdown]
# "First to finish" reports about half of what the controller is worth. A perfect controller would not have shown
# it: all its episodes have 500 steps, and lengths that do not differ leave nothing to favour. So the fault hides
# in the final result and distorts the learning curve that leads to it.
#
# ## How large is the bias?
#
# For both toy environments the answer can be worked out.
#
# **The coin**, with `n` rows of which the first `n` episodes are kept. A row that drew 1 finishes and draws
# again, until it draws 39 and is stuck. So before call 39 the batch delivers `S` ones, where `S` is the number of
# heads that a coin shows before its `n`-th tail. If `S` reaches `n`, all we keep is ones; else the gap, `n - S`,
# is filled with 39s that end on call 39. The mean is `1 + 38 * gap / n`, and the expected gap is known:
# `n * comb(2n, n) / 4**n`, about `sqrt(n / pi)`. Divided by `n` it vanishes: as the batch grows, the answer goes
# to 1, whatever the truth.


# %%
def coin_mean(n):
    return 1 + 38 * comb(2 * n, n) / 4**n


for n in [1, 4, 64, 256, 1024]:
    print(f"{n:5d} rows, first {n} to finish: expect {coin_mean(n):5.2f}")
assert coin_mean(1) == 20
assert coin_mean(1024) < 2

# %% tags=["remove-cell"]
rng = np.random.default_rng(0)
heads = rng.negative_binomial(16, 0.5, size=200_000)
gap = np.maximum(16 - heads, 0).mean()
assert abs(gap - 16 * comb(32, 16) / 4**16) < 0.03
rest = np.maximum(256 - rng.negative_binomial(256, 0.5, size=200_000), 0)
scatter = 38 * rest.std() / 256
assert 1.5 < scatter < 2.5
assert 0 < np.mean(by_finish[:256]) - coin_mean(256) < 1.5 * scatter
assert abs(comb(2048, 1024) / 4**1024 * np.sqrt(np.pi * 1024) - 1) < 0.001

# %% [markdown]
# That the first output of this chapter lies above the fourth line is chance: one run scatters by about 2.
#
# **The lengths without memory**, `n` rows, the first `k` episodes kept, mean length `m`. Count what the steps were
# spent on.
#
# - Each step of each row ends an episode with probability `1/m`. So `k` endings cost `k * m` steps on average.
# - Not all of these steps are in the kept episodes. At the `k`-th ending, the other `n - 1` rows are in the
#   middle of an episode. Its steps were paid for, and they are missing from the mean.
# - How many? Look back from the last ending. Endings come every `m / n` calls and fall on the rows at random. The
#   gap between two of them belongs to a row's running episode if no ending since then fell on that row. With
#   `r = 1 - 1/n`, that adds up to `m/n * (1 + r + r**2 + ... + r**(k-1))`, which is `m * (1 - r**k)`.


# %%
def memoryless_mean(n, k, m):
    running = m * (1 - (1 - 1 / n) ** k)
    return m - (n - 1) * running / k


for n in [1, 10, 100]:
    print(f"{n:4d} rows, first 100 to finish: {memoryless_mean(n, 100, m=1):.3f} m")
print("first n of n rows, n large:", f"{memoryless_mean(10**6, 10**6, 1):.3f} m")
assert np.isclose(memoryless_mean(10**6, 10**6, 1), np.exp(-1), atol=1e-5)

# %% tags=["remove-cell"]
for c in [1, 3, 10]:
    shortfall = 1 - memoryless_mean(10**6, c * 10**6, 1)
    assert np.isclose(shortfall, (1 - np.exp(-c)) / c, atol=1e-5)

# %% [markdown]
# Two numbers to remember. If you keep as many episodes as there are rows, you get `1/e` of the truth, 37 per
# cent. If you keep `c` times as many, the shortfall is `(1 - exp(-c)) / c`, soon one part in `c`: ten per row,
# ten per cent. More episodes help, more rows hurt.
#
# In the picture of twelve rows, the books look like this.

# %%
spent, kept_steps = 12 * cut, sum(length for _, length in kept)
say(
    f"By call {cut:.0f} the twelve rows had taken {spent:.0f} steps. The twelve kept "
    f"episodes hold {kept_steps:.0f} of them, a mean of {kept_steps / 12:.1f}. The "
    f"other {spent - kept_steps:.0f} are in episodes that were still running."
)
assert spent / 12 > 1.5 * kept_steps / 12

# %% [markdown]
# Now the test: does the environment agree? We let the number of rows grow and repeat each measurement with other
# seeds.


# %%
def measure(draw, n, keep, repeats):
    envs = wv.RecordEpisodeStatistics(make_lasting(draw, n, AutoresetMode.SAME_STEP))
    means = []
    for number in range(repeats):
        run = episodes(envs, np.zeros_like, seed=10_000 * n + number * n)
        means.append(np.mean([total for _, total in islice(run, keep)]))
    return np.mean(means), np.std(means) / repeats**0.5


# %% tags=["hide-input"]
coin_rows, many_rows = [1, 2, 4, 8, 16, 32, 64, 128], [1, 4, 10, 20, 50, 100, 200]
coin_found = [measure(coin, n, n, 100 + 250 // n) for n in coin_rows]
repeats = [8, 16, 24, 32, 40, 40, 40]
many_found = [
    measure(memoryless, n, 100, r) for n, r in zip(many_rows, repeats, strict=True)
]


# %% tags=["hide-input"]
def in_whole_steps(n):
    return 0.5 + memoryless_mean(n, 100, m=19.5)


panels = [
    (coin_rows, coin_found, coin_mean, 20, "1 or 39 steps:\nas many kept as rows"),
    (many_rows, many_found, in_whole_steps, 20, "no memory:\n100 kept"),
]

# %% tags=["hide-input"]
fig, axes = figure(3.9, ncols=2)
for ax, (ns, found, formula, truth, title) in zip(axes, panels, strict=True):
    mean, error = np.array(found).T
    grid = np.unique(np.geomspace(1, ns[-1], 50).round().astype(int)).tolist()
    curve = [formula(n) for n in grid]
    ax.plot(grid, curve, marker="", color=PALETTE[1], label="formula")
    ax.errorbar(ns, mean, 2 * error, fmt="o", color=PALETTE[0], label="measured")
    ax.axhline(truth, color=INK, linewidth=1, linestyle=":", marker="")
    ax.text(ns[-1], truth, "truth", ha="right", va="bottom")
    ax.set_xscale("log", base=2)
    ax.set_xticks([1, 4, 16, 64, 256], [1, 4, 16, 64, 256])
    ax.set(ylim=(0, 1.25 * truth), xlabel="rows", title=title)

# %% tags=["hide-input"]
axes[0].set_ylabel("mean length reported")
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
alt = (
    "Two panels. The reported mean length starts at the truth for one row and falls as "
    "the number of rows grows; measured points lie on the curve of the formula."
)
show(fig, alt)

# %% tags=["remove-cell"]
for ns, found, formula, *_ in panels:
    for n, (mean, error) in zip(ns, found, strict=True):
        assert abs(mean - formula(n)) < 3.5 * error, (n, mean, error, formula(n))
assert many_found[-1][0] < 0.35 * 20 and coin_found[-1][0] < 6

# %% [markdown]
# Dots and curve agree: a bar reaches two standard errors up and down, which one dot in twenty should miss. (On the
# right, the derivation treats time as continuous. Whole steps round a length up, by half a step on average, so the
# curve uses `m - 1/2` and adds the half; a difference of about 2 per cent remains.)
#
# With one row there is no bias. So a batch reports a lower length than a single environment does, for the same
# policy.

# %% tags=["remove-cell"]
rng, simulated = np.random.default_rng(0), []
for _ in range(800):
    lengths = rng.geometric(1 / 20, size=(100, 60))
    order = np.argsort(lengths.cumsum(axis=1).ravel(), kind="stable")[:100]
    simulated.append(lengths.ravel()[order].mean())
assert abs(np.mean(simulated) / in_whole_steps(100) - 1) < 0.035

# %% [markdown]
# ## When short is good
#
# So far the wrong rule made a policy look bad. Where a short episode is a *success*, it flatters. Take a corridor
# of four cells, -1 a step, the goal at the right end. In the second cell, left and right are swapped, and the
# agent cannot see in which cell it is. The best it can do without a memory is to go right with a fixed
# probability `p`. (It is example 13.1 in Sutton and Barto's *Reinforcement Learning*, second edition.) The mean
# return is known, `-(4 - 2p) / (p(1 - p))`, and it is greatest near `p = 0.59`.


# %%
class Corridor(gym.Env):
    observation_space = gym.spaces.Discrete(1)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cell = 0
        return 0, {}

    def step(self, action):
        direction = 1 if action == 1 else -1
        self.cell += -direction if self.cell == 1 else direction
        self.cell = max(self.cell, 0)
        return 0, -1.0, self.cell == 3, False, {}


# %%
def make_corridors(rows):
    limited = partial(gym.wrappers.TimeLimit, max_episode_steps=200)
    corridors = SyncVectorEnv([lambda: limited(Corridor())] * rows)
    return wv.RecordEpisodeStatistics(corridors)


def go_right(p, seed):
    rng = np.random.default_rng(seed)
    return lambda observations: (rng.random(len(observations)) < p).astype(int)


known = -(4 - 2 * 0.59) / (0.59 * 0.41)
run = episodes(make_corridors(100), go_right(0.59, seed=1), seed=0)
first = np.array([total for _, total in islice(run, 100)])
quota = evaluate(make_corridors(100), go_right(0.59, seed=1), quota=10, seed=0)
print(f"known {known:.2f} | quota {quota.mean():.2f} | first 100 {first.mean():.2f}")

# %% tags=["remove-cell"]
assert abs(quota.mean() - known) < 3 * quota.std() / 1000**0.5
assert first.mean() > known + 2
p = np.linspace(0.01, 0.99, 981)
best = -(4 - 2 * p) / (p * (1 - p))
assert abs(p[best.argmax()] - 0.59) < 0.01 and abs(best.max() - known) < 0.005

# %% [markdown]
# No policy without a memory can reach what "first to finish" reports here: -11.66 is the best there is.
#
# ## Greedy or sampled
#
# A stochastic policy gives probabilities. In training its actions are *sampled*; in evaluation one often takes the
# likeliest, the *greedy* action. These are two policies, with two values, and neither is the better by nature. In
# the first column below the probabilities are used as they are, in the second the larger one always wins.


# %%
def sampled(chance, seed):
    rng = np.random.default_rng(seed)
    return lambda batch: (rng.random(len(batch)) < chance(batch)).astype(int)


def greedy(chance):
    return lambda batch: (chance(batch) > 0.5).astype(int)


# %%
def cart_chance(observations):
    return 1 / (1 + np.exp(-(observations @ WEIGHTS) / 0.15))


def corridor_chance(observations):
    return np.full(len(observations), 0.59)


# %%
rows = []
for task, make, chance in [
    ("CartPole", make_carts, cart_chance),
    ("corridor", make_corridors, corridor_chance),
]:
    drawn = evaluate(make(64), sampled(chance, seed=0), quota=2, seed=0)
    fixed = evaluate(make(64), greedy(chance), quota=2, seed=0)
    row = {"task": task, "sampled": drawn.mean().round(1), "greedy": fixed.mean()}
    rows.append(row)
table(rows, "Mean return of the same probabilities, used in two ways")

# %% tags=["remove-cell"]
assert rows[0]["greedy"] == 500 and rows[0]["sampled"] < 350
assert rows[1]["greedy"] == -200 and rows[1]["sampled"] > -15

# %% [markdown]
# Greedy CartPole never falls. The greedy walker of the corridor goes right, is turned back in the second cell, and
# walks back and forth until the time limit. Evaluate what you are going to use, and say which it was.
#
# A sampled policy has a generator. Give it a seed of its own, as above, or no evaluation can be repeated.
#
# ## Statistics that stand still
#
# `NormalizeObservation` subtracts a running mean and divides by a running deviation. An agent trained behind it has
# learnt to read numbers on that scale, so the statistics are part of the agent, as much as its weights. Evaluation
# must use the same ones, and must not move them. (The wrapper takes `NEXT_STEP` only;
# [vector wrappers](../primitives/09_vector_wrappers.ipynb) says more about it.)
#
# We build such an agent by hand. This rule for MountainCar pushes right, except while the car rolls left; past
# -0.9 it turns round. It gets normalised observations and reads them through the statistics of the moment, as a
# network would have learnt to.


# %%
def push(observations):
    position, speed = observations.T
    return np.where((speed > -0.0005) | (position < -0.9), 2, 0)


def unscale(observations, rms):
    return observations * np.sqrt(rms.var + 1e-8) + rms.mean


make_cars = partial(gym.make_vec, "MountainCar-v0", vectorization_mode="sync")
training = wv.NormalizeObservation(make_cars(num_envs=16))
observations, _ = training.reset(seed=0)
for _ in range(500):
    observations, *_ = training.step(push(unscale(observations, training.obs_rms)))
learnt = deepcopy(training.obs_rms)
print(f"mean {learnt.mean.round(4)}, deviation {np.sqrt(learnt.var).round(4)}")

# %% [markdown]
# The agent is now frozen, with `learnt` inside it. Four ways to wrap the environment it is tested in:


# %%
def agent(observations):
    return push(unscale(observations, learnt))


def wrap(copy, freeze, rows=16):
    envs = wv.NormalizeObservation(make_cars(num_envs=rows))
    if copy:
        envs.obs_rms = deepcopy(training.obs_rms)
    envs.update_running_mean = not freeze
    return wv.RecordEpisodeStatistics(envs)


truth = evaluate(wv.RecordEpisodeStatistics(make_cars(16)), push, 1, seed=1000)
print("the same rule on plain observations:", truth.mean())

# %%
rows, found = [], {}
for copy, freeze in [(True, True), (True, False), (False, False), (False, True)]:
    envs = wrap(copy, freeze)
    found[copy, freeze] = [evaluate(envs, agent, 1, seed=1000) for _ in range(3)]
    name = f"{'copied' if copy else 'fresh'}, {'frozen' if freeze else 'updated'}"
    means = [result.mean().round(2) for result in found[copy, freeze]]
    ordinals = ["first", "second", "third"]
    rows.append({"statistics": name, **dict(zip(ordinals, means, strict=True))})
table(rows, "Mean return in three evaluations of one agent on the same seeds")

# %% tags=["remove-cell"]
assert all(np.array_equal(result, truth) for result in found[True, True])
moved = [result.mean() for result in found[True, False]]
assert len(set(moved)) > 1 and abs(np.array(moved) - truth.mean()).max() < 1
renewed = [result.mean() for result in found[False, False]]
assert renewed[0] < truth.mean() - 25 and min(renewed[1:]) < truth.mean() - 5
assert all((result == -200).all() for result in found[False, True])
still = evaluate(wrap(True, True, rows=32), agent, 1, seed=1000)
moving = evaluate(wrap(True, False, rows=32), agent, 1, seed=1000)
assert np.array_equal(still[:16], truth)
assert not np.array_equal(moving[:16], found[True, False][0])

# %% [markdown]
# - **Copied and frozen** is right: every episode equals that of the rule on plain observations, three times over.
# - **Copied and updated** is nearly right here, because the statistics rest on thousands of observations. But the
#   answer changes from one evaluation to the next although agent and seeds are the same, so it depends on what was
#   evaluated before, and on how many rows take part.
# - **Fresh and updated** reads the first observations of the batch on a scale made from these very observations:
#   starts that differ by a few hundredths fill the whole scale, and the agent believes that it is somewhere else. It
#   improves as the statistics fill up, and is still off in the third evaluation.
# - **Fresh and frozen** hands the agent raw numbers, since a fresh mean is 0 and a fresh variance 1. It never
#   reaches the goal.

# %% tags=["remove-cell"]
right, _ = wrap(True, True).reset(seed=1000)
fresh, _ = wrap(False, False).reset(seed=1000)
plain, _ = make_cars(16).reset(seed=1000)
assert np.allclose(unscale(right, learnt), plain, atol=1e-6)
assert abs(unscale(fresh[0], learnt)[0] - plain[0, 0]) > 0.2
raw, _ = wrap(False, True).reset(seed=1000)
assert np.allclose(raw, plain)

# %% [markdown]
# Three details decide whether the copy is right. `deepcopy`, because assigning `training.obs_rms` itself would
# let an unfrozen evaluation move the training. Freeze *before* the first reset, which updates too. And save the
# three entries of `obs_rms` with the agent:

# %%
file = io.BytesIO()
np.savez(file, **vars(training.obs_rms))
file.seek(0)
restored = dict(np.load(file))
for name, value in restored.items():
    print(f"{name:5s} {value.round(4)}")
other = wv.NormalizeObservation(make_cars(num_envs=1))
vars(other.obs_rms).update(restored)
assert np.array_equal(other.obs_rms.var, training.obs_rms.var)

# %% tags=["remove-cell"]
assert set(restored) == {"mean", "var", "count"}
shared = wv.NormalizeObservation(make_cars(num_envs=16))
shared.obs_rms = training.obs_rms
before = deepcopy(training.obs_rms)
shared.reset(seed=1)
assert training.obs_rms.count == before.count + 16
training.obs_rms = before
frozen = wrap(True, True)
held = deepcopy(vars(frozen.env.obs_rms))
evaluate(frozen, agent, 1, seed=1)
for key, value in vars(frozen.env.obs_rms).items():
    assert np.array_equal(value, held[key])

# %% [markdown]
# `NormalizeReward` is simpler: leave it out. The policy never sees a reward, and through the wrapper you would report
# returns in a unit that changes from one evaluation to the next. One agent, the same starts, three evaluations:

# %%
scaled = wv.RecordEpisodeStatistics(wv.NormalizeReward(make_cars(num_envs=16)))
through = [evaluate(scaled, push, 1, seed=1000).mean() for _ in range(3)]
print("task:", truth.mean(), "| through NormalizeReward:", np.round(through, 2))
assert max(abs(value - truth.mean()) for value in through) > 100

# %% tags=["remove-cell"]
assert len(set(through)) == 3 and min(abs(truth.mean() - np.array(through))) > 20
scaled.env.update_running_mean = False
frozen_twice = [evaluate(scaled, push, 1, seed=1000).mean() for _ in range(2)]
assert frozen_twice[0] == frozen_twice[1] != truth.mean()
within = wv.NormalizeReward(wv.RecordEpisodeStatistics(make_cars(num_envs=16)))
assert np.array_equal(evaluate(within, push, 1, seed=1000), truth)

# %% [markdown]
# Its switch, `update_running_mean` again, stops the change but does not bring the task's unit back. If the wrapper
# must be there, make `RecordEpisodeStatistics` the inner one, where the rewards are still the task's.
#
# ## Two confidence intervals
#
# A mean without an interval is half a result. A 95 per cent interval is made so that, of 100 such intervals, 95 hold
# the true mean; it reaches about two standard errors to each side. But there are two of them, and they answer different
# questions.
#
# 1. *How good is this agent?* Its episodes vary. More episodes narrow the interval.
# 2. *How good is this way of training?* Agents vary with the seed they were trained with. Only more training runs
#    narrow that interval.
#
# We stage ten training runs with known results: each leaves an agent whose mean episode length is drawn evenly
# between 20 and 80, so the truth is 50 for the way of training, and known for every agent. Each is evaluated with
# 100 episodes of `Lasting`.


# %%
def t95(count):
    """Return how many standard errors hold 95 % for the mean of `count` values."""
    x = np.linspace(0, 60, 60_001)
    mass = np.cumsum((1 + x**2 / (count - 1)) ** (-count / 2))
    return x[np.searchsorted(mass, 0.95 * mass[-1])]


def half_width(values):
    count = values.shape[-1]
    return t95(count) * values.std(axis=-1, ddof=1) / count**0.5


print("t by count:", {count: round(float(t95(count)), 3) for count in [5, 10, 100]})
assert abs(t95(10) - 2.262) < 0.002 and abs(t95(5) - 2.776) < 0.002

# %% [markdown]
# That is Student's `t`: how many standard errors a 95 per cent interval reaches to each side. With few values the
# deviation itself is uncertain, and the factor is larger.

# %%
rng = np.random.default_rng(7)
true_means = rng.uniform(20, 80, size=10)
returns = np.empty((10, 100))
for number, mean in enumerate(true_means):
    draw = partial(np.random.Generator.geometric, p=1 / mean)
    envs = wv.RecordEpisodeStatistics(make_lasting(draw, rows=100))
    returns[number] = evaluate(envs, np.zeros_like, 1, 1000 + 100 * number)
own, pooled, over_runs = returns, returns.ravel(), returns.mean(axis=1)
print(f"pooled episodes {pooled.mean():.1f} ± {half_width(pooled):.1f}")
print(f"over the runs   {over_runs.mean():.1f} ± {half_width(over_runs):.1f}")

# %% tags=["hide-input"]
fig, ax = figure(3.8)
place = np.arange(10)
look = {"fmt": "o", "color": PALETTE[0], "label": "100 episodes"}
ax.errorbar(place, over_runs, half_width(own), **look)
ax.plot(place, true_means, "D", color=PALETTE[1], label="this agent's true mean")
both = [(11.5, pooled, "s", "all episodes pooled"), (14, over_runs, "^", "run means")]
for x, values, marker, label in both:
    look = {"fmt": marker, "color": PALETTE[2], "label": label}
    ax.errorbar(x, values.mean(), half_width(values), **look)

# %% tags=["hide-input"]
ax.axhline(50, color=INK, linewidth=1, linestyle=":", marker="")
ax.set_xticks([*place, 11.5, 14], [*place, "pooled", "by run"])
ax.set(xlabel="training run", ylabel="mean length", ylim=(0, 100))
ax.set_title("95 % intervals; dotted: the truth for the way of training")
fig.legend(ncols=2, loc="outside lower center")
alt = (
    "Ten training runs, each with an interval over its episodes around a mean of its "
    "own; on the right two intervals for all: a narrow pooled one, a wide one by runs."
)
show(fig, alt)

# %% [markdown]
# On the left, each interval speaks of one agent and has that agent's diamond to catch. On the right, both claim to
# speak of the way of training. Pooling a thousand episodes looks the more careful, and is the careless one: a
# hundred episodes of one agent say nothing new about the next agent.
#
# Which of them keeps its promise? An episode of `Lasting` is one random number, so we can afford a thousand such
# studies, and count. A third kind takes part: *resampling* draws ten of the ten runs again and again, with
# replacement, and takes the middle 95 per cent of their means. (Statisticians call it the bootstrap; it has nothing to
# do with that of [rollouts](17_rollouts.ipynb).)


# %%
def resample(values, rng, draws=400):
    picks = rng.integers(len(values), size=(draws, len(values)))
    return np.quantile(values[picks].mean(axis=1), [0.025, 0.975])


rng = np.random.default_rng(0)
means = rng.uniform(20, 80, size=(1000, 10, 1))
studies = rng.geometric(1 / means, size=(1000, 10, 100)).astype(float)
run_means = studies.mean(axis=2)
low, high = np.transpose([resample(values, rng) for values in run_means])


# %%
def holds(values, truth):
    return 100 * (abs(values.mean(axis=-1) - truth) < half_width(values)).mean()


flat = studies.reshape(1000, -1)
coverage = {
    "its own episodes, for one agent": holds(studies[:, 0], means[:, 0, 0]),
    "all episodes pooled, for the training": holds(flat, 50),
    "ten run means, t, for the training": holds(run_means, 50),
    "ten run means, resampled": 100 * ((low < 50) & (high > 50)).mean(),
}
rows = [{"interval": key, "in %": round(share)} for key, share in coverage.items()]
table(rows, "A thousand studies: how often 95 % intervals hold the truth")

# %% tags=["remove-cell"]
one_agent, all_pooled, with_t, resampled = coverage.values()
assert 91 < one_agent < 97 and 93 < with_t < 97.5
assert 40 < all_pooled < 60 and resampled < with_t - 1
many = [resample(study[0], rng, draws=300) for study in studies[:200]]
low_one, high_one = np.transpose(many)
caught = (low_one < means[:200, 0, 0]) & (means[:200, 0, 0] < high_one)
assert 0.9 < caught.mean() < 0.99

# %% [markdown]
# The pooled interval is wrong about half of the time. Resampling ten values is a little too narrow: it cannot draw a
# run that was not there.
#
# What should a thousand episodes be spent on? The square of the final standard error has two parts: the variance
# between agents divided by the number of runs, and the variance within agents divided by the number of all episodes.
# Only the second cares about episodes.

# %% tags=["hide-input"]
agents, draws = 60**2 / 12, (means**2 - means).mean()
rows = []
for runs, each in [(10, 10), (10, 100), (10, 1000), (40, 25)]:
    error = np.sqrt(agents / runs + draws / (runs * each))
    width = round(float(t95(runs) * error), 1)
    rows.append({"runs": runs, "episodes each": each, "half width": width})
table(rows, "Half width of the 95 % interval over runs, on average")

# %% tags=["remove-cell"]
predicted = np.sqrt(agents / 10 + draws / 1000)
assert abs(run_means.mean(axis=1).std() / predicted - 1) < 0.08
widths = [row["half width"] for row in rows]
assert 0 < widths[1] - widths[2] < 0.06 * widths[1] and widths[3] < 0.6 * widths[1]

# %% [markdown]
# From 100 to 1000 episodes each gains next to nothing. The same thousand episodes from 40 runs give half the width.
#
# ## Seeds of their own
#
# `reset(seed=s)` starts row `i` with seed `s + i`: with a [base seed](../../book/glossary.md#base-seed) of 0 and
# 64 rows, the seeds 0 to 63. An evaluation with seed 42 then replays starts that the agent was trained on. Does
# it matter? Here is an agent that has learnt nothing but its starts. Each episode is one question, a random
# number, with a random answer.


# %%
class Quiz(gym.Env):
    observation_space = gym.spaces.Discrete(10**9)
    action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.answer = self.np_random.integers(4)
        return int(self.np_random.integers(10**9)), {}

    def step(self, action):
        return 0, float(action == self.answer), True, False, {}


# %%
quiz = SyncVectorEnv([Quiz] * 64)
questions, _ = quiz.reset(seed=0)
memory = dict(zip(questions.tolist(), quiz.get_attr("answer"), strict=True))


def parrot(observations):
    return np.array([memory.get(question, 0) for question in observations.tolist()])


quiz = wv.RecordEpisodeStatistics(quiz)
for seed in [0, 42, 10_000]:
    print(f"evaluated with seed {seed:6,}:", evaluate(quiz, parrot, 1, seed).mean())

# %% tags=["remove-cell"]
assert evaluate(quiz, parrot, 1, 0).mean() == 1
overlap = evaluate(quiz, parrot, 1, 42)
assert overlap[:22].mean() == 1 and overlap[22:].mean() < 0.6
assert evaluate(quiz, parrot, 1, 10_000).mean() < 0.5

# %% [markdown]
# Guessing gives a quarter. The overlap of 22 rows makes the second number look like skill. How much it matters
# depends on how much of the task the seed decides; here it is everything. Keep the ranges apart: base seeds for
# evaluation far above all that training uses, with at least `num_envs` between any two.
#
# **The seeds on which you choose are used up.** Take twenty agents, saved at different moments of a training, that
# are equally good, true mean 50. Give each 20 episodes, and pick the best.

# %%
rng = np.random.default_rng(0)
first_look = rng.geometric(1 / 50, size=(1000, 20, 20)).mean(axis=2)
second_look = rng.geometric(1 / 50, size=(1000, 20))
say(
    f"Over a thousand repetitions, the best of twenty looks like "
    f"{first_look.max(axis=1).mean():.1f}. Evaluated again with new seeds it is "
    f"{second_look.mean():.1f}."
)
assert first_look.max(axis=1).mean() > 65
assert abs(second_look.mean() - 50) < 1.5

# %% [markdown]
# So three ranges: to train, to choose, and to report. To *compare* two policies, on the other hand, give both the
# same seeds. In the first episode of each row they then meet the same starts, and the difference is taken row by
# row. The second policy, `early`, turns round a little sooner than `push`.


# %%
def early(observations):
    position, speed = observations.T
    return np.where((speed > -0.0005) | (position < -0.8), 2, 0)


make_tested = partial(make_cars, num_envs=50)
late_on = evaluate(wv.RecordEpisodeStatistics(make_tested()), push, 1, 2000)
early_on = evaluate(wv.RecordEpisodeStatistics(make_tested()), early, 1, 2000)
elsewhere = evaluate(wv.RecordEpisodeStatistics(make_tested()), early, 1, 3000)
apart = np.hypot(half_width(late_on), half_width(elsewhere))
paired = half_width(late_on - early_on)
print(f"other seeds {late_on.mean() - elsewhere.mean():.2f} ± {apart:.2f}")
print(f"same seeds  {(late_on - early_on).mean():.2f} ± {paired:.2f}")
assert paired < 0.7 * apart

# %% tags=["remove-cell"]
assert abs(late_on.mean() - elsewhere.mean()) < apart
assert abs((late_on - early_on).mean()) > paired
four, again, five = (
    gym.make_vec("CartPole-v1", rows).reset(seed=0)[0][:4] for rows in (4, 4, 5)
)
assert np.array_equal(four, again) and not np.array_equal(four, five)

# %% [markdown]
# The first interval holds 0, the second does not, with the same number of episodes. A native environment such as
# `CartPoleVectorEnv` has one generator for all rows, and there the starts agree only if the number of rows does.
#
# ## Record an episode
#
# Numbers say how often an agent fails, an episode says how. We let one in ten of the car's actions be random and
# ask for the slowest of sixteen rows. Observations and actions of the whole batch are cheap to keep; the row is
# cut out afterwards.

# %%
envs = make_cars(num_envs=16)
policy = make_noisy(push, actions=3, noise=0.1, seed=5)
seen, taken, ended = [], [], np.full(16, -1)
observations, _ = envs.reset(seed=1000)
while (ended < 0).any():
    seen.append(observations)
    taken.append(policy(observations))
    observations, _, terminated, truncated, _ = envs.step(taken[-1])
    ended[(ended < 0) & (terminated | truncated)] = len(taken)
seen, taken = np.array(seen), np.array(taken)
worst = int(ended.argmax())
print("lengths", ended, "| slowest: row", worst)

# %% [markdown]
# Pictures of every row at every call would be costly, and nearly all of them thrown away. Find the episode first,
# then play it again *alone*, from the seed of its row, with the recorded actions. Row `i` started from `seed +
# i`, so the single environment gives the same episode, to the last digit.

# %%
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # draw without a screen
alone = gym.make("MountainCar-v0", render_mode="rgb_array")
observation, _ = alone.reset(seed=1000 + worst)
moments = np.linspace(0, ended[worst] - 1, 4).astype(int)
frames = []
for t, action in enumerate(taken[: ended[worst], worst]):
    assert np.array_equal(observation, seen[t, worst])
    if t in moments:
        frames.append(alone.render())
    observation, _, terminated, truncated, _ = alone.step(action)
alone.close()
assert (terminated or truncated) and len(frames) == 4

# %% tags=["hide-input"]
fig, axes = figure(3.6, nrows=2, ncols=4, height_ratios=[3, 1])
grid = axes[0, 0].get_gridspec()
for ax in axes[0]:
    ax.remove()
ax = fig.add_subplot(grid[0, :])
thin = {"color": PALETTE[5], "linestyle": ":", "linewidth": 1, "marker": ""}
bold = {"color": PALETTE[1], "linewidth": 2.2, "linestyle": "-", "marker": "o"}
for row in set(range(16)) - {worst}:
    every_fourth = range(0, ended[row], 4)
    ax.plot(every_fourth, seen[every_fourth, row, 0], **thin)

# %% tags=["hide-input"]
ax.plot(seen[: ended[worst], worst, 0], markevery=moments.tolist(), **bold)
ax.set(xlabel="step", ylabel="position")
ax.set_title(f"Bold: row {worst}, {ended[worst]} steps. Dotted: the other rows")
for ax, frame, t in zip(axes[1], frames, moments, strict=True):
    pixels = frame.reshape(100, 4, 150, 4, 3).min(axis=(1, 3))  # keeps thin lines
    ax.imshow(pixels, interpolation="none")
    ax.set_title(f"step {t}")
    ax.axis("off")
alt = (
    "Above, the position of sixteen cars over time, the slowest drawn boldly with four "
    "marks. Below, the four frames of that car at the marks."
)
show(fig, alt)

# %% [markdown]
# Playing the *actions* again, not the policy, makes this work for sampled policies too. It needs an environment
# whose randomness comes only from its own generator, and a first episode; for later ones, and for native
# environments, keep the frames while you run. [Rendering](../trust/26_rendering.ipynb) shows how, and how to make
# a video.
#
# ## What trips people up
#
# **"The learning curve rises although nothing was learnt."** `RecordEpisodeStatistics` keeps the last episodes
# *to finish*, and at the start of a run those are the short ones. A policy that never changes, 256 rows, the mean
# of the queue:

# %%
envs = wv.RecordEpisodeStatistics(make_memoryless(rows=256))
envs.reset(seed=0)
curve = []
for _ in range(100):
    envs.step(np.zeros(256, int))
    curve.append(np.mean(envs.return_queue))
print("after 5, 20, 100 calls:", [round(float(curve[t - 1]), 1) for t in (5, 20, 100)])
assert curve[4] < 5 < 10 < curve[19] < 16 < curve[99]

# %% [markdown]
# On call `t`, no episode longer than `t` can end. The first part of such a curve says nothing; in a task with a
# limit of 500 steps, that is 500 calls.
#
# **"`update_running_mean = False` changed nothing."** It was set on the outermost wrapper, which has no such
# switch. Python creates the attribute there, silently, and the normaliser goes on. Set it on the
# `NormalizeObservation` itself.

# %%
normaliser = wv.NormalizeObservation(make_cars(num_envs=4))
outer = wv.RecordEpisodeStatistics(normaliser)
outer.update_running_mean = False
outer.reset(seed=0)
print("switch of the normaliser:", normaliser.update_running_mean, end=" | ")
print("observations counted:", round(normaliser.obs_rms.count))
assert normaliser.update_running_mean and round(normaliser.obs_rms.count) == 4

# %% [markdown]
# **"The evaluation does not end."** A quota waits for every row, and a greedy policy can walk in a circle for
# ever. Every environment that is evaluated needs a time limit; the corridor above had one of 200. Count the
# episodes that hit it, since their return says as much about the limit as about the policy.

# %%
endless = SyncVectorEnv([Corridor] * 8)
observations, _ = endless.reset(seed=0)
ends = 0
for _ in range(1000):
    actions = greedy(corridor_chance)(observations)
    observations, _, terminated, *_ = endless.step(actions)
    ends += terminated.sum()
print("episodes finished in 1000 calls:", ends)
assert ends == 0

# %% [markdown]
# **"Training got worse since I evaluate in between."** The evaluation used the training environments. Its `reset`
# cuts off the episodes that were running, seeds the rows with the evaluation's seeds, and feeds the statistics of
# every wrapper. Make a second vector environment: same id, same wrappers, its own seeds, frozen.

# %%
count = training.obs_rms.count
evaluate(wv.RecordEpisodeStatistics(training), agent, 1, seed=1000)
print("counted before", round(count), "after", round(training.obs_rms.count))
print("rows now on seeds", *training.unwrapped.np_random_seed[:3], "and so on")
assert training.obs_rms.count > count + 16 * 100
assert training.unwrapped.np_random_seed[:2] == (1000, 1001)

# %% [markdown]
# **"All 100 episodes were perfect, so the interval has no width."** The deviation is 0, but that is a fact
# about these 100. An agent that fails once in 50 passes such a test more than one time in ten. If `n` episodes show
# no failure, the failure rate may still be up to about `3/n`.

# %%
largest = 1 - 0.05 ** (1 / 100)
say(
    f"An agent that fails in 2 % of its episodes passes with probability "
    f"{0.98**100:.2f}; 100 perfect episodes rule out, at 95 %, only failure rates "
    f"above {100 * largest:.1f} %."
)
assert 0.98**100 > 0.1 and abs(largest - 3 / 100) < 0.001

# %% [markdown]
# ## Exercises
#
# ### Exercise 20.1: predict who is asked
#
# Three rows. The episodes of row 0 always have 2 steps, those of row 1 always 4, those of row 2 always 9. You keep
# the first three to finish, in `SAME_STEP`. Answer with the list of their lengths.
#
# <details><summary>Hint</summary>
#
# Write down the calls on which each row ends an episode.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("20.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = [2, 2, 4]
# ```
#
# Row 0 ends on calls 2, 4, 6, row 1 on 4, row 2 on 9. The mean is 2.7; one of each row gives 5.
#
# </details>
#
# ### Exercise 20.2: share out the episodes
#
# Write a function that says before the run how many episodes each row owes, for any number of `episodes` and
# `rows`: an array of shape `(rows,)`, as even as possible.
#
# <details><summary>Hint</summary>
#
# Each row owes the whole part of the quotient. The remainder goes to that many rows, one more each.
#
# </details>


# %% tags=["exercise"]
def shares(episodes, rows):
    raise NotImplementedError


# %%
check("20.2", shares)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def shares(episodes, rows):
#     return episodes // rows + (np.arange(rows) < episodes % rows)
# ```
#
# </details>
#
# ### Exercise 20.3: an environment to evaluate in
#
# `trained` is a `NormalizeObservation` that was trained in; `plain` is a new vector environment without wrappers.
# Return `plain` behind a normaliser that is right for evaluation, so that nothing that happens in it ever reaches
# `trained`, and the other way round.
#
# <details><summary>Hint</summary>
#
# Three things: the statistics, a copy of them, and the switch. Compare the four rows of the table above.
#
# </details>


# %% tags=["exercise"]
def for_evaluation(trained, plain):
    raise NotImplementedError


# %%
check("20.3", for_evaluation)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def for_evaluation(trained, plain):
#     envs = wv.NormalizeObservation(plain, epsilon=trained.epsilon)
#     envs.obs_rms = deepcopy(trained.obs_rms)
#     envs.update_running_mean = False
#     return envs
# ```
#
# </details>
#
# ### Exercise 20.4: an interval for the way of training
#
# `returns` has the shape `(5, episodes)`: five training runs with different seeds, the same number of episodes
# each. Return the mean and the half width of its 95 per cent interval, for a sentence about *the way of training*. For
# five values, `t` is 2.776.
#
# <details><summary>Hint</summary>
#
# What are the five values? Their deviation is that of a sample (`ddof=1`), and a mean of five varies less than
# one of them by the square root of five.
#
# </details>


# %% tags=["exercise"]
def interval(returns):
    raise NotImplementedError


# %%
check("20.4", interval)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def interval(returns):
#     over_runs = returns.mean(axis=1)
#     return over_runs.mean(), 2.776 * over_runs.std(ddof=1) / 5**0.5
# ```
#
# </details>
#
# ## Recap
#
# - "The first to finish" asks the short episodes. With as many episodes as rows it can report a third of the
#   truth, or flatter a policy whose short episodes are successes. Fix a quota for each row, and wait for it.
# - The bias falls with the episodes per row, not with their total, and it is in every rule that lets time decide.
# - Greedy and sampled are two policies. Say which one was evaluated, and seed the sampling.
# - Statistics belong to the agent: copy, freeze, and save them. Leave reward scaling out.
# - Episodes give an interval for one agent; only training runs give one for the way of training.
# - Seeds to train, to choose and to report are three sets. Two policies that are compared share theirs.
# - Find an episode by its number, then replay it alone with its actions and its row's seed.
#
# **Back:** [what goes wrong](19_what_goes_wrong.ipynb). **Next:** [a native vector
# environment](../scale/21_native_vector_env.ipynb), so that evaluations take less time. **Reference:** [vector
# wrappers](https://gymnasium.farama.org/api/vector/wrappers/) in Gymnasium's documentation.
