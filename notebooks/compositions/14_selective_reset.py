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
# # Selective reset: reset some rows, leave the others alone
#
# After this chapter you can restart exactly the rows you choose, with the seeds and options you choose,
# and you know what that does to the other rows and to the wrappers around the batch.
#
# **You need:** [autoreset](../primitives/06_autoreset.ipynb). **Time:** about 21 minutes.

# %%
import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import (
    NormalizeObservation,
    NormalizeReward,
    RecordEpisodeStatistics,
)

from helpers.environments import StepCounter
from helpers.exercises import check
from helpers.figures import show
from helpers.pages import expect, table
from helpers.timeline import Cell, Timeline, draw

# %% [markdown]
# ## One row has to start again
#
# A robot has fallen over and its episode will not end by itself. Its two neighbours are well on their way.
# `reset()` would throw their episodes away too. We want to restart one row.
#
# Each row here is a `StepCounter`, whose observation is `[episode, step]`. After three steps we restart row 1. Look
# at the other two.


# %%
def counters(mode="NextStep", lengths=(9, 9, 9), vector_class=SyncVectorEnv, **kwargs):
    factories = [lambda n=n: StepCounter(n) for n in lengths]
    return vector_class(factories, autoreset_mode=mode, **kwargs)


STAY = np.zeros(3, int)  # three actions; a counter ignores them

# %%
envs = counters()
envs.reset(seed=0)
for _ in range(3):
    observations, *_ = envs.step(STAY)
print("before      ", observations.astype(int).tolist())
mask = np.array([False, True, False])
observations, infos = envs.reset(options={"reset_mask": mask})
print("masked reset", observations.astype(int).tolist())
assert observations.tolist() == [[0, 3], [1, 0], [0, 3]]
print("next step   ", envs.step(STAY)[0].astype(int).tolist())

# %% [markdown]
# Row 1 is at the start of episode 1, the other two stand where they stood, and the next step moves all three on.
# This is a [masked reset](../../book/glossary.md#masked-reset): the [mask](../../book/glossary.md#mask), an array
# with one boolean for each row, says which rows are meant. It works in every
# [autoreset mode](../../book/glossary.md#autoreset-mode), with `SyncVectorEnv` and `AsyncVectorEnv`, with the
# exceptions that stand under "What trips people up".
#
# Here is a longer run with two masked resets, drawn as in chapter 6, [autoreset](../primitives/06_autoreset.ipynb).
# The plan has one list for each call: the rows to reset, or none for a step.

# %%
plan = [[], [], [1], [], [], [0, 1], []]
envs = counters()
observations, _ = envs.reset(seed=0)
rows = [[Cell(*map(int, values))] for values in observations]
for chosen in plan:
    mask = np.isin(np.arange(3), chosen)
    if mask.any():
        observations, _ = envs.reset(options={"reset_mask": mask})
    else:
        observations, *_ = envs.step(STAY)
    for i, values in enumerate(observations):
        kept = bool(mask.any() and not mask[i])
        rows[i].append(Cell(*map(int, values), kept=kept))

# %% tags=["hide-input"]
resets = tuple(t + 1 for t, chosen in enumerate(plan) if chosen)
timeline = Timeline(AutoresetMode.NEXT_STEP, rows, resets)
alt = (
    "A grid of three rows and eight calls. At the first masked reset row 1 changes to "
    "episode 1 while rows 0 and 2 repeat their cell. At the second, rows 0 and 1 begin "
    "a new episode and row 2 repeats its cell. Row 2 stays in episode 0 throughout."
)
show(draw([timeline]), alt)

# %% tags=["remove-cell"]
path = [[(c.episode, c.step) for c in row] for row in rows]
assert resets == (3, 6)
assert path[0] == [(0, 0), (0, 1), (0, 2), (0, 2), (0, 3), (0, 4), (1, 0), (1, 1)]
assert path[1] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)]
assert path[2] == [(0, 0), (0, 1), (0, 2), (0, 2), (0, 3), (0, 4), (0, 4), (0, 5)]
assert [row[3].kept for row in rows] == [True, False, True]
mask = np.array([False, True, False])
for mode in AutoresetMode:
    for vector_class in [SyncVectorEnv, AsyncVectorEnv]:
        envs = counters(mode, vector_class=vector_class)
        envs.reset(seed=0)
        envs.step(STAY)
        after, _ = envs.reset(options={"reset_mask": mask})
        assert after.tolist() == [[0, 1], [1, 0], [0, 1]]
        envs.close()

