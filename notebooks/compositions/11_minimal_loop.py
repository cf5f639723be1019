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
# # The minimal loop: a whole program in a dozen lines
#
# After this chapter you can write the loop that every agent stands on, know what each of its lines is for, get the
# same numbers twice, and count episode returns without losing or inventing any.
#
# **You need:** [VectorEnv](../primitives/01_vector_env.ipynb). [Step](../primitives/05_step.ipynb) and
# [autoreset](../primitives/06_autoreset.ipynb) help. **Time:** about 15 minutes.

# %%
from contextlib import closing
from functools import partial

import gymnasium as gym
import numpy as np
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from helpers.environments import StepCounter
from helpers.exercises import check
from helpers.figures import PALETTE, figure, show
from helpers.pages import expect, table

# %% [markdown]
# ## Ten lines
#
# Make, seed twice, reset, step, read, close. These are ten lines; with `import gymnasium as gym` and
# `import numpy as np` above them, they are a program.

# %%
envs = gym.make_vec("CartPole-v1", num_envs=4, vectorization_mode="sync")
envs.action_space.seed(0)
observations, infos = envs.reset(seed=0)
total = np.zeros(envs.num_envs)
for _ in range(300):
    actions = envs.action_space.sample()
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    total += rewards
envs.close()
print("reward collected by each row:", total)

# %% [markdown]
# There is no `if done: reset()` in it. A finished row is reset by the vector environment itself, in the default
# [autoreset mode](../../book/glossary.md#autoreset-mode) on the next call. So the loop runs for a number of steps,
# not of episodes. The action is drawn at random, in the one line that an agent would replace.
#
# ## Twice the same
#
# A program that gives other numbers on every run is hard to debug. We make it a function that returns all
# observations and all ends of episodes, and run it twice. The two switches are for the next section.


# %%
def program(steps=300, seed_env=True, seed_actions=True):
    envs = gym.make_vec("CartPole-v1", num_envs=4, vectorization_mode="sync")
    with closing(envs):
        if seed_actions:
            envs.action_space.seed(0)
        observations, _ = envs.reset(seed=0 if seed_env else None)
        seen, done = [observations], []
        for _ in range(steps):
            actions = envs.action_space.sample()
            observations, _, terminated, truncated, _ = envs.step(actions)
            seen.append(observations)
            done.append(terminated | truncated)
    return np.array(seen), np.array(done)


# %%
first, first_done = program()
again, again_done = program()
print("all observations equal:", np.array_equal(first, again))
print("episodes finished:", first_done.sum(), "and", again_done.sum())
assert np.array_equal(first, again)
assert np.array_equal(first_done, again_done)

# %% [markdown]
# Every number of 301 observations of 4 rows is the same, through dozens of episodes. `closing` calls `envs.close()`
# at the end of the block, even if a line in it fails.
#
# ## What each line is for
#
# The best way to see it is to leave the line out. Two seeds first. Compare the first observations and the last.

# %%
rows = []
for env, act in [(True, True), (True, False), (False, True)]:
    one, _ = program(seed_env=env, seed_actions=act)
    other, _ = program(seed_env=env, seed_actions=act)
    rows.append(
        {
            "reset(seed=0)": "yes" if env else "left out",
            "action_space.seed(0)": "yes" if act else "left out",
            "same start": np.array_equal(one[0], other[0]),
            "same end": np.array_equal(one[-1], other[-1]),
        }
    )
table(rows, "Two runs of the program, compared")

# %% tags=["remove-cell"]
assert [(row["same start"], row["same end"]) for row in rows] == [
    (True, True),
    (True, False),
    (False, False),
]

# %% [markdown]
# `reset(seed=0)` seeds the environments: where episodes start, and any chance in their physics. It does not reach
# the action space, which has a generator of its own. With the first seed alone the runs start alike and drift
# apart, which is easy to miss if you only look at the first few numbers. A real agent draws its actions from yet
# another generator, and that one needs a seed as well.
#
# One integer seeds four rows differently, and it is given once, before the loop. Chapter 4,
# [reset](../primitives/04_reset.ipynb), says how.
#
# Without the reset there is nothing to step:

# %%
envs = gym.make_vec("CartPole-v1", 4, vectorization_mode="sync")
with closing(envs), expect(gym.error.ResetNeeded):
    envs.step(envs.action_space.sample())