# %% [markdown]
# A box holds the episode, a dot, and the step; a colour is an episode, and **=** marks a row that the reset left
# alone. Row 2 is in episode 0 from the first call to the last; the two resets of its neighbours cost it nothing,
# not even a step.
#
# ## What comes back
#
# The whole batch comes back, always. A row that was reset holds its first observation. A row that was kept holds
# its last observation once more, which is no news: no step was taken, and there is neither reward nor flag.
#
# `info` is filled by the rows that were reset, and by no other. FrozenLake reports `prob` at each reset, and the
# mask `_prob` says which rows reported. First a full reset, then one of row 1.

# %%
lakes = gym.make_vec("FrozenLake-v1", num_envs=3, vectorization_mode="sync")
mask = np.array([False, True, False])
for options in [None, {"reset_mask": mask}]:
    infos = lakes.reset(seed=0, options=options)[1]
    print("prob", infos["prob"], "| _prob", infos["_prob"])
assert infos["_prob"].tolist() == mask.tolist() and infos["prob"].tolist() == [0, 1, 0]

# %% [markdown]
# The zeros in `prob` are not values but gaps ([step](../primitives/05_step.ipynb)).
#
# What sits inside a row is reset with it and only with it. Here two rows have a time limit of three steps. Row 0 is
# restarted after two of them, and then a third step is taken. Which of them is cut off?

# %%
poles = gym.make_vec(
    "CartPole-v1", num_envs=2, vectorization_mode="sync", max_episode_steps=3
)
poles.reset(seed=0)
for _ in range(2):
    poles.step(np.array([0, 1]))
poles.reset(options={"reset_mask": np.array([True, False])})
truncated = poles.step(np.array([0, 1]))[3]
print("truncated:", truncated)
assert truncated.tolist() == [False, True]

# %% [markdown]
# ## The mask
#
# The rules are strict: a NumPy array, of booleans, with one entry for each row, and at least one of them True. Each
# of these four masks breaks one rule.

# %%
envs = counters()
envs.reset(seed=0)
for wrong in [[False, True, False], np.array([0, 1, 0])]:
    with expect(TypeError):
        envs.reset(options={"reset_mask": wrong})
for wrong in [np.array([True]), np.zeros(3, bool)]:
    with expect(ValueError):
        envs.reset(options={"reset_mask": wrong})

# %% [markdown]
# The last one is met in practice: on most calls no row has finished, so there is nothing to reset. Ask first, with
# `if done.any():`.
#
# From row numbers a mask is made in one line, the first below. And the very first reset must be a full one: the rows
# that a mask leaves out have no last observation yet that could be repeated. `SyncVectorEnv` stumbles over that, with
# a message about arrays. `AsyncVectorEnv` hands out zeros for them and goes on.

# %%
mask = np.isin(np.arange(3), [0, 2])
print(mask)
assert mask.tolist() == [True, False, True]
with expect(ValueError):
    counters().reset(options={"reset_mask": mask})

# %% tags=["remove-cell"]
workers = counters(vector_class=AsyncVectorEnv)
mask = np.array([True, False, False])
workers.reset(seed=0, options={"reset_mask": mask})
assert workers.get_attr("episode") == (0, -1, -1)
workers.close()
poles = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="async")
first, _ = poles.reset(seed=0, options={"reset_mask": mask[:2]})
assert (first[1] == 0).all() and (first[0] != 0).all()
poles.close()

# %% [markdown]
# ## Seeds for the chosen rows
#
# The seed argument means what it always means ([reset](../primitives/04_reset.ipynb)): it is given for the whole
# batch, and the mask decides which rows take theirs. With an int, row `i` gets `seed + i`, counted by its place in
# the batch. A list has one entry for each row, kept rows included. `np_random_seed` says which seed each row had
# last.

# %%
envs = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
envs.reset(seed=0)
print("at first      ", envs.np_random_seed)
envs.reset(seed=100, options={"reset_mask": np.array([True, False, True])})
print("an int, 100   ", envs.np_random_seed)
assert envs.np_random_seed == (100, 1, 102)
envs.reset(seed=[7, 8, 9], options={"reset_mask": np.array([False, True, False])})
print("a list, 7 8 9 ", envs.np_random_seed)
assert envs.np_random_seed == (100, 8, 102)

# %% [markdown]
# Without a seed the row goes on with its own generator and gets a new start. That is what a training loop wants, so
# **leave the seed out** unless you mean a certain start.
#
# ## Options for the chosen rows
#
# Whatever else is in `options` goes to the rows that are reset. CartPole takes `low` and `high`, the range of its
# start. Rows that need different options take a call each.

# %%
envs = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
envs.reset(seed=0)
easy, hard = np.array([True, False, False]), np.array([False, False, True])
envs.reset(options={"reset_mask": easy, "low": -0.001, "high": 0.001})
starts, _ = envs.reset(options={"reset_mask": hard, "low": -0.2, "high": 0.2})
print("largest deviation at the start, row by row:")
print(np.abs(starts).max(axis=1).round(4))
assert np.abs(starts[0]).max() <= 0.001 and np.abs(starts[2]).max() > 0.05

# %% [markdown]
# Autoreset passes neither seed nor options, so this is what the mode `DISABLED` is for: every reset is yours.
#
# ## An episode for each seed
#
# Here is a complete use. A policy is to be evaluated on given seeds, one episode each, three at a time. A row that
# finishes takes the next seed from the queue; the others do not wait for it. A row that finds the queue empty plays
# its last seed again, and that result is not counted.
#
# The policy pushes the cart towards the side the pole leans to.


# %%
def policy(observations):
    return (observations[:, 2] > 0).astype(int)


def cart_poles(num_envs):
    mode = {"autoreset_mode": AutoresetMode.DISABLED}
    return gym.make_vec("CartPole-v1", num_envs, "sync", vector_kwargs=mode)


# %%
def play(envs, seeds):
    playing, waiting = list(seeds[: envs.num_envs]), list(seeds[envs.num_envs :])
    observations, _ = envs.reset(seed=playing)
    returns, total = {}, np.zeros(envs.num_envs)
    while len(returns) < len(seeds):
        actions = policy(observations)
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        total += rewards
        done = terminated | truncated
        for i in np.flatnonzero(done):
            returns.setdefault(playing[i], float(total[i]))
            playing[i] = waiting.pop(0) if waiting else playing[i]
        total[done] = 0
        if done.any():
            observations, _ = envs.reset(seed=playing, options={"reset_mask": done})
    return returns


# %% [markdown]
# The reset at the end holds the point of it. `playing` has a seed for each row, the mask picks the rows that have
# finished, and the dict is made anew for each call.
#
# If the rows leave one another alone, each return must be what a single environment gives for that seed.


# %%
def play_alone(seed):
    env = gym.make("CartPole-v1")
    observation, _ = env.reset(seed=seed)
    total, done = 0.0, False
    while not done:
        action = policy(observation[np.newaxis])[0]
        observation, reward, terminated, truncated, _ = env.step(action)
        total, done = total + reward, terminated or truncated
    return total


# %%
seeds = range(100, 108)
returns = play(cart_poles(3), seeds)
table(
    [{"seed": s, "in the batch": returns[s], "alone": play_alone(s)} for s in seeds],
    "The return of each episode, played three at a time and alone",
)
assert returns == {seed: play_alone(seed) for seed in seeds}

# %% [markdown]
# The same eight numbers. Every seed is played to its end, however long its episode lasts, so the result is not
# biased towards short episodes; [evaluation](../learning/20_evaluation.ipynb) shows what happens otherwise.
#
# ## Giving up on an episode that has not ended
#
# A mask may name any row, finished or not. Restarting an unfinished one cuts its episode off, and **no flag says
# so**. The last step before the reset said False and False, for it did not know. Here row 0 is given up after two
# steps of each episode. We keep what a [rollout](../../book/glossary.md#rollout) would keep, the observation and
# whether the row was done, and do it twice: as it comes, and with the cut written down.


# %%
def give_up(mark_the_cut):
    envs = counters("SameStep")
    envs.reset(seed=0)
    record = []
    for _ in range(5):
        observations, _, terminated, truncated, _ = envs.step(STAY)
        stuck = (observations[:, 1] == 2) & [True, False, False]
        if mark_the_cut:
            truncated = truncated | stuck
        done = bool(terminated[0] | truncated[0])
        record.append((observations[0].astype(int).tolist(), done))
        if stuck.any():
            envs.reset(options={"reset_mask": stuck})
    return record


# %%
pairs = zip(give_up(mark_the_cut=False), give_up(mark_the_cut=True), strict=True)
rows = [
    {"[episode, step]": seen, "done, as it comes": unmarked, "done, cut marked": marked}
    for (seen, unmarked), (_, marked) in pairs
]
table(rows, "Row 0, given up after two steps of each episode")
assert not any(row["done, as it comes"] for row in rows)
assert [row["done, cut marked"] for row in rows] == [False, True, False, True, False]