# %% [markdown]
# The remaining lines:
#
# - `envs.action_space.sample()` draws a whole batch, four actions. `single_action_space` would draw one.
# - `terminated` and `truncated` say which rows have just finished, for two different reasons. The short program
#   ignores them, and so its total is not what you want, as the next section shows.
# - `envs.close()` frees windows, files and [workers](../../book/glossary.md#worker). Workers that nobody closes stay
#   for as long as the object does: chapter 8, [AsyncVectorEnv](../primitives/08_async_vector_env.ipynb#closing).
#
# ## Counting returns
#
# The [return](../../book/glossary.md#return) of an episode is the sum of its rewards. `total` above is something
# else: it ran on through one episode after another. What we need is a running sum for each row that is written down
# and set to zero when the row finishes. Four lines do it.


# %%
def collect(envs, steps, choose, seed=0):
    """Returns of the finished episodes, and the running sums after each call."""
    returns, running, history = [], np.zeros(envs.num_envs), []
    observations, _ = envs.reset(seed=seed)
    for _ in range(steps):
        actions = choose(observations)
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        running += rewards
        history.append(running.copy())
        done = terminated | truncated
        returns += running[done].tolist()
        running[done] = 0
    return returns, np.array(history)


# %% [markdown]
# Is it right? We need an environment whose returns are known beforehand. The step counter of this book pays 1 on
# the first step, 2 on the second, 3 on the third. An episode of three steps returns 6, one of two steps 3, no
# matter what is done. Let two rows have different lengths, and one be cut off instead of ending by itself.


# %%
def zeros(observations):
    return np.zeros(len(observations), int)


fns = [partial(StepCounter, 3), partial(StepCounter, 2, ending="truncated")]
with closing(SyncVectorEnv(fns)) as envs:
    returns, history = collect(envs, steps=12, choose=zeros)
print("finished:", returns)
assert sorted(returns) == [3, 3, 3, 3, 6, 6, 6]

# %% [markdown]
# Three sixes and four threes, as it must be: in the default mode a three-step episode takes four calls, so 12 calls
# hold three of them, and four of the shorter ones. What about the extra call? Here are the running sums, row by
# row.

# %%
for row in range(2):
    print(f"row {row}:", history[:, row].astype(int).tolist())

# %% [markdown]
# Each zero is the call in which the row was reset: the action was ignored and the reward is 0. Such a
# [filler row](../../book/glossary.md#filler-row) adds nothing to a sum, so the four lines are right without taking
# notice of it. Whoever counts anything other than rewards must notice.
#
# The same four lines on CartPole, with a picture of the running sums of the first 100 calls. Each climb is an
# episode, each dot a return that was written down.


# %%
def at_random(envs):
    envs.action_space.seed(0)
    return lambda observations: envs.action_space.sample()


with closing(gym.make_vec("CartPole-v1", 4, vectorization_mode="sync")) as envs:
    returns, history = collect(envs, 300, at_random(envs))
print(len(returns), "episodes finished, the first six:", returns[:6])
assert len(returns) == first_done.sum()

# %% tags=["hide-input"]
fig, axes = figure(4.6, nrows=4, sharex=True, sharey=True)
for row, ax in enumerate(axes):
    sums, ended = history[:100, row], first_done[:100, row]
    calls = np.arange(1, 101)
    ax.plot(calls, sums, marker="", ls="-", color=PALETTE[0])
    ax.plot(calls[ended], sums[ended], marker="o", ls="", color=PALETTE[1])
    ax.set_ylabel(f"row {row}")
axes[0].set_title("Running sum of rewards, and the returns written down")
axes[-1].set_xlabel("call to step")
alt = (
    "Four saw-tooth lines, one for each row: the running sum climbs by one a call, is "
    "marked with a dot where an episode ends, and falls to zero on the next call."
)
show(fig, alt)

# %% tags=["remove-cell"]
assert (first_done[:100].sum(axis=1) == 1).any()  # rows do not end together
assert (history[99, [1, 2]] > 0).all() and not first_done[99, [1, 2]].any()
ended = first_done[:-1]
assert (history[1:][ended] == 0).all()  # the call after an end adds nothing

# %% [markdown]
# The rows do not end together, and there is no moment at which "the episode" is over. Look at the right edge of
# rows 1 and 2, too: a climb that is still under way has no dot.
#
# ### A second opinion
#
# Gymnasium has a [vector wrapper](../../book/glossary.md#vector-wrapper) that does this bookkeeping. On a step on
# which an episode ended, `infos["episode"]["r"]` holds the return, and `_episode` says for which rows. Two ways of
# counting that agree are worth more than one.

# %%
envs = gym.make_vec("CartPole-v1", 4, vectorization_mode="sync")
from_wrapper = []
with closing(RecordEpisodeStatistics(envs)) as envs:
    envs.action_space.seed(0)
    envs.reset(seed=0)
    for _ in range(300):
        *_, infos = envs.step(envs.action_space.sample())
        if "episode" in infos:
            from_wrapper += infos["episode"]["r"][infos["_episode"]].tolist()