# %% [markdown]
# In the middle column no flag stands between episode 0 and episode 1. Whatever splits this record at the flags takes
# all of it for one long episode. In the last column we wrote the cut down. From outside, giving up is what
# [truncated](../../book/glossary.md#truncated) means: the task would have gone on.
#
# ## With autoreset switched on
#
# In `NEXT_STEP` a finished row waits for the next call to be reset. A masked reset in between takes that over, so
# the next step is a real one and no [filler row](../../book/glossary.md#filler-row) follows. Row 0 has just ended
# here; we take its next step without and with a masked reset in between.

# %%
for masked in [False, True]:
    envs = counters("NextStep", lengths=(2, 9, 9))
    envs.reset(seed=0)
    for _ in range(2):
        done = envs.step(STAY)[2]
    if masked:
        envs.reset(options={"reset_mask": done})
    observations, rewards, *_ = envs.step(STAY)
    print(f"masked reset {masked!s:5s} -> {observations[0]}, reward {rewards[0]:.0f}")
    assert rewards[0] == masked and observations[0].tolist() == [1, masked]

# %% [markdown]
# So code that masks filler rows in `NEXT_STEP` must forget the done flag of a row that was reset by hand, or it
# drops a transition.
#
# In `SAME_STEP` there is nothing to take over: a finished row has been reset before you see it. Using its done flag
# as a mask resets it a second time, and an episode of no steps is left behind.

# %%
envs = counters("SameStep", lengths=(2, 9, 9))
envs.reset(seed=0)
for _ in range(2):
    observations, _, done, *_ = envs.step(STAY)
again, _ = envs.reset(options={"reset_mask": done})
print("after the step", observations[0], "| after the reset", again[0])
assert observations[0].tolist() == [1, 0] and again[0].tolist() == [2, 0]

# %% [markdown]
# ## What trips people up
#
# **"The second reset restarts every row."** The options were made once and used twice. The mask is *taken out* of the
# dict by the first call; the second finds none and resets everything, without a word. Build the dict in the call,
# each time.

# %%
envs = counters()
envs.reset(seed=0)
options = {"reset_mask": np.array([False, True, False])}
first, _ = envs.reset(options=options)
print("options afterwards:", options)
second, _ = envs.reset(options=options)
print("first ", first.astype(int).tolist())
print("second", second.astype(int).tolist())
assert options == {}
assert first.tolist() == [[0, 0], [1, 0], [0, 0]]
assert second.tolist() == [[1, 0], [2, 0], [1, 0]]

# %% [markdown]
# A misspelt key, such as `"mask"`, does the same: unknown options are none of the vector environment's business, so
# it passes them on and resets all rows.

# %% tags=["remove-cell"]
all_rows, _ = envs.reset(options={"mask": np.array([False, True, False])})
assert all_rows.tolist() == [[2, 0], [3, 0], [2, 0]]

# %% [markdown]
# **"All rows restart although the mask is right."** The mask is a convention of `SyncVectorEnv` and `AsyncVectorEnv`,
# not part of what every `VectorEnv` promises. Gymnasium's own
# [native](../../book/glossary.md#native-vector-environment) CartPole, the one `make_vec("CartPole-v1")` returns,
# ignores it. Test for it before you rely on it, as exercise 14.4 does.

# %%
native = gym.make_vec("CartPole-v1", num_envs=3)
native.reset(seed=0)
before, *_ = native.step(np.array([0, 1, 0]))
mask = np.array([False, True, False])
after, _ = native.reset(options={"reset_mask": mask})
print(type(native).__name__, "| row unchanged:", (before == after).all(axis=1))
assert not (before == after).any(axis=1).any()

# %% [markdown]
# **"The agent masters one start and fails on all others."** A constant seed stands in the loop. Each masked reset
# then replays the same start, for ever.

# %%
envs = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
envs.reset(seed=0)
for seed in [0, None]:
    starts = set()
    for _ in range(5):
        observations, _ = envs.reset(seed=seed, options={"reset_mask": mask})
        starts.add(tuple(observations[1].tolist()))
    print(f"seed={seed}: {len(starts)} different starts in 5 resets")
    assert len(starts) == (1 if seed == 0 else 5)

# %% [markdown]
# **"Reported episode lengths and returns are too small."** `RecordEpisodeStatistics` around the batch looks for the
# mask after the vector environment has taken it out of the dict, so it sees a full reset and clears the counters of
# *every* row. This is a fault of Gymnasium 1.4.0, with a
# [correction](https://github.com/Farama-Foundation/Gymnasium/pull/1696) proposed. Row 1 here plays an episode of
# three steps while row 0 is reset once. Which length is reported for it?


# %%
def lengths_after_a_reset(envs):
    envs.reset(seed=0)
    for _ in range(2):
        done = envs.step(np.zeros(2, int))[2]
    envs.reset(options={"reset_mask": done})
    infos = envs.step(np.zeros(2, int))[4]
    return infos["episode"]["l"][infos["_episode"]]


around = RecordEpisodeStatistics(counters("Disabled", lengths=(2, 3)))
print("statistics around the batch:", lengths_after_a_reset(around))
assert lengths_after_a_reset(around).tolist() == [1]

# %% [markdown]
# The wrapper of the same name for single environments belongs to its row and cannot be confused. Put it inside the
# batch, in the factory.

# %%
episodes = gym.wrappers.RecordEpisodeStatistics
inside = SyncVectorEnv(
    [lambda n=n: episodes(StepCounter(n)) for n in (2, 3)], autoreset_mode="Disabled"
)
print("statistics inside each row: ", lengths_after_a_reset(inside))
assert lengths_after_a_reset(inside).tolist() == [3]

# %% tags=["remove-cell"]
same_step = SyncVectorEnv([lambda: episodes(StepCounter(2))], autoreset_mode="SameStep")
same_step.reset(seed=0)
same_step.step(np.zeros(1, int))
infos = same_step.step(np.zeros(1, int))[4]
assert "episode" not in infos and infos["final_info"]["episode"]["l"].tolist() == [2]

# %% [markdown]
# Inside, mind where to read: in `SAME_STEP` the info of an episode's last step is in `infos["final_info"]`, and so
# are the statistics. The whole choice is in chapter 15, [inside or
# around](15_nested_wrappers.ipynb#inside-or-around-where-to-look).
#
# **`ValueError: NormalizeObservation does not support partial resets`.** That wrapper takes a mask only if all of
# it is True. `NormalizeReward` accepts any mask, and then forgets the running return of *every* row, from which it
# works out its scale. With either, use an autoreset mode that needs no masked reset.

# %%
normalised = NormalizeObservation(counters())
normalised.reset(seed=0)
with expect(ValueError):
    normalised.reset(options={"reset_mask": np.array([True, False, False])})

scaled = NormalizeReward(counters("Disabled", lengths=(2, 9, 9)))
scaled.reset(seed=0)
for _ in range(2):
    done = scaled.step(STAY)[2]
print("running returns before", scaled.accumulated_reward)
scaled.reset(options={"reset_mask": done})
print("running returns after ", scaled.accumulated_reward)
assert (scaled.accumulated_reward == 0).all()

# %% tags=["remove-cell"]
assert done.tolist() == [True, False, False]
_ = normalised.reset(options={"reset_mask": np.ones(3, bool)})  # all of it: accepted

# %% [markdown]
# **"A step is lost after the reset, in `AsyncVectorEnv` without shared memory."** In `NEXT_STEP` the worker, the
# process that holds the row, does not notice that its finished row has been reset by hand, and resets it once more
# in place of the step. This too is a fault of 1.4.0. With shared memory, the default, it does not occur. The step
# after the reset should be step 1 of episode 1:

# %%
for shared_memory in [True, False]:
    envs = counters(
        lengths=(2, 9, 9), vector_class=AsyncVectorEnv, shared_memory=shared_memory
    )
    envs.reset(seed=0)
    for _ in range(2):
        done = envs.step(STAY)[2]
    envs.reset(options={"reset_mask": done})
    observations, rewards, *_ = envs.step(STAY)
    print(f"shared_memory={shared_memory}: {observations[0]}, reward {rewards[0]}")
    assert observations[0].tolist() == ([1, 1] if shared_memory else [2, 0])
    envs.close()

# %% [markdown]
# ## Exercises

# %% tags=["remove-cell"]
# The answer to exercise 14.1 is what Gymnasium does.
envs = counters("Disabled")
envs.reset(seed=0)
for _ in range(2):
    envs.step(STAY)
envs.reset(options={"reset_mask": np.array([True, False, True])})
assert envs.step(STAY)[0].tolist() == [[1, 1], [0, 3], [1, 1]]