print("the same returns:", from_wrapper == returns)
assert from_wrapper == returns

# %% [markdown]
# ## The same program, three vectorisers
#
# The loop never asks what is inside `envs`. So one word changes where the work is done: in this process, in four
# others, or in arrays without any sub-environments. The last column asks whether the returns are those of sync.

# %%
results, rows = {}, []
for mode in ["sync", "async", "vector_entry_point"]:
    with closing(gym.make_vec("CartPole-v1", 4, vectorization_mode=mode)) as envs:
        results[mode], _ = collect(envs, 300, at_random(envs))
        name = type(envs).__name__
    numbers = {"episodes": len(results[mode]), "mean": round(np.mean(results[mode]), 2)}
    same = results[mode] == results["sync"]
    rows.append({"mode": mode, "class": name, **numbers, "same as sync": same})
table(rows, "One loop, three vectorisers")
assert results["async"] == results["sync"] != results["vector_entry_point"]

# %% tags=["remove-cell"]
kinds = {"sync": np.float64, "async": np.float64, "vector_entry_point": np.float32}
for mode, dtype in kinds.items():
    with closing(gym.make_vec("CartPole-v1", 4, vectorization_mode=mode)) as envs:
        envs.reset(seed=0)
        done = np.zeros(4, bool)
        for _ in range(30):
            _, rewards, terminated, truncated, _ = envs.step(np.zeros(4, int))
            assert rewards.dtype == dtype and np.array_equal(rewards == 0, done)
            done = terminated | truncated

# %% [markdown]
# The loop and the processes agree in every return. The [native](../../book/glossary.md#native-vector-environment)
# class plays the same game from other starting points: it has one generator for all its rows, where the others have
# one for each. So a seed pins down the numbers of one vectoriser, not of all three. Its rewards are float32, too,
# where the others return float64.
#
# ## One line further
#
# Everything an agent needs is in place. Replace the random action by a rule: push to the side to which the pole
# leans. The rule sees the whole batch, four angles, and returns four actions. No loop over rows.


# %%
def lean(observations):
    return (observations[:, 2] > 0).astype(int)


with closing(gym.make_vec("CartPole-v1", 4, vectorization_mode="sync")) as envs:
    ruled, _ = collect(envs, 300, lean)
print(f"random: {np.mean(returns):.1f}   lean with the pole: {np.mean(ruled):.1f}")
assert np.mean(ruled) > 1.5 * np.mean(returns)

# %% [markdown]
# Chapter 18, [training](../learning/18_training.ipynb), puts a network in the place of the rule, and lets it learn.
#
# ## What trips people up
#
# **"My episodes never end."** A task that is never lost ends by truncation alone. Who looks only at `terminated`
# finds no episode at all, or glues several into one.

# %%
with closing(gym.make_vec("Pendulum-v1", 3, vectorization_mode="sync")) as envs:
    envs.action_space.seed(0)
    envs.reset(seed=0)
    ends = np.zeros(2, int)
    for _ in range(450):
        _, _, terminated, truncated, _ = envs.step(envs.action_space.sample())
        ends += [terminated.sum(), truncated.sum()]
print("terminated:", ends[0], "| truncated:", ends[1])
assert ends.tolist() == [0, 6]

# %% [markdown]
# **"Every episode but the first is one step too long."** Rewards forgive the filler row, counters do not.
# Three-step episodes, counted by adding one to each row on every call, then with the filler rows left out:

# %%
lengths = {"every call": [], "without fillers": []}
with closing(SyncVectorEnv([StepCounter])) as envs:
    envs.reset(seed=0)
    calls, real, done = np.zeros(1, int), np.zeros(1, int), np.zeros(1, bool)
    for _ in range(12):
        calls += 1
        real += ~done  # a row that was done before this call is only reset by it
        _, _, terminated, truncated, _ = envs.step(np.array([0]))
        done = terminated | truncated
        lengths["every call"] += calls[done].tolist()
        lengths["without fillers"] += real[done].tolist()
        calls[done] = real[done] = 0
print(lengths)
assert lengths == {"every call": [3, 4, 4], "without fillers": [3, 3, 3]}

# %% [markdown]
# **"I reset when an episode is done, and the other rows lose theirs."** Habit from the single environment. `reset`
# starts *all* rows anew, and with a seed it starts the same four episodes again and again.

# %%
starts, finished = set(), np.zeros(4, int)
with closing(gym.make_vec("CartPole-v1", 4, vectorization_mode="sync")) as envs:
    envs.action_space.seed(0)
    observations, _ = envs.reset(seed=0)
    for _ in range(300):
        _, _, terminated, truncated, _ = envs.step(envs.action_space.sample())
        if (terminated | truncated).any():
            finished += terminated | truncated
            observations, _ = envs.reset(seed=0)  # the habit
        starts.update(observations[:, 2].tolist())
print("episodes:", finished.sum(), "| different starts:", len(starts))
assert len(starts) == 4 < finished.sum()

# %% [markdown]
# **"My average is lower than the paper's."** The average over the episodes that *finished* within 300 calls leaves
# out those that were still running, and long ones are more often still running. The fewer the calls, the worse:

# %%
rows = []
for steps in (25, 100, 400, 1600):
    with closing(gym.make_vec("CartPole-v1", 64, vectorization_mode="sync")) as envs:
        short, _ = collect(envs, steps, at_random(envs))
    mean = round(np.mean(short), 1)
    rows.append({"calls": steps, "episodes": len(short), "mean return": mean})
table(rows, "Random play on 64 rows: the finished episodes only")
assert rows[0]["mean return"] + 3 < rows[1]["mean return"] < rows[-1]["mean return"]

# %% [markdown]
# As a curve to watch during training this is good enough. As a result it is not: chapter 20,
# [evaluation](../learning/20_evaluation.ipynb), gives each row a quota of episodes instead.
#
# ## Exercises
#
# ### Exercise 11.1: predict the transitions
#
# Four rows of `StepCounter(length=3)`, the default autoreset mode, 100 calls of `step` after the reset. How many
# real transitions, filler rows left out, have you collected?
#
# <details><summary>Hint</summary>
#
# How many calls does a row need for one episode and the reset after it?
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("11.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = 300
# ```
#
# A row repeats four calls, of which three are transitions: 75 in 100 calls, times four rows.
#
# </details>
#
# ### Exercise 11.2: count the lengths
#
# Write `episode_lengths(envs, steps)`: reset `envs` with seed 0, step it `steps` times with
# `np.zeros(envs.num_envs, int)` as actions, and return a list of the lengths of all finished episodes. Filler rows
# are no steps of an episode.
#
# <details><summary>Hint</summary>
#
# Keep `done` from the call before. A row that was done then is only being reset now.
#
# </details>


# %% tags=["exercise"]
def episode_lengths(envs, steps):
    raise NotImplementedError


# %%
check("11.2", episode_lengths)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def episode_lengths(envs, steps):
#     envs.reset(seed=0)
#     lengths, running = [], np.zeros(envs.num_envs, int)
#     done = np.zeros(envs.num_envs, bool)
#     for _ in range(steps):
#         running += ~done
#         actions = np.zeros(envs.num_envs, int)
#         _, _, terminated, truncated, _ = envs.step(actions)
#         done = terminated | truncated
#         lengths += running[done].tolist()
#         running[done] = 0
#     return lengths
# ```
#
# </details>
#
# ### Exercise 11.3: the whole program
#
# Write `random_returns(env_id, num_envs, steps, seed)`: a complete program that plays at random in sync mode and
# returns the list of finished returns. The same seed must give the same list, another seed another, for every
# environment.
#
# <details><summary>Hint</summary>
#
# Start from the ten lines of the beginning, and add the four that count. Two things want the seed. Some tasks end
# by truncation only.
#
# </details>


# %% tags=["exercise"]
def random_returns(env_id, num_envs, steps, seed):
    raise NotImplementedError


# %%
check("11.3", random_returns)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def random_returns(env_id, num_envs, steps, seed):
#     envs = gym.make_vec(env_id, num_envs=num_envs, vectorization_mode="sync")
#     with closing(envs):
#         envs.action_space.seed(seed)
#         envs.reset(seed=seed)
#         returns, running = [], np.zeros(num_envs)
#         for _ in range(steps):
#             actions = envs.action_space.sample()
#             _, rewards, terminated, truncated, _ = envs.step(actions)
#             running += rewards
#             done = terminated | truncated
#             returns += running[done].tolist()
#             running[done] = 0
#     return returns
# ```
#
# </details>
#
# ## Recap
#
# - Make, seed the environments *and* the actions, reset once, step, read, close. A dozen lines, and no reset in the
#   loop.
# - With both seeds in place two runs agree in every number. A seed belongs to a vectoriser: sync and async agree,
#   the native class has its own starts.
# - A return is a running sum for each row, written down and zeroed where `terminated | truncated`. Filler rows add
#   0 to it, but 1 to every counter that forgets them.
# - The mean over finished episodes leaves out the unfinished, and they are the long ones.
#
# **Back:** [step](../primitives/05_step.ipynb), [autoreset](../primitives/06_autoreset.ipynb).
# **Next:** [a reward wrapper](12_reward_wrapper.ipynb).
# **Reference:** [`gymnasium.make_vec`](https://gymnasium.farama.org/api/registry/).