# %% [markdown]
# ### Exercise 14.1: predict the observations
#
# Three `StepCounter`s whose episodes have nine steps are reset, all of them, and stepped twice. Then rows 0 and 2
# are reset by mask, without a seed, and one more step is taken. Which observations does that last step return? Give
# a list of three pairs `[episode, step]`.
#
# <details><summary>Hint</summary>
#
# Write down the three pairs after each call. A reset begins the next episode of a row.
#
# </details>

# %% tags=["exercise"]
answer = ...

# %%
check("14.1", answer)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# answer = [[1, 1], [0, 3], [1, 1]]
# ```
#
# </details>
#
# ### Exercise 14.2: reset by row number
#
# Write a function that takes a vector environment, the batch of observations it returned last, and a list of row
# numbers. It restarts those rows and returns the batch to act on. The list may be empty.
#
# <details><summary>Hint</summary>
#
# A list of row numbers is no mask. And with nothing to reset, the observations you were given are still right.
#
# </details>


# %% tags=["exercise"]
def restart(envs, observations, row_numbers):
    raise NotImplementedError


# %%
check("14.2", restart)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def restart(envs, observations, row_numbers):
#     mask = np.isin(np.arange(envs.num_envs), row_numbers)
#     if mask.any():
#         observations, _ = envs.reset(options={"reset_mask": mask})
#     return observations
# ```
#
# </details>
#
# ### Exercise 14.3: repair the loop
#
# This loop plays a vector environment in `DISABLED` and returns the observations that it would act on, call by
# call. It has three faults. Find them.
#
# <details><summary>Hint</summary>
#
# Read the traps above about the dict and about the seed, and the one in
# [autoreset](../primitives/06_autoreset.ipynb) about episodes that go on past their end.
#
# </details>


# %% tags=["exercise"]
def play_on(envs, steps):
    seen = []
    observations, _ = envs.reset(seed=0)
    done = np.zeros(envs.num_envs, bool)
    options = {"reset_mask": done}
    for _ in range(steps):
        actions = np.zeros(envs.num_envs, int)
        observations, _, terminated, _, _ = envs.step(actions)
        done[:] = terminated
        if done.any():
            observations, _ = envs.reset(seed=0, options=options)
        seen.append(observations)
    return seen


# %%
check("14.3", play_on)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def play_on(envs, steps):
#     seen = []
#     observations, _ = envs.reset(seed=0)
#     for _ in range(steps):
#         actions = np.zeros(envs.num_envs, int)
#         observations, _, terminated, truncated, _ = envs.step(actions)
#         done = terminated | truncated
#         if done.any():
#             observations, _ = envs.reset(options={"reset_mask": done})
#         seen.append(observations)
#     return seen
# ```
#
# </details>
#
# ### Exercise 14.4: does it honour the mask?
#
# Write a function that tells whether a vector environment honours `reset_mask`: the chosen rows start again and the
# others stay as they are. It may reset and step the environment. The action space is discrete and there are at
# least two rows.
#
# <details><summary>Hint</summary>
#
# Reset, take a few steps, keep the last observations, then reset some of the rows. What must have changed, and what
# must not?
#
# </details>


# %% tags=["exercise"]
def honours_mask(envs):
    raise NotImplementedError


# %%
check("14.4", honours_mask)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def honours_mask(envs):
#     envs.reset(seed=0)
#     for _ in range(3):
#         before, *_ = envs.step(np.zeros(envs.num_envs, int))
#     mask = np.arange(envs.num_envs) == 0
#     after, _ = envs.reset(options={"reset_mask": mask})
#     kept = np.array_equal(before[~mask], after[~mask])
#     return kept and not np.array_equal(before[mask], after[mask])
# ```
#
# </details>
#
# ## Recap
#
# - `reset(options={"reset_mask": mask})` restarts the rows where the mask is True. The whole batch comes back;
#   other rows repeat their last observation, and `info` knows only the rows that were reset.
# - The mask is a NumPy array of booleans with at least one True. Make a new dict for each call.
# - Leave the seed out unless you mean a certain start. Other options reach the chosen rows alone.
# - Restarting an unfinished row sets no flag: mark it truncated yourself.
# - Native environments may ignore the mask, and wrappers with a memory may forget every row's.
#
# **Back:** [mixed environments](13_mixed_environments.ipynb). **Next:**
# [nested wrappers](15_nested_wrappers.ipynb).
# **Reference:** [`SyncVectorEnv`](https://gymnasium.farama.org/api/vector/sync_vector_env/) and the article on
# [autoreset modes](https://farama.org/Vector-Autoreset-Mode).
